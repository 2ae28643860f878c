//! The facets of a 3D wall by slot, for polyhedra. Neighboring slots are close in space, which facet ids need not be.

use glam::DVec3;

use super::surface_index::SurfaceIndex;

/// What is across a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::narrow) enum Across {
    None,
    One(u32),
    /// Several facets, or one that has the side in the same direction.
    Several,
}

impl SurfaceIndex {
    /// Sets a polygon to the facet in a slot, about a point in the coordinates of the mesh.
    #[inline]
    pub(in crate::narrow) fn set_polygon(&self, slot: u32, about: DVec3, polygon: &mut Vec<DVec3>) {
        let count = self.facet(slot).side_count as usize;
        polygon.clear();
        polygon.extend((0..count).map(|i| self.corner(slot, i) - about));
    }

    /// Returns which corner of a facet is the lowest by position, and the ranks of three corners from there.
    pub(in crate::narrow) fn ranks_of(&self, slot: u32) -> (usize, [u32; 3]) {
        let corners = self.corners(slot);
        let ranks = corners.map(|corner| self.features.ranks[self.name(corner) as usize]);
        let lowest = ranks.clone().enumerate().min_by_key(|&(_, rank)| rank);
        let first = lowest.map_or(0, |(i, _)| i);
        let mut from_there = ranks.clone().chain(ranks).skip(first);
        (first, [(); 3].map(|()| from_there.next().unwrap_or(0)))
    }

    /// Returns what is across a side of a facet.
    pub(in crate::narrow) fn across(&self, side: u32) -> Across {
        match *self.sides_along(side) {
            [] | [_] => Across::None,
            [a, b] if self.side(a).ends != self.side(b).ends => {
                Across::One(self.side(if a == side { b } else { a }).slot)
            }
            _ => Across::Several,
        }
    }
}
