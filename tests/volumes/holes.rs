//! The border of a hole within a single face, in a region that is thin compared with the triangles.

use crate::support::solids::volume_of;
use osculate::glam::DVec3;
use osculate::{ConvexPolyhedron, MeshMesh, Placed, Pose3, SolidMesh};

/// A deep block with a pit in its top, from z = -depth to 0. The pit is a pyramid of depth 1.
fn block(depth: f64) -> SolidMesh {
    let square = |size: f64, z: f64| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| DVec3::new(size * x, size * y, z))
    };
    let mut vertices = [square(8.0, -depth), square(8.0, 0.0), square(0.5, 0.0)].concat();
    vertices.push(-DVec3::Z);
    let mut triangles = vec![[0, 2, 1], [0, 3, 2]];
    for i in 0..4 {
        let j = (i + 1) % 4;
        let ring = |from: u32| {
            [
                [from + i, from + j, from + 4 + j],
                [from + i, from + 4 + j, from + 4 + i],
            ]
        };
        triangles.extend(ring(0));
        triangles.extend(ring(4));
        triangles.push([8 + i, 8 + j, 12]);
    }
    SolidMesh::new(vertices, triangles).unwrap()
}

/// A prism around the pit, from a height to -1/2.
fn prism(low: f64) -> ConvexPolyhedron {
    let corners = [(-2.0, -2.0), (2.0, -2.5), (0.0, 3.0)];
    let at = |z: f64| corners.map(|(x, y)| DVec3::new(x, y, z));
    ConvexPolyhedron::from_convex_hull(&[at(low), at(-0.5)].concat()).unwrap()
}

/// A body inside the block, except where the pit passes through its top face.
#[test]
fn pit_within_a_face() {
    let prism = prism(-3.0);
    // The pit below z = -0.5: a pyramid of height 1/2 over a square of 1/2.
    let expected = prism.volume() - 0.5 * 0.25 / 3.0;
    for depth in [4.0, 64.0, 4096.0, 1e6] {
        let block = block(depth);
        let a = Placed::new(&block, Pose3::IDENTITY);
        let b = Placed::new(&prism, Pose3::IDENTITY);
        for is_separate in [false, true] {
            let kernel = &mut MeshMesh::new().with_separate_regions(is_separate);
            let volume = volume_of(kernel, &a, &b);
            assert!((volume / expected - 1.0).abs() < 1e-13, "{depth} {volume}");
        }
    }
}

/// The prism also leaves the block, in another region, and the pit is too small to show that it is a hole of this region.
/// The prism's top, which only the pit crosses, counts to the region of its corners.
#[test]
fn pit_that_is_no_region_of_its_own() {
    let block = block(4096.0);
    let prism = prism(-5000.0);
    let inside = prism.volume() * 4095.5 / 4999.5;
    let a = Placed::new(&block, Pose3::IDENTITY);
    let b = Placed::new(&prism, Pose3::IDENTITY);
    let volume = volume_of(&mut MeshMesh::new().with_separate_regions(true), &a, &b);
    assert!((volume - inside).abs() < 0.03, "{volume} {inside}");
}
