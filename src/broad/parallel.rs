use rayon::prelude::*;

use super::{BroadPhase, Pair};
use crate::math::Vector;

/// [`BroadPhase::collect_pairs`] on rayon's current thread pool: the same pairs in the same order
/// for any number of threads. Allocates a buffer for each chunk.
pub fn par_collect_pairs<V: Vector>(broad: &(impl BroadPhase<V> + Sync), pairs: &mut Vec<Pair>) {
    let chunks: Vec<Vec<Pair>> = (0..broad.chunk_count())
        .into_par_iter()
        .map(|chunk| {
            let mut pairs = Vec::new();
            broad.for_each_pair_in(chunk, |i, j| pairs.push([i, j]));
            pairs
        })
        .collect();
    pairs.clear();
    for chunk in chunks {
        pairs.extend(chunk);
    }
}
