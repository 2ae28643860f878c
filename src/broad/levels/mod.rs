//! The cost model of the hierarchical grid, and the level sizes of least cost.
//!
//! D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data structure
//! for contact detection in arbitrarily polydisperse particle systems", Computational Particle
//! Mechanics 1 (2014) 357-372.
//!
//! A body is stored on the lowest level whose cells are at least as wide as the body. It is tested against the
//! bodies of its own level in half of the adjacent cells. On each lower level (or each higher one) it is tested
//! against the bodies of all cells that overlap a box around it. For independent, uniform positions the expected
//! work depends only on the number density and the moments of the radii. Per body of all levels:
//!
//! ```text
//! level: cell size s, largest radius b, share n of the bodies; D bodies per unit volume; d = 2 or 3
//! among its bodies   tests  1/2 3^d D s^d n^2     cells  (3^d + 1)/2 n     rows  (3^(d-1) + 1)/2 n
//! from other levels  tests  D s^d n C             cells  C                 rows  R
//!                    C = mean of (2 (r + b)/s + 1)^d,  R = mean of (2 (r + b)/s + 1)^(d-1)
//! ```
//! The means are over all bodies; a body of a level that does not search this one counts as 0. A box of width
//! w = 2 (r + b) at a random position overlaps w/s + 1 cells along an axis on average, independently for each
//! axis. Hence C and R are polynomials of r, and their means follow from the moments of the radii.
//!
//! The text of the paper that was available has no equations of the cost: these are a reconstruction.
//!
//! The cost of a level depends only on its own size and on the size of the level below. So the best sizes are a
//! shortest path.
//!
//! Deviations from the paper:
//! - The actual radii replace a density function, so any distribution is represented exactly.
//! - The box has the width that the largest body of the level needs (b), not the width that its cells would
//!   allow (s/2). The two agree for a density without gaps.
//! - Cells adjacent along x are contiguous in memory, so rows of cells may be counted instead of cells.
//! - Optimal sizes are found as a shortest path, where the paper uses BFGS. This needs no start values and also finds
//!   the number of levels. The last level may be larger than the largest body.

mod cost_model;
mod level_sizes;
#[cfg(test)]
mod monte_carlo;
mod radii;
mod size_search;
#[cfg(test)]
mod tests;

pub use cost_model::{GridCost, GridCostModel, GridWork, LevelWork, SearchDirection};
pub use level_sizes::LevelSizes;
pub use radii::RadiusDistribution;
pub(crate) use size_search::MAX_OPTIMAL_LEVELS;
pub(super) use size_search::SizeSearch;
