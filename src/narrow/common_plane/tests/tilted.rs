//! Faces on faces that are tilted by rounding up to some 1e-8 rad, as those of bodies at rest.

use super::*;
use crate::narrow::common_plane::feature_pair::{Part, strict_plane};
use crate::narrow::common_plane::support::SupportMap;
use crate::narrow::pair_frame::PairFrame;
use crate::testing::oracle::gap_of_polyhedra_along;

/// The corners of a random face and its outward normal.
fn face(body: &ConvexPolyhedron, random: &mut SplitMix64) -> (Vec<DVec3>, DVec3) {
    let faces: Vec<_> = body.surface().facets().collect();
    let face = faces[random.below(faces.len())];
    (face.corners().collect(), face.normal())
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

/// A body whose face lies on that of another body.
struct Lying {
    a: Pose3,
    /// The pose of the second body in the frame of the face of the first, without a gap.
    turn: DQuat,
    offset: DVec3,
    /// Takes the frame of the face to the world.
    frame: Pose3,
    /// Directions of edges of the faces.
    along: [DVec3; 2],
}

impl Lying {
    /// Corner on corner, corner on edge, edge along edge or anywhere.
    fn new(random: &mut SplitMix64, [a, b]: [&ConvexPolyhedron; 2]) -> Self {
        let all = Pose3::new(rotation(random).normalize(), vector(random)).unwrap();
        let (f, n) = face(a, random);
        let (g, m) = face(b, random);
        let level = |corners: &[DVec3], normal, to| {
            let turn = DQuat::from_rotation_arc(normal, to);
            let corners: Vec<_> = corners.iter().map(|x| turn * *x).collect();
            (turn, corners)
        };
        let (up, f) = level(&f, n, DVec3::Z);
        let (down, g) = level(&g, m, -DVec3::Z);
        let [e, v] = [&f, &g].map(|corners| corners[1] - corners[0]);
        let yaw = match random.below(3) {
            0 => DQuat::from_rotation_arc(v.normalize(), -e.normalize()),
            1 => DQuat::from_rotation_arc(v.normalize(), e.cross(DVec3::Z).normalize()),
            _ => DQuat::from_rotation_z(random.range(0.0, 6.0)),
        };
        let g: Vec<_> = g.iter().map(|x| yaw * *x).collect();
        let from = [mean(&g), g[0], g[random.below(g.len())]][random.below(3)];
        let to = [
            mean(&f),
            f[0],
            (f[0] + f[1]) * 0.5,
            mean(&f) * 0.4 + f[0] * 0.6,
        ];
        let shift = vector(random) * e.length() * [0.0, 1e-15, 1e-11, 0.3][random.below(4)];
        let offset = to[random.below(4)] - from + shift.with_z(0.0);
        let rest = Pose3::new(up.inverse(), DVec3::ZERO).unwrap();
        Self {
            a: all,
            turn: yaw * down,
            offset,
            frame: all * rest,
            along: [e.normalize(), (yaw * v).normalize()],
        }
    }

    fn pose(&self, axis: DVec3, tilt: f64, gap: f64) -> Pose3 {
        let turn = DQuat::from_axis_angle(axis, tilt) * self.turn;
        self.frame * Pose3::new_normalize(turn, self.offset + DVec3::Z * gap).unwrap()
    }
}

/// Returns random bodies, the second one up to 3000 times as small.
fn two(random: &mut SplitMix64) -> [ConvexPolyhedron; 2] {
    let families = [
        Cube,
        Cube,
        Pyramid,
        Tetrahedron,
        Rock,
        Eight,
        Fourteen,
        Fifty,
    ];
    let size = [1.0, 1.0, 0.3, 0.04, 3e-4][random.below(5)];
    [1.0, size].map(|size| scaled(families[random.below(8)], size, random))
}

/// For any tilt, the state changes no bit and the result is right. The state is that of another tilt.
#[test]
fn any_tilt() {
    let mut random = SplitMix64::new(seed(91));
    let (mut kernel, mut steps) = (wide(), Steps::default());
    for case in 0..cases(400) {
        let shapes = two(&mut random);
        let lying = Lying::new(&mut random, shapes.each_ref());
        let size = shapes[1].bounding_sphere().radius;
        let gap = [0.5, 1e-3, 1e-9, 1e-13, 0.0, -1e-13, -1e-9, -1e-3, -0.3][random.below(9)] * size;
        let mut memory = CommonPlaneState::default();
        for _ in 0..10 {
            let angle = random.range(0.0, 6.3);
            let any = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let [e, v] = lying.along;
            let axis = [any, any, any, (e + any * 0.01).normalize(), e, v][random.below(6)];
            let tilt = 10.0_f64.powf(random.range(-17.0, -8.0));
            let pose = lying.pose(axis, tilt, gap);
            let [a, b] = [(0, lying.a), (1, pose)].map(|(i, pose)| Placed {
                shape: &shapes[i],
                pose,
            });
            let warm = contact(&mut kernel, &a, &b, &mut memory).unwrap();
            let first = cold(&mut wide(), &a, &b);
            let what = format!("case {case}, gap {gap:e}, tilt {tilt:e}");
            assert_eq!(warm, first, "{what}");
            let again = steps.count(|| contact(&mut kernel, &a, &b, &mut memory));
            assert_eq!(again.unwrap(), first);
            // The oracle knows the gap along axes only; the distance of bodies can be larger.
            let along = gap_of_polyhedra_along(&a, &b, warm.normal);
            let error = along + warm.overlap;
            let short = gap_of_polyhedra(&a, &b) + warm.overlap;
            let most = 1.25 * warm.error_bound;
            assert!(
                error.abs() <= most && short <= most,
                "{what}: {error:e}, {short:e}, {warm:?}"
            );
        }
    }
    let share = f64::from(steps.kept) / (10 * cases(400)) as f64;
    println!("{share}");
    // Faces tilted by 4.5e-13 to 1e-11 rad are tied, a sixth of the tilts.
    assert!(share > 0.65, "{share}");
}

/// The disc of almost parallel faces bounds the depth in all directions to their thickness, as certificates take it to.
/// The common area is up to 1e-12 narrow.
#[test]
fn discs_of_almost_parallel_faces() {
    let mut random = SplitMix64::new(seed(92));
    let cube = shape(Cube, &mut random);
    let body = cube.boundary();
    let face = |z: f64| (body.faces.iter()).position(|face| face.normal.z * z > 0.9);
    let [top, bottom] = [1.0, -1.0].map(|z| face(z).unwrap() as u32);
    let mut count = 0;
    for _ in 0..cases(20_000) {
        let mut power = |from, to| 10.0_f64.powf(random.range(from, to));
        let [width, depth, tilt] = [power(-12.0, 0.0), power(-13.0, -0.3), power(-14.5, -8.0)];
        let axis = [DVec3::X, DVec3::Y, vector(&mut random).with_z(0.0)][random.below(3)];
        let offset = DVec3::new(1.0 - width, 0.0, 1.0 - depth);
        let turn = DQuat::from_axis_angle(axis.normalize(), tilt);
        let pose = Pose3::new_normalize(turn, offset).unwrap();
        let frame = PairFrame::new(body, body, &pose);
        let Some(plane) = strict_plane(&frame, [top, bottom].map(Part::Face)) else {
            continue;
        };
        count += usize::from(plane.thickness > frame.size * 1e-14);
        let (d, h, inset) = (-plane.gap, plane.thickness, plane.inset);
        let error = 1e-14 * frame.size + h;
        for _ in 0..20 {
            let t = 10.0_f64.powf(random.range(-10.0, 0.19));
            let out = [DVec3::X, -DVec3::X, vector(&mut random)][random.below(3)];
            let out = (out - plane.normal * plane.normal.dot(out)).normalize();
            let normal = (plane.normal * t.cos() + out * t.sin()).normalize();
            let reached = -SupportMap::new(&frame).gap_along(normal);
            let least = d * t.cos() + inset * t.sin();
            assert!(
                reached >= least - error,
                "{width:e} {depth:e} {tilt:e} {t:e}: {:e}, {h:e} {inset:e}",
                reached - least
            );
        }
    }
    assert!(count > cases(20_000) / 20, "{count}");
}

/// A face that neighbors continue with a bend of 1e-12 to 1e-6 rad may be tied with these: the state changes no bit.
#[test]
fn flat_roofs() {
    let mut random = SplitMix64::new(seed(93));
    let mut kernel = wide();
    for case in 0..cases(400) {
        let rise = 10.0_f64.powf(random.range(-13.0, -6.0));
        let ridge = random.range(0.1, 0.9);
        let corners =
            (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()));
        let top = [
            DVec3::new(ridge, 0.0, 1.0 + rise),
            DVec3::new(ridge, 1.0, 1.0 + rise),
        ];
        let points: Vec<_> = corners.chain(top).map(|x| x - DVec3::splat(0.5)).collect();
        let roof = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let cube = scaled(Cube, [1.0, 0.7, 0.1][random.below(3)], &mut random);
        let height = 0.5 * (1.0 + cube.bounding_sphere().radius * 2.0 / 3.0_f64.sqrt());
        let mut memory = CommonPlaneState::default();
        let gap = [0.0, 1e-9, -1e-9, -1e-3, 1e-2][random.below(5)];
        let beside = vector(&mut random).with_z(0.0) * 0.6;
        for _ in 0..10 {
            let axis = [DVec3::X, DVec3::Y, vector(&mut random).with_z(0.0)][random.below(3)];
            let tilt = 10.0_f64.powf(random.range(-16.0, -8.0));
            let turn = DQuat::from_axis_angle(axis.normalize(), tilt);
            let pose = Pose3::new_normalize(turn, beside.with_z(height + gap)).unwrap();
            let [a, b] = [
                Placed {
                    shape: &roof,
                    pose: Pose3::default(),
                },
                Placed { shape: &cube, pose },
            ];
            let warm = contact(&mut kernel, &a, &b, &mut memory).unwrap();
            let first = cold(&mut wide(), &a, &b);
            assert_eq!(
                warm, first,
                "case {case}, {rise:e}, {ridge}, {gap:e}, {tilt:e}, {axis:?}"
            );
            let short = gap_of_polyhedra(&a, &b) + warm.overlap;
            let error = gap_of_polyhedra_along(&a, &b, warm.normal) + warm.overlap;
            let most = 1.25 * warm.error_bound;
            assert!(
                error.abs() <= most && short <= most,
                "case {case}: {error:e}, {short:e}, {warm:?}"
            );
        }
    }
}
