//! Pressure fields of two polyhedra: the energy against layers, force and torque as its gradient, laws and ties.

use crate::support::cases;
use crate::support::convex::{Body, corner, cube_times, polyhedron, random, turn, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexConvex, ConvexPolyhedron, NarrowPhase, Placed, Pose3};

fn kernel(weight: f64) -> PressureField {
    let kernel = PressureField::new().with_volume();
    kernel.with_weight_of_first(weight).unwrap()
}

/// Moves a body by a vector and about a point.
fn moved<'a>(body: &Body<'a>, by: DVec3, turn: DVec3, about: DVec3) -> Body<'a> {
    let turn = DQuat::from_scaled_axis(turn);
    let at = about + turn * (body.pose.translation() - about) + by;
    let pose = Pose3::new_normalize(turn * body.pose.rotation(), at);
    Placed::new(body.shape, pose.unwrap())
}

/// The body scaled about its point with the pressure r: where the pressure exceeds `(1 - factor) r`.
fn layer(shape: &ConvexPolyhedron, factor: f64) -> ConvexPolyhedron {
    let center = shape.centroid();
    let vertices = shape.vertices().iter();
    let scaled: Vec<_> = vertices.map(|&x| center + (x - center) * factor).collect();
    ConvexPolyhedron::from_convex_hull(&scaled).unwrap()
}

fn inscribed(shape: &ConvexPolyhedron) -> f64 {
    let center = shape.centroid();
    let facets = shape.surface().facets();
    let distances = facets.map(|facet| {
        let on = shape.vertices()[facet.vertices()[0] as usize];
        facet.normal().dot(on - center)
    });
    distances.fold(f64::INFINITY, f64::min)
}

/// The integral of the pressure of `a` over `b`: the volumes of its layers inside `b`, by Simpson's rule.
///
/// No pressure exceeds the depth of the surface, unless the center is in the common region.
fn energy_by_layers(a: &Body, b: &Body, depth: f64) -> f64 {
    const LAYERS: usize = 200;
    let r = inscribed(a.shape);
    let center = b
        .pose
        .inverse_transform_point(a.pose.transform_point(a.shape.centroid()));
    let is_inside = b.shape.surface().facets().all(|facet| {
        let on = b.shape.vertices()[facet.vertices()[0] as usize];
        facet.normal().dot(center - on) < 0.0
    });
    let least = r * (1.0 - 1e-6);
    let most = if is_inside { least } else { depth.min(least) };
    let mut volumes = ConvexConvex::new();
    let at = |i: usize| {
        let pressure = most * i as f64 / LAYERS as f64;
        let inner = layer(a.shape, 1.0 - pressure / r);
        let volume = volumes.contact(&Placed::new(&inner, a.pose), b);
        let weight = match i {
            0 | LAYERS => 1.0,
            i => 2.0 + 2.0 * (i % 2) as f64,
        };
        weight * volume.map_or(0.0, |c| c.volume)
    };
    (0..=LAYERS).map(at).sum::<f64>() * most / (3 * LAYERS) as f64
}

/// Two random bodies that overlap, often deeply; sometimes one is inside the other.
fn overlapping(random: &mut SplitMix64) -> ([ConvexPolyhedron; 2], [Pose3; 2]) {
    let sizes = [1.0, [1.0, 0.3, 0.1][random.below(3)]];
    let shapes = sizes.map(|size| polyhedron(random, size));
    let poses = [0, 1].map(|i| {
        let at = vector(random) * f64::from(i) * 0.7;
        Pose3::new(random.rotation(), at).unwrap()
    });
    (shapes, poses)
}

