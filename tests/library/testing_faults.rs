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
    Contact, ContactVolume, ConvexPolyhedron, DoubleHierarchy, MeshMesh, NarrowPhase, Placed,
    Pose2, Pose3, Sphere, SphereSphere, SurfaceMesh, WallContact,
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
        let square = [
            DVec2::ONE,
            -DVec2::ONE,
            DVec2::new(1.0, -1.0),
            DVec2::new(-1.0, 1.0),
        ];
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

/// Asserts that properties hold, or that all of them are violated.
fn assert_all(what: &str, are_violated: bool, results: &[Result<(), Violation>]) {
    for (i, result) in results.iter().enumerate() {
        assert_eq!(
            result.is_err(),
            are_violated,
            "property {i}, {what}: {result:?}"
        );
    }
}

/// A change of a contact with a value.
type Change<C> = fn(&mut C, f64);

const CONTACT: [(&str, Change<Contact>); 3] = [
    ("point", |c, x| c.point.y = x),
    ("normal", |c, x| c.normal.x = x),
    ("overlap", |c, x| c.overlap = x),
];

/// The properties of contacts, with a kernel whose contacts are changed, alone or beside correct ones.
#[test]
fn contacts_must_be_finite() {
    let results = |change: &dyn Fn(&mut Vec<Contact>)| {
        let changed = |contact: Option<Contact>| {
            let mut contacts: Vec<Contact> = contact.into_iter().collect();
            change(&mut contacts);
            contacts
        };
        let [a, b] = [0.0, 1.5].map(|x| Sphere::new(DVec3::X * x, 1.0));
        let after = Sphere::new(DVec3::X * 1.51, 1.0);
        let own =
            &mut ManyContacts(|a: &Sphere, b: &Sphere| changed(SphereSphere::new().contact(a, b)));
        let gap = |a: &Sphere, b: &Sphere| a.center.distance(b.center) - a.radius - b.radius;
        let moved = |by: DVec3| Sphere::new(b.center + by, 1.0);
        let along = |_: &Sphere, _: &Sphere, _: DVec3| -0.5;
        let witnesses = |c: &Contact| [0.5, -0.5].map(|s| c.point + c.normal * (s * c.overlap));
        let from = |s: &Sphere, x: DVec3| s.center.distance(x) - s.radius;
        let posed = |pose: &Pose3| {
            let moved = |s: Sphere| Sphere::new(pose.transform_point(s.center), s.radius);
            (moved(a), moved(b))
        };
        let scaled = |by: f64| {
            let scaled = |s: Sphere| Sphere::new(s.center * by, s.radius * by);
            (scaled(a), scaled(b))
        };
        let pose = Pose3::from_translation(DVec3::ONE).unwrap();
        // A sphere on a floor.
        let floor = [[-8, -8, 0], [8, -8, 0], [0, 8, 0]];
        let vertices = floor.map(|v| oracle::to_vector(v, 1.0)).to_vec();
        let mesh = SurfaceMesh::new(vertices, [[0, 1, 2]]).unwrap();
        let ball = Sphere::new(DVec3::Z, 1.5);
        let on_floor = |s: &Sphere| {
            changed(Some(Contact {
                point: s.center - DVec3::Z * s.center.z,
                normal: -DVec3::Z,
                overlap: s.radius - s.center.z,
            }))
        };
        let on_wall =
            &mut ManyContacts(|s: &Sphere, _: &osculate::narrow::FacetSubset| on_floor(s));
        let whole = &mut ManyContacts(|s: &Sphere, (): &()| on_floor(s));
        let cubes = [cube_times(DVec3::splat(2.0)), cube_times(DVec3::splat(2.0))];
        let place = |i: usize, x: f64| {
            Placed::new(&cubes[i], Pose3::from_translation(DVec3::X * x).unwrap())
        };
        let blocks = &mut ManyContacts(
            |_: &Placed<&ConvexPolyhedron>, b: &Placed<&ConvexPolyhedron>| {
                let overlap = 2.0 - b.pose.translation().x;
                let point = DVec3::X * (1.0 - 0.5 * overlap);
                changed(Some(Contact {
                    point,
                    normal: DVec3::X,
                    overlap,
                }))
            },
        );
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
            wall::overlap_follows_center(whole, &ball, DVec3::Z * 0.1, &()),
            wall::independent_of_refinement(on_wall, &ball, &mesh, 16.0, 1),
            wall::finds_local_minima(on_wall, ([0, 0, 1], 1.5), &floor, &[[0, 1, 2]], 1.0),
        ]
    };
    assert_all("no change", false, &results(&|_| ()));
    for bad in NOT_FINITE {
        for (name, change) in CONTACT {
            let what = format!("{name} {bad}");
            assert_all(
                &what,
                true,
                &results(&|all| all.iter_mut().for_each(|c| change(c, bad))),
            );
            let added = |all: &mut Vec<Contact>| {
                let mut more = all.clone();
                more.iter_mut().for_each(|c| change(c, bad));
                all.extend(more);
            };
            assert_all(&format!("{what}, one more"), true, &results(&added));
        }
    }
}

