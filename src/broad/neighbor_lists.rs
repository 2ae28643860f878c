//! Neighbor lists in compressed rows.

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
/// Cost: O(bodies + p) to fill for p pairs, by two counting sorts. Nothing is allocated once the buffers have grown.
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
    /// Buffers: for each column the place of its next entry, and all entries.
    columns: Vec<u32>,
    by_column: Vec<Pair>,
}

impl NeighborLists {
    /// Creates lists of no bodies.
    pub const fn new() -> Self {
        Self {
            offsets: Vec::new(),
            indices: Vec::new(),
            columns: Vec::new(),
            by_column: Vec::new(),
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
        self.fill(count, pairs, |[i, j]| [[i.min(j), i.max(j)]]);
        Ok(())
    }

    /// Stores each pair in the rows of both its bodies.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half), with two entries per pair.
    pub fn fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_count(pairs.len().saturating_mul(2))?;
        check_pairs(count, pairs)?;
        self.fill(count, pairs, |[i, j]| [[i, j], [j, i]]);
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

    /// Returns the offsets and the rows as vectors.
    pub fn into_parts(self) -> (Vec<u32>, Vec<u32>) {
        (self.offsets, self.indices)
    }

    /// Returns the row of a body, empty if the body does not exist.
    pub fn neighbors(&self, body: usize) -> &[u32] {
        let offset = |i: usize| self.offsets.get(i).map(|&offset| offset as usize);
        let row = offset(body).zip(offset(body.saturating_add(1)));
        row.and_then(|(start, end)| self.indices.get(start..end))
            .unwrap_or(&[])
    }

    /// Returns pairs with the lower index first, which passed [`check_pairs`], in ascending order.
    pub(super) fn sort_pairs(&mut self, count: usize, pairs: &[Pair], sorted: &mut Vec<Pair>) {
        sorted.resize(pairs.len(), [0; 2]);
        let entries = |pair| [pair];
        self.for_each_sorted(count, pairs, entries, |place, pair| sorted[place] = pair);
    }

    /// Sorts the entries of all pairs into rows.
    fn fill<const N: usize>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: impl Fn(Pair) -> [Pair; N],
    ) {
        let mut indices = mem::take(&mut self.indices);
        indices.resize(N * pairs.len(), 0);
        self.for_each_sorted(count, pairs, entries, |place, [_, other]| {
            indices[place] = other;
        });
        self.indices = indices;
    }

    /// Visits the entries of all pairs, each with its place in ascending order, and sets the offsets of the rows.
    ///
    /// Two counting sorts, by the entry in its row and then by the row: no branch depends on the pairs.
    fn for_each_sorted<const N: usize>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: impl Fn(Pair) -> [Pair; N],
        mut visit: impl FnMut(usize, Pair),
    ) {
        let (offsets, columns) = (&mut self.offsets, &mut self.columns);
        let by_column = &mut self.by_column;
        for ends in [&mut *offsets, &mut *columns] {
            ends.clear();
            ends.resize(count + 1, 0);
        }
        by_column.resize(N * pairs.len(), [0; 2]);
        for &pair in pairs {
            for [row, column] in entries(pair) {
                offsets[row as usize] += 1;
                columns[column as usize] += 1;
            }
        }
        for ends in [&mut *offsets, &mut *columns] {
            let start = |start, length: &mut u32| start + mem::replace(length, start);
            ends.iter_mut().fold(0, start);
        }
        for &pair in pairs {
            for entry in entries(pair) {
                let place = &mut columns[entry[1] as usize];
                by_column[*place as usize] = entry;
                *place += 1;
            }
        }
        for &entry in &*by_column {
            let place = &mut offsets[entry[0] as usize];
            visit(*place as usize, entry);
            *place += 1;
        }
        // Each offset is now the end of its row, the start of the next one.
        offsets.copy_within(0..count, 1);
        offsets[0] = 0;
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
