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

    /// Returns whether the facet in a slot shares each side with one other facet, which has the same front.
    #[inline]
    pub(in crate::narrow) fn has_one_front(&self, slot: u32) -> bool {
        self.shared().index.facet(slot).has_one_front
    }

    /// Visits the sides of the facet in a slot, each with the slot of the facet across and whether both have the same
    /// front. `None` unless two facets share the side.
    pub(in crate::narrow) fn for_each_neighbor(
        &self,
        slot: u32,
        mut visit: impl FnMut(usize, Option<(u32, bool)>),
    ) {
        let index = &self.shared().index;
        for i in 0..index.side_count(slot) {
            visit(i, index.neighbor((slot, i)));
        }
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
