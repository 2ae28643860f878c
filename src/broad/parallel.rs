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
    let total = chunks.iter().map(Vec::len).sum();
    pairs.resize(total, [0; 2]);
    let mut rest = &mut pairs[..];
    let mut places = Vec::with_capacity(chunks.len());
    for chunk in &chunks {
        let (place, others) = rest.split_at_mut(chunk.len());
        places.push(place);
        rest = others;
    }
    let filled = places.into_par_iter().zip(&chunks);
    filled.for_each(|(place, chunk)| place.copy_from_slice(chunk));
}
