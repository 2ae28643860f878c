//! Contact manifolds of elastic beds: volumes and moments against an oracle, values known by hand, names,
//! continuity and reduction. OSCULATE_CASES sets the number of random pairs.

use crate::support::cases;
use crate::support::convex::{Body, cube_times, random, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ElasticBedState, PointFeature};
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, ContactManifold, ConvexConvex, ConvexPolyhedron, ElasticBed, NarrowPhase, Placed,
    Pose3,
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
    assert!(ElasticBed::new().with_max_points(0).is_err());
    assert!(ElasticBed::new().with_max_points(9).is_err());
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
    assert!(ElasticBed::new().with_margin(f64::NAN).is_err());
}
