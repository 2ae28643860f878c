//! What a wall can be made of, and what the kernel asks about its facets.

use std::fmt::Debug;
use std::sync::Arc;

use super::found::{Ball, Found};
use crate::error::Result;
use crate::math::{ClosestPoint, Vector};
use crate::shape::{Aabb, Feature};

/// A mesh for a [`Wall`](super::Wall): a [`SurfaceMesh`](crate::SurfaceMesh) in 3D, a
/// [`SegmentMesh`](crate::SegmentMesh) in 2D. Sealed.
pub trait WallMesh: Indexed {
    /// Returns the number of facets.
    fn facet_count(&self) -> u32;

    /// Returns the positions of the vertices.
    fn vertices(&self) -> &[Self::Vector];
}

/// Seals [`WallMesh`]: the index that a wall builds for its mesh.
pub trait Indexed: Clone + Debug + Send + Sync {
    /// `DVec3` or `DVec2`.
    type Vector: Vector;
    type Index: WallIndex<Mesh = Self, Vector = Self::Vector>;
}

/// A mesh with its planes and its adjacency by position.
///
/// Vertices at the same position count as one, named by the lowest id. Features and corners have
/// these names.
pub trait WallIndex: Clone + Debug + PartialEq + Send + Sync {
    type Vector: Vector;
    type Mesh;

    fn new(mesh: Arc<Self::Mesh>) -> Self;

    fn mesh(&self) -> &Self::Mesh;

    /// Moves the vertices, and copies the mesh if it is shared. The index then equals a new one.
    fn set_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;

    fn facet_count(&self) -> u32;

    fn facet_box(&self, facet: u32) -> Aabb<Self::Vector>;

    /// The unit normal on the front of a facet, 0 without area.
    fn normal(&self, facet: u32) -> Self::Vector;

    /// Visits each facet that has a feature, in ascending order.
    fn for_each_facet_at(&self, feature: Feature, visit: impl FnMut(u32));

    /// As [`SurfaceMesh::for_each_nodal_weight`](crate::SurfaceMesh::for_each_nodal_weight).
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Adds the minima that a facet has, or is the first to have, to those found.
    fn search(&self, facet: u32, ball: Ball<Self::Vector>, found: &mut Found<Self::Vector>);

    /// The closest point of a facet to `from`, and what it is on.
    fn closest(&self, facet: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Feature);

    /// Whether a point given from the centre is on a facet, or closer to it than `same`.
    fn holds(&self, facet: u32, center: Self::Vector, offset: Self::Vector, same: f64) -> bool;

    /// Visits the names of a facet's corners.
    fn for_each_corner(&self, facet: u32, visit: impl FnMut(u32));

    /// Whether a facet has an edge or a vertex by its name; no facet has a facet.
    fn has(&self, facet: u32, feature: Feature) -> bool;

    /// The position of a vertex.
    fn position(&self, vertex: u32) -> Self::Vector;

    /// How far vertices may be off the surface that was meant.
    fn precision(&self) -> f64;

    /// The angle by which the normal and the sides of a facet may be off because of that.
    fn normal_error(&self, facet: u32) -> f64;

    /// The positions of all vertices.
    fn positions(&self) -> &[Self::Vector];

    /// Whether a line crosses a facet, by exact signs; if so, whether it starts in front. Its end
    /// may be on the facet, its start not.
    fn crossed(&self, facet: u32, from: Self::Vector, to: Self::Vector) -> Option<bool>;

    /// Where a point goes that moves along with a facet, whose vertices were elsewhere before.
    fn carried(&self, facet: u32, point: Self::Vector, before: &[Self::Vector]) -> Self::Vector;
}
