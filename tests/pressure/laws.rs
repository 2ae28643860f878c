//! The properties of elastic kernels, on pairs and at walls: random bodies, and scenes of the lattice full of ties.

use crate::scene::{Body, at, place, shapes, wall, walls};
use crate::support::cases;
use crate::support::convex::{cube_times, polyhedron, random, scaled, turn, vector};
use crate::support::lattice_scene::{LatticeScene, WallFamily};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::testing::properties::elastic;
use osculate::testing::workload::SplitMix64;
use osculate::{NarrowPhase, Placed, Pose3, Wall};

/// Random pairs that overlap, often deeply; sometimes one is inside the other.
#[test]
fn pairs() {
    let mut random = random(93);
    let mut compared = 0;
    for case in 0..cases(200) {
        let sizes = [1.0, [1.0, 0.3, 0.1][random.below(3)]];
        let shapes = sizes.map(|size| polyhedron(&mut random, size));
        let shift = vector(&mut random) * 0.7;
        let turns = [random.rotation(), random.rotation()];
        let a = place(&shapes[0], turns[0], shift);
        let b = place(&shapes[1], turns[1], DVec3::ZERO);
        let weight = [0.5, 0.0, 1.0, 0.25][case % 4];
        let kernel = PressureField::new().with_volume();
        let kernel = &mut kernel.with_weight_of_first(weight).unwrap();
        let Some(found) = kernel.contact(&a, &b) else {
            continue;
        };
        compared += 1;
        let body = |pose: &Pose3| Placed::new(a.shape, *pose * a.pose);
        let slack = 2e-5 * found.area + 1e-8;
        elastic::gradient_matches(kernel, body, &b, [1.0, 1e-5], slack).unwrap();
        let (step, spin) = (vector(&mut random) * 1e-3, vector(&mut random) * 1e-3);
        let motion = Pose3::new_normalize(DQuat::from_scaled_axis(spin), step).unwrap();
        elastic::changes_with_motion(kernel, body, &b, &motion, 1e-2).unwrap();
        if weight == 0.5 {
            elastic::swap_negates(kernel, &a, &b).unwrap();
        }
        let exponent = random.below(80) as i32 - 40;
        let pair = |factor: f64| {
            let [a, b] = [a, b].map(|body| Placed::new(scaled(body.shape, factor), body.pose));
            let moved = Pose3::new(a.pose.rotation(), shift * factor).unwrap();
            (Placed::new(a.shape, moved), b)
        };
        elastic::scales_exactly(kernel, pair, exponent).unwrap();
    }
    assert!(compared > cases(200) / 3, "{compared}");
}

/// Blocks on the lattice, with faces, edges and pyramids in line: a motion by 1e-9 changes the force by at most the area
/// times the motion.
#[test]
fn ties_of_pairs() {
    const STEP: f64 = 1e-9;
    let mut random = random(94);
    let mut compared = 0;
    for _ in 0..cases(2000) {
        let mut side = || f64::from(1 + random.below(4) as u32) * 0.5;
        let shapes = [0; 2].map(|_| cube_times(DVec3::from_array([0; 3].map(|_| side()))));
        let [a, b] = [0, 1].map(|i| {
            let at = [0; 3].map(|_| f64::from(random.below(9) as u32) * 0.25 - 1.0);
            let axis = DVec3::AXES[random.below(3)];
            let eighth = DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_4);
            let rotation = match random.below(3) {
                0 => eighth,
                _ => turn(&mut random),
            };
            place(&shapes[i], rotation, DVec3::from_array(at) * i as f64)
        });
        let kernel = &mut PressureField::new();
        let motion = Pose3::from_translation(vector(&mut random).normalize() * STEP).unwrap();
        let body = |pose: &Pose3| Placed::new(a.shape, *pose * a.pose);
        elastic::changes_with_motion(kernel, body, &b, &motion, STEP).unwrap();
        compared += usize::from(kernel.contact(&a, &b).is_some());
    }
    assert!(compared > cases(2000) / 4, "{compared}");
}

