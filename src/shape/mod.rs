//! Bodies and walls: what they are made of and where they end.
//!
//! Small values ([`Sphere`], [`Aabb`]) have public fields and are checked by whatever takes them
//! in. Everything else is checked on construction and valid from then on, so kernels need not
//! check again.
//!
//! A shape is in its own coordinates, in any one unit of length (areas and volumes in that to the
//! power of 2 and 3); a [`Pose`](crate::Pose) takes it to the world, and a [`Placed`] is the two
//! together. Constructors do what work there is; what a shape is asked for afterwards is stored, in
//! O(1), unless its docs say otherwise.

mod aabb;
mod adjacency;
mod boundary;
mod box_tree;
mod convex_hull;
mod convex_hull_2d;
mod facet;
mod facet_check;
mod facets;
mod feature;
mod flow;
mod half_edges;
mod mesh_report;
mod periodic_box;
mod placed;
mod planes;
mod polygon;
mod polyhedron;
mod precision;
mod segment_mesh;
mod simple_polygon;
mod solid_mesh;
mod solid_tree;
mod sphere;
mod stamp;
mod surface_mesh;
mod tet_mesh;
mod weights;
mod weld;

pub use aabb::Aabb;
pub(crate) use adjacency::Adjacency;
pub(crate) use boundary::{Boundary, Edge, Face, Packed, Side, Spoke};
pub use box_tree::BoxTree;
pub use convex_hull::convex_hull;
pub use convex_hull_2d::convex_hull_2d;
pub use facet::Facet;
pub(crate) use facet_check::SHAPE_TOLERANCE;
pub(crate) use facets::Parts;
pub use feature::Feature;
pub(crate) use flow::Flow;
pub(crate) use half_edges::{FacePlane, HalfEdge, HalfEdges, exact_origin};
pub use mesh_report::MeshReport;
pub use periodic_box::PeriodicBox;
pub use placed::{Bounded, Placed};
pub(crate) use planes::{FacetPlane, Planes, SidePlane, normal_error};
pub use polygon::ConvexPolygon;
pub use polyhedron::ConvexPolyhedron;
pub use segment_mesh::SegmentMesh;
pub use simple_polygon::Polygon;
pub use solid_mesh::SolidMesh;
pub use solid_tree::SolidTree;
pub(crate) use solid_tree::Triangle;
pub use sphere::Sphere;
pub(crate) use stamp::Stamp;
pub use surface_mesh::SurfaceMesh;
pub(crate) use tet_mesh::FACES as TET_FACES;
pub use tet_mesh::TetMesh;
pub use weld::weld;
