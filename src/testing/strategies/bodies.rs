//! Bodies and where they are.

use glam::{DQuat, DVec2, DVec3};
use proptest::prelude::*;

use crate::math::{Pose2, Pose3, Vector};
use crate::shape::{ConvexPolygon, ConvexPolyhedron, Placed, SolidMesh, Sphere};
use crate::testing::workload::{self, SplitMix64};

/// Two spheres and their gap, which is exact: 0, a multiple of 1/8, or a few ulps of the distance,
/// at a unit of length from 2^-60 to 2^60.
pub fn touching_spheres<V: Vector>() -> impl Strategy<Value = ([Sphere<V>; 2], f64)> {
    // Integer vectors of integer length.
    let directions = if V::DIM == 2 {
        vec![
            [1, 0, 0, 1],
            [3, 4, 0, 5],
            [12, 5, 0, 13],
            [8, 15, 0, 17],
            [0, 1, 0, 1],
        ]
    } else {
        vec![
            [1, 0, 0, 1],
            [2, 1, 2, 3],
            [2, 3, 6, 7],
            [4, 1, 8, 9],
            [6, 2, 9, 11],
            [0, 3, 4, 5],
        ]
    };
    let gap = prop_oneof![
        Just(0.0),
        (-2_i32..=2).prop_map(|ulps| f64::from(ulps) * 2.0_f64.powi(-45)),
        (-8_i32..=8).prop_map(|eighths| f64::from(eighths) / 8.0),
    ];
    let signs = prop::array::uniform3(prop::bool::ANY);
    let place = prop::array::uniform3(-8_i32..=8);
    let share = 0_i32..=8;
    let unit = prop_oneof![3 => Just(0), 1 => -60_i32..=60];
    let direction = prop::sample::select(directions);
    (direction, signs, place, share, gap, unit).prop_map(
        |(direction, signs, place, share, gap, unit)| {
            let unit = 2.0_f64.powi(unit);
            let a = V::from_fn(|axis| f64::from(place[axis]));
            let ab = V::from_fn(|axis| {
                let along = f64::from(direction[axis]);
                if signs[axis] { -along } else { along }
            });
            // The distance is an integer below 32: all of this is exact.
            let radii = f64::from(direction[3]) - gap;
            let radius = f64::from(share) / 8.0 * f64::from(direction[3]);
            let radius = radius.clamp(0.0, radii.max(0.0));
            let spheres = [(a, radius), (a + ab, radii - radius)]
                .map(|(center, radius)| Sphere::new(center * unit, radius * unit));
            (spheres, gap * unit)
        },
    )
}

/// A turn about an axis of the lattice or by an angle whose cosine is 3/5, or any; with a translation
/// by multiples of 1/8 or any within 1 of 0.
pub fn pose() -> impl Strategy<Value = Pose3> {
    let rotation = prop_oneof![
        2 => prop::sample::select(vec![
            DQuat::IDENTITY,
            DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            DQuat::from_xyzw(0.0, 1.0, 0.0, 1.0),
            DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            DQuat::from_xyzw(0.0, 0.0, 1.0, 2.0),
        ]),
        // Nearly no turn.
        1 => (20_i32..52).prop_map(|k| DQuat::from_xyzw(2.0_f64.powi(-k), 0.0, 0.0, 1.0)),
        2 => super::motion().prop_map(|(rotation, _)| rotation),
    ];
    (rotation, translation()).prop_filter_map("a pose", |(q, t)| {
        Pose3::new_normalize(q, DVec3::from_array(t)).ok()
    })
}

/// The same in the plane.
pub fn pose_2d() -> impl Strategy<Value = Pose2> {
    let turns = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (3.0, 4.0), (1.0, 1.0)];
    let rotation = prop_oneof![
        2 => prop::sample::select(turns.to_vec()),
        1 => (20_i32..52).prop_map(|k| (1.0, 2.0_f64.powi(-k))),
        2 => (-1.0..1.0, -1.0..1.0),
    ];
    (rotation, translation()).prop_filter_map("a pose", |((cos, sin), [x, y, _])| {
        Pose2::new_normalize(DVec2::new(cos, sin), DVec2::new(x, y)).ok()
    })
}

fn translation() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(prop_oneof![
        2 => (-16_i32..=16).prop_map(|i| f64::from(i) / 8.0),
        1 => -1.0..1.0,
    ])
}

/// Corners of a hull: small integers over 8 (ties, parallel faces), or points on an ellipsoid that
/// may be as thin as 1/64.
fn corners() -> impl Strategy<Value = Vec<DVec3>> {
    let lattice = (-8_i32..=8).prop_map(|i| f64::from(i) / 8.0);
    let lattice = prop::array::uniform3(lattice).prop_map(DVec3::from_array);
    let axes = prop::array::uniform3(prop::sample::select(vec![1.0, 1.0, 0.25, 1.0 / 64.0]));
    let ball = prop::array::uniform3(-1.0..1.0).prop_map(DVec3::from_array);
    let ball = ball.prop_filter("not 0", |v| v.length_squared() > 0.01);
    prop_oneof![
        2 => prop::collection::vec(lattice, 4..16),
        1 => (axes, prop::collection::vec(ball, 4..24)).prop_map(|(axes, points)| {
            let place = |p: DVec3| p.normalize() * DVec3::from_array(axes);
            points.into_iter().map(place).collect()
        }),
    ]
}

