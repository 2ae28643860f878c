use std::ops::AddAssign;

use super::{LevelSizes, RadiusDistribution};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::Vector;

/// More bodies in a cell, or cells a body, could only overflow.
const MOST: f64 = 1e30;

/// Which levels a body of a hierarchical grid is tested against, beside its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SearchDirection {
    /// The finer ones: large bodies look for small ones. Never the slower of the two by much.
    #[default]
    TopDown,
    /// The coarser ones: small bodies look for large ones.
    BottomUp,
}

/// What things cost, in units of one test of two spheres.
///
/// `T = tests + row * rows + cell * cells + table_cell * table_cells`, see [`GridWork`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GridCost {
    /// Going to a row of cells.
    pub row: f64,
    /// Going to a cell; K in the paper.
    pub cell: f64,
    /// Having a cell in a table, whether or not there are bodies in it.
    pub table_cell: f64,
}

impl GridCost {
    /// Linked lists of bodies in cells: K = 0.2, with which the paper's example comes out.
    pub const CELLS: Self = Self {
        row: 0.0,
        cell: 0.2,
        table_cell: 0.0,
    };
    /// Bodies sorted by cells, as in this crate.
    pub const ROWS: Self = Self {
        row: 20.0,
        cell: 0.0,
        table_cell: 1.0,
    };
}

impl Default for GridCost {
    /// [`GridCost::ROWS`].
    fn default() -> Self {
        Self::ROWS
    }
}

/// What is to be done for all pairs, per body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GridWork {
    /// Tests of two spheres.
    pub tests: f64,
    /// Rows of cells along x looked into.
    pub rows: f64,
    /// Cells looked into.
    pub cells: f64,
    /// Cells in the tables of all levels. (Where they were more than 2, or 4 of given sizes, the grid
    /// has wider cells.)
    pub table_cells: f64,
}

impl GridWork {
    /// The whole of it, in units of one test.
    pub fn cost(&self, cost: &GridCost) -> f64 {
        let time = self.tests
            + cost.row * self.rows
            + cost.cell * self.cells
            + cost.table_cell * self.table_cells;
        time.min(f64::MAX)
    }

    /// So many times as much of each.
    pub(in crate::broad) fn times(self, factor: f64) -> Self {
        Self {
            tests: self.tests * factor,
            rows: self.rows * factor,
            cells: self.cells * factor,
            table_cells: self.table_cells * factor,
        }
    }
}

impl AddAssign for GridWork {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.rows += other.rows;
        self.cells += other.cells;
        self.table_cells += other.table_cells;
    }
}

/// A level, and what it costs: tests among its bodies, and of others against them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelWork {
    /// Its cell size.
    pub size: f64,
    /// The part of all bodies that are on this level.
    pub part: f64,
    /// Its own bodies, per cell.
    pub bodies_per_cell: f64,
    /// Its share of the work, per body of all levels.
    pub work: GridWork,
}

/// How much work a hierarchical grid has with bodies of given radii at random places.
///
/// Exact on average for places that are independent and uniform, however much the bodies then
/// overlap; packings of real spheres come close. Without bodies there is no work; an empty level
/// makes none.
///
/// ```
/// use osculate::{broad::{LevelSizes, SearchDirection}, glam::DVec3, reference::{GridCost, GridCostModel, RadiusDistribution}};
///
/// let radii = RadiusDistribution::new(&[vec![1.0; 999], vec![10.0]].concat())?;
/// let density = radii.density::<DVec3>(0.3);
/// let model = GridCostModel::new::<DVec3>(&radii, density, SearchDirection::TopDown, GridCost::ROWS)?;
/// let [one, two] = [LevelSizes::new([20.0])?, LevelSizes::new([2.0, 20.0])?];
/// assert!(model.work(&one).tests > 50.0 * model.work(&two).tests);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GridCostModel<'a> {
    radii: &'a RadiusDistribution,
    dimension: usize,
    /// Of lengths divided by the scale of the radii.
    density: f64,
    direction: SearchDirection,
    cost: GridCost,
    /// Which part of the rows of finer levels around it a body looks into.
    near: f64,
}

impl<'a> GridCostModel<'a> {
    /// For bodies of which there are `density` in unit volume (see [`RadiusDistribution::density`]).
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the density is negative, NaN or infinite, or a cost is
    /// not within [0, 2^50].
    pub fn new<V: Vector>(
        radii: &'a RadiusDistribution,
        density: f64,
        direction: SearchDirection,
        cost: GridCost,
    ) -> Result<Self> {
        const MAX_COST: f64 = (1_u64 << 50) as f64;
        let parameters = [
            ("density", density, f64::MAX, "[0, inf)"),
            ("cost of a row", cost.row, MAX_COST, "[0, 2^50]"),
            ("cost of a cell", cost.cell, MAX_COST, "[0, 2^50]"),
            (
                "cost of a table's cell",
                cost.table_cell,
                MAX_COST,
                "[0, 2^50]",
            ),
        ];
        for (name, value, max, range) in parameters {
            if !(0.0..=max).contains(&value) {
                return Err(Cause::Parameter { name, value, range }.into());
            }
        }
        let scaled = (0..V::DIM).fold(density, |density, _| density * radii.scale());
        Ok(Self {
            radii,
            dimension: V::DIM,
            // A zero of either sign is 0.
            density: scaled.abs().min(f64::MAX),
            direction,
            cost,
            near: 1.0,
        })
    }

    /// The model if a body looks into only this part of the rows of finer levels around it: the finer
    /// bodies lie in a small part of space.
    pub(in crate::broad) fn with_near(self, near: f64) -> Self {
        Self { near, ..self }
    }

