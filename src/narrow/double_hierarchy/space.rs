//! Facets of a wall in space: their index, and the minima of the distance to each.
//!
//! Three numbers decide: how far the center is inside a side of a facet, and how far along an edge it is
//! from either end. Each has one formula for all tests that depend on it. So two facets never both
//! claim a point, and never both leave it to the other.

use std::sync::Arc;

use glam::DVec3;

use super::Wall;
use super::found::{Ball, Found, ends_at, rounding};
use super::mesh::{Indexed, WallIndex, WallMesh};
use super::path;
use super::planes::{FacetPlane, Planes, SidePlane};
use crate::error::Result;
use crate::math::tolerance::FACET_SHAPE;
use crate::math::{
    ClosestPoint, Location, closest_on_triangle, from_origin_to_polygon, from_origin_to_segment,
    lexicographic,
};
use crate::narrow::contact_volume::leaves_triangle;
use crate::shape::{
    Aabb, Adjacency, Feature, Lazy, NO_EDGE, SurfaceMesh, WallTriangles, have_names, names,
};

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
}

/// Facets with their planes and their adjacency by position.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceIndex {
    mesh: Arc<SurfaceMesh>,
    adjacency: Adjacency,
    /// Vertices in ascending order of their positions.
    order: Vec<u32>,
    planes: Planes,
    /// With their fronts, and reversed.
    triangles: [Lazy<WallTriangles>; 2],
}

impl SurfaceIndex {
    fn corners(&self, facet: u32) -> &[u32] {
        self.mesh.topology().0.get(facet as usize)
    }

    fn sides(&self, facet: u32) -> &[SidePlane] {
        self.planes.sides(self.planes.facet(facet))
    }

    /// Visits each facet that has an edge or a vertex, in ascending order.
    fn for_each_facet_around(&self, feature: Feature, mut visit: impl FnMut(u32)) {
        let Self {
            adjacency, planes, ..
        } = self;
        let name = |vertex: u32| adjacency.names().get(vertex as usize).copied();
        match feature {
            Feature::Facet(_) => {}
            Feature::Edge(a, b) => {
                let (Some(a), Some(b)) = (name(a), name(b)) else {
                    return;
                };
                let sides = adjacency.edge_between(a, b).map(|e| adjacency.sides_of(e));
                let mut last = None;
                for &side in sides.unwrap_or_default() {
                    let facet = planes.side(side).facet;
                    if last.replace(facet) != Some(facet) {
                        visit(facet);
                    }
                }
            }
            Feature::Vertex(vertex) => {
                let Some(vertex) = name(vertex) else { return };
                for &edge in adjacency.edges_at(vertex) {
                    let sides = adjacency.sides_of(edge).iter();
                    // Of the two sides of a facet there, the one that starts from the vertex.
                    for side in sides.map(|&side| planes.side(side)) {
                        if side.corner == vertex {
                            visit(side.facet);
                        }
                    }
                }
            }
        }
    }
}

impl Wall {
    /// Returns the triangles, built at the first call; with front and back exchanged if `is_reversed`.
    pub(in crate::narrow) fn triangles(&self, is_reversed: bool) -> &WallTriangles {
        let index = &self.shared().index;
        let triangles = &index.triangles[usize::from(is_reversed)];
        triangles.get_or_init(|| WallTriangles::new(&index.mesh, is_reversed))
    }

    /// Visits the sides of a facet, each with the facet across and whether both have the same front. `None`
    /// unless two facets share the side.
    pub(in crate::narrow) fn for_each_neighbor(
        &self,
        facet: u32,
        mut visit: impl FnMut(usize, Option<(u32, bool)>),
    ) {
        let SurfaceIndex {
            adjacency, planes, ..
        } = &self.shared().index;
        for (i, own) in planes.sides(planes.facet(facet)).iter().enumerate() {
            let sides = match own.edge {
                NO_EDGE => &[][..],
                edge => adjacency.sides_of(edge),
            };
            let &[a, b] = sides else {
                visit(i, None);
                continue;
            };
            let [a, b] = [a, b].map(|side| planes.side(side));
            let other = if a.facet == facet { b } else { a };
            visit(i, Some((other.facet, other.corner != own.corner)));
        }
    }
}

impl WallIndex for SurfaceIndex {
    type Vector = DVec3;
    type Mesh = SurfaceMesh;

    fn new(mesh: Arc<SurfaceMesh>) -> Self {
        let (names, order) = names(mesh.vertices());
        let adjacency = Adjacency::new(mesh.topology().0, names);
        let mut planes = Planes::default();
        planes.fit(&mesh, &adjacency);
        Self {
            mesh,
            adjacency,
            order,
            planes,
            triangles: Default::default(),
        }
    }

    fn mesh(&self) -> &SurfaceMesh {
        &self.mesh
    }

