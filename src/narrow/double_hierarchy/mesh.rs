//! The meshes of walls, and the facet queries of the kernel.

use std::fmt::Debug;
use std::sync::Arc;

use super::search_result::{Ball, Found, Part};
use crate::error::Result;
use crate::math::tolerance::two_to;
use crate::math::{ClosestPoint, Vector};
use crate::shape::{Aabb, Bounded, BoxTree, Feature, Sphere};

/// A mesh for a [`Wall`](super::Wall): a [`SurfaceMesh`](crate::SurfaceMesh) in 3D, a
/// [`SegmentMesh`](crate::shape::SegmentMesh) in 2D. Sealed.
pub trait WallMesh: Bounded + Indexed {
    /// Returns the number of facets.
    fn facet_count(&self) -> u32;

    /// Returns the positions of the vertices.
    fn vertices(&self) -> &[Self::Vector];
}

/// Seals [`WallMesh`]: the index that a wall builds for its mesh.
pub trait Indexed: Bounded + Clone + Debug + PartialEq + Send + Sync {
    type Index: WallIndex<Mesh = Self, Vector = Self::Vector>;

    /// Returns the bounding box of a facet.
    fn box_of(&self, facet: u32) -> Aabb<Self::Vector>;

    /// Returns the mesh with copies of all vertices and some facets for each shift.
    fn with_copies(&self, copies: &[(Self::Vector, Vec<u32>)]) -> Self;

    /// Moves the vertices.
    fn move_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;
}

/// A mesh with its planes and its adjacency by position.
///
/// The slot of a facet is its place in the leaf order of the wall's tree. Vertices at the same position share one
/// number. Contacts name facets by their ids in the mesh, and vertices by the lowest id at the position.
pub trait WallIndex: Clone + Debug + Send + Sync {
    type Vector: Vector;
    type Mesh: WallMesh<Vector = Self::Vector>;

    /// Builds an index without hosts; `facets` lists the facets of the mesh by slot.
    fn new(mesh: Arc<Self::Mesh>, facets: &[u32]) -> Self;

    fn mesh(&self) -> &Self::Mesh;

    /// Moves the vertices, and copies the mesh if it is shared. Returns `false` if vertices have met or parted: then
    /// hosts must be found again.
    fn set_vertices(&mut self, vertices: &[Self::Vector]) -> Result<bool>;

    /// Finds the facets that vertices and edges lie on; `tree` has the boxes of the facets.
    fn find_hosts(&mut self, tree: &BoxTree<Self::Vector>);

    fn facet_count(&self) -> u32 {
        self.mesh().facet_count()
    }

    /// Returns the slot of a facet of the mesh.
    fn slot(&self, facet: u32) -> u32;

    /// Returns the facet of the mesh in a slot.
    fn id(&self, slot: u32) -> u32;

    fn facet_box(&self, slot: u32) -> Aabb<Self::Vector>;

    /// Returns the unit normal on the front of a facet, or 0 without area.
    fn normal(&self, slot: u32) -> Self::Vector;

    /// Returns where a feature is stored, `None` if it does not exist.
    fn part(&self, feature: Feature) -> Option<Part>;

    /// Visits the slot of each facet that has a feature, in the order of the mesh.
    fn for_each_facet_at(&self, part: Part, visit: impl FnMut(u32));

    /// As [`SurfaceMesh::for_each_nodal_weight`](crate::SurfaceMesh::for_each_nodal_weight).
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Adds the minima of the distance to facets. An edge or vertex belongs to its first facet in the mesh.
    fn search(&self, slots: &[u32], ball: Ball<Self::Vector>, found: &mut Found<Self::Vector>);

    /// Returns the closest point of a facet to `from`, and the feature it is on.
    fn closest(&self, slot: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Part);

    /// Visits the numbers of a facet's corners.
    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32));

    /// Returns whether a vertex is a corner of a facet.
    fn has_corner(&self, slot: u32, vertex: u32) -> bool;

    /// Visits the slots of the facets on which a point of a feature may lie that do not share the feature: none
    /// for a point inside a facet.
    fn for_each_host(&self, part: Part, point: Self::Vector, visit: impl FnMut(u32));

    /// Returns the distance up to which points are the same because of the precision of the mesh, or of rounding.
    fn noise(&self) -> f64;
}

/// The distance that counts as noise, relative to the precision of a mesh. A gap between two corners takes two
/// precisions, and slivers lie between several gaps.
const NOISE: f64 = 12.0;
/// The least noise, relative to the coordinates: some rounding errors.
const LEAST_NOISE: f64 = two_to(-47);

/// Returns the noise of a mesh with a precision and a bounding sphere.
pub(super) fn noise<V: Vector>(precision: f64, bounds: Sphere<V>) -> f64 {
    let largest = bounds.center.length() + bounds.radius;
    (NOISE * precision).max(LEAST_NOISE * largest)
}
