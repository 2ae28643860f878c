//! Contact manifolds of elastic beds: volumes and moments against an oracle, values known by hand, names,
//! continuity and reduction. OSCULATE_CASES sets the number of random pairs.

use crate::support::cases;
use crate::support::convex::{Body, Flat, cube_times, random, vector};
use crate::support::oracle::elastic_bed::elastic_bed;
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ElasticBedState, PointFeature};
use osculate::shape::Polygon;
use osculate::testing::properties::kernel;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, ContactManifold, ConvexConvex, ConvexPolygon, ConvexPolyhedron, ElasticBed,
    NarrowPhase, Placed, Pose2, Pose3,
};

fn round(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let point = |_| vector(random).normalize() * random.range(0.85, 1.0);
    ConvexPolyhedron::from_convex_hull(&(0..count).map(point).collect::<Vec<_>>()).unwrap()
}

/// Moves the second body along `direction` until the penetration depth is `depth`.
fn pressed<'a>(
    shapes: [&'a ConvexPolyhedron; 2],
    turns: [DQuat; 2],
    direction: DVec3,
    depth: f64,
) -> [Body<'a>; 2] {
    let at = |s: f64| {
        let poses = [DVec3::ZERO, direction * s];
        [0, 1].map(|i| Placed::new(shapes[i], Pose3::new(turns[i], poses[i]).unwrap()))
    };
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let [a, b] = at(middle);
        let contact = CommonPlane::new().contact(&a, &b);
        if contact.is_some_and(|c| c.overlap > depth) {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low)
}

/// Pairs of cubes, flush or not, and of round bodies, and their depths.
fn random_pair(
    case: usize,
    random: &mut SplitMix64,
    visit: impl FnOnce(&mut SplitMix64, [Body; 2], f64),
) {
    let shape = |random: &mut SplitMix64| match case % 3 {
        0 => cube_times(DVec3::ONE),
        1 => round(14, random),
        _ => round(50, random),
    };
    let shapes = [shape(random), shape(random)];
    let mut turns = [random.rotation(), random.rotation()];
    let mut direction = vector(random).normalize();
    if case.is_multiple_of(6) {
        turns = [
            DQuat::IDENTITY,
            DQuat::from_rotation_z(random.range(0.0, 1.0)),
        ];
        direction = (DVec3::Z + direction * 0.1).normalize();
    }
    let depth = 10.0_f64.powf(random.range(-3.0, -1.0));
    let bodies = pressed([&shapes[0], &shapes[1]], turns, direction, depth);
    visit(random, bodies, depth);
}

fn sums(manifold: &ContactManifold) -> (f64, DVec3) {
    let points = manifold.points().iter();
    points.fold((0.0, DVec3::ZERO), |(volume, moment), p| {
        (
            volume + p.volume,
            moment + (p.point - manifold.point) * p.volume,
        )
    })
}

/// Volume and center of pressure along any normal, against the intersection of extended bodies.
#[test]
fn bed_agrees_with_the_oracle() {
    let mut random = random(11);
    let mut worst = [0.0_f64; 3];
    for case in 0..cases(300) {
        random_pair(case, &mut random, |random, [a, b], depth| {
            let mut bed = ElasticBed::new();
            let along = CommonPlane::new().contact(&a, &b).unwrap().normal;
            let tilted = (along + vector(random) * 0.1).normalize();
            for normal in [along, tilted] {
                let manifold = bed
                    .manifold(&a, &b, normal, &mut Default::default())
                    .unwrap();
                let (volume, centroid) = elastic_bed(&a, &b, normal).unwrap();
                // Positions are rounded by eps, which counts for the area times the size.
                let scale = manifold.area * depth;
                worst[0] = worst[0].max((manifold.volume - volume).abs() / scale);
                let apart = manifold.point - centroid;
                let aside = apart - normal * apart.dot(normal);
                worst[1] = worst[1].max(aside.length());
                let (volume, moment) = sums(&manifold);
                assert!((volume / manifold.volume - 1.0).abs() < 1e-15);
                worst[2] = worst[2].max(moment.length() / manifold.volume);
                assert!(
                    manifold
                        .points()
                        .iter()
                        .all(|p| p.overlap > 0.0 && p.area > 0.0 && p.volume > 0.0)
                );
            }
        });
    }
    println!("volume / (area depth), center, moment / volume: {worst:?}");
    assert!(
        worst[0] < 1e-11 && worst[1] < 1e-9 && worst[2] < 1e-13,
        "{worst:?}"
    );
}

