//! Facets of a wall in space: the minima of the distance to each.
//!
//! Two questions decide: whether the center is inside a side of a facet, and whether it is beyond an end of an edge.
//! Each has one formula for all tests that depend on it. So two facets never both claim a point, and never both leave
//! it to the other.

use std::hint::black_box;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::mesh::{Indexed, WallIndex, WallMesh};
use super::search_result::{Ball, Found, Part, is_at_end, is_beyond_rounding};
use super::surface_index::{MANY, NONE, SurfaceIndex};
use crate::error::Result;
use crate::math::{
    ClosestPoint, Location, from_origin_to_polygon, from_origin_to_segment, lexicographic,
    plain_location,
};
use crate::shape::{Aabb, BoxTree, Feature, SurfaceMesh, have_names};

impl WallMesh for SurfaceMesh {
    fn facet_count(&self) -> u32 {
        SurfaceMesh::facet_count(self)
    }

    fn vertices(&self) -> &[DVec3] {
        SurfaceMesh::vertices(self)
    }
}

impl Indexed for SurfaceMesh {
    type Index = SurfaceIndex;

    fn box_of(&self, facet: u32) -> Aabb<DVec3> {
        self.facet_box(facet)
    }

    fn with_copies(&self, copies: &[(DVec3, Vec<u32>)]) -> Self {
        self.with_copies(copies)
    }

    fn move_vertices(&mut self, vertices: &[DVec3]) -> Result<()> {
        self.set_vertices(vertices)
    }
}

impl WallIndex for SurfaceIndex {
    type Vector = DVec3;
    type Mesh = SurfaceMesh;

    fn new(mesh: Arc<SurfaceMesh>, facets: &[u32]) -> Self {
        Self::with_order(mesh, facets)
    }

    fn mesh(&self) -> &SurfaceMesh {
        &self.mesh
    }

    fn set_vertices(&mut self, vertices: &[DVec3]) -> Result<bool> {
        Arc::make_mut(&mut self.mesh).set_vertices(vertices)?;
        let is_kept = have_names(vertices, &self.names, &mut self.order);
        if is_kept {
            self.fit();
        } else {
            let facets: Vec<u32> = (0..self.facet_count()).map(|slot| self.id(slot)).collect();
            *self = Self::with_order(Arc::clone(&self.mesh), &facets);
        }
        Ok(is_kept)
    }

    fn find_hosts(&mut self, tree: &BoxTree<DVec3>) {
        self.find_all_hosts(tree);
    }

    #[inline]
    fn slot(&self, facet: u32) -> u32 {
        self.slots[facet as usize]
    }

    #[inline]
    fn id(&self, slot: u32) -> u32 {
        self.facet(slot).id
    }

    fn facet_box(&self, slot: u32) -> Aabb<DVec3> {
        Aabb::enclosing(self.corners(slot).map(|corner| self.at(corner)))
    }

    #[inline]
    fn normal(&self, slot: u32) -> DVec3 {
        self.facet(slot).normal
    }

    fn part(&self, feature: Feature) -> Option<Part> {
        let at = match feature {
            Feature::Facet(facet) => self.slots.get(facet as usize).copied(),
            Feature::Edge(a, b) => {
                let ends = self.number(a).zip(self.number(b));
                let edge = ends.and_then(|(a, b)| self.adjacency.edge_between(a, b));
                edge.map(|edge| self.adjacency.sides_of(edge)[0])
            }
            Feature::Vertex(vertex) => self.number(vertex),
        };
        at.map(|at| Part { feature, at })
    }

