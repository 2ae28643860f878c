//! Convex bodies and poses for tests of the common plane.

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolygon, ConvexPolyhedron, Placed};

pub(crate) type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;
pub(crate) type Flat<'a> = Placed<&'a ConvexPolygon, DVec2>;

/// Random numbers; `OSCULATE_SEED` changes them.
pub(crate) fn random(seed: u64) -> SplitMix64 {
    SplitMix64::new(seed + 1000 * crate::support::seed() as u64)
}

pub(crate) fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

pub(crate) fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A polyhedron times a factor.
pub(crate) fn scaled(shape: &ConvexPolyhedron, factor: f64) -> ConvexPolyhedron {
    let vertices = shape.vertices().iter().map(|&x| x * factor);
    ConvexPolyhedron::from_convex_hull(&vertices.collect::<Vec<_>>()).unwrap()
}

/// A corner of the unit cube.
pub(crate) fn corner(i: u32) -> DVec3 {
    DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())
}

/// The hull of points by their coordinates.
pub(crate) fn hull(points: &[[f64; 3]]) -> ConvexPolyhedron {
    let points: Vec<_> = points.iter().copied().map(DVec3::from_array).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

/// A box around the origin.
pub(crate) fn cube_times(sides: DVec3) -> ConvexPolyhedron {
    cuboid(sides * -0.5, sides * 0.5)
}

/// The box between two corners.
pub(crate) fn cuboid(min: DVec3, max: DVec3) -> ConvexPolyhedron {
    let corners: Vec<_> = (0..8).map(|i| min + corner(i) * (max - min)).collect();
    ConvexPolyhedron::from_convex_hull(&corners).unwrap()
}

/// Points of a body of size about 1: regular, random, flat, long, or with many vertices.
fn points(random: &mut SplitMix64) -> Vec<DVec3> {
    let cube = || (0..8).map(|i| corner(i) - DVec3::splat(0.5));
    let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat();
    let kind = random.below(9);
    let mut ball = |count: usize, stretch: (f64, f64, f64)| -> Vec<DVec3> {
        let point = |_| random.in_ball().normalize() * DVec3::from(stretch);
        (0..count).map(point).collect()
    };
    match kind {
        0 => cube().collect(),
        1 => cube().map(|v| v * DVec3::new(1.0, 0.5, 0.25)).collect(),
        2 => axes,
        3 => cube().chain(axes).collect(),
        4 => ball(4, (1.0, 1.0, 1.0)),
        5 => ball(10, (1.0, 1.0, 1.0)),
        6 => ball(12, (1.0, 1.0, 0.01)),
        7 => ball(12, (1.0, 0.01, 0.01)),
        _ => ball(60, (1.0, 1.0, 1.0)),
    }
}

/// A random body, scaled.
pub(crate) fn polyhedron(random: &mut SplitMix64, size: f64) -> ConvexPolyhedron {
    let points: Vec<_> = points(random).iter().map(|&v| v * size).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap_or_else(|_| polyhedron(random, size))
}

/// A random polygon, scaled; one in three is regular.
pub(crate) fn polygon(random: &mut SplitMix64, size: f64) -> ConvexPolygon {
    let count = [3, 4, 4, 6, 12, 60][random.below(6)];
    let is_regular = random.below(3) == 0;
    let stretch = DVec2::new(size, size * [1.0, 1.0, 0.01][random.below(3)]);
    let angle = |i: usize, random: &mut SplitMix64| {
        let at = if is_regular {
            i as f64 / count as f64
        } else {
            random.unit()
        };
        at * std::f64::consts::TAU
    };
    let points: Vec<_> = (0..count)
        .map(|i| DVec2::from_angle(angle(i, random)) * stretch)
        .collect();
    ConvexPolygon::from_convex_hull(&points).unwrap_or_else(|_| polygon(random, size))
}

/// A quarter turn about an axis, a random rotation, or none.
pub(crate) fn turn(random: &mut SplitMix64) -> DQuat {
    match random.below(4) {
        0 => DQuat::IDENTITY,
        1 => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
        2 => DQuat::from_rotation_z(random.range(0.0, 6.0)),
        _ => random.rotation(),
    }
}

/// The part of a convex polygon below a plane through a point.
pub(crate) fn below(corners: &[DVec3], normal: DVec3, point: DVec3) -> Vec<DVec3> {
    let height = |p: DVec3| normal.dot(p - point);
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
