//! Contact points of polyhedra at walls where vertices lie exactly in the plane of a facet.

use osculate::glam::DVec3;
use osculate::narrow::{ContactManifold, ConvexWall};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, Placed, Pose3, SurfaceMesh, Wall};

fn floor() -> Wall {
    let corners = [(-32.0, -32.0), (32.0, -32.0), (32.0, 32.0), (-32.0, 32.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    Wall::new(SurfaceMesh::new(corners, [[0, 1, 2], [0, 2, 3]]).unwrap())
}

fn manifolds(shape: &ConvexPolyhedron, shift: DVec3) -> Vec<ContactManifold> {
    let body = Placed::new(shape, Pose3::from_translation(shift).unwrap());
    let mut found = Vec::new();
    let state = &mut Default::default();
    ConvexWall::new().for_each_manifold(&body, &floor(), state, |_, m| found.push(m));
    found
}

/// A wedge with one edge in the floor has the bed of its section: a triangle of h l / 2 per width.
#[test]
fn wedges_with_an_edge_in_the_floor() {
    for (h, l) in (1..40).flat_map(|h| (1..20).map(move |l| (h, l))) {
        let (depth, length) = (f64::from(h) / 16.0, f64::from(l) / 4.0);
        let section = [(-length, -depth), (0.0, 0.0), (-length, 8.0), (0.0, 8.0)];
        let corners = section.map(|(x, z)| [0.0, 1.0].map(|y| DVec3::new(x, y, z)));
        let shape = ConvexPolyhedron::from_convex_hull(corners.as_flattened()).unwrap();
        let found = manifolds(&shape, DVec3::ZERO);
        let volume: f64 = found.iter().map(|manifold| manifold.volume).sum();
        let expected = 0.5 * depth * length;
        let error = (volume - expected).abs() / expected;
        assert!(error < 1e-12, "{depth} {length}: {volume} {expected}");
    }
}

/// The volume of the bed changes continuously where vertices enter the floor.
#[test]
fn volumes_are_continuous_at_vertices() {
    const STEP: f64 = 1e-9;
    let mut random = SplitMix64::new(61);
    let (mut with_vertices, mut compared) = (0, 0);
    for case in 0..400 {
        // Many vertices have the height 0.
        let heights = [-2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 3.0];
        let corners: Vec<_> = (0..4 + random.below(6))
            .map(|_| {
                let [x, y] = [0; 2].map(|_| random.below(9) as f64 - 4.0);
                DVec3::new(x, y, heights[random.below(7)])
            })
            .collect();
        let Ok(shape) = ConvexPolyhedron::from_convex_hull(&corners) else {
            continue;
        };
        // The centroid decides on the side.
        let is_above = shape.centroid().z > 0.1;
        if !is_above || shape.vertices().iter().all(|x| x.z >= 0.0) {
            continue;
        }
        let volume_at = |height: f64| -> f64 {
            let found = manifolds(&shape, DVec3::Z * height);
            found.iter().map(|manifold| manifold.volume).sum()
        };
        let volumes = [-STEP, 0.0, STEP].map(volume_at);
        // Sections have an area of at most 64, depths are at most 2, slopes at most 8.
        for volume in volumes {
            let change = (volume - volumes[0]).abs();
            assert!(change < 2e3 * STEP, "{case}: {volumes:?}");
        }
        compared += 1;
        with_vertices += usize::from(shape.vertices().iter().any(|x| x.z == 0.0));
    }
    assert!(
        compared > 100 && with_vertices > compared / 2,
        "{compared} {with_vertices}"
    );
}