    #[inline]
    fn for_each_facet_at(&self, Part { feature, at }: Part, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(_) => visit(at),
            Feature::Edge(..) if self.side(at).edge == NONE => visit(self.side(at).slot),
            Feature::Edge(..) => {
                let mut last = None;
                for slot in self
                    .sides_along(at)
                    .iter()
                    .map(|&side| self.side(side).slot)
                {
                    if last.replace(slot) != Some(slot) {
                        visit(slot);
                    }
                }
            }
            Feature::Vertex(_) => self.slots_at(at).for_each(visit),
        }
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        self.mesh.for_each_nodal_weight(facet, point, visit);
    }

    #[inline]
    fn search(&self, slots: &[u32], ball: Ball<DVec3>, found: &mut Found<DVec3>) {
        let may_be_near = self.frame.may_be_near(ball);
        // No branch depends on a facet, so the processor loads the next ones meanwhile.
        let mut candidates = mem::take(&mut found.candidates);
        candidates.resize(slots.len(), 0);
        let mut end = 0;
        for &slot in slots {
            candidates[end] = slot;
            end += usize::from(may_be_near(&self.facet(slot).planes));
        }
        candidates.truncate(end);
        // Otherwise each cache miss waits for the one before.
        let mut names = 0;
        for &slot in &candidates {
            for corner in self.facet(slot).corners {
                names ^= self.name(corner);
            }
        }
        black_box(names);
        for &slot in &candidates {
            search_facet(self, slot, ball, found);
        }
        found.candidates = candidates;
    }

    fn closest(&self, slot: u32, from: DVec3) -> (ClosestPoint<DVec3>, Part) {
        let Range { start, end } = self.sides_of(slot);
        let corner = |i: usize| self.corner(slot, i) - from;
        let closest = from_origin_to_polygon(self.normal(slot), (end - start) as usize, corner);
        let part = match closest.location {
            Location::Interior => self.facet_part(slot),
            Location::Edge(i) => self.edge_part(start + i as u32),
            Location::Vertex(i) => self.vertex_part(self.side(start + i as u32).ends[0]),
        };
        (closest, part)
    }

    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32)) {
        self.corners(slot).for_each(visit);
    }

    fn has_corner(&self, slot: u32, vertex: u32) -> bool {
        self.corners(slot).any(|corner| corner == vertex)
    }

    #[inline]
    fn for_each_host(&self, part: Part, point: DVec3, visit: impl FnMut(u32)) {
        self.visit_hosts(part, point, visit);
    }

    fn noise(&self) -> f64 {
        self.noise
    }
}

impl SurfaceIndex {
    fn facet_part(&self, slot: u32) -> Part {
        let feature = Feature::Facet(self.id(slot));
        Part { feature, at: slot }
    }

    pub(super) fn edge_part(&self, side: u32) -> Part {
        let [a, b] = self.side(side).ends.map(|end| self.name(end));
        let feature = Feature::edge(a, b);
        Part { feature, at: side }
    }

    pub(super) fn vertex_part(&self, vertex: u32) -> Part {
        let feature = Feature::Vertex(self.name(vertex));
        let at = vertex;
        Part { feature, at }
    }

    fn is_inside(&self, side: u32, ball: Ball<DVec3>) -> bool {
        let normal = self.normal(self.side(side).slot);
        is_inside(normal, self.ends_at(side), ball)
    }

    /// Returns the previous side of the same facet that has a length.
    fn side_before(&self, side: u32) -> u32 {
        let Range { start, end } = self.sides_of(self.side(side).slot);
        let mut before = (start..side).rev().chain((side..end).rev());
        let has_length = |&side: &u32| self.side(side).edge != NONE;
        before.find(has_length).unwrap_or(side)
    }
}

/// Returns whether the projection of a center is inside a side of a facet by more than rounding. A side without length
/// bounds nothing.
///
/// The bits do not depend on the direction of the side.
#[inline]
fn is_inside(normal: DVec3, [from, to]: [DVec3; 2], Ball { center, reach }: Ball<DVec3>) -> bool {
    let (edge, middle) = (to - from, (from - center) + (to - center));
    let (square, far) = (
        edge.length_squared(),
        middle.length_squared() + reach * reach,
    );
    // Twice the distance inside, times the length.
    let inside = -normal.cross(edge).dot(middle);
    square == 0.0 || is_beyond_rounding(inside, square, far)
}

