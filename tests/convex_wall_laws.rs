//! Properties of convex polyhedra at walls, on scenes of all families: periodic and one-sided walls too.
//! OSCULATE_CASES sets the number of random cases.

mod support;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, WallSides};
use osculate::testing::properties::convex_wall::{self, WallManifolds};
use osculate::testing::properties::{MapContact, kernel, manifold};
use osculate::testing::workload::{LatticeScene, SplitMix64, WallFamily};
use osculate::{Contact, NarrowPhase, PeriodicBox, Placed, Pose3, SurfaceMesh, Wall};
use support::convex::{Body, cases, polyhedron, random};

fn scene(case: usize, random: &mut SplitMix64) -> LatticeScene {
    LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64())
}

/// Where a face lies on the wall, the point is one of many.
fn without_point(contact: ConvexWallContact) -> Contact {
    Contact {
        point: DVec3::ZERO,
        ..contact.into()
    }
}

fn contacts(kernel: &mut ConvexWall, body: &Body, wall: &Wall) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, &mut Default::default(), |c| found.push(c));
    found
}

const SIZE: f64 = 2e3;

#[test]
fn laws_of_contacts() {
    let mut random = random(41);
    for case in 0..cases(300) {
        let scene = scene(case, &mut random);
        let sides = [WallSides::Both, WallSides::Front][case / 9 % 2];
        let kernel = &mut ConvexWall::new().with_sides(sides);
        let shapes = [1.0, 2.0_f64.powi(-30)].map(|unit| scene.body(unit).unwrap());
        let meshes = [1.0, 2.0_f64.powi(-30)].map(|unit| scene.mesh(unit).unwrap());
        let body = Placed::new(&shapes[0], Pose3::IDENTITY);
        let wall = Wall::new(meshes[0].clone());
        let seed = random.next_u64();
        let all = [
            convex_wall::points_in_both(kernel, &body, &wall, SIZE),
            convex_wall::independent_of_mesh(kernel, &body, wall.mesh(), SIZE, seed),
            convex_wall::finds_lattice_contacts(kernel, &scene, sides, 1.0),
            kernel::scales_exactly(
                kernel,
                |factor| {
                    let i = usize::from(factor != 1.0);
                    let body = Placed::new(&shapes[i], Pose3::IDENTITY);
                    (body, Wall::new(meshes[i].clone()))
                },
                -30,
            ),
            kernel::moves_rigidly(
                &mut MapContact(kernel.clone(), without_point),
                |motion| {
                    let mut wall = wall.clone();
                    wall.set_pose(*motion);
                    (Placed::new(&shapes[0], *motion), wall)
                },
                &Pose3::new(random.rotation(), random.in_ball() * SIZE).unwrap(),
                2.0 * SIZE,
            ),
        ];
        for result in all {
            if let Err(violation) = result {
                println!("{case} {sides:?} {violation:.300}");
            }
        }
    }
}
#[test]
fn debug_case() {
    let mut random = random(41);
    for case in 0..6059 {
        let scene = scene(case, &mut random);
        let seed = random.next_u64();
        let _ = (random.rotation(), random.in_ball());
        if case == 6058 || case == 4238 {
            let sides = [WallSides::Both, WallSides::Front][case / 9 % 2];
            let kernel = &mut ConvexWall::new().with_sides(sides);
            let shape = scene.body(1.0).unwrap();
            let body = Placed::new(&shape, Pose3::IDENTITY);
            let mesh = scene.mesh(1.0).unwrap();
            println!("FIRST");
            for c in contacts(kernel, &body, &Wall::new(mesh.clone())) {
                println!("{c:?} {:?}", mesh.facet(c.facet));
            }
            println!("SECOND");
            let mesh = osculate::testing::workload::rewritten(&mesh, seed).unwrap();
            for c in contacts(kernel, &body, &Wall::new(mesh.clone())) {
                println!("{c:?} {:?}", mesh.facet(c.facet));
            }
        }
    }
}
