//! Linked lists of the bodies in each cell, for single updates in O(1).

use crate::broad::cells::{UnboundedCell, UnboundedCells};
use crate::broad::resize;
use crate::math::Vector;
use crate::shape::Sphere;

/// Marks the end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// The length at which a list stops counting. A list of this length is crowded for any number of bodies.
const UNCOUNTED: u16 = u16::MAX;

/// Doubly linked lists of bodies, one for each hash of a cell.
///
/// Cells with the same hash share a list. A search compares the cell of each body, so a collision costs only
/// time.
///
/// Let l_k be the length of list k. On average over the bodies, the length of a body's list is `sum of l_k^2 / number
/// of bodies`. The sum is updated incrementally: a body that joins l others adds (l + 1)^2 - l^2 = 2 l + 1.
#[derive(Clone, Debug, Default)]
pub(super) struct CellLists {
    /// Whether searches use the lists instead of the table or the trees.
    pub(super) are_used: bool,
    /// The cells of each level, and the number of its bodies.
    pub(super) levels: Vec<(UnboundedCells, u32)>,
    /// The first body of each list; their number is a power of two.
    pub(super) heads: Vec<u32>,
    /// The length of each list, up to [`UNCOUNTED`], which is final.
    pub(super) lengths: Vec<u16>,
    /// The previous and the next body of each body on its list.
    previous: Vec<u32>,
    pub(super) next: Vec<u32>,
    /// The sum of the squared lengths.
    pub(super) squares: u64,
    /// The largest sum before the levels are chosen again.
    pub(super) max_squares: u64,
}

impl CellLists {
    /// Starts empty lists for `count` bodies on levels with cells of these widths.
    pub(super) fn reset(&mut self, count: usize, widths: impl Iterator<Item = f64>) {
        let list_count = (2 * count).next_power_of_two().max(64);
        self.are_used = true;
        self.squares = 0;
        self.levels.clear();
        widths.for_each(|width| self.add_level(width));
        self.heads.clear();
        self.heads.resize(list_count, NONE);
        self.lengths.clear();
        self.lengths.resize(list_count, 0);
        resize(&mut self.previous, count);
        resize(&mut self.next, count);
    }

    /// Adds a level with cells of a width.
    pub(super) fn add_level(&mut self, width: f64) {
        self.levels.push((UnboundedCells::new(width), 0));
    }

    /// Makes room for one more body.
    pub(super) fn push(&mut self) {
        self.previous.push(NONE);
        self.next.push(NONE);
    }

    /// Drops the last body, which is not linked.
    pub(super) fn pop(&mut self) {
        self.previous.pop();
        self.next.pop();
    }

    /// Links a body into the list of its cell.
    pub(super) fn link<V: Vector>(&mut self, body: u32, level: usize, sphere: &Sphere<V>) {
        let list = self.list_of(level, sphere);
        self.levels[level].1 += 1;
        let after = std::mem::replace(&mut self.heads[list], body);
        let length = &mut self.lengths[list];
        if *length < UNCOUNTED {
            self.squares += 2 * u64::from(*length) + 1;
            *length += 1;
        }
        if after != NONE {
            self.previous[after as usize] = body;
        }
        (self.previous[body as usize], self.next[body as usize]) = (NONE, after);
    }

    /// Unlinks a body from the list of its cell.
    pub(super) fn unlink<V: Vector>(&mut self, body: u32, level: usize, sphere: &Sphere<V>) {
        let list = self.list_of(level, sphere);
        self.levels[level].1 -= 1;
        let (before, after) = (self.previous[body as usize], self.next[body as usize]);
        let length = &mut self.lengths[list];
        if *length < UNCOUNTED {
            *length -= 1;
            self.squares -= 2 * u64::from(*length) + 1;
        }
        match before {
            NONE => self.heads[list] = after,
            before => self.next[before as usize] = after,
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    /// Returns whether the list of a body is longer than `length` on average.
    pub(super) fn are_longer_than(&self, length: f64) -> bool {
        self.squares as f64 > length * self.next.len() as f64
    }

    fn list_of<V: Vector>(&self, level: usize, sphere: &Sphere<V>) -> usize {
        let [x, y, z]: UnboundedCell = self.levels[level].0.cell(sphere.center);
        self.list(Self::row_hash(level, y, z), x)
    }

    /// Hashes a row of cells.
    #[inline]
    pub(super) fn row_hash(level: usize, y: i64, z: i64) -> u64 {
        mix(mix(level as u64, z), y)
    }

    /// Returns the list of a cell of a row.
    #[inline]
    pub(super) fn list(&self, row_hash: u64, x: i64) -> usize {
        (mix(row_hash, x) >> 7) as usize & (self.heads.len() - 1)
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.heads.capacity()
            + 2 * self.lengths.capacity()
            + 4 * (self.previous.capacity() + self.next.capacity())
            + size_of::<(UnboundedCells, u32)>() * self.levels.capacity()
    }
}

/// Mixes a coordinate of a cell into a hash.
#[inline]
fn mix(hash: u64, x: i64) -> u64 {
    // 2^64 divided by the golden ratio.
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash ^ x as u64).wrapping_mul(MULTIPLIER).rotate_left(29)
}
