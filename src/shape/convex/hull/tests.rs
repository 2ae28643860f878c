use glam::{DQuat, DVec2};
use std::cell::Cell;
use std::f64::consts::TAU;

use super::*;
use crate::Pose3;
use crate::testing::workload::SplitMix64;

thread_local! {
    /// How many signs were worked out.
    pub(super) static SIGNS: Cell<usize> = const { Cell::new(0) };
}

fn lattice(size: usize) -> Vec<DVec3> {
    let coordinate = |i: usize| (i % size) as f64;
    (0..size.pow(3))
        .map(|i| {
            DVec3::new(
                coordinate(i),
                coordinate(i / size),
                coordinate(i / size / size),
            )
        })
        .collect()
}

#[test]
fn points_in_a_plane_have_no_hull() {
    for count in 0..3 {
        assert!(ConvexPolyhedron::from_convex_hull(&vec![DVec3::ONE; count]).is_err());
    }
    let flat: Vec<_> = lattice(4)
        .iter()
        .map(|p| DVec3::new(p.x, p.y, p.x - 2.0 * p.y))
        .collect();
    let Err(Error(Cause::Flat { count: 64, points })) = ConvexPolyhedron::from_convex_hull(&flat)
    else {
        panic!("a flat hull");
    };
    let [a, b, c] = points.map(|i| flat[i]);
    assert!((b - a).cross(c - a).length() > 0.0);
    let mut bad = flat;
    bad[3].y = f64::NAN;
    assert!(matches!(
        ConvexPolyhedron::from_convex_hull(&bad),
        Err(Error(Cause::Coordinate {
            index: Some(3),
            axis: 1,
            ..
        }))
    ));
}

#[test]
fn cube_of_a_lattice_turned_anyhow() {
    for turn in [
        DQuat::IDENTITY,
        DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9),
        DQuat::from_xyzw(-0.7, 0.02, 0.5, 0.1),
    ] {
        let pose = Pose3::new_normalize(turn, DVec3::new(1e3, -7.0, 0.3)).unwrap();
        let points: Vec<_> = lattice(6)
            .iter()
            .map(|&p| pose.transform_point(p))
            .collect();
        let cube = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        assert_eq!(cube.vertices().len(), 8);
        assert_eq!(cube.surface().facet_count(), 6);
        assert!((cube.volume() - 125.0).abs() < 1e-9);
    }
}

/// A Fibonacci sphere: every point is extreme, and all are inside or on every face's plane.
#[test]
fn sphere() {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let points: Vec<_> = (0..2000)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 2000.0;
            let (sin, cos) = (golden_angle * f64::from(i)).sin_cos();
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * cos, r * sin, z)
        })
        .collect();
    let hull = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    assert_eq!(hull.vertices(), points);
    assert_eq!(hull.surface().facet_count(), 2 * 2000 - 4);
    for facet in hull.surface().facets().step_by(37) {
        let [a, b, c] = [0, 1, 2].map(|i| points[facet.vertices()[i] as usize]);
        assert!(points.iter().all(|&p| orient3d(a, b, c, p) <= 0.0));
    }
}

/// As thin as one ulp: exact signs still find the hull, or it is refused as flat.
#[test]
fn almost_flat() {
    let mut points = lattice(3);
    for p in &mut points {
        p.z = if p.z == 1.0 { 1.0_f64.next_up() } else { 1.0 };
    }
    assert!(matches!(
        ConvexPolyhedron::from_convex_hull(&points),
        Err(Error(Cause::Flat { .. }))
    ));
    for p in &mut points {
        p.z = if p.z == 1.0 { 1.0 } else { 1.0 + 1e-6 };
    }
    assert_eq!(
        ConvexPolyhedron::from_convex_hull(&points)
            .unwrap()
            .surface()
            .facet_count(),
        6
    );
}

/// Some 6 n log2(n) signs for any points: with all of them on the hull or few, with faces and
/// vertices of many edges, in line and rotated.
#[test]
fn work_is_n_log_n() {
    const COUNT: usize = 3000;
    let circle = |i: usize, n: usize| DVec2::from_angle(TAU * i as f64 / n as f64);
    type Place<'a> = &'a dyn Fn(usize, usize, &mut SplitMix64) -> DVec3;
    let shapes: [(&str, Place); 8] = [
        ("prism", &|i, n, _| {
            circle(i / 2, n / 2).extend((i % 2) as f64)
        }),
        ("cone", &|i, n, _| {
            if i == 7 {
                DVec3::Z
            } else {
                circle(i, n).extend(0.0)
            }
        }),
        ("two circles", &|i, n, _| match circle(i / 2, n / 2) {
            p if i % 2 == 0 => p.extend(0.0),
            p => DVec3::new(0.0, p.x, p.y + 0.5),
        }),
        ("curve", &|i, n, _| {
            let t = i as f64 / n as f64;
            DVec3::new(t, t * t, t * t * t)
        }),
        ("sphere", &|_, _, random| random.in_ball().normalize()),
        ("paraboloid", &|_, _, random| {
            let p = random.in_ball().truncate();
            p.extend(p.length_squared())
        }),
        ("ball", &|_, _, random| random.in_ball()),
        ("a small and a large ball", &|i, _, random| {
            random.in_ball() * if i < 9 { 1e6 } else { 1.0 }
        }),
    ];
    let turn = Pose3::new_normalize(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), DVec3::ONE).unwrap();
    for (name, point) in shapes {
        for pose in [Pose3::IDENTITY, turn] {
            let mut random = SplitMix64::new(1);
            let points = (0..COUNT).map(|i| pose.transform_point(point(i, COUNT, &mut random)));
            let points: Vec<_> = points.collect();
            SIGNS.set(0);
            ConvexPolyhedron::from_convex_hull(&points).unwrap();
            let part = SIGNS.get() as f64 / (COUNT as f64 * (COUNT as f64).log2());
            assert!(part < 10.0, "{name}: {part}");
        }
    }
}

/// The hull of any points has all of them inside or on it, and is that of its vertices.
#[test]
fn all_points_are_inside() {
    let mut random = SplitMix64::new(3);
    for case in 0..300 {
        let count = 4 + random.below(60);
        let size = 1 + random.below(5);
        let points: Vec<DVec3> = (0..count)
            .map(|_| match case % 3 {
                0 => random.in_ball(),
                1 => random.in_ball().normalize(),
                _ => DVec3::from_array([0; 3].map(|_| random.below(1 + size) as f64)),
            })
            .collect();
        let Ok(hull) = ConvexPolyhedron::from_convex_hull(&points) else {
            continue;
        };
        let again = ConvexPolyhedron::from_convex_hull(hull.vertices()).unwrap();
        assert_eq!(hull.vertices(), again.vertices());
        assert_eq!(hull.surface().facet_count(), again.surface().facet_count());
        for facet in hull.surface().facets() {
            let [a, b, c] = [0, 1, 2].map(|i| hull.vertices()[facet.vertices()[i] as usize]);
            let area = (b - a).cross(c - a).length();
            for &p in &points {
                assert!(orient3d(a, b, c, p) <= 1e-14 * area, "{case}");
            }
        }
    }
}
