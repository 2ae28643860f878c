//! Facets of a wall in space: the minima of the distance to each.
//!
//! Two questions decide: whether the center is inside a side of a facet, and whether it is beyond an end of an edge.
//! Each has one formula for all tests that depend on it. So two facets never both claim a point, and never both leave
//! it to the other.

use std::hint::black_box;
use std::ops::Range;

use glam::DVec3;

use super::minima::{Ball, Found, Part, is_at_end, is_beyond_rounding};
use super::surface_index::{IndexedFacet, MANY, NONE, SurfaceIndex};
use crate::math::{Location, from_origin_to_segment, lexicographic, plain_location};
use crate::shape::Feature;

impl SurfaceIndex {
    /// Removes facets that are certainly out of reach, and adds the minima of the distance to the others.
    #[inline]
    pub(super) fn add_minima(&self, slots: &mut Vec<u32>, found: &mut Found<DVec3>) {
        let may_be_near = self.features.frame.may_be_near(found.ball);
        // No branch depends on a facet, so the processor loads the next ones meanwhile.
        let mut end = 0;
        for i in 0..slots.len() {
            let slot = slots[i];
            slots[end] = slot;
            end += usize::from(may_be_near(&self.facet(slot).planes));
        }
        slots.truncate(end);
        // Otherwise each cache miss waits for the one before.
        let mut names = 0;
        for &slot in &*slots {
            for corner in self.facet(slot).corners {
                names ^= self.name(corner);
            }
        }
        black_box(names);
        for &slot in &*slots {
            search_facet(self, slot, found);
        }
    }

    pub(super) fn edge_part(&self, side: u32) -> Part {
        let [a, b] = self.side(side).ends.map(|end| self.name(end));
        Part::new(Feature::edge(a, b), side)
    }

    pub(super) fn vertex_part(&self, vertex: u32) -> Part {
        Part::new(Feature::Vertex(self.name(vertex)), vertex)
    }

    /// Returns whether the projection of a center is inside a side of a facet by more than rounding. A side without length
    /// bounds nothing.
    ///
    /// The bits do not depend on the direction of the side.
    #[inline]
    fn is_inside(&self, place: (u32, usize), Ball { center, reach }: Ball<DVec3>) -> bool {
        let [from, to] = self.ends(place);
        let (edge, middle) = (to - from, (from - center) + (to - center));
        let square = edge.length_squared();
        let far = middle.length_squared() + reach * reach;
        // Twice the distance inside, times the length.
        let inside = -self.facet(place.0).normal.cross(edge).dot(middle);
        square == 0.0 || is_beyond_rounding(inside, square, far)
    }

    /// Returns the previous side of the same facet that has a length.
    fn side_before(&self, side: u32) -> u32 {
        let Range { start, end } = self.sides_of(self.side(side).slot);
        let mut before = (start..side).rev().chain((side..end).rev());
        let has_length = |&side: &u32| self.side(side).edge != NONE;
        before.find(has_length).unwrap_or(side)
    }
}

/// Adds the minima of a facet within reach. A feature holds one only if it has the closest point of the facet.
#[inline]
fn search_facet(index: &SurfaceIndex, slot: u32, found: &mut Found<DVec3>) {
    let ball = found.ball;
    let facet = index.facet(slot);
    let [a, b, c] = facet.corners;
    let corner = |corner: u32| index.at(corner) - ball.center;
    let corners = [corner(a), corner(b), corner(c)];
    let location = match facet.side_count {
        3 => plain_location(corners, ball.reach * ball.reach),
        _ => None,
    };
    match location {
        Some(Location::Interior) => projection(index, slot, found),
        Some(Location::Edge(i)) if index.is_first(slot, i).0 => {
            edge_minimum(index, (slot, i), found);
        }
        Some(Location::Vertex(i)) if index.is_first(slot, i).1 => {
            vertex_minimum(index, (slot, i), found);
        }
        // The first side does it.
        Some(_) => (),
        None => search_features(index, slot, found),
    }
}

