//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use glam::DVec3;

use super::Wall;
use super::mesh::WallIndex;

impl Wall {
    /// Returns the first three corners of the facet in a slot, and the others, in the coordinates of the mesh.
    #[inline]
    pub(in crate::narrow) fn corners_in(
        &self,
        slot: u32,
    ) -> ([&DVec3; 3], impl Iterator<Item = &DVec3> + Clone) {
        let index = &self.shared().index;
        let position = |corner: u32| &index.vertices[corner as usize].position;
        let others = index.other_sides(slot).iter();
        (
            index.facet(slot).corners.map(position),
            others.map(move |(side, _)| position(side.corner)),
        )
    }

    /// Returns the normal of the facet in a slot.
    #[inline]
    pub(in crate::narrow) fn normal_in(&self, slot: u32) -> DVec3 {
        self.shared().index.normal(slot)
    }

    /// Visits the slots of the facets that share a side with the facet in a slot, each if it is the only one.
    pub(in crate::narrow) fn for_each_neighbor(&self, slot: u32, visit: impl FnMut(u32)) {
        let index = &self.shared().index;
        let sides = 0..index.side_count(slot);
        sides
            .filter_map(|i| index.neighbor((slot, i)))
            .for_each(visit);
    }

    /// Visits the slots of the facets at the corners of a facet, until a slot passes `test`. `is_meant` selects corners
    /// by their numbers in the facet.
    pub(in crate::narrow) fn any_at_corners(
        &self,
        slot: u32,
        mut is_meant: impl FnMut(usize) -> bool,
        mut test: impl FnMut(u32) -> bool,
    ) -> bool {
        let index = &self.shared().index;
        let mut corners = index.corners(slot).enumerate();
        corners.any(|(i, corner)| is_meant(i) && index.slots_at(corner).any(&mut test))
    }
}
