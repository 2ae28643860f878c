//! The bed of two convex polyhedra by its definition.

use std::iter::zip;

use osculate::glam::{DMat3, DVec2, DVec3, DVec4, Vec3Swizzles, Vec4Swizzles};
use osculate::{ConvexPolyhedron, Placed};

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;
/// Corners of a triangle. Seen along the normal, x and y are counter-clockwise; z is the height.
type Triangle = [DVec3; 3];

/// Returns volume and centroid of the bed of two polyhedra along a unit vector from `a` to `b`, `None` if it
/// is empty.
///
/// The integral of the depth over the common part of each triangle of the front of `a` and each of the front of `b`.
/// Bodies may have common vertices, parallel edges, coplanar faces and faces along the normal.
///
/// Error: some eps, times length and depth of the bed, times the size of the bodies and their distance from the origin.
/// O(n m).
pub(crate) fn elastic_bed(a: &Body, b: &Body, normal: DVec3) -> Option<(f64, DVec3)> {
    let origin = a.pose.transform_point(a.shape.vertices()[0]);
    let across = normal.any_orthonormal_vector();
    let axes = DMat3::from_cols(across, normal.cross(across), normal);
    let seen = |body: &Body, x: DVec3| axes.transpose() * (body.pose.transform_point(x) - origin);
    let mut front_a = triangles(a, |x| seen(a, x));
    front_a.retain(|&triangle| double_area(triangle) > 0.0);
    let mut front_b = triangles(b, |x| seen(b, x));
    front_b.retain_mut(|triangle| {
        triangle.reverse();
        double_area(*triangle) > 0.0
    });
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for &f in &front_a {
        for &g in &front_b {
            add_cell([f, g], &mut volume, &mut moment);
        }
    }
    (volume > 0.0).then(|| (volume, origin + axes * (moment / volume)))
}

/// Returns the triangles of all faces, with their corners mapped.
fn triangles(body: &Body, map: impl Fn(DVec3) -> DVec3) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for facet in body.shape.surface().facets() {
        let corners: Vec<DVec3> = facet.corners().map(&map).collect();
        let pairs = corners[1..].windows(2);
        triangles.extend(pairs.map(|pair| [corners[0], pair[0], pair[1]]));
    }
    triangles
}

/// Adds volume and moment of the bed between two triangles.
fn add_cell([f, g]: [Triangle; 2], volume: &mut f64, moment: &mut DVec3) {
    // z is the height of `f`, then that in the middle; w is the depth.
    let mut cell = f.map(|corner| corner.extend(0.0)).to_vec();
    for [from, to] in sides(g) {
        let inside = |x: DVec4| (to - from).xy().perp_dot(x.xy() - from.xy());
        cell = clipped(&cell, inside);
    }
    for corner in &mut cell {
        let height = height(g, corner.xy());
        corner.w = corner.z - height;
        corner.z = 0.5 * (corner.z + height);
    }
    let cell = clipped(&cell, |x| x.w);
    for i in 2..cell.len() {
        let corners = [cell[0], cell[i - 1], cell[i]];
        let area = 0.5 * double_area(corners.map(|x| x.xyz()));
        let sum: DVec4 = corners.into_iter().sum();
        let products: DVec3 = corners.iter().map(|x| x.xyz() * x.w).sum();
        *volume += area * sum.w / 3.0;
        *moment += (sum.xyz() * sum.w + products) * (area / 12.0);
    }
}

fn sides(corners: Triangle) -> [[DVec3; 2]; 3] {
    let [a, b, c] = corners;
    [[a, b], [b, c], [c, a]]
}

/// Returns twice the area of a triangle seen along the normal, negative for a clockwise one.
fn double_area([a, b, c]: Triangle) -> f64 {
    (b - a).xy().perp_dot((c - a).xy())
}

/// Returns the height of a triangle, at most that of its corners.
fn height(triangle: Triangle, x: DVec2) -> f64 {
    let [a, b, c] = triangle;
    let weights = sides([b, c, a]).map(|[from, to]| (to - from).xy().perp_dot(x - from.xy()));
    let heights = [a.z, b.z, c.z];
    let sum: f64 = zip(weights, heights).map(|(weight, z)| weight * z).sum();
    // Of a steep face, rounding of `x` counts many times.
    let [low, high] = [f64::min, f64::max].map(|f| f(f(a.z, b.z), c.z));
    (sum / double_area(triangle)).clamp(low, high)
}

/// Returns the part of a convex polygon where a linear function is not negative.
fn clipped(polygon: &[DVec4], height: impl Fn(DVec4) -> f64) -> Vec<DVec4> {
    let mut part = Vec::new();
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let (here, there) = (height(from), height(to));
        if here >= 0.0 {
            part.push(from);
        }
        if here * there < 0.0 {
            part.push(from.lerp(to, here / (here - there)));
        }
    }
    part
}