/// Energy and volume of overlapping bodies, nested ones included.
#[test]
fn energy_is_that_of_layers() {
    let mut random = random(91);
    let (mut compared, mut nested) = (0, 0);
    for _ in 0..cases(60) {
        let (shapes, poses) = overlapping(&mut random);
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let Some(found) = kernel(0.5).contact(&a, &b) else {
            continue;
        };
        let volume = ConvexConvex::new()
            .contact(&a, &b)
            .map_or(0.0, |c| c.volume);
        let scale = [a, b].map(|body| body.shape.volume());
        assert!(
            (found.volume.unwrap().volume - volume).abs() < 1e-12 * scale[0].max(scale[1]),
            "{found:?} {volume}"
        );
        let depth = found.overlap;
        let expected = 0.5 * (energy_by_layers(&a, &b, depth) + energy_by_layers(&b, &a, depth));
        let error = (found.volume.unwrap().energy - expected).abs() / expected;
        assert!(error < 1e-4, "{found:?} {expected} {error:e}");
        compared += 1;
        nested += usize::from((volume / scale[0].min(scale[1]) - 1.0).abs() < 1e-9);
    }
    assert!(
        compared > cases(60) / 3 && nested > 0,
        "{compared} {nested}"
    );
}

/// Force and torque are the gradient of the energy by central differences, for any weights.
#[test]
fn force_is_the_gradient_of_the_energy() {
    const STEP: f64 = 1e-5;
    let mut random = random(92);
    let mut compared = 0;
    for case in 0..cases(200) {
        let (shapes, poses) = overlapping(&mut random);
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let kernel = &mut kernel([0.5, 0.0, 1.0, 0.2][case % 4]);
        let Some(found) = kernel.contact(&a, &b) else {
            continue;
        };
        let mut energy = |by: DVec3, turn: DVec3| {
            let moved = moved(&b, by, turn, found.point);
            kernel
                .contact(&a, &moved)
                .map_or(0.0, |c| c.volume.unwrap().energy)
        };
        let along = |axis: DVec3| [axis * STEP, axis * -STEP];
        for axis in DVec3::AXES {
            let [ahead, back] = along(axis).map(|by| energy(by, DVec3::ZERO));
            let force = (back - ahead) / (2.0 * STEP);
            let [ahead, back] = along(axis).map(|turn| energy(DVec3::ZERO, turn));
            let torque = (back - ahead) / (2.0 * STEP);
            // The second derivative jumps where a corner passes a face.
            let slack = 2.0 * STEP * found.area + 1e-9;
            let errors = [
                force - found.force.dot(axis),
                torque - found.torque.dot(axis),
            ];
            assert!(
                errors.iter().all(|e| e.abs() < slack),
                "{case}: {errors:?} {found:?}"
            );
        }
        compared += 1;
    }
    assert!(compared > cases(200) / 3, "{compared}");
}

fn bits(contact: &PressureContact) -> String {
    format!("{contact:?}")
}

/// Swapped bodies have the negated wrench, and scaled ones the scaled wrench, bit for bit.
#[test]
fn swap_and_scale() {
    let mut random = random(93);
    let mut compared = 0;
    for _ in 0..cases(200) {
        let (shapes, poses) = overlapping(&mut random);
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let Some(found) = kernel(0.25).contact(&a, &b) else {
            continue;
        };
        let mut swapped = kernel(0.75).contact(&b, &a).unwrap();
        for vector in [&mut swapped.force, &mut swapped.torque, &mut swapped.normal] {
            *vector = -*vector;
        }
        let volume = swapped.volume.as_mut().unwrap();
        (volume.area_vector, volume.moment_vector) = (-volume.area_vector, -volume.moment_vector);
        assert_eq!(bits(&swapped), bits(&found));
        let factor = 2.0_f64.powi(random.below(80) as i32 - 40);
        let shapes = shapes.each_ref().map(|shape| {
            let vertices: Vec<_> = shape.vertices().iter().map(|&x| x * factor).collect();
            ConvexPolyhedron::from_convex_hull(&vertices).unwrap()
        });
        let [a, b] = [0, 1].map(|i| {
            let pose = Pose3::new(poses[i].rotation(), poses[i].translation() * factor);
            Placed::new(&shapes[i], pose.unwrap())
        });
        let scaled = kernel(0.25).contact(&a, &b).unwrap();
        assert_eq!(scaled.force, found.force * factor.powi(3));
        assert_eq!(scaled.torque, found.torque * factor.powi(4));
        assert_eq!(
            (scaled.point, scaled.normal),
            (found.point * factor, found.normal)
        );
        let numbers = [
            scaled.volume.unwrap().energy,
            scaled.volume.unwrap().volume,
            scaled.load,
            scaled.area,
            scaled.overlap,
        ];
        let expected = [
            found.volume.unwrap().energy,
            found.volume.unwrap().volume,
            found.load,
            found.area,
            found.overlap,
        ];
        let powers = [4, 3, 3, 2, 1];
        for ((number, expected), power) in numbers.into_iter().zip(expected).zip(powers) {
            assert_eq!(number, expected * factor.powi(power));
        }
        compared += 1;
    }
    assert!(compared > cases(200) / 3, "{compared}");
}

