//! Mistakes that the test tools once accepted, and inputs that they refused or did not return from.

use crate::support::convex::{corner, cube_times};
use crate::support::solids::bent;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use osculate::glam::{DVec2, DVec3};
use osculate::reference::{CundallPlane, cundall_common_plane};
use osculate::testing::oracle;
use osculate::testing::properties::{ManyContacts, MapContact, Violation, kernel, volume, wall};
use osculate::testing::workload::{self, rewritten};
use osculate::{
    CommonPlane, Contact, ContactVolume, ConvexPolyhedron, DoubleHierarchy, MeshMesh, NarrowPhase,
    Placed, Pose2, Pose3, Sphere, SphereSphere, SurfaceMesh, Wall, WallContact,
    narrow::FacetSubset,
};

/// Runs a function on another thread, and fails if it does not return.
fn returned<T: Send + 'static>(what: String, f: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(f()));
    let result = receiver.recv_timeout(Duration::from_secs(20));
    result.unwrap_or_else(|_| panic!("no result: {what}"))
}

/// The angle became 0, which is not below 0, and half of infinity is infinity.
#[test]
fn search_for_a_common_plane_ends() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let search = |start: DVec3, angles: [f64; 2]| -> CundallPlane {
        returned(format!("{start} {angles:?}"), move || {
            let cube: Vec<DVec3> = (0..8).map(|i| corner(i) * 2.0 - DVec3::ONE).collect();
            let relative = Pose3::from_translation(DVec3::Z * 3.0).unwrap();
            cundall_common_plane(&cube, &cube, &relative, start, angles, INF)
        })
    };
    let tilted = DVec3::new(0.4, 0.2, 1.0);
    for start in [tilted, tilted * 1e-200, tilted * 1e200, -DVec3::Z] {
        for first in [0.1, 1e300, INF] {
            for last in [1e-5, f64::from_bits(1), 0.0, -1.0, -INF] {
                let plane = search(start, [first, last]);
                let what = format!("{start} {first} {last} {plane:?}");
                assert!((plane.normal.length() - 1.0).abs() < 1e-14, "{what}");
                assert!(plane.gap.is_finite() && plane.tried > 1, "{what}");
            }
        }
        // Only the first plane.
        for angles in [[NAN, 0.0], [0.1, NAN], [0.1, INF], [0.0, 0.0]] {
            assert_eq!(search(start, angles).tried, 1, "{start} {angles:?}");
        }
    }
    for start in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY] {
        assert_eq!(search(start, [0.1, 1.0]).normal, DVec3::X, "{start}");
    }
    let flat = returned("in the plane".into(), || {
        let square = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)].map(DVec2::from);
        let relative = Pose2::from_translation(DVec2::Y * 3.0).unwrap();
        cundall_common_plane(&square, &square, &relative, DVec2::ONE, [INF, 0.0], INF)
    });
    assert!((flat.gap - 1.0).abs() < 1e-3, "{flat:?}");
}

#[test]
fn few_spheres_at_cell_faces() {
    use osculate::testing::strategies::spheres_at_cell_faces;
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::default();
    for most in 0..4 {
        for _ in 0..20 {
            let spheres = spheres_at_cell_faces::<DVec3>(most).new_tree(&mut runner);
            let count = spheres.unwrap().current().len();
            assert!(count <= most && count >= most.min(2), "{count} of {most}");
        }
    }
}

const NOT_FINITE: [f64; 4] = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// A change of a contact with a value.
type Change<C> = fn(&mut C, f64);

/// Asserts that all properties hold for correct contacts, and none for contacts with a number that is not finite.
fn assert_finite<C, const N: usize>(
    results: impl Fn(&dyn Fn(&mut C)) -> [Result<(), Violation>; N],
    changes: &[(&str, Change<C>)],
) {
    for (i, result) in results(&|_| ()).into_iter().enumerate() {
        assert!(result.is_ok(), "property {i}: {result:?}");
    }
    for bad in NOT_FINITE {
        for (name, change) in changes {
            let all = results(&|contact| change(contact, bad));
            let missed = all.iter().position(Result::is_ok);
            assert_eq!(missed, None, "property with {name} {bad}");
        }
    }
}

#[test]
fn contacts_must_be_finite() {
    let changes: [(&str, Change<Contact>); 3] = [
        ("point", |c, x| c.point.y = x),
        ("normal", |c, x| c.normal.x = x),
        ("overlap", |c, x| c.overlap = x),
    ];
    for is_beside in [false, true] {
        assert_finite(|change| properties_of_contacts(change, is_beside), &changes);
    }
}