/// A convex polyhedron within 2 of 0: of few corners or many, on the lattice, needles, plates.
pub fn convex_polyhedron() -> impl Strategy<Value = ConvexPolyhedron> {
    // Hulls that are as good as flat have no shape to speak of.
    corners().prop_filter_map("not flat", |points| {
        ConvexPolyhedron::from_convex_hull(&points)
            .ok()
            .filter(|hull| hull.volume() > 1e-6)
    })
}

/// A convex polygon within 2 of 0.
pub fn convex_polygon() -> impl Strategy<Value = ConvexPolygon> {
    corners().prop_filter_map("not flat", |points| {
        let points: Vec<DVec2> = points.iter().map(|p| p.truncate()).collect();
        ConvexPolygon::from_convex_hull(&points)
            .ok()
            .filter(|hull| hull.area() > 1e-4)
    })
}

/// Two boxes along the axes and the gap between them, exact to one rounding: they share a face, an
/// edge or a corner, overlap, are apart, or one is inside the other, in all combinations.
pub fn touching_boxes() -> impl Strategy<Value = ([Placed<ConvexPolyhedron, DVec3>; 2], f64)> {
    let sides = || prop::array::uniform3(1_i32..=4);
    let shift = prop::array::uniform3(-5_i32..=5);
    (sides(), sides(), shift).prop_filter_map("boxes", |(a, b, shift)| {
        let place = |sides: [i32; 3], at: [i32; 3]| {
            let corner = |i: usize| {
                DVec3::from_array([0, 1, 2].map(|k| f64::from(sides[k] * (i >> k & 1) as i32)))
            };
            let shape =
                ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).ok()?;
            let pose = Pose3::from_translation(DVec3::from_array(at.map(f64::from))).ok()?;
            Some(Placed { shape, pose })
        };
        // Along each axis, below 0 if they overlap there.
        let gaps = [0, 1, 2].map(|k| (shift[k] - a[k]).max(-shift[k] - b[k]));
        let apart: i32 = gaps.iter().map(|&gap| gap.max(0) * gap.max(0)).sum();
        let least = gaps.into_iter().fold(i32::MIN, i32::max);
        let gap = if least < 0 {
            f64::from(least)
        } else {
            f64::from(apart).sqrt()
        };
        Some(([place(a, [0; 3])?, place(b, shift)?], gap))
    })
}

/// Two wedges edge against edge and the gap between the edges, exact, which are nearly parallel:
/// their slope is 1, or down to 2^-40. The gap is 0, or down to 2^-40; an overlap is at most 1/16 of
/// the slope, for if edges are more nearly parallel a translation across them is shorter.
pub fn crossing_edges() -> impl Strategy<Value = ([Placed<ConvexPolyhedron, DVec3>; 2], f64)> {
    let small = || (0_i32..=40).prop_map(|k| 2.0_f64.powi(-k));
    let gap = prop_oneof![Just(0.0), small(), small().prop_map(|x| -x)];
    let middle = (-3_i32..=3, -3_i32..=3);
    (small(), gap, middle).prop_filter_map("wedges", |(slope, gap, (s, t))| {
        let gap = if gap < 0.0 { gap * slope / 16.0 } else { gap };
        // The edges are through 0, along x and along (1, slope).
        let wedge = |along: DVec3, up: f64, shift: f64| {
            let across = DVec3::new(-along.y, along.x, 0.0);
            let ends = [along * (-4.0 + shift), along * (4.0 + shift)];
            let back = DVec3::Z * (4.0 * up);
            let points = ends.map(|e| [e, e + back + across, e + back - across]);
            ConvexPolyhedron::from_convex_hull(&points.concat()).ok()
        };
        let (a, b) = (
            wedge(DVec3::X, -1.0, s.into())?,
            wedge(DVec3::new(1.0, slope, 0.0), 1.0, t.into())?,
        );
        let pose = Pose3::from_translation(DVec3::Z * gap).ok()?;
        Some((
            [
                Placed {
                    shape: a,
                    pose: Pose3::IDENTITY,
                },
                Placed { shape: b, pose },
            ],
            gap,
        ))
    })
}

/// A closed mesh of triangles, about 1 in radius, mostly not convex: unit cubes glued together
/// (coplanar faces, ties with everything on the lattice), or a stone.
pub fn solid() -> impl Strategy<Value = SolidMesh> {
    prop_oneof![
        (0_usize..8, any::<u64>()).prop_filter_map("a solid", |(count, seed)| {
            cubes(count, &mut SplitMix64::new(seed))
        }),
        (4_usize..40, 0.0..0.7, any::<u64>()).prop_filter_map("a solid", |(n, roughness, seed)| {
            workload::rock(n, roughness, seed).ok()
        }),
    ]
}

fn cubes(count: usize, random: &mut SplitMix64) -> Option<SolidMesh> {
    let mut cubes = vec![[0; 3]];
    for _ in 0..count {
        let mut cube = cubes[random.below(cubes.len())];
        let axis = random.below(3);
        cube[axis] = (cube[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(-1, 1);
        if !cubes.contains(&cube) {
            cubes.push(cube);
        }
    }
    workload::cubes(&cubes, 0.5).ok()
}
