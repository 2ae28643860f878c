//! Bodies and walls: what they are made of and where they end.
//!
//! Small values ([`Sphere`], [`Aabb`]) have public fields and are checked by whatever takes them
//! in. Everything else is checked on construction and valid from then on, so kernels need not
//! check again.
//!
//! A shape is in its own coordinates, in any one unit of length (areas and volumes in that to the
//! power of 2 and 3); a [`Pose`](crate::math::Pose) takes it to the world, and a [`Placed`] is the two
//! together. Constructors do what work there is; what a shape is asked for afterwards is stored, in
//! O(1), unless its docs say otherwise.

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
    Boundary, Edge, Face, FacePlane, HalfEdge, HalfEdges, Side, Spoke, VertexPair, exact_origin,
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
