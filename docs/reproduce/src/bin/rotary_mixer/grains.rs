//! The spheres: Hertz's law with damping, friction, central differences.

use osculate::glam::DVec3;

use crate::drum;
use reproduce::random::SplitMix64;

pub(crate) const COUNT: usize = 29_559;
pub(crate) const RADIUS: f64 = 0.0035;
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.2;
const RESTITUTION: f64 = 0.4;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Coulomb friction coefficients.
pub(crate) const ON_GRAINS: f64 = 0.5;
pub(crate) const ON_WALLS: f64 = 0.75;
/// Coefficient of rolling friction.
const ROLLING: f64 = 0.001;

fn mass() -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3)
}

/// The force and torque of a contact, on the second body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Force {
    pub push: DVec3,
    /// About the center of either of two equal spheres.
    pub torque: DVec3,
    /// The torque of rolling friction on the second body; the first has its negative.
    pub rolling: DVec3,
}

/// A contact law for a reduced radius and mass.
#[derive(Clone, Copy)]
pub(crate) struct Law {
    friction: f64,
    radius: f64,
    mass: f64,
    /// Fraction of the critical damping.
    beta: f64,
    e_star: f64,
}

impl Law {
    /// For two spheres, `reduced` is 1/2; for a sphere and a wall of the same stiffness, 1.
    pub(crate) fn new(friction: f64, reduced: f64) -> Self {
        let log = RESTITUTION.ln();
        Self {
            friction,
            radius: RADIUS * reduced,
            mass: mass() * reduced,
            beta: -log / (log * log + std::f64::consts::PI.powi(2)).sqrt(),
            e_star: 0.5 * YOUNG / (1.0 - POISSON * POISSON),
        }
    }

    /// `velocity` and `spin` are those of the first body at the contact, relative to the second. The normal
    /// points to the second body, `arm` from the first body's center to the contact.
    #[inline]
    pub(crate) fn force(
        &self,
        overlap: f64,
        normal: DVec3,
        arm: f64,
        [velocity, spin]: [DVec3; 2],
    ) -> Force {
        let width = (self.radius * overlap).sqrt();
        let stiffness = 2.0 * self.e_star * width;
        let damping = 2.0 * (5.0_f64 / 6.0).sqrt() * self.beta * (stiffness * self.mass).sqrt();
        let approach = velocity.dot(normal);
        let push = (2.0 / 3.0 * stiffness * overlap + damping * approach).max(0.0);
        let slip = velocity - approach * normal;
        let speed = slip.length();
        // Viscous at low speed, otherwise Coulomb.
        let rub = (self.friction * push).min(damping * speed);
        let rub = slip * (rub / speed.max(f64::MIN_POSITIVE));
        // Model A of Wensrich and Katterfeld (2012), for the reduced radius; viscous at low speed.
        let speed = spin.length();
        let most = ROLLING * self.radius * push;
        let resistance = most.min(damping * self.radius * self.radius * speed);
        Force {
            push: push * normal + rub,
            torque: arm * rub.cross(normal),
            rolling: spin * (resistance / speed.max(f64::MIN_POSITIVE)),
        }
    }
}

#[derive(Clone, PartialEq)]
pub(crate) struct Grains {
    pub centers: Vec<DVec3>,
    pub velocities: Vec<DVec3>,
    pub spins: Vec<DVec3>,
    pub forces: Vec<Force>,
    /// The side of the drum's middle on which a sphere started.
    pub halves: Vec<i32>,
}

impl Grains {
    /// On a cubic lattice, from the bottom up, wherever `is_free` holds.
    pub(crate) fn on_lattice(mut is_free: impl FnMut(DVec3) -> bool) -> Self {
        const SPACING: f64 = 2.03 * RADIUS;
        let mut random = SplitMix64::new(2016);
        let [across, along] = [drum::RADIUS, drum::LENGTH / 2.0].map(|x| (x / SPACING) as i32);
        let mut centers = Vec::with_capacity(COUNT);
        'full: for layer in -across..=across {
            for row in -along..=along {
                for column in -across..=across {
                    let point = [column, row, layer].map(|i| f64::from(i) * SPACING);
                    let jitter = |_| random.range(-0.01, 0.01) * RADIUS;
                    let center = DVec3::from(point) + DVec3::from([0; 3].map(jitter));
                    if is_free(center) {
                        centers.push(center);
                    }
                    if centers.len() == COUNT {
                        break 'full;
                    }
                }
            }
        }
        let count = centers.len();
        Self {
            halves: centers.iter().map(|c| i32::from(c.y > 0.0)).collect(),
            centers,
            velocities: vec![DVec3::ZERO; count],
            spins: vec![DVec3::ZERO; count],
            forces: vec![Force::default(); count],
        }
    }

    /// A step of central differences with the present forces.
    pub(crate) fn advance(&mut self, dt: f64) {
        let (mass, inertia) = (mass(), 0.4 * mass() * RADIUS * RADIUS);
        for i in 0..self.centers.len() {
            let Force { push, torque, .. } = self.forces[i];
            self.velocities[i] += dt * (push / mass + GRAVITY);
            self.spins[i] += dt * torque / inertia;
            self.centers[i] += dt * self.velocities[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The torque is 0.001 of the load times the reduced radius, against the spin, and small spins are damped.
    #[test]
    fn rolling_friction() {
        let law = Law::new(ON_GRAINS, 0.5);
        let force = |spin: f64| law.force(1e-5, DVec3::Z, RADIUS, [DVec3::ZERO, DVec3::X * spin]);
        let fast = force(10.0);
        let expected = 0.001 * 0.5 * RADIUS * fast.push.length();
        assert!((fast.rolling - DVec3::X * expected).length() < 1e-12 * expected);
        let [slow, slower] = [1e-6, 5e-7].map(|spin| force(spin).rolling.x);
        assert!(slow > 0.0 && slow < expected && (slow / slower - 2.0).abs() < 1e-9);
        assert_eq!(force(0.0).rolling, DVec3::ZERO);
    }
}