/// Adds the minima of a facet within reach. A feature holds one only if it has the closest point of the facet.
#[inline]
fn search_facet(index: &SurfaceIndex, slot: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
    let facet = index.facet(slot);
    let [a, b, c] = facet.corners;
    let corner = |corner: u32| index.at(corner) - ball.center;
    let corners = [corner(a), corner(b), corner(c)];
    let location = match facet.side_count {
        3 => plain_location(corners, ball.reach * ball.reach),
        _ => None,
    };
    match location {
        Some(Location::Interior) => projection(index, slot, ball, found),
        Some(Location::Edge(i)) if facet.is_first_of_edge(i) => {
            edge_minimum(index, (slot, i), ball, found);
        }
        Some(Location::Vertex(i)) if facet.is_first_of_corner(i) => {
            vertex_minimum(index, (slot, i), ball, found);
        }
        // The first side does it.
        Some(_) => (),
        None => search_features(index, slot, ball, found),
    }
}

/// Adds the minima of a facet within reach, where rounding may decide which feature has the closest point.
#[inline(never)]
fn search_features(index: &SurfaceIndex, slot: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
    let mut sides = index.sides_of(slot);
    if index.normal(slot) != DVec3::ZERO && sides.all(|side| index.is_inside(side, ball)) {
        projection(index, slot, ball, found);
        return;
    }
    for (i, side) in index.sides_of(slot).enumerate() {
        let [from, to] = index.ends_at(side);
        let (is_first_of_edge, is_first_of_corner) = index.is_first(side);
        let is_at_end = || is_at_end(from, to, ball) || is_at_end(to, from, ball);
        if is_first_of_edge && !index.is_inside(side, ball) && !is_at_end() {
            edge_minimum(index, (slot, i), ball, found);
        }
        if is_first_of_corner {
            vertex_minimum(index, (slot, i), ball, found);
        }
    }
}

/// Adds the projection onto a facet, for a center that projects into it.
#[inline]
fn projection(index: &SurfaceIndex, slot: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
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
    let normal = index.normal(slot);
    let height = normal.dot(nearest.1);
    if height.abs() < ball.reach {
        // No negative zeros, for any direction of the normal.
        let offset = normal * height + DVec3::ZERO;
        found.push(
            index.facet_part(slot),
            index.id(slot),
            offset,
            height * height,
        );
    }
}

/// Adds the closest point of the edge of a side, which is no end, unless the center projects into another facet there. An
/// edge belongs to its first side.
#[inline]
fn edge_minimum(
    index: &SurfaceIndex,
    (slot, i): (u32, usize),
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    let facet = index.facet(slot);
    let side = facet.first_side + i as u32;
    let [from, to] = index.ends(slot, i);
    let closest = from_origin_to_segment(from - ball.center, to - ball.center);
    if closest.distance_squared >= ball.reach * ball.reach {
        return;
    }
    let is_inside_other = match facet.across.get(i).copied().unwrap_or(MANY) {
        NONE => false,
        MANY => (index.sides_along(side).iter()).any(|&side| index.is_inside(side, ball)),
        across => {
            let other = index.facet(across);
            is_inside(
                other.normal,
                index.ends(across, facet.place_across(i)),
                ball,
            )
        }
    };
    if is_inside_other {
        found.has_rejected = true;
        return;
    }
    let (offset, distance_squared) = (closest.offset, closest.distance_squared);
    found.push(index.edge_part(side), facet.id, offset, distance_squared);
}

/// Adds a vertex within reach if it is the closest point of each edge and each facet there. A vertex belongs to the
/// first side that starts there.
///
/// In exact arithmetic the edges would suffice, because the slope is linear in the direction. But at the
/// blunt tip of a needle both edges may come closer by less than rounding. The facet between them then
/// comes closer by much more.
#[inline]
fn vertex_minimum(
    index: &SurfaceIndex,
    (slot, i): (u32, usize),
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    let vertex = index.corner_vertex(slot, i);
    let position = index.at(vertex);
    let offset = position - ball.center;
    let distance_squared = offset.length_squared();
    if distance_squared >= ball.reach * ball.reach {
        return;
    }
    let mut ends = index.around[vertex].iter();
    let comes_closer = |&end: &u32| !is_at_end(position, index.at(end), ball);
    let is_inside_both =
        |side: u32| index.is_inside(side, ball) && index.is_inside(index.side_before(side), ball);
    if ends.any(comes_closer) || index.sides_from(vertex).any(is_inside_both) {
        found.has_rejected = true;
        return;
    }
    let facet = index.id(slot);
    found.push(index.vertex_part(vertex), facet, offset, distance_squared);
}
