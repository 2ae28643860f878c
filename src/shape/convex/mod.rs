//! Convex polygons and polyhedra, their hulls, and the topology of their boundary.

mod boundary;
mod half_edges;
mod hull;
mod hull_2d;
mod polygon;
mod polyhedron;

pub(crate) use boundary::{Boundary, BoundaryEdge, Face, FaceSide, Spoke, VertexPair};
pub(crate) use half_edges::{FacePlane, HalfEdge, HalfEdges, exact_origin};
pub use polygon::ConvexPolygon;
pub use polyhedron::ConvexPolyhedron;
