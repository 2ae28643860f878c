//! Pressure fields of two polyhedra: the energy against the work, closed formulas, much larger bodies.

use crate::scene::{at, place, total};
use crate::support::cases;
use crate::support::convex::{corner, cube_times, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::{ConvexConvex, NarrowPhase};

fn kernel(weight: f64) -> PressureField {
    let kernel = PressureField::new().with_volume();
    kernel.with_weight_of_first(weight).unwrap()
}

/// The energy is the work that brings two bodies together, nested ones included; V is that of the common region.
#[test]
fn energy_is_work() {
    let mut random = random(91);
    let (mut compared, mut nested) = (0, 0);
    for case in 0..cases(12) {
        let (size, reach) = [(0.05, 0.1), (1.0, 0.7), (1.0, 0.7), (1.0, 0.7)][case % 4];
        let shapes = [1.0, size].map(|size| polyhedron(&mut random, size));
        let turns = [random.rotation(), random.rotation()];
        let a = place(&shapes[0], turns[0], DVec3::ZERO);
        let end = vector(&mut random) * reach;
        let at = |by: DVec3| place(&shapes[1], turns[1], end + by);
        let kernel = &mut kernel(0.5);
        let Some(found) = kernel.contact(&a, &at(DVec3::ZERO)) else {
            continue;
        };
        // Apart in steps that are small parts of the depth.
        let way = found.normal;
        let (mut last, mut by, mut work) = (found, 0.0, 0.0);
        for _ in 0..20_000 {
            let step = 0.005 * last.overlap;
            by += step;
            let Some(next) = kernel.contact(&a, &at(way * by)) else {
                break;
            };
            work += 0.5 * step * (last.force + next.force).dot(way);
            last = next;
        }
        let integrals = found.volume.unwrap();
        let error = (work / integrals.energy - 1.0).abs();
        assert!(error < 1e-4, "{case} {found:?} {work} {error:e}");
        let common = ConvexConvex::new().contact(&a, &at(DVec3::ZERO));
        let common = common.map_or(0.0, |c| c.volume);
        let [first, second] = shapes.each_ref().map(|shape| shape.volume());
        let error = (integrals.volume - common).abs() / first.max(second);
        assert!(error < 1e-12, "{case} {found:?} {common} {error:e}");
        compared += 1;
        nested += usize::from((common / first.min(second) - 1.0).abs() < 1e-9);
    }
    let is_enough = compared > cases(12) / 3 && nested > 0;
    assert!(is_enough, "{compared} {nested}");
}

/// Cubes face on face: force, depth and area by the closed formulas, from 1e-12 deep to the centers.
#[test]
fn cube_on_cube() {
    let cube = cube_times(DVec3::ONE);
    let contact = |by: DVec3| kernel(0.5).contact(&at(&cube, DVec3::ZERO), &at(&cube, by));
    for depth in [1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.25, 0.5] {
        let height = 1.0 - depth;
        let depth = 1.0 - height;
        let found = contact(DVec3::Z * height).unwrap();
        // The least of the depth and of the distances to the sides, over the square.
        let force = depth - 2.0 * depth * depth + 4.0 / 3.0 * depth.powi(3);
        let across = found.force.truncate().length() + found.torque.length();
        assert!(across < 1e-15 * force, "{depth}: {found:?}");
        // The force over the depth.
        let energy = depth * depth * (0.5 - 2.0 / 3.0 * depth + depth * depth / 3.0);
        // At the centers the plane of a face passes them.
        let error = if depth < 0.5 { 1e-13 } else { 1e-7 };
        let integrals = found.volume.unwrap();
        for (value, expected, error) in [
            (found.force.z, force, 1e-14),
            (found.overlap, depth, 1e-14),
            (integrals.volume, depth, error),
            (integrals.energy, energy, error),
        ] {
            assert!((value / expected - 1.0).abs() < error, "{depth}: {found:?}");
        }
    }
    // Touching at a face, and at a corner.
    assert!(contact(DVec3::Z).is_none() && contact(corner(7)).is_none());
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
            let slab = place(&slab, world, DVec3::ZERO);
            kernel(weight).contact(&slab, &place(&cube, world * lean, world * aside))
        };
        // In the field of the cube, and in that of the slab, which is the same near the cube.
        for weight in [0.0, 1.0] {
            let Some(expected) = find(8.0, weight) else {
                continue;
            };
            for size in [1e2, 1e4, 1e6] {
                let found = find(size, weight).unwrap();
                let [one, other] = [&found, &expected].map(|c| total(&[*c], c.point));
                let error = one.distance(&other);
                assert!(error < 1e-15 * size + 1e-14, "{found:?} {expected:?}");
            }
        }
    }
}
