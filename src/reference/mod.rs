//! The papers' own algorithms, for reproduction and comparison.
//!
//! The kernels of [`narrow`](crate::narrow) and the grids of [`broad`](crate::broad) deviate from the papers they are
//! based on. This module implements the algorithms as printed, to reproduce the papers' results and to measure the
//! deviations. They are slower, and wrong where the papers are. docs/PAPERS.md lists every deviation with its test.
//! [`GridCostModel`] is a reconstruction, because the cost equations of the grid's paper were not available.
//!
//! | paper | here | use instead |
//! |---|---|---|
//! | Krijgsman, Ogarko, Luding (2014) | level rules ([`linear_level_sizes`] and others), [`GridCostModel`] | [`HierarchicalGrid`](crate::HierarchicalGrid), which tunes itself |
//! | Santasusana et al. (2016), Tables 3 and 4 | [`sequential_double_hierarchy`] | [`DoubleHierarchy`](crate::DoubleHierarchy) |
//! | Nezami et al. (2004) | [`FastCommonPlane`] | [`CommonPlane`](crate::CommonPlane) |
//! | Feng (2021), section 3.2 | [`intersect_tetrahedra`] | [`MeshMesh`](crate::MeshMesh) on [`TetMesh::to_solid`](crate::shape::TetMesh::to_solid) |
//! | Cundall (1988) | [`cundall_common_plane`] | [`CommonPlane`](crate::CommonPlane) |

mod cundall;
mod fast_common_plane;
mod level_sizes;
mod sequential_double_hierarchy;
mod tetrahedra;

pub use crate::broad::levels::{GridCost, GridCostModel, LevelWork, RadiusDistribution};
pub use cundall::{CundallPlane, cundall_common_plane};
pub use fast_common_plane::{
    FastCommonPlane, FastCommonPlaneContact, FastCommonPlaneState, FastCommonPlaneStats,
};
pub use level_sizes::{
    constant_count_level_sizes, exponential_level_sizes, linear_level_sizes, optimal_level_sizes,
};
pub use sequential_double_hierarchy::sequential_double_hierarchy;
pub use tetrahedra::{TetrahedraIntersection, intersect_tetrahedra};
