//! Each property of manifolds finds kernels with one mistake.

use crate::support::convex::{Body, cube_times};
use crate::support::wrench;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PointFeature;
use osculate::testing::properties::manifold::{self, Manifold};
use osculate::testing::properties::{MapContact, Violation};
use osculate::{ContactManifold, ConvexPolyhedron, ElasticBed, Placed, Pose3};

const PROPERTIES: [&str; 7] = [
    "manifold::shares_add_up",
    "manifold::swap_swaps_names",
    "manifold::names_move_rigidly",
    "manifold::shares_follow_motion",
    "manifold::names_scale_exactly",
    "wrench::points_continue",
    "wrench::reduction_keeps_wrench",
];

/// Returns the violated properties of the kernel whose manifolds pass through a function.
fn violated(change: fn(&mut Manifold<DVec3>)) -> Vec<&'static str> {
    let shapes = [1.0, 2.0].map(|factor| cube_times(DVec3::new(1.0, 1.5, 2.0) * factor));
    let turn = DQuat::from_scaled_axis(DVec3::new(0.05, -0.03, 0.4));
    let place = |shape: usize, shift: DVec3| -> (Body<'_>, Body<'_>) {
        let factor = [1.0, 2.0][shape];
        let shape: &ConvexPolyhedron = &shapes[shape];
        let at = (DVec3::new(0.1, 0.2, 1.9) + shift) * factor;
        let pose = Pose3::new(turn, at).unwrap();
        (
            Placed::new(shape, Pose3::IDENTITY),
            Placed::new(shape, pose),
        )
    };
    let changed = |found: ContactManifold| {
        let mut found = found.into();
        change(&mut found);
        found
    };
    let kernel =
        |count: usize| MapContact(ElasticBed::new().with_max_points(count).unwrap(), changed);
    let bed = &mut kernel(8);
    let (a, b) = place(0, DVec3::ZERO);
    let motion = Pose3::new(DQuat::from_xyzw(0.0, 0.0, 0.8, 0.6), DVec3::X).unwrap();
    let moved = |by: &Pose3| {
        let (a, b) = place(0, DVec3::ZERO);
        let [a, b] = [a, b].map(|body| Placed::new(body.shape, *by * body.pose));
        (a, b)
    };
    let step = DVec3::new(1e-6, 0.0, 1e-6);
    let path = [0.0, 1.0, 2.0, 1e6, 0.0].map(|s| place(0, step * s));
    let is_swapped = |name: PointFeature, back: PointFeature| name == back.swapped();
    let scaled = |factor: f64| place(usize::from(factor != 1.0), DVec3::ZERO);
    let results: [Result<(), Violation>; 7] = [
        manifold::shares_add_up(bed, &a, &b, 0.0, 4.0),
        manifold::swap_swaps_names(bed, &a, &b, 4.0, is_swapped),
        manifold::names_move_rigidly(bed, moved, &motion, 1e-12),
        manifold::shares_follow_motion(bed, &(a, b), &place(0, step), 1e-4),
        manifold::names_scale_exactly(bed, scaled, 1),
        wrench::points_continue(bed, path, 4.0),
        wrench::reduction_keeps_wrench(bed, (&mut kernel(3), 3), &a, &b, 4.0),
    ];
    let found = PROPERTIES.into_iter().zip(results);
    let violated = found.filter_map(|(name, result)| {
        let violation = result.err()?;
        assert!(violation.to_string().starts_with(name), "{violation}");
        Some(name)
    });
    violated.collect()
}

#[test]
fn each_mistake_is_found() {
    assert_eq!(violated(|_| ()), [""; 0]);
    let [shares, swap, motion, step, scale, path, few] = PROPERTIES;
    type Mistake = (&'static str, fn(&mut Manifold<DVec3>), Vec<&'static str>);
    let mistakes: [Mistake; 12] = [
        (
            "a normal that is not a unit vector",
            |m| m.normal *= 1.0 + 1e-9,
            vec![shares],
        ),
        (
            "a point forgotten",
            |m| m.points.truncate(m.points.len() - 1),
            vec![shares, few],
        ),
        (
            "a share counted twice",
            |m| m.points.push(m.points[0]),
            vec![shares, few],
        ),
        (
            "the point of a share moved",
            |m| m.points[0].point += DVec3::X,
            vec![shares],
        ),
        (
            "a share without load",
            |m| m.points[0].volume = 0.0,
            vec![shares],
        ),
        (
            "loads that depend on the number of points",
            |m| m.volume *= m.points.len() as f64,
            vec![shares, few],
        ),
        (
            "names of the first body where the second one's vertices are",
            |m| {
                for point in &mut m.points {
                    if let PointFeature::SecondVertex(id) = point.name {
                        point.name = PointFeature::FirstVertex(id + 100);
                    }
                }
            },
            vec![swap],
        ),
        (
            "names in the order of the world",
            |m| {
                let order = |a: &manifold::NamedPoint<DVec3>, b: &manifold::NamedPoint<DVec3>| {
                    a.point.x.total_cmp(&b.point.x)
                };
                m.points.sort_by(order);
                for (i, point) in (0..).zip(&mut m.points) {
                    point.name = PointFeature::FirstVertex(i);
                }
            },
            vec![motion],
        ),
        (
            "names that count the size",
            |m| {
                for point in &mut m.points {
                    let digits = (point.volume * 1e9) as u32;
                    point.name = PointFeature::FirstVertex(digits);
                }
            },
            vec![step, scale],
        ),
        (
            "nothing is continued",
            |m| m.points.iter_mut().for_each(|p| p.previous = None),
            vec![path],
        ),
        (
            "a normal that is not a number",
            |m| m.normal.z = f64::NAN,
            PROPERTIES.to_vec(),
        ),
        (
            "an infinite load",
            |m| m.points[0].volume = f64::INFINITY,
            PROPERTIES.to_vec(),
        ),
    ];
    for (what, change, expected) in mistakes {
        let found = violated(change);
        assert!(
            expected.iter().all(|name| found.contains(name)),
            "{what}: {found:?}"
        );
    }
}
