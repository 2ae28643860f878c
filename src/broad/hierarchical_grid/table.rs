//! Which bodies each cell of each level holds.

use std::ops::Range;

use crate::broad::cells::{Cell, Cells};
use crate::broad::resize;
use crate::math::Vector;

/// Rows (dy, dz) of which each is a neighbour of a row at most once from either side; the first
/// is all of them in 2D.
const ROWS_AFTER: [[i32; 2]; 4] = [[1, 0], [-1, 1], [0, 1], [1, 1]];

/// One level: bodies up to some size, in cells that suit them.
#[derive(Clone, Debug)]
pub(super) struct Level<V> {
    /// Twice the largest radius it takes.
    pub(super) size: f64,
    pub(super) cells: Cells<V>,
    /// The largest radius it has.
    pub(super) largest: f64,
    /// Where its bodies are in the order of cells.
    pub(super) slots: Range<usize>,
    /// Dense: where its cells start.
    first_cell: usize,
    /// Dense: how many cells on the next row and the next plane are.
    row: usize,
    plane: usize,
}

impl<V: Vector> Level<V> {
    pub(super) fn new(size: f64, cells: Cells<V>) -> Self {
        Self {
            size,
            cells,
            largest: 0.0,
            slots: 0..0,
            first_cell: 0,
            row: 0,
            plane: 0,
        }
    }

    /// How many cells a table has, with one more on each side where a search may look.
    fn dense_cells(&self) -> Option<usize> {
        let [x, y, z] = self.cells.counts().map(|count| count as usize);
        let planes = if V::DIM == 3 { z + 1 } else { 1 };
        (x + 2).checked_mul(y + 2)?.checked_mul(planes)
    }

    #[inline]
    fn dense_index(&self, [x, y, z]: Cell) -> usize {
        let (x, y, z) = (x as usize + 1, y as usize + 1, z as usize);
        self.first_cell + z * self.plane + y * self.row + x
    }

    #[inline]
    pub(super) fn dense_cell(&self, position: V) -> u32 {
        self.dense_index(self.cells.cell(position)) as u32
    }
}

/// How many cells tables of these levels may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(usize);

impl Limit {
    /// Two a body, so that a body takes 64 bytes, or four where the caller has chosen the sizes;
    /// and some more.
    pub(super) fn new(bodies: usize, is_given: bool) -> Self {
        const SOME: usize = 1024;
        Self((if is_given { 4 } else { 2 }) * bodies + SOME)
    }

    /// How many there are; `None` if they are more.
    pub(super) fn count<V: Vector>(self, levels: &[Level<V>]) -> Option<usize> {
        let mut counts = levels.iter().map(Level::dense_cells);
        let count = counts.try_fold(0_usize, |sum, cells| sum.checked_add(cells?))?;
        // Cells and where they start are counted in 32 bits.
        (count <= self.0 && count < u32::MAX as usize).then_some(count)
    }
}

/// Bodies in the order of levels, cells (row by row along x) and indices: the place of a body in
/// this order is its slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) is_dense: bool,
    /// Dense: where the bodies of each cell start, and the end.
    pub(super) starts: Vec<u32>,
    /// Dense: the cell of each slot.
    pub(super) cell_of: Vec<u32>,
    /// Dense: the body of each slot.
    pub(super) ids: Vec<u32>,
    /// Dense: the squares of the numbers of bodies in the cells, added up.
    pub(super) squares: u64,
    /// Sparse: the z, y and x of its cell and the body of each slot.
    pub(super) keys: Vec<u128>,
}

/// Where a search of neighbours has arrived: they follow each other as the bodies do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// Dense: the end of the row of cells.
    row_end: usize,
    /// Sparse: the cell, and the ends of the runs after it.
    cell: Option<Cell>,
    ends: [usize; 9],
}

