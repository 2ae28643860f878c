//! Two intersecting rocks: V, S and G, and the force and moments of an energy w(V).
//!
//! `cargo run --release --example meshes` takes 0.02 s.

use std::f64::consts::TAU;

use osculate::glam::{DQuat, DVec3};
use osculate::shape::Facet;
use osculate::{
    ContactEnergy, ContactVolume, ConvexPolyhedron, Error, MeshMesh, NarrowPhase, Placed, Pose3,
    SolidMesh,
};

type Body<'a> = Placed<&'a SolidMesh, DVec3>;

/// A nonconvex rock of 1246 triangles: a ball whose radius varies as a sum of waves.
fn rock(phase: f64) -> Result<SolidMesh, Error> {
    let direction = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / 625.0;
        let (sin, cos) = (TAU / 1.618_033_988_749_895 * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    };
    let directions: Vec<DVec3> = (0..625).map(direction).collect();
    let ball = ConvexPolyhedron::from_convex_hull(&directions)?.to_solid();
    let place = |&d: &DVec3| {
        let waves = [5.0 * d.x + phase, 4.0 * d.y + 2.0 * phase, 6.0 * d.z];
        d * (1.0 + 0.1 * waves.map(f64::sin).iter().sum::<f64>())
    };
    let vertices = ball.surface().vertices().iter().map(place).collect();
    let triangle = |facet: Facet| [0, 1, 2].map(|k| facet.vertices()[k]);
    SolidMesh::new(vertices, ball.surface().facets().map(triangle))
}

/// The intersection volume of two bodies whose surfaces cross.
fn contact(kernel: &mut MeshMesh, a: &Body, b: &Body) -> Option<ContactVolume<DVec3>> {
    kernel.contact(a, b)
}

/// A body after a translation and a small rotation about its center.
fn moved<'a>(body: &Body<'a>, shift: DVec3, turn: DVec3) -> Result<Body<'a>, Error> {
    let rotation = DQuat::from_scaled_axis(turn) * body.pose.rotation();
    let pose = Pose3::new_normalize(rotation, body.pose.translation() + shift)?;
    Ok(Body { pose, ..*body })
}

fn main() -> Result<(), Error> {
    // The search tree and the adjacency do not change with the pose, so they are built once.
    let (shape_a, shape_b) = (rock(1.0)?, rock(2.0)?);
    let a = Body {
        shape: &shape_a,
        pose: Pose3::IDENTITY,
    };
    let turn = DQuat::from_rotation_x(0.7);
    let b = Body {
        shape: &shape_b,
        pose: Pose3::new(turn, DVec3::new(1.5, 0.2, 0.1))?,
    };

    let mut kernel = MeshMesh::new();
    let Some(c) = contact(&mut kernel, &a, &b) else {
        panic!("the rocks do not touch");
    };
    println!(
        "V {:.6}, S {:.6}, point {:.4}",
        c.volume, c.area_vector, c.point
    );
    println!(
        "area {:.4}, pitch {:.1e}, {:?}",
        c.area(),
        c.pitch(),
        c.kind
    );

    // The energy k V^2 gives the force and the moments; those on b are the negatives.
    let energy = ContactEnergy::power_law(1e5, 2.0)?;
    let force = c.force(&energy);
    let moment = c.moment_about(&energy, a.pose.translation());
    println!("force on a {force:.4}, moment about its origin {moment:.4}");

    // The same by differences of the energy: a moves and rotates a little along each axis.
    let step = 1e-5;
    let mut work = |shift: DVec3, turn: DVec3| -> Result<f64, Error> {
        let mut energy_at = |sign: f64| -> Result<f64, Error> {
            let a = moved(&a, shift * sign, turn * sign)?;
            let volume = contact(&mut kernel, &a, &b).map_or(0.0, |c| c.volume);
            Ok(energy.energy(volume))
        };
        Ok((energy_at(-step)? - energy_at(step)?) / (2.0 * step))
    };
    let mut error: f64 = 0.0;
    for axis in DVec3::AXES {
        error = error.max((work(axis, DVec3::ZERO)? - force.dot(axis)).abs() / force.length());
        error = error.max((work(DVec3::ZERO, axis)? - moment.dot(axis)).abs() / moment.length());
    }
    println!("differences of the energy agree to {error:.1e}");
    assert!(error < 1e-6);
    Ok(())
}