#[test]
fn volumes_must_be_finite() {
    let results = |change: &dyn Fn(&mut ContactVolume<DVec3>)| {
        let rock = workload::rock(12, 0.5, 3).unwrap();
        let stone = |by: f64| bent(&rock, |v| v * by);
        let place = |by: f64| {
            let pose = Pose3::from_translation(DVec3::new(1.0, 0.3, 0.2) * by).unwrap();
            (
                Placed::new(stone(by), Pose3::IDENTITY),
                Placed::new(stone(by), pose),
            )
        };
        let own = &mut MapContact(MeshMesh::new(), |mut found: ContactVolume<DVec3>| {
            change(&mut found);
            found
        });
        let (a, b) = place(1.0);
        let whole = MeshMesh::new().contact(&a, &b).map_or(0.0, |c| c.volume);
        let posed = |by: [&Pose3; 2]| {
            let [a, b] = [(&a, by[0]), (&b, by[1])]
                .map(|(body, by)| Placed::new(body.shape.clone(), *by * body.pose));
            (a, b)
        };
        let moved = |by: &Pose3| posed([by, by]);
        let motion = Pose3::from_translation(DVec3::ONE).unwrap();
        let parts = [Placed::new(b.shape.clone(), b.pose)];
        [
            volume::equals(own, &a, &b, whole, 1e-14),
            volume::adds_up(own, &a, &b, &parts, 3.0),
            volume::gradient_matches(own, posed, [3.0, 1e-4], 1e-6),
            volume::swap_negates(own, &a, &b),
            volume::moves_rigidly(own, moved, &motion, 4.0),
            volume::scales_exactly(own, place, 3),
            volume::accurate_at_any_scale(own, place, 3.0),
        ]
    };
    assert_all("no change", false, &results(&|_| ()));
    let changes: [(&str, Change<ContactVolume<DVec3>>); 4] = [
        ("volume", |c, x| c.volume = x),
        ("area vector", |c, x| c.area_vector.x = x),
        ("moment vector", |c, x| c.moment_vector.y = x),
        ("point", |c, x| c.point.z = x),
    ];
    for bad in NOT_FINITE {
        for (name, change) in changes {
            assert_all(
                &format!("{name} {bad}"),
                true,
                &results(&|c| change(c, bad)),
            );
        }
    }
}

/// A floor with facets that welding has collapsed to segments, to a point, and to a smaller facet.
fn welded() -> SurfaceMesh {
    let near = 2.0_f64.powi(-10);
    let points = [
        (-4.0, -4.0, 0.0),
        (4.0, -4.0, 0.0),
        (4.0, 4.0, 0.0),
        (-4.0, 4.0, 0.0),
        // Near the first and the second, on the floor.
        (-4.0, -4.0 + near, 0.0),
        (4.0, -4.0 + near, 0.0),
        // Above the floor, for facets that are alone: a segment and a point.
        (0.0, 0.0, 2.0),
        (1.0, 0.0, 2.0),
        (near, 0.0, 2.0),
        (2.0, 2.0, 1.0),
        (2.0 + near, 2.0, 1.0),
        (2.0, 2.0 + near, 1.0),
    ];
    let points = points.map(|(x, y, z)| DVec3::new(x, y, z));
    let facets: [&[u32]; 6] = [
        &[0, 1, 2],
        &[0, 2, 3, 4],
        &[0, 4, 1],
        &[0, 1, 5, 4],
        &[6, 8, 7],
        &[9, 10, 11],
    ];
    let mesh = SurfaceMesh::welded(&points, facets, 2.0 * near).unwrap();
    let repeats = |ids: &[u32]| ids.iter().enumerate().any(|(i, id)| ids[..i].contains(id));
    assert_eq!(mesh.facets().filter(|f| repeats(f.vertices())).count(), 5);
    mesh
}

#[test]
fn welded_walls_are_rewritten() {
    let mesh = welded();
    let corners = |mesh: &SurfaceMesh| {
        let mut corners: Vec<_> = mesh.facets().flat_map(|f| f.corners()).collect();
        corners.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap());
        corners.dedup();
        corners
    };
    for seed in 0..40 {
        let other = rewritten(&mesh, seed).unwrap();
        assert!(other.facet_count() >= mesh.facet_count());
        assert_eq!(other.precision(), mesh.precision());
        let all = corners(&other);
        assert!(corners(&mesh).iter().all(|corner| all.contains(corner)));
        let spheres = [
            (DVec3::new(0.5, 0.5, 0.75), 1.0),
            (DVec3::new(0.5, 0.25, 2.5), 1.0),
            (DVec3::new(2.25, 2.0, 1.5), 1.0),
            (DVec3::new(0.0, -4.25, 0.5), 1.0),
            (DVec3::new(-4.0, -4.5, 0.5), 1.0),
            (DVec3::new(0.5, 0.5, 1.0), 4.0),
        ];
        for (center, radius) in spheres {
            let sphere = Sphere::new(center, radius);
            let place = |c: WallContact| (c.offset, c.overlap);
            let own = &mut MapContact(DoubleHierarchy::new(), place);
            wall::independent_of_facets(own, &sphere, &mesh, seed).unwrap();
            let own = &mut DoubleHierarchy::new();
            wall::independent_of_refinement(own, &sphere, &mesh, 8.0, seed).unwrap();
        }
    }
    // A mistake is still found: facets by their number.
    let own = &mut ManyContacts(|_: &Sphere, near: &osculate::narrow::FacetSubset| {
        let mut count = 0;
        near.for_each_facet(|_| count += 1);
        count..count + 1
    });
    let sphere = Sphere::new(DVec3::Z, 2.0);
    assert!(wall::independent_of_facets(own, &sphere, &mesh, 1).is_err());
}
