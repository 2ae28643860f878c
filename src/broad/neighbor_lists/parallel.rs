//! The parallel forms of the neighbor lists.

use rayon::prelude::*;

use super::{NeighborLists, Pair, check_pairs, full_entries, half_entries};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::check_count;

impl NeighborLists {
    /// Does the same as [`fill_half`](Self::fill_half) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half).
    pub fn par_fill_half(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_pairs(count, pairs)?;
        self.par_fill(count, pairs, half_entries);
        Ok(())
    }

    /// Does the same as [`fill_full`](Self::fill_full) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half), with two entries per pair.
    pub fn par_fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_count(pairs.len().saturating_mul(2))?;
        check_pairs(count, pairs)?;
        self.par_fill(count, pairs, full_entries);
        Ok(())
    }

    fn par_fill<const N: usize>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: fn(Pair) -> [Pair; N],
    ) {
        let sorted = &mut self.by_column;
        sorted.clear();
        sorted.extend(pairs.iter().flat_map(|&pair| entries(pair)));
        par_sort(sorted);
        self.offsets.clear();
        self.offsets.resize(count + 1, 0);
        for [row, _] in &*sorted {
            self.offsets[*row as usize + 1] += 1;
        }
        for row in 0..count {
            self.offsets[row + 1] += self.offsets[row];
        }
        self.indices.clear();
        self.indices.extend(sorted.iter().map(|&[_, other]| other));
    }
}

/// Sorts pairs in ascending order. One number is compared in less time than two.
pub(in crate::broad) fn par_sort(pairs: &mut [Pair]) {
    pairs.par_sort_unstable_by_key(|&[i, j]| u64::from(i) << 32 | u64::from(j));
}
