//! Spheres of many sizes: Hertz's law with damping, and tangential springs with Coulomb's limit.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::WallHistory;
use osculate::{DoubleHierarchy, NarrowPhase, SphereSphere, Wall};

use crate::bodies::{Body, Wrench};
use crate::drum::Drum;
use crate::model::Model;

/// SI units.
const DENSITY: f64 = 2500.0;
const YOUNG: f64 = 5e5;
const POISSON: f64 = 0.25;
const FRICTION: f64 = 0.5;
/// Fraction of the critical damping.
const DAMPING: f64 = 0.2;

pub struct Spheres {
    pub drum: Drum,
}

fn mass(body: &Body) -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * body.radius.powi(3)
}

fn inertia(body: &Body) -> f64 {
    0.4 * mass(body) * body.radius * body.radius
}

fn velocity_at(body: &Body, arm: DVec3) -> DVec3 {
    body.motion.velocity + (body.motion.spin / inertia(body)).cross(arm)
}

/// Returns the force on the second body. `velocity` is that of the first one at the contact, relative to the second;
/// `radius` and `mass` are the reduced ones.
fn force(
    time: f64,
    [radius, mass]: [f64; 2],
    overlap: f64,
    normal: DVec3,
    velocity: DVec3,
    spring: &mut DVec3,
) -> DVec3 {
    let e_star = 0.5 * YOUNG / (1.0 - POISSON * POISSON);
    let width = (radius * overlap).sqrt();
    // Hertz: dF/d(overlap) = 2 E* a, F = 2/3 of that times the overlap. Mindlin: 8 G* a along the contact.
    let stiffness = 2.0 * e_star * width;
    let shear = stiffness * 2.0 * (1.0 - POISSON) / (2.0 - POISSON);
    let [damping, shear_damping] = [stiffness, shear].map(|k| 2.0 * DAMPING * (k * mass).sqrt());
    let push = (2.0 / 3.0 * stiffness * overlap + damping * velocity.dot(normal)).max(0.0);
    let slip = velocity.reject_from_normalized(normal);
    *spring = (*spring + slip * time).reject_from_normalized(normal);
    let hold = *spring * shear + slip * shear_damping;
    let most = FRICTION * push;
    if hold.length_squared() <= most * most {
        return push * normal + hold;
    }
    // A contact that slides keeps the part of its spring that the limit allows.
    let hold = hold.clamp_length_max(most);
    *spring = (hold - slip * shear_damping) / shear;
    push * normal + hold
}

impl Model for Spheres {
    type Kernels = (SphereSphere, DoubleHierarchy);
    type Pair = DVec3;
    type Wall = WallHistory<DVec3>;

    fn kernels(&self) -> Self::Kernels {
        Default::default()
    }

    fn time_step(&self) -> f64 {
        5e-5
    }

    fn wall(&self) -> &Wall {
        &self.drum.wall
    }

    fn set_time(&mut self, time: f64) -> Result<(), Box<dyn std::error::Error>> {
        Ok(self.drum.set_time(time)?)
    }

    fn drift(&self, body: &mut Body) {
        let (time, inertia) = (self.time_step(), inertia(body));
        let motion = &mut body.motion;
        motion.center += time * motion.velocity;
        let turn = DQuat::from_scaled_axis(motion.spin * (time / inertia));
        motion.rotation = (turn * motion.rotation).normalize();
    }

    fn kick(&self, body: &mut Body, wrench: &Wrench) {
        body.motion.kick(wrench, mass(body), self.time_step());
    }

    fn between(
        &self,
        kernels: &mut Self::Kernels,
        [a, b]: [&Body; 2],
        spring: &mut DVec3,
    ) -> Option<[Wrench; 2]> {
        let contact = kernels.0.contact(&a.sphere(), &b.sphere())?;
        let (normal, overlap) = (contact.normal, contact.overlap);
        let arms = [a.radius, -b.radius].map(|r| normal * (r - 0.5 * overlap * r.signum()));
        let velocity = velocity_at(a, arms[0]) - velocity_at(b, arms[1]);
        let reduced = |a: f64, b: f64| a * b / (a + b);
        let reduced = [reduced(a.radius, b.radius), reduced(mass(a), mass(b))];
        let force = force(self.time_step(), reduced, overlap, normal, velocity, spring);
        let mut wrenches = [Wrench::default(); 2];
        wrenches[0].push(-force, arms[0]);
        wrenches[1].push(force, arms[1]);
        Some(wrenches)
    }

    fn at_wall(
        &self,
        kernels: &mut Self::Kernels,
        body: &Body,
        history: &mut WallHistory<DVec3>,
    ) -> (Wrench, u32) {
        let (mut sum, mut contacts) = (Wrench::default(), 0);
        let (sphere, reduced) = (body.sphere(), [body.radius, mass(body)]);
        history.for_each_contact(&mut kernels.1, &sphere, self.wall(), |contact, spring| {
            let (normal, arm) = (contact.normal, contact.offset);
            let velocity = velocity_at(body, arm) - Drum::velocity(contact.point);
            let (time, overlap) = (self.time_step(), contact.overlap);
            let force = force(time, reduced, overlap, normal, velocity, spring);
            sum.push(-force, arm);
            contacts += 1;
        });
        (sum, contacts)
    }
}