/// Where the surfaces that face each other bound the intersection, the bed has its volume. Thin edges have
/// more: surfaces on the far side bound it there.
#[test]
fn bed_has_the_volume_of_the_intersection() {
    let mut random = random(12);
    let mut errors: [Vec<f64>; 3] = Default::default();
    for case in 0..cases(600) {
        random_pair(case, &mut random, |_, [a, b], _| {
            let volume = ConvexConvex::new().contact(&a, &b).unwrap();
            let manifold = ElasticBed::new().contact(&a, &b).unwrap();
            assert!(manifold.normal.distance(volume.normal().unwrap()) < 1e-15);
            let error = manifold.volume / volume.volume - 1.0;
            assert!(error > -1e-9, "{error}");
            errors[case % 3].push(error.abs());
        });
    }
    for (errors, (name, bound)) in
        errors
            .iter_mut()
            .zip([("cube", 1e-2), ("14", 1.0), ("50", 1e-9)])
    {
        errors.sort_by(f64::total_cmp);
        let at = |part: usize| errors[(errors.len() - 1) * part / 100];
        println!(
            "{name}: median {:.1e}, 90 % {:.1e}, 99 % {:.1e}, most {:.1e}",
            at(50),
            at(90),
            at(99),
            at(100)
        );
        assert!(at(50) < 1e-10 && at(100) < bound);
    }
}

/// A cube on a cube: shifted, aligned, moved by rounding errors, turned.
#[test]
fn cube_on_cube() {
    let cube = cube_times(DVec3::ONE);
    let place = |turn: f64, at: DVec3| {
        Placed::new(&cube, Pose3::new(DQuat::from_rotation_z(turn), at).unwrap())
    };
    let a = place(0.0, DVec3::ZERO);
    let mut bed = ElasticBed::new();
    let mut points = |b: &Body| {
        let manifold = bed
            .manifold(&a, b, DVec3::Z, &mut Default::default())
            .unwrap();
        let mut features: Vec<_> = manifold.points().iter().map(|p| p.feature).collect();
        features.sort();
        (manifold, features)
    };
    let top = cube.vertices().iter().filter(|v| v.z > 0.0).count();
    assert_eq!(top, 4);
    let id = |at: DVec3| cube.vertices().iter().position(|v| *v == at).unwrap() as u32;
    let corner = |x: f64, y: f64, z: f64| id(DVec3::new(x, y, z) * 0.5);

    // Half beyond the side: two vertices of each body.
    let (manifold, features) = points(&place(0.0, DVec3::new(0.5, 0.0, 0.875)));
    assert_eq!((manifold.area, manifold.volume), (0.5, 0.0625));
    assert!(manifold.point.distance(DVec3::new(0.25, 0.0, 0.4375)) < 1e-15);
    let coincident = [
        PointFeature::FirstVertex(corner(1.0, -1.0, 1.0)),
        PointFeature::FirstVertex(corner(1.0, 1.0, 1.0)),
    ];
    assert!(
        coincident.iter().all(|f| features.contains(f)),
        "{features:?}"
    );
    assert_eq!(features.len(), 4);
    // The hats of a rectangle a x b have their centers a/6 and b/6 from its center.
    for point in manifold.points() {
        let arm = point.point - manifold.point;
        let expected = DVec3::new(0.5 / 6.0, 1.0 / 6.0, 0.0);
        assert!((arm.abs() - expected).length() < 1e-15, "{arm}");
        assert_eq!((point.overlap, point.area), (0.125, 0.125));
    }
    // Springs at the twist points have the polar moment of the rectangle.
    let area = 0.5 / 4.0;
    let twist: f64 = manifold
        .twist_points()
        .map(|x| area * x.distance_squared(manifold.point))
        .sum();
    let polar = 0.5 * (0.5_f64.powi(2) + 1.0) / 12.0;
    assert!((twist - polar).abs() < 1e-15);

    // Aligned: the vertices of the first body, in spite of rounding errors.
    let aligned: Vec<_> = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
        .map(|(x, y)| PointFeature::FirstVertex(corner(x, y, 1.0)))
        .to_vec();
    let mut random = SplitMix64::new(3);
    for case in 0..200 {
        let noise = if case == 0 {
            DVec3::ZERO
        } else {
            vector(&mut random) * 1e-15
        };
        let turn = if case == 0 {
            0.0
        } else {
            random.range(-1e-15, 1e-15)
        };
        let (manifold, mut features) = points(&place(turn, DVec3::Z * 0.875 + noise));
        features.sort_by_key(|f| aligned.iter().position(|g| g == f));
        assert_eq!(features, aligned);
        assert!((manifold.volume - 0.125).abs() < 1e-14);
    }

    // Turned by 45 degrees: eight crossings of edges, at equal shares.
    let (manifold, features) = points(&place(std::f64::consts::FRAC_PI_4, DVec3::Z * 0.875));
    assert!(
        features
            .iter()
            .all(|f| matches!(f, PointFeature::Edges(..)))
            && features.len() == 8
    );
    let octagon = 2.0 * (2.0_f64.sqrt() - 1.0);
    assert!((manifold.area - octagon).abs() < 1e-14);
    assert!(
        manifold
            .points()
            .iter()
            .all(|p| (p.area - octagon / 8.0).abs() < 1e-14)
    );
}

