//! Contact detection for discrete element method (DEM) simulations, in 2D and 3D.
//!
//! osculate finds which particles and walls touch, where, and how deeply. A *broad phase* finds candidate
//! pairs from bounding spheres. A *narrow phase* computes contact points, normals and penetration depths, or
//! intersection volumes. Forces and time integration stay in your solver. Results do not depend on the number
//! of threads.
//!
//! A step of a simulation rebuilds a [`BroadPhase`] and passes each of its pairs to a [`NarrowPhase`]:
//!
//! ```
//! use osculate::glam::DVec3;
//! use osculate::{BroadPhase, HierarchicalGrid, NarrowPhase, Sphere, SphereSphere};
//!
//! let sphere = |(x, radius)| Sphere::new(DVec3::X * x, radius);
//! let spheres = [(0.0, 1.0), (1.75, 1.0), (4.0, 0.5)].map(sphere);
//! let mut grid = HierarchicalGrid::new(); // create once, reuse every step
//! let mut kernel = SphereSphere::new();
//! let mut overlaps = Vec::new();
//! // Each step:
//! overlaps.clear();
//! grid.rebuild(&spheres)?;
//! grid.for_each_pair(|i, j| {
//!     let contact = kernel.contact(&spheres[i], &spheres[j]);
//!     overlaps.extend(contact.map(|c| c.overlap));
//! });
//! assert_eq!(overlaps, [0.25]);
//! # Ok::<(), osculate::Error>(())
//! ```
//!
//! A wall is a mesh with its own search tree; spheres are passed to it directly:
//!
//! ```
//! use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, glam::DVec3};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let wall = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2]])?);
//! let sphere = Sphere::new(DVec3::new(0.25, 0.25, 0.5), 0.75);
//! let mut overlaps = Vec::new();
//! let mut kernel = DoubleHierarchy::new();
//! kernel.for_each_contact(&sphere, &wall, &mut (), |c| overlaps.push(c.overlap));
//! assert_eq!(overlaps, [0.25]);
//! # Ok::<(), osculate::Error>(())
//! ```
//!
//! # Kernels
//!
//! | bodies | kernel | guide |
//! |---|---|---|
//! | spheres, discs | [`SphereSphere`] | [neighbors](guide::neighbors) |
//! | sphere and wall or closed mesh | [`DoubleHierarchy`] on a [`Wall`] | [walls](guide::walls) |
//! | capsule and wall | [`CapsuleWall`](narrow::CapsuleWall) | [walls](guide::walls) |
//! | two spheres | [`SphereVolume`](narrow::SphereVolume): intersection volume and its gradient | [contact volume](guide::contact_volume) |
//! | spheres, capsules, convex polyhedra, sharp or [rounded](Rounded), any two; the same in 2D | [`CommonPlane`]: signed distance, witness points | [common plane](guide::common_plane) |
//! | convex polyhedra, in pairs and at a [`Wall`] | [`PressureField`]: force and torque of an energy; contact points | [stacks](guide::stacks), [impulses](guide::impulses) |
//! | convex polyhedra | [`ConvexConvex`]: intersection volume and its gradient | [contact volume](guide::contact_volume) |
//! | closed triangle meshes, convex polyhedra | [`MeshMesh`]: the same | [contact volume](guide::contact_volume) |
//! | polygons | [`PolygonPolygon`](narrow::PolygonPolygon) | [contact volume](guide::contact_volume) |
//! | your own | a closure, or [`NarrowPhase`] | [own kernels](guide::own_kernels), [`testing`] |
//!
//! [pairs](guide::pairs) lists the kernels by pair of shapes, and [compound](guide::compound) covers bodies of several
//! parts. Any [`Bounded`] body can enter a broad phase. A [`PairList`] keeps pairs and your data for several steps
//! ([tuning](guide::tuning), [history](guide::history)); [`Periodic`] adds a periodic box
//! ([periodic](guide::periodic)). [degenerate](guide::degenerate) describes how invalid and borderline input is
//! treated.
//!
//! # Modules
//!
//! ```text
//! math  <-  shape  <-  broad | narrow  <-  reference  <-  testing
//! ```
//! - [`math`]: vectors, rigid poses, closest points, orientation signs.
//! - [`shape`]: spheres, boxes, convex bodies, walls and solids; validated on construction.
//! - [`broad`]: grids, Verlet lists, periodic boxes, domain decomposition.
//! - [`narrow`]: the contacts of two bodies.
//! - [`mod@reference`]: the papers' own algorithms, for reproduction and comparison.
//! - [`testing`]: properties, reference results and generators, for these kernels and for your own.
//! - [`guide`]: a page for each task, and a [gallery](guide::gallery).
//!
//! # Conventions
//!
//! - Normals have unit length and point **from the first body to the second**. The repulsive force on the
//!   second body acts along `+normal`. [`PressureContact::force`] acts on the second body,
//!   [`ContactVolume::force`] on the first, as in its paper.
//! - `overlap` is the penetration depth; for a separated pair within a margin it is minus the gap.
//! - Broad phases are inclusive (distance <= sum of radii), narrow phases strict (overlap > 0).
//! - Axes are right-handed. Faces are counter-clockwise seen from outside. Angles are in radians, lengths in any
//!   consistent unit. Contacts are in the world frame, shapes in their own coordinates.
//! - A plate without thickness pushes to the side on which the center of a sphere is now. Overlaps beyond the radius need
//!   smaller steps, or a closed wall ([`SurfaceMesh::thickened`]).
//! - Bodies are identified by `usize` indices into your slices; vertices, edges and facets of a mesh by `u32`.
//! - Results scale exactly under powers of two; there is no absolute tolerance. Coordinates are within ±2^150,
//!   lengths 0 or within [2^-150, 2^150].
//! - Invalid input is refused with its index ([`Error`]). Public functions do not panic, except in
//!   `testing::oracle`. Kernels do not fail, and allocate only while their buffers grow.
//!
//! # Features
//!
//! - `rayon`: parallel rebuild and search, with the serial result.
//! - `serde`: `Serialize` and `Deserialize`; validated types are validated again when read.
//! - `testing`: properties, reference results, generators and workloads for tests of your kernels.
//!
#![cfg_attr(not(feature = "testing"), doc = "[`testing`]: #features")]
// Except broad/simd.rs and math/wide.rs.
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
#[cfg(feature = "rayon")]
mod parallel;
pub mod reference;
pub mod shape;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[doc(inline)]
pub use broad::{
    BroadPhase, BruteForce, Filtered, HierarchicalGrid, LinkedCells, NeighborLists, PairList,
    Periodic, PeriodicBox, Skin,
};
#[doc(inline)]
pub use error::{Error, ErrorKind};
pub use glam;
#[doc(inline)]
pub use math::{Pose2, Pose3, Vector};
#[doc(inline)]
pub use narrow::{
    CommonPlane, CommonPlaneContact, CommonPlaneState, Contact, ContactEnergy, ContactVolume,
    ConvexConvex, DoubleHierarchy, MeshMesh, NarrowPhase, PressureContact, PressureField,
    PressureState, SphereSphere, VolumeState, Wall, WallContact, WallList,
};
#[doc(inline)]
pub use shape::{
    Aabb, Bounded, ConvexPolygon, ConvexPolyhedron, Feature, MassProperties, Placed, Rounded,
    SolidMesh, Sphere, SurfaceMesh,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
