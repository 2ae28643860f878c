//! The neighbors of each body.

#[cfg(feature = "rayon")]
mod parallel;

#[cfg(feature = "rayon")]
pub(super) use self::parallel::par_check_pairs;
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

    /// Sorts the entries of all pairs into rows: a counting sort by row, then a sort of each row.
    ///
    /// `sorted` gets row and entry of each, unless it is empty.
    fn fill<E: IntoIterator<Item = Pair>>(
        &mut self,
        count: usize,
        pairs: &[Pair],
        entries: impl Fn(Pair) -> E,
        sorted: &mut [Pair],
    ) {
        self.offsets.clear();
        self.offsets.resize(count + 1, 0);
        let all = || pairs.iter().flat_map(|&pair| entries(pair));
        all().for_each(|[row, _]| self.offsets[row as usize] += 1);
        let total = starts(&mut self.offsets);
        self.indices.resize(total as usize, 0);
        for [row, other] in all() {
            let place = &mut self.offsets[row as usize];
            self.indices[*place as usize] = other;
            *place += 1;
        }
        sort_rows(0, 0, &self.offsets[..count], &mut self.indices, sorted);
        // Each offset is now the end of its row, the start of the next one.
        self.offsets.copy_within(0..count, 1);
        self.offsets[0] = 0;
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

/// Replaces the lengths of consecutive rows by their starts; returns the end of the last.
fn starts(lengths: &mut [u32]) -> u32 {
    let start = |start, length: &mut u32| start + std::mem::replace(length, start);
    lengths.iter_mut().fold(0, start)
}

/// Sorts consecutive rows from `first_row` on, which begin at `start` and have these ends.
///
/// `sorted` gets row and entry of each, unless it is empty.
fn sort_rows(first_row: usize, start: u32, ends: &[u32], indices: &mut [u32], sorted: &mut [Pair]) {
    let mut from = 0;
    for (row, end) in (first_row as u32..).zip(ends) {
        let range = from..(end - start) as usize;
        from = range.end;
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
