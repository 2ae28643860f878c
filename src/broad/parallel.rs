use rayon::prelude::*;

use super::{BroadPhase, Pair};

/// See [`BroadPhase::par_collect_pairs`].
pub(super) fn collect_pairs(broad: &(impl BroadPhase + Sync + ?Sized), pairs: &mut Vec<Pair>) {
    // One chunk at a time: one may cost much more than others.
    let parts: Vec<Vec<Pair>> = (0..broad.chunk_count())
        .into_par_iter()
        .with_max_len(1)
        .fold(Vec::new, |mut pairs, chunk| {
            broad.for_each_pair_in(chunk, |i, j| pairs.push([i as u32, j as u32]));
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
