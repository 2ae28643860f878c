//! Section 6.1.3: balls that come to rest in holes, on several edges or vertices at once.

use osculate::Feature;
use osculate::glam::DVec3;

use crate::ball::{Ball, GRAVITY, Law};
use crate::ground::{Ground, plate};

pub(crate) struct Rest {
    pub name: &'static str,
    /// Time and speed.
    pub course: Vec<(f64, f64)>,
    pub speed: f64,
    /// The numbers of edge and vertex contacts at the end.
    pub edges: usize,
    pub vertices: usize,
    /// The height of the center, and its equilibrium value.
    pub height: f64,
    pub exact: f64,
}

/// The distance from the axis of each hole to its supports.
const REACH: f64 = 0.2;

pub(crate) fn run() -> [Rest; 3] {
    let polygon = |count: u32, radius: f64| ring(count, |_| radius);
    let square = polygon(4, REACH * 2_f64.sqrt());
    let triangle = polygon(3, 2.0 * REACH);
    // Three points toward the ball, with three arms pointing away.
    let star = ring(6, |i| if i % 2 == 0 { REACH } else { 0.5 });
    [
        rest("three edges", &triangle, 3),
        rest("four edges", &square, 4),
        rest("three vertices", &star, 3),
    ]
}

fn ring(count: u32, radius: impl Fn(u32) -> f64) -> Vec<[f64; 2]> {
    let corner = |i: u32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(count)).sin_cos();
        [radius(i) * cos, radius(i) * sin]
    };
    (0..count).map(corner).collect()
}

fn rest(name: &'static str, hole: &[[f64; 2]], carriers: u32) -> Rest {
    const DT: f64 = 1e-5;
    let law = Law {
        friction: 0.3,
        restitution: 0.4,
        ..Law::on_rigid(1e6)
    };
    let mut ground = Ground::new(plate(hole, 2.0));
    // Off the axis, so that it has to find the center.
    let mut ball = Ball::of_paper(DVec3::new(0.02, 0.01, 0.45));
    ball.start(&mut ground, &law, DT);
    let mut course = Vec::new();
    let mut speed = 0.0;
    for step in 0..=250_000 {
        let now = ball.step(&mut ground, &law, DT);
        speed = now.velocity.length();
        if step % 500 == 0 {
            course.push((DT * f64::from(step), speed));
        }
    }
    let contacts = ground.contacts(ball.center, ball.radius);
    let count = |is: fn(&Feature) -> bool| contacts.iter().filter(|c| is(&c.feature)).count();
    Rest {
        name,
        course,
        speed,
        edges: count(|f| matches!(f, Feature::Edge(..))),
        vertices: count(|f| matches!(f, Feature::Vertex(_))),
        height: ball.center.z,
        exact: balance(&law, &ball, carriers),
    }
}

/// The equilibrium height on so many contacts, each at `REACH` from the axis.
fn balance(law: &Law, ball: &Ball, carriers: u32) -> f64 {
    let (mut low, mut high) = (0.0, ball.radius);
    for _ in 0..200 {
        let height = 0.5 * (low + high);
        let distance = height.hypot(REACH);
        let push = law.force(ball.radius, (ball.radius - distance).max(0.0));
        let lift = f64::from(carriers) * push * height / distance;
        // Bisection: while the ball overlaps its supports, lower means more lift.
        if lift > ball.mass * GRAVITY {
            low = height;
        } else {
            high = height;
        }
    }
    low
}
