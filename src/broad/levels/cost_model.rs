use std::ops::AddAssign;

use super::level_sizes::LevelSizes;
use super::radii::RadiusDistribution;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_parameter};

/// The largest number of bodies per cell, and of cells per body: larger ones would overflow.
const MOST: f64 = 1e30;

/// The number of cells of a block of adjacent cells, by dimension.
const BLOCK: [f64; 4] = [1.0, 3.0, 9.0, 27.0];

/// The levels that a body of a hierarchical grid is tested against, besides its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SearchDirection {
    /// The finer levels: large bodies search for small ones. Never much slower than the other direction.
    #[default]
    TopDown,
    /// The coarser levels: small bodies search for large ones.
    BottomUp,
}

/// The time of each kind of [`GridWork`], in units of one test of two spheres.
///
/// `T = tests + row * rows + cell * cells + table_cell * table_cells`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GridCost {
    /// The time to visit a row of cells.
    pub row: f64,
    /// The time to visit a cell: the overhead factor K of the paper, whose text gives no value.
    pub cell: f64,
    /// The time to rebuild a cell of a table, empty or not.
    pub table_cell: f64,
}

impl GridCost {
    /// Linked lists of bodies: K = 0.2, with which the example of the paper is reproduced.
    pub const CELLS: Self = Self {
        row: 0.0,
        cell: 0.2,
        table_cell: 0.0,
    };
    /// Bodies sorted by cell, as in this crate.
    pub const ROWS: Self = Self {
        row: 20.0,
        cell: 0.0,
        table_cell: 1.0,
    };
}

impl Default for GridCost {
    /// Returns [`GridCost::ROWS`].
    fn default() -> Self {
        Self::ROWS
    }
}

/// The work of a rebuild and a search of all pairs, per body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GridWork {
    /// Tests of two spheres.
    pub tests: f64,
    /// Visits of a row of cells along x.
    pub rows: f64,
    /// Visits of a cell.
    pub cells: f64,
    /// Cells in the tables of all levels. The grid widens its cells where these would exceed 2, or 4 with given
    /// sizes.
    pub table_cells: f64,
}

impl GridWork {
    /// Returns the total time, in units of one test.
    pub fn cost(&self, cost: &GridCost) -> f64 {
        let time = self.tests
            + cost.row * self.rows
            + cost.cell * self.cells
            + cost.table_cell * self.table_cells;
        time.min(f64::MAX)
    }

    /// Multiplies each kind of work by `factor`.
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

/// The share of a level in the work: tests among its bodies, and against bodies of other levels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LevelWork {
    /// The cell size.
    pub size: f64,
    /// The share of all bodies that are stored on this level.
    pub part: f64,
    /// The mean number of bodies of this level per cell.
    pub bodies_per_cell: f64,
    /// The work on this level, per body of all levels.
    pub work: GridWork,
}

/// The expected work of a hierarchical grid, for given radii and a given density.
///
/// Exact for independent, uniform positions, at which bodies may overlap. In packings without overlaps the number of
/// tests deviates by up to a fifth (docs/VALIDATION.md). An empty level costs nothing.
///
/// ```
/// use osculate::broad::{LevelSizes, SearchDirection::TopDown};
/// use osculate::glam::DVec3;
/// use osculate::reference::{GridCost, GridCostModel, RadiusDistribution};
///
/// let radii = RadiusDistribution::new(&[vec![1.0; 999], vec![10.0]].concat())?;
/// let density = radii.density::<DVec3>(0.3);
/// let model = GridCostModel::new::<DVec3>(&radii, density, TopDown, GridCost::ROWS)?;
/// let [one, two] = [LevelSizes::new([20.0])?, LevelSizes::new([2.0, 20.0])?];
/// assert!(model.work(&one).tests > 50.0 * model.work(&two).tests);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GridCostModel<'a> {
    radii: &'a RadiusDistribution,
    dimension: usize,
    /// Bodies per unit volume, with lengths divided by the scale of the radii.
    density: f64,
    direction: SearchDirection,
    cost: GridCost,
}

