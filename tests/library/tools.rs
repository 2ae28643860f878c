//! The tools for authors of kernels: workloads, failure rates, given scales, and kernels of other engines.

use osculate::glam::{DVec2, DVec3};
use osculate::math::closest_on_triangle;
use osculate::testing::properties::{ManyContacts, Violation, kernel, wall};
use osculate::testing::workload::{self, Workload, WorkloadSum};
use osculate::testing::{oracle, strategies};
use osculate::{
    CommonPlane, CommonPlaneContact, Contact, DoubleHierarchy, MeshMesh, NarrowPhase, Sphere,
    SphereSphere, SurfaceMesh, Wall,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

#[test]
fn kernels_give_the_expected_sums() {
    let spheres = workload::sphere_pairs::<DVec2>(200, 1).unwrap();
    let found = spheres
        .run(&mut SphereSphere::new(), |c| c.overlap)
        .unwrap();
    assert!((100..180).contains(&found.contacts));
    let wall = workload::sphere_wall_pairs(100, 1, 1).unwrap();
    let kernel = &mut DoubleHierarchy::new();
    let found = wall.run(kernel, |c| c.overlap).unwrap();
    assert!((100..400).contains(&found.contacts), "{found:?}");
    for gaps in [[0.02, 0.1], [-0.05, -0.01]] {
        let sequence = workload::polyhedron_pairs(8, gaps, 3, 20, 1).unwrap();
        let mut kernel = CommonPlane::new().with_margin(0.2).unwrap();
        let overlap = |c: &CommonPlaneContact<DVec3>| c.overlap;
        let found = sequence.run(&mut kernel, overlap).unwrap();
        assert_eq!(found.contacts, 60);
        assert!(sequence.pairs().len() == 60 && !sequence.is_empty());
    }
    let meshes = workload::mesh_pairs(30, 0.02, 4, 1).unwrap();
    let found = meshes.run(&mut MeshMesh::new(), |c| c.volume).unwrap();
    assert_eq!(found.contacts, 4);
}

/// Boxes, mixed pairs, many of them.
#[test]
fn cold_pairs_of_polyhedra() {
    let overlap = |c: &CommonPlaneContact<DVec3>| c.overlap;
    let boxes = workload::box_pairs(100_000, 1).unwrap();
    let found = boxes.run(&mut CommonPlane::new(), overlap).unwrap();
    assert!((60_000..75_000).contains(&found.contacts), "{found:?}");
    for (a, b) in boxes.pairs().take(200) {
        let gap = oracle::gap_of_polyhedra(a, b);
        assert!((-0.1..=0.05).contains(&(gap.abs() * gap.signum())), "{gap}");
    }
    let capsules = workload::capsule_pairs(3000, 1).unwrap();
    let found = capsules.run(&mut CommonPlane::new(), overlap).unwrap();
    assert!((1800..2200).contains(&found.contacts), "{found:?}");
    let mixed = workload::mixed_pairs(8, 3000, 1).unwrap();
    let found = mixed.run(&mut CommonPlane::new(), overlap).unwrap();
    assert!((700..1500).contains(&found.contacts), "{found:?}");
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
        assert!(
            before.radius == after.radius && travel > 0.0 && travel < 0.05,
            "{travel}"
        );
    }
    assert!(workload::sphere_wall_pairs(3, 0, 1).is_err());
}

#[test]
fn bodies_at_rest() {
    let once = workload::box_pairs(50, 3).unwrap();
    let rest = once.clone().repeated(7);
    assert_eq!((rest.pair_count(), rest.len()), (50, 350));
    let overlap = |c: &CommonPlaneContact<DVec3>| c.overlap;
    let found = rest.run(&mut CommonPlane::new(), overlap).unwrap();
    assert_eq!(found.contacts, 7 * once.expected_sum().contacts);
}

/// The bodies of another library, and its kernel.
#[test]
fn mapped_bodies() {
    let pairs = workload::sphere_pairs::<DVec3>(100, 5).unwrap();
    let tuple = |s: &Sphere| (s.center.to_array(), s.radius);
    let tuples = pairs.map(tuple, tuple);
    type Ball = ([f64; 3], f64);
    let mut own = |a: &Ball, b: &Ball| {
        let [a, b] = [a, b].map(|&(center, radius)| Sphere::new(DVec3::from(center), radius));
        SphereSphere::new().contact(&a, &b)
    };
    let found = tuples.run(&mut own, |c: &Contact| c.overlap).unwrap();
    assert_eq!(
        found,
        pairs.run(&mut SphereSphere::new(), |c| c.overlap).unwrap()
    );
    assert_eq!(tuples.indices(), pairs.indices());
    assert_eq!(tuples.tolerance(), pairs.tolerance());
    assert_eq!(tuples.expected_sum(), pairs.expected_sum());
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
        let is_right = |a: &f64, b: &f64| {
            osculate::testing::properties::distance::equals(
                |a: &f64, b: &f64| a - b,
                a,
                b,
                0.0,
                0.5,
            )
        };
        let rate = strategies::rate(&(0.0..4.0), 1000, |x| {
            largest = largest.max(*x);
            is_right(x, &0.0)
        });
        (rate.worst.unwrap(), largest)
    };
    let ((worst, violation), largest) = measure();
    assert_eq!(worst, largest);
    assert_eq!(violation.excess(), largest / 0.5);
    assert_eq!(measure().0.0, worst);
    // Without a number there is no bound.
    assert_eq!(Violation::new(String::new()).excess(), f64::INFINITY);
    let nan = osculate::testing::properties::distance::equals(|_, _| f64::NAN, &0, &0, 0.0, 1.0);
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
        let [near, far] = [2.0, 32.0].map(|x| x * scale);
        assert!(
            bodies
                .iter()
                .all(|body| body.pose.translation().length() < far)
        );
        assert!(
            bodies
                .iter()
                .all(|b| b.shape.vertices().iter().all(|v| v.length() <= near))
        );
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

