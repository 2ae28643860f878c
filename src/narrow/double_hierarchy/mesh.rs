//! The meshes of a wall, and the queries of the kernel about their facets.

use std::fmt::Debug;
use std::sync::Arc;

use super::found::{Ball, Found};
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
pub trait Indexed: Bounded + Clone + Debug + Send + Sync {
    type Index: WallIndex<Mesh = Self, Vector = Self::Vector>;
}

/// A mesh with its planes and its adjacency by position.
///
/// Vertices at the same position count as one, named by the lowest id. Features and corners have
/// these names.
pub trait WallIndex: Clone + Debug + PartialEq + Send + Sync {
    type Vector: Vector;
    type Mesh: WallMesh<Vector = Self::Vector>;

    fn new(mesh: Arc<Self::Mesh>) -> Self;

    fn mesh(&self) -> &Self::Mesh;

    /// Moves the vertices, and copies the mesh if it is shared. The index then equals a new one.
    fn set_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;

    fn facet_count(&self) -> u32 {
        self.mesh().facet_count()
    }

    fn facet_box(&self, facet: u32) -> Aabb<Self::Vector>;

    /// Returns the unit normal on the front of a facet, or 0 without area.
    fn normal(&self, facet: u32) -> Self::Vector;

    /// Visits each facet that has a feature, in ascending order.
    fn for_each_facet_at(&self, feature: Feature, visit: impl FnMut(u32));

    /// As [`SurfaceMesh::for_each_nodal_weight`](crate::SurfaceMesh::for_each_nodal_weight).
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Adds the minima of a facet to those found. An edge or vertex belongs to its first facet.
    fn search(&self, facet: u32, ball: Ball<Self::Vector>, found: &mut Found<Self::Vector>);

    /// Returns the closest point of a facet to `from`, and the feature it is on.
    fn closest(&self, facet: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Feature);

    /// Returns whether a point, given from the center, is on a facet or closer to it than `same`.
    fn holds(&self, facet: u32, center: Self::Vector, offset: Self::Vector, same: f64) -> bool;

    /// Visits the names of a facet's corners.
    fn for_each_corner(&self, facet: u32, visit: impl FnMut(u32));

    /// Returns whether a facet has an edge or a vertex; `false` for the facet itself.
    fn has(&self, facet: u32, feature: Feature) -> bool;

    /// Returns the position of a vertex.
    #[inline]
    fn position(&self, vertex: u32) -> Self::Vector {
        self.mesh().vertices()[vertex as usize]
    }

    /// Returns how far vertices may be off the intended surface.
    fn precision(&self) -> f64;

    /// Returns the angle by which the normal and the sides of a facet may be off because of that.
    fn normal_error(&self, facet: u32) -> f64;

    /// Returns whether a line that crosses a facet starts in front of it; `None` if it does not cross.
    ///
    /// Exact signs decide. The end of a crossing line may be on the facet, its start may not.
    fn crossed(&self, facet: u32, from: Self::Vector, to: Self::Vector) -> Option<bool>;

    /// Returns 1 if a segment leaves through the front of a facet, -1 if it enters and 0 if it misses. Exact,
    /// with ties resolved by one shift of the segment for all facets.
    fn leaves(&self, facet: u32, segment: [Self::Vector; 2]) -> i32;

    /// Returns the new position of a point that moves along with a facet; `before` are the old vertices.
    fn carried(&self, facet: u32, point: Self::Vector, before: &[Self::Vector]) -> Self::Vector;
}
