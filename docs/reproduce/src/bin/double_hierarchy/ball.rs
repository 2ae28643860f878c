//! A sphere moving on a wall: Hertz's law, damping, friction, central differences.

use osculate::glam::DVec3;

use crate::ground::Ground;

pub(crate) const GRAVITY: f64 = 9.81;

/// The contact law.
#[derive(Clone, Copy)]
pub(crate) struct Law {
    /// 1/E* = sum of (1 - nu^2)/E over the bodies that are not rigid.
    pub e_star: f64,
    pub friction: f64,
    /// Coefficient of restitution; 1 is undamped.
    pub restitution: f64,
    /// Whether friction acts at the sphere's surface, as without indentation, instead of at the
    /// contact point on the wall.
    pub is_point_contact: bool,
}

impl Law {
    /// A sphere with this modulus and Poisson's ratio 0.2 on a rigid wall: no damping, no friction.
    pub(crate) fn on_rigid(young: f64) -> Self {
        Self {
            e_star: young / (1.0 - 0.2 * 0.2),
            friction: 0.0,
            restitution: 1.0,
            is_point_contact: false,
        }
    }

    /// The same on a wall as stiff as the sphere.
    pub(crate) fn on_same(young: f64) -> Self {
        Self {
            e_star: 0.5 * young / (1.0 - 0.2 * 0.2),
            ..Self::on_rigid(young)
        }
    }

    /// The force 4/3 E* sqrt(R) d^(3/2).
    pub(crate) fn force(&self, radius: f64, overlap: f64) -> f64 {
        4.0 / 3.0 * self.e_star * (radius * overlap).sqrt() * overlap
    }

    /// The overlap at which the force has this value.
    pub(crate) fn overlap(&self, radius: f64, force: f64) -> f64 {
        (0.75 * force / (self.e_star * radius.sqrt())).powf(2.0 / 3.0)
    }

    /// The energy stored at an overlap.
    fn energy(&self, radius: f64, overlap: f64) -> f64 {
        0.4 * self.force(radius, overlap) * overlap
    }

    /// The damping force per unit approach speed, for the same restitution at any speed.
    fn damping(&self, radius: f64, overlap: f64, mass: f64) -> f64 {
        let log = self.restitution.ln();
        let beta = -log / (log * log + std::f64::consts::PI.powi(2)).sqrt();
        let stiffness = 2.0 * self.e_star * (radius * overlap).sqrt();
        2.0 * (5.0_f64 / 6.0).sqrt() * beta * (stiffness * mass).sqrt()
    }
}

/// A sphere whose velocities are half a step behind its position.
#[derive(Clone, Copy)]
pub(crate) struct Ball {
    pub center: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    pub radius: f64,
    pub mass: f64,
}

/// The time at which a step starts.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// The force of the wall on the sphere.
    pub force: DVec3,
    /// The sum of the normal forces.
    pub push: f64,
    torque: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// The energy: kinetic, of gravity (from height 0) and of the contacts.
    pub energy: f64,
    pub contact_count: usize,
    /// The largest overlap.
    pub overlap: f64,
}

impl Ball {
    /// The paper's sphere: 0.3 m, 100 kg/m^3.
    pub(crate) fn of_paper(center: DVec3) -> Self {
        let radius: f64 = 0.3;
        Self {
            center,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            radius,
            mass: 100.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        }
    }

    fn inertia(&self) -> f64 {
        0.4 * self.mass * self.radius * self.radius
    }

    /// Moves the velocities from the time of the position to half a step before it.
    pub(crate) fn start(&mut self, wall: &mut Ground, law: &Law, dt: f64) {
        let now = self.look(wall, law, dt);
        let acceleration = now.force / self.mass - GRAVITY * DVec3::Z;
        self.velocity -= 0.5 * dt * acceleration;
        self.spin -= 0.5 * dt * now.torque / self.inertia();
    }

    /// A step of central differences (eqs 7-12 of the paper).
    pub(crate) fn step(&mut self, wall: &mut Ground, law: &Law, dt: f64) -> Moment {
        let mut now = self.look(wall, law, dt);
        let acceleration = now.force / self.mass - GRAVITY * DVec3::Z;
        now.velocity = self.velocity + 0.5 * dt * acceleration;
        now.spin = self.spin + 0.5 * dt * now.torque / self.inertia();
        now.energy += 0.5 * self.mass * now.velocity.length_squared()
            + 0.5 * self.inertia() * now.spin.length_squared();
        self.velocity += dt * acceleration;
        self.spin += dt * now.torque / self.inertia();
        self.center += dt * self.velocity;
        now
    }

    /// The forces, and the energy without the kinetic part.
    fn look(&self, wall: &mut Ground, law: &Law, dt: f64) -> Moment {
        let contacts = wall.contacts(self.center, self.radius);
        let mut now = Moment {
            force: DVec3::ZERO,
            push: 0.0,
            torque: DVec3::ZERO,
            velocity: self.velocity,
            spin: self.spin,
            energy: self.mass * GRAVITY * self.center.z,
            contact_count: contacts.len(),
            overlap: 0.0,
        };
        for contact in contacts {
            let (overlap, normal) = (contact.overlap, contact.normal);
            let lever = if law.is_point_contact {
                self.radius
            } else {
                self.radius - overlap
            };
            let arm = lever * normal;
            let velocity = self.velocity + self.spin.cross(arm);
            let approach = velocity.dot(normal);
            let push = law.force(self.radius, overlap)
                + law.damping(self.radius, overlap, self.mass) * approach;
            let push = push.max(0.0);
            let slip = velocity - approach * normal;
            let speed = slip.length();
            // Coulomb friction, but at most the force that stops the slip in this step.
            let mobility = 1.0 / self.mass + lever * lever / self.inertia();
            let stop = speed / (mobility * dt * contacts.len() as f64);
            let rub = -slip * ((law.friction * push).min(stop) / speed.max(f64::MIN_POSITIVE));
            now.force += rub - push * normal;
            now.push += push;
            now.torque += arm.cross(rub);
            now.energy += law.energy(self.radius, overlap);
            now.overlap = now.overlap.max(overlap);
        }
        now
    }
}
