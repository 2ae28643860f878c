use std::ops::Range;

use smallvec::SmallVec;

use crate::broad::cells::{Cell, Cells, WIDENING};
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// A level: the bodies of a range of sizes, in cells of one width.
#[derive(Clone, Debug)]
pub(super) struct Level<V> {
    /// The largest diameter that the level may store.
    pub(super) size: f64,
    pub(super) cells: Cells<V>,
    /// The largest radius of its bodies.
    pub(super) max_radius: f64,
    /// The slots of its bodies in the table.
    pub(super) slots: Range<usize>,
    /// The index of its first cell in the table.
    pub(super) first_cell: usize,
    /// The number of cells from one row to the next, and from one plane to the next.
    pub(super) row: usize,
    pub(super) plane: usize,
}

impl<V: Vector> Level<V> {
    pub(super) fn new(size: f64, cells: Cells<V>) -> Self {
        Self {
            size,
            cells,
            max_radius: 0.0,
            slots: 0..0,
            first_cell: 0,
            row: 0,
            plane: 0,
        }
    }

    /// Creates a level with a single cell, for trees.
    pub(super) fn with_one_cell(size: f64) -> Self {
        Self::new(size, Cells::new(&Aabb::default(), size * WIDENING, 1.0))
    }

    /// Sets the position of its cells in the table, and returns the first cell after them.
    pub(super) fn set_first_cell(&mut self, first_cell: usize) -> usize {
        let [x, y, _] = self.cells.counts().map(|count| count as usize);
        (self.first_cell, self.row, self.plane) = (first_cell, x + 2, (x + 2) * (y + 2));
        self.end_cell()
    }

    /// Returns the first cell of the table after those of this level.
    pub(super) fn end_cell(&self) -> usize {
        self.first_cell + self.cell_count().unwrap_or(0)
    }

    /// Returns the number of cells in the table, with a border of empty cells wherever a search may look.
    ///
    /// A search of half the neighborhood never looks below the first plane, so there is no border there.
    fn cell_count(&self) -> Option<usize> {
        let [x, y, z] = self.cells.counts().map(|count| count as usize);
        let planes = if V::DIM == 3 { z + 1 } else { 1 };
        (x + 2).checked_mul(y + 2)?.checked_mul(planes)
    }

    /// Returns the index of a cell in the table.
    #[inline]
    pub(super) fn index(&self, [x, y, z]: Cell) -> usize {
        let (x, y, z) = (x as usize + 1, y as usize + 1, z as usize);
        self.first_cell + z * self.plane + y * self.row + x
    }

    /// Returns the index of the cell of a position in the table.
    #[inline]
    pub(super) fn cell_at(&self, position: V) -> u32 {
        self.index(self.cells.cell(position)) as u32
    }
}

/// Returns the sizes of all levels except the last, which stores all larger bodies.
pub(super) fn size_limits<V>(levels: &[Level<V>]) -> SmallVec<[f64; 64]> {
    let levels = levels.split_last().map_or(levels, |(_, others)| others);
    levels.iter().map(|level| level.size).collect()
}

/// Returns the level of a radius: the lowest that may store it, or the last.
#[inline]
pub(super) fn level_of(radius: f64, size_limits: &[f64]) -> usize {
    size_limits
        .iter()
        .filter(|&&size| 2.0 * radius > size)
        .count()
}

/// Finds the cells of some bodies in the table.
pub(super) fn find_cells<V: Vector>(
    levels: &[Level<V>],
    size_limits: &[f64],
    spheres: &[Sphere<V>],
    cells: &mut [u32],
) {
    for (sphere, cell) in spheres.iter().zip(cells) {
        *cell = levels[level_of(sphere.radius, size_limits)].cell_at(sphere.center);
    }
}

/// Counts the cells of the tables of some levels; `None` if they exceed a limit.
pub(super) fn count_cells<V: Vector>(levels: &[Level<V>], limit: usize) -> Option<usize> {
    let mut counts = levels.iter().map(Level::cell_count);
    let count = counts.try_fold(0_usize, |sum, cells| sum.checked_add(cells?))?;
    // Cells and slots are numbered in 32 bits.
    (count <= limit && count < u32::MAX as usize).then_some(count)
}
