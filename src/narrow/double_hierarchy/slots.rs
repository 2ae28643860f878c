//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use glam::DVec3;

use super::Wall;
use super::mesh::WallIndex;
use super::surface_index::Place;

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

    /// Returns which corner of a facet is the lowest by position, and the ranks of the first three corners from there.
    pub(in crate::narrow) fn ranks_in(&self, slot: u32) -> (usize, [u32; 3]) {
        let index = &self.shared().index;
        let rank = |i: usize| {
            let [corner, _] = index.ends((slot, i % index.side_count(slot)));
            index.ranks[corner as usize]
        };
        let first = (0..index.side_count(slot)).min_by_key(|&i| rank(i));
        let first = first.unwrap_or(0);
        (first, [0, 1, 2].map(|i| rank(first + i)))
    }

    pub(in crate::narrow) fn side_count_in(&self, slot: u32) -> usize {
        self.shared().index.side_count(slot)
    }

    /// Returns the ends of a side of the facet in a slot, in the coordinates of the mesh.
    pub(in crate::narrow) fn ends_in(&self, place: Place) -> [DVec3; 2] {
        let index = &self.shared().index;
        index.ends(place).map(|end| index.at(end))
    }

    /// Returns the facet across a side of the facet in a slot: `Some(None)` at a border, `None` if there are several or
    /// if it has the side in the same direction.
    pub(in crate::narrow) fn across(&self, place: Place) -> Option<Option<u32>> {
        let index = &self.shared().index;
        let mut others = index.sides_along(place).filter(|&other| other != place);
        let Some(other) = others.next() else {
            return Some(None);
        };
        let is_opposite = index.ends(place)[0] == index.ends(other)[1];
        (is_opposite && others.next().is_none()).then_some(Some(other.0))
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
