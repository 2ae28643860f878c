//! The local minima of the distance to a mesh in space.
//!
//! Three numbers decide everything: how far the centre is inside each side of a facet, and how far
//! along an edge it is from either end. Each is computed once for all questions that depend on it,
//! so two facets never both claim a point, nor both leave it to the other.

use glam::DVec3;

use super::path;
use super::surface::{Ball, Found, Minimum, Search, Surface, ends_at, rounding};
use crate::error::Result;
use crate::math::tolerance::FACET_SHAPE;
use crate::math::{
    ClosestPoint, Location, closest_on_triangle, from_origin_to_polygon, from_origin_to_segment,
    lexicographic,
};
use crate::shape::{Aabb, FacetPlane, Feature, SidePlane, SurfaceMesh};

impl Surface for SurfaceMesh {
    fn facet_count(&self) -> usize {
        SurfaceMesh::facet_count(self)
    }

    fn normal(&self, facet: u32) -> DVec3 {
        let normal = self.normals().get(facet as usize);
        normal.copied().unwrap_or_default()
    }

    fn for_each_facet_at(&self, feature: Feature, visit: impl FnMut(u32)) {
        SurfaceMesh::for_each_facet_at(self, feature, visit);
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        SurfaceMesh::for_each_nodal_weight(self, facet, point, visit);
    }

    fn set_vertices(&mut self, vertices: &[DVec3]) -> Result<()> {
        SurfaceMesh::set_vertices(self, vertices)
    }
}

impl Search for SurfaceMesh {
    type Vector = DVec3;

    fn facet_box(&self, facet: usize) -> Aabb<DVec3> {
        SurfaceMesh::facet_box(self, facet)
    }