impl<'a> GridCostModel<'a> {
    /// Creates the model for `density` bodies per unit volume (see [`RadiusDistribution::density`]).
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
        check_parameter("density", density, 0.0..=f64::MAX, "[0, inf)")?;
        for (name, value) in [
            ("cost of a row", cost.row),
            ("cost of a cell", cost.cell),
            ("cost of a table's cell", cost.table_cell),
        ] {
            check_parameter(name, value, 0.0..=MAX_COST, "[0, 2^50]")?;
        }
        let scaled = (0..V::DIM).fold(density, |density, _| density * radii.scale());
        Ok(Self {
            radii,
            dimension: V::DIM,
            // -0 becomes 0.
            density: scaled.abs().min(f64::MAX),
            direction,
            cost,
        })
    }

    /// Returns the radii of the model.
    pub fn radii(&self) -> &'a RadiusDistribution {
        self.radii
    }

    /// Returns the work with levels of these sizes. Larger bodies count as on the last level.
    pub fn work(&self, sizes: &LevelSizes) -> GridWork {
        let mut sum = GridWork::default();
        self.levels(sizes).for_each(|level| sum += level.work);
        sum
    }

    /// Returns the time of that work, in units of one test.
    pub fn time(&self, sizes: &LevelSizes) -> f64 {
        self.work(sizes).cost(&self.cost)
    }

    /// Returns the work of each level, the finest first.
    pub fn levels(&self, sizes: &LevelSizes) -> impl Iterator<Item = LevelWork> {
        let (mut start, last) = (0, sizes.last());
        sizes.as_slice().iter().map(move |&size| {
            let scaled = size / self.radii.scale();
            let end = match size == last {
                true => self.radii.distinct().len(),
                false => self.radii.fitting(scaled),
            };
            let level = self.level(scaled, end);
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

    /// Returns the mean spacing D^(-1/d) of the bodies, rounded to a power of two; `None` at density 0.
    pub(super) fn spacing(&self) -> Option<f64> {
        if self.density == 0.0 {
            return None;
        }
        let bits = self.density.max(f64::MIN_POSITIVE).to_bits();
        let exponent = (bits >> 52) as i32 - 1023;
        Some(2_f64.powi(-exponent.div_euclid(self.dimension as i32)))
    }

    /// Returns the terms of a level that depend only on its size, divided by the scale, and on the number of distinct
    /// radii that fit.
    pub(super) fn level(&self, size: f64, end: usize) -> LevelTerms {
        let d = self.dimension;
        let stored = &self.radii.distinct()[..end];
        let largest = stored.last().copied().unwrap_or(0.0);
        let bodies = (self.density * power(size, d)).min(MOST);
        // A box around a body overlaps 2 (r + b)/s + 1 cells along an axis on average.
        let (constant, slope) = (2.0 * largest / size + 1.0, 2.0 / size);
        let boxes = [d, d - 1].map(|n| power_of_sum(constant, slope, n));
        let above = self.radii.from(end);
        LevelTerms {
            size,
            end,
            bodies,
            table_cells: 1.0 / bodies,
            boxes,
            from_above: boxes.map(|cells| mean(&cells, &above)),
        }
    }

    /// Returns the work of a level that stores the distinct radii from `start` on.
    pub(super) fn level_work(&self, level: &LevelTerms, start: usize) -> GridWork {
        let part = self.radii.part(start, level.end);
        // A level without bodies is not searched.
        if part <= 0.0 {
            return GridWork::default();
        }
        let [cells, rows] = match self.direction {
            SearchDirection::TopDown => level.from_above,
            SearchDirection::BottomUp => {
                let below = self.radii.below(start);
                level.boxes.map(|cells| mean(&cells, &below))
            }
        };
        let (block_cells, block_rows) = (BLOCK[self.dimension], BLOCK[self.dimension - 1]);
        GridWork {
            tests: level.bodies * part * (0.5 * block_cells * part + cells),
            rows: 0.5 * (block_rows + 1.0) * part + rows,
            cells: 0.5 * (block_cells + 1.0) * part + cells,
            table_cells: level.table_cells.min(MOST),
        }
    }
}

/// The terms of a level that do not depend on the level below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelTerms {
    pub(super) size: f64,
    /// The number of distinct radii that fit.
    pub(super) end: usize,
    /// Bodies of all levels per cell, D s^d.
    bodies: f64,
    /// Cells of its table per body.
    table_cells: f64,
    /// Cells and rows that a box around a body overlaps, as polynomials of the body's radius.
    boxes: [[f64; 4]; 2],
    /// C and R for bodies of higher levels.
    from_above: [f64; 2],
}

/// Returns the mean of a polynomial of r, from the means of the powers of r.
fn mean(polynomial: &[f64; 4], moments: &[f64; 4]) -> f64 {
    (0..4).map(|k| polynomial[k] * moments[k]).sum()
}

/// Expands `(a + b r)^n` into a polynomial of r, for n up to 3.
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

/// Returns x^n by multiplication. The last bit of `powi` depends on the platform.
fn power(x: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |product, _| product * x)
}