impl Table {
    /// Makes room for bodies in levels; gives whether the cells are dense.
    pub(super) fn start<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        count: usize,
        limit: Limit,
    ) -> bool {
        let cell_count = limit.count(levels);
        self.is_dense = cell_count.is_some();
        let (dense, sparse) = if self.is_dense {
            (count, 0)
        } else {
            (0, count)
        };
        resize(&mut self.starts, cell_count.map_or(0, |count| count + 1));
        resize(&mut self.cell_of, dense);
        resize(&mut self.ids, dense);
        resize(&mut self.keys, sparse);
        let mut first_cell = 0;
        for level in levels.iter_mut().filter(|_| cell_count.is_some()) {
            let [x, y, _] = level.cells.counts().map(|count| count as usize);
            (level.first_cell, level.row, level.plane) = (first_cell, x + 2, (x + 2) * (y + 2));
            first_cell += level.dense_cells().unwrap_or(0);
        }
        self.is_dense
    }

    /// A counting sort into the cells of levels; `body` gives the level and the position of each,
    /// and is asked once. The start of each cell is first that of the next one, and moves to its
    /// place as the bodies are filled in from the last on.
    pub(super) fn sort_dense<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        mut body: impl FnMut(usize) -> (usize, V),
    ) {
        self.starts.fill(0);
        // Of one level the compiler then keeps the numbers at hand.
        let only = if let [level] = &*levels {
            Some(level.clone())
        } else {
            None
        };
        for (id, cell) in self.cell_of.iter_mut().enumerate() {
            let (level, position) = body(id);
            let level = only.as_ref().unwrap_or_else(|| &levels[level]);
            *cell = level.dense_cell(position);
            self.starts[*cell as usize] += 1;
        }
        self.squares = accumulate(&mut self.starts, 0);
        for (id, &cell) in self.cell_of.iter().enumerate().rev() {
            let start = &mut self.starts[cell as usize];
            *start -= 1;
            self.ids[*start as usize] = id as u32;
        }
        self.set_slots(levels);
    }

    /// How many bodies the cell of a body holds on average.
    pub(super) fn crowding(&self) -> f64 {
        if self.is_dense {
            return self.squares as f64 / self.ids.len().max(1) as f64;
        }
        let cells = self.keys.chunk_by(|a, b| a >> 32 == b >> 32);
        let squares = cells
            .map(|cell| (cell.len() * cell.len()) as u64)
            .sum::<u64>();
        squares as f64 / self.keys.len().max(1) as f64
    }

    /// Where the bodies of each level are in dense tables.
    pub(super) fn set_slots<V: Vector>(&self, levels: &mut [Level<V>]) {
        for level in levels {
            let end = level.first_cell + level.dense_cells().unwrap_or(0);
            let [start, end] = [level.first_cell, end].map(|cell| self.starts[cell] as usize);
            level.slots = start..end;
        }
    }

    /// The same without tables. `body` is asked twice, and must give the same.
    pub(super) fn sort_sparse<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        body: impl Fn(usize) -> (usize, V),
    ) {
        for id in 0..self.keys.len() {
            levels[body(id).0].slots.end += 1;
        }
        let mut start = 0;
        for level in &mut *levels {
            let end = start + level.slots.len();
            level.slots = start..start;
            start = end;
        }
        for id in 0..self.keys.len() {
            let (level, position) = body(id);
            let level = &mut levels[level];
            self.keys[level.slots.end] = key(level.cells.cell(position)) | id as u128;
            level.slots.end += 1;
        }
        for level in levels {
            self.keys[level.slots.clone()].sort_unstable();
        }
    }

    /// What a search needs of it.
    #[inline(always)]
    pub(super) fn slots(&self) -> Slots<'_> {
        Slots {
            is_dense: self.is_dense,
            starts: &self.starts,
            cell_of: &self.cell_of,
            ids: &self.ids,
            keys: &self.keys,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.cell_of.capacity() + self.ids.capacity())
            + 16 * self.keys.capacity()
    }

    pub(super) fn is_dense(&self) -> bool {
        self.is_dense
    }
}

/// A table as a search sees it: a copy that the compiler can keep at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots<'a> {
    is_dense: bool,
    starts: &'a [u32],
    cell_of: &'a [u32],
    ids: &'a [u32],
    keys: &'a [u128],
}

impl<'a> Slots<'a> {
    /// The body of a slot.
    #[inline]
    pub(super) fn id(&self, slot: usize) -> u32 {
        if self.is_dense {
            self.ids[slot]
        } else {
            self.keys[slot] as u32
        }
    }

    /// From a slot on, up to two whose bodies are on one row of cells, and the runs of slots of
    /// their neighbours on the same level that come after them: on their own row, then on the
    /// rows after it, of which there is 1 in 2D.
    #[inline(always)]
    pub(super) fn next<V: Vector>(
        &self,
        level: &Level<V>,
        slots: Range<usize>,
        cursor: &mut Cursor,
    ) -> (usize, [[u32; 2]; 5]) {
        let slot = slots.start;
        if !self.is_dense {
            return (1, self.sparse_runs_after(level, slot, cursor));
        }
        let first = self.cell_of[slot] as usize;
        if first >= cursor.row_end {
            cursor.row_end = first + level.row - (first - level.first_cell) % level.row;
        }
        let (mut count, mut last) = (1, first);
        if slot + 1 < slots.end {
            let next = self.cell_of[slot + 1] as usize;
            if next < cursor.row_end {
                (count, last) = (2, next);
            }
        }
        let mut runs = [
            [slot as u32 + 1, self.starts[last + 2]],
            [0; 2],
            [0; 2],
            [0; 2],
            [0; 2],
        ];
        let run = |offset: usize| {
            [
                self.starts[first + offset - 1],
                self.starts[last + offset + 2],
            ]
        };
        runs[1] = run(level.row);
        if V::DIM == 3 {
            runs[2] = run(level.plane - level.row);
            runs[3] = run(level.plane);
            runs[4] = run(level.plane + level.row);
        }
        (count, runs)
    }

