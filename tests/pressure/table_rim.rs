//! A frictionless cube slides off a thickened table: energy over the rim of a wall.

use crate::support::convex::cube_times;
use osculate::glam::{DQuat, DVec3};
use osculate::{ContactEnergy, ContactVolume, MeshMesh, NarrowPhase, Placed, Pose3, SurfaceMesh};

const GRAVITY: f64 = 10.0;

/// The part of the plane z = 0 with x < 0.
fn table() -> SurfaceMesh {
    let corners = [(-4.0, -2.0), (0.0, -2.0), (0.0, 2.0), (-4.0, 2.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    SurfaceMesh::new(corners.to_vec(), [[0, 1, 2, 3]]).unwrap()
}

/// A cube of mass 1 and side 1. Its inertia is the same about all axes.
struct Cube {
    center: DVec3,
    velocity: DVec3,
    rotation: DQuat,
    spin: DVec3,
}

impl Cube {
    const INERTIA: f64 = 1.0 / 6.0;

    fn pose(&self) -> Pose3 {
        Pose3::new_normalize(self.rotation, self.center).unwrap()
    }

    fn energy(&self) -> f64 {
        let kinetic = self.velocity.length_squared() + Self::INERTIA * self.spin.length_squared();
        0.5 * kinetic + GRAVITY * self.center.z
    }

    fn kick(&mut self, (force, moment): (DVec3, DVec3), step: f64) {
        self.velocity += (force - DVec3::Z * GRAVITY) * step;
        self.spin += moment * (step / Self::INERTIA);
    }

    fn drift(&mut self, step: f64) {
        self.center += self.velocity * step;
        self.rotation = DQuat::from_scaled_axis(self.spin * step) * self.rotation;
    }
}

/// Slides a cube off the table with the leapfrog method, until it has left it. Returns the change of the
/// energy. `wrench` returns force and moment about the center, and the stored energy.
fn slide(
    [speed, stiffness]: [f64; 2],
    step: f64,
    mut wrench: impl FnMut(&Pose3) -> (DVec3, DVec3, f64),
) -> f64 {
    // At rest on the table: the force is stiffness times depth, for an area of 1.
    let depth = GRAVITY / stiffness;
    let mut cube = Cube {
        center: DVec3::new(-0.6, 0.1, 0.5 - depth),
        velocity: DVec3::X * speed,
        rotation: DQuat::from_rotation_z(0.1),
        spin: DVec3::ZERO,
    };
    let (mut force, mut moment, mut stored) = wrench(&cube.pose());
    let before = cube.energy() + stored;
    let (mut time, mut left) = (0.0, 0.0);
    while left < 0.05 {
        assert!(
            time < 10.0,
            "the cube stays on the table at {}",
            cube.center
        );
        cube.kick((force, moment), 0.5 * step);
        cube.drift(step);
        (force, moment, stored) = wrench(&cube.pose());
        cube.kick((force, moment), 0.5 * step);
        time += step;
        left = if stored == 0.0 { left + step } else { 0.0 };
    }
    cube.energy() - before
}

/// Slides the cube off the thickened table.
fn change([speed, stiffness]: [f64; 2], step: f64, thickness: f64) -> f64 {
    let cube = cube_times(DVec3::ONE);
    let solid = table().thickened(thickness).unwrap();
    let solid = Placed::new(&solid, Pose3::IDENTITY);
    let law = ContactEnergy::power_law(0.5 * stiffness, 2.0).unwrap();
    let mut kernel = MeshMesh::new();
    slide([speed, stiffness], step, |pose| {
        let body = Placed::new(&cube, *pose);
        let Some(contact): Option<ContactVolume<DVec3>> = kernel.contact(&body, &solid) else {
            return (DVec3::ZERO, DVec3::ZERO, 0.0);
        };
        let moment = contact.moment_about(&law, pose.translation());
        (contact.force(&law), moment, law.energy(contact.volume))
    })
}

/// At speeds of 1 and 0.2, and with a stiffness of 1e4 and 1e6.
#[test]
fn thickened_table_keeps_the_energy() {
    let cases = [
        (1.0, 1e4, 4e-4, 1.0),
        (0.2, 1e4, 4e-4, 0.05),
        (1.0, 1e6, 1e-4, 0.05),
    ];
    for (speed, stiffness, step, thickness) in cases {
        let change = change([speed, stiffness], step, thickness);
        println!("speed {speed}, stiffness {stiffness:e}: {change:e}");
        assert!(change.abs() < 1e-6, "{change:e}");
    }
}