    fn set_vertices(&mut self, vertices: &[DVec3]) -> Result<()> {
        let mesh = Arc::make_mut(&mut self.mesh);
        mesh.set_vertices(vertices)?;
        if !have_names(vertices, self.adjacency.names(), &mut self.order) {
            self.adjacency = Adjacency::by_position(mesh.topology().0, vertices);
        }
        self.planes.fit(mesh, &self.adjacency);
        self.triangles = Default::default();
        Ok(())
    }

    fn facet_box(&self, facet: u32) -> Aabb<DVec3> {
        self.mesh.facet_box(facet)
    }

    #[inline]
    fn normal(&self, facet: u32) -> DVec3 {
        self.mesh.normals()[facet as usize]
    }

    #[inline]
    fn for_each_facet_at(&self, feature: Feature, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(facet) if facet < self.facet_count() => visit(facet),
            _ => self.for_each_facet_around(feature, visit),
        }
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        self.mesh.for_each_nodal_weight(facet, point, visit);
    }

    #[inline]
    fn search(&self, facet: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
        let plane = self.planes.facet(facet);
        let sides = self.planes.sides(plane);
        let from_origin = ball.center - plane.origin;
        let on = rounding(plane.size, ball.reach);
        let limit = ball.reach + on + bend(plane, sides.len());
        // One branch for four planes: the processor could not predict four.
        let [height, a, b, c] = plane.distances(from_origin);
        if (height.abs() > limit) | (a < -limit) | (b < -limit) | (c < -limit) {
            return;
        }
        let inside = |side: &SidePlane| side.inside(from_origin);
        let rest = sides[3..].iter().map(inside);
        // `f64::min` takes five times as long, because of NaN.
        let lower = |a: f64, b: f64| if a < b { a } else { b };
        let innermost = rest.fold(lower(lower(a, b), c), lower);
        if innermost < -limit {
            return;
        }
        found.near.push(facet);
        if innermost > on {
            projection(self, facet, (plane, sides), ball, found);
            return;
        }
        for side in sides {
            let inside = inside(side);
            if side.is_first_of_edge
                && inside <= on
                && inside * inside + height * height <= limit * limit
            {
                edge_minimum(self, side, ball, found);
            }
            if side.is_first_of_corner {
                vertex_minimum(self, side, ball, found);
            }
        }
    }

    fn closest(&self, facet: u32, from: DVec3) -> (ClosestPoint<DVec3>, Feature) {
        let ids = self.corners(facet);
        let corner = |i: usize| self.position(ids[i]) - from;
        let closest = from_origin_to_polygon(self.normal(facet), ids.len(), corner);
        let name = |i: usize| self.adjacency.name(ids[i % ids.len()]);
        let feature = match closest.location {
            Location::Interior => Feature::Facet(facet),
            Location::Edge(i) => Feature::edge(name(i), name(i + 1)),
            Location::Vertex(i) => Feature::Vertex(name(i)),
        };
        (closest, feature)
    }

    fn holds(&self, facet: u32, center: DVec3, offset: DVec3, same: f64) -> bool {
        let plane = self.planes.facet(facet);
        let sides = self.planes.sides(plane);
        let normal = plane.normal();
        if normal == DVec3::ZERO {
            let (closest, _) = self.closest(facet, center + offset);
            return closest.distance_squared <= same * same;
        }
        let point = (center - plane.origin) + offset;
        normal.dot(point).abs() <= same + bend(plane, sides.len())
            && sides.iter().all(|side| side.inside(point) >= -same)
    }

    fn for_each_corner(&self, facet: u32, visit: impl FnMut(u32)) {
        let ids = self.corners(facet).iter();
        ids.map(|&id| self.adjacency.name(id)).for_each(visit);
    }

    fn has(&self, facet: u32, feature: Feature) -> bool {
        let sides = self.sides(facet);
        match feature {
            Feature::Facet(_) => false,
            // Having both ends is not enough: there may be corners between them.
            Feature::Edge(a, b) => {
                let edge = self.adjacency.edge_between(a, b);
                edge.is_some_and(|edge| sides.iter().any(|side| side.edge == edge))
            }
            Feature::Vertex(v) => sides.iter().any(|side| side.corner == v),
        }
    }

    fn precision(&self) -> f64 {
        self.mesh.precision()
    }

    fn normal_error(&self, facet: u32) -> f64 {
        self.planes.facet(facet).normal_error
    }

    fn crossed(&self, facet: u32, from: DVec3, to: DVec3) -> Option<bool> {
        let ids = self.corners(facet);
        let triangles = path::fan(ids).map(|ids| ids.map(|id| self.position(id)));
        { triangles }.find_map(|triangle| path::across_triangle(triangle, from, to))
    }

    fn leaves(&self, facet: u32, segment: [DVec3; 2]) -> i32 {
        let triangles = path::fan(self.corners(facet)).map(|ids| ids.map(|id| self.position(id)));
        triangles
            .map(|corners| leaves_triangle(corners, segment))
            .sum()
    }

    fn carried(&self, facet: u32, point: DVec3, before: &[DVec3]) -> DVec3 {
        let now = self.mesh.vertices();
        let ids = self.corners(facet);
        let is_still = |&id: &u32| before[id as usize] == now[id as usize];
        if ids.iter().all(is_still) {
            return point;
        }
        let triangles = path::fan(ids).map(|ids| {
            let [then, now] = [before, now].map(|all| ids.map(|id| all[id as usize]));
            (closest_on_triangle(point, then).distance_squared, then, now)
        });
        let nearest = triangles.min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(point, |(_, then, now)| {
            path::along_triangle(point, then, now)
        })
    }
}

