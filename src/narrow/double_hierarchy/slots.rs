//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use glam::DVec3;
use smallvec::SmallVec;

use super::Wall;
use super::mesh::WallIndex;
use super::surface_index::Place;

/// What is across a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::narrow) enum Across {
    None,
    One(u32),
    /// Several facets, or one that has the side in the same direction.
    Several,
}

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
        let rank = |corner: u32| index.ranks[corner as usize];
        let ranks = index.facet(slot).corners.map(rank);
        if let 3 = index.side_count(slot) {
            return match ranks {
                [a, b, c] if a <= b && a <= c => (0, ranks),
                [a, b, c] if b <= c => (1, [b, c, a]),
                [a, b, c] => (2, [c, a, b]),
            };
        }
        let ranks: SmallVec<[u32; 8]> = index.corners(slot).map(rank).collect();
        let first = (0..ranks.len()).min_by_key(|&i| ranks[i]).unwrap_or(0);
        (first, [0, 1, 2].map(|i| ranks[(first + i) % ranks.len()]))
    }

    pub(in crate::narrow) fn side_count_in(&self, slot: u32) -> usize {
        self.shared().index.side_count(slot)
    }

    /// Returns the ends of a side of the facet in a slot, in the coordinates of the mesh.
    pub(in crate::narrow) fn ends_in(&self, place: Place) -> [DVec3; 2] {
        let index = &self.shared().index;
        index.ends(place).map(|end| index.at(end))
    }

    /// Returns what is across a side of the facet in a slot.
    pub(in crate::narrow) fn across(&self, place: Place) -> Across {
        let index = &self.shared().index;
        let mut others = index.sides_along(place).filter(|&other| other != place);
        let Some(other) = others.next() else {
            return Across::None;
        };
        if index.ends(place)[0] == index.ends(other)[1] && others.next().is_none() {
            Across::One(other.0)
        } else {
            Across::Several
        }
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
