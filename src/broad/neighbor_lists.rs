use super::Pair;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::check_count;

/// The neighbours of each body as rows (compressed sparse rows), from a list of pairs.
///
/// The neighbours of body i are `indices[offsets[i]..offsets[i + 1]]`, ascending. A half list has
/// each pair once, in the row of the lower index; a full list has it in both rows. Filling takes
/// O(bodies + pairs), and nothing is allocated once the buffers have grown.
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
    pairs: Vec<Pair>,
    sorted: Vec<Pair>,
}

impl NeighborLists {
    /// Lists of no bodies.
    pub const fn new() -> Self {
        Self {
            offsets: Vec::new(),
            indices: Vec::new(),
            pairs: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Each pair in the row of its lower index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`] if ids cannot name all bodies or entries, and
    /// [`ErrorKind::Index`] for the first pair with a body not below `count`. The lists keep their
    /// previous contents.
    pub fn fill_half(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_pairs(count, pairs)?;
        self.pairs.clear();
        self.pairs
            .extend(pairs.iter().map(|&[i, j]| [i.min(j), i.max(j)]));
        self.fill(count)
    }

    /// Each pair in the rows of both its bodies.
    ///
    /// # Errors
    /// As for [`fill_half`](Self::fill_half).
    pub fn fill_full(&mut self, count: usize, pairs: &[Pair]) -> Result<()> {
        check_count(pairs.len().saturating_mul(2))?;
        check_pairs(count, pairs)?;
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.pairs.extend(pairs.iter().map(|&[i, j]| [j, i]));
        self.fill(count)
    }

    /// Where each row starts, and after that where the last one ends: one more than bodies, or
    /// none before the first filling.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The rows, one after another.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The row of a body; empty if there is no such body.
    pub fn neighbors(&self, body: u32) -> &[u32] {
        let offset = |i: usize| self.offsets.get(i).map(|&offset| offset as usize);
        let body = body as usize;
        let row = offset(body).zip(offset(body.saturating_add(1)));
        row.and_then(|(start, end)| self.indices.get(start..end))
            .unwrap_or(&[])
    }

    fn fill(&mut self, count: usize) -> Result<()> {
        sort_pairs(count, &mut self.pairs, &mut self.sorted, &mut self.offsets);
        self.indices.clear();
        self.indices.extend(self.pairs.iter().map(|pair| pair[1]));
        Ok(())
    }
}

/// Refuses pairs that are too many or name bodies that are not there.
pub(super) fn check_pairs(count: usize, pairs: &[Pair]) -> Result<()> {
    check_count(count)?;
    check_count(pairs.len())?;
    let is_there = |&&index: &&u32| index as usize >= count;
    match pairs.iter().flatten().find(is_there) {
        None => Ok(()),
        Some(&index) => Err(Cause::NoSuchBody {
            index: index as usize,
            count,
        }
        .into()),
    }
}

/// Sorts pairs of bodies below `count` by their first and then their second body, by two counting
/// sorts, O(bodies + pairs); the pairs of first body i are then `offsets[i]..offsets[i + 1]`.
pub(super) fn sort_pairs(
    count: usize,
    pairs: &mut Vec<Pair>,
    scratch: &mut Vec<Pair>,
    offsets: &mut Vec<u32>,
) {
    counting_sort(count, pairs, |pair| pair[1], scratch, offsets);
    counting_sort(count, scratch, |pair| pair[0], pairs, offsets);
}

fn counting_sort(
    count: usize,
    from: &[Pair],
    key: impl Fn(&Pair) -> u32,
    to: &mut Vec<Pair>,
    offsets: &mut Vec<u32>,
) {
    offsets.clear();
    offsets.resize(count + 1, 0);
    for pair in from {
        offsets[key(pair) as usize] += 1;
    }
    let mut start = 0;
    for offset in offsets.iter_mut() {
        start += std::mem::replace(offset, start);
    }
    to.clear();
    to.resize(from.len(), [0; 2]);
    for pair in from {
        let place = &mut offsets[key(pair) as usize];
        to[*place as usize] = *pair;
        *place += 1;
    }
    // Each row has moved its offset on to where the next one starts.
    offsets.copy_within(0..count, 1);
    offsets[0] = 0;
}
