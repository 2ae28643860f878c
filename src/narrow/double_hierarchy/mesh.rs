//! The meshes of walls, and the facet queries of the kernel.

use std::fmt::Debug;
use std::sync::Arc;

use super::minima::{Found, Part};
use crate::error::Result;
use crate::math::tolerance::two_to;
use crate::math::{ClosestPoint, Vector};
use crate::shape::rows::Rows;
use crate::shape::{Aabb, Bounded, BoxTree, have_names, names};

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

    /// Returns the precision of the mesh as a length.
    fn tolerance(&self) -> f64;

    /// Returns the bounding box of a facet.
    fn box_of(&self, facet: u32) -> Aabb<Self::Vector>;

    /// Returns the mesh with copies of all vertices and some facets for each shift.
    fn with_copies(&self, copies: &[(Self::Vector, Vec<u32>)]) -> Self;

    /// Moves the vertices.
    fn move_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;
}

/// What the indices of all meshes have in common.
///
/// The slot of a facet is its place in the leaf order of the wall's tree.
#[derive(Clone, Debug)]
pub struct Common<M: WallMesh> {
    pub(super) mesh: Arc<M>,
    /// The slot of each facet of the mesh.
    pub(super) slots: Vec<u32>,
    /// For each vertex of the mesh, the lowest one at that position.
    pub(super) names: Vec<u32>,
    /// Vertices of the mesh in ascending order of their positions.
    pub(super) order: Vec<u32>,
    /// The distance up to which points are the same because of the precision of the mesh, or of rounding.
    pub(super) noise: f64,
    /// The slots of the facets that a feature lies on, to the noise, without sharing it: hosts. Good meshes have none.
    pub(super) hosts: Rows<u32>,
}

impl<M: WallMesh> Common<M> {
    /// `facets` lists the facets of the mesh by slot.
    pub(super) fn new(mesh: Arc<M>, facets: &[u32]) -> Self {
        let mut slots = vec![0; facets.len()];
        for (slot, &facet) in (0..).zip(facets) {
            slots[facet as usize] = slot;
        }
        let (names, order) = names(mesh.vertices());
        Self {
            noise: noise(&*mesh),
            mesh,
            slots,
            names,
            order,
            hosts: Rows::default(),
        }
    }

    /// Moves the vertices, and copies the mesh if it is shared. Returns `false` if vertices have met or separated: then
    /// all except the mesh must be built anew.
    pub(super) fn move_vertices(&mut self, vertices: &[M::Vector]) -> Result<bool> {
        Arc::make_mut(&mut self.mesh).move_vertices(vertices)?;
        self.noise = noise(&*self.mesh);
        Ok(have_names(vertices, &self.names, &mut self.order))
    }

    /// Visits the hosts in a row.
    #[inline]
    pub(super) fn for_each_host_in(&self, row: u32, visit: impl FnMut(u32)) {
        let hosts = self.hosts.get(row).into_iter().flatten();
        hosts.copied().for_each(visit);
    }
}

/// A mesh with its planes and its adjacency by position.
///
/// Vertices at the same position share one number. Contacts name facets by their ids in the mesh, and vertices by the
/// lowest id at the position.
pub trait WallIndex: Clone + Debug + Send + Sync {
    type Vector: Vector;
    type Mesh: WallMesh<Vector = Self::Vector>;

    /// Builds an index without hosts; `facets` lists the facets of the mesh by slot.
    fn new(common: Common<Self::Mesh>, facets: &[u32]) -> Self;

    fn common(&self) -> &Common<Self::Mesh>;

    fn common_mut(&mut self) -> &mut Common<Self::Mesh>;

    /// Computes everything that depends on the positions of the vertices.
    fn fit(&mut self);

    /// Adds the features that lie on a facet, each as the row of its hosts and the facet; `tree` has the boxes of the facets.
    fn find_hosted(&self, host: u32, tree: &BoxTree<Self::Vector>, found: &mut Vec<(u32, u32)>);

    fn mesh(&self) -> &Self::Mesh {
        &self.common().mesh
    }

    /// Returns the slot of a facet of the mesh.
    #[inline]
    fn slot(&self, facet: u32) -> u32 {
        self.common().slots[facet as usize]
    }

    /// Returns the facet of the mesh in a slot.
    fn id(&self, slot: u32) -> u32;

    /// Returns the unit normal on the front of a facet, or 0 without area.
    fn normal(&self, slot: u32) -> Self::Vector;

    /// Starts to load the facet in a slot into the caches, if facets are stored by slot.
    #[inline]
    fn prefetch(&self, _slot: u32) {}

    /// Visits the slot of each facet that has a feature, some of them twice.
    fn for_each_facet_at(&self, part: Part, visit: impl FnMut(u32));

    /// As [`SurfaceMesh::for_each_nodal_weight`](crate::SurfaceMesh::for_each_nodal_weight).
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Adds the minima of the distance to facets, and may remove facets that are out of reach. An edge or vertex belongs
    /// to its first facet in the mesh.
    fn search(&self, slots: &mut Vec<u32>, found: &mut Found<Self::Vector>);

    /// Returns the closest point of a facet to `from`, and the feature it is on.
    fn closest(&self, slot: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Part);

    /// Visits the numbers of a facet's corners.
    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32));

    /// Visits the slots of the facets on which a point of a feature may lie that do not share the feature: none
    /// for a point inside a facet.
    fn for_each_host(&self, part: Part, point: Self::Vector, visit: impl FnMut(u32));
}

/// The distance that counts as noise, relative to the precision of a mesh. A gap between two corners takes two
/// precisions, and slivers lie between several gaps.
const NOISE: f64 = 12.0;
/// The least noise, relative to the coordinates: some rounding errors.
const LEAST_NOISE: f64 = two_to(-47);

fn noise<M: Indexed>(mesh: &M) -> f64 {
    let bounds = mesh.bounding_sphere();
    let largest = bounds.center.length() + bounds.radius;
    (NOISE * mesh.tolerance()).max(LEAST_NOISE * largest)
}
