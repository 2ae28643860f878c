//! Contact detection for particles and rigid bodies: which bodies touch, where, how deep.
//!
//! f64, 2D and 3D. No forces and no time stepping: the solver is the caller's.
//!
//! # How it fits together
//!
//! ```text
//! math  <-  shape  <-  broad | narrow  <-  testing          imports go down only
//! ```
//! - [`math`]: vectors, rigid poses, closest points, exact signs.
//! - [`shape`]: spheres, boxes, convex polygons and polyhedra, walls and solids; checked on
//!   construction.
//! - [`broad`]: every pair of bodies whose bounding spheres touch, in O(n) (O(n log n) of uneven densities), of any sizes,
//!   in the open or in periodic boxes, each step anew or from a list that is kept for several; the
//!   facets of a wall near spheres.
//! - [`narrow`]: the contacts between two bodies.
//! - [`testing`]: the laws that broad and narrow phases obey, and slow oracles, for testing these
//!   and one's own.
//! - [`guide`]: a page for each method, periodic boxes, contact history, degenerate input, tuning.
//!
//! A step of a simulation rebuilds a [`BroadPhase`] from positions and radii, and hands each of
//! its pairs to a [`NarrowPhase`]:
//!
//! ```
//! use osculate::{BroadPhase, HierarchicalGrid, NarrowPhase, Sphere, SphereSphere, glam::DVec3};
//!
//! let spheres = [(0.0, 1.0), (1.75, 1.0), (4.0, 0.5)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
//! let mut grid = HierarchicalGrid::new();
//! let mut kernel = SphereSphere::new();
//! let mut contacts = Vec::new();
//! // Each step:
//! grid.rebuild(&spheres)?;
//! contacts.clear();
//! grid.for_each_pair(|i, j| {
//!     let (a, b) = (&spheres[i], &spheres[j]);
//!     kernel.for_each_contact(a, b, &mut (), |contact| contacts.push((i, j, contact)));
//! });
//! assert_eq!(contacts.len(), 1);
//! assert_eq!(contacts[0].2.overlap, 0.25);
//! # Ok::<(), osculate::Error>(())
//! ```
//!
//! A wall is a mesh with its tree, and touches a sphere in one call:
//!
//! ```
//! use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, glam::DVec3};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let wall = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]])?);
//! let sphere = Sphere::new(DVec3::new(0.25, 0.25, 0.5), 0.75);
//! let mut overlaps = Vec::new();
//! DoubleHierarchy::new().for_each_contact(&sphere, &wall, &mut Default::default(), |c| overlaps.push(c.overlap));
//! assert_eq!(overlaps, [0.25]);
//! # Ok::<(), osculate::Error>(())
//! ```
//!
//! # Which kernel
//!
//! | bodies | contacts | guide |
//! |---|---|---|
//! | spheres, discs | [`SphereSphere`] | [neighbours](guide::neighbours) |
//! | sphere and wall | [`DoubleHierarchy`] on a [`Wall`] | [walls](guide::walls) |
//! | convex polyhedra or polygons | [`CommonPlane`]: gap or overlap, witness points | [common plane](guide::common_plane) |
//! | closed meshes, polygons, tetrahedra; convex polyhedra | [`MeshMesh`], [`PolygonPolygon`], [`TetTet`]; [`ConvexConvex`]: shared volume and its gradient | [contact volume](guide::contact_volume) |
//! | one's own | a closure, or [`NarrowPhase`] | [`testing`] |
//!
//! Any body that is [`Bounded`] goes into a [`HierarchicalGrid`]. Around it: a [`PairList`] that lasts for
//! several steps and keeps what pairs remember ([tuning](guide::tuning), [history](guide::history)), a
//! [`Periodic`] box ([periodic](guide::periodic)). What becomes of bad and borderline input is in
//! [degenerate](guide::degenerate).
//!
//! # Conventions
//!
//! - Normals are unit and point **from the first body to the second**. The repulsive force on the
//!   second body is along `+normal`, on the first along `-normal`.
//! - `overlap` is positive where bodies interpenetrate; with a margin, near pairs have `overlap`
//!   minus the gap.
//! - Broad phases are inclusive (distance <= sum of radii), narrow phases strict (overlap > 0).
//! - Right-handed axes, faces counter-clockwise seen from outside, outward normals, radians, any
//!   unit of length. World frame unless a name ends in `_local`.
//! - Answers scale exactly under powers of two; there is no absolute tolerance anywhere.
//!   Coordinates are within ±2^150, lengths 0 or within [2^-150, 2^150].
//! - Bad input is refused at the door with its index ([`Error`]); no public function panics
//!   ([`testing::oracle`] apart). Kernels do not fail, and do not allocate once their buffers have
//!   grown.
//!
//! # Features
//!
//! - `rayon`: parallel forms of the pair search, with the serial sequence.
//! - `serde`: `Serialize` and `Deserialize`; what is checked on construction is checked again.
//! - `proptest`: `testing::strategies`, generators of nasty inputs.

// One file is excepted: broad/simd.rs.
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod broad;
mod error;
pub mod guide;
pub mod math;
pub mod narrow;
pub mod shape;
pub mod testing;

pub use broad::{
    BroadPhase, BruteForce, FacetTree, Filtered, GridAdvice, GridCost, GridCostModel, GridReport,
    GridWork, HierarchicalGrid, IncrementalBroadPhase, LevelReport, LevelSizes, LevelWork,
    LinkedCells, NeighborLists, Pair, PairList, Periodic, PeriodicBox, RadiusDistribution,
    RankBody, SearchDirection, Skin, rank_owns_pair,
};
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::{Error, ErrorKind};
pub use glam;
pub use math::{Pose, Pose2, Pose3, Vector};
pub use narrow::{
    CommonPlane, CommonPlaneContact, CommonPlaneMode, CommonPlaneState, CommonPlaneStats, Contact,
    ContactEnergy, ContactManifold, ContactSelection, ContactVolume, ConvexConvex, CurveNode,
    CurveSegment, DoubleHierarchy, FacetSubset, FastCommonPlane, FastCommonPlaneContact,
    FastCommonPlaneState, FastCommonPlaneStats, IntersectionKind, LastSide, ManifoldPoint,
    MeshMesh, NarrowPhase, PlaneSection, PolygonPolygon, SphereSphere, Surface, TetConvex, TetTet,
    Wall, WallContact, WallContactKey, WallSides, WallState, keep_deepest, match_contacts,
};
pub use shape::{
    Aabb, Bounded, BoxTree, ConvexPolygon, ConvexPolyhedron, Facet, Feature, MeshReport, Placed,
    Polygon, SegmentMesh, SolidMesh, SolidTree, Sphere, SurfaceMesh, TetMesh, convex_hull,
    convex_hull_2d,
};
