//! Names of contact points where features of two bodies coincide, in poses with rounding errors of their
//! own: each is composed of several rotations, differently at each step.

use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ManifoldPoint, PointFeature};
use osculate::{ContactManifold, ConvexPolyhedron, ElasticBed, NarrowPhase, Placed, Pose3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

/// Two boxes, the second above the first: size and yaw of both, and where the second is.
type Stack = ([DVec3; 2], [f64; 2], DVec3);

const DEPTH: f64 = 1e-3;

/// Stacks where vertices, edges or sides of both boxes coincide, and some where nothing does.
fn stacks() -> Vec<Stack> {
    let (one, half, at) = (DVec3::ONE, DVec3::splat(0.5), DVec3::new);
    let (long, small) = (at(3.0, 1.0, 1.0), one * FRAC_1_SQRT_2);
    let aside = at(0.5 - 0.5 * FRAC_1_SQRT_2, 0.1, 0.75);
    let on_four_edges = DVec3::Z * (0.5 + 0.5 * FRAC_1_SQRT_2);
    let corner = DVec2::from_angle(0.5).rotate(DVec2::splat(0.5));
    let mut stacks = vec![
        // All vertices coincide.
        ([one; 2], [0.0; 2], DVec3::Z),
        ([one; 2], [0.4; 2], DVec3::Z),
        // Octagons, and a corner on a corner.
        ([one; 2], [0.0, FRAC_PI_4], DVec3::Z),
        ([one; 2], [0.0, 0.5], DVec3::Z),
        (
            [one; 2],
            [0.0, 0.5],
            (DVec2::splat(0.5) - corner).extend(1.0),
        ),
        // Vertices of one body on one edge or on all four edges of the other.
        ([one, half], [0.0, FRAC_PI_4], aside),
        ([half, one], [FRAC_PI_4, 0.0], aside),
        ([one, small], [0.0, FRAC_PI_4], on_four_edges),
        ([small, one], [FRAC_PI_4, 0.0], on_four_edges),
        ([long, at(1.0, 3.0, 1.0)], [0.0; 2], DVec3::Z),
    ];
    // Beyond two sides; then edges that lie on each other, whose ends do not coincide.
    for (sizes, x, y) in [
        ([one; 2], 0.4, 0.3),
        ([one; 2], 0.5, 0.0),
        ([one; 2], 0.0, -0.3),
        ([one, half], 0.25, 0.25),
        ([one, half], 0.25, 0.0),
        ([half, one], 0.25, 0.25),
        ([long, one], 1.0, 0.0),
    ] {
        let z = 0.5 * (sizes[0].z + sizes[1].z);
        stacks.push((sizes, [0.0; 2], at(x, y, z)));
    }
    stacks
}

/// The names of points that carry something, in order.
fn names(manifold: &ContactManifold) -> Vec<PointFeature> {
    let points = manifold.points().iter();
    let points = points.filter(|p| p.volume > 1e-9 * manifold.volume);
    let mut names: Vec<_> = points.map(|p| p.feature).collect();
    names.sort();
    names
}

/// Counts the manifolds of composed poses whose names differ from those of the plain pose.
fn changed_names(stack: &Stack, is_along_z: bool) -> usize {
    let (sizes, yaws, at) = stack;
    let mut random = random(21);
    let shapes = sizes.map(cube_times);
    let at = [DVec3::ZERO, *at - DVec3::Z * DEPTH];
    let poses = [0, 1].map(|i| Pose3::new(DQuat::from_rotation_z(yaws[i]), at[i]).unwrap());
    let place = |poses: [Pose3; 2]| [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
    let mut bed = ElasticBed::new();
    let mut found = |poses: [Pose3; 2], motion: Pose3, state: &mut _| {
        let [a, b] = place(poses);
        let up = motion.transform_vector(DVec3::Z);
        let manifold = if is_along_z {
            bed.manifold(&a, &b, up, state)
        } else {
            bed.contact_with(&a, &b, state)
        };
        manifold.unwrap()
    };
    let expected = found(poses, Pose3::IDENTITY, &mut Default::default());
    let mut changed = 0;
    for case in 0..cases(40) {
        let reach = [0.0, 1.0, 10.0][case % 3];
        let motion = Pose3::new(random.rotation(), vector(&mut random) * reach).unwrap();
        let motion = if case % 4 == 0 {
            Pose3::IDENTITY
        } else {
            motion
        };
        let mut state = Default::default();
        for step in 0..6 {
            let poses = poses.map(|pose| {
                let about = vector(&mut random) * (1.0 + reach);
                let there = Pose3::new(random.rotation(), about).unwrap();
                there * (there.inverse() * (motion * pose))
            });
            let now = found(poses, motion, &mut state);
            changed += usize::from(names(&now) != names(&expected));
            assert!(
                (now.volume / expected.volume - 1.0).abs() < 1e-2,
                "{stack:?}"
            );
            assert!(
                now.points()
                    .iter()
                    .all(|p| p.previous.is_some() == (step > 0)),
                "{stack:?}"
            );
        }
    }
    println!("{stack:?}: {changed} changed, {:?}", names(&expected));
    changed
}

#[test]
fn names_stay_along_a_given_normal() {
    for stack in stacks() {
        assert_eq!(changed_names(&stack, true), 0, "{stack:?}");
    }
}

#[test]
fn names_stay_along_the_area_vector() {
    for stack in stacks() {
        assert_eq!(changed_names(&stack, false), 0, "{stack:?}");
    }
}

/// The smallest case: a vertex of each body on an edge of the other.
#[test]
fn vertices_on_collinear_edges_are_named() {
    let cube = cube_times(DVec3::ONE);
    for at in [DVec3::new(0.5, 0.0, 0.875), DVec3::new(0.0, 0.5, 0.875)] {
        for sign in [1.0, -1.0] {
            let at = at * DVec3::new(sign, sign, 1.0);
            let [a, b] = [DVec3::ZERO, at]
                .map(|at| Placed::new(&cube, Pose3::from_translation(at).unwrap()));
            let manifold = ElasticBed::new()
                .manifold(&a, &b, DVec3::Z, &mut Default::default())
                .unwrap();
            let is_vertex = |name: &PointFeature| !matches!(name, PointFeature::Edges(..));
            let names = names(&manifold);
            assert!(
                names.len() == 4 && names.iter().all(is_vertex),
                "{at} {names:?}"
            );
        }
    }
}

/// A vertex of a needle, seen along an edge so steeply that two lines cross far from their common end.
#[test]
fn sharp_vertices_carry_their_share() {
    let hull = |corners: [[i8; 3]; 4]| {
        let corners = corners.map(|c| DVec3::from_array(c.map(f64::from)));
        ConvexPolyhedron::from_convex_hull(&corners).unwrap()
    };
    let needle = hull([[-7, 1, 63], [0, -65, -65], [-1, -1, -1], [-1, 0, 0]]);
    let other = hull([[-53, -53, -53], [-33, -62, -1], [-1, -1, -35], [-1, -5, 0]]);
    let turn = DQuat::from_scaled_axis(DVec3::new(0.0123, 0.0456, 0.0789));
    let a = Placed::new(
        &needle,
        Pose3::from_translation(DVec3::new(0.0, 6.0, -1.0)).unwrap(),
    );
    let b = Placed::new(&other, Pose3::new(turn, DVec3::splat(-53.0)).unwrap());
    let normal = DVec3::new(63.0, 1.0, -1.0).normalize();
    let manifold = ElasticBed::new().manifold(&a, &b, normal, &mut Default::default());
    let manifold = manifold.unwrap();
    // In fractions.
    assert!((manifold.area - 3.659468189244249).abs() < 1e-11);
    assert!(
        (manifold.volume - 201.07380516307094).abs() < 1e-9,
        "{}",
        manifold.volume
    );
    // There is no rim.
    let areas: f64 = manifold.points().iter().map(|p| p.area).sum();
    assert!((areas / manifold.area - 1.0).abs() < 1e-12, "{areas}");
}

/// Points that are not kept go to the nearest one that is: on a plank, to its own end.
#[test]
fn merged_points_go_to_the_nearest() {
    let plank = cube_times(DVec3::new(4.0, 1.0, 1.0));
    let place = |z: f64| Placed::new(&plank, Pose3::from_translation(DVec3::Z * z).unwrap());
    for (first, second) in [(0.0, 0.875), (0.875, 0.0)] {
        let (a, b) = (place(first), place(second));
        let normal = DVec3::Z * (second - first).signum();
        let mut bed = ElasticBed::new().with_max_points(2).unwrap();
        let manifold = bed
            .manifold(&a, &b, normal, &mut Default::default())
            .unwrap();
        let mut ends: Vec<_> = manifold.points().iter().map(|p| p.point).collect();
        ends.sort_by(|p, q| p.x.total_cmp(&q.x));
        let expected = [-4.0, 4.0].map(|x: f64| DVec3::new(x / 6.0, 0.0, 0.4375));
        assert!(ends[0].distance(expected[0]) < 1e-14, "{ends:?}");
        assert!(ends[1].distance(expected[1]) < 1e-14, "{ends:?}");
        assert!(
            manifold
                .points()
                .iter()
                .all(|p| p.area == 2.0 && p.overlap == 0.125)
        );
    }
}

/// A single point is named after the deepest one, even if another one has the larger share.
#[test]
fn the_deepest_point_is_kept() {
    let mut random = random(24);
    let table = cube_times(DVec3::new(8.0, 8.0, 1.0));
    let a = Placed::new(&table, Pose3::IDENTITY);
    let mut differ = 0;
    for _ in 0..cases(100) {
        let shape = polyhedron(&mut random, 1.0);
        let pose = Pose3::new(random.rotation(), DVec3::Z * 0.5).unwrap();
        let b = Placed::new(&shape, pose);
        let found = |count: usize| {
            let mut bed = ElasticBed::new().with_max_points(count).unwrap();
            bed.manifold(&a, &b, DVec3::Z, &mut Default::default())
        };
        let (Some(all), Some(one)) = (found(8), found(1)) else {
            continue;
        };
        if all.points().len() == 8 {
            continue; // Merged points.
        }
        let most = |worth: fn(&ManifoldPoint) -> f64| {
            let order = |p: &&ManifoldPoint, q: &&ManifoldPoint| worth(p).total_cmp(&worth(q));
            all.points().iter().max_by(order).unwrap().feature
        };
        assert_eq!(one.points()[0].feature, most(|p| p.overlap));
        differ += usize::from(most(|p| p.area) != most(|p| p.overlap));
    }
    assert!(differ > cases(100) / 10, "{differ}");
}

/// A new name continues the nearest point in the frame of the first body, wherever the pair went.
#[test]
fn new_points_continue_the_nearest_in_the_body() {
    let mut random = random(23);
    let cube = cube_times(DVec3::ONE);
    let (mut new, mut bed, mut state) = (0, ElasticBed::new(), Default::default());
    let mut last: Option<(ContactManifold, Pose3)> = None;
    for step in 0..1000 {
        let s = 2e-3 * f64::from(step);
        let relative = Pose3::new(
            DQuat::from_rotation_z(s),
            DVec3::new(0.2 - 0.3 * s, 0.1, 0.99),
        );
        let motion = Pose3::new(random.rotation(), vector(&mut random) * 4.0).unwrap();
        let a = Placed::new(&cube, motion);
        let b = Placed::new(&cube, motion * relative.unwrap());
        let up = motion.transform_vector(DVec3::Z);
        let found = bed.manifold(&a, &b, up, &mut state).unwrap();
        let to_body = motion.inverse();
        if let Some((last, before)) = &last {
            for point in found.points() {
                let at = to_body.transform_point(point.point);
                let distance =
                    |i: usize| before.transform_point(last.points()[i].point).distance(at);
                let previous = usize::from(point.previous.unwrap());
                if last.points().iter().any(|p| p.feature == point.feature) {
                    assert_eq!(last.points()[previous].feature, point.feature);
                } else {
                    new += 1;
                    let nearest = (0..last.points().len())
                        .map(distance)
                        .fold(f64::MAX, f64::min);
                    assert!(distance(previous) < nearest + 1e-12);
                }
            }
        }
        last = Some((found, to_body));
    }
    assert!(new > 8, "{new}");
}

/// With flush sides, too, swapped bodies have the negated normal, bit for bit.
#[test]
fn flush_sides_do_not_depend_on_the_order() {
    let mut random = random(63);
    let mut bed = ElasticBed::new();
    let mut compared = 0;
    for _ in 0..cases(300) {
        let mut length = || f64::from(1 + random.below(4) as u32);
        let [a, b] = [0; 2].map(|_| cube_times(DVec3::from_array([0; 3].map(|_| length()))));
        let mut place = || f64::from(random.below(9) as u32) * 0.5 - 2.0;
        let at = DVec3::from_array([0; 3].map(|_| place()));
        let [frame, half, other] = [0; 3].map(|_| random.rotation());
        // The same rotation, composed in two ways, so that flush sides differ by rounding.
        let turns = [frame * half, frame * other * (other.inverse() * half)];
        let place = |shape, turn, x| Placed::new(shape, Pose3::new_normalize(turn, x).unwrap());
        let first = place(&a, turns[0], DVec3::ZERO);
        let second = place(&b, turns[1], (frame * half) * at);
        let forth = bed.contact(&first, &second);
        let back = bed.contact(&second, &first);
        assert_eq!(forth.map(|m| m.normal), back.map(|m| -m.normal));
        compared += usize::from(forth.is_some());
    }
    assert!(compared > cases(300) / 10, "{compared}");
}

/// The sign of a component that is 0 does not change the bits of the swapped bodies.
#[test]
fn the_sign_of_zero_does_not_count() {
    let mut random = random(64);
    let mut bed = ElasticBed::new();
    let mut compared = 0;
    for _ in 0..cases(100) {
        let [a, b] = [0; 2].map(|_| polyhedron(&mut random, 1.0));
        // A rotation by this quaternion keeps the sign of 0.
        let turn = DQuat::from_xyzw(0.0, 0.0, 0.0, -1.0);
        let place = |shape, at| Placed::new(shape, Pose3::new(turn, at).unwrap());
        let (a, b) = (place(&a, DVec3::ZERO), place(&b, vector(&mut random) * 0.5));
        for normal in [DVec3::X, DVec3::new(0.6, 0.8, 0.0), DVec3::Z] {
            let forth = bed.manifold(&a, &b, normal, &mut Default::default());
            let back = bed.manifold(&b, &a, DVec3::ZERO - normal, &mut Default::default());
            let sizes = |m: &ContactManifold| (m.volume, m.area, m.point);
            assert_eq!(forth.as_ref().map(sizes), back.as_ref().map(sizes));
            compared += usize::from(forth.is_some());
        }
    }
    assert!(compared > cases(100), "{compared}");
}

/// Vertices beside each other, some tolerances apart: swapped bodies share the load among as many points.
#[test]
fn names_of_near_vertices_do_not_depend_on_the_order() {
    let mut random = random(65);
    let mut bed = ElasticBed::new();
    let mut compared = 0;
    for case in 0..cases(3000) {
        let [a, b] = [0; 2].map(|_| {
            let points: Vec<DVec3> = (0..6).map(|_| random.in_ball()).collect();
            ConvexPolyhedron::from_convex_hull(&points).unwrap()
        });
        let (v, w) = (a.vertices()[0], b.vertices()[0]);
        let normal = (v - a.centroid()).normalize();
        // Lines within 2^-38 of the size have the name of a vertex.
        let reach = [0.1, 1.0, 2.0, 4.0][case % 4] * 2.0_f64.powi(-38);
        let aside = random.in_ball().reject_from_normalized(normal) * reach;
        let at = v - w - normal * 0.3 + aside;
        let a = Placed::new(&a, Pose3::IDENTITY);
        let b = Placed::new(&b, Pose3::from_translation(at).unwrap());
        let forth = bed.manifold(&a, &b, normal, &mut Default::default());
        let back = bed.manifold(&b, &a, -normal, &mut Default::default());
        let (Some(forth), Some(back)) = (forth, back) else {
            continue;
        };
        // Merged points depend on the order of the nodes.
        if forth.points().len() == 8 || back.points().len() == 8 {
            continue;
        }
        let [forth, back] = [forth, back].map(|manifold| {
            let volumes = manifold.points().iter().map(|point| point.volume);
            let mut volumes: Vec<f64> = volumes.filter(|&volume| volume > 1e-9).collect();
            volumes.sort_by(f64::total_cmp);
            volumes
        });
        let is_same = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-9;
        assert!(
            forth.len() == back.len() && forth.iter().zip(&back).all(is_same),
            "{forth:?} {back:?}"
        );
        compared += 1;
    }
    assert!(compared > cases(3000) / 2, "{compared}");
}