    #[inline(never)]
    fn sparse_runs_after<V: Vector>(
        &self,
        level: &Level<V>,
        slot: usize,
        cursor: &mut Cursor,
    ) -> [[u32; 2]; 5] {
        let cell @ [x, y, z] = cell_of(self.keys[slot]);
        let ends = &mut cursor.ends;
        if cursor.cell != Some(cell) {
            if cursor.cell.is_none() {
                *ends = [level.slots.start; 9];
            }
            cursor.cell = Some(cell);
            let advance = |end: &mut usize, limit: Cell| {
                *end = self.gallop(*end, level.slots.end, limit);
            };
            advance(&mut ends[0], [x.saturating_add(2), y, z]);
            for (i, [dy, dz]) in ROWS_AFTER.into_iter().enumerate() {
                let row = [z.checked_add_signed(dz), y.checked_add_signed(dy)];
                if let [Some(z), Some(y)] = row {
                    advance(&mut ends[2 * i + 1], [x.saturating_sub(1), y, z]);
                    advance(&mut ends[2 * i + 2], [x.saturating_add(2), y, z]);
                } else {
                    // There is no such row: its run is empty.
                    ends[2 * i + 2] = ends[2 * i + 1];
                }
            }
        }
        let run = |i: usize| [ends[2 * i - 1] as u32, ends[2 * i] as u32];
        [
            [slot as u32 + 1, ends[0] as u32],
            run(1),
            run(2),
            run(3),
            run(4),
        ]
    }

    /// The first slot from `from` on whose cell is not below a limit; near `from` as a rule.
    fn gallop(&self, from: usize, end: usize, limit: Cell) -> usize {
        let limit = key(limit);
        let (mut low, mut step) = (from, 1);
        while low + step < end && self.keys[low + step] < limit {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(end);
        low + self.keys[low..high].partition_point(|&key| key < limit)
    }

    /// The runs of slots of the bodies in a box of cells of a level.
    #[inline(always)]
    pub(super) fn runs_in<V: Vector>(
        self,
        level: &'a Level<V>,
        [from, to]: [Cell; 2],
    ) -> Runs<'a, V> {
        let next = if self.is_dense {
            level.dense_index(from)
        } else {
            self.find(&level.slots, from)
        };
        Runs {
            slots: self,
            level,
            from,
            to,
            y: from[1],
            z: from[2],
            next,
        }
    }

    /// The first of some slots whose cell is not below a limit.
    fn find(&self, slots: &Range<usize>, limit: Cell) -> usize {
        let limit = key(limit);
        slots.start + self.keys[slots.clone()].partition_point(|&key| key < limit)
    }
}

/// The runs of slots in a box of cells.
pub(super) struct Runs<'a, V> {
    slots: Slots<'a>,
    level: &'a Level<V>,
    from: Cell,
    to: Cell,
    /// Dense: the row that comes next.
    y: u32,
    z: u32,
    /// Dense: its first cell; sparse: the slot that comes next.
    next: usize,
}

impl<V: Vector> Iterator for Runs<'_, V> {
    type Item = [u32; 2];

    #[inline(always)]
    fn next(&mut self) -> Option<[u32; 2]> {
        if !self.slots.is_dense {
            return self.next_sparse();
        }
        if self.z > self.to[2] {
            return None;
        }
        let end = self.next + (self.to[0] - self.from[0]) as usize + 1;
        let run = [self.next, end].map(|cell| self.slots.starts[cell]);
        self.next += self.level.row;
        self.y += 1;
        if self.y > self.to[1] {
            (self.y, self.z) = (self.from[1], self.z + 1);
            self.next = self.level.dense_index([self.from[0], self.y, self.z]);
        }
        Some(run)
    }
}

impl<V: Vector> Runs<'_, V> {
    /// Goes from one occupied row to the next, since most are not.
    #[inline(never)]
    fn next_sparse(&mut self) -> Option<[u32; 2]> {
        let (from, to) = (self.from, self.to);
        let end = self.level.slots.end;
        while self.next < end {
            let [x, y, z] = cell_of(self.slots.keys[self.next]);
            let find = |limit| self.slots.gallop(self.next, end, limit);
            self.next = if z > to[2] {
                return None;
            } else if y > to[1] {
                find([from[0], from[1], z + 1])
            } else if y < from[1] {
                find([from[0], from[1], z])
            } else if x < from[0] {
                find([from[0], y, z])
            } else if x > to[0] {
                find([from[0], y + 1, z])
            } else {
                let start = self.next;
                self.next = find([to[0].saturating_add(1), y, z]);
                return Some([start as u32, self.next as u32]);
            };
        }
        None
    }
}

/// From numbers to the sums of all up to each, and a first one; gives the sum of their squares.
pub(super) fn accumulate(numbers: &mut [u32], first: u32) -> u64 {
    let (mut sum, mut squares) = (first, 0);
    for number in numbers {
        squares += u64::from(*number) * u64::from(*number);
        sum += *number;
        *number = sum;
    }
    squares
}

/// Orders cells row by row, and leaves the lowest 32 bits to the body.
fn key([x, y, z]: Cell) -> u128 {
    (u128::from(z) << 95) + (u128::from(y) << 64) + (u128::from(x) << 32)
}

fn cell_of(key: u128) -> Cell {
    const Y: u32 = (1 << 31) - 1;
    [
        (key >> 32) as u32,
        (key >> 64) as u32 & Y,
        (key >> 95) as u32,
    ]
}
