//! The neighbors of each body.

#[cfg(feature = "rayon")]
mod parallel;

use std::mem;

use super::Pair;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::check_count;

/// The neighbors of each body as compressed sparse rows (CSR), built from a list of pairs.
///
/// The neighbors of body i are `indices[offsets[i]..offsets[i + 1]]`, in ascending order. A half list stores
/// each pair once, in the row of the lower index. A full list stores it in the rows of both bodies.
///
/// Cost: O(bodies + pairs) to fill, and O(k log k) for a row of k neighbors. Nothing is allocated once the buffers
/// have grown.
///
/// ```
/// use osculate::NeighborLists;
///
/// let mut lists = NeighborLists::new();
/// lists.fill_full(4, &[[1, 2], [0, 2]])?;
/// assert_eq!(lists.offsets(), [0, 1, 2, 4, 4]);
/// assert_eq!(lists.indices(), [2, 2, 0, 1]);
/// lists.fill_half(4, &[[1, 2], [0, 2]])?;
/// assert_eq!(lists.neighbors(0), [2]);
/// assert_eq!(lists.neighbors(2), []);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NeighborLists {
    offsets: Vec<u32>,
    indices: Vec<u32>,
    #[cfg(feature = "rayon")]
    scratch: parallel::Scratch,
}

impl NeighborLists {
    /// Creates lists of no bodies.
    pub const fn new() -> Self {
        Self {
            offsets: Vec::new(),
            indices: Vec::new(),
            #[cfg(feature = "rayon")]
            scratch: parallel::Scratch::new(),
        }
    }

    /// Stores each pair in the row of its lower index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`] if there are more bodies or pairs than
    /// [`MAX_COUNT`](crate::math::MAX_COUNT), and [`ErrorKind::Index`] for the first pair with a body not below
    /// `count`. The lists keep their previous contents.
    pub fn fill_half(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_pairs(count, pairs)?;
        self.fill(count, pairs, half_entries, &mut []);
        Ok(())
    }

    /// Stores each pair in the rows of both its bodies.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half), with two entries per pair.
    pub fn fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_count(pairs.len().saturating_mul(2))?;
        check_pairs(count, pairs)?;
        self.fill(count, pairs, full_entries, &mut []);
        Ok(())
    }

    /// Returns the start of each row, and the end of the last one.
    ///
    /// There is one entry more than bodies, or none before the lists are first filled.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the rows, one after another.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the row of a body, empty if the body does not exist.
    pub fn neighbors(&self, body: usize) -> &[u32] {
        let offset = |i: usize| self.offsets.get(i).map(|&offset| offset as usize);
        let row = offset(body).zip(offset(body.saturating_add(1)));
        row.and_then(|(start, end)| self.indices.get(start..end))
            .unwrap_or(&[])
    }

    /// Fills half lists from pairs that passed [`check_pairs`], and replaces `sorted` by the pairs in ascending order.
    pub(super) fn sort_pairs(&mut self, count: usize, pairs: &[Pair], sorted: &mut Vec<Pair>) {
        sorted.resize(pairs.len(), [0; 2]);
        self.fill(count, pairs, half_entries, sorted);
    }

    /// Sorts the entries of all pairs into rows.
    ///
    /// `sorted` gets row and entry of each, unless it is empty.
    fn fill<const N: usize>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: impl Fn(Pair) -> [Pair; N],
        sorted: &mut [Pair],
    ) {
        self.resize(count, N * pairs.len());
        let all = || pairs.iter().flat_map(|&pair| entries(pair));
        sort_rows(
            0,
            &all,
            [&mut self.offsets[..count], &mut self.indices],
            sorted,
        );
    }

    /// Makes room for this number of rows and entries, and sets the end of the last row.
    fn resize(&mut self, count: usize, total: usize) {
        self.offsets.resize(count + 1, 0);
        self.offsets[count] = total as u32;
        self.indices.resize(total, 0);
    }
}

/// Returns the row and the entry of a pair in a half list.
fn half_entries([i, j]: Pair) -> [Pair; 1] {
    [[i.min(j), i.max(j)]]
}

/// Returns the rows and the entries of a pair in a full list.
fn full_entries([i, j]: Pair) -> [Pair; 2] {
    [[i, j], [j, i]]
}

/// Sorts entries into consecutive rows from `first_row` on, and sets their offsets, 0 for the first: a counting sort by
/// row, then a sort of each row.
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

/// Checks the number of pairs, and that their bodies are below `count`.
pub(super) fn check_pairs(count: usize, pairs: &[Pair]) -> Result<()> {
    check_count(count)?;
    check_count(pairs.len())?;
    let mut bodies = pairs.iter().flatten().map(|&index| index as usize);
    match bodies.find(|&index| index >= count) {
        None => Ok(()),
        Some(index) => Err(Error(Cause::NoSuchBody { index, count })),
    }
}
