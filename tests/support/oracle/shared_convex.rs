//! Intersections of convex polyhedra as convex hulls of points: Y. T. Feng, Computer Methods in Applied
//! Mechanics and Engineering 373 (2021) 113493, section 3.1.

use osculate::glam::DVec3;
use osculate::math::orient3d;
use osculate::{ConvexPolyhedron, Placed};

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;
/// The volume V, and the area vector S and moment vector G (about the origin) of the first body.
type Shared = (f64, DVec3, DVec3);
/// A half-space `normal . x <= offset`, with a unit normal.
type HalfSpace = (DVec3, f64);
/// The vertices of a face, and its half-space.
type Polygon = (Vec<DVec3>, HalfSpace);

pub(crate) const NOTHING: Shared = (0.0, DVec3::ZERO, DVec3::ZERO);

/// Returns the intersection volume of two polyhedra by the paper's "ray tracing", with S and G.
///
/// The intersection is the convex hull of all crossings of an edge of one body with a face of the other, and all
/// vertices inside the other body. Accurate to rounding, for bodies without coplanar faces. O(n m).
pub(crate) fn intersection_by_rays(a: &Body, b: &Body) -> Shared {
    let (faces_a, faces_b) = (faces(a), faces(b));
    let points = crossings(&faces_a, &faces_b);
    let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) else {
        return NOTHING;
    };
    let polygons = hull.surface().facets().map(|f| f.corners().collect());
    add_up(polygons, &faces_a, &faces_b)
}

/// Returns the intersection volume of two polyhedra by the dual polyhedron, with S and G.
///
/// Relative to a point inside both bodies, each half-space `n . x <= d` becomes the point n / d. The convex hull of
/// these points is the dual of the intersection. Accurate to rounding, for intersections that are not thin and bodies
/// without coplanar faces. O(n log n), and about a hundred steps of O(n) for the point.
pub(crate) fn intersection_by_dual(a: &Body, b: &Body) -> Shared {
    let (faces_a, faces_b) = (faces(a), faces(b));
    let planes = || faces_a.iter().chain(&faces_b).map(|face| face.1);
    // Descends along the normal of the highest plane, in shorter and shorter steps.
    let mut inside = b.pose.transform_point(b.shape.centroid());
    let mut step = inside.distance(a.pose.transform_point(a.shape.centroid()));
    for _ in 0..400 {
        let heights = planes().map(|(n, offset)| (n.dot(inside) - offset, n));
        let Some((height, n)) = heights.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return NOTHING;
        };
        // Stops at the lowest point.
        inside -= n * if height > step { height } else { step };
        step *= 0.97;
    }
    if planes().any(|(n, offset)| n.dot(inside) >= offset) {
        return NOTHING;
    }
    let dual = |(n, offset): HalfSpace| n / (offset - n.dot(inside));
    let points: Vec<DVec3> = planes().map(dual).collect();
    let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) else {
        return NOTHING;
    };
    // Each facet m . y = 1 is a vertex m of the intersection; each vertex of the hull is a face.
    let facets: Vec<(Vec<DVec3>, DVec3)> = hull
        .surface()
        .facets()
        .map(|f| {
            let corners: Vec<DVec3> = f.corners().collect();
            let vertex = f.normal() / f.normal().dot(corners[0]);
            (corners, inside + vertex)
        })
        .collect();
    let polygon = |y: &DVec3| {
        let around = facets.iter().filter(|(corners, _)| corners.contains(y));
        in_order(around.map(|facet| facet.1).collect(), *y)
    };
    add_up(hull.vertices().iter().map(polygon), &faces_a, &faces_b)
}

/// Returns the vertices of each face in the world, and its half-space.
fn faces(body: &Body) -> Vec<Polygon> {
    let facets = body.shape.surface().facets();
    let face = facets.map(|f| {
        let corners: Vec<DVec3> = f.corners().map(|p| body.pose.transform_point(p)).collect();
        let normal = area(&corners).normalize();
        let offset = normal.dot(corners[0]);
        (corners, (normal, offset))
    });
    face.collect()
}