    #[inline]
    fn search(&self, facet: u32, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
        let planes = self.planes();
        let plane = planes.facet(facet);
        let sides = planes.sides(plane);
        let from_origin = ball.center - plane.origin;
        let on = rounding(plane.size, ball.reach);
        let limit = ball.reach + on + bend(plane, sides.len());
        // One decision for four planes: one by one they could not be foreseen.
        let [height, a, b, c] = plane.distances(from_origin);
        if (height.abs() > limit) | (a < -limit) | (b < -limit) | (c < -limit) {
            return;
        }
        let inside = |side: &SidePlane| side.inside(from_origin);
        let rest = sides[3..].iter().map(inside);
        let innermost = rest.fold(a.min(b).min(c), f64::min);
        if innermost < -limit {
            return;
        }
        found.near.push(facet);
        if innermost > on {
            found.minima.extend(foot(self, facet, ball));
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
        let ids = self.topology().0.get(facet as usize);
        let corner = |i: usize| self.vertices()[ids[i] as usize] - from;
        let closest = from_origin_to_polygon(self.normals()[facet as usize], ids.len(), corner);
        let name = |i: usize| self.adjacency().name(ids[i % ids.len()]);
        let feature = match closest.location {
            Location::Interior => Feature::Facet(facet),
            Location::Edge(i) => Feature::edge(name(i), name(i + 1)),
            Location::Vertex(i) => Feature::Vertex(name(i)),
        };
        (closest, feature)
    }

    fn holds(&self, facet: u32, center: DVec3, offset: DVec3, same: f64) -> bool {
        let plane = self.planes().facet(facet);
        let sides = self.planes().sides(plane);
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
        let ids = self.topology().0.get(facet as usize).iter();
        ids.map(|&id| self.adjacency().name(id)).for_each(visit);
    }

    fn has(&self, facet: u32, feature: Feature) -> bool {
        let planes = self.planes();
        let sides = planes.sides(planes.facet(facet));
        match feature {
            Feature::Facet(_) => false,
            // Having both ends is not enough: there may be corners between them.
            Feature::Edge(a, b) => {
                let edge = self.adjacency().edge_between(a, b);
                edge.is_some_and(|edge| sides.iter().any(|side| side.edge == edge))
            }
            Feature::Vertex(v) => sides.iter().any(|side| side.corner == v),
        }
    }

    fn position(&self, vertex: u32) -> DVec3 {
        self.vertices()[vertex as usize]
    }

    fn precision(&self) -> f64 {
        self.planes().precision()
    }

    fn normal_error(&self, facet: u32) -> f64 {
        self.planes().normal_error(facet)
    }

    fn positions(&self) -> &[DVec3] {
        self.vertices()
    }

    fn crossed(&self, facet: u32, from: DVec3, to: DVec3) -> Option<bool> {
        let ids = self.topology().0.get(facet as usize);
        let place = |id: u32| self.vertices()[id as usize];
        { path::fan(ids) }.find_map(|ids| path::across_triangle(ids.map(place), from, to))
    }

    fn carried(&self, facet: u32, point: DVec3, before: &[DVec3]) -> DVec3 {
        let ids = self.topology().0.get(facet as usize);
        if ids
            .iter()
            .all(|&id| before[id as usize] == self.vertices()[id as usize])
        {
            return point;
        }
        let triangles = path::fan(ids).map(|ids| {
            let [then, now] = [before, self.vertices()].map(|all| ids.map(|id| all[id as usize]));
            (closest_on_triangle(point, then).distance_squared, then, now)
        });
        let nearest = triangles.min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or(point, |(_, then, now)| {
            path::along_triangle(point, then, now)
        })
    }
}

/// How far corners may be off the plane.
#[inline]
fn bend(plane: &FacetPlane, side_count: usize) -> f64 {
    if side_count == 3 {
        0.0
    } else {
        2.0 * FACET_SHAPE * plane.size
    }
}

/// The foot on a facet that the centre is inside of.
#[inline]
fn foot(mesh: &SurfaceMesh, facet: u32, ball: Ball<DVec3>) -> Option<Minimum<DVec3>> {
    let ids = mesh.topology().0.get(facet as usize);
    // From the nearest corner: a far one costs digits.
    let mut nearest = (f64::INFINITY, DVec3::ZERO);
    for &id in ids {
        let corner = mesh.vertices()[id as usize] - ball.center;
        let distance_squared = corner.length_squared();
        let is_tied = distance_squared == nearest.0;
        if distance_squared < nearest.0 || is_tied && lexicographic(corner, nearest.1).is_lt() {
            nearest = (distance_squared, corner);
        }
    }
    let normal = mesh.normals()[facet as usize];
    let height = normal.dot(nearest.1);
    (height.abs() < ball.reach).then(|| Minimum {
        feature: Feature::Facet(facet),
        facet,
        // No negative zeros, whatever the direction of the normal.
        offset: normal * height + DVec3::ZERO,
        distance_squared: height * height,
        view: 0,
    })
}

/// A point amid an edge is a minimum if the centre is inside of none of the facets there.
fn edge_minimum(mesh: &SurfaceMesh, side: &SidePlane, ball: Ball<DVec3>, found: &mut Found<DVec3>) {
    let [low, high] = mesh.adjacency().edges()[side.edge as usize];
    let (a, b) = (
        mesh.vertices()[low as usize],
        mesh.vertices()[high as usize],
    );
    let length = mesh.planes().edge_length(side.edge);
    if ends_at(a, b, length, ball) || ends_at(b, a, length, ball) {
        return;
    }
    let closest = from_origin_to_segment(a - ball.center, b - ball.center);
    if closest.distance_squared >= ball.reach * ball.reach {
        return;
    }
    let is_inside = |&side: &u32| {
        let side = mesh.planes().side(side);
        let plane = mesh.planes().facet(side.facet);
        side.inside(ball.center - plane.origin) > rounding(plane.size, ball.reach)
    };
    if mesh.adjacency().sides_of(side.edge).iter().any(is_inside) {
        found.is_touched = true;
        return;
    }
    found.minima.push(Minimum {
        feature: Feature::Edge(low, high),
        facet: side.facet,
        offset: closest.offset,
        distance_squared: closest.distance_squared,
        view: 0,
    });
}

/// A vertex is a minimum if it is the closest point of each edge and each facet there. (In exact
/// numbers that of the edges is enough: the slope is linear in the direction. But the two edges of
/// a needle at its blunt tip may come closer by less than rounding while the facet between them
/// comes closer by a lot.)
fn vertex_minimum(
    mesh: &SurfaceMesh,
    side: &SidePlane,
    ball: Ball<DVec3>,
    found: &mut Found<DVec3>,
) {
    let vertex = side.corner;
    let (adjacency, planes) = (mesh.adjacency(), mesh.planes());
    let position = mesh.vertices()[vertex as usize];
    let offset = position - ball.center;
    let distance_squared = offset.length_squared();
    if distance_squared >= ball.reach * ball.reach {
        return;
    }
    let edges = adjacency.edges_at(vertex);
    let comes_closer = |&edge: &u32| {
        let [low, high] = adjacency.edges()[edge as usize];
        let other = mesh.vertices()[(if low == vertex { high } else { low }) as usize];
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
    found.minima.push(Minimum {
        feature: Feature::Vertex(vertex),
        facet: side.facet,
        offset,
        distance_squared,
        view: 0,
    });
}
