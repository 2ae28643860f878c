//! Contacts of the common plane scale with the bodies, bit for bit: all tolerances are relative. Bodies lie on each
//! other, edges are parallel, and gaps are short.

use crate::support::cases;
use crate::support::convex::{polygon, polyhedron, random};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::math::Vector;
use osculate::narrow::CommonPlaneContact;
use osculate::{CommonPlane, ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2, Pose3};

const SCALES: [i32; 2] = [-20, 20];

fn scaled<V: Vector>(contact: &CommonPlaneContact<V>, by: f64) -> CommonPlaneContact<V> {
    let mut result = *contact;
    result.point = contact.point * by;
    result.point_a = contact.point_a * by;
    result.point_b = contact.point_b * by;
    result.overlap *= by;
    result.error_bound *= by;
    result
}

/// Two bodies with a short gap along an axis, or overlap, from a cold start and for some steps.
#[test]
fn contacts_scale_with_the_bodies() {
    let mut random = random(91);
    for case in 0..cases(200) {
        let shapes = [0; 2].map(|_| polyhedron(&mut random, 1.0).vertices().to_vec());
        let common = match case % 3 {
            0 => DQuat::IDENTITY,
            _ => random.rotation(),
        };
        let turn = match random.below(3) {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            _ => DQuat::from_rotation_x(std::f64::consts::PI),
        };
        let height = |points: &[DVec3], turn: DQuat, sign: f64| {
            points
                .iter()
                .map(|&x| (turn * x).z * sign)
                .fold(f64::MIN, f64::max)
        };
        let touching = height(&shapes[0], DQuat::IDENTITY, 1.0) + height(&shapes[1], turn, -1.0);
        let sign = [-1.0, 1.0][random.below(2)];
        let gap = sign * 2.0_f64.powi(-(random.below(56) as i32));
        let aside = DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0)
            * [0.0, 0.5, 1.0][random.below(3)];
        let steps = [0, 1, 2].map(|_| random.in_ball() * 2.0_f64.powi(-(random.below(40) as i32)));
        let run = |by: f64| {
            let bodies = [0, 1].map(|i| {
                let points: Vec<_> = shapes[i].iter().map(|&x| x * by).collect();
                ConvexPolyhedron::from_convex_hull(&points).unwrap()
            });
            let kernel = &mut CommonPlane::new().with_margin(4.0 * by).unwrap();
            let mut state = Default::default();
            let mut found = Vec::new();
            for step in steps {
                let between = aside
                    + DVec3::Z * (touching + gap)
                    + step * if found.is_empty() { 0.0 } else { 1.0 };
                let poses = [
                    Pose3::new_normalize(common, DVec3::ZERO).unwrap(),
                    Pose3::new_normalize(common * turn, common * between * by).unwrap(),
                ];
                let [a, b] = [0, 1].map(|i| Placed::new(&bodies[i], poses[i]));
                found.push(kernel.contact_with(&a, &b, &mut state));
            }
            found
        };
        let expected = run(1.0);
        for exponent in SCALES {
            let by = 2.0_f64.powi(exponent);
            let expected: Vec<_> = expected
                .iter()
                .map(|c| c.as_ref().map(|c| scaled(c, by)))
                .collect();
            assert_eq!(run(by), expected, "{case} {exponent}");
        }
    }
}

/// The same for polygons.
#[test]
fn contacts_of_polygons_scale() {
    let mut random = random(92);
    for case in 0..cases(1000) {
        let shapes = [polygon(&mut random, 1.0), polygon(&mut random, 1.0)];
        let angle = [0.0, random.range(-3.0, 3.0)][random.below(2)];
        let along = DVec2::from_angle(random.range(-3.0, 3.0));
        let width = |i: usize, along: DVec2| {
            let heights = shapes[i].vertices().iter().map(|x| x.dot(along));
            heights.fold(f64::MIN, f64::max)
        };
        let touching = width(0, along) + width(1, -DVec2::from_angle(-angle).rotate(along));
        let sign = [-1.0, 1.0][random.below(2)];
        let gap = sign * 2.0_f64.powi(-(random.below(56) as i32));
        let run = |by: f64| {
            let bodies = [0, 1].map(|i: usize| {
                ConvexPolygon::new(shapes[i].vertices().iter().map(|&x| x * by).collect()).unwrap()
            });
            let poses = [
                Pose2::IDENTITY,
                Pose2::from_angle(angle, along * (touching + gap) * by).unwrap(),
            ];
            let [a, b] = [0, 1].map(|i| Placed::new(&bodies[i], poses[i]));
            CommonPlane::new()
                .with_margin(4.0 * by)
                .unwrap()
                .contact(&a, &b)
        };
        let expected = run(1.0);
        for exponent in SCALES {
            let by = 2.0_f64.powi(exponent);
            assert_eq!(
                run(by),
                expected.as_ref().map(|c| scaled(c, by)),
                "{case} {exponent}"
            );
        }
    }
}
