//! Convex polyhedra at walls of many small facets: more than are compared with each other, with hanging vertices.
//! OSCULATE_CASES sets the number of random cases.

use crate::support::cases;
use crate::support::convex::random;
use crate::support::convex_wall::{self, WallManifolds};
use crate::support::lattice_scene::{LatticeScene, WallFamily};
use osculate::narrow::ConvexWall;
use osculate::testing::properties::{kernel, manifold};
use osculate::testing::workload::rewritten;
use osculate::{Placed, Pose3, SurfaceMesh, Wall};

/// All coordinates of scenes are smaller.
const SIZE: f64 = 2e3;
/// How often half of the facets are cut: 48 become about 600.
const CUTS: u64 = 6;

fn fine(mesh: &SurfaceMesh, seed: u64) -> SurfaceMesh {
    (0..CUTS).fold(mesh.clone(), |mesh, k| rewritten(&mesh, seed + k).unwrap())
}

/// Contacts are those on the coarse wall, and contacts and manifolds scale exactly.
#[test]
fn scenes_of_small_facets() {
    let mut random = random(44);
    for case in 0..cases(300) / 4 {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64());
        let kernel = &mut ConvexWall::new();
        let seed = random.next_u64() >> 1;
        let exponent = random.below(120) as i32 - 60;
        let units = [1.0, 2.0_f64.powi(exponent)].map(|unit| {
            let wall = Wall::new(fine(&scene.mesh(unit).unwrap(), seed));
            (scene.body(unit).unwrap(), wall)
        });
        let body = Placed::new(&units[0].0, Pose3::IDENTITY);
        let mut mesh = scene.mesh(1.0).unwrap();
        for k in 0..CUTS {
            convex_wall::independent_of_mesh(kernel, &body, &mesh, SIZE, seed + k).unwrap();
            mesh = rewritten(&mesh, seed + k).unwrap();
        }
        let scaled = |factor: f64| {
            let (shape, wall) = &units[usize::from(factor != 1.0)];
            (Placed::new(shape, Pose3::IDENTITY), wall.clone())
        };
        kernel::scales_exactly(kernel, scaled, exponent).unwrap();
        let manifolds = &mut WallManifolds(kernel.clone());
        manifold::names_scale_exactly(manifolds, scaled, exponent).unwrap();
    }
}
