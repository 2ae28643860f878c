//! A sphere against the facets of a wall: the double hierarchy method (H2), made independent of
//! the mesh.
//!
//! M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method. A
//! parallel 3D contact method for the interaction of spherical particles with rigid FE boundaries
//! using the DEM", Computational Particle Mechanics 3 (2016) 407-428.
//!
//! A sphere near a wall comes close to many facets, edges and vertices, but has few contacts with
//! the surface they make up. The contacts are the local minima of the distance from the centre to
//! the surface, as far as they are inside the sphere: a property of the surface as a set of
//! points. The interior of a facet has one where the foot of the centre is inside it; an edge or a
//! vertex is one if the surface comes nowhere closer on the facets that meet there.
//!
//! Deviations:
//! - The paper compares contacts one by one as facets come and lets the later replace the earlier
//!   (Tables 3 and 4). That depends on the order of the facets: culling is not transitive, and a
//!   contact that is thrown away was still needed to cull others. Here each feature is judged by
//!   the facets that have it, which are known from the mesh: nothing is compared with everything.
//! - Distances decide nothing: they are equal to rounding long before points are. An edge is no
//!   minimum if the centre is inside of a facet there, a vertex if an edge there leads closer.
//!   What rounding cannot tell from being on an edge or vertex is on it, for all facets alike.
//! - Vertices at the same position are one, so a soup of triangles is as good as a mesh. Parts of
//!   the surface that touch otherwise (hanging vertices, plates on a floor) are recognised by
//!   position: an edge or vertex that lies on another facet is eliminated by it if that facet comes
//!   closer. Contact points closer to each other than 2^-24 of the reach are one.
//! - Coordinates are relative to the centre. Inside-outside tests (eqs 17-19) need no side flag,
//!   normals are Newell's (eq. 14 fails on collinear corners).

mod contact;
mod facing;
mod found;
mod kernel;
mod mesh;
mod minima;
mod nearby;
mod path;
mod plane;
mod planes;
mod repeated;
mod selection;
mod side;
mod space;
mod state;
mod subset;
#[cfg(test)]
mod tests;
mod touch;
mod wall;
#[cfg(test)]
mod wall_tests;

pub use self::contact::{WallContact, WallContactKey, keep_deepest, match_contacts};
pub use self::kernel::DoubleHierarchy;
pub use self::mesh::WallMesh;
pub use self::selection::{ContactSelection, WallSides};
pub use self::state::WallState;
pub use self::subset::FacetSubset;
pub use self::wall::Wall;
