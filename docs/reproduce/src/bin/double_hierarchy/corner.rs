//! Section 6.1.2: convex transitions are continuous.

use osculate::Feature;
use osculate::glam::DVec3;

use crate::ball::{Ball, GRAVITY, Law};
use crate::ground::{Facets, Ground, patch, roof};

/// Around a right-angled corner at constant indentation: the angle of the force and its magnitude
/// at each position.
pub(crate) fn around() -> Vec<(f64, f64)> {
    const INDENTATION: f64 = 0.01;
    let law = Law::on_rigid(1e5);
    // The top up to the edge at x = 0, then down the side.
    let mesh = patch([16, 8], Facets::Triangles, |u, v| {
        let s = 2.0 * u - 1.0;
        DVec3::new(s.min(0.0), 2.0 * v - 1.0, -s.max(0.0))
    });
    let mut ground = Ground::new(mesh);
    let ball = Ball::of_paper(DVec3::ZERO);
    let distance = ball.radius - INDENTATION;
    let place = |i: u32| {
        let t = f64::from(i) / 1000.0;
        let (sin, cos) = ((t - 1.0).clamp(0.0, 1.0) * std::f64::consts::FRAC_PI_2).sin_cos();
        let from_edge = distance * DVec3::new(sin, 0.0, cos);
        let along = DVec3::new(0.5 * (t - 1.0).min(0.0), 0.0, -0.5 * (t - 2.0).max(0.0));
        from_edge + along + DVec3::new(0.0, 0.03, 0.0)
    };
    let force = |center: DVec3| {
        let contacts = ground.contacts(center, ball.radius);
        let push = |c: &osculate::WallContact| law.force(ball.radius, c.overlap) * -c.normal;
        contacts.iter().map(push).sum::<DVec3>()
    };
    let forces = (0..=3000).map(place).map(force);
    forces
        .map(|f| (f.x.atan2(f.z).to_degrees(), f.length()))
        .collect()
}

/// The exact force, on a rigid wall.
pub(crate) fn exact_force() -> f64 {
    Law::on_rigid(1e5).force(0.3, 0.01)
}

/// A ball that rolls over a ridge of 20 degrees under its weight and stays on it.
pub(crate) struct Ridge {
    /// The largest change of the force in a step, relative to the weight.
    pub jump: f64,
    /// Whether it was on a facet, on the edge, and again on a facet.
    pub has_crossed: bool,
    /// The largest number of contacts.
    pub contacts: usize,
}

pub(crate) fn ridge(dt: f64) -> Ridge {
    let law = Law {
        friction: 0.3,
        ..Law::on_rigid(1e6)
    };
    let angle = 10_f64.to_radians();
    let mut ground = Ground::new(roof(3.0, 24, angle));
    let mut ball = Ball::of_paper(DVec3::ZERO);
    let weight = ball.mass * GRAVITY;
    let height = ball.radius - law.overlap(ball.radius, weight * angle.cos());
    // On the slope, rolling up.
    let (up, normal) = (
        DVec3::new(angle.cos(), 0.0, angle.sin()),
        DVec3::new(-angle.sin(), 0.0, angle.cos()),
    );
    ball.center = height * normal - 0.3 * up + DVec3::new(0.0, 0.07, 0.0);
    ball.velocity = 1.5 * up;
    ball.spin = DVec3::Y * (1.5 / height);
    ball.start(&mut ground, &law, dt);
    let mut ridge = Ridge {
        jump: 0.0,
        has_crossed: false,
        contacts: 0,
    };
    let (mut last, mut was_on_edge) = (None::<f64>, false);
    for _ in 0..(0.6 / dt) as u32 {
        let on = ground
            .contacts(ball.center, ball.radius)
            .first()
            .map(|c| c.feature);
        let is_on_ridge = ball.center.x.abs() < 0.3 * height * angle.sin();
        was_on_edge |= is_on_ridge && matches!(on, Some(Feature::Edge(..)));
        ridge.has_crossed = was_on_edge && ball.center.x > 0.1 && on.is_some();
        let now = ball.step(&mut ground, &law, dt);
        ridge.contacts = ridge.contacts.max(now.contact_count);
        // The normal force only: friction starts and stops abruptly.
        if let Some(last) = last {
            ridge.jump = ridge.jump.max((now.push - last).abs() / weight);
        }
        last = Some(now.push);
    }
    ridge
}