/// A cube tilted on a table: the restoring moment of an elastic bed, k L^4 / 12 times the angle.
#[test]
fn tilted_cube_has_the_moment_of_a_bed() {
    let (cube, table) = (
        cube_times(DVec3::ONE),
        cube_times(DVec3::new(8.0, 8.0, 1.0)),
    );
    let a = Placed::new(&table, Pose3::from_translation(DVec3::Z * -0.5).unwrap());
    for angle in [1e-6, 1e-4, 1e-3] {
        let turn = DQuat::from_rotation_y(angle);
        let b = Placed::new(
            &cube,
            Pose3::new(turn, DVec3::Z * (0.5 * angle.cos() - 1e-3)).unwrap(),
        );
        let manifold = ElasticBed::new()
            .manifold(&a, &b, DVec3::Z, &mut Default::default())
            .unwrap();
        let moment: f64 = manifold.points().iter().map(|p| p.point.x * p.volume).sum();
        let expected = angle / 12.0;
        assert!(
            (moment.abs() / expected - 1.0).abs() < 1e-2,
            "{angle}: {moment}"
        );
    }
}

/// Neither the order of the bodies nor scale nor pose nor labels change a manifold.
#[test]
fn properties_of_kernels() {
    let mut random = random(13);
    for case in 0..cases(60) {
        random_pair(case, &mut random, |random, [a, b], _| {
            let mut bed = ElasticBed::new();
            kernel::swap_negates(&mut bed, &a, &b).unwrap();
            let motion = Pose3::new(random.rotation(), vector(random) * 4.0).unwrap();
            let moved = |by: &Pose3| {
                (
                    Placed::new(a.shape, *by * a.pose),
                    Placed::new(b.shape, *by * b.pose),
                )
            };
            kernel::moves_rigidly(&mut bed, moved, &motion, 1e4).unwrap();
            let scaled = |factor: f64| {
                [a, b]
                    .map(|body| {
                        let vertices: Vec<_> =
                            body.shape.vertices().iter().map(|&v| v * factor).collect();
                        let shape = ConvexPolyhedron::from_convex_hull(&vertices).unwrap();
                        let pose =
                            Pose3::new(body.pose.rotation(), body.pose.translation() * factor)
                                .unwrap();
                        Placed::new(std::sync::Arc::new(shape), pose)
                    })
                    .into()
            };
            kernel::scales_exactly(&mut bed, scaled, 20).unwrap();
        });
    }
}

/// The bodies swapped: the same points, with the features swapped.
#[test]
fn swapped_bodies_have_swapped_features() {
    let mut random = random(14);
    for case in 0..cases(60) {
        random_pair(case, &mut random, |_, [a, b], _| {
            let mut bed = ElasticBed::new();
            let [forth, back] = [(a, b), (b, a)].map(|(a, b)| bed.contact(&a, &b).unwrap());
            let mut swapped = back.swapped();
            assert_eq!((forth.volume, forth.area), (swapped.volume, swapped.area));
            assert_eq!(forth.normal, swapped.normal);
            swapped.point = forth.point;
            assert_eq!(forth.points(), swapped.points());
        });
    }
}

