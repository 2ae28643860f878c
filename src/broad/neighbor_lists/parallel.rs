//! Rows on several threads.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::{NeighborLists, Pair, check_pairs, full_entries, half_entries, sort_rows};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::check_count;

/// The fewest pairs of a task.
const FEWEST: usize = 16_384;

/// Buffers. Their contents do not count: a clone has none.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// For each task and row the entries of the task, then the place of the next one.
    places: Vec<u32>,
    /// The rows, not yet sorted. Each entry is written by one task.
    entries: Vec<AtomicU32>,
}

impl Scratch {
    pub(super) const fn new() -> Self {
        Self {
            places: Vec::new(),
            entries: Vec::new(),
        }
    }
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl NeighborLists {
    /// Does the same as [`fill_half`](Self::fill_half) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half).
    pub fn par_fill_half(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        par_check_pairs(count, pairs)?;
        self.par_fill(count, pairs, half_entries, &mut []);
        Ok(())
    }

    /// Does the same as [`fill_full`](Self::fill_full) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half), with two entries per pair.
    pub fn par_fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_count(pairs.len().saturating_mul(2))?;
        par_check_pairs(count, pairs)?;
        self.par_fill(count, pairs, full_entries, &mut []);
        Ok(())
    }

    /// Does the same as [`sort_pairs`](Self::sort_pairs).
    pub(in crate::broad) fn par_sort_pairs(
        &mut self,
        count: usize,
        pairs: &[Pair],
        sorted: &mut Vec<Pair>,
    ) {
        sorted.resize(pairs.len(), [0; 2]);
        self.par_fill(count, pairs, half_entries, sorted);
    }

    /// Does the same as [`fill`](Self::fill).
    ///
    /// Each task counts the entries of its pairs by row. From these counts follow the places of its entries in each
    /// row, so that the tasks write to different places. The order within a row depends on the tasks until it is sorted.
    fn par_fill<E: IntoIterator<Item = Pair>>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: impl Fn(Pair) -> E + Sync,
        sorted: &mut [Pair],
    ) {
        let Scratch {
            places,
            entries: buffer,
        } = &mut self.scratch;
        let size = pairs
            .len()
            .div_ceil(rayon::current_num_threads())
            .max(FEWEST);
        let task_count = pairs.len().div_ceil(size);
        let width = count.max(1);
        places.clear();
        places.resize(task_count * width, 0);
        let tasks = || pairs.par_chunks(size);
        tasks()
            .zip(places.par_chunks_mut(width))
            .for_each(|(pairs, counts)| {
                for [row, _] in pairs.iter().flat_map(|&pair| entries(pair)) {
                    counts[row as usize] += 1;
                }
            });
        self.offsets.clear();
        self.offsets.reserve(count + 1);
        let mut start = 0;
        for row in 0..count {
            self.offsets.push(start);
            for place in places.iter_mut().skip(row).step_by(width) {
                start += mem::replace(place, start);
            }
        }
        self.offsets.push(start);
        buffer.resize_with(buffer.len().max(start as usize), AtomicU32::default);
        tasks()
            .zip(places.par_chunks_mut(width))
            .for_each(|(pairs, places)| {
                for [row, other] in pairs.iter().flat_map(|&pair| entries(pair)) {
                    let place = &mut places[row as usize];
                    buffer[*place as usize].store(other, Ordering::Relaxed);
                    *place += 1;
                }
            });
        self.indices.resize(start as usize, 0);
        par_sort_rows(0, &self.offsets, &mut self.indices, buffer, sorted);
    }
}

/// Copies rows with these offsets and sorts them, half of the rows in each task.
fn par_sort_rows(
    first_row: usize,
    offsets: &[u32],
    indices: &mut [u32],
    buffer: &[AtomicU32],
    sorted: &mut [Pair],
) {
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return;
    };
    let is_small = indices.len() <= FEWEST || offsets.len() <= 2;
    if is_small {
        let from = &buffer[first as usize..last as usize];
        for (index, entry) in indices.iter_mut().zip(from) {
            *index = entry.load(Ordering::Relaxed);
        }
        sort_rows(first_row, first, &offsets[1..], indices, sorted);
    } else {
        let middle = offsets.len() / 2;
        let place = (offsets[middle] - first) as usize;
        let (low, high) = indices.split_at_mut(place);
        let (sorted_low, sorted_high) = sorted.split_at_mut(place.min(sorted.len()));
        let (offsets_low, offsets_high) = (&offsets[..=middle], &offsets[middle..]);
        rayon::join(
            || par_sort_rows(first_row, offsets_low, low, buffer, sorted_low),
            || par_sort_rows(first_row + middle, offsets_high, high, buffer, sorted_high),
        );
    }
}

/// Does the same as [`check_pairs`].
pub(in crate::broad) fn par_check_pairs(count: usize, pairs: &[Pair]) -> Result<()> {
    check_pairs(count, &[])?;
    check_count(pairs.len())?;
    let parts = pairs.par_chunks(FEWEST);
    parts
        .map(|pairs| check_pairs(count, pairs))
        .find_first(Result::is_err)
        .unwrap_or(Ok(()))
}
