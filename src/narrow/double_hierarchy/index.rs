//! What a wall stores of its mesh: the tree of its facets, and which of them touch.

use std::sync::Arc;

use super::mesh::{Indexed, WallMesh};
use super::periodic::Period;
use crate::error::Result;
use crate::math::Vector;
use crate::math::tolerance::two_to;
use crate::shape::rows::Rows;
use crate::shape::{BoxTree, Stamp, have_names, names};

/// The distance that counts as noise, relative to the precision of a mesh. A gap between two corners takes two
/// precisions, and slivers lie between several gaps.
const NOISE: f64 = 12.0;
/// The least noise, relative to the coordinates: some rounding errors.
const LEAST_NOISE: f64 = two_to(-47);

/// A mesh with the tree of its facets and its adjacency by position.
///
/// The slot of a facet is its number in the leaf order of the tree. Vertices at the same position share one number.
/// Contacts name facets by their ids in the mesh, and vertices by the lowest id at the position.
#[derive(Clone, Debug)]
pub struct WallIndex<M: Indexed> {
    pub(super) mesh: Arc<M>,
    /// The tree of the facets' boxes, in mesh coordinates.
    pub(in crate::narrow) tree: BoxTree<M::Vector>,
    /// The slot of each facet of the mesh.
    pub(super) slots: Vec<u32>,
    /// For each vertex of the mesh, the lowest one at that position.
    pub(super) names: Vec<u32>,
    /// Vertices of the mesh in ascending order of their positions.
    pub(super) order: Vec<u32>,
    /// The distance up to which points are the same because of the precision of the mesh, or of rounding.
    pub(super) noise: f64,
    /// The slots of the facets that a feature lies on, to the noise, without sharing it: hosts. Good meshes have none.
    hosts: Rows<u32>,
    pub(super) features: M::Features,
    /// With a period, the mesh has its facets and copies of them.
    pub(super) period: Option<Period<M>>,
    /// Identifies the positions of the vertices.
    pub(super) stamp: Stamp,
}

impl<M: WallMesh> WallIndex<M> {
    pub(super) fn new(mesh: Arc<M>, period: Option<Period<M>>) -> Self {
        let boxes = (0..mesh.facet_count()).map(|facet| mesh.box_of(facet));
        let tree = BoxTree::from_good(boxes.collect());
        let mut slots = vec![0; tree.box_count()];
        for (slot, &facet) in (0..).zip(tree.leaf_order()) {
            slots[facet as usize] = slot;
        }
        let (names, order) = names(mesh.vertices());
        let mut index = Self {
            noise: noise(&*mesh),
            mesh,
            tree,
            slots,
            names,
            order,
            hosts: Rows::default(),
            features: M::Features::default(),
            period,
            stamp: Stamp::new(),
        };
        M::add_features(&mut index);
        let mut hosts = Vec::new();
        for slot in 0..index.slots.len() as u32 {
            M::find_hosted(&index, slot, &mut hosts);
        }
        let rows = hosts.iter().map(|&(row, _)| row + 1).max();
        index.hosts = Rows::from_pairs(rows.unwrap_or(0) as usize, &hosts);
        index
    }

    /// Moves the vertices of an index without a period, and copies the mesh if it is shared. If vertices have met or separated, all except the mesh
    /// is built anew.
    pub(super) fn set_vertices(&mut self, vertices: &[M::Vector]) -> Result<()> {
        Arc::make_mut(&mut self.mesh).move_vertices(vertices)?;
        if have_names(vertices, &self.names, &mut self.order) {
            self.stamp = Stamp::new();
            self.noise = noise(&*self.mesh);
            M::fit(self);
            self.tree.refit_with(|i| self.mesh.box_of(i as u32));
        } else {
            *self = Self::new(Arc::clone(&self.mesh), None);
        }
        Ok(())
    }
}

impl<M: Indexed> WallIndex<M> {
    /// Returns the slot of a facet of the mesh.
    #[inline]
    pub(super) fn slot(&self, facet: u32) -> u32 {
        self.slots[facet as usize]
    }

    /// Returns the facet of the mesh in a slot.
    #[inline]
    pub(super) fn id(&self, slot: u32) -> u32 {
        self.tree.leaf_order()[slot as usize]
    }

    /// Visits the hosts in a row.
    #[inline]
    pub(super) fn for_each_host_in(&self, row: u32, visit: impl FnMut(u32)) {
        let hosts = self.hosts.get(row).into_iter().flatten();
        hosts.copied().for_each(visit);
    }
}

fn noise<M: Indexed>(mesh: &M) -> f64 {
    let bounds = mesh.bounding_sphere();
    let largest = bounds.center.length() + bounds.radius;
    (NOISE * mesh.tolerance()).max(LEAST_NOISE * largest)
}
