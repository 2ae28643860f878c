//! Facets of a wall in space: the minima of the distance to each.
//!
//! Two numbers decide: how far the center is inside a side of a facet, and how far along an edge it is
//! from either end. Each has one formula for all tests that depend on it. So two facets never both
//! claim a point, and never both leave it to the other. The first is computed in single precision, and
//! exactly only if that does not decide.

use std::mem;
use std::sync::Arc;

use glam::DVec3;

use super::facet_planes::{Probe, Verdict};
use super::mesh::{Indexed, WallIndex, WallMesh};
use super::search_result::{Ball, Found, Part, ends_at};
use super::surface_index::{MANY, NONE, Place, SurfaceIndex};
use crate::error::Result;
use crate::math::tolerance::ON_EDGE;
use crate::math::{
    ClosestPoint, Location, from_origin_to_polygon, from_origin_to_segment, lexicographic,
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
            Feature::Facet(facet) => self.slots.get(facet as usize).map(|&slot| (slot, 0)),
            Feature::Edge(a, b) => {
                let ends = self.number(a).zip(self.number(b));
                let edge = ends.and_then(|(a, b)| self.adjacency.edge_between(a, b));
                edge.map(|edge| self.place(self.adjacency.sides_of(edge)[0]))
            }
            Feature::Vertex(vertex) => self.number(vertex).map(|vertex| (vertex, 0)),
        };
        at.map(|at| Part { feature, at })
    }

    #[inline]
    fn for_each_facet_at(&self, Part { feature, at }: Part, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(_) => visit(at.0),
            Feature::Edge(..) => match self.side(at).across {
                NONE => visit(at.0),
                MANY => {
                    let mut last = None;
                    for slot in self.sides_along(at).map(|(slot, _)| slot) {
                        if last.replace(slot) != Some(slot) {
                            visit(slot);
                        }
                    }
                }
                across if across == at.0 => visit(at.0),
                across => {
                    let is_first = self.id(at.0) < self.id(across);
                    let slots = if is_first {
                        [at.0, across]
                    } else {
                        [across, at.0]
                    };
                    slots.into_iter().for_each(visit);
                }
            },
            Feature::Vertex(_) => {
                self.slots_at(at.0).for_each(visit);
            }
        }
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        self.mesh.for_each_nodal_weight(facet, point, visit);
    }

    #[inline]
    fn search(&self, slots: &[u32], ball: Ball<DVec3>, found: &mut Found<DVec3>) {
        let probe = self.frame.probe(ball);
        let search = |&slot: &u32, found: &mut Found<DVec3>| {
            if let Some(verdict) = self.facet(slot).planes.verdict(&probe) {
                search_facet(self, slot, (ball, &probe, verdict), found);
            }
        };
        if self.is_small() {
            slots.iter().for_each(|slot| search(slot, found));
            return;
        }
        // No branch depends on a facet, so the processor loads the next ones meanwhile.
        let mut candidates = mem::take(&mut found.candidates);
        candidates.resize(slots.len(), 0);
        let mut end = 0;
        for &slot in slots {
            candidates[end] = slot;
            end += usize::from(self.facet(slot).planes.are_near(&probe));
        }
        candidates.truncate(end);
        self.touch(&candidates);
        candidates.iter().for_each(|slot| search(slot, found));
        found.candidates = candidates;
    }

    fn closest(&self, slot: u32, from: DVec3) -> (ClosestPoint<DVec3>, Part) {
        let corner = |i: usize| self.at(self.side((slot, i)).corner) - from;
        let closest = from_origin_to_polygon(self.normal(slot), self.side_count(slot), corner);
        let part = match closest.location {
            Location::Interior => self.facet_part(slot),
            Location::Edge(i) => self.edge_part((slot, i)),
            Location::Vertex(i) => self.vertex_part(self.side((slot, i)).corner),
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
        let at = (slot, 0);
        Part { feature, at }
    }

    pub(super) fn edge_part(&self, at: Place) -> Part {
        let [a, b] = self.ends(at).map(|end| self.name(end));
        let feature = Feature::edge(a, b);
        Part { feature, at }
    }

    pub(super) fn vertex_part(&self, vertex: u32) -> Part {
        let feature = Feature::Vertex(self.name(vertex));
        let at = (vertex, 0);
        Part { feature, at }
    }
}

