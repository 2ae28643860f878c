//! Rigid bodies with impulses at the corners of pressure fields: a stack, a pyramid, a box that slides over the edges of a
//! mesh, and rocks on rough ground.
//!
//! `cargo run --release --example impulse` takes 3 s.

mod engine;
#[path = "../support/random.rs"]
mod random;
mod scenes;

use engine::{Body, FRICTION, GRAVITY, STEP, World};
use osculate::glam::DVec3;
use osculate::{Error, SurfaceMesh, Wall};
use scenes::Solid;

/// Runs a scene with an initial velocity. Returns the bodies, how far one has moved at most across gravity, and the largest
/// speed at the end.
fn run(
    name: &str,
    solids: Vec<Solid>,
    ground: SurfaceMesh,
    velocity: DVec3,
    seconds: f64,
) -> Result<(Vec<Body>, f64, f64), Error> {
    let mut world = World::new(&solids, Wall::new(ground))?;
    let bodies = &mut world.bodies[..solids.len()];
    bodies.iter_mut().for_each(|body| body.velocity = velocity);
    let start: Vec<_> = bodies.iter().map(|body| body.position).collect();
    let (steps, mut time) = ((seconds / STEP).round(), 0.0);
    for _ in 0..steps as u32 {
        world.step()?;
        time += world.time;
    }
    let bodies = world.bodies[..solids.len()].iter().zip(start);
    let [drift, speed] = bodies.fold([0.0; 2], |[drift, speed]: [f64; 2], (body, start)| {
        let moved = (body.position - start).truncate();
        [drift.max(moved.length()), speed.max(body.velocity.length())]
    });
    let z = world.bodies[solids.len() - 1].position.z;
    println!("{name:12} drift {drift:7.1e} m, last body at {z:5.3} m, speed {speed:7.1e} m/s");
    println!("time {name}: contacts {:.1} us a step", time * 1e6 / steps);
    Ok((world.bodies, drift, speed))
}

fn main() -> Result<(), Error> {
    let (cube, rocks) = (scenes::cuboid(DVec3::ONE)?, scenes::rocks()?);
    let two = || scenes::floor([1, 1], [40.0, 40.0], 0.0);
    let cells = || scenes::floor([56, 8], [0.25, 0.5], 0.0);
    let rest = DVec3::ZERO;
    let (bodies, drift, speed) = run("ten cubes", scenes::stack(&cube)?, two()?, rest, 5.0)?;
    assert!(drift < 5e-3 && speed < 5e-3 && bodies[9].position.z > 9.48);
    let (bodies, drift, speed) = run("55 cubes", scenes::pyramid(&cube)?, two()?, rest, 5.0)?;
    assert!(drift < 5e-3 && speed < 1e-3 && bodies[54].position.z > 9.48);

    // A box slows down by friction alone, over 56 cells as over two triangles.
    for (name, ground) in [("2 triangles", two()?), ("56 cells", cells()?)] {
        let (bodies, ..) = run(name, scenes::slider(&cube)?, ground, DVec3::X * 8.0, 1.0)?;
        let expected = DVec3::X * (8.0 - FRICTION * GRAVITY);
        assert!((bodies[0].velocity - expected).length() < 1e-3);
        assert!((bodies[0].position.z - 0.5).abs() < 1e-3);
    }

    let ground = scenes::floor([40, 40], [0.5, 0.5], 0.1)?;
    let (bodies, _, speed) = run("200 rocks", scenes::heap(&rocks)?, ground, rest, 6.0)?;
    let heights = bodies[..200].iter().map(|body| body.position.z);
    assert!(heights.fold(f64::INFINITY, f64::min) > 0.0 && speed < 1.0);
    Ok(())
}