    /// The radii it is made for.
    pub fn radii(&self) -> &'a RadiusDistribution {
        self.radii
    }

    /// The work with levels of these sizes. Bodies larger than the last are counted to it.
    pub fn work(&self, sizes: &LevelSizes) -> GridWork {
        self.work_of(sizes.as_slice())
    }

    /// The cost of that work, in units of one test.
    pub fn time(&self, sizes: &LevelSizes) -> f64 {
        self.work(sizes).cost(&self.cost)
    }

    pub(in crate::broad) fn work_of(&self, sizes: &[f64]) -> GridWork {
        let mut sum = GridWork::default();
        self.levels_of(sizes).for_each(|level| sum += level.work);
        sum
    }

    /// The work by levels, from the smallest.
    pub fn levels(&self, sizes: &LevelSizes) -> impl Iterator<Item = LevelWork> {
        self.levels_of(sizes.as_slice())
    }

    fn levels_of(&self, sizes: &[f64]) -> impl Iterator<Item = LevelWork> {
        let mut start = 0;
        sizes.iter().enumerate().map(move |(i, &size)| {
            let mut level = self.level(size / self.radii.scale());
            if i + 1 == sizes.len() && level.end < self.radii.distinct().len() {
                level = self.level_up_to(level.size, self.radii.distinct().len());
            }
            let part = self.radii.part(start, level.end);
            let work = self.level_work(&level, start);
            start = level.end;
            LevelWork {
                size,
                part,
                bodies_per_cell: level.bodies * part,
                work,
            }
        })
    }

    pub(super) fn cost(&self) -> &GridCost {
        &self.cost
    }

    /// The mean distance of bodies, rounded to a power of two; `None` if they are infinitely far
    /// from each other.
    pub(super) fn spacing(&self) -> Option<f64> {
        if self.density == 0.0 {
            return None;
        }
        let bits = self.density.max(f64::MIN_POSITIVE).to_bits();
        let exponent = (bits >> 52) as i32 - 1023;
        Some(2_f64.powi(-exponent.div_euclid(self.dimension as i32)))
    }

    /// A level by its size (divided by the scale), with what can be said of it before it is known
    /// where the level below ends.
    pub(super) fn level(&self, size: f64) -> Level {
        self.level_up_to(size, self.radii.fitting(size))
    }

    fn level_up_to(&self, size: f64, end: usize) -> Level {
        let d = self.dimension;
        let largest = if end == 0 {
            0.0
        } else {
            self.radii.distinct()[end - 1]
        };
        let bodies = (self.density * power(size, d)).min(MOST);
        // A box around a body meets `wide + narrow * r` cells along an axis.
        let (wide, narrow) = (2.0 * largest / size + 1.0, 2.0 / size);
        let box_cells = power_of_sum(wide, narrow, d);
        let box_rows = power_of_sum(wide, narrow, d - 1);
        let above = self.radii.from(end);
        Level {
            size,
            end,
            bodies,
            table_cells: 1.0 / bodies,
            box_cells,
            box_rows,
            from_above: [&box_cells, &box_rows].map(|cells| self.near * mean(cells, &above)),
        }
    }

    /// The work of a level that holds the distinct radii from `start` on.
    pub(super) fn level_work(&self, level: &Level, start: usize) -> GridWork {
        let part = self.radii.part(start, level.end);
        // A level without bodies is not searched.
        if part <= 0.0 {
            return GridWork::default();
        }
        let [cells, rows] = match self.direction {
            SearchDirection::TopDown => level.from_above,
            SearchDirection::BottomUp => {
                let below = self.radii.below(start);
                [
                    mean(&level.box_cells, &below),
                    mean(&level.box_rows, &below),
                ]
            }
        };
        let (block_rows, block_cells) = if self.dimension == 2 {
            (3.0, 9.0)
        } else {
            (9.0, 27.0)
        };
        GridWork {
            tests: level.bodies * part * (0.5 * block_cells * part + cells),
            rows: 0.5 * (block_rows + 1.0) * part + rows,
            cells: 0.5 * (block_cells + 1.0) * part + cells,
            table_cells: level.table_cells.min(MOST),
        }
    }
}

/// See [`GridCostModel::level`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) size: f64,
    /// How many of the distinct radii fit.
    pub(super) end: usize,
    /// Bodies of all levels, per cell.
    bodies: f64,
    /// Cells of its table, per body.
    table_cells: f64,
    /// Cells that a box around a body meets, as a polynomial of the body's radius.
    box_cells: [f64; 4],
    /// The same for rows.
    box_rows: [f64; 4],
    /// Cells and rows that the bodies of higher levels meet, per body of all levels.
    from_above: [f64; 2],
}

/// The mean of a polynomial of r, from those of the powers of r.
fn mean(polynomial: &[f64; 4], moments: &[f64; 4]) -> f64 {
    (0..4).map(|k| polynomial[k] * moments[k]).sum()
}

/// `(a + b r)^n` as a polynomial of r, n at most 3.
fn power_of_sum(a: f64, b: f64, n: usize) -> [f64; 4] {
    const BINOMIALS: [[f64; 4]; 4] = [
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [1.0, 2.0, 1.0, 0.0],
        [1.0, 3.0, 3.0, 1.0],
    ];
    std::array::from_fn(|k| {
        let rest = n.saturating_sub(k);
        BINOMIALS[n][k] * power(a, rest) * power(b, k)
    })
}

/// Not `powi`, whose last bit depends on the platform.
fn power(x: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |product, _| product * x)
}
