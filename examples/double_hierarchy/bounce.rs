//! Section 6.1.1: a soft sphere falls on a facet, an edge and a vertex.

use osculate::glam::DVec3;

use crate::ball::{Ball, Law};
use crate::ground::{Ground, floor, pyramid, roof};

pub(crate) struct Bounce {
    /// Time, height of the center, and vertical force.
    pub course: Vec<[f64; 3]>,
    /// The largest indentation, relative to the radius.
    pub gamma: f64,
    /// The largest horizontal force, relative to the largest vertical one.
    pub sideways: f64,
    /// The largest change of the energy from step to step, relative to its initial value.
    pub drift: f64,
    pub contacts: usize,
}

pub(crate) const NAMES: [&str; 3] = ["a facet", "an edge", "a vertex"];

/// Simulates two seconds on each of the three.
pub(crate) fn run() -> [Bounce; 3] {
    // The facets are a quarter of the radius wide: the sphere covers many of them.
    let meshes = [
        floor(1.2, 32),
        roof(1.2, 32, std::f64::consts::FRAC_PI_4),
        pyramid(1.2),
    ];
    meshes.map(|mesh| on(&mut Ground::new(mesh)))
}

fn on(ground: &mut Ground) -> Bounce {
    const DT: f64 = 1e-5;
    let law = Law::on_rigid(1e5);
    let mut ball = Ball::of_paper(DVec3::new(0.0, 0.0, 1.3));
    let mut bounce = Bounce {
        course: Vec::new(),
        gamma: 0.0,
        sideways: 0.0,
        drift: 0.0,
        contacts: 0,
    };
    ball.start(ground, &law, DT);
    let (mut energy, mut most) = (None, 0.0_f64);
    for step in 0..=200_000 {
        let center = ball.center;
        let now = ball.step(ground, &law, DT);
        if step % 200 == 0 {
            let time = DT * f64::from(step);
            bounce.course.push([time, center.z, now.force.z]);
        }
        let start = *energy.get_or_insert(now.energy);
        bounce.drift = bounce.drift.max((now.energy / start - 1.0).abs());
        bounce.gamma = bounce.gamma.max(now.overlap / ball.radius);
        bounce.sideways = bounce.sideways.max(now.force.truncate().length());
        bounce.contacts = bounce.contacts.max(now.contact_count);
        most = most.max(now.force.z);
    }
    bounce.sideways /= most;
    bounce
}
