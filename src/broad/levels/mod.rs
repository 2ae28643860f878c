//! What a hierarchical grid costs, and the cell sizes of its levels that cost least.
//!
//! D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data structure
//! for contact detection in arbitrarily polydisperse particle systems", Computational Particle
//! Mechanics 1 (2014) 357-372.
//!
//! A body is on the lowest level whose cells are as wide as the body. It is tested against the
//! bodies of its level in half of the cells around its own, and against those of each lower level
//! (or each higher one) in the cells that a box around it meets. For random positions the numbers
//! of tests and of cells follow from the moments of the radii and from nothing else:
//!
//! ```text
//! level j: cell size s, largest radius b, n of N bodies; D bodies in unit volume; d = 2 or 3
//! on the level     tests  1/2 3^d D s^d n^2       cells  (3^d + 1)/2 n     rows  (3^(d-1) + 1)/2 n
//! searched from    tests  D s^d n C               cells  C                 rows  R
//! other levels     C = mean of (2 (r + b)/s + 1)^d,  R = mean of (2 (r + b)/s + 1)^(d-1),
//!                  over all N bodies, those not on a level that searches this one counting 0
//! ```
//! The cost of a level depends on its own size and on that of the level below, so the best sizes
//! are a shortest path.
//!
//! Deviations:
//! - The actual radii, not a density function: any distribution, exactly.
//! - A box is as wide as the largest body of the level asks for (b), not as its cells would allow
//!   (s/2). For a density without gaps this is the same.
//! - Cells adjacent in x lie together in memory, so rows of cells can be counted instead of cells.
//! - Optimal sizes by shortest path (BFGS in the paper): no start values, the number of levels
//!   comes with them, and the last level may be larger than the largest body.

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
pub(crate) use level_sizes::MAX_OPTIMAL_LEVELS;
pub use radii::RadiusDistribution;
pub(super) use size_search::SizeSearch;