/// The properties of a kernel whose contacts are changed, alone or beside the correct ones.
fn properties_of_contacts(
    change: &dyn Fn(&mut Contact),
    is_beside: bool,
) -> [Result<(), Violation>; 15] {
    let changed = |contact: Option<Contact>| {
        let correct: Vec<Contact> = contact.into_iter().collect();
        let mut contacts = correct.clone();
        contacts.iter_mut().for_each(change);
        if is_beside && contacts != correct {
            return [correct, contacts].concat();
        }
        contacts
    };
    let [a, b] = [0.0, 1.5].map(|x| Sphere::new(DVec3::X * x, 1.0));
    let moved = |by: DVec3| Sphere::new(b.center + by, 1.0);
    let after = moved(DVec3::X * 0.01);
    let own =
        &mut ManyContacts(|a: &Sphere, b: &Sphere| changed(SphereSphere::new().contact(a, b)));
    let gap = |a: &Sphere, b: &Sphere| a.center.distance(b.center) - a.radius - b.radius;
    let along = |_: &Sphere, _: &Sphere, _: DVec3| -0.5;
    let witnesses = |c: &Contact| [0.5, -0.5].map(|s| c.point + c.normal * (s * c.overlap));
    let from = |s: &Sphere, x: DVec3| s.center.distance(x) - s.radius;
    let posed = |pose: &Pose3| {
        [a, b]
            .map(|s| Sphere::new(pose.transform_point(s.center), s.radius))
            .into()
    };
    let scaled = |by: f64| {
        [a, b]
            .map(|s| Sphere::new(s.center * by, s.radius * by))
            .into()
    };
    let pose = Pose3::from_translation(DVec3::ONE).unwrap();
    // A sphere on a floor.
    let floor = [[-8, -8, 0], [8, -8, 0], [0, 8, 0]];
    let vertices = floor.map(|v| oracle::to_vector(v, 1.0)).to_vec();
    let mesh = SurfaceMesh::new(vertices, [[0, 1, 2]]).unwrap();
    let wall = Wall::new(mesh.clone());
    let ball = Sphere::new(DVec3::Z, 1.5);
    let on_floor = |contact: Option<WallContact>| changed(contact.map(Contact::from));
    let on_wall = &mut ManyContacts(|s: &Sphere, near: &FacetSubset| {
        on_floor(DoubleHierarchy::new().contact(s, near))
    });
    let whole = &mut ManyContacts(|s: &Sphere, wall: &Wall| {
        on_floor(DoubleHierarchy::new().contact(s, wall))
    });
    type Block<'a> = Placed<&'a ConvexPolyhedron, DVec3>;
    let cubes = [cube_times(DVec3::splat(2.0)), cube_times(DVec3::splat(2.0))];
    let place =
        |i: usize, x: f64| Placed::new(&cubes[i], Pose3::from_translation(DVec3::X * x).unwrap());
    let blocks = &mut ManyContacts(|a: &Block, b: &Block| {
        changed(CommonPlane::new().contact(a, b).map(Contact::from))
    });
    [
        kernel::gap_is(own, &a, &b, -0.5, 1e-15),
        kernel::gap_is_within(own, &a, &b, -0.5, 0.1, 1e-15),
        kernel::overlap_separates(own, &a, moved, gap, 1e-14),
        kernel::supports_give_overlap(own, &a, &b, along, |_| 1e-14),
        kernel::witness_points_match(own, &a, &b, witnesses, from, from, 1e-14),
        kernel::overlap_follows_motion(own, (&a, &b), (&a, &after), 0.01, 1e-14),
        kernel::swap_negates(own, &a, &b),
        kernel::swap_negates_within(own, &a, &b, 1e-14, 1e-7),
        kernel::moves_rigidly(own, posed, &pose, 4.0),
        kernel::accurate_at_any_scale(own, scaled, 4.0),
        kernel::scales_exactly(own, scaled, 3),
        kernel::independent_of_labels(blocks, &place(0, 0.0), &place(1, 1.5), 1, 1e-14),
        wall::overlap_follows_center(whole, &ball, DVec3::Z * 0.1, &wall),
        wall::independent_of_refinement(on_wall, &ball, &mesh, 16.0, 1),
        wall::finds_local_minima(on_wall, ([0, 0, 1], 1.5), &floor, &[[0, 1, 2]], 1.0),
    ]
}

