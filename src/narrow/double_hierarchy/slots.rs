//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use glam::DVec3;
use smallvec::SmallVec;

use super::Wall;
use super::mesh::WallIndex;
use super::surface_index::{MANY, NONE, Place};

/// What is across a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::narrow) enum Across {
    None,
    One(u32),
    /// Several facets, or one that has the side in the same direction.
    Several,
}

impl Wall {
    /// Sets a polygon to the facet in a slot, about a point in the coordinates of the mesh.
    #[inline]
    pub(in crate::narrow) fn set_polygon(&self, slot: u32, about: DVec3, polygon: &mut Vec<DVec3>) {
        let index = &self.shared().index;
        let position = |corner: u32| index.at(corner) - about;
        let others = index.other_sides(slot).iter();
        polygon.clear();
        polygon.extend(index.facet(slot).corners.map(position));
        polygon.extend(others.map(|(side, _)| position(side.corner)));
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
        let side = index.side(place);
        let other = match side.across {
            NONE => return Across::None,
            MANY => match index.only_side_across(place) {
                Some(other) => other,
                None => return Across::Several,
            },
            across => (across, side.place_across()),
        };
        if index.ends(place)[0] == index.ends(other)[1] {
            Across::One(other.0)
        } else {
            Across::Several
        }
    }
}
