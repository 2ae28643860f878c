//! The tools for authors of kernels: workloads, failure rates, given scales, and kernels of other engines.

use osculate::glam::{DVec2, DVec3};
use osculate::testing::properties::{ManyContacts, Violation, distance, kernel, wall};
use osculate::testing::workload::{self, Workload, WorkloadSum};
use osculate::testing::{oracle, strategies};
use osculate::{
    CommonPlane, CommonPlaneContact, Contact, DoubleHierarchy, MeshMesh, NarrowPhase, Sphere,
    SphereSphere,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn overlap(contact: &CommonPlaneContact<DVec3>) -> f64 {
    contact.overlap
}

/// Each workload with its kernel: how many contacts there are.
#[test]
fn kernels_give_the_expected_sums() {
    let spheres = workload::sphere_pairs::<DVec2>(200, 1).unwrap();
    let wall = workload::sphere_wall_pairs(100, 1, 1).unwrap();
    let meshes = workload::mesh_pairs(30, 0.02, 4, 1).unwrap();
    let apart = workload::polyhedron_pairs(8, [0.02, 0.1], 3, 20, 1).unwrap();
    let deep = workload::polyhedron_pairs(8, [-0.05, -0.01], 3, 20, 1).unwrap();
    let boxes = workload::box_pairs(100_000, 1).unwrap();
    let rest = workload::box_pairs(50, 3).unwrap().repeated(7);
    let capsules = workload::capsule_pairs(3000, 1).unwrap();
    let mixed = workload::mixed_pairs(8, 3000, 1).unwrap();
    let planes = &mut CommonPlane::new();
    let wide = &mut CommonPlane::new().with_margin(0.2).unwrap();
    let table = [
        (
            spheres.run(&mut SphereSphere::new(), |c| c.overlap),
            100..180,
        ),
        (
            wall.run(&mut DoubleHierarchy::new(), |c| c.overlap),
            100..400,
        ),
        (meshes.run(&mut MeshMesh::new(), |c| c.volume), 4..5),
        (apart.run(wide, overlap), 60..61),
        (deep.run(wide, overlap), 60..61),
        (boxes.run(planes, overlap), 60_000..75_000),
        (rest.run(planes, overlap), 7 * 25..7 * 45),
        (capsules.run(planes, overlap), 1800..2200),
        (mixed.run(planes, overlap), 700..1500),
    ];
    for (found, expected) in table {
        let found = found.unwrap();
        assert!(expected.contains(&found.contacts), "{found:?} {expected:?}");
    }
    assert_eq!(
        (rest.pair_count(), rest.len(), rest.is_empty()),
        (50, 350, false)
    );
    let gaps = boxes
        .pairs()
        .take(200)
        .map(|(a, b)| oracle::gap_of_polyhedra(a, b));
    for gap in gaps {
        assert!((-0.1..=0.05).contains(&gap), "{gap}");
    }
    let gaps = mixed.pairs().map(|(a, b)| oracle::gap_of_polyhedra(a, b));
    let gaps: Vec<f64> = gaps.collect();
    let count = |from: f64, to: f64| gaps.iter().filter(|&&gap| from < gap && gap < to).count();
    assert!(count(-2.0, -0.3) > 50 && count(0.0, 0.1) > 50 && count(1.0, 2.0) > 50);
}

/// Spheres move over the wall; the contacts change from step to step.
#[test]
fn steps_of_spheres_at_a_wall() {
    let steps = workload::sphere_wall_pairs(30, 100, 2).unwrap();
    assert_eq!((steps.pair_count(), steps.len()), (30, 3000));
    steps
        .run(&mut DoubleHierarchy::new(), |c| c.overlap)
        .unwrap();
    let of_step = |step: usize| steps.pairs().skip(30 * step).take(30).map(|pair| *pair.0);
    for (before, after) in of_step(40).zip(of_step(41)) {
        let travel = before.center.distance(after.center);
        assert_eq!(before.radius, after.radius);
        assert!(travel > 0.0 && travel < 0.05, "{travel}");
    }
    assert!(workload::sphere_wall_pairs(3, 0, 1).is_err());
}

/// The bodies of another library, and its kernel.
#[test]
fn mapped_bodies() {
    type Ball = ([f64; 3], f64);
    let pairs = workload::sphere_pairs::<DVec3>(100, 5).unwrap();
    let tuple = |s: &Sphere| (s.center.to_array(), s.radius);
    let mut own = |a: &Ball, b: &Ball| {
        let [a, b] = [a, b].map(|&(center, radius)| Sphere::new(DVec3::from(center), radius));
        SphereSphere::new().contact(&a, &b)
    };
    let found = pairs
        .map(tuple, tuple)
        .run(&mut own, |c: &Contact| c.overlap);
    let expected = pairs.run(&mut SphereSphere::new(), |c| c.overlap);
    assert_eq!(found.unwrap(), expected.unwrap());
}

/// Wrong results are not timed.
#[test]
fn wrong_kernels_are_refused() {
    let spheres = workload::sphere_pairs::<DVec3>(200, 2).unwrap();
    let mut none = |_: &Sphere<DVec3>, _: &Sphere<DVec3>| None::<Contact<DVec3>>;
    assert!(spheres.run(&mut none, |c| c.overlap).is_err());
    let bigger = |c: &Contact<DVec3>| c.overlap * (1.0 + 1e-9);
    assert!(spheres.run(&mut SphereSphere::new(), bigger).is_err());
    let bodies = || vec![Sphere::new(DVec2::ZERO, 1.0)];
    let new = |pairs, count| {
        let none = WorkloadSum::default();
        Workload::new(bodies(), bodies(), pairs, count, none, 0.0)
    };
    assert!(new(vec![[0, 1]], 1).is_err() && new(vec![[0, 0]], 2).is_err());
    assert!(new(vec![[0, 0]], 0).is_err() && new(vec![[0, 0]; 2], 1).is_ok());
}

/// Two steps of two pairs of your own, with the sum as a kernel adds it up.
#[test]
fn a_workload_of_your_own() {
    let spheres = [0.0, 1.5, 1.75]
        .map(|x| Sphere::new(DVec3::X * x, 1.0))
        .to_vec();
    let mut expected = WorkloadSum::default();
    for (pair, overlap) in [(0, 0.5), (1, 0.25), (0, 0.25), (1, 0.5)] {
        expected.add(pair, overlap);
    }
    let pairs = vec![[0, 1], [0, 2], [0, 2], [0, 1]];
    let own = Workload::new(spheres.clone(), spheres, pairs, 2, expected, 1e-15).unwrap();
    own.run(&mut SphereSphere::new(), |c| c.overlap).unwrap();
}

#[test]
fn rates_count_failures_and_panics() {
    let check = |&x: &f64| match x {
        0.75.. => panic!("large"),
        0.5.. => Err(Violation::new("in the middle".into())),
        _ => Ok(()),
    };
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let rate = strategies::rate(&(0.0..1.0), 4000, check);
    std::panic::set_hook(silent);
    assert_eq!(rate.cases, 4000);
    assert!((1800..2200).contains(&rate.failures), "{}", rate.failures);
    assert!((850..1150).contains(&rate.panics), "{}", rate.panics);
    assert!(rate.worst.is_some());
    let right = strategies::rate(&(0.0..0.5), 100, check);
    assert_eq!((right.cases, right.failures, right.panics), (100, 0, 0));
    assert!(right.worst.is_none());
}

/// The worst case is that with the largest error over its tolerance, the same in each run.
#[test]
fn the_worst_case_is_kept() {
    let measure = || {
        let mut largest = 0.0_f64;
        let rate = strategies::rate(&(0.0..4.0), 1000, |x: &f64| {
            largest = largest.max(*x);
            distance::equals(|a: &f64, b: &f64| a - b, x, &0.0, 0.0, 0.5)
        });
        (rate.worst.unwrap(), largest)
    };
    let ((worst, violation), largest) = measure();
    assert_eq!((worst, violation.excess()), (largest, largest / 0.5));
    assert_eq!(measure().0.0, worst);
    // Without a number there is no bound.
    assert_eq!(Violation::new(String::new()).excess(), f64::INFINITY);
    let nan = distance::equals(|_, _| f64::NAN, &0, &0, 0.0, 1.0);
    assert_eq!(nan.unwrap_err().excess(), f64::INFINITY);
}

/// A kernel with an absolute tolerance is right at a scale of 1.
#[test]
fn strategies_at_a_scale() {
    let mut own = |a: &Sphere, b: &Sphere| {
        SphereSphere::new()
            .contact(a, b)
            .filter(|c| c.overlap > 1e-9)
    };
    let mut check = |([a, b], gap): &([Sphere; 2], f64)| {
        let size = a.center.length() + b.center.length() + a.radius + b.radius;
        kernel::gap_is(&mut own, a, b, *gap, 1e-12 * size)
    };
    let usual = strategies::touching_spheres_at::<DVec3>(1.0..10.0);
    assert_eq!(strategies::rate(&usual, 1000, &mut check).failures, 0);
    let tiny = strategies::touching_spheres_at::<DVec3>(Just(1e-12));
    assert!(strategies::rate(&tiny, 1000, &mut check).failures > 100);
    let mut runner = TestRunner::deterministic();
    for _ in 0..200 {
        let pair = strategies::placed_polyhedra_at(Just(8.0));
        let (bodies, scale) = pair.new_tree(&mut runner).unwrap().current();
        assert_eq!(scale, 8.0);
        for body in bodies {
            assert!(body.pose.translation().length() < 32.0 * scale);
            assert!(
                body.shape
                    .vertices()
                    .iter()
                    .all(|v| v.length() <= 2.0 * scale)
            );
        }
        let sphere = strategies::sphere_and_polyhedron_at(Just(0.25));
        let (sphere, body, gap) = sphere.new_tree(&mut runner).unwrap().current();
        assert!(sphere.radius <= 0.5 && gap.abs() <= 0.5);
        let distance = oracle::distance_to_polyhedron(&body, sphere.center);
        assert!((distance - sphere.radius - gap).abs() < 1e-13, "{distance}");
    }
}

/// Bodies that only touch have no contact.
#[test]
fn an_overlap_of_zero_is_no_contact() {
    let [a, b] = [0.0, 2.0].map(|x| Sphere::new(DVec3::X * x, 1.0));
    let touching = Contact {
        point: DVec3::X,
        normal: DVec3::X,
        overlap: 0.0,
    };
    let mut inclusive = |_: &Sphere, _: &Sphere| Some(touching);
    let violation = kernel::gap_is(&mut inclusive, &a, &b, 0.0, 1e-12).unwrap_err();
    let message = "kernel::gap_is: overlap (a length) is not above 0, which is no contact: Contact";
    assert!(violation.to_string().starts_with(message), "{violation}");
    let margin = f64::MIN_POSITIVE;
    kernel::gap_is_within(&mut inclusive, &a, &b, 0.0, margin, 1e-12).unwrap();
    kernel::gap_is(&mut SphereSphere::new(), &a, &b, 0.0, 0.0).unwrap();
}

/// Changes a contact, by the radius of its sphere.
type Change = fn(f64, &mut Contact);

/// A sphere over a plane, with the nearest contact and one beside it, right or changed. The points may be on the
/// plane, in the middle, or on the surface of the sphere.
#[test]
fn a_contact_for_each_facet() {
    let (sphere, height) = (Sphere::new(DVec3::Z * 0.25, 0.5), |x: DVec3| x.z);
    let check = |change: Change| {
        let own = &mut ManyContacts(|sphere: &Sphere, (): &()| {
            [0.0, 0.125].map(|x| {
                let offset = DVec3::new(x, 0.0, -sphere.center.z);
                let mut contact = Contact {
                    point: sphere.center + offset,
                    normal: offset.normalize(),
                    overlap: sphere.radius - offset.length(),
                };
                change(sphere.radius, &mut contact);
                contact
            })
        });
        wall::contact_for_each_facet(own, &sphere, &(), height, 1e-12)
    };
    let right: [Change; 3] = [
        |_, _| (),
        |_, c| c.point += c.normal * (0.5 * c.overlap),
        |_, c| c.point += c.normal * c.overlap,
    ];
    for change in right {
        check(change).unwrap();
    }
    let mistakes: [Change; 5] = [
        |_, c| c.overlap *= 0.5,
        |_, c| c.normal = -c.normal,
        |_, c| c.point -= c.normal * 0.01,
        |_, c| c.point += DVec3::X * 0.01,
        |radius, c| c.overlap = c.overlap.max(radius * 0.9),
    ];
    for mistake in mistakes {
        let violation = check(mistake).unwrap_err();
        let name = "wall::contact_for_each_facet";
        assert!(violation.to_string().starts_with(name), "{violation}");
    }
    // No contact although the sphere touches.
    let none = &mut ManyContacts(|_: &Sphere, (): &()| Vec::<Contact>::new());
    assert!(wall::contact_for_each_facet(none, &sphere, &(), height, 1e-12).is_err());
}

#[test]
fn radii_are_quantiles() {
    for (exponent, omega) in [(0.0, 3.0), (-1.0, 50.0), (-2.0, 7.0), (-3.0, 1e4)] {
        let radii = workload::power_law_radii(1000, exponent, omega);
        let p: f64 = 1.0 + exponent;
        for (i, r) in radii.iter().enumerate() {
            let below = if p == 0.0 {
                r.ln() / omega.ln()
            } else {
                (r.powf(p) - 1.0) / (omega.powf(p) - 1.0)
            };
            assert!((below - (i as f64 + 0.5) / 1000.0).abs() < 1e-12);
        }
    }
    // Continuous at the special case; ends hold.
    for (a, b) in workload::power_law_radii(99, -1.0, 50.0)
        .into_iter()
        .zip(workload::power_law_radii(99, -1.0 + 1e-9, 50.0))
    {
        assert!((a / b - 1.0).abs() < 1e-8);
    }
    assert_eq!(workload::power_law_radii(3, -3.0, 1.0), [1.0; 3]);
    assert!(workload::power_law_radii(0, -3.0, 2.0).is_empty());
}

/// Asserts that spheres fill a part of a cube that they reach the ends of.
fn assert_filled(spheres: &[Sphere], part: f64) {
    let volume: f64 = spheres.iter().map(|s| s.radius.powi(3) * 4.18879).sum();
    let most = spheres
        .iter()
        .map(|s| s.center)
        .fold(DVec3::ZERO, DVec3::max);
    let most = most / (volume / part).cbrt();
    assert!(
        most.to_array().iter().all(|x| (0.98..=1.00001).contains(x)),
        "{most}"
    );
}

#[test]
fn spheres_fill_their_part() {
    assert_filled(&workload::random_spheres(1000, 0.3, 4.0, 7), 0.3);
    let discs: Vec<Sphere<DVec2>> = workload::power_law_spheres(1000, 0.25, -2.0, 10.0, 3);
    let spheres: Vec<Sphere<DVec3>> = workload::power_law_spheres(1000, 0.25, -2.0, 10.0, 3);
    assert_filled(&spheres, 0.25);
    let mut radii: Vec<f64> = spheres.iter().map(|s| s.radius).collect();
    assert!(radii.iter().zip(&discs).all(|(r, d)| *r == d.radius));
    assert!(!radii.is_sorted());
    radii.sort_by(f64::total_cmp);
    assert_eq!(radii, workload::power_law_radii(1000, -2.0, 10.0));
}

#[test]
fn solids_are_what_they_say() {
    let row = [[0, 0, 0], [1, 0, 0], [1, 1, 0]];
    for (solid, count, volume) in [
        (workload::sphere(2, 1.0), 320, 4.047),
        (workload::rock(625, 0.5, 1), 1246, 2.6),
        (workload::torus(1.0, 0.3, 50, 20), 2000, 1.745),
        (workload::bolt(24, 41), 1968, 3.4),
        (workload::cubes(&row, 1.0), 28, 3.0),
    ] {
        let solid = solid.unwrap();
        assert_eq!(solid.surface().facet_count(), count);
        let error = solid.volume() / volume - 1.0;
        assert!(error.abs() < 0.2, "{count}: {}", solid.volume());
    }
    assert!(workload::cubes(&[[0, 0, 0], [1, 1, 0]], 1.0).is_err());
}
