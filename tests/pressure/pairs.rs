//! Pressure fields of two polyhedra: the energy against layers, closed formulas, much larger bodies.

use crate::support::cases;
use crate::support::convex::{Body, corner, cube_times, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexConvex, ConvexPolyhedron, NarrowPhase, Placed, Pose3};

fn kernel(weight: f64) -> PressureField {
    let kernel = PressureField::new().with_volume();
    kernel.with_weight_of_first(weight).unwrap()
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

/// Two random bodies that overlap, often deeply; in one of four cases one is inside the other.
fn overlapping(case: usize, random: &mut SplitMix64) -> ([ConvexPolyhedron; 2], [Pose3; 2]) {
    let (size, reach) = [(0.05, 0.1), (1.0, 0.7), (1.0, 0.7), (1.0, 0.7)][case % 4];
    let sizes = [1.0, size];
    let shapes = sizes.map(|size| polyhedron(random, size));
    let poses = [0, 1].map(|i| {
        let at = vector(random) * f64::from(i) * reach;
        Pose3::new(random.rotation(), at).unwrap()
    });
    (shapes, poses)
}

/// Energy and volume of overlapping bodies, nested ones included.
#[test]
fn energy_is_that_of_layers() {
    let mut random = random(91);
    let (mut compared, mut nested) = (0, 0);
    for case in 0..cases(12) {
        let (shapes, poses) = overlapping(case, &mut random);
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
        compared > cases(12) / 3 && nested > 0,
        "{compared} {nested}"
    );
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
        // The plane of a face passes the centers.
        let error = if depth < 0.5 { 1e-13 } else { 1e-7 };
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

/// A cube on slabs up to 1e6 times as large: the wrench is that on a slab of 8, to the rounding of the slab's corners.
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
            let Some(expected) = find(8.0, weight) else {
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

/// Bodies about the same center have an energy; a state of another pose changes no bit.
#[test]
fn concentric_bodies_and_any_state() {
    let mut random = random(96);
    let shapes = [DVec3::ONE, DVec3::new(0.3, 0.4, 2.0)].map(cube_times);
    let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], Pose3::IDENTITY));
    let kernel = &mut kernel(0.5);
    let found = kernel.contact(&a, &b).unwrap();
    let energy = found.volume.unwrap().energy;
    assert!(energy > 1e-3 && found.force.length() < 1e-15, "{found:?}");
    for case in 0..cases(300) {
        let (shapes, poses) = overlapping(case, &mut random);
        let [a, b] = [0, 1].map(|i| Placed::new(&shapes[i], poses[i]));
        let other = Pose3::from_translation(poses[1].translation() + vector(&mut random)).unwrap();
        let mut state = Default::default();
        kernel.contact_with(&a, &Placed::new(&shapes[1], other), &mut state);
        let found = kernel.contact_with(&a, &b, &mut state);
        assert_eq!(found, kernel.contact(&a, &b));
    }
}
