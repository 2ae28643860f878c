//! The report of a hierarchical grid: its levels, their work, and memory.

use super::grid::HierarchicalGrid;
use super::level::Level;
use crate::broad::levels::GridWork;
use crate::broad::simd::GROUP;
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// The levels of a [`HierarchicalGrid`], their work, and memory.
///
/// [`HierarchicalGrid::report`] returns it. Print it if a search takes longer than expected:
///
/// ```
/// use osculate::{BroadPhase, HierarchicalGrid, Sphere, glam::DVec3};
///
/// let sphere = |i: i32| Sphere::new(DVec3::X * f64::from(i), if i == 0 { 50.0 } else { 0.5 });
/// let mut grid = HierarchicalGrid::new();
/// grid.rebuild(&(0..1000).map(sphere).collect::<Vec<_>>())?;
/// let report = grid.report();
/// println!("{report:#?}");
/// // The large sphere has a level of its own.
/// let bodies: Vec<usize> = report.levels.iter().map(|level| level.bodies).collect();
/// assert_eq!(bodies, [999, 1]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridReport {
    /// The levels, the finest first; none without bodies.
    pub levels: Vec<LevelReport>,
    /// Whether bodies are stored in cells. Otherwise there is a tree of boxes for each octave of radii, because the
    /// density is too uneven for cells.
    pub has_tables: bool,
    /// The work per body. [`GridCostModel`](crate::reference::GridCostModel) predicts it for random positions.
    pub counted: GridWork,
    /// Memory in bytes per body, with all buffers at their full capacity.
    pub bytes_per_body: f64,
}

/// A level of a [`HierarchicalGrid`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelReport {
    /// The largest diameter that the level may store.
    pub size: f64,
    /// The width of its cells: slightly more than the size, or more if this keeps tables small.
    pub cell_width: f64,
    /// The number of its bodies.
    pub bodies: usize,
    /// The largest radius of its bodies.
    pub largest_radius: f64,
    /// The number of its cells, over all bodies or over those of the level; 1 without a table.
    pub cells: f64,
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Returns the levels, and their work as counted.
    ///
    /// Cost: a search of all pairs; allocates.
    pub fn report(&self) -> GridReport {
        let count = self.spheres.len();
        let per_body = 1.0 / count.max(1) as f64;
        let levels = self.levels.iter().map(|level| LevelReport {
            size: level.size,
            cell_width: level.cells.width(),
            bodies: level.slots.len(),
            largest_radius: level.max_radius,
            cells: level.cells.counts().into_iter().map(f64::from).product(),
        });
        let levels: Vec<_> = levels.collect();
        let mut counted = GridWork::default();
        (0..count).for_each(|slot| counted += self.work_of(slot));
        counted.table_cells = levels.iter().fold(0.0, |sum, level| sum + level.cells);
        GridReport {
            levels,
            has_tables: !self.has_trees,
            counted: counted.times(per_body),
            bytes_per_body: self.bytes() as f64 * per_body,
        }
    }

    /// Counts the work of the body in a slot, as [`GridWork`] defines it, without `table_cells`.
    pub(super) fn work_of(&self, slot: usize) -> GridWork {
        let has_slot = |level: &&Level<V>| level.slots.contains(&slot);
        let Some(h) = self.levels.iter().position(|level| has_slot(&level)) else {
            return GridWork::default();
        };
        if self.has_trees {
            return self.work_in_trees(slot, h);
        }
        let (rows, cells) = if V::DIM == 2 { (2, 5.0) } else { (5, 14.0) };
        let length = |[start, end]: [u32; 2]| f64::from(end.saturating_sub(start));
        let table = &self.table;
        let (_, starts, ends) = table.next(&self.levels[h], slot..slot + 1, &mut 0);
        let mut work = GridWork {
            tests: (0..rows).map(|row| length([starts[row], ends[row]])).sum(),
            rows: rows as f64,
            cells,
            ..GridWork::default()
        };
        let sphere = &self.spheres[table.ids[slot] as usize];
        for level in self.levels_beside(h) {
            let [from, to] = level.cells.range_near(sphere, level.max_radius);
            let [x, y, z] = [0, 1, 2].map(|axis| f64::from(to[axis] - from[axis]) + 1.0);
            work.rows += y * z;
            work.cells += x * y * z;
            table.for_each_run(level, [from, to], |run| work.tests += length(run));
        }
        work
    }

    /// Counts the same in trees, where a leaf counts as a row and as a cell.
    fn work_in_trees(&self, slot: usize, h: usize) -> GridWork {
        let mut work = GridWork::default();
        let bounds = Aabb::from(self.spheres[self.table.ids[slot] as usize]);
        let own = (slot - self.levels[h].slots.start) / GROUP;
        for level in std::iter::once(h).chain(self.range_beside(h)) {
            let (from, first) = if level == h { (own, slot + 1) } else { (0, 0) };
            let bodies = self.levels[level].slots.len();
            for leaf in self.trees.leaves(level, bodies, &bounds, from) {
                let slots = self.leaf_slots(level, leaf);
                work.tests += slots.end.saturating_sub(slots.start.max(first)) as f64;
                work.rows += 1.0;
                work.cells += 1.0;
            }
        }
        work
    }

    /// Returns the memory in bytes, with all buffers at their full capacity.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of::<Sphere<V>>() * self.spheres.capacity()
            + self.table.bytes()
            + self.trees.bytes()
            + size_of::<Level<V>>() * self.levels.capacity()
            + self.packed.bytes()
            + self.tuning.bytes()
    }
}