/// Scenes of all families on the lattice: small motions, other triangles, other units of length, another place.
#[test]
fn lattice_scenes() {
    const STEP: f64 = 1e-9;
    let mut random = random(41);
    let mut compared = 0;
    for case in 0..cases(400) {
        let scene = LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64());
        let (shape, mesh) = (scene.body(1.0).unwrap(), scene.mesh(1.0).unwrap());
        let corners = mesh.vertices().iter().chain(shape.vertices());
        let size = corners.fold(0.0, |size: f64, x| size.max(x.abs().max_element()));
        let floor = Wall::new(mesh.clone());
        // Without energies: some planes of the wall pass the centroid.
        let kernel = &mut PressureField::new().with_points();
        let body = |pose: &Pose3| Placed::new(&shape, *pose);
        let still = body(&Pose3::IDENTITY);
        compared += usize::from(kernel.contact(&still, &floor).is_some());
        let step = vector(&mut random).normalize() * STEP;
        let motion = Pose3::from_translation(step).unwrap();
        elastic::changes_with_motion(kernel, body, &floor, &motion, STEP).unwrap();
        elastic::independent_of_mesh(kernel, &still, &mesh, size, random.next_u64()).unwrap();
        let exponent = random.below(80) as i32 - 40;
        let pair = |factor: f64| {
            let shape = scene.body(factor).unwrap();
            let wall = Wall::new(scene.mesh(factor).unwrap());
            (Placed::new(shape, Pose3::IDENTITY), wall)
        };
        elastic::scales_exactly(kernel, pair, exponent).unwrap();
    }
    assert!(compared > cases(400) / 2, "{compared}");
}

/// A path near the surface of a wall: a cycle of translation, with or without rotation.
fn path(random: &mut SplitMix64, start: DVec3, is_turning: bool) -> impl Fn(f64) -> Pose3 {
    let [u, v, w, x] = [0; 4].map(|_| vector(random) * 0.1);
    let (spin, rotation) = (if is_turning { 2.0 } else { 0.0 }, random.rotation());
    move |t: f64| {
        let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
        let turn = DQuat::from_scaled_axis((w * cos + x * sin) * spin);
        Pose3::new_normalize(turn * rotation, start + u * cos + v * sin).unwrap()
    }
}

/// A body on a closed path gains no energy, in pairs and at walls of all kinds, with edges of the wall and of the body
/// inside the other, table rims and thin plates included.
#[test]
fn closed_paths() {
    let mut random = random(95);
    let shapes = shapes(&mut random);
    let walls = walls(&mut random);
    let kernel = &mut PressureField::new();
    let steps = if cases(0) > 0 { 1000 } else { 80 };
    for case in 0..cases(49) {
        let (name, triangles) = &walls[case % 7];
        let shape = &shapes[case / 7 % 5];
        let start = DVec3::Z * (0.25 + 0.05 * (case % 4) as f64);
        let path = path(&mut random, start, case % 2 == 1);
        let body = |pose: &Pose3| Placed::new(shape, *pose);
        let result =
            elastic::closed_paths_do_no_work(kernel, body, &wall(triangles), &path, steps, 2e-7);
        result.unwrap_or_else(|violation| panic!("{case} {name}: {violation}"));
        let other = at(&shapes[case % 5], DVec3::NEG_Z * 0.4);
        elastic::closed_paths_do_no_work(kernel, body, &other, path, steps, 2e-7).unwrap();
    }
}

/// Force and torque at walls are the gradient of the energy, also where corners of the wall are in the body.
#[test]
fn gradients_at_walls() {
    let mut random = random(96);
    let shapes = shapes(&mut random);
    let walls = walls(&mut random);
    let kernel = &mut PressureField::new().with_volume();
    let mut compared = 0;
    for case in 0..cases(140) {
        let (name, triangles) = &walls[case % 7];
        let floor = wall(triangles);
        let shape = &shapes[case % 5];
        let at = DVec3::Z * random.range(0.1, 0.5) + vector(&mut random) * 0.1;
        let start: Body = place(shape, random.rotation(), at);
        let body = |pose: &Pose3| Placed::new(shape, *pose * start.pose);
        let slack = 2e-5;
        elastic::gradient_matches(kernel, body, &floor, [1.0, 1e-5], slack)
            .unwrap_or_else(|violation| panic!("{case} {name}: {violation}"));
        compared += usize::from(kernel.contact(&start, &floor).is_some());
    }
    assert!(compared > cases(140) / 2, "{compared}");
}
