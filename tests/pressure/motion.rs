//! Mechanics without damping: energies of bounces and of a slide over a rim, and forces of thin plates.
//! OSCULATE_CASES sets the time of bounces, in tenths of a second.

use crate::scene::*;
use crate::support::cases;
use crate::support::convex::{cube_times, random};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::{
    ContactEnergy, ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, Wall,
};

pub(crate) const GRAVITY: f64 = 10.0;

/// A body of mass 1 with the inertia of a cube about all axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rigid {
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) rotation: DQuat,
    pub(crate) spin: DVec3,
}

impl Rigid {
    const INERTIA: f64 = 1.0 / 6.0;

    pub(crate) fn pose(&self) -> Pose3 {
        Pose3::new_normalize(self.rotation, self.center).unwrap()
    }

    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }

    pub(crate) fn kinetic_energy(&self) -> f64 {
        0.5 * (self.velocity.length_squared() + Self::INERTIA * self.spin.length_squared())
    }

    fn energy(&self) -> f64 {
        self.kinetic_energy() + GRAVITY * self.center.z
    }

    /// Lets a force and a couple act at a point for some time.
    pub(crate) fn push(&mut self, (force, couple): (DVec3, DVec3), point: DVec3, time: f64) {
        let moment = couple + (point - self.center).cross(force);
        self.velocity += force * time;
        self.spin += moment * (time / Self::INERTIA);
    }

    /// Lets a force and a moment about the center act, and the weight.
    fn kick(&mut self, wrench: (DVec3, DVec3), time: f64) {
        self.push(wrench, self.center, time);
        self.velocity.z -= GRAVITY * time;
    }

    pub(crate) fn drift(&mut self, time: f64) {
        self.center += self.velocity * time;
        self.rotation = (DQuat::from_scaled_axis(self.spin * time) * self.rotation).normalize();
    }
}

/// Force and moment about the center of the body, and the stored energy.
type Wrench = (DVec3, DVec3, f64);

/// Moves a body by the leapfrog method until `ends` says so. Returns the change of the energy.
fn run(
    body: &mut Rigid,
    step: f64,
    mut wrench: impl FnMut(&Pose3) -> Wrench,
    mut ends: impl FnMut(&Rigid, f64) -> bool,
) -> f64 {
    let (mut force, mut moment, mut stored) = wrench(&body.pose());
    let before = body.energy() + stored;
    while !ends(body, stored) {
        body.kick((force, moment), 0.5 * step);
        body.drift(step);
        (force, moment, stored) = wrench(&body.pose());
        body.kick((force, moment), 0.5 * step);
    }
    body.energy() + stored - before
}

/// The wrench of a field at a wall.
fn at_wall(
    kernel: &mut PressureField,
    shape: &ConvexPolyhedron,
    pose: &Pose3,
    wall: &Wall,
    stiffness: f64,
) -> Wrench {
    let found = contacts(kernel, &Placed::new(shape, *pose), wall);
    let sums = total(&found, pose.translation());
    (
        sums.force * -stiffness,
        sums.torque * -stiffness,
        sums.energy * stiffness,
    )
}

/// Slides a cube without friction off a table, until it has left it, by a wrench per pose. Returns the change of the
/// energy.
fn slide([speed, stiffness]: [f64; 2], step: f64, wrench: impl FnMut(&Pose3) -> Wrench) -> f64 {
    let mut cube = Rigid {
        // At rest on the table.
        center: v(-0.6, 0.1, 0.5 - GRAVITY / stiffness),
        velocity: DVec3::X * speed,
        rotation: DQuat::from_rotation_z(0.1),
        spin: DVec3::ZERO,
    };
    let (mut time, mut left) = (0.0, 0.0);
    run(&mut cube, step, wrench, |cube, stored| {
        assert!(
            time < 10.0,
            "the cube stays on the table at {}",
            cube.center
        );
        time += step;
        left = if stored == 0.0 { left + step } else { 0.0 };
        left > 0.05
    })
}

