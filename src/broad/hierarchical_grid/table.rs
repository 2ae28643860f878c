//! The table of a grid: the bodies sorted by level, cell and index.

use std::ops::Range;

use super::level::{Level, count_cells};
use crate::broad::cells::Cell;
use crate::broad::resize;
use crate::broad::simd::GROUP;
use crate::math::Vector;

/// Bodies in the order of levels, cells (row by row along x) and indices. The position of a body is its slot.
///
/// With trees each level has one cell, the bodies are ordered by level and leaf, and only `ids` is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The first slot of each cell, and the end of the last one.
    pub(super) starts: Vec<u32>,
    /// The cells of the bodies: by index while they are sorted, then by slot, as packing sets them.
    pub(super) cells: Vec<u32>,
    /// The body of each slot, and [`GROUP`] unused ones, as in [`PackedSpheres`](crate::broad::packed::PackedSpheres).
    pub(super) ids: Vec<u32>,
    /// The sum over cells of the squared number of bodies.
    pub(super) squares: u64,
}

impl Table {
    /// Makes room for `count` bodies; returns whether the tables of the levels are within the limit.
    pub(super) fn resize<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        count: usize,
        limit: usize,
    ) -> bool {
        resize(&mut self.ids, count + GROUP);
        resize(&mut self.cells, count);
        let Some(cell_count) = count_cells(levels, limit) else {
            return false;
        };
        resize(&mut self.starts, cell_count + 1);
        levels
            .iter_mut()
            .fold(0, |first_cell, level| level.set_first_cell(first_cell));
        true
    }

    /// Sorts the bodies by their cells, which `cells` holds by index: a counting sort.
    ///
    /// At first `starts` holds the end of each cell. Bodies are filled in from the last on, and each moves the start of
    /// its cell down.
    pub(super) fn sort<V: Vector>(&mut self, levels: &mut [Level<V>]) {
        self.starts.fill(0);
        for &cell in &self.cells {
            self.starts[cell as usize] += 1;
        }
        self.squares = accumulate(&mut self.starts, 0);
        for (id, &cell) in self.cells.iter().enumerate().rev() {
            let start = &mut self.starts[cell as usize];
            *start -= 1;
            self.ids[*start as usize] = id as u32;
        }
        self.set_slots(levels);
    }

    /// Returns the mean number of bodies in the cell of a body.
    pub(super) fn crowding(&self) -> f64 {
        self.squares as f64 / self.cells.len().max(1) as f64
    }

    /// Sets the slots of each level.
    pub(super) fn set_slots<V: Vector>(&self, levels: &mut [Level<V>]) {
        for level in levels {
            let [start, end] =
                [level.first_cell, level.end_cell()].map(|cell| self.starts[cell] as usize);
            level.slots = start..end;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.cells.capacity() + self.ids.capacity())
    }

    /// Returns how many bodies to search next, and the starts and ends of the runs of slots of their later neighbors on
    /// the same level. It is one body, or two in the same row of cells. `row_end` is the end of the current row, at first 0.
    ///
    /// With cells numbered row by row along x, a body in cell c has its later neighbors in the cells after c in the
    /// neighborhood. These are the rest of c and c + 1, and three cells on each of the later rows. At offset o they are
    /// c + o - 1 to c + o + 1. The offsets are `row` in 2D; `row`, `plane - row`, `plane` and `plane + row` in 3D.
    /// Three cells adjacent along x are one run of slots. Two bodies in cells c <= d of one row share the runs c + o -
    /// 1 to d + o + 1, at the cost of some failing tests. Each pair is found once, by the body with the lower slot. The
    /// border of empty cells keeps runs from wrapping into the next row.
    #[inline(always)]
    pub(super) fn next<V: Vector>(
        &self,
        level: &Level<V>,
        slots: Range<usize>,
        row_end: &mut usize,
    ) -> (usize, [u32; 5], [u32; 5]) {
        let slot = slots.start;
        let first = self.cells[slot] as usize;
        if first >= *row_end {
            *row_end = first + level.row - (first - level.first_cell) % level.row;
        }
        let (mut count, mut last) = (1, first);
        if slot + 1 < slots.end {
            let next = self.cells[slot + 1] as usize;
            if next < *row_end {
                (count, last) = (2, next);
            }
        }
        let (mut starts, mut ends) = ([0; 5], [0; 5]);
        (starts[0], ends[0]) = (slot as u32 + 1, self.starts[last + 2]);
        let mut set = |run: usize, offset: usize| {
            starts[run] = self.starts[first + offset - 1];
            ends[run] = self.starts[last + offset + 2];
        };
        set(1, level.row);
        if V::DIM == 3 {
            set(2, level.plane - level.row);
            set(3, level.plane);
            set(4, level.plane + level.row);
        }
        (count, starts, ends)
    }

    /// Visits the runs of slots in a box of cells of a level, one per row.
    #[inline(always)]
    pub(super) fn for_each_run<V: Vector>(
        &self,
        level: &Level<V>,
        [from, to]: [Cell; 2],
        mut visit: impl FnMut([u32; 2]),
    ) {
        let count = (to[0] - from[0]) as usize + 1;
        for z in from[2]..to[2] + 1 {
            for y in from[1]..to[1] + 1 {
                let cell = level.index([from[0], y, z]);
                visit([cell, cell + count].map(|cell| self.starts[cell]));
            }
        }
    }
}

/// Replaces numbers by their partial sums, plus `first`, and returns the sum of their squares.
pub(super) fn accumulate(numbers: &mut [u32], first: u32) -> u64 {
    let (mut sum, mut squares) = (first, 0);
    for number in numbers {
        squares += u64::from(*number) * u64::from(*number);
        sum += *number;
        *number = sum;
    }
    squares
}
