//! A hull at a wall of any triangles: valid contacts and manifolds, the same with any state. At a rough floor: the
//! same on the rewritten mesh.
#![no_main]
#[allow(dead_code, reason = "used in part")]
#[path = "../../tests/support/convex_wall.rs"]
mod convex_wall;
#[allow(dead_code, reason = "used in part")]
#[path = "../../tests/support/property.rs"]
mod property;

use convex_wall::WallManifolds;
use libfuzzer_sys::fuzz_target;
use osculate::glam::DVec3;
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::properties::{MapContact, kernel, manifold};
use osculate::*;
use osculate_fuzz::{Body, body, vector};

/// All coordinates are smaller.
const SIZE: f64 = 1e3;

fn floor(heights: &[i8; 16]) -> Vec<[DVec3; 3]> {
    let at = |i: usize, j: usize| {
        let [x, y] = [i, j].map(|i| 64.0 * i as f64 - 96.0);
        DVec3::new(x, y, heights[4 * i + j].into())
    };
    let cells = (0..9).map(|c| (c / 3, c % 3));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    triangles.collect()
}

fuzz_target!(|input: (Body, Vec<[[i8; 3]; 3]>, [i8; 16], u64)| {
    let (hull, soup, heights, seed) = input;
    let Some(owner) = body(&hull) else {
        return;
    };
    let placed = Placed::new(&owner.shape, owner.pose);
    let soup: Vec<_> = soup.iter().map(|t| t.map(vector)).collect();
    for triangles in [soup, floor(&heights)] {
        let Ok(mesh) = SurfaceMesh::from_triangles(&triangles) else {
            continue;
        };
        let wall = Wall::new(mesh);
        let convex = &mut ConvexWall::new();
        convex_wall::points_in_both(convex, &placed, &wall, SIZE).unwrap();
        let manifolds = &mut WallManifolds(convex.clone());
        manifold::shares_add_up(manifolds, &placed, &wall, 0.0, SIZE).unwrap();
    }
    let convex = &mut ConvexWall::new();
    let wall = Wall::new(SurfaceMesh::from_triangles(&floor(&heights)).unwrap());
    let path = [0.0, 1.0, -7.0, 0.5, 400.0, 0.0].map(|z| {
        let at = Pose3::from_translation(DVec3::Z * z).unwrap();
        (Placed::new(&owner.shape, at * owner.pose), wall.clone())
    });
    kernel::independent_of_state(convex, path).unwrap();
    // In a hull as thin as a blade normals across edges of the wall lose digits.
    let only_overlap = |c: ConvexWallContact| Contact {
        point: DVec3::ZERO,
        normal: DVec3::ZERO,
        overlap: c.overlap,
    };
    let overlaps = &mut MapContact(convex.clone(), only_overlap);
    convex_wall::independent_of_mesh(overlaps, &placed, wall.mesh(), 1e3 * SIZE, seed).unwrap();
});
