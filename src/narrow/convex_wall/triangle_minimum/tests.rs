use std::f64::consts::TAU;

use glam::DVec3;

use super::TriangleMinimum;
use crate::math::closest_on_polygon;
use crate::narrow::convex_wall::facet_minimum::{Chart, FacetMinimum};
use crate::shape::{Boundary, ConvexPolyhedron, CornerValues};
use crate::testing::workload::SplitMix64;

const TOLERANCE: f64 = 1e-13;

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

/// A cube or another body with vertices close to the unit sphere, and a triangle through it. That is often parallel
/// to a face, to within a few tolerances, or has a side that is; or it is tiny or thin.
fn case(random: &mut SplitMix64) -> (ConvexPolyhedron, [DVec3; 3]) {
    let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let count = random.below(3) * 12;
    let mut points: Vec<DVec3> = (0..count).map(|_| vector(random).normalize()).collect();
    if count == 0 {
        points = (0..8).map(cube).collect();
    }
    let body = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    let faces = &body.boundary().faces;
    let face = faces[random.below(faces.len())];
    let middle = vector(random) * 0.6;
    let size = 1e-14_f64.powf(random.unit() * (random.below(4) / 3) as f64);
    let mut corners = [0; 3].map(|_| middle + vector(random) * (2.0 * size));
    let (up, size) = (
        vector(random),
        size * 10.0_f64.powi(random.below(5) as i32 / 3 * 4),
    );
    if random.below(4) == 0 {
        // An edge of the body is parallel to the triangle.
        let along = body.boundary().edges[random.below(body.boundary().edges.len())].along;
        let mut point = || along * random.range(-size, size) + up * random.range(-size, size);
        let shifts = [point(), point(), point()];
        return (body, shifts.map(|shift| middle + shift));
    }
    if random.below(4) == 0 {
        corners[2] = corners[0].lerp(corners[1], random.unit())
            + (corners[2] - corners[0]) * 1e-15_f64.powf(random.unit());
    }
    // All corners, two, or none are at one height below the face.
    for corner in &mut corners[..[0, 2, 3][random.below(3)]] {
        let noise = 0.6 * TOLERANCE * (random.below(9) as f64 - 4.0) * (random.below(2) as f64);
        let height = face.normal.dot(*corner) - face.offset;
        *corner -= face.normal * (height + 0.1 + noise);
    }
    (body, corners)
}

