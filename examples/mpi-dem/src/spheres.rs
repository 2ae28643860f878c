//! Spheres of many sizes: Hertz's law with damping, and tangential springs with Coulomb's limit.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::match_contacts;
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SphereSphere, WallContact, WallState};
use serde::{Deserialize, Serialize};

use crate::bodies::{Body, Wrench};
use crate::drum::Drum;
use crate::model::{GRAVITY, Model};

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

/// What a sphere keeps at the drum: a spring for each contact.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AtDrum {
    side: WallState,
    contacts: Vec<WallContact>,
    springs: Vec<DVec3>,
}

fn mass(body: &Body) -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * body.radius.powi(3)
}

fn inertia(body: &Body) -> f64 {
    0.4 * mass(body) * body.radius * body.radius
}

fn sphere(body: &Body) -> Sphere<DVec3> {
    Sphere::new(body.motion.center, body.radius)
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
    type Wall = AtDrum;

    fn kernels(&self) -> Self::Kernels {
        Default::default()
    }

    fn time_step(&self) -> f64 {
        5e-5
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
        let (time, mass) = (self.time_step(), mass(body));
        body.motion.velocity += time * (wrench.force / mass + GRAVITY);
        body.motion.spin += time * wrench.torque;
    }

    fn between(
        &self,
        kernels: &mut Self::Kernels,
        [a, b]: [&Body; 2],
        spring: &mut DVec3,
    ) -> Option<[Wrench; 2]> {
        let contact = kernels.0.contact(&sphere(a), &sphere(b))?;
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
        history: &mut AtDrum,
    ) -> (Wrench, u32) {
        let wall = &self.drum.wall;
        let mut contacts = Vec::new();
        let found = |contact| contacts.push(contact);
        kernels
            .1
            .for_each_contact(&sphere(body), wall, &mut history.side, found);
        let mut springs = vec![DVec3::ZERO; contacts.len()];
        let are_adjacent = |_, f, g| wall.are_adjacent(f, g);
        let before = &history.contacts;
        match_contacts(
            &contacts,
            before,
            |c| (0, *c),
            are_adjacent,
            |i, j| springs[i] = history.springs[j],
        );
        let (mut sum, reduced) = (Wrench::default(), [body.radius, mass(body)]);
        for (contact, spring) in contacts.iter().zip(&mut springs) {
            let velocity = velocity_at(body, contact.offset) - Drum::velocity(contact.point);
            let force = force(
                self.time_step(),
                reduced,
                contact.overlap,
                contact.normal,
                velocity,
                spring,
            );
            sum.push(-force, contact.offset);
        }
        (history.contacts, history.springs) = (contacts, springs);
        (sum, history.springs.len() as u32)
    }
}
