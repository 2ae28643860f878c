use rayon::prelude::*;

use super::{BroadPhase, Pair};
use crate::math::Vector;

/// [`BroadPhase::collect_pairs`] on rayon's current thread pool: the same pairs in the same order
/// for any number of threads. Allocates a buffer for each chunk.
pub fn par_collect_pairs<V: Vector>(broad: &(impl BroadPhase<V> + Sync), pairs: &mut Vec<Pair>) {
    // Chunk by chunk as long as there are threads without work: one may cost much more than others.
    let parts: Vec<Vec<Pair>> = (0..broad.chunk_count())
        .into_par_iter()
        .with_max_len(1)
        .fold(Vec::new, |mut pairs, chunk| {
            broad.for_each_pair_in(chunk, |i, j| pairs.push([i, j]));
            pairs
        })
        .collect();
    let total = parts.iter().map(Vec::len).sum();
    pairs.resize(total, [0; 2]);
    let mut rest = &mut pairs[..];
    let mut places = Vec::with_capacity(parts.len());
    for part in &parts {
        let (place, others) = rest.split_at_mut(part.len());
        places.push(place);
        rest = others;
    }
    let filled = places.into_par_iter().zip(&parts);
    filled.for_each(|(place, part)| place.copy_from_slice(part));
}
