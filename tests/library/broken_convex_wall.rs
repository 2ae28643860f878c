//! Each property of polyhedra at walls finds kernels with one mistake.

use crate::support::convex::Body;
use crate::support::convex_wall::{self, WallManifolds};
use crate::support::lattice_scene::{self, LatticeScene, WallFamily};
use osculate::glam::DVec3;
use osculate::narrow::ConvexWall;
use osculate::testing::properties::manifold::Manifold;
use osculate::testing::properties::{ManyContacts, MapContact, Violation};
use osculate::{Contact, ContactManifold, NarrowPhase, Placed, Pose3, Wall};

const PROPERTIES: [&str; 3] = [
    "convex_wall::points_in_both",
    "convex_wall::independent_of_mesh",
    "lattice_scene::finds_lattice_contacts",
];

/// Returns the contacts of a kernel without mistakes.
fn contacts(kernel: &mut ConvexWall, body: &Body, wall: &Wall) -> Vec<Contact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, &mut Default::default(), |c| {
        found.push(c.into())
    });
    found
}

/// Returns the properties that are violated by the kernel in some scene.
fn violated(kernel: fn(&Body, &Wall) -> Vec<Contact>) -> Vec<&'static str> {
    let mut kernel = ManyContacts(kernel);
    let mut violated = [false; 3];
    for case in 0..180 {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], case as u64);
        let shape = scene.body(1.0).unwrap();
        let wall = Wall::new(scene.mesh(1.0).unwrap());
        let body = Placed::new(&shape, Pose3::IDENTITY);
        let results: [Result<(), Violation>; 3] = [
            convex_wall::points_in_both(&mut kernel, &body, &wall, 2e3),
            convex_wall::independent_of_mesh(&mut kernel, &body, wall.mesh(), 2e3, 7),
            lattice_scene::finds_lattice_contacts(&mut kernel, &scene, 1.0),
        ];
        for ((violated, name), result) in violated.iter_mut().zip(PROPERTIES).zip(results) {
            if let Err(violation) = result {
                assert!(violation.to_string().starts_with(name), "{violation}");
                *violated = true;
            }
        }
    }
    let found = PROPERTIES.into_iter().zip(violated);
    found.filter(|found| found.1).map(|found| found.0).collect()
}

#[test]
fn each_mistake_is_found() {
    let [points, mesh, minima] = PROPERTIES;
    type Mistake = (
        &'static str,
        fn(&Body, &Wall) -> Vec<Contact>,
        Vec<&'static str>,
    );
    let mistakes: [Mistake; 7] = [
        (
            "none",
            |body, wall| contacts(&mut ConvexWall::new(), body, wall),
            vec![],
        ),
        (
            "a contact for each triangle, as without sheets and passed facets",
            |body, wall| {
                let triangles = wall.mesh().facets();
                let each = triangles.flat_map(|facet| {
                    let corners: Vec<DVec3> = facet.corners().collect();
                    let corners = [corners[0], corners[1], corners[2]];
                    let wall = osculate::SurfaceMesh::from_triangles(&[corners]).unwrap();
                    contacts(&mut ConvexWall::new(), body, &Wall::new(wall))
                });
                each.collect()
            },
            vec![mesh, minima],
        ),
        (
            "the deepest contact only",
            |body, wall| {
                let mut found = contacts(&mut ConvexWall::new(), body, wall);
                found.truncate(1);
                found
            },
            vec![minima],
        ),
        (
            "no sheets",
            |body, wall| {
                let bend = std::f64::consts::PI;
                contacts(&mut ConvexWall::new().with_bend(bend).unwrap(), body, wall)
            },
            vec![minima],
        ),
        (
            "normals from the wall into the body",
            |body, wall| {
                let mut found = contacts(&mut ConvexWall::new(), body, wall);
                found.iter_mut().for_each(|c| c.normal = -c.normal);
                found
            },
            vec![points, minima],
        ),
        (
            "points in the middle of the overlap",
            |body, wall| {
                let mut found = contacts(&mut ConvexWall::new(), body, wall);
                found
                    .iter_mut()
                    .for_each(|c| c.point += c.normal * (0.5 * c.overlap));
                found
            },
            vec![points],
        ),
        (
            "an absolute tolerance",
            |body, wall| {
                let mut found = contacts(&mut ConvexWall::new(), body, wall);
                found.retain(|c| c.overlap > 2.0);
                found
            },
            vec![minima],
        ),
    ];
    for (what, kernel, expected) in mistakes {
        let found = violated(kernel);
        let is_found = |name: &&str| found.contains(name);
        assert!(expected.iter().all(is_found), "{what}: {found:?}");
        assert_eq!(expected.is_empty(), found.is_empty(), "{what}: {found:?}");
    }
}

/// Shares by the triangles of the wall.
#[test]
fn shares_of_triangles_are_found() {
    let is_violated = |change: fn(&mut Manifold<DVec3>)| {
        let changed = |manifold: ContactManifold| {
            let mut manifold = manifold.into();
            change(&mut manifold);
            manifold
        };
        let mut kernel = MapContact(WallManifolds(ConvexWall::new()), changed);
        (0..9).any(|seed| {
            let scene = LatticeScene::new(WallFamily::Flat, seed);
            let shape = scene.body(1.0).unwrap();
            let body = Placed::new(&shape, Pose3::IDENTITY);
            let mesh = scene.mesh(1.0).unwrap();
            let shares =
                convex_wall::shares_independent_of_mesh(&mut kernel, &body, &mesh, 1e-6, seed);
            shares.is_err()
        })
    };
    assert!(!is_violated(|_| ()));
    // The area of the contact has rounding errors that depend on the triangles.
    assert!(is_violated(|m| {
        let digits = (m.area * 2.0_f64.powi(40)).fract();
        m.points[0].volume *= 1.0 + digits;
    }));
}
