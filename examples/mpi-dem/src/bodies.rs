//! Bodies, and what travels with them.

use osculate::Sphere;
use osculate::glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// m/s^2.
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// A body. It has no field that depends on the number of ranks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Its name among all bodies of all ranks.
    pub id: u64,
    /// The radius of a sphere around the center that contains the body.
    pub radius: f64,
    /// The index of its shape, if it is no sphere.
    pub shape: u32,
    /// How many contacts it had in the last step.
    pub contacts: u32,
    /// How many periods it is away from where it would be if it had never been wrapped.
    pub wraps: [i32; 3],
    /// The center at the last rebuild of the lists.
    pub reference: DVec3,
    pub motion: Motion,
}

/// What a rank must know of a ghost in each step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Motion {
    /// Of mass.
    pub center: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    /// The angular momentum.
    pub spin: DVec3,
}

impl Motion {
    /// Changes the velocities by a force and by the weight.
    pub fn kick(&mut self, wrench: &Wrench, mass: f64, time: f64) {
        self.velocity += time * (wrench.force / mass + GRAVITY);
        self.spin += time * wrench.torque;
    }

    pub fn to_numbers(self) -> [f64; 13] {
        let [a, b, c, d] = self.rotation.to_array();
        let [x, y, z] = self.center.to_array();
        let [u, v, w] = self.velocity.to_array();
        let [p, q, r] = self.spin.to_array();
        [x, y, z, a, b, c, d, u, v, w, p, q, r]
    }

    pub fn from_numbers([x, y, z, a, b, c, d, u, v, w, p, q, r]: [f64; 13]) -> Self {
        Self {
            center: DVec3::new(x, y, z),
            rotation: DQuat::from_xyzw(a, b, c, d),
            velocity: DVec3::new(u, v, w),
            spin: DVec3::new(p, q, r),
        }
    }
}

/// A force on a body and its torque about the center.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    pub force: DVec3,
    pub torque: DVec3,
}

impl Wrench {
    /// Adds a force that acts at an arm from the center.
    pub fn push(&mut self, force: DVec3, arm: DVec3) {
        self.force += force;
        self.torque += arm.cross(force);
    }

    /// The same with a couple.
    pub fn push_and_turn(&mut self, force: DVec3, couple: DVec3, arm: DVec3) {
        self.push(force, arm);
        self.torque += couple;
    }

    pub fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.torque += other.torque;
    }

    pub fn to_numbers(self) -> [f64; 6] {
        let [x, y, z] = self.force.to_array();
        let [u, v, w] = self.torque.to_array();
        [x, y, z, u, v, w]
    }

    pub fn from_numbers([x, y, z, u, v, w]: [f64; 6]) -> Self {
        Self {
            force: DVec3::new(x, y, z),
            torque: DVec3::new(u, v, w),
        }
    }
}

/// A body with all its histories: what moves to another rank, and what a checkpoint holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record<W, P> {
    pub body: Body,
    /// What the body keeps at the wall if it touches it.
    pub at_wall: Option<Box<W>>,
    /// Those of pairs in which the body has the lower name, in ascending order of partner and image.
    pub held: Vec<Held<P>>,
}

/// The history of a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Held<P> {
    /// The name of the other body.
    pub partner: u64,
    /// The shift of the other body in periods, as if neither had ever been wrapped. It lasts as long as the contact.
    pub image: [i32; 3],
    pub history: P,
}

impl<W, P> Record<W, P> {
    /// A body without contacts.
    pub fn new(body: Body) -> Self {
        Self {
            body,
            at_wall: None,
            held: Vec::new(),
        }
    }
}

impl Body {
    pub fn new(id: u64, radius: f64, shape: u32, motion: Motion) -> Self {
        Self {
            id,
            radius,
            shape,
            contacts: 0,
            wraps: [0; 3],
            reference: motion.center,
            motion,
        }
    }

    pub fn sphere(&self) -> Sphere<DVec3> {
        Sphere::new(self.motion.center, self.radius)
    }
}
