//! Contacts at places where facets of different bends meet, found by the fuzz target `convex_walls`.

use crate::support::convex_wall::{self, WallManifolds};
use crate::support::lattice_scene::{self, LatticeScene, WallFamily};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::properties::{MapContact, kernel, manifold};
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{Contact, ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

/// The floor of the fuzz target.
fn floor(heights: [i8; 16]) -> SurfaceMesh {
    let at = |i: usize, j: usize| {
        let [x, y] = [i, j].map(|i| 64.0 * i as f64 - 96.0);
        DVec3::new(x, y, heights[4 * i + j].into())
    };
    let cells = (0..9).map(|c| (c / 3, c % 3));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    SurfaceMesh::from_triangles(&triangles.collect::<Vec<_>>()).unwrap()
}

fn contacts(body: &Placed<&ConvexPolyhedron, DVec3>, mesh: SurfaceMesh) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    let kernel = &mut ConvexWall::new();
    kernel.for_each_contact(body, &Wall::new(mesh), &mut Default::default(), |c| {
        found.push(c)
    });
    found
}

/// At an edge in a body as thin as a blade, the normal is a combination of almost opposite faces. Rounding left it a
/// part along the edge, so that it was not found on some meshes.
#[test]
fn edge_in_a_blade() {
    let corners = [
        [96., 33., 89.],
        [81., 81., 81.],
        [-4., -1., -1.],
        [-5., 75., 6.],
    ];
    let shape = ConvexPolyhedron::from_convex_hull(&corners.map(DVec3::from_array)).unwrap();
    let turn = DQuat::from_xyzw(35.0, 0.0, 4.0, 4.0);
    let mesh = floor([0, -1, -1, -1, -1, 81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let body = Placed::new(&shape, Pose3::new_normalize(turn, DVec3::ZERO).unwrap());
    let expected = contacts(&body, mesh.clone());
    assert_eq!(expected.len(), 2);
    for seed in 0..30 {
        let found = contacts(&body, rewritten(&mesh, seed).unwrap());
        assert_eq!(found.len(), 2);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a.overlap - b.overlap).abs() < 1e-8, "{seed}: {a:?} {b:?}");
            assert!(a.normal.distance(b.normal) < 1e-10, "{seed}: {a:?} {b:?}");
        }
    }
}

/// Checks the contacts of a scene on 30 meshes and at 30 places.
fn check(family: WallFamily, seed: u64) {
    let scene = LatticeScene::new(family, seed);
    let shape = scene.body(1.0).unwrap();
    let wall = Wall::new(scene.mesh(1.0).unwrap());
    let body = Placed::new(&shape, Pose3::IDENTITY);
    let size = 2e3;
    let mut random = SplitMix64::new(1);
    let kernel = &mut ConvexWall::new();
    lattice_scene::finds_lattice_contacts(kernel, &scene, 1.0).unwrap();
    for seed in 0..30 {
        convex_wall::independent_of_mesh(kernel, &body, wall.mesh(), size, seed).unwrap();
        let motion = Pose3::new(random.rotation(), random.in_ball() * size).unwrap();
        let moved = |motion: &Pose3| {
            let mut wall = wall.clone();
            wall.set_pose(*motion);
            (Placed::new(&shape, *motion), wall)
        };
        // Where a face lies on the wall, the point is one of many.
        let without_point = |c: ConvexWallContact| Contact {
            point: DVec3::ZERO,
            ..c.into()
        };
        let without_points = &mut MapContact(kernel.clone(), without_point);
        kernel::moves_rigidly(without_points, moved, &motion, 2.0 * size).unwrap();
    }
}

/// Three facets around a point may have a normal in common only two by two. Which of them shared one depended on their
/// order, and a facet that is cut has more normals than the whole.
#[test]
fn common_normals_two_by_two() {
    check(WallFamily::Convex, 13_836_451_213_776_922_054);
    check(WallFamily::Bumpy, 13_311_913_717_736_730_897);
    check(WallFamily::Dish, 12_750_175_172_048_100_026);
    check(WallFamily::Dish, 15_658_098_700_147_504_736);
    // A direction that the mean of the faces just supports.
    check(WallFamily::Dish, 1_370_233_426_580_053_107);
}