#[test]
fn volumes_must_be_finite() {
    let stone = workload::rock(12, 0.5, 3).unwrap();
    let motion = Pose3::from_translation(DVec3::ONE).unwrap();
    let changes: [(&str, Change<ContactVolume<DVec3>>); 4] = [
        ("volume", |c, x| c.volume = x),
        ("area vector", |c, x| c.area_vector.x = x),
        ("moment vector", |c, x| c.moment_vector.y = x),
        ("point", |c, x| c.point.z = x),
    ];
    let results = |change: &dyn Fn(&mut ContactVolume<DVec3>)| {
        let own = &mut MapContact(MeshMesh::new(), |mut found: ContactVolume<DVec3>| {
            change(&mut found);
            found
        });
        let pair = |by: f64, motions: [&Pose3; 2]| {
            let scaled = bent(&stone, |v| v * by);
            let there = Pose3::from_translation(DVec3::new(1.0, 0.3, 0.2) * by).unwrap();
            let placed = |motion: &Pose3, pose| Placed::new(scaled.clone(), *motion * pose);
            (
                placed(motions[0], Pose3::IDENTITY),
                placed(motions[1], there),
            )
        };
        let posed = |motions: [&Pose3; 2]| pair(1.0, motions);
        let scaled = |by: f64| pair(by, [&Pose3::IDENTITY; 2]);
        let (a, b) = posed([&Pose3::IDENTITY; 2]);
        let whole = MeshMesh::new().contact(&a, &b).map_or(0.0, |c| c.volume);
        [
            volume::equals(own, &a, &b, whole, 1e-14),
            volume::adds_up(own, &a, &b, std::slice::from_ref(&b), 3.0),
            volume::gradient_matches(own, posed, [3.0, 1e-4], 1e-6),
            volume::swap_negates(own, &a, &b),
            volume::moves_rigidly(own, |by: &Pose3| posed([by, by]), &motion, 4.0),
            volume::scales_exactly(own, scaled, 3),
            volume::accurate_at_any_scale(own, scaled, 3.0),
        ]
    };
    assert_finite(results, &changes);
}

/// A floor with facets that welding has collapsed to segments, to a point, and to a smaller facet.
fn welded() -> SurfaceMesh {
    let near = 2.0_f64.powi(-10);
    let points = [
        [-4.0, -4.0, 0.0],
        [4.0, -4.0, 0.0],
        [4.0, 4.0, 0.0],
        [-4.0, 4.0, 0.0],
        // Near the first and the second, on the floor.
        [-4.0, -4.0 + near, 0.0],
        [4.0, -4.0 + near, 0.0],
        // Above the floor, for facets that are alone: a segment and a point.
        [0.0, 0.0, 2.0],
        [1.0, 0.0, 2.0],
        [near, 0.0, 2.0],
        [2.0, 2.0, 1.0],
        [2.0 + near, 2.0, 1.0],
        [2.0, 2.0 + near, 1.0],
    ];
    let facets: [&[u32]; 6] = [
        &[0, 1, 2],
        &[0, 2, 3, 4],
        &[0, 4, 1],
        &[0, 1, 5, 4],
        &[6, 8, 7],
        &[9, 10, 11],
    ];
    let mesh = SurfaceMesh::welded(&points.map(DVec3::from), facets, 2.0 * near).unwrap();
    let repeats = |ids: &[u32]| ids.iter().enumerate().any(|(i, id)| ids[..i].contains(id));
    assert_eq!(mesh.facets().filter(|f| repeats(f.vertices())).count(), 5);
    mesh
}

#[test]
fn welded_walls_are_rewritten() {
    let mesh = welded();
    for seed in 0..40 {
        let other = rewritten(&mesh, seed).unwrap();
        assert!(other.facet_count() >= mesh.facet_count());
        assert_eq!(other.precision(), mesh.precision());
        let corners: Vec<_> = other.facets().flat_map(|f| f.corners()).collect();
        let mut own = mesh.facets().flat_map(|f| f.corners());
        assert!(own.all(|corner| corners.contains(&corner)));
        for (center, radius) in [
            ([0.5, 0.5, 0.75], 1.0),
            ([0.5, 0.25, 2.5], 1.0),
            ([2.25, 2.0, 1.5], 1.0),
            ([0.0, -4.25, 0.5], 1.0),
            ([-4.0, -4.5, 0.5], 1.0),
            ([0.5, 0.5, 1.0], 4.0),
        ] {
            let sphere = Sphere::new(DVec3::from(center), radius);
            let place = |c: WallContact| (c.offset, c.overlap);
            let own = &mut MapContact(DoubleHierarchy::new(), place);
            wall::independent_of_facets(own, &sphere, &mesh, seed).unwrap();
            let own = &mut DoubleHierarchy::new();
            wall::independent_of_refinement(own, &sphere, &mesh, 8.0, seed).unwrap();
        }
    }
    // A mistake is still found: facets by their number.
    let own = &mut ManyContacts(|_: &Sphere, near: &FacetSubset| {
        let mut count = 0;
        near.for_each_facet(|_| count += 1);
        count..count + 1
    });
    let sphere = Sphere::new(DVec3::Z, 2.0);
    assert!(wall::independent_of_facets(own, &sphere, &mesh, 1).is_err());
}
