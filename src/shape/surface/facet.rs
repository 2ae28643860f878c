use glam::DVec3;

use super::surface_mesh::SurfaceMesh;
use crate::shape::{Aabb, Bounded, Sphere};

impl SurfaceMesh {
    /// Returns a facet by its index, `None` beyond the last.
    pub fn facet(&self, index: u32) -> Option<Facet<'_>> {
        (index < self.facet_count()).then_some(Facet { mesh: self, index })
    }

    /// Iterates over all facets, in ascending order.
    pub fn facets(&self) -> impl ExactSizeIterator<Item = Facet<'_>> {
        // A range of `u32` has no exact size.
        (0..self.facet_count() as usize).map(|index| Facet {
            mesh: self,
            index: index as u32,
        })
    }

    /// Returns the bounding box of a facet that exists.
    pub(crate) fn facet_box(&self, index: u32) -> Aabb<DVec3> {
        Facet { mesh: self, index }.bounding_box()
    }
}

/// A facet of a [`SurfaceMesh`].
#[derive(Clone, Copy, Debug)]
pub struct Facet<'a> {
    mesh: &'a SurfaceMesh,
    index: u32,
}

impl<'a> Facet<'a> {
    /// Returns its index in the mesh.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns the ids of its corners, counter-clockwise seen from the front.
    pub fn vertices(self) -> &'a [u32] {
        self.mesh.topology().0.get(self.index as usize)
    }

    /// Iterates over the positions of its corners.
    pub fn corners(self) -> impl ExactSizeIterator<Item = DVec3> + Clone + 'a {
        let vertices = self.mesh.vertices();
        self.vertices().iter().map(|&id| vertices[id as usize])
    }

    /// Returns the unit normal on the front, or 0 for a facet without area.
    ///
    /// Its bits do not depend on which corner comes first. Reversed corners only change its sign.
    pub fn normal(self) -> DVec3 {
        self.mesh.normals()[self.index as usize]
    }
}

impl Bounded for Facet<'_> {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        Sphere::around(self.corners())
    }

    fn bounding_box(&self) -> Aabb<DVec3> {
        Aabb::enclosing(self.corners())
    }
}
