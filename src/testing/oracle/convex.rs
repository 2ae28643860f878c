//! The gap between convex bodies from its definition, by exhaustive search. It uses plain f64, with an error of about
//! 1e-15 of the larger body.

use glam::{DVec2, DVec3};

use crate::math::{
    Pose, Vector, closest_on_polygon, closest_on_segment, cross_of_differences, orient2d,
};
use crate::shape::{Convex, Core, Placed, Sphere};

/// Returns the distance of two convex bodies, or minus the length of the shortest separating translation.
///
/// This is the maximum of `min m.b - max m.a` over all unit vectors `m`. For overlapping cores, `m` runs
/// over all face normals and cross products of two edges. The distance of separated cores is the minimum
/// over all pairs of a vertex and a face, and of two edges. The radii are subtracted. O(edges^2 vertices).
pub fn gap_of_polyhedra<S, T>(a: &Placed<S>, b: &Placed<T>) -> f64
where
    S: Convex<Vector = DVec3>,
    T: Convex<Vector = DVec3>,
{
    let origin = a.pose.transform_point(core_vertices(&a.shape)[0]);
    gap_of_cores(&Body::new(a, origin), &Body::new(b, origin))
        - (a.shape.radius() + b.shape.radius())
}

fn gap_of_cores(a: &Body, b: &Body) -> f64 {
    let along = |m: DVec3| gap_along(m, &a.vertices, &b.vertices);
    let mut best = f64::NEG_INFINITY;
    for n in &a.normals {
        best = best.max(along(*n));
    }
    for n in &b.normals {
        best = best.max(along(-*n));
    }
    for p in &a.edges {
        for q in &b.edges {
            // Accurate also where the edges are almost parallel.
            let axis = cross_of_differences(*p, *q).normalize_or_zero();
            for axis in [axis, -axis] {
                // No gap is larger than that between the two edges.
                if axis != DVec3::ZERO && axis.dot(q[0] - p[0]) > best {
                    best = best.max(along(axis));
                }
            }
        }
    }
    // Points and segments do not overlap each other.
    if best <= 0.0 && !(a.faces.is_empty() && b.faces.is_empty()) {
        return best;
    }
    let mut nearest = f64::INFINITY;
    for (body, other) in [(a, b), (b, a)] {
        for vertex in &body.vertices {
            for face in &other.faces {
                nearest = nearest.min(closest_on_polygon(*vertex, face).distance_squared);
            }
        }
    }
    for p in &a.edges {
        for q in &b.edges {
            nearest = nearest.min(between_segments(*p, *q));
        }
    }
    nearest.sqrt()
}

/// Returns the gap between two convex bodies along a unit normal from the first to the second.
///
/// This is `min normal.b - max normal.a` over all vertices of the cores, less the radii. O(vertices).
pub fn gap_of_polyhedra_along<S, T>(a: &Placed<S>, b: &Placed<T>, normal: DVec3) -> f64
where
    S: Convex<Vector = DVec3>,
    T: Convex<Vector = DVec3>,
{
    let vertices = [&core_vertices(&a.shape)[..], &core_vertices(&b.shape)];
    gap_of_placed(vertices, [&a.pose, &b.pose], normal) - (a.shape.radius() + b.shape.radius())
}

/// Returns the vertices of the core of a body.
fn core_vertices(shape: &impl Convex<Vector = DVec3>) -> Vec<DVec3> {
    let core = shape.core();
    match core.vertices() {
        (center, []) => vec![center],
        (center, vertices) => vertices.iter().map(|&v| v + center).collect(),
    }
}

/// Returns the gap between two convex bodies of the plane along a unit normal from the first to the second. O(vertices).
pub fn gap_of_polygons_along<S, T>(a: &Placed<S, DVec2>, b: &Placed<T, DVec2>, normal: DVec2) -> f64
where
    S: Convex<Vector = DVec2>,
    T: Convex<Vector = DVec2>,
{
    let vertices = [a.shape.core().vertices, b.shape.core().vertices];
    gap_of_placed(vertices, [&a.pose, &b.pose], normal) - (a.shape.radius() + b.shape.radius())
}

/// Works relative to the first vertex of each body, for small rounding errors.
fn gap_of_placed<V: Vector>(vertices: [&[V]; 2], poses: [&Pose<V>; 2], normal: V) -> f64 {
    let [(first_a, farthest), (first_b, nearest)] = [(0, 1.0), (1, -1.0)].map(|(i, sign)| {
        let local = poses[i].inverse_transform_vector(normal) * sign;
        let first = vertices[i][0];
        let along = vertices[i].iter().map(|&v| local.dot(v - first));
        (poses[i].transform_vector(first), along.fold(0.0, f64::max))
    });
    let between = poses[1].translation() - poses[0].translation();
    normal.dot(between + (first_b - first_a)) - (farthest + nearest)
}