/// A frictionless cube slides off a thickened table, at speeds of 1 and 0.2 and with a stiffness of 1e4 and 1e6: by the
/// pressure field, and by the intersection volume.
#[test]
fn thickened_table_keeps_the_energy() {
    let cube = cube_times(DVec3::ONE);
    let cases = [
        (1.0, 1e4, 4e-4, 1.0),
        (0.2, 1e4, 4e-4, 0.05),
        (1.0, 1e6, 1e-4, 0.05),
    ];
    for (speed, stiffness, step, thickness) in cases {
        let table = plate([-4.0, 0.0], 2.0, thickness);
        let kernel = &mut PressureField::new().with_volume();
        let wall = Wall::new(table.clone());
        let field = slide([speed, stiffness], step, |pose| {
            at_wall(kernel, &cube, pose, &wall, stiffness)
        });
        let solid = osculate::SolidMesh::try_from(table).unwrap();
        let solid = Placed::new(&solid, Pose3::IDENTITY);
        let law = ContactEnergy::power_law(0.5 * stiffness, 2.0).unwrap();
        let mut kernel = MeshMesh::new();
        let volume = slide([speed, stiffness], step, |pose| {
            let body = Placed::new(&cube, *pose);
            let Some(contact): Option<ContactVolume<DVec3>> = kernel.contact(&body, &solid) else {
                return (DVec3::ZERO, DVec3::ZERO, 0.0);
            };
            let moment = contact.moment_about(&law, pose.translation());
            (contact.force(&law), moment, law.energy(contact.volume))
        });
        println!("speed {speed}, stiffness {stiffness:e}: field {field:e}, volume {volume:e}");
        assert!(
            field.abs() < 1e-6 && volume.abs() < 1e-6,
            "{field:e} {volume:e}"
        );
    }
}

/// Bodies bounce without damping in a box with a bumpy floor and a fixed cube: the energy stays.
#[test]
fn bounces_keep_the_energy() {
    let seconds = 0.1 * cases(10) as f64;
    let mut random = random(81);
    let cube = cube_times(DVec3::ONE);
    let shapes = [cube.clone(), rock(14, &mut random), rock(50, &mut random)];
    let mut triangles = terrain(6, 1.5, || random.range(-0.1, 0.1));
    for k in 0..4 {
        let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 * f64::from(k));
        let corners = [(-2., -1.), (2., -1.), (2., 9.), (-2., 9.)];
        let [a, b, c, d] = corners.map(|(x, z)| turn * v(-x, -1.25, z));
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let wall = wall(&triangles);
    let fixed = place(&cube, DQuat::from_rotation_x(0.5), v(1.0, 0.9, 0.3));
    let (stiffness, step) = (1e4, 2e-4);
    for (i, shape) in shapes.iter().enumerate() {
        let mut body = Rigid {
            center: v(-0.2, 0.1, 1.4),
            velocity: v(1.0, 0.7, 0.0),
            rotation: random.rotation(),
            spin: v(1.0, 2.0, 0.5),
        };
        let kernel = &mut PressureField::new().with_volume();
        let (mut steps, mut touching) = (seconds / step, 0);
        let wrench = |pose: &Pose3| {
            let (mut force, mut moment, mut stored) =
                at_wall(kernel, shape, pose, &wall, stiffness);
            let own = Placed::new(shape, *pose);
            if let Some(pair) = kernel.contact(&own, &fixed) {
                let sums = total(&[pair], pose.translation());
                force -= sums.force * stiffness;
                moment -= sums.torque * stiffness;
                stored += sums.energy * stiffness;
            }
            touching += usize::from(stored > 0.0);
            (force, moment, stored)
        };
        let change = run(&mut body, step, wrench, |_, _| {
            steps -= 1.0;
            steps < 0.0
        });
        let error = change / GRAVITY;
        println!("body {i}: {seconds} s, {touching} steps in contact, {error:e} m g 1 m");
        assert!(touching > 100 && body.center.z > 0.0);
        assert!(error.abs() < 1e-5, "{i} {error:e}");
    }
}

/// Closed plates of 0.005 to 0.3 push a cube and a rock back to their front, to a depth of 0.45. A bed pulled a cube that
/// was deeper than the plate thick to the back, with up to 0.93 of the load.
#[test]
fn plates_push_to_the_front() {
    let mut random = random(82);
    let cube = cube_times(DVec3::ONE);
    let rock = rock(30, &mut random);
    for thickness in [0.005, 0.01, 0.02, 0.05, 0.1, 0.3] {
        let wall = Wall::new(plate([-3.0, 3.0], 3.0, thickness));
        let depths = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45];
        for (depth, case) in depths.into_iter().flat_map(|d| (0..6).map(move |c| (d, c))) {
            let shape = [&cube, &rock][case % 2];
            let turn = [DQuat::IDENTITY, random.rotation()][usize::from(case > 1)];
            // Rotated bodies may be pushed to the back from 0.8 of the depth of the center.
            let part = if case == 0 { 2.0 * depth } else { 1.6 * depth };
            let up = -low(shape, turn) * (1.0 - part);
            let body = place(shape, turn, v(0.1, 0.0, up));
            let force = -sums(&body, &wall).force;
            assert!(force.z > 0.0, "{thickness} {depth} {case} {force}");
        }
    }
}
