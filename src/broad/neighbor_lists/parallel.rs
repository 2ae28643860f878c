//! The parallel forms of the neighbor lists.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{NeighborLists, Pair, check_pairs, full_entries, half_entries};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::check_count;

/// The smallest number of pairs of a task.
const FEWEST: usize = 16_384;
/// The smallest number of rows of a bucket: their offsets and entries fit in the cache of a core.
const MIN_ROWS: usize = 2048;
/// The largest number of buckets, so that each task can write to all of them.
const MOST_BUCKETS: usize = 1024;

/// Buffers. A clone starts with empty ones, since their contents are not part of the lists.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// For each part of the pairs and each bucket the number of entries, then the place of the next one.
    places: Vec<u32>,
    /// Row and index of each entry, bucket by bucket. Each is written by one task.
    entries: Vec<AtomicU64>,
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
        self.par_fill(count, pairs, half_entries)
    }

    /// Does the same as [`fill_full`](Self::fill_full) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half), with two entries per pair.
    pub fn par_fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        self.par_fill(count, pairs, full_entries)
    }

    fn par_fill<const N: usize>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: fn(Pair) -> [Pair; N],
    ) -> Result<()> {
        let size = pairs.len().div_ceil(rayon::current_num_threads());
        let parts = || pairs.par_chunks(size.max(FEWEST));
        self.par_count(count, parts(), entries)?;
        self.par_sort(count, parts(), entries, &mut []);
        Ok(())
    }

    /// Checks the pairs of all parts as [`check_pairs`], and begins to sort them.
    pub(in crate::broad) fn par_check_pairs(
        &mut self,
        count: usize,
        parts: &[Vec<Pair>],
    ) -> Result<()> {
        self.par_count(count, parts.par_iter().map(Vec::as_slice), half_entries)
    }

    /// Does the same as [`sort_pairs`](Self::sort_pairs), for parts that [`par_check_pairs`](Self::par_check_pairs) was
    /// called with just before.
    pub(in crate::broad) fn par_sort_pairs(
        &mut self,
        count: usize,
        parts: &[Vec<Pair>],
        sorted: &mut Vec<Pair>,
    ) {
        sorted.resize(parts.iter().map(Vec::len).sum(), [0; 2]);
        let parts = parts.par_iter().map(Vec::as_slice);
        self.par_sort(count, parts, half_entries, sorted);
    }

    /// Checks the pairs and counts the entries of each part in each bucket.
    fn par_count<'a, const N: usize>(
        &mut self,
        count: usize,
        parts: impl IndexedParallelIterator<Item = &'a [Pair]>,
        entries: fn(Pair) -> [Pair; N],
    ) -> Result<()> {
        check_count(count)?;
        let (shift, bucket_count) = buckets(count);
        let places = &mut self.scratch.places;
        places.clear();
        places.resize(parts.len() * bucket_count, 0);
        let parts = parts.zip(places.par_chunks_mut(bucket_count));
        let totals = parts.map(|(pairs, counts)| {
            check_pairs(count, pairs)?;
            for [row, _] in pairs.iter().flat_map(|&pair| entries(pair)) {
                counts[(row >> shift) as usize] += 1;
            }
            Ok(N * pairs.len())
        });
        // In order, so that the error is that of the first pair.
        check_count(totals.reduce(|| Ok(0), |a, b| Ok(a? + b?))?)
    }

    /// Does the same as [`fill`](Self::fill) with counted pairs.
    ///
    /// The entries are first sorted into buckets of rows. The counts give the places of each part's entries, so the
    /// tasks write to different places. Then each task sorts the rows of its buckets.
    fn par_sort<'a, const N: usize>(
        &mut self,
        count: usize,
        parts: impl IndexedParallelIterator<Item = &'a [Pair]>,
        entries: fn(Pair) -> [Pair; N],
        sorted: &mut [Pair],
    ) {
        let (shift, bucket_count) = buckets(count);
        let mut scratch = mem::take(&mut self.scratch);
        let Scratch {
            places,
            entries: buffer,
        } = &mut scratch;
        let mut total = 0;
        for bucket in 0..bucket_count {
            for place in places.iter_mut().skip(bucket).step_by(bucket_count) {
                total += mem::replace(place, total);
            }
        }
        buffer.resize_with(buffer.len().max(total as usize), AtomicU64::default);
        let parts = parts.zip(places.par_chunks_mut(bucket_count));
        parts.for_each(|(pairs, places)| {
            for [row, other] in pairs.iter().flat_map(|&pair| entries(pair)) {
                let place = &mut places[(row >> shift) as usize];
                let entry = u64::from(row) << 32 | u64::from(other);
                buffer[*place as usize].store(entry, Ordering::Relaxed);
                *place += 1;
            }
        });
        // The places of the last part are now the ends of the buckets.
        let ends = &places[places.len().saturating_sub(bucket_count)..];
        self.offsets.resize(count + 1, 0);
        self.offsets[count] = total;
        self.indices.resize(total as usize, 0);
        let buckets = Buckets {
            first_row: 0,
            shift,
            start: 0,
            ends,
            offsets: &mut self.offsets[..count],
            indices: &mut self.indices,
            sorted,
        };
        buckets.sort(buffer);
        self.scratch = scratch;
    }
}

