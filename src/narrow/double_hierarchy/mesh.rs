//! The meshes of walls, and the facet queries of the kernel.

use std::fmt::Debug;

use super::index::WallIndex;
use super::minima::{Found, Part};
use crate::error::Result;
use crate::math::ClosestPoint;
use crate::shape::{Aabb, Bounded};

/// A mesh for a [`Wall`](super::Wall): a [`SurfaceMesh`](crate::SurfaceMesh) in 3D, a
/// [`SegmentMesh`](crate::shape::SegmentMesh) in 2D. Sealed.
pub trait WallMesh: Bounded + Indexed {
    /// Returns the number of facets.
    fn facet_count(&self) -> u32;

    /// Returns the positions of the vertices.
    fn vertices(&self) -> &[Self::Vector];
}

/// Seals [`WallMesh`]: the index that a wall builds for its mesh, and what the kernel asks it.
pub trait Indexed: Bounded + Clone + Debug + PartialEq + Send + Sync {
    /// The facets, edges and vertices, in the form that these queries need.
    type Features: Clone + Debug + Default + Send + Sync;

    /// Returns the precision of the mesh as a length.
    fn tolerance(&self) -> f64;

    /// Returns the bounding box of a facet.
    fn box_of(&self, facet: u32) -> Aabb<Self::Vector>;

    /// Returns the mesh with copies of all vertices and some facets for each shift.
    fn with_copies(&self, copies: &[(Self::Vector, Vec<u32>)]) -> Self;

    /// Moves the vertices.
    fn move_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;

    /// As [`SurfaceMesh::for_each_nodal_weight`](crate::SurfaceMesh::for_each_nodal_weight).
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Adds the features to an index without any.
    fn add_features(index: &mut WallIndex<Self>);

    /// Computes everything in them that depends on the positions of the vertices.
    fn fit(index: &mut WallIndex<Self>);

    /// Adds the features that lie on a facet, each as the row of its hosts and the facet.
    fn find_hosted(index: &WallIndex<Self>, host: u32, found: &mut Vec<(u32, u32)>);

    /// Returns the unit normal on the front of a facet, or 0 without area.
    fn normal(index: &WallIndex<Self>, slot: u32) -> Self::Vector;

    /// Starts to load the facets in some slots into the caches, if facets are stored by slot.
    fn prefetch(_index: &WallIndex<Self>, _slots: impl Iterator<Item = u32>) {}

    /// Visits the numbers of a facet's corners.
    fn for_each_corner(index: &WallIndex<Self>, slot: u32, visit: impl FnMut(u32));

    /// Visits the slot of each facet that has a feature, some of them twice.
    fn for_each_facet_at(index: &WallIndex<Self>, part: Part, visit: impl FnMut(u32));

    /// Visits the slots of the facets on which a point of a feature may lie that do not share the feature: none
    /// for a point inside a facet.
    fn for_each_host(
        index: &WallIndex<Self>,
        part: Part,
        point: Self::Vector,
        visit: impl FnMut(u32),
    );

    /// Adds the minima of the distance to facets, and may remove facets that are out of reach. An edge or vertex belongs
    /// to its first facet in the mesh.
    fn search(index: &WallIndex<Self>, slots: &mut Vec<u32>, found: &mut Found<Self::Vector>);

    /// Returns the closest point of a facet to `from`, and the feature it is on.
    fn closest(
        index: &WallIndex<Self>,
        slot: u32,
        from: Self::Vector,
    ) -> (ClosestPoint<Self::Vector>, Part);
}