/// Adds the minima of a facet within reach.
#[inline]
fn search_facet(
    index: &SurfaceIndex,
    slot: u32,
    (ball, probe, verdict): (Ball<DVec3>, &Probe, Verdict),
    found: &mut Found<DVec3>,
) {
    let count = index.side_count(slot);
    let is_inside = |i: usize| {
        let known = if i < 3 { verdict.is_inside(i) } else { None };
        known.unwrap_or_else(|| index.is_inside((slot, i), ball, probe))
    };
    let are_inside = match verdict.are_inside() {
        Some(is) if count == 3 || !is => is,
        _ => (0..count).all(is_inside),
    };
    if are_inside {
        projection(index, slot, ball, found);
        return;
    }
    let near = verdict.near(probe);
    for i in 0..count {
        let side = index.side((slot, i));
        let is_near = || i > 2 || near >> i & 1 != 0;
        if side.is_first_of_edge() && is_near() && !is_inside(i) {
            edge_minimum(index, (slot, i), (ball, probe), found);
        }
        let is_within =
            || (index.at(side.corner) - ball.center).length_squared() < ball.reach * ball.reach;
        if side.is_first_of_corner() && is_within() {
            vertex_minimum(index, (slot, i), (ball, probe), found);
        }
    }
}

/// Adds the projection onto a facet, for a center that projects into it.
#[inline]
fn projection(index: &SurfaceIndex, slot: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
    // Relative to the nearest corner: a far one costs digits.
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for corner in index.corners(slot) {
        let corner = index.at(corner) - ball.center;
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

/// Returns whether the point of an edge closest to the center is its end `from`.
#[inline]
fn is_at_end(from: DVec3, to: DVec3, ball: Ball<DVec3>) -> bool {
    let edge = to - from;
    let along = (ball.center - from).dot(edge);
    // More than rounding: (length + reach) length.
    let bound = 2.0 * ON_EDGE * (edge.length_squared() + ball.reach * ball.reach);
    along <= bound && (along <= 0.0 || ends_at(from, to, from.distance(to), ball))
}

/// Adds the closest point of an edge, unless it is an end, or the center projects into another facet there.
#[inline]
fn edge_minimum(
    index: &SurfaceIndex,
    place: Place,
    (ball, probe): (Ball<DVec3>, &Probe),
    found: &mut Found<DVec3>,
) {
    let [a, b] = index.ends(place).map(|end| index.at(end));
    if is_at_end(a, b, ball) || is_at_end(b, a, ball) {
        return;
    }
    let closest = from_origin_to_segment(a - ball.center, b - ball.center);
    if closest.distance_squared >= ball.reach * ball.reach {
        return;
    }
    let side = index.side(place);
    let is_inside = |place: Place| index.is_inside(place, ball, probe);
    let is_inside_other = match side.across {
        NONE => false,
        MANY => index.sides_along(place).any(is_inside),
        across => is_inside((across, side.place_across())),
    };
    if is_inside_other {
        found.has_rejected = true;
        return;
    }
    let (offset, distance_squared) = (closest.offset, closest.distance_squared);
    found.push(
        index.edge_part(place),
        index.id(place.0),
        offset,
        distance_squared,
    );
}

/// Adds a vertex within reach if it is the closest point of each edge and each facet there.
///
/// In exact arithmetic the edges would suffice, because the slope is linear in the direction. But at the
/// blunt tip of a needle both edges may come closer by less than rounding. The facet between them then
/// comes closer by much more.
#[inline]
fn vertex_minimum(
    index: &SurfaceIndex,
    (slot, i): Place,
    (ball, probe): (Ball<DVec3>, &Probe),
    found: &mut Found<DVec3>,
) {
    let [vertex, next] = index.ends((slot, i));
    let position = index.at(vertex);
    let comes_closer = |other: u32| !is_at_end(position, index.at(other), ball);
    let before = i.checked_sub(1).unwrap_or(index.side_count(slot) - 1);
    // The corners of this facet first: they are known already.
    let is_passed = comes_closer(next)
        || comes_closer(index.side((slot, before)).corner)
        || index
            .around(vertex)
            .iter()
            .any(|&other| comes_closer(other));
    let is_inside = |place: Place| index.is_inside(place, ball, probe);
    let is_inside_both = |&side: &u32| {
        let place = index.place(side);
        index.side(place).corner == vertex
            && is_inside(place)
            && is_inside(index.side_before(place))
    };
    let edges = index.adjacency.edges_at(vertex).iter();
    let mut sides = edges.flat_map(|&edge| index.adjacency.sides_of(edge));
    if is_passed || sides.any(is_inside_both) {
        found.has_rejected = true;
        return;
    }
    let offset = position - ball.center;
    found.push(
        index.vertex_part(vertex),
        index.id(slot),
        offset,
        offset.length_squared(),
    );
}
