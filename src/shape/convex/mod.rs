//! Convex polygons and polyhedra, their hulls, and the topology of their boundary.

mod boundary;
mod convexity;
mod core;
mod half_edges;
mod hull;
mod hull_2d;
mod polygon;
mod polyhedron;
mod rounded;
mod rounded_polygon;
mod vertex_block;

pub(crate) use boundary::{Boundary, BoundaryEdge, Face, Spoke};
pub use core::Convex;
pub(crate) use core::{Core, FlatCore, Space};
pub(crate) use half_edges::{FacePlane, HalfEdge, HalfEdges};
pub use polygon::ConvexPolygon;
pub use polyhedron::ConvexPolyhedron;
pub use rounded::Rounded;
pub(in crate::shape) use rounded::RoundedCore;
pub use rounded_polygon::RoundedPolygon;
pub(crate) use vertex_block::VertexBlock;