fn phi(body: &Boundary, x: DVec3) -> f64 {
    let values = body
        .faces
        .iter()
        .map(|face| face.normal.dot(x) - face.offset);
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Where a fourth face is as high as the three at the minimum, cutting planes decide.
#[test]
fn four_faces_at_a_point() {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let mut minimum = TriangleMinimum::default();
    let mut find = |normals: &[[f64; 2]]| {
        let value = |x: DVec3, n: &[f64; 2]| n[0] * x.x + n[1] * x.y - 1.0;
        let values = corners.map(|x| normals.iter().map(|n| value(x, n)).collect());
        let faces: Vec<u32> = (0..normals.len() as u32).collect();
        let found = minimum.find(corners, &faces, &values, TOLERANCE)?;
        Some((minimum.lowest[0], found))
    };
    let three = [[0.5, 0.0625], [-0.5, 0.5], [-0.25, -0.5]];
    let (point, found) = find(&three).unwrap();
    assert!(point.length() < 1e-15 && (found.phi + 1.0).abs() < 1e-15);
    assert!(!found.is_on_border);
    let four = [three[0], three[1], three[2], [0.25, 0.25]];
    assert!(find(&four).is_none());
}

/// An edge of a cube is parallel to a triangle of any size: the minimum is on a segment, not at a point.
#[test]
fn edges_parallel_to_a_triangle() {
    let mut random = SplitMix64::new(42);
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let points: Vec<DVec3> = (0..8).map(|i| corner(i) - 0.5).collect();
    let mut inside = 0;
    let count = std::env::var("OSCULATE_CASES").map_or(20_000, |n| n.parse().unwrap());
    for case in 0..count {
        let turn = random.rotation();
        let turned: Vec<DVec3> = points.iter().map(|&x| turn * x).collect();
        let body = ConvexPolyhedron::from_convex_hull(&turned).unwrap();
        let body = body.boundary();
        // phi is -0.2 on the line x = y = -0.3, up to 0.3 from the middle.
        let size = 10.0_f64.powf(random.range(0.0, 6.0));
        let across = DVec3::new(1.0, -random.range(0.2, 5.0), random.range(-1.0, 1.0));
        let middle = DVec3::new(-0.3, -0.3, random.range(-0.1, 0.1));
        let first = random.range(0.0, TAU);
        let corners = [0.0, 1.0, 2.0].map(|k| {
            let (y, x) = (first + TAU / 3.0 * (k + random.range(-0.2, 0.2))).sin_cos();
            turn * (middle + (across * x + DVec3::Z * y) * size) - body.center
        });
        let mut values = CornerValues::default();
        let faces: Vec<u32> = (0..6).collect();
        if body.planes.values_at_corners(&corners, &mut values).is_ok() {
            let found = TriangleMinimum::default().find(corners, &faces, &values.of, TOLERANCE);
            assert!(
                found.is_none(),
                "{case}: {} of size {size}",
                found.unwrap().phi
            );
            inside += 1;
        }
    }
    assert!(inside > count / 2, "{inside}");
}

/// What is found agrees with the search by cutting planes: the minimum, and the set on which it is taken.
#[test]
fn agrees_with_cutting_planes() {
    let mut random = SplitMix64::new(41);
    let count = std::env::var("OSCULATE_CASES").map_or(20_000, |n| n.parse().unwrap());
    let (mut points, mut plateaus, mut others) = (0, 0, 0);
    for i in 0..count {
        let (shape, corners) = case(&mut random);
        let body = shape.boundary();
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let mut values = CornerValues::default();
        let Some(normal) = normal.try_normalize() else {
            continue;
        };
        if body
            .planes
            .values_at_corners(&corners, &mut values)
            .is_err()
        {
            continue;
        }
        let faces: Vec<u32> = (0..body.faces.len() as u32).collect();
        let mut minimum = TriangleMinimum::default();
        let found = minimum.find(corners, &faces, &values.of, TOLERANCE);
        let chart = Chart::new(corners[0], normal);
        // The normal of a thin triangle is uncertain.
        let off_chart = |x: &DVec3| chart.lifted(chart.flat(*x)).distance(*x);
        if corners.iter().any(|x| off_chart(x) > 0.25 * TOLERANCE) {
            continue;
        }
        let mut expected = FacetMinimum::default();
        let flat = corners.iter().map(|&x| chart.flat(x));
        expected.set(chart, flat, body.faces.iter());
        let start = chart.flat(corners[0]);
        let least = expected.find(start, 0.0, TOLERANCE);
        let Some(found) = found else {
            others += 1;
            continue;
        };
        let is_right = (found.phi - least).abs() <= 4.0 * TOLERANCE
            || found.phi > -TOLERANCE && least > -4.0 * TOLERANCE;
        assert!(is_right, "{i}: {} instead of {least}", found.phi);
        if found.phi > -4.0 * TOLERANCE {
            continue;
        }
        let lowest: Vec<DVec3> = expected.lowest.iter().map(|&x| chart.lifted(x)).collect();
        let size = corners[0].distance(corners[1]) + corners[0].distance(corners[2]);
        for &x in &minimum.lowest {
            assert!(phi(body, x) <= found.phi + 4.0 * TOLERANCE, "{i}");
            // The cuts of nearly parallel faces are uncertain.
            let error = closest_on_polygon(x, &lowest).distance_squared.sqrt();
            assert!(
                error <= 1e-6 * size + 8.0 * TOLERANCE,
                "{i}: {error} {size}"
            );
        }
        let back = closest_on_polygon(lowest[0], &minimum.lowest).distance_squared;
        assert!(back.sqrt() <= 1e-6 * size + 8.0 * TOLERANCE, "{i}: {back}");
        assert_eq!(
            found.is_on_border,
            expected.is_on_border(TOLERANCE),
            "{i}: {:?} {lowest:?} {corners:?}",
            minimum.lowest
        );
        match minimum.lowest.len() {
            1 => points += 1,
            _ => plateaus += 1,
        }
    }
    println!("{points} points, {plateaus} plateaus, {others} others");
    assert!(points > count / 8 && plateaus > count / 64);
}