/// Returns the binary logarithm of the rows of a bucket, and the number of buckets.
fn buckets(count: usize) -> (u32, usize) {
    let shift = (count / MOST_BUCKETS).max(MIN_ROWS - 1).ilog2() + 1;
    (shift, count.div_ceil(1 << shift).max(1))
}

/// Consecutive buckets.
struct Buckets<'a> {
    first_row: usize,
    shift: u32,
    /// The start of the entries of the first bucket, and the end of those of each bucket.
    start: u32,
    ends: &'a [u32],
    /// The rows, of this part of all entries.
    offsets: &'a mut [u32],
    indices: &'a mut [u32],
    sorted: &'a mut [Pair],
}

impl Buckets<'_> {
    /// Sorts the rows, half of the buckets in each task.
    fn sort(self, buffer: &[AtomicU64]) {
        let (middle, start) = (self.ends.len() / 2, self.start);
        if middle == 0 {
            let entries = &buffer[start as usize..][..self.indices.len()];
            let entries = || {
                entries.iter().map(|entry| {
                    let entry = entry.load(Ordering::Relaxed);
                    [(entry >> 32) as u32, entry as u32]
                })
            };
            let rows = [&mut *self.offsets, self.indices];
            sort_rows(self.first_row as u32, &entries, rows, self.sorted);
            self.offsets.iter_mut().for_each(|offset| *offset += start);
            return;
        }
        let (ends, rows) = (self.ends.split_at(middle), middle << self.shift);
        let place = (ends.0[middle - 1] - start) as usize;
        let offsets = self.offsets.split_at_mut(rows);
        let indices = self.indices.split_at_mut(place);
        let sorted = self.sorted.split_at_mut(place.min(self.sorted.len()));
        let low = Buckets {
            ends: ends.0,
            offsets: offsets.0,
            indices: indices.0,
            sorted: sorted.0,
            ..self
        };
        let high = Buckets {
            first_row: self.first_row + rows,
            start: start + place as u32,
            ends: ends.1,
            offsets: offsets.1,
            indices: indices.1,
            sorted: sorted.1,
            ..self
        };
        rayon::join(|| low.sort(buffer), || high.sort(buffer));
    }
}

/// Sorts entries into consecutive rows from `first_row` on, and sets the offsets of the rows, starting at 0. A counting
/// sort by row is followed by a sort of each row.
///
/// `sorted` gets row and entry of each, unless it is empty.
fn sort_rows<I: Iterator<Item = Pair>>(
    first_row: u32,
    entries: &impl Fn() -> I,
    [offsets, indices]: [&mut [u32]; 2],
    sorted: &mut [Pair],
) {
    offsets.fill(0);
    entries().for_each(|[row, _]| offsets[(row - first_row) as usize] += 1);
    let start = |start, length: &mut u32| start + mem::replace(length, start);
    offsets.iter_mut().fold(0, start);
    for [row, other] in entries() {
        let place = &mut offsets[(row - first_row) as usize];
        indices[*place as usize] = other;
        *place += 1;
    }
    // Each offset is now the end of its row.
    let mut start = 0;
    for (row, offset) in (first_row..).zip(offsets) {
        let end = mem::replace(offset, start);
        let range = start as usize..end as usize;
        start = end;
        match &mut indices[range.clone()] {
            [] => continue,
            [_] => {}
            [a, b] => [*a, *b] = [(*a).min(*b), (*a).max(*b)],
            entries => entries.sort_unstable(),
        }
        if !sorted.is_empty() {
            let entries = &indices[range.clone()];
            for (pair, &other) in sorted[range].iter_mut().zip(entries) {
                *pair = [row, other];
            }
        }
    }
}