/// Blocks on the lattice, with faces, edges and pyramids in line: a motion by 1e-9 changes the force by at most the area
/// times the motion.
#[test]
fn ties_change_no_force() {
    const STEP: f64 = 1e-9;
    let mut random = random(94);
    let (mut compared, mut worst) = (0, 0.0_f64);
    for _ in 0..cases(2000) {
        let mut side = || f64::from(1 + random.below(4) as u32) * 0.5;
        let shapes = [0; 2].map(|_| cube_times(DVec3::from_array([0; 3].map(|_| side()))));
        let poses = [0, 1].map(|i| {
            let at = [0; 3].map(|_| f64::from(random.below(9) as u32) * 0.25 - 1.0);
            let eighth =
                DQuat::from_axis_angle(DVec3::AXES[random.below(3)], std::f64::consts::FRAC_PI_4);
            let rotation = if random.below(3) == 0 {
                eighth
            } else {
                turn(&mut random)
            };
            Pose3::new(rotation, DVec3::from_array(at) * f64::from(i)).unwrap()
        });
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let Some(found) = kernel(0.5).contact(&a, &b) else {
            continue;
        };
        let by = vector(&mut random).normalize() * STEP;
        let near = kernel(0.5)
            .contact(&a, &moved(&b, by, DVec3::ZERO, DVec3::ZERO))
            .unwrap();
        let change = (near.force - found.force).length() / (near.area.max(found.area) * STEP);
        worst = worst.max(change);
        assert!(change < 1.0, "{change} {found:?} {near:?}");
        compared += 1;
    }
    println!("{worst} of the bound in {compared} pairs");
    assert!(compared > cases(2000) / 4, "{compared}");
}

/// A body on a closed path with rotations gains no energy: the error falls with the square of the step.
#[test]
fn closed_paths_do_no_work() {
    let mut random = random(95);
    for _ in 0..cases(6) {
        let shapes = [0; 2].map(|_| polyhedron(&mut random, 1.0));
        let reach = shapes.each_ref().map(inscribed);
        let [u, v, w] = [0; 3].map(|_| vector(&mut random) * 0.1 * reach[0].min(reach[1]));
        let at = vector(&mut random).normalize() * (reach[0] + reach[1]) * 0.8;
        let rotation = random.rotation();
        let a = Placed::new(&shapes[0], Pose3::IDENTITY);
        let pose = |t: f64| {
            let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
            let turn = DQuat::from_scaled_axis((u * sin + w * cos) * 4.0);
            Pose3::new_normalize(turn * rotation, at + u * cos + v * sin).unwrap()
        };
        let work = |steps: u32| {
            let (mut sum, mut total) = (0.0, 0.0);
            for i in 0..steps {
                let [before, middle, after] =
                    [0.0, 0.5, 1.0].map(|part| pose((f64::from(i) + part) / f64::from(steps)));
                let Some(found) =
                    PressureField::new().contact(&a, &Placed::new(&shapes[1], middle))
                else {
                    continue;
                };
                let turned = after.rotation() * before.rotation().conjugate();
                let angle = turned.to_scaled_axis();
                let center = middle.translation();
                let shift = after.translation() - before.translation();
                let shift = shift + angle.cross(found.point - center);
                let work = found.force.dot(shift) + found.torque.dot(angle);
                (sum, total) = (sum + work, total + work.abs());
            }
            (sum.abs(), total)
        };
        let [(coarse, total), (fine, _)] = [500, 2000].map(work);
        assert!(
            coarse <= 1e-3 * total && fine <= 0.2 * coarse + 1e-9 * total,
            "{coarse} {fine} {total}"
        );
    }
}

