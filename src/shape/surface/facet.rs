use glam::DVec3;

use crate::shape::{Aabb, Bounded, Sphere, SurfaceMesh};

/// One facet of a [`SurfaceMesh`].
#[derive(Clone, Copy, Debug)]
pub struct Facet<'a> {
    pub(super) mesh: &'a SurfaceMesh,
    pub(super) index: usize,
}

impl<'a> Facet<'a> {
    /// Its index in the mesh.
    pub fn index(self) -> usize {
        self.index
    }

    /// The ids of its corners, counter-clockwise seen from the front.
    pub fn vertices(self) -> &'a [u32] {
        self.mesh.topology().0.get(self.index)
    }

    /// The positions of its corners.
    pub fn corners(self) -> impl ExactSizeIterator<Item = DVec3> + Clone + 'a {
        let vertices = self.mesh.vertices();
        self.vertices().iter().map(|&id| vertices[id as usize])
    }

    /// The unit normal on the front, or 0 for a facet without area.
    ///
    /// Its bits depend neither on the corner the facet starts with nor, but for the sign, on its
    /// direction.
    pub fn normal(self) -> DVec3 {
        self.mesh.normals()[self.index]
    }
}

impl Bounded for Facet<'_> {
    type Vector = DVec3;

    fn bounding_sphere(&self) -> Sphere<DVec3> {
        Sphere::around(self.corners())
    }

    fn bounding_box(&self) -> Aabb<DVec3> {
        Aabb::around(self.corners()).unwrap_or_else(|| self.bounding_sphere().into())
    }
}
