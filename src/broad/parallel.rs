use rayon::prelude::*;

/// Replaces the contents of `items` by those of all chunks, in the order of the chunks.
///
/// `fill` appends the items of a chunk.
pub(super) fn collect_chunks<T: Copy + Default + Send + Sync>(
    chunk_count: usize,
    fill: impl Fn(usize, &mut Vec<T>) + Sync,
    items: &mut Vec<T>,
) {
    // One chunk at a time, since the cost of chunks may differ widely.
    let parts: Vec<Vec<T>> = (0..chunk_count)
        .into_par_iter()
        .with_max_len(1)
        .fold(Vec::new, |mut part, chunk| {
            fill(chunk, &mut part);
            part
        })
        .collect();
    let total = parts.iter().map(Vec::len).sum();
    items.resize(total, T::default());
    let mut rest = &mut items[..];
    let mut places = Vec::with_capacity(parts.len());
    for part in &parts {
        let (place, others) = rest.split_at_mut(part.len());
        places.push(place);
        rest = others;
    }
    let filled = places.into_par_iter().zip(&parts);
    filled.for_each(|(place, part)| place.copy_from_slice(part));
}
