//! Intersection volumes by decomposition, into unit cubes with integer results or into tetrahedra.

use std::collections::BTreeSet;

use glam::DVec3;

use super::LatticePoint;

/// Returns the intersection volume of two sets of unit cubes, the area vector S, and twice the moment vector G.
///
/// S and G belong to the first set, and G is taken about the origin. A cube is given by its lowest corner. Exact also
/// for coplanar faces, by symbolic perturbation: the first set is translated by (e, e^2, e^3) for an infinitesimal e >
/// 0. O(n log n).
pub fn intersection_of_cubes(
    a: &[LatticePoint],
    b: &[LatticePoint],
) -> (i64, LatticePoint, LatticePoint) {
    let [a, b] = [a, b].map(|cubes| cubes.iter().copied().collect::<BTreeSet<LatticePoint>>());
    let volume = a.intersection(&b).count() as i64;
    let (mut area, mut moment) = ([0; 3], [0; 3]);
    for &cube in &a {
        for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
            let mut neighbor = cube;
            neighbor[axis] += step;
            // After the perturbation the face is inside the cube above it.
            let above = if step > 0 { neighbor } else { cube };
            if a.contains(&neighbor) || !b.contains(&above) {
                continue;
            }
            area[axis] += step;
            let mut middle = cube.map(|x| 2 * x + 1);
            middle[axis] += step;
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            // r x (step along the axis).
            moment[j] += middle[k] * step;
            moment[k] -= middle[j] * step;
        }
    }
    (volume, area, moment)
}

/// Returns the intersection volume V of two closed triangle meshes, the area vector S, and the moment vector G.
///
/// S and G belong to the first mesh, and G is taken about the origin. Results are accurate to rounding. For coplanar
/// faces S and G are one of several possible results. A solid is a signed sum of tetrahedra from a point to its
/// triangles, and each pair of tetrahedra is clipped by its planes. O(n m).
pub fn intersection_volume(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> (f64, DVec3, DVec3) {
    let (mut volume, mut area, mut moment) = (0.0, DVec3::ZERO, DVec3::ZERO);
    let (Some(apex_a), Some(apex_b)) = (a.first(), b.first()) else {
        return (volume, area, moment);
    };
    for u in b {
        let (planes, sign_u) = planes([apex_b[0], u[0], u[1], u[2]]);
        for t in a.iter().filter(|_| sign_u != 0.0) {
            let tetrahedron = [apex_a[0], t[0], t[1], t[2]];
            let (_, sign_t) = self::planes(tetrahedron);
            if sign_t != 0.0 {
                volume += sign_u * sign_t * cut_tetrahedron(tetrahedron, &planes);
            }
            let part = planes
                .iter()
                .fold(t.to_vec(), |part, plane| cut_polygon(&part, plane));
            for i in 2..part.len() {
                let triangle = [part[0], part[i - 1], part[i]];
                let own = (part[i - 1] - part[0]).cross(part[i] - part[0]) * (0.5 * sign_u);
                area += own;
                moment += ((triangle[0] + triangle[1] + triangle[2]) / 3.0).cross(own);
            }
        }
    }
    (volume, area, moment)
}

/// `normal . x <= offset`.
type HalfSpace = (DVec3, f64);

/// Returns a tetrahedron as half-spaces, with the sign of its volume.
fn planes(corners: [DVec3; 4]) -> ([HalfSpace; 4], f64) {
    let [a, b, c, d] = corners;
    let volume = six_volumes(corners);
    let sign = if volume == 0.0 { 0.0 } else { volume.signum() };
    let plane = |p: DVec3, q: DVec3, r: DVec3| {
        let normal = (q - p).cross(r - p) * -sign;
        (normal, normal.dot(p))
    };
    let faces = [
        plane(a, b, c),
        plane(a, c, d),
        plane(a, d, b),
        plane(b, d, c),
    ];
    (faces, sign)
}

fn six_volumes([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

fn cut_tetrahedron(corners: [DVec3; 4], planes: &[HalfSpace]) -> f64 {
    let Some(((normal, offset), rest)) = planes.split_first() else {
        return six_volumes(corners).abs() / 6.0;
    };
    let height = |p: DVec3| normal.dot(p) - offset;
    let (inside, outside): (Vec<DVec3>, Vec<DVec3>) =
        corners.into_iter().partition(|&p| height(p) <= 0.0);
    let cut = |p: DVec3, q: DVec3| p + (q - p) * (height(p) / (height(p) - height(q)));
    let prism = |[a, b, c]: [DVec3; 3], [d, e, f]: [DVec3; 3]| {
        let parts = [[a, b, c, d], [b, c, d, e], [c, d, e, f]];
        parts.map(|part| cut_tetrahedron(part, rest)).iter().sum()
    };
    match (&inside[..], &outside[..]) {
        (_, []) => cut_tetrahedron(corners, rest),
        (&[a], &[b, c, d]) => cut_tetrahedron([a, cut(a, b), cut(a, c), cut(a, d)], rest),
        (&[a, b], &[c, d]) => prism([a, cut(a, c), cut(a, d)], [b, cut(b, c), cut(b, d)]),
        (&[a, b, c], &[d]) => prism([a, b, c], [cut(a, d), cut(b, d), cut(c, d)]),
        _ => 0.0,
    }
}

fn cut_polygon(corners: &[DVec3], &(normal, offset): &HalfSpace) -> Vec<DVec3> {
    let height = |p: DVec3| normal.dot(p) - offset;
    let mut part = Vec::new();
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        if height(p) <= 0.0 {
            part.push(p);
        }
        if (height(p) <= 0.0) != (height(q) <= 0.0) {
            part.push(p + (q - p) * (height(p) / (height(p) - height(q))));
        }
    }
    part
}
