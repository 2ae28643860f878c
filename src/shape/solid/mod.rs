//! Solids: closed triangle meshes, tetrahedral meshes, and polygons in 2D.

mod flow;
mod simple_polygon;
mod solid_mesh;
mod solid_tree;
mod tet_mesh;

pub(crate) use flow::Flow;
pub use simple_polygon::Polygon;
pub use solid_mesh::SolidMesh;
pub(in crate::shape) use solid_mesh::{checked_volume, six_volumes};
pub use solid_tree::SolidTree;
pub(crate) use solid_tree::Triangle;
pub(crate) use tet_mesh::FACES as TET_FACES;
pub use tet_mesh::TetMesh;