/// Cubes face on face: force, depth and area by the closed formulas, from 1e-12 deep to the centers.
#[test]
fn cube_on_cube() {
    let cube = cube_times(DVec3::ONE);
    let a = Placed::new(&cube, Pose3::IDENTITY);
    for depth in [1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.25, 0.5] {
        let height = 1.0 - depth;
        let depth = 1.0 - height;
        let b = Placed::new(&cube, Pose3::from_translation(DVec3::Z * height).unwrap());
        let found = PressureField::new().with_volume().contact(&a, &b).unwrap();
        // The least of the depth and of the distances to the sides, over the square.
        let force = depth - 2.0 * depth * depth + 4.0 / 3.0 * depth.powi(3);
        assert!(
            (found.force.z / force - 1.0).abs() < 1e-14,
            "{depth}: {found:?}"
        );
        // Its integral over the depth.
        let error = if depth < 0.5 { 1e-13 } else { 1e-10 };
        let energy = depth * depth * (0.5 - 2.0 / 3.0 * depth + depth * depth / 3.0);
        assert!(
            (found.volume.unwrap().energy / energy - 1.0).abs() < error,
            "{depth}: {found:?} {energy}"
        );
        assert!(
            (found.volume.unwrap().volume / depth - 1.0).abs() < error
                && (found.overlap / depth - 1.0).abs() < 1e-14
        );
        assert!(
            found.force.truncate().length() < 1e-15 * force
                && found.torque.length() < 1e-15 * force
        );
    }
    let touching = Placed::new(&cube, Pose3::from_translation(DVec3::Z).unwrap());
    assert!(PressureField::new().contact(&a, &touching).is_none());
    let vertex = corner(7) * 0.5;
    let beside = Placed::new(&cube, Pose3::from_translation(vertex * 2.0).unwrap());
    assert!(PressureField::new().contact(&a, &beside).is_none());
}

#[test]
fn weights_from_0_to_1() {
    for weight in [-1e-300, 1.5, f64::NAN] {
        let error = PressureField::new()
            .with_weight_of_first(weight)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("weight {weight:?} is not within [0, 1]")
        );
    }
}

/// A cube on slabs up to 1e6 times as large: the wrench is that on a slab of 4, to the rounding of the slab's corners.
#[test]
fn on_a_much_larger_body() {
    let cube = cube_times(DVec3::ONE);
    let mut random = random(96);
    for _ in 0..cases(50) {
        let lean = DQuat::from_scaled_axis(vector(&mut random) * 0.3);
        let aside = vector(&mut random).with_z(0.95) * DVec3::new(0.5, 0.5, 1.0);
        let world = random.rotation();
        let find = |size: f64, weight: f64| {
            let slab = cube_times(DVec3::new(size, size, 1.0));
            let a = Placed::new(&slab, Pose3::new(world, DVec3::ZERO).unwrap());
            let b = Placed::new(
                &cube,
                Pose3::new_normalize(world * lean, world * aside).unwrap(),
            );
            kernel(weight).contact(&a, &b)
        };
        // In the field of the cube, and in that of the slab, which is the same near the cube.
        for weight in [0.0, 1.0] {
            let Some(expected) = find(4.0, weight) else {
                continue;
            };
            for size in [1e2, 1e4, 1e6] {
                let found = find(size, weight).unwrap();
                let error = [
                    found.force.distance(expected.force),
                    found.torque.distance(expected.torque),
                    (found.volume.unwrap().energy - expected.volume.unwrap().energy).abs(),
                ];
                let error = error.into_iter().fold(0.0, f64::max);
                println!("{size:e} {weight} {error:e} {}", expected.force.length());
                assert!(error < 1e-15 * size + 1e-14, "{found:?} {expected:?}");
            }
        }
    }
}