/// Forces along S / |S| change in proportion to the step; those along the least translation jump.
#[test]
fn forces_change_in_proportion_to_the_step() {
    let mut random = random(15);
    for count in [0, 14] {
        let mut largest = [[0.0_f64; 2]; 2];
        for _ in 0..cases(12) {
            let shape = |random: &mut SplitMix64| {
                if count == 0 {
                    cube_times(DVec3::ONE)
                } else {
                    round(count, random)
                }
            };
            let shapes = [shape(&mut random), shape(&mut random)];
            let turns = [random.rotation(), random.rotation()];
            let direction = vector(&mut random).normalize();
            let [a, b] = pressed([&shapes[0], &shapes[1]], turns, direction, 0.02);
            let (slide, axis) = (
                direction.any_orthonormal_vector(),
                vector(&mut random).normalize(),
            );
            for (k, step) in [1e-4, 1e-5].into_iter().enumerate() {
                let mut last = [None; 2];
                let (mut jump, mut sum) = ([0.0_f64; 2], [0.0; 2]);
                for i in 0..600 {
                    let s = step * f64::from(i);
                    let turn = DQuat::from_axis_angle(axis, s) * b.pose.rotation();
                    let at = b.pose.translation() + slide * s;
                    let b = Placed::new(b.shape, Pose3::new(turn, at).unwrap());
                    let mut bed = ElasticBed::new();
                    let Some(plane) = CommonPlane::new().contact(&a, &b) else {
                        break;
                    };
                    let along = bed.contact(&a, &b).unwrap();
                    let least = bed
                        .manifold(&a, &b, plane.normal, &mut Default::default())
                        .unwrap();
                    for (i, manifold) in [along, least].into_iter().enumerate() {
                        let force = manifold.normal * manifold.volume;
                        let before = last[i].replace(force).unwrap_or(force);
                        jump[i] = jump[i].max(force.distance(before));
                        sum[i] += force.length() / 600.0;
                    }
                }
                for i in 0..2 {
                    largest[i][k] = largest[i][k].max(jump[i] / sum[i]);
                }
            }
        }
        println!(
            "{count} vertices: S {:?}, least translation {:.1?}",
            largest[0], largest[1]
        );
        let [along, least] = largest;
        assert!(along[0] < 0.3 && along[1] < 0.01, "{along:?}");
        assert!(count > 0 || least[1] > 10.0 * along[1], "{least:?}");
    }
}

/// Fewer points have the same volume and moment, and keep the features of the last step.
#[test]
fn reduction_keeps_force_and_moment() {
    let mut random = random(16);
    let mut reduced = 0;
    for case in 0..cases(200) {
        let turn = DQuat::from_rotation_z(random.range(0.1, 1.4));
        let tilt = DQuat::from_scaled_axis(vector(&mut random) * 0.02);
        let cube = cube_times(DVec3::ONE);
        let a = Placed::new(&cube, Pose3::IDENTITY);
        let at = vector(&mut random) * 0.1 + DVec3::Z * 0.95;
        let b = Placed::new(&cube, Pose3::new((tilt * turn).normalize(), at).unwrap());
        let Some(all) = ElasticBed::new().contact(&a, &b) else {
            continue;
        };
        for most in 1..=8 {
            let mut bed = ElasticBed::new().with_max_points(most).unwrap();
            let mut state = ElasticBedState::default();
            let few = bed.contact_with(&a, &b, &mut state).unwrap();
            assert_eq!(few.points().len(), most.min(all.points().len()));
            reduced += usize::from(most < all.points().len());
            assert!(
                (few.volume / all.volume - 1.0).abs() < 1e-14 && few.area == all.area,
                "{case}"
            );
            assert!(few.point.distance(all.point) < 1e-14);
            assert!(sums(&few).1.length() < 1e-14 * few.volume);
            // The deepest point of all would be another one after a small rotation.
            let nudge = Pose3::new(
                DQuat::from_scaled_axis(vector(&mut random) * 1e-3),
                DVec3::ZERO,
            );
            let moved = Placed::new(&cube, nudge.unwrap() * b.pose);
            let names =
                |m: &ContactManifold| m.points().iter().map(|p| p.feature).collect::<Vec<_>>();
            let Some(next) = bed.contact_with(&a, &moved, &mut state) else {
                continue;
            };
            let everything = names(&ElasticBed::new().contact(&a, &moved).unwrap());
            for name in names(&few).iter().filter(|name| everything.contains(name)) {
                assert!(names(&next).contains(name), "{case} {most}");
            }
        }
    }
    assert!(reduced > 100, "{reduced}");
    assert!(ElasticBed::<DVec3>::new().with_max_points(0).is_err());
    assert!(ElasticBed::<DVec3>::new().with_max_points(9).is_err());
}