/// Returns the points in which an edge of one body crosses a face of the other, and the vertices inside
/// the other body.
fn crossings(faces_a: &[Polygon], faces_b: &[Polygon]) -> Vec<DVec3> {
    let mut points = Vec::new();
    for (own, others) in [(faces_a, faces_b), (faces_b, faces_a)] {
        for (corners, _) in own {
            for (i, &p) in corners.iter().enumerate() {
                let q = corners[(i + 1) % corners.len()];
                let mut triangles = others.iter().flat_map(|(corners, _)| fan(corners));
                let is_inside = triangles.all(|triangle| above(triangle, p) <= 0.0);
                if is_inside && !points.contains(&p) {
                    points.push(p);
                }
                // Visits each edge once.
                if p.to_array() < q.to_array() {
                    let triangles = others.iter().flat_map(|(corners, _)| fan(corners));
                    points.extend(triangles.filter_map(|triangle| crossing(p, q, triangle)));
                }
            }
        }
    }
    points
}

fn fan(corners: &[DVec3]) -> impl Iterator<Item = [DVec3; 3]> {
    let pairs = corners[1..].windows(2);
    pairs.map(|pair| [corners[0], pair[0], pair[1]])
}

/// Returns a number with the exact sign of the height of a point above a triangle.
fn above([a, b, c]: [DVec3; 3], x: DVec3) -> f64 {
    orient3d(a, b, c, x)
}

/// Returns the point in which an edge crosses a triangle. Exact signs decide.
fn crossing(p: DVec3, q: DVec3, triangle: [DVec3; 3]) -> Option<DVec3> {
    let is_above = [p, q].map(|x| above(triangle, x) > 0.0);
    let [a, b, c] = triangle;
    let turns = [[a, b], [b, c], [c, a]].map(|[from, to]| orient3d(p, q, from, to));
    let is_through = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    let point = p.lerp(q, (from / (from - to)).clamp(0.0, 1.0));
    (is_above[0] != is_above[1] && is_through && point.is_finite()).then_some(point)
}

/// Returns the vertices of a convex polygon in order around a direction.
fn in_order(mut corners: Vec<DVec3>, axis: DVec3) -> Vec<DVec3> {
    let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let x = axis.any_orthogonal_vector().normalize();
    let y = axis.cross(x).normalize();
    let angle = |p: &DVec3| (*p - middle).dot(y).atan2((*p - middle).dot(x));
    corners.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    corners
}

fn area(corners: &[DVec3]) -> DVec3 {
    let fan = corners[1..].windows(2);
    fan.map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0]) * 0.5)
        .sum()
}

/// Returns V of a polyhedron, and S and G of its faces on a face of the first body.
fn add_up(
    polygons: impl Iterator<Item = Vec<DVec3>>,
    faces_a: &[Polygon],
    faces_b: &[Polygon],
) -> Shared {
    let (mut volume, mut s, mut g) = NOTHING;
    for corners in polygons {
        let distance = |faces: &[Polygon]| {
            let off = |&(n, offset): &HalfSpace| {
                let heights = corners.iter().map(|&p| (n.dot(p) - offset).abs());
                heights.fold(0.0, f64::max)
            };
            faces
                .iter()
                .map(|face| off(&face.1))
                .fold(f64::INFINITY, f64::min)
        };
        let is_of_a = distance(faces_a) < distance(faces_b);
        for i in 2..corners.len() {
            let triangle = [corners[0], corners[i - 1], corners[i]];
            let own = area(&triangle);
            let middle = (triangle[0] + triangle[1] + triangle[2]) / 3.0;
            volume += middle.dot(own) / 3.0;
            if is_of_a {
                s += own;
                g += middle.cross(own);
            }
        }
    }
    (volume, s, g)
}