/// A core in the world's axes, relative to some origin. A point has an edge of length 0.
struct Body {
    vertices: Vec<DVec3>,
    faces: Vec<Vec<DVec3>>,
    normals: Vec<DVec3>,
    edges: Vec<[DVec3; 2]>,
}

impl Body {
    fn new<S: Convex<Vector = DVec3>>(body: &Placed<S>, origin: DVec3) -> Self {
        let pose = &body.pose;
        let moved = pose.translation() - origin;
        let vertices = core_vertices(&body.shape);
        let vertices: Vec<_> = vertices
            .iter()
            .map(|&v| pose.transform_vector(v) + moved)
            .collect();
        let (Core::Segment(core) | Core::Polyhedron(core)) = body.shape.core() else {
            return Self {
                edges: vec![[vertices[0]; 2]],
                vertices,
                faces: Vec::new(),
                normals: Vec::new(),
            };
        };
        let corner = |&id: &u32| vertices[id as usize];
        let face = |face| {
            let ids = core.sides(face).iter().map(|side| side.corner);
            ids.map(|id| corner(&id)).collect()
        };
        let normals = core.faces.iter().map(|f| pose.transform_vector(f.normal));
        let edges = core.edges.iter().map(|e| e.ends.each_ref().map(corner));
        Self {
            faces: core.faces.iter().map(face).collect(),
            normals: normals.collect(),
            edges: edges.collect(),
            vertices,
        }
    }
}

/// Returns the signed distance of a point from a convex body: negative inside, 0 on the surface.
///
/// O(vertices).
pub fn distance_to_polyhedron<S: Convex<Vector = DVec3>>(body: &Placed<S>, point: DVec3) -> f64 {
    let at_point = Placed::new(Sphere::new(point, 0.0), Pose::IDENTITY);
    gap_of_polyhedra(&at_point, body)
}

/// Returns the distance of two convex bodies of the plane, or minus the length of the shortest separating translation.
///
/// O(vertices^2).
pub fn gap_of_polygons<S, T>(a: &Placed<S, DVec2>, b: &Placed<T, DVec2>) -> f64
where
    S: Convex<Vector = DVec2>,
    T: Convex<Vector = DVec2>,
{
    let radii = a.shape.radius() + b.shape.radius();
    let [p, q] = [a.shape.core().vertices, b.shape.core().vertices];
    let origin = a.pose.transform_point(p[0]);
    let place = |vertices: &[DVec2], pose: &Pose<DVec2>| -> Vec<DVec2> {
        let moved = pose.translation() - origin;
        let position = |&v: &DVec2| pose.transform_vector(v) + moved;
        vertices.iter().map(position).collect()
    };
    let (a, b) = (place(p, &a.pose), place(q, &b.pose));
    let (mut best, mut nearest) = (f64::NEG_INFINITY, f64::INFINITY);
    for (body, other, sign) in [(&a, &b, 1.0), (&b, &a, -1.0)] {
        for (i, &from) in body.iter().enumerate() {
            let to = body[(i + 1) % body.len()];
            if to != from {
                let outward = -(to - from).perp().normalize();
                best = best.max(gap_along(outward * sign, &a, &b));
            }
            for &vertex in other {
                nearest = nearest.min(closest_on_segment(vertex, from, to).distance_squared);
            }
        }
    }
    let sides = |[a, b]: [DVec2; 2], q: &[DVec2]| orient2d(a, b, q[0]) * orient2d(a, b, q[1]) < 0.0;
    let may_overlap = match (&a[..], &b[..]) {
        (&[p, r], &[q, s]) => sides([p, r], &b) && sides([q, s], &a),
        (a, b) => a.len().max(b.len()) > 2,
    };
    let gap = if best <= 0.0 && may_overlap {
        best
    } else {
        nearest.sqrt()
    };
    gap - radii
}

fn gap_along<V: Vector>(m: V, a: &[V], b: &[V]) -> f64 {
    let farthest = a
        .iter()
        .fold(f64::NEG_INFINITY, |far, &v| far.max(m.dot(v)));
    let nearest = b.iter().fold(f64::INFINITY, |near, &v| near.min(m.dot(v)));
    nearest - farthest
}

/// Returns the squared distance between two segments.
///
/// The closest points include an end of a segment, or lie on the common normal of the lines.
fn between_segments(p: [DVec3; 2], q: [DVec3; 2]) -> f64 {
    let to_segment = |point, [a, b]: [DVec3; 2]| closest_on_segment(point, a, b).distance_squared;
    let ends = [
        to_segment(p[0], q),
        to_segment(p[1], q),
        to_segment(q[0], p),
        to_segment(q[1], p),
    ];
    let nearest = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, d) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let n = u.cross(v);
    // For almost parallel segments this point is inaccurate, but its distance from the other segment is not.
    let s = (d.cross(v).dot(n) / n.length_squared()).clamp(0.0, 1.0);
    nearest.min(to_segment(p[0] + u * s, q))
}
