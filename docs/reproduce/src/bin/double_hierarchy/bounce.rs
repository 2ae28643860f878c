//! Section 6.1.1: a soft sphere falls on a facet, an edge and a vertex.

use osculate::glam::DVec3;

use crate::ball::{Ball, GRAVITY, Law};
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
    /// Time and size of the largest vertical force of both bounces.
    pub peaks: [(f64, f64); 2],
}

/// The modulus of the sphere, Pa.
pub(crate) const YOUNG: f64 = 1e5;

pub(crate) const NAMES: [&str; 3] = ["a facet", "an edge", "a vertex"];

/// Simulates two seconds on each of the three.
pub(crate) fn run() -> [Bounce; 3] {
    let law = Law::on_rigid(YOUNG);
    // The facets are a quarter of the radius wide: the sphere covers many of them.
    let meshes = [
        floor(1.2, 32),
        roof(1.2, 32, std::f64::consts::FRAC_PI_4),
        pyramid(1.2),
    ];
    meshes.map(|mesh| on(&mut Ground::new(mesh), law))
}

/// The same on a facet as stiff as the sphere.
pub(crate) fn on_equal_stiffness() -> Bounce {
    on(&mut Ground::new(floor(1.2, 32)), Law::on_same(YOUNG))
}

/// The largest force by the balance of energy: m g (1 m + d) = 2/5 F d.
pub(crate) fn exact_force(law: &Law) -> f64 {
    let ball = Ball::of_paper(DVec3::ZERO);
    let force = |d: f64| law.force(ball.radius, d);
    let (mut low, mut high) = (0.0, ball.radius);
    for _ in 0..100 {
        let d = 0.5 * (low + high);
        if 0.4 * force(d) * d < ball.mass * GRAVITY * (1.0 + d) {
            low = d;
        } else {
            high = d;
        }
    }
    force(low)
}

fn on(ground: &mut Ground, law: Law) -> Bounce {
    const DT: f64 = 1e-5;
    let mut ball = Ball::of_paper(DVec3::new(0.0, 0.0, 1.3));
    let mut bounce = Bounce {
        course: Vec::new(),
        gamma: 0.0,
        sideways: 0.0,
        drift: 0.0,
        contacts: 0,
        peaks: [(0.0, 0.0); 2],
    };
    ball.start(ground, &law, DT);
    let mut energy = None;
    for step in 0..=200_000 {
        let center = ball.center;
        let now = ball.step(ground, &law, DT);
        let time = DT * f64::from(step);
        if step % 200 == 0 {
            bounce.course.push([time, center.z, now.force.z]);
        }
        let start = *energy.get_or_insert(now.energy);
        bounce.drift = bounce.drift.max((now.energy / start - 1.0).abs());
        bounce.gamma = bounce.gamma.max(now.overlap / ball.radius);
        bounce.sideways = bounce.sideways.max(now.force.truncate().length());
        bounce.contacts = bounce.contacts.max(now.contact_count);
        let peak = &mut bounce.peaks[usize::from(time > 1.0)];
        if now.force.z > peak.1 {
            *peak = (time, now.force.z);
        }
    }
    bounce.sideways /= bounce.peaks[0].1;
    bounce
}
