//! Surfaces of facets, open or closed: meshes of triangles and polygons in 3D, of segments in 2D.

mod adjacency;
mod facet;
mod facet_check;
mod facets;
mod mesh_report;
mod planes;
mod segment_mesh;
mod surface_mesh;
mod weights;
mod weld;

pub(crate) use adjacency::Adjacency;
pub use facet::Facet;
pub(crate) use facets::Parts;
pub use mesh_report::MeshReport;
pub(crate) use planes::{FacetPlane, Planes, SidePlane, normal_error};
pub use segment_mesh::SegmentMesh;
pub use surface_mesh::SurfaceMesh;
pub use weld::weld;
