//! Section 6.1.4 and Table 8: a ball that slides on a floor until it rolls.

use osculate::glam::DVec3;

use crate::ball::{Ball, GRAVITY, Law};
use crate::ground::{Facets, Ground, patch};

const SPEED: f64 = 5.0;
const FRICTION: f64 = 0.3;

/// The state of the ball after a second: x, v and omega about the rolling axis.
pub(crate) type End = [f64; 3];

fn law(is_point_contact: bool) -> Law {
    Law {
        friction: FRICTION,
        restitution: 0.4,
        is_point_contact,
        ..Law::on_same(1e6)
    }
}

/// Simulates on one quad or on 80 triangles; also returns the values at a hundred times.
pub(crate) fn run(facets: Facets, is_point_contact: bool) -> (End, Vec<(f64, End)>) {
    run_from(facets, is_point_contact, 1.0)
}

/// The same from another height: the indentation at the start, relative to that in equilibrium.
pub(crate) fn run_from(
    facets: Facets,
    is_point_contact: bool,
    start: f64,
) -> (End, Vec<(f64, End)>) {
    const DT: f64 = 1e-5;
    let cells = match facets {
        Facets::Quads => [1, 1],
        Facets::Triangles => [20, 2],
    };
    let mesh = patch(cells, facets, |u, v| {
        DVec3::new(6.0 * u - 1.0, 1.2 * v - 0.57, 0.0)
    });
    let mut ground = Ground::new(mesh);
    let law = law(is_point_contact);
    let mut ball = Ball::of_paper(DVec3::ZERO);
    ball.center.z = ball.radius - start * law.overlap(ball.radius, ball.mass * GRAVITY);
    ball.velocity = SPEED * DVec3::X;
    ball.start(&mut ground, &law, DT);
    let mut course = Vec::new();
    for step in 0..=100_000 {
        let x = ball.center.x;
        let now = ball.step(&mut ground, &law, DT);
        if step % 1000 == 0 {
            course.push((DT * f64::from(step), [x, now.velocity.x, now.spin.y]));
        }
    }
    (course.last().map_or([f64::NAN; 3], |end| end.1), course)
}

/// Eqs 33-39, with the lever arm of the contact point on the wall: v decreases at mu g, and the
/// surface speed grows at mu g m L^2/I, until both are equal.
pub(crate) fn exact(is_point_contact: bool) -> End {
    let ball = Ball::of_paper(DVec3::ZERO);
    let indentation = law(is_point_contact).overlap(ball.radius, ball.mass * GRAVITY);
    let lever = if is_point_contact {
        ball.radius
    } else {
        ball.radius - indentation
    };
    let ratio = 2.5 * (lever / ball.radius).powi(2);
    let slowing = FRICTION * GRAVITY;
    let time = SPEED / (slowing * (1.0 + ratio));
    let speed = SPEED - slowing * time;
    let x = SPEED * time - 0.5 * slowing * time * time + speed * (1.0 - time);
    [x, speed, speed / lever]
}
