//! Shapes of bodies and walls.
//!
//! Small values ([`Sphere`], [`Aabb`]) have public fields, and functions that store them check them.
//! All other shapes are checked on construction and valid from then on, so kernels do not check them
//! again.
//!
//! A shape has its own coordinates, in any one unit of length. A [`Pose`](crate::math::Pose) takes it to the
//! world, and a [`Placed`] is a shape with a pose. Constructors do the expensive work. Other methods
//! return stored results in O(1), unless their docs say otherwise.

mod aabb;
mod box_tree;
mod convex;
mod debug;
mod feature;
mod periodic_box;
mod placed;
mod precision;
pub(crate) mod rows;
mod solid;
mod sphere;
mod stamp;
mod surface;

pub use aabb::Aabb;
pub use box_tree::BoxTree;
pub(crate) use convex::{
    Boundary, BoundaryEdge, Face, FacePlane, FaceSide, HalfEdge, HalfEdges, Spoke, VertexPair,
    exact_origin,
};
pub use convex::{ConvexPolygon, ConvexPolyhedron};
pub use feature::Feature;
pub use periodic_box::PeriodicBox;
pub use placed::{Bounded, Placed};
pub(crate) use solid::{Flow, TET_FACES, Triangle};
pub use solid::{Polygon, SolidMesh, TetMesh};
pub use sphere::Sphere;
pub(crate) use stamp::Stamp;
pub(crate) use surface::{Adjacency, NO_EDGE, UnionFind, have_names, names};
pub use surface::{Facet, MeshReport, SegmentMesh, SurfaceMesh, weld};
