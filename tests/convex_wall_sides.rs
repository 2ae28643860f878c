//! Walls with both sides: where a body is in front of a wall as a whole, it has the contacts of a wall with that
//! front, and behind it those of the wall with reversed facets.

mod support;

use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::{SplitMix64, rewritten};
use osculate::{
    ConvexPolygon, ConvexPolyhedron, NarrowPhase, Placed, Pose2, Pose3, SurfaceMesh, Wall,
};
use support::convex::{Body, cases, polyhedron, random, turn};

fn contacts(sides: WallSides, body: &Body, mesh: &SurfaceMesh) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    let kernel = &mut ConvexWall::new().with_sides(sides);
    let wall = Wall::new(mesh.clone());
    kernel.for_each_contact(body, &wall, &mut Default::default(), |c| found.push(c));
    found
}

/// The facets for which `is_reversed` holds, seen from behind.
fn reversed(mesh: &SurfaceMesh, mut is_reversed: impl FnMut() -> bool) -> SurfaceMesh {
    let facets = mesh.facets().map(|facet| {
        let mut ids = facet.vertices().to_vec();
        if is_reversed() {
            ids.reverse();
        }
        ids
    });
    SurfaceMesh::new(mesh.vertices().to_vec(), facets.collect::<Vec<_>>()).unwrap()
}

/// A body and a wall in the same place, rotated and moved.
fn moved(
    shape: &ConvexPolyhedron,
    mesh: &SurfaceMesh,
    random: &mut SplitMix64,
) -> (Pose3, SurfaceMesh) {
    let pose = Pose3::new(turn(random), random.in_ball() * 10.0).unwrap();
    let vertices: Vec<_> = mesh
        .vertices()
        .iter()
        .map(|&x| pose.transform_point(x))
        .collect();
    let facets = mesh.facets().map(|facet| facet.vertices().to_vec());
    let _ = shape;
    (
        pose,
        SurfaceMesh::new(vertices, facets.collect::<Vec<_>>()).unwrap(),
    )
}

/// Checks a body in front of a wall. Returns the number of contacts.
fn check(shape: &ConvexPolyhedron, mesh: &SurfaceMesh, random: &mut SplitMix64) -> usize {
    let (pose, mesh) = moved(shape, mesh, random);
    let body = Placed::new(shape, pose);
    let mut total = 0;
    for mesh in [mesh.clone(), rewritten(&mesh, random.next_u64()).unwrap()] {
        let expected = contacts(WallSides::Front, &body, &mesh);
        let found = contacts(WallSides::Both, &body, &mesh);
        assert_eq!(found, expected);
        let scrambled = reversed(&mesh, || random.below(2) == 0);
        let back = reversed(&mesh, || true);
        for other in [back, scrambled] {
            let found = contacts(WallSides::Both, &body, &other);
            let is_same = |(a, b): (&ConvexWallContact, &ConvexWallContact)| {
                a.normal.distance(b.normal) < 1e-9 && (a.overlap - b.overlap).abs() < 1e-9
            };
            let are_same = found.iter().zip(&expected).all(is_same);
            assert!(
                found.len() == expected.len() && are_same,
                "{found:#?} {expected:#?}"
            );
        }
        total += expected.len();
    }
    total
}

/// A floor of `side` x `side` cells of two triangles over the square of width 8 around the origin.
fn floor(side: usize, mut height: impl FnMut(f64, f64) -> f64) -> SurfaceMesh {
    let along = |i: usize| 8.0 * i as f64 / side as f64 - 4.0;
    let row = side + 1;
    let vertices = (0..row * row).map(|i| (along(i % row), along(i / row)));
    let vertices = vertices.map(|(x, y)| DVec3::new(x, y, height(x, y)));
    let cells = (0..side * side).map(|c| (c / side * row + c % side) as u32);
    let row = row as u32;
    let facets = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new(vertices.collect(), facets.collect::<Vec<_>>()).unwrap()
}

/// A prism with a slanted bottom at about `low` and its centroid above 1.
fn plank(random: &mut SplitMix64, low: f64) -> ConvexPolyhedron {
    let half = DVec2::new(random.range(0.5, 3.5), random.range(0.3, 1.0));
    let axis = DVec2::from_angle(random.range(0.0, 6.0));
    let slope = DVec2::new(random.range(-0.05, 0.05), random.range(-0.05, 0.05));
    let corners =
        [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|c| axis.rotate(half * DVec2::from(c)));
    let bottom = corners.map(|c| c.extend(low + slope.dot(c)));
    let top = 2.2 - low + random.range(0.0, 0.3);
    let points = [bottom, corners.map(|c| c.extend(top))].concat();
    let shape = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    assert!(shape.centroid().z > 1.0);
    shape
}

/// Planks over ridges are behind the planes of slopes on which they rest.
#[test]
fn planks_on_corrugated_floors() {
    let mut random = random(71);
    let mut total = 0;
    for case in 0..cases(60) {
        let pitch = random.range(0.3, 1.0);
        // Ridges at most 1 high; coarse or fine facets.
        let period = |x: f64| ((x / pitch).rem_euclid(2.0) - 1.0).abs();
        let mesh = floor([8, 16, 24][case % 3], |x, _| period(x));
        let shape = plank(&mut random, 0.85);
        total += check(&shape, &mesh, &mut random);
    }
    println!("{total} contacts");
    assert!(total > cases(60));
}

/// Peaks of the same height at random, and hollows between them.
#[test]
fn planks_on_bumpy_floors() {
    let mut random = random(72);
    let mut total = 0;
    for case in 0..cases(60) {
        let mesh = floor([6, 12, 20][case % 3], |_, _| random.unit());
        let shape = plank(&mut random, 0.7);
        total += check(&shape, &mesh, &mut random);
    }
    println!("{total} contacts");
    assert!(total > cases(60));
}
