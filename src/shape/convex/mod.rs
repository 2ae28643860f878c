//! Convex polygons and polyhedra, their hulls, and the topology of their boundary.

mod boundary;
mod convexity;
mod half_edges;
mod hull;
mod hull_2d;
mod polygon;
mod polyhedron;
mod vertex_block;

pub(crate) use boundary::{Boundary, BoundaryEdge, Face, FaceSide, Spoke};
pub(crate) use half_edges::{FacePlane, HalfEdge, HalfEdges};
pub use polygon::ConvexPolygon;
pub use polyhedron::ConvexPolyhedron;
pub(crate) use vertex_block::VertexBlock;
