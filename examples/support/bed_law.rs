//! A contact law for the points of an elastic bed: a spring, a dashpot, and friction with a spring that the point keeps
//! from step to step.

#![allow(unreachable_pub, reason = "several programs include this file")]

use osculate::glam::DVec3;
use osculate::narrow::ManifoldPoint;

/// Contact law, per area of the contact.
#[derive(Clone, Copy)]
pub struct Law {
    /// Pressure per depth, Pa/m.
    pub stiffness: f64,
    /// Shear stress per slip, Pa/m; 0 for friction without springs.
    pub shear_stiffness: f64,
    /// Stress per velocity, Pa s/m.
    pub damping: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Mass of a body per area of its face, kg/m^2.
    pub mass_per_area: f64,
}

impl Law {
    /// Returns a law with a damping ratio of 0.2, and friction of 0.5.
    pub fn new(stiffness: f64, mass_per_area: f64) -> Self {
        Self {
            stiffness,
            shear_stiffness: 0.5 * stiffness,
            damping: 0.4 * (stiffness * mass_per_area).sqrt(),
            friction: 0.5,
            mass_per_area,
        }
    }

    /// Returns a time step of 1/60 of the period of a body on its face.
    pub fn time_step(&self) -> f64 {
        0.1 * (self.mass_per_area / self.stiffness).sqrt()
    }

    /// Returns the force on the second body, whose velocity relative to the first is `slip_rate`.
    pub fn force(
        &self,
        point: &ManifoldPoint,
        normal: DVec3,
        slip_rate: DVec3,
        slip: &mut DVec3,
        time: f64,
    ) -> DVec3 {
        let [shear_stiffness, damping] =
            [self.shear_stiffness, self.damping].map(|per_area| per_area * point.area);
        let push = self.stiffness * point.volume - damping * slip_rate.dot(normal);
        let push = push.max(0.0);
        let along = slip_rate.reject_from_normalized(normal);
        *slip += along * time;
        let hold = *slip * shear_stiffness + along * damping;
        let most = self.friction * push;
        if hold.length() <= most {
            return normal * push - hold;
        }
        let hold = hold.clamp_length_max(most);
        // The spring of a point that slides is as long as the friction limit allows.
        *slip = if shear_stiffness > 0.0 {
            (hold - along * damping) / shear_stiffness
        } else {
            DVec3::ZERO
        };
        normal * push - hold
    }
}
