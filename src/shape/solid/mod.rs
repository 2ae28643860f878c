//! Solids: closed triangle meshes, tetrahedral meshes, and polygons in 2D.

mod closed;
mod polygon;
mod shells;
mod solid_mesh;
mod solid_shape;
mod tet_mesh;
mod thickened;
mod triangulation;

pub(in crate::shape) use closed::{checked_shells, six_volumes};
pub use polygon::Polygon;
pub use solid_mesh::SolidMesh;
pub use solid_shape::Solid;
pub(crate) use tet_mesh::FACES as TET_FACES;
pub use tet_mesh::TetMesh;
pub(in crate::shape) use tet_mesh::triangles;
pub(crate) use triangulation::FanArea;
