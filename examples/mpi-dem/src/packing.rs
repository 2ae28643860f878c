//! How the bodies begin: at random places in the drum without overlaps, falling.
//!
//! Every rank computes all of them. Real runs read them from a file.

use std::f64::consts::TAU;

use osculate::broad::{HashGrid, IncrementalBroadPhase};
use osculate::glam::{DQuat, DVec3};
use osculate::{BroadPhase, Error, Periodic, PeriodicBox, Sphere};

use crate::bodies::{Body, Motion};
use crate::drum::{Drum, RADIUS};
use crate::random::SplitMix64;

/// The velocity at which the bodies fall, m/s.
const FALL: f64 = 0.6;
/// The number of places tried for each body.
const ATTEMPTS: usize = 2000;

/// Places bodies of these radii and shapes, the largest first.
pub fn fill(period: &PeriodicBox, mut kinds: Vec<(f64, u32)>) -> Result<Vec<Body>, Error> {
    kinds.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut random = SplitMix64::new(7);
    let mut grid = Periodic::new(HashGrid::new(), *period);
    grid.rebuild(&[] as &[Sphere<DVec3>])?;
    let mut bodies = Vec::new();
    for (radius, shape) in kinds {
        for _ in 0..ATTEMPTS {
            let x = random.range(0.0, period.lengths().x);
            let [y, z] = [0; 2].map(|_| random.range(-RADIUS, RADIUS));
            let center = DVec3::new(x, y, z);
            let sphere = Sphere::new(center, radius);
            let mut is_free = Drum::has_room(center, radius) && z < 0.3 * RADIUS;
            if is_free {
                grid.for_each_touching(&sphere, |_| is_free = false);
            }
            if is_free {
                grid.insert(sphere)?;
                let turn =
                    DQuat::from_axis_angle(random.in_ball().normalize(), random.range(0.0, TAU));
                let jitter = random.in_ball() * 0.1;
                let motion = Motion {
                    center,
                    rotation: turn,
                    velocity: jitter - FALL * DVec3::Z,
                    spin: DVec3::ZERO,
                };
                bodies.push(Body::new(bodies.len() as u64, radius, shape, motion));
                break;
            }
        }
    }
    random.shuffle(&mut bodies);
    for (id, body) in (0..).zip(&mut bodies) {
        body.id = id;
    }
    Ok(bodies)
}