/// Returns how far corners may be off the plane.
#[inline]
fn bend(plane: &FacetPlane, side_count: usize) -> f64 {
    if side_count == 3 {
        0.0
    } else {
        2.0 * FACET_SHAPE * plane.size
    }
}

/// Adds the projection onto a facet, for a center that projects into it.
#[inline]
fn projection(
    index: &SurfaceIndex,
    facet: u32,
    (plane, sides): (&FacetPlane, &[SidePlane]),
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    // Relative to the nearest corner: a far one costs digits.
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for side in sides {
        let corner = index.position(side.corner) - ball.center;
        let distance_squared = corner.length_squared();
        let is_tied = distance_squared == nearest.0;
        if distance_squared < nearest.0 || is_tied && lexicographic(corner, nearest.1).is_lt() {
            nearest = (distance_squared, corner);
        }
    }
    let normal = plane.normal();
    let height = normal.dot(nearest.1);
    if height.abs() < ball.reach {
        // No negative zeros, for any direction of the normal.
        let offset = normal * height + DVec3::ZERO;
        found.push(Feature::Facet(facet), facet, offset, height * height);
    }
}

/// Adds the closest point of an edge, unless it is an end, or the center projects into an adjacent facet.
fn edge_minimum(
    index: &SurfaceIndex,
    side: &SidePlane,
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    let [low, high] = index.adjacency.edges()[side.edge as usize];
    let (a, b) = (index.position(low), index.position(high));
    let length = index.planes.edge_length(side.edge);
    if ends_at(a, b, length, ball) || ends_at(b, a, length, ball) {
        return;
    }
    let closest = from_origin_to_segment(a - ball.center, b - ball.center);
    if closest.distance_squared >= ball.reach * ball.reach {
        return;
    }
    let is_inside = |&side: &u32| {
        let side = index.planes.side(side);
        let plane = index.planes.facet(side.facet);
        side.inside(ball.center - plane.origin) > rounding(plane.size, ball.reach)
    };
    if index.adjacency.sides_of(side.edge).iter().any(is_inside) {
        found.is_touched = true;
        return;
    }
    let edge = Feature::Edge(low, high);
    found.push(edge, side.facet, closest.offset, closest.distance_squared);
}

/// Adds a vertex if it is the closest point of each edge and each facet there.
///
/// In exact arithmetic the edges would suffice, because the slope is linear in the direction. But at the
/// blunt tip of a needle both edges may come closer by less than rounding. The facet between them then
/// comes closer by much more.
fn vertex_minimum(
    index: &SurfaceIndex,
    side: &SidePlane,
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    let vertex = side.corner;
    let (adjacency, planes) = (&index.adjacency, &index.planes);
    let position = index.position(vertex);
    let offset = position - ball.center;
    let distance_squared = offset.length_squared();
    if distance_squared >= ball.reach * ball.reach {
        return;
    }
    let edges = adjacency.edges_at(vertex);
    let comes_closer = |&edge: &u32| {
        let [low, high] = adjacency.edges()[edge as usize];
        let other = index.position(if low == vertex { high } else { low });
        !ends_at(position, other, planes.edge_length(edge), ball)
    };
    let mut sides = edges.iter().flat_map(|&edge| adjacency.sides_of(edge));
    let is_inside_both = |&side: &u32| {
        let (after, before) = (planes.side(side), planes.side_before(side));
        let plane = planes.facet(after.facet);
        let from_origin = ball.center - plane.origin;
        let inside = after.inside(from_origin).min(before.inside(from_origin));
        after.corner == vertex && inside > rounding(plane.size, ball.reach)
    };
    if edges.iter().any(comes_closer) || sides.any(is_inside_both) {
        found.is_touched = true;
        return;
    }
    found.push(
        Feature::Vertex(vertex),
        side.facet,
        offset,
        distance_squared,
    );
}
