//! Bodies and walls: what they are made of and where they end.
//!
//! Small values ([`Sphere`], [`Aabb`]) have public fields and are checked by whatever takes them
//! in. Everything else is checked on construction and valid from then on, so kernels need not
//! check again.

mod aabb;
mod boundary;
mod box_tree;
mod convex_hull;
mod facets;
mod feature;
mod mesh_report;
mod placed;
mod polygon;
mod polyhedron;
mod solid_mesh;
mod sphere;
mod surface_mesh;
mod weld;

pub use aabb::Aabb;
pub(crate) use boundary::{Boundary, Edge, Face};
pub use box_tree::BoxTree;
pub use convex_hull::{convex_hull, convex_hull_2d};
pub use feature::Feature;
pub use mesh_report::MeshReport;
pub use placed::{Bounded, Placed};
pub use polygon::ConvexPolygon;
pub use polyhedron::ConvexPolyhedron;
pub use solid_mesh::SolidMesh;
pub use sphere::Sphere;
pub use surface_mesh::{Facet, SurfaceMesh};
pub use weld::weld;