/// Returns the contact of a sphere with each triangle of a wall, changed by a function.
fn each_triangle(
    change: fn(&Sphere, Contact) -> Contact,
) -> impl FnMut(&Sphere, &Wall) -> Vec<Contact> {
    move |sphere, wall| {
        let facets = wall.mesh().facets();
        let contacts = facets.filter_map(|facet| {
            let corners: Vec<DVec3> = facet.corners().collect();
            let closest = closest_on_triangle(sphere.center, [corners[0], corners[1], corners[2]]);
            let distance = closest.distance_squared.sqrt();
            (distance < sphere.radius).then(|| Contact {
                point: sphere.center + closest.offset,
                normal: closest.offset / distance,
                overlap: sphere.radius - distance,
            })
        });
        contacts.map(|contact| change(sphere, contact)).collect()
    }
}

/// Returns the contact with its point moved.
fn moved(contact: Contact, by: DVec3) -> Contact {
    Contact {
        point: contact.point + by,
        ..contact
    }
}

#[test]
fn a_contact_for_each_triangle() {
    let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let [a, b, c, d] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
    let wall = Wall::new(SurfaceMesh::from_triangles(&[[a, b, c], [a, c, d]]).unwrap());
    let distance = |x: DVec3| x.distance(x.clamp(a, c));
    let check = |center: DVec3, change: fn(&Sphere, Contact) -> Contact| {
        let own = &mut ManyContacts(each_triangle(change));
        let sphere = Sphere::new(center, 0.5);
        wall::contact_for_each_facet(own, &sphere, &wall, distance, 1e-12)
    };
    for center in [at(0.0, 0.0), at(0.25, -0.125), at(1.25, 0.5), at(4.0, 0.0)] {
        // On the facet, in the middle, and on the surface of the sphere.
        let points: [fn(&Sphere, Contact) -> Contact; 3] = [
            |_, c| c,
            |_, c| moved(c, c.normal * (0.5 * c.overlap)),
            |_, c| moved(c, c.normal * c.overlap),
        ];
        for change in points {
            check(center + DVec3::Z * 0.25, change).unwrap();
        }
    }
    let mistakes: [fn(&Sphere, Contact) -> Contact; 5] = [
        |_, c| Contact {
            overlap: 0.5 * c.overlap,
            ..c
        },
        |_, c| Contact {
            normal: -c.normal,
            ..c
        },
        |_, c| moved(c, c.normal * -0.01),
        |_, c| moved(c, DVec3::X * 0.01),
        |s, c| Contact {
            overlap: c.overlap.max(s.radius * 0.9),
            ..c
        },
    ];
    for mistake in mistakes {
        let violation = check(DVec3::new(0.25, -0.125, 0.25), mistake).unwrap_err();
        let name = "wall::contact_for_each_facet";
        assert!(violation.to_string().starts_with(name), "{violation}");
    }
    // No contact although the sphere touches.
    let none = &mut ManyContacts(|_: &Sphere, _: &Wall| Vec::<Contact>::new());
    let sphere = Sphere::new(DVec3::Z * 0.25, 0.5);
    assert!(wall::contact_for_each_facet(none, &sphere, &wall, distance, 1e-12).is_err());
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

#[test]
fn spheres_fill_their_part() {
    let discs: Vec<Sphere<DVec2>> = workload::power_law_spheres(1000, 0.25, -2.0, 10.0, 3);
    let spheres: Vec<Sphere<DVec3>> = workload::power_law_spheres(1000, 0.25, -2.0, 10.0, 3);
    let mut radii: Vec<f64> = spheres.iter().map(|s| s.radius).collect();
    assert!(radii.iter().zip(&discs).all(|(r, d)| *r == d.radius));
    let volume: f64 = radii.iter().map(|r| r.powi(3) * 4.18879).sum();
    let side = (volume / 0.25).cbrt();
    let most = |axis: usize| {
        let along = spheres.iter().map(|s| s.center[axis]);
        along.fold(0.0, f64::max) / side
    };
    assert!((0..3).all(|axis| (0.98..=1.00001).contains(&most(axis))));
    assert!(!radii.is_sorted());
    radii.sort_by(f64::total_cmp);
    assert_eq!(radii, workload::power_law_radii(1000, -2.0, 10.0));
}

#[test]
fn solids_are_what_they_say() {
    for (solid, count, volume) in [
        (workload::sphere(2, 1.0), 320, 4.047),
        (workload::rock(625, 0.5, 1), 1246, 2.6),
        (workload::torus(1.0, 0.3, 50, 20), 2000, 1.745),
        (workload::bolt(24, 41), 1968, 3.4),
        (
            workload::cubes(&[[0, 0, 0], [1, 0, 0], [1, 1, 0]], 1.0),
            28,
            3.0,
        ),
    ] {
        let solid = solid.unwrap();
        assert_eq!(solid.surface().facet_count(), count);
        let error = solid.volume() / volume - 1.0;
        assert!(error.abs() < 0.2, "{count}: {}", solid.volume());
    }
    assert!(workload::cubes(&[[0, 0, 0], [1, 1, 0]], 1.0).is_err());
}
