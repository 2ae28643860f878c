//! The meshes of walls, and the facet queries of the kernel.

use std::fmt::Debug;
use std::sync::Arc;

use super::search_result::{Ball, Found, Part};
use crate::error::Result;
use crate::math::{ClosestPoint, Vector};
use crate::shape::{Aabb, Bounded, Feature};

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
}

/// A mesh with its planes and its adjacency by position.
///
/// The slot of a facet is its place in the leaf order of the wall's tree. Vertices at the same position share one
/// number. Contacts name facets by their ids in the mesh, and vertices by the lowest id at the position.
pub trait WallIndex: Clone + Debug + Send + Sync {
    type Vector: Vector;
    type Mesh: WallMesh<Vector = Self::Vector>;
    /// A ball in single precision.
    type Probe;

    /// Builds an index; `facets` lists the facets of the mesh by slot.
    fn new(mesh: Arc<Self::Mesh>, facets: &[u32]) -> Self;

    fn mesh(&self) -> &Self::Mesh;

    /// Moves the vertices, and copies the mesh if it is shared.
    fn set_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;

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

    /// Prepares a ball for [`may_hold`](Self::may_hold).
    fn probe(&self, ball: Ball<Self::Vector>) -> Self::Probe;

    /// Adds facets within reach, and the minima of the distance to them. An edge or vertex belongs to its first facet
    /// in the mesh.
    fn search(
        &self,
        slots: impl ExactSizeIterator<Item = u32>,
        ball: Ball<Self::Vector>,
        found: &mut Found<Self::Vector>,
    );

    /// Returns the closest point of a facet to `from`, and the feature it is on.
    fn closest(&self, slot: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Part);

    /// Returns whether a facet may be within the reach of a ball. A facet within reach is never missed.
    fn may_hold(&self, slot: u32, ball: &Self::Probe) -> bool;

    /// Returns whether a point, given relative to the center, is on a facet or closer to it than `same`.
    fn holds(&self, slot: u32, center: Self::Vector, offset: Self::Vector, same: f64) -> bool;

    /// Visits the numbers of a facet's corners.
    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32));

    /// Returns whether a vertex is a corner of a facet.
    fn has_corner(&self, slot: u32, vertex: u32) -> bool;

    /// Returns whether a facet has an edge or a vertex; `false` for the facet itself.
    fn has(&self, slot: u32, part: Part) -> bool;

    /// Returns the position of a vertex by its number.
    fn position(&self, vertex: u32) -> Self::Vector;

    /// Returns how far vertices may be off the intended surface.
    fn precision(&self) -> f64;

    /// Returns the angle by which this precision may rotate the normal and the sides of a facet.
    fn normal_error(&self, slot: u32) -> f64;
}
