//! Contacts at places where facets of different bends meet, found by the fuzz target `convex_walls`.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::testing::workload::rewritten;
use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, SurfaceMesh, Wall};

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
