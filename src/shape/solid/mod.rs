//! Solids: closed triangle meshes, tetrahedral meshes, and polygons in 2D.

mod closed;
mod flow;
mod polygon;
mod solid_mesh;
mod tet_mesh;
mod triangle;

pub(in crate::shape) use closed::{checked_shells, six_volumes};
pub(crate) use flow::Flow;
pub use polygon::Polygon;
pub(crate) use polygon::next_within;
pub use solid_mesh::SolidMesh;
pub(crate) use tet_mesh::FACES as TET_FACES;
pub use tet_mesh::TetMesh;
pub(crate) use triangle::Triangle;