/// A point continues the one of the same feature; a new one the nearest. Other shapes begin anew.
#[test]
fn points_continue_earlier_ones() {
    let cube = cube_times(DVec3::ONE);
    let place = |x: f64, turn: f64| {
        let at = DVec3::new(x, 0.1, 0.99);
        Placed::new(&cube, Pose3::new(DQuat::from_rotation_z(turn), at).unwrap())
    };
    let a = Placed::new(&cube, Pose3::IDENTITY);
    let (mut bed, mut state) = (ElasticBed::new(), ElasticBedState::default());
    let mut along = |a: &Body, b: &Body, state: &mut ElasticBedState| {
        bed.manifold(a, b, DVec3::Z, state).unwrap()
    };
    let mut last = along(&a, &place(0.2, 0.1), &mut state);
    assert!(last.points().iter().all(|p| p.previous.is_none()));
    let (mut new, mut kept) = (0, 0);
    for step in 1..2000 {
        let s = 1e-3 * f64::from(step);
        let now = along(&a, &place(0.2 - 0.3 * s, 0.1 + s), &mut state);
        for point in now.points() {
            let before = last.points()[usize::from(point.previous.unwrap())];
            let same = last.points().iter().find(|p| p.feature == point.feature);
            match same {
                Some(same) => {
                    kept += 1;
                    assert_eq!(before.feature, same.feature);
                }
                None => {
                    new += 1;
                    let nearest = last.points().iter().map(|p| p.point.distance(point.point));
                    let nearest = nearest.fold(f64::INFINITY, f64::min);
                    assert!((before.point.distance(point.point) - nearest).abs() < 1e-12);
                }
            }
        }
        last = now;
    }
    assert!(new > 8 && kept > 1000 * new / 10, "{new} {kept}");
    // Shapes that are equal but not the same.
    let other = cube_times(DVec3::ONE);
    let b = Placed::new(&other, place(0.2, 0.1).pose);
    assert!(
        along(&a, &b, &mut state)
            .points()
            .iter()
            .all(|p| p.previous.is_none())
    );
    // After a gap there is nothing to continue.
    let far = Placed::new(&other, Pose3::from_translation(DVec3::X * 9.0).unwrap());
    assert!(bed.contact_with(&a, &far, &mut state).is_none());
    let again = bed.contact_with(&a, &b, &mut state).unwrap();
    assert!(again.points().iter().all(|p| p.previous.is_none()));
}

/// Gaps within the margin are reported with their length; the normal has to be a direction.
#[test]
fn margins_and_bad_normals() {
    let cube = cube_times(DVec3::ONE);
    let a = Placed::new(&cube, Pose3::IDENTITY);
    let b = Placed::new(
        &cube,
        Pose3::from_translation(DVec3::new(0.5, 0.0, 1.125)).unwrap(),
    );
    assert!(ElasticBed::new().contact(&a, &b).is_none());
    assert!(
        ElasticBed::new()
            .with_margin(0.125)
            .unwrap()
            .contact(&a, &b)
            .is_none()
    );
    let mut bed = ElasticBed::new().with_margin(0.25).unwrap();
    let manifold = bed.contact(&a, &b).unwrap();
    assert_eq!((manifold.normal, manifold.points().len()), (DVec3::Z, 4));
    assert!(manifold.points().iter().all(|p| p.overlap == -0.125));
    for bad in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
        assert!(
            bed.manifold(&a, &b, bad, &mut Default::default()).is_none(),
            "{bad}"
        );
    }
    let scaled = bed.manifold(&a, &b, DVec3::Z * 1e-200, &mut Default::default());
    assert_eq!(scaled, Some(manifold));
    assert!(ElasticBed::<DVec3>::new().with_margin(f64::NAN).is_err());
}

fn polygon(count: usize, random: &mut SplitMix64) -> ConvexPolygon {
    let point = |_| vector(random).truncate().normalize() * random.range(0.7, 1.0);
    ConvexPolygon::from_convex_hull(&(0..count).map(point).collect::<Vec<_>>()).unwrap()
}

