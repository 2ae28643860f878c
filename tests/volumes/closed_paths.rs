//! The work of a contact along a path equals the change of its energy, and is zero around a closed
//! path.
//!
//! The wrench is integrated by the three-point Gauss rule on `OSCULATE_PANELS` parts of the path.
//! The force has a kink where an edge passes an edge, so the error decreases as the number of parts
//! to the power -3, down to rounding.

use std::f64::consts::TAU;

use osculate::glam::{DQuat, DVec3};
use osculate::testing::workload;
use osculate::{
    ContactEnergy, ContactVolume, MeshMesh, NarrowPhase as _, Placed, Pose3, SolidMesh,
};

/// A pose, and its velocity and angular velocity by the path's parameter.
fn path(t: f64) -> (Pose3, DVec3, DVec3) {
    let (sin, cos) = (TAU * t).sin_cos();
    let there = DVec3::new(1.75 + 0.75 * cos, 0.25 * sin, 0.125 * (sin + cos));
    let velocity = DVec3::new(-0.75 * sin, 0.25 * cos, 0.125 * (cos - sin)) * TAU;
    let (first, second) = (0.5 * sin, 0.375 * cos);
    let about_z = DQuat::from_rotation_z(first);
    let turn = about_z * DQuat::from_rotation_x(second);
    let spin = DVec3::Z * (0.5 * cos) + about_z * DVec3::X * (-0.375 * sin);
    (
        Pose3::new_normalize(turn, there).unwrap(),
        velocity,
        spin * TAU,
    )
}

/// The energy and the power that goes into it at a point of the path.
fn energy_and_power(
    kernel: &mut MeshMesh,
    [a, b]: [&SolidMesh; 2],
    energy: &ContactEnergy,
    t: f64,
) -> (f64, f64) {
    let (pose, velocity, spin) = path(t);
    let (a, b) = (Placed::new(a, Pose3::IDENTITY), Placed::new(b, pose));
    let Some(c): Option<ContactVolume<DVec3>> = kernel.contact(&a, &b) else {
        return (0.0, 0.0);
    };
    // The force is that on the first body; the second one moves against its opposite.
    let moment = c.moment_about(energy, pose.translation());
    let power = c.force(energy).dot(velocity) + moment.dot(spin);
    (energy.energy(c.volume), power)
}

#[test]
fn work_is_what_is_stored() {
    let panels = crate::support::cases(200) as u32;
    let rocks = [1, 2].map(|seed| workload::rock(100, 0.5, seed).unwrap());
    let rocks = rocks.each_ref();
    let mut kernel = MeshMesh::new();
    let step = 1.0 / f64::from(panels);
    let node = 0.6_f64.sqrt() * 0.5 * step;
    for exponent in [1.0, 2.0] {
        let energy = ContactEnergy::power_law(1.0, exponent).unwrap();
        let mut at = |t: f64| energy_and_power(&mut kernel, rocks, &energy, t);
        assert_eq!(at(0.0), (0.0, 0.0), "apart");
        let (mut work, mut largest, mut off) = (0.0, 0.0_f64, 0.0_f64);
        for panel in 0..panels {
            let mid = (f64::from(panel) + 0.5) * step;
            let powers = [mid - node, mid, mid + node].map(|t| at(t).1);
            work += step / 18.0 * (5.0 * (powers[0] + powers[2]) + 8.0 * powers[1]);
            let (stored, _) = at(f64::from(panel + 1) * step);
            largest = largest.max(stored);
            off = off.max((work - stored).abs());
        }
        let [closed, off] = [work.abs(), off].map(|error| error / largest);
        println!(
            "w = V^{exponent}, {panels} panels: around {closed:.1e}, along {off:.1e} of {largest:.3}"
        );
        let allowed = 1000.0 * step.powi(3) + 1e-12;
        assert!(
            largest > 0.01 && closed < allowed && off < allowed,
            "{allowed:.1e}"
        );
    }
}
