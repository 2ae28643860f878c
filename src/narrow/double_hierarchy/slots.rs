//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use super::Wall;
use super::mesh::WallIndex;
use super::surface_index::Side;
use glam::DVec3;

/// What is across a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::narrow) enum Across {
    None,
    One(u32),
    /// Several facets, or one that has the side in the same direction.
    Several,
}

/// A slot, and the number of a side there.
type Place = (u32, usize);

impl Wall {
    /// Sets a polygon to the facet in a slot, about a point in the coordinates of the mesh.
    #[inline]
    pub(in crate::narrow) fn set_polygon(&self, slot: u32, about: DVec3, polygon: &mut Vec<DVec3>) {
        let index = &self.shared.index;
        polygon.clear();
        polygon.extend((0..self.side_count_in(slot)).map(|i| index.corner(slot, i) - about));
    }

    /// Returns the normal of the facet in a slot.
    #[inline]
    pub(in crate::narrow) fn normal_in(&self, slot: u32) -> DVec3 {
        self.shared.index.normal(slot)
    }

    /// Returns which corner of a facet is the lowest by position, and the ranks of three corners from there.
    pub(in crate::narrow) fn ranks_in(&self, slot: u32) -> (usize, [u32; 3]) {
        let index = &self.shared.index;
        let ranks = index
            .corners(slot)
            .map(|corner| index.ranks[index.name(corner) as usize]);
        let lowest = ranks.clone().enumerate().min_by_key(|&(_, rank)| rank);
        let first = lowest.map_or(0, |(i, _)| i);
        let mut from_there = ranks.clone().chain(ranks).skip(first);
        (first, [(); 3].map(|()| from_there.next().unwrap_or(0)))
    }

    #[inline]
    pub(in crate::narrow) fn side_count_in(&self, slot: u32) -> usize {
        self.shared.index.facet(slot).side_count as usize
    }

    /// Returns the ends of a side of the facet in a slot, in the coordinates of the mesh.
    pub(in crate::narrow) fn ends_in(&self, (slot, i): Place) -> [DVec3; 2] {
        let index = &self.shared.index;
        index.ends_at(index.sides_of(slot).start + i as u32)
    }

    /// Returns what is across a side of the facet in a slot.
    pub(in crate::narrow) fn across(&self, (slot, i): Place) -> Across {
        let index = &self.shared.index;
        let own = index.sides_of(slot).start + i as u32;
        match *index.sides_along(own) {
            [] | [_] => Across::None,
            [a, b] => {
                let Side { ends, slot, .. } = index.side(if a == own { b } else { a });
                match ends[0] == index.side(own).ends[1] {
                    true => Across::One(slot),
                    false => Across::Several,
                }
            }
            _ => Across::Several,
        }
    }
}