/// In 2D, against the area and centroid of the intersection of extended polygons.
#[test]
fn beds_of_polygons_agree_with_intersections() {
    let mut random = random(17);
    let mut found = 0;
    for case in 0..cases(400) {
        let shapes = [0; 2].map(|_| polygon(3 + case % 8, &mut random));
        let turn = |random: &mut SplitMix64| DVec2::from_angle(random.range(0.0, 6.3));
        let at = vector(&mut random).truncate().normalize() * random.range(0.8, 1.8);
        let [a, b] = [(&shapes[0], DVec2::ZERO), (&shapes[1], at)]
            .map(|(shape, at)| Placed::new(shape, Pose2::new(turn(&mut random), at).unwrap()));
        let mut bed = ElasticBed::new();
        let Some(manifold) = bed.contact(&a, &b) else {
            continue;
        };
        let m = manifold.normal;
        let Some((area, centroid)) = shared_area(&extended(&a, m * -9.0), &extended(&b, m * 9.0))
        else {
            continue;
        };
        found += 1;
        assert!((manifold.volume - area).abs() < 1e-13, "{case}");
        let apart = manifold.point - centroid;
        assert!(
            (apart - m * apart.dot(m)).length() * area < 1e-13,
            "{case} {apart}"
        );
        let sum: f64 = manifold.points().iter().map(|p| p.volume).sum();
        assert!((sum - manifold.volume).abs() < 1e-15);
        // The normal is that of the area vector of the kernel for any polygons.
        let [p, q] = [&a, &b].map(|body| Placed::new(Polygon::from(body.shape.clone()), body.pose));
        let volume = osculate::narrow::PolygonPolygon::new()
            .contact(&p, &q)
            .unwrap();
        if let Some(normal) = volume.normal() {
            assert!(normal.distance(m) < 1e-9, "{normal} {m}");
        }
        kernel::swap_negates(&mut bed, &a, &b).unwrap();
    }
    assert!(found > cases(400) / 4, "{found}");
}

fn extended(body: &Flat, by: DVec2) -> Vec<DVec2> {
    let corners = body
        .shape
        .vertices()
        .iter()
        .map(|&v| body.pose.transform_point(v));
    let corners: Vec<_> = corners.flat_map(|v| [v, v + by]).collect();
    ConvexPolygon::from_convex_hull(&corners)
        .unwrap()
        .vertices()
        .to_vec()
}

/// Area and centroid of the intersection of two convex polygons.
fn shared_area(a: &[DVec2], b: &[DVec2]) -> Option<(f64, DVec2)> {
    let mut corners = a.to_vec();
    for (i, &from) in b.iter().enumerate() {
        let along = b[(i + 1) % b.len()] - from;
        let height = |x: DVec2| along.perp_dot(x - from);
        let uncut = std::mem::take(&mut corners);
        for (i, &p) in uncut.iter().enumerate() {
            let q = uncut[(i + 1) % uncut.len()];
            let (s, t) = (height(p), height(q));
            if s >= 0.0 {
                corners.push(p);
            }
            if s * t < 0.0 {
                corners.push(p + (q - p) * (s / (s - t)));
            }
        }
    }
    let first = *corners.first()?;
    let (mut double, mut moment) = (0.0, DVec2::ZERO);
    for pair in corners.windows(2) {
        let (u, v) = (pair[0] - first, pair[1] - first);
        double += u.perp_dot(v);
        moment += (u + v) * u.perp_dot(v);
    }
    (double > 1e-12).then(|| (0.5 * double, first + moment / (3.0 * double)))
}

/// A square on a square: shifted and aligned.
#[test]
fn square_on_square() {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from);
    let square = ConvexPolygon::new(corners.to_vec()).unwrap();
    let place =
        |x: f64, y: f64| Placed::new(&square, Pose2::from_translation(DVec2::new(x, y)).unwrap());
    let a = place(0.0, 0.0);
    let mut bed = ElasticBed::new();
    let shifted = bed
        .manifold(&a, &place(0.5, 0.875), DVec2::Y, &mut Default::default())
        .unwrap();
    assert_eq!((shifted.area, shifted.volume), (0.5, 0.0625));
    assert_eq!(shifted.point, DVec2::new(0.25, 0.4375));
    let features: Vec<_> = shifted.points().iter().map(|p| p.feature).collect();
    assert_eq!(
        features,
        [PointFeature::SecondVertex(0), PointFeature::FirstVertex(2)]
    );
    for noise in [0.0, 1e-16, -1e-16, 3e-16] {
        let aligned = bed
            .manifold(&a, &place(noise, 0.875), DVec2::Y, &mut Default::default())
            .unwrap();
        let mut features: Vec<_> = aligned.points().iter().map(|p| p.feature).collect();
        features.sort();
        assert_eq!(
            features,
            [PointFeature::FirstVertex(2), PointFeature::FirstVertex(3)]
        );
    }
}
