//! Spheres fall into a box and come to rest: a complete simulation with a solver of fifty lines.
//!
//! `cargo run --release --example quickstart` takes 0.3 s.

#[path = "support/random.rs"]
mod random;

use osculate::{
    DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Skin, Sphere, SphereSphere,
    SurfaceMesh, Wall, WallList, glam::DVec3,
};
use random::SplitMix64;

/// SI units: stiffness in N/m, damping rate in kg/s, gravity, time step.
const STIFFNESS: f64 = 2e4;
const DAMPING: f64 = 80.0;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
const STEP: f64 = 3e-4;

/// The force on the second of two touching bodies; `velocity` is relative to the first.
fn force(normal: DVec3, overlap: f64, velocity: DVec3) -> DVec3 {
    normal * (STIFFNESS * overlap - DAMPING * velocity.dot(normal)).max(0.0)
}

/// A box 1 wide and 2 high, as a wall of six rectangles. Walls have no thickness and two sides.
fn walls() -> Result<Wall, Error> {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2 << 1).into());
    let sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4]];
    let more = [[2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let mesh = SurfaceMesh::new((0..8).map(corner).collect(), [sides, more].concat())?;
    Ok(Wall::new(mesh))
}

fn main() -> Result<(), Error> {
    let walls = walls()?;
    let mut random = SplitMix64::new(1);
    let mut sphere = |i: u32| {
        let place = DVec3::from([i % 8, i / 8 % 8, i / 64].map(f64::from)) * 0.12 + 0.08;
        Sphere::new(place + random.in_ball() * 0.01, random.range(0.03, 0.05))
    };
    let mut spheres: Vec<Sphere<DVec3>> = (0..300).map(&mut sphere).collect();
    let mass: Vec<f64> = spheres.iter().map(|s| 4e3 * s.radius.powi(3)).collect();
    let mut velocities = vec![DVec3::ZERO; spheres.len()];

    // Candidates that are kept for several steps.
    let skin = Skin::Relative(0.2);
    let mut pairs = PairList::<_>::new(HierarchicalGrid::new(), skin)?;
    let mut near_walls = WallList::<()>::new(skin)?;
    let (mut on_spheres, mut on_walls) = (SphereSphere::new(), DoubleHierarchy::new());
    let (mut forces, mut on_floor, mut contact_count) = (vec![], 0.0, 0);
    for _step in 0..10_000 {
        forces.clear();
        forces.extend(mass.iter().map(|m| GRAVITY * *m));
        (on_floor, contact_count) = (0.0, 0);
        pairs.update(&spheres)?;
        pairs.for_each_touching_pair(|i, j, ()| {
            on_spheres.for_each_contact(&spheres[i], &spheres[j], &mut (), |c| {
                let push = force(c.normal, c.overlap, velocities[j] - velocities[i]);
                forces[i] -= push;
                forces[j] += push;
                contact_count += 1;
            });
        });
        near_walls.update(&spheres, &walls)?;
        near_walls.for_each_body(&walls, |i, near, state| {
            on_walls.for_each_contact(&spheres[i], near, state, |c| {
                // The sphere is the first body, the wall the second.
                let push = force(c.normal, c.overlap, -velocities[i]);
                forces[i] -= push;
                on_floor -= push.z;
                contact_count += 1;
            });
        });
        for (i, sphere) in spheres.iter_mut().enumerate() {
            velocities[i] += forces[i] / mass[i] * STEP;
            sphere.center += velocities[i] * STEP;
        }
    }

    let weight = 9.81 * mass.iter().sum::<f64>();
    let speed = velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    println!("{contact_count} contacts; the fastest sphere has {speed:.1e} m/s");
    println!("the floor carries {on_floor:.2} N of a weight of {weight:.2} N");
    let top = DVec3::new(1.0, 1.0, 2.0);
    let inside = |s: &Sphere| s.center.min(top - s.center).min_element() / s.radius;
    assert!(spheres.iter().all(|s| inside(s) > 0.9));
    assert!((on_floor / weight - 1.0).abs() < 0.01);
    Ok(())
}
