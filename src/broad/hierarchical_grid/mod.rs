//! The hierarchical grid: cells of several sizes, so that bodies of similar size share a level.
//!
//! D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data structure
//! for contact detection in arbitrarily polydisperse particle systems", Computational Particle
//! Mechanics 1 (2014) 357-372.
//!
//! A body is stored on the lowest level whose cells are at least as wide as the body. It is tested against the bodies
//! of its own level in half of the adjacent cells. On the finer levels it is tested against the bodies of all cells
//! that overlap a box around it. This is the top-down search; bottom-up takes the coarser levels.
//!
//! Deviations from the paper:
//! - Bodies are sorted by level and cell (a counting sort) instead of linked into lists. The bodies of cells adjacent
//!   along x are contiguous in memory. So half the neighborhood of a cell is 2 runs of bodies in 2D and 5 in 3D. The
//!   cost depends on the number of rows of cells, not of cells.
//! - Bodies are tested eight (or four) at a time in single precision. Undecided pairs are then tested exactly.
//! - Cells are 2^-19 wider than the interaction distance. If they were equal, rounding might put touching bodies two
//!   cells apart.
//! - Tables have at most about two cells per body, for any extent. If this makes cells too wide, they cover the
//!   bulk of the bodies, and the others count as in the outermost cells.
//! - Cells hold too many bodies if most bodies are in a small part of the extent. The bodies of each octave of
//!   radii are then stored in a tree of boxes: O(n log n) for any positions and radii.
//! - Level sizes are chosen from the actual radii, not from an assumed distribution.
//!
//! Layers: `level`, `table` and `trees` (storage) <- `summary`, `sample`, `histogram`, `tuning`, `layout` (choice of
//! levels) <- `grid` (the type) <- `finder`, `search`, `pack`, `rebuild`, `report` (operations).

mod finder;
mod grid;
mod histogram;
mod layout;
mod level;
mod pack;
#[cfg(feature = "rayon")]
mod parallel;
mod rebuild;
mod report;
mod sample;
mod search;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod trees;
mod tuning;

pub use grid::HierarchicalGrid;
pub use report::{GridReport, LevelReport};
