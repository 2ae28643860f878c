//! Surfaces of facets, open or closed: meshes of triangles and polygons in 3D, of segments in 2D.

mod adjacency;
mod facet;
mod facet_check;
mod facets;
mod mesh_report;
mod segment_mesh;
mod surface_mesh;
mod triangulate;
mod union_find;
mod weights;
mod weld;

pub(crate) use adjacency::Adjacency;
pub use facet::Facet;
pub(super) use facets::neighbors;
pub use mesh_report::MeshReport;
pub(super) use mesh_report::unused;
pub use segment_mesh::SegmentMesh;
pub use surface_mesh::SurfaceMesh;
pub(in crate::shape) use triangulate::triangulate;
pub(crate) use union_find::UnionFind;
pub use weld::weld;
pub(crate) use weld::{have_names, names};
