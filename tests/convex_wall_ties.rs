//! Contacts at places where facets of different bends meet, found by the fuzz target `convex_walls`.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::testing::properties::convex_wall::{self, WallManifolds};
use osculate::testing::properties::{MapContact, kernel, manifold};
use osculate::testing::workload::{LatticeScene, SplitMix64, WallFamily, rewritten};
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
    let kernel = &mut ConvexWall::new().with_sides(WallSides::Front);
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
    for sides in [WallSides::Both, WallSides::Front] {
        let kernel = &mut ConvexWall::new().with_sides(sides);
        convex_wall::finds_lattice_contacts(kernel, &scene, sides, 1.0).unwrap();
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

/// An edge of the wall in a face of the body joined two sides of the wall if rounding put it inside. So it did in one
/// pose, and not in another one.
#[test]
fn edge_of_the_wall_in_a_face() {
    check(WallFamily::Box, 2_659_144_428_174_863_444);
}

/// With both sides and parts of its own, the scene once differed.
#[test]
fn drum_between_two_sides() {
    check(WallFamily::Drum, 15_028_894_501_078_968_714);
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
