//! A sphere against a meshed wall: the double hierarchy method (H2), made independent of the mesh.
//!
//! M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method. A
//! parallel 3D contact method for the interaction of spherical particles with rigid FE boundaries
//! using the DEM", Computational Particle Mechanics 3 (2016) 407-428.
//!
//! A sphere may intersect many facets, edges and vertices, but should have few contacts. Contacts are
//! the local minima, inside the sphere, of the distance from its center to the surface. The surface as
//! a set of points defines them. A facet holds a minimum if the center projects into its interior. An
//! edge or a vertex is one if no adjacent facet or edge comes closer.
//!
//! Deviations:
//! - The paper compares contacts one by one, in facet order, and lets later ones replace earlier ones
//!   (Tables 3 and 4). The result depends on the order: culling is not transitive, and a dropped
//!   contact may be needed to cull others. Here each feature is compared with its adjacent facets,
//!   which the mesh provides.
//! - Features are ranked by topology, because two distances can agree to rounding while the points
//!   differ. An edge is no minimum if the center projects into an adjacent facet. A vertex is none if
//!   an adjacent edge comes closer. A projection within rounding error of an edge or vertex counts as
//!   on it, for all adjacent facets.
//! - Vertices at the same position count as one, so a triangle soup gives the same contacts as an
//!   indexed mesh. Where parts of the surface touch otherwise (hanging vertices, plates on a floor), the wall stores for
//!   each edge and vertex the facets that it lies on: its hosts. It is no minimum if a host comes closer elsewhere.
//! - Contacts whose normals differ by less than 2^-5, 1.8 degrees, are one, the nearest.
//! - Coordinates are relative to the center. Inside-outside tests (eqs. 17-19) need no side flag, and
//!   normals are Newell's (eq. 14 fails at collinear corners).
//!
//! Where is it decided? A minimum of the surface in `search_3d.rs` and `search_2d.rs`, by adjacent facets. Whether
//! parts of the wall touch in `hosts.rs`, when it is built, and `minima.rs`, for a sphere. Which minima are contacts in
//! `selection.rs`. Whether the sphere touches, and the order of these stages, in `kernel.rs`.

mod capsule_wall;
mod contact;
mod facet_planes;
mod hosts;
mod index;
mod kernel;
mod mesh;
mod minima;
mod periodic;
mod search_2d;
mod search_3d;
mod selection;
mod slots;
mod subset;
mod surface_index;
#[cfg(test)]
mod tests;
mod wall;
mod wall_search;
#[cfg(test)]
mod wall_tests;

pub use self::capsule_wall::CapsuleWall;
pub use self::contact::{WallContact, WallContactKey, match_contacts};
pub use self::kernel::DoubleHierarchy;
pub use self::mesh::WallMesh;
pub(super) use self::minima::Ball;
pub use self::selection::{ContactSelection, WallSides};
pub(super) use self::slots::Across;
pub use self::subset::FacetSubset;
pub use self::wall::Wall;