/// Adds the minima of a facet within reach, where rounding may decide which feature has the closest point.
#[inline(never)]
fn search_features(index: &SurfaceIndex, slot: u32, found: &mut Found<DVec3>) {
    let ball = found.ball;
    let count = index.facet(slot).side_count as usize;
    let is_inside = |i: usize| index.is_inside((slot, i), ball);
    if index.facet(slot).normal != DVec3::ZERO && (0..count).all(is_inside) {
        projection(index, slot, found);
        return;
    }
    for i in 0..count {
        let [from, to] = index.ends((slot, i));
        let (is_first_of_edge, is_first_of_corner) = index.is_first(slot, i);
        let is_at_end = || is_at_end(from, to, ball) || is_at_end(to, from, ball);
        if is_first_of_edge && !is_inside(i) && !is_at_end() {
            edge_minimum(index, (slot, i), found);
        }
        if is_first_of_corner {
            vertex_minimum(index, (slot, i), found);
        }
    }
}

/// Adds the projection onto a facet, for a center that projects into it.
#[inline]
fn projection(index: &SurfaceIndex, slot: u32, found: &mut Found<DVec3>) {
    let ball = found.ball;
    let &IndexedFacet { id, normal, .. } = index.facet(slot);
    // Relative to the nearest corner: a far one costs digits.
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for i in 0..index.facet(slot).side_count as usize {
        let corner = index.corner(slot, i) - ball.center;
        let distance_squared = corner.length_squared();
        let is_tied = distance_squared == nearest.0;
        if distance_squared < nearest.0 || is_tied && lexicographic(corner, nearest.1).is_lt() {
            nearest = (distance_squared, corner);
        }
    }
    let height = normal.dot(nearest.1);
    if height.abs() < ball.reach {
        // No negative zeros, for any direction of the normal.
        let offset = normal * height + DVec3::ZERO;
        let part = Part::new(Feature::Facet(id), slot);
        found.push(part, id, offset, height * height);
    }
}

/// Adds the closest point of the edge of a side, which is no end, unless the center projects into another facet there. An
/// edge belongs to its first side.
#[inline]
fn edge_minimum(index: &SurfaceIndex, (slot, i): (u32, usize), found: &mut Found<DVec3>) {
    let ball = found.ball;
    let facet = index.facet(slot);
    let side = facet.first_side + i as u32;
    let [from, to] = index.ends((slot, i));
    let closest = from_origin_to_segment(from - ball.center, to - ball.center);
    if closest.distance_squared >= ball.reach * ball.reach {
        return;
    }
    let is_inside_other = match facet.across.get(i).copied().unwrap_or(MANY) {
        NONE => false,
        MANY => {
            let mut sides = index.sides_along(side).iter();
            sides.any(|&side| index.is_inside(index.place(side), ball))
        }
        across => index.is_inside((across / 4, across as usize % 4), ball),
    };
    if is_inside_other {
        found.has_rejected = true;
        return;
    }
    let (part, facet) = (index.edge_part(side), facet.id);
    found.push(part, facet, closest.offset, closest.distance_squared);
}

/// Adds a vertex within reach if it is the closest point of each edge and each facet there. A vertex belongs to the
/// first side that starts there.
///
/// In exact arithmetic the edges would suffice, because the slope is linear in the direction. But at the
/// blunt tip of a needle both edges may come closer by less than rounding. The facet between them then
/// comes closer by much more.
#[inline]
fn vertex_minimum(index: &SurfaceIndex, (slot, i): (u32, usize), found: &mut Found<DVec3>) {
    let ball = found.ball;
    let vertex = index.corner_vertex(slot, i);
    let position = index.at(vertex);
    let offset = position - ball.center;
    let distance_squared = offset.length_squared();
    if distance_squared >= ball.reach * ball.reach {
        return;
    }
    let mut neighbors = index.features.adjacency.neighbors(vertex).iter();
    let comes_closer = |&[end, _]: &[u32; 2]| !is_at_end(position, index.at(end), ball);
    let is_inside = |side: u32| index.is_inside(index.place(side), ball);
    let is_inside_both = |side: u32| is_inside(side) && is_inside(index.side_before(side));
    if neighbors.any(comes_closer) || index.sides_from(vertex).any(is_inside_both) {
        found.has_rejected = true;
        return;
    }
    let (part, facet) = (index.vertex_part(vertex), index.facet(slot).id);
    found.push(part, facet, offset, distance_squared);
}
