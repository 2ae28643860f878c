//! Linked cells: space is cut into equal cells at least one interaction distance wide, so that a
//! body can only touch bodies in its own cell and the cells around it.
//!
//! R. W. Hockney, J. W. Eastwood, "Computer simulation using particles", 1981, section 8-4; the
//! case of one level of D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical
//! grid data structure for contact detection in arbitrarily polydisperse particle systems",
//! Computational Particle Mechanics 1 (2014) 357-372.
//!
//! Deviations:
//! - No lists: bodies are sorted by cell (a counting sort), so that the bodies of cells that are
//!   neighbours along x lie together in memory, and half the neighbourhood of a cell is 2 runs of
//!   bodies in 2D and 5 in 3D.
//! - Cells are a little wider than the interaction distance: with equality, rounding puts touching
//!   bodies two cells apart.
//! - Where there would be many more cells than bodies, the occupied ones are found by binary search
//!   among sorted keys instead: memory does not grow with the extent, and no hash can be flooded.

use std::ops::Range;

use super::cell_table::{Grid, Row, Table};
use super::{BroadPhase, Error, Result, Sphere, gather};
use crate::math::{Vector, is_length};
use crate::shape::Bounded;

/// How many bodies a chunk has, in the order of cells.
const CHUNK: usize = 1024;

/// Linked cells of one size: for bodies of about the same size.
///
/// Rebuild and search take O(n) time if the largest body is not much larger than most, O(n^2) at
/// worst; O(n log n) if the bodies fill little of the space they span. Memory is about 100 bytes a
/// body. Pairs come in the order of the cells.
///
/// ```
/// use osculate::{BroadPhase, LinkedCells, Sphere, glam::DVec2};
///
/// let discs = [(0.0, 0.0), (1.0, 0.0), (1e9, 0.0)]
///     .map(|(x, y)| Sphere::new(DVec2::new(x, y), 0.5));
/// let mut cells = LinkedCells::new();
/// cells.rebuild(&discs)?;
/// let mut near = Vec::new();
/// cells.for_each_near(&Sphere::new(DVec2::new(0.5, 2.0), 1.7), |body| near.push(body));
/// assert_eq!(near, [0, 1]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinkedCells<V> {
    cell_size: Option<f64>,
    grid: Grid<V>,
    table: Table,
    /// In the order of cells, then of indices.
    spheres: Vec<Sphere<V>>,
    /// The index of each of them.
    ids: Vec<u32>,
    /// In the order of indices.
    incoming: Vec<Sphere<V>>,
}

impl<V: Vector> LinkedCells<V> {
    /// Cells as wide as the largest body.
    ///
    /// At most 2^30 of them along an axis, around most of the bodies: those further out are counted
    /// to the last cells.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cells of a given size, no smaller than the diameter of any body. (They are made 2^-19
    /// wider, which makes the search proof against rounding.)
    ///
    /// # Errors
    /// [`Error::Length`] unless the size is a length above 0. A rebuild adds
    /// [`Error::CellTooSmall`] and [`Error::TooManyCells`].
    pub fn with_cell_size(cell_size: f64) -> Result<Self> {
        if cell_size == 0.0 || !is_length(cell_size) {
            return Err(Error::Length {
                name: "cell size",
                value: cell_size,
            });
        }
        Ok(Self {
            cell_size: Some(cell_size),
            ..Self::default()
        })
    }

    /// Bodies in the cells `from..=to` (along x) of a row.
    fn run(&self, row: Row, from: u32, to: u32) -> Range<usize> {
        self.table.run(&self.grid, row, from, to)
    }
}

impl<V: Vector> BroadPhase<V> for LinkedCells<V> {
    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        let mut incoming = Vec::new();
        gather(count, sphere, &mut incoming)?;
        let grid = Grid::around(&incoming, self.cell_size)?;
        self.incoming = incoming;
        self.grid = grid;
        self.table.sort(&grid, &self.incoming, &mut self.ids);
        self.spheres.clear();
        let in_order = self.ids.iter().map(|&id| self.incoming[id as usize]);
        self.spheres.extend(in_order);
        Ok(())
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.incoming
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        let start = chunk.saturating_mul(CHUNK);
        let end = start.saturating_add(CHUNK).min(self.spheres.len());
        let mut test = |i: usize, others: Range<usize>| {
            for j in others {
                if self.spheres[i].touches(&self.spheres[j]) {
                    let (a, b) = (self.ids[i], self.ids[j]);
                    visit(a.min(b), a.max(b));
                }
            }
        };
        let mut next = start;
        while next < end {
            // The bodies of one cell, as far as they are in the chunk.
            let (row, x) = self.grid.cell(self.spheres[next].center);
            let cell_end = self.run(row, x, x).end.min(end);
            let ahead = self.run(row, x, x + 1).end;
            let rows = self.grid.rows_after(row);
            let rows =
                rows.map(|row| row.map_or(0..0, |row| self.run(row, x.saturating_sub(1), x + 1)));
            for i in next..cell_end {
                test(i, i + 1..ahead);
                for run in &rows {
                    test(i, run.clone());
                }
            }
            next = cell_end;
        }
    }

    fn for_each_near(&self, query: &impl Bounded<V>, mut visit: impl FnMut(u32)) {
        let query = query.bounding_sphere();
        if self.spheres.is_empty() || query.check(0).is_err() {
            return;
        }
        let cells = self.grid.cells_near(&query);
        self.table.for_each_run(&self.grid, cells, |run| {
            for i in run {
                if self.spheres[i].touches(&query) {
                    visit(self.ids[i]);
                }
            }
        });
    }
}