/// The body is deep in a ridge, and one of its vertices lies on the plane beside it, 5.7e-14 below. The bed of the plane
/// had an area of 5e-29, less than that of its only point. Nothing behind a plane by less than the tolerance counts now.
#[test]
fn vertex_on_the_plane_beside_a_ridge() {
    let corners = [
        [83., 12., 0.],
        [-65., -1., -1.],
        [83., -1., 83.],
        [-1., -84., 33.],
        [-1., -1., 83.],
    ];
    let shape = ConvexPolyhedron::from_convex_hull(&corners.map(DVec3::from_array)).unwrap();
    let mesh = floor([0, 0, 0, 0, 0, 83, 83, 83, 0, 0, 0, 0, 0, 0, 0, 0]);
    let body = Placed::new(&shape, Pose3::IDENTITY);
    let kernel = &mut WallManifolds(ConvexWall::new());
    manifold::shares_add_up(kernel, &body, &Wall::new(mesh), 0.0, 1e3).unwrap();
}

/// A pyramid that points down, with its apex at the origin. `slope` is the rise along a corner of its base.
fn pyramid(count: usize, slope: f64, turn: DQuat, start: f64) -> SurfaceMesh {
    let corner = |k: usize| {
        let angle = start + k as f64 * std::f64::consts::TAU / count as f64;
        turn * DVec3::new(8.0 * angle.cos(), 8.0 * angle.sin(), 8.0 * slope)
    };
    let facets = (0..count).map(|k| [DVec3::ZERO, corner(k), corner((k + 1) % count)]);
    SurfaceMesh::from_triangles(&facets.collect::<Vec<_>>()).unwrap()
}

fn octant_cube() -> ConvexPolyhedron {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners = (0..8).map(|i| corner(i) * 4.0 - DVec3::splat(0.25));
    ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap()
}

/// At the apex of a steep pyramid three faces of a cube are as deep. The normal supports all facets and combines those of
/// the faces. It is the axis of the cube's corner if all coincide after a third of a turn about it.
#[test]
fn pyramids_in_the_corner_of_a_cube() {
    let cube = octant_cube();
    let body = Placed::new(&cube, Pose3::IDENTITY);
    let axis = DVec3::splat(-1.0).normalize();
    let mut random = SplitMix64::new(62);
    let mut single = [0; 2];
    for case in 0..300 {
        let is_regular = case % 2 == 0;
        let count = if is_regular {
            [3, 6][random.below(2)]
        } else {
            3 + random.below(5)
        };
        let tilt = if is_regular {
            0.0
        } else {
            random.range(0.0, 0.3)
        };
        let tilt = DQuat::from_axis_angle(axis.any_orthonormal_vector(), tilt);
        let turn = tilt * DQuat::from_rotation_arc(DVec3::Z, axis);
        let mesh = pyramid(count, random.range(0.8, 2.0), turn, random.range(0.0, 3.0));
        let found = contacts(&body, reversed(&mesh));
        let [contact] = found[..] else {
            // The plane of a facet may support the corner alone.
            assert!(
                !is_regular || found.len().is_multiple_of(3),
                "{case}: {found:?}"
            );
            continue;
        };
        let normal = contact.normal;
        assert!(contact.point.length() < 1e-9, "{case}: {contact:?}");
        let lowest = mesh.vertices().iter().map(|x| normal.dot(*x));
        assert!(lowest.fold(1.0, f64::min) > -1e-9, "{case}: {contact:?}");
        assert!(normal.max_element() < 1e-9, "{case}: {contact:?}");
        let is_axis = normal.distance(axis) < 1e-9;
        assert!(is_axis || !is_regular, "{case}: {contact:?}");
        single[case % 2] += 1;
    }
    assert!(single.iter().all(|&count| count > 30), "{single:?}");
}

/// The same mesh with fronts and backs exchanged.
fn reversed(mesh: &SurfaceMesh) -> SurfaceMesh {
    let facets = mesh.facets().map(|facet| {
        let mut ids = facet.vertices().to_vec();
        ids.reverse();
        ids
    });
    SurfaceMesh::new(mesh.vertices().to_vec(), facets.collect::<Vec<_>>()).unwrap()
}
