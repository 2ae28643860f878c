//! Which bodies each cell of each level holds.

use std::ops::Range;

use crate::broad::cells::{Cell, Cells};
use crate::broad::resize;
use crate::math::Vector;

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
    /// Where its cells start in the table.
    first_cell: usize,
    /// How many cells on the next row and the next plane are.
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
    fn cell_count(&self) -> Option<usize> {
        let [x, y, z] = self.cells.counts().map(|count| count as usize);
        let planes = if V::DIM == 3 { z + 1 } else { 1 };
        (x + 2).checked_mul(y + 2)?.checked_mul(planes)
    }

    #[inline]
    fn index(&self, [x, y, z]: Cell) -> usize {
        let (x, y, z) = (x as usize + 1, y as usize + 1, z as usize);
        self.first_cell + z * self.plane + y * self.row + x
    }

    #[inline]
    pub(super) fn cell_at(&self, position: V) -> u32 {
        self.index(self.cells.cell(position)) as u32
    }
}

/// How many cells tables of these levels may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(usize);

/// How many cells there may be beside those for each body.
const SOME: usize = 1024;

impl Limit {
    /// Two a body, so that a body takes 64 bytes, or four where the caller has chosen the sizes;
    /// and some more.
    pub(super) fn new(bodies: usize, is_given: bool) -> Self {
        Self((if is_given { 4 } else { 2 }) * bodies + SOME)
    }

    /// The share of a level that has a part of all bodies, and what other levels have left.
    pub(super) fn share(self, part: usize, bodies: usize, levels: usize, left: usize) -> Self {
        let each = self.0.saturating_sub(SOME) / bodies.max(1);
        Self(each * part + SOME / levels + left)
    }

    /// Whether the table of a level alone fits.
    pub(super) fn fits<V: Vector>(self, level: &Level<V>) -> bool {
        self.count(std::slice::from_ref(level)).is_some()
    }

    /// What the table of a level leaves.
    pub(super) fn left<V: Vector>(self, level: &Level<V>) -> usize {
        self.0.saturating_sub(level.cell_count().unwrap_or(self.0))
    }

    /// How many cells a row of a table may have at most.
    pub(super) fn most(self) -> f64 {
        self.0 as f64
    }

    /// How many there are; `None` if they are more.
    pub(super) fn count<V: Vector>(self, levels: &[Level<V>]) -> Option<usize> {
        let mut counts = levels.iter().map(Level::cell_count);
        let count = counts.try_fold(0_usize, |sum, cells| sum.checked_add(cells?))?;
        // Cells and where they start are counted in 32 bits.
        (count <= self.0 && count < u32::MAX as usize).then_some(count)
    }
}

/// Bodies in the order of levels, cells (row by row along x) and indices, or of levels and the leaves
/// of trees: the place of a body in this order is its slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Where the bodies of each cell start, and the end.
    pub(super) starts: Vec<u32>,
    /// The cell of each slot.
    pub(super) cell_of: Vec<u32>,
    /// The body of each slot.
    pub(super) ids: Vec<u32>,
    /// The squares of the numbers of bodies in the cells, added up.
    pub(super) squares: u64,
}

/// Where a search of neighbors has arrived: the end of the row of cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    row_end: usize,
}

impl Table {
    /// Makes room for bodies in levels; gives whether tables of their cells are small enough.
    pub(super) fn start<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        count: usize,
        limit: Limit,
    ) -> bool {
        resize(&mut self.ids, count);
        let Some(cell_count) = limit.count(levels) else {
            return false;
        };
        resize(&mut self.starts, cell_count + 1);
        resize(&mut self.cell_of, count);
        let mut first_cell = 0;
        for level in levels {
            let [x, y, _] = level.cells.counts().map(|count| count as usize);
            (level.first_cell, level.row, level.plane) = (first_cell, x + 2, (x + 2) * (y + 2));
            first_cell += level.cell_count().unwrap_or(0);
        }
        true
    }

    /// A counting sort into the cells of levels; `body` gives the level and the position of each,
    /// and is asked once. The start of each cell is first that of the next one, and moves to its
    /// place as the bodies are filled in from the last on.
    pub(super) fn sort<V: Vector>(
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
            *cell = level.cell_at(position);
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
        self.squares as f64 / self.ids.len().max(1) as f64
    }

    /// Where the bodies of each level are.
    pub(super) fn set_slots<V: Vector>(&self, levels: &mut [Level<V>]) {
        for level in levels {
            let end = level.first_cell + level.cell_count().unwrap_or(0);
            let [start, end] = [level.first_cell, end].map(|cell| self.starts[cell] as usize);
            level.slots = start..end;
        }
    }

    /// So many bodies in the order of levels and indices. The level of each is called for once.
    pub(super) fn sort_by_level<V: Vector>(
        &mut self,
        levels: &mut [Level<V>],
        count: usize,
        level_of: impl Fn(usize) -> usize,
    ) {
        resize(&mut self.ids, count);
        resize(&mut self.cell_of, count);
        levels.iter_mut().for_each(|level| level.slots = 0..0);
        for (id, place) in self.cell_of.iter_mut().enumerate() {
            let level = level_of(id);
            *place = level as u32;
            levels[level].slots.end += 1;
        }
        let mut start = 0;
        for level in &mut *levels {
            let end = start + level.slots.len();
            level.slots = start..start;
            start = end;
        }
        for (id, &level) in self.cell_of.iter().enumerate() {
            let slots = &mut levels[level as usize].slots;
            self.ids[slots.end] = id as u32;
            slots.end += 1;
        }
    }

    /// What a search needs of it.
    #[inline(always)]
    pub(super) fn slots(&self) -> Slots<'_> {
        Slots {
            starts: &self.starts,
            cell_of: &self.cell_of,
            ids: &self.ids,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.cell_of.capacity() + self.ids.capacity())
    }
}

/// A table as a search sees it: a copy that the compiler can keep at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots<'a> {
    starts: &'a [u32],
    cell_of: &'a [u32],
    ids: &'a [u32],
}

impl<'a> Slots<'a> {
    /// The body of a slot.
    #[inline]
    pub(super) fn id(&self, slot: usize) -> u32 {
        self.ids[slot]
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

    /// The runs of slots of the bodies in a box of cells of a level.
    #[inline(always)]
    pub(super) fn runs_in<V: Vector>(
        self,
        level: &'a Level<V>,
        [from, to]: [Cell; 2],
    ) -> Runs<'a, V> {
        Runs {
            slots: self,
            level,
            from,
            to,
            y: from[1],
            z: from[2],
            next: level.index(from),
        }
    }
}

/// The runs of slots in a box of cells.
pub(super) struct Runs<'a, V> {
    slots: Slots<'a>,
    level: &'a Level<V>,
    from: Cell,
    to: Cell,
    /// The row that comes next.
    y: u32,
    z: u32,
    /// Its first cell.
    next: usize,
}

impl<V: Vector> Iterator for Runs<'_, V> {
    type Item = [u32; 2];

    #[inline(always)]
    fn next(&mut self) -> Option<[u32; 2]> {
        if self.z > self.to[2] {
            return None;
        }
        let end = self.next + (self.to[0] - self.from[0]) as usize + 1;
        let run = [self.next, end].map(|cell| self.slots.starts[cell]);
        self.next += self.level.row;
        self.y += 1;
        if self.y > self.to[1] {
            (self.y, self.z) = (self.from[1], self.z + 1);
            self.next = self.level.index([self.from[0], self.y, self.z]);
        }
        Some(run)
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
