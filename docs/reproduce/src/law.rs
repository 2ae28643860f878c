//! A contact law for pressure fields: the elastic force and couple of the contact, and at each share a dashpot and friction
//! with a spring that the share keeps from step to step.

#![allow(unreachable_pub, reason = "several programs include this file")]

use osculate::glam::DVec3;
use osculate::narrow::{PressureContact, PressureShare};

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

    /// Visits the forces on the second body, each with a couple and its point. `velocity` is that of the second body
    /// relative to the first at a point.
    ///
    /// `springs` are the tangential springs of the shares of all contacts, in order: of the last step, and then of this one.
    pub fn for_each_force(
        &self,
        contacts: &[PressureContact],
        springs: &mut Vec<DVec3>,
        velocity: impl Fn(DVec3) -> DVec3,
        time: f64,
        mut visit: impl FnMut(DVec3, DVec3, DVec3),
    ) {
        let last = std::mem::take(springs);
        for contact in contacts {
            let [force, couple] = [contact.force, contact.torque].map(|part| part * self.stiffness);
            visit(force, couple, contact.point);
            for share in contact.points.iter().flat_map(|points| &points.shares) {
                let spring = share.previous.map(|k| last[k as usize]);
                let mut spring = spring
                    .unwrap_or_default()
                    .reject_from_normalized(contact.normal);
                let rate = velocity(share.point);
                let force = self.damp(share, contact.normal, rate, &mut spring, time);
                springs.push(spring);
                visit(force, DVec3::ZERO, share.point);
            }
        }
    }

    /// Returns the force of dashpot and friction at a share.
    fn damp(
        &self,
        share: &PressureShare,
        normal: DVec3,
        rate: DVec3,
        spring: &mut DVec3,
        time: f64,
    ) -> DVec3 {
        let stiffness = self.shear_stiffness * share.area;
        let damping = self.damping * share.area;
        let load = self.stiffness * share.load;
        // The contact does not pull.
        let damped = (-damping * rate.dot(normal)).max(-load);
        let most = self.friction * (load + damped);
        let along = rate.reject_from_normalized(normal);
        *spring += along * time;
        let hold = *spring * stiffness + along * damping;
        if hold.length() <= most {
            return normal * damped - hold;
        }
        let hold = hold.clamp_length_max(most);
        // The spring of a share that slides is as long as the friction limit allows.
        *spring = if stiffness > 0.0 {
            (hold - along * damping) / stiffness
        } else {
            DVec3::ZERO
        };
        normal * damped - hold
    }
}
