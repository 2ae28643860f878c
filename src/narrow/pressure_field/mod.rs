//! Contacts of convex polyhedra by pressure fields.
//!
//! R. Elandt, E. Drumwright, M. Sherman, A. Ruina, "A pressure field model for fast, robust approximation of net contact
//! force and moment between nominally rigid objects", IROS 2019.
//!
//! Each body carries a pressure that is 0 on its surface and grows inwards. The energy of a pair is the integral of the
//! weighted pressures over the common region, `E = k * integral of (w_A p_A + w_B p_B)`. A rigid motion changes the part
//! of p_A by the flux through the surface of B only, because p_A is 0 on the other border of the region:
//! `dE = k w_A * integral of p_A u . n_B` over the surface of B inside A. So the force on B is
//! `-k w_A * integral of p_A n_B`, plus the same with A and B exchanged.
//!
//! Deviation from the paper, which takes the surface of equal pressure: where sides of both bodies are flush, the
//! pressures are equal in a volume, and that force jumps. Here it is a sum over faces of functions that vanish on the
//! surfaces, so it is Lipschitz: it changes by at most k times the area of the contact times the largest motion of a
//! point.

mod field;
mod polygon;
mod sums;

use std::borrow::Borrow;

use glam::DVec3;

use self::field::Field;
use self::sums::Sums;
use super::NarrowPhase;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::MatrixPose;
use crate::math::tolerance::two_to;
use crate::shape::{ConvexPolyhedron, Placed};

/// Elastic contact of two convex polyhedra: force and torque as the gradient of an energy.
///
/// The pressure of a body is 0 on its surface and rises linearly on the pyramid over each face to its center. A contact
/// has the integral over both surfaces in the field of the other body. Multiply force, torque and energy by a stiffness
/// k in pressure per depth (Pa/m).
///
/// - Force and torque are the gradient of the energy, so no motion in a circle gains energy.
/// - They are Lipschitz: a motion by s changes the force by at most k s times the contact area.
/// - Swapped bodies have the negated force, bit for bit.
///
/// Between two equal faces at a depth d the force is k d times the area, to 2 % per 1 % of depth relative to the body.
///
/// Cost: O(faces) to find those near the other body, and the pairs of these. No allocation once the buffers have grown.
///
/// ```
/// use osculate::narrow::PressureField;
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let a = Placed::new(&cube, Pose3::IDENTITY);
/// let b = Placed::new(&cube, Pose3::from_translation(DVec3::Z * 0.99)?);
/// let contact = PressureField::new().contact(&a, &b).unwrap();
/// assert!(contact.normal.distance(DVec3::Z) < 1e-15);
/// // Depth times area, and 2 % less.
/// assert!((contact.force.z / 0.0098 - 1.0).abs() < 1e-3);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PressureField {
    weight: f64,
    field: Field,
}

/// A contact of a [`PressureField`], in the world frame, for a stiffness of 1 (pressure per depth).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureContact {
    /// The energy: the integral of the pressure over the common region.
    pub energy: f64,
    /// The force on the second body at [`point`](Self::point); the first one gets the opposite force.
    pub force: DVec3,
    /// The couple on the second body beside the force at `point`.
    pub torque: DVec3,
    /// The direction of the force, from the first body to the second.
    pub normal: DVec3,
    /// The center of pressure.
    pub point: DVec3,
    /// The largest depth of a point of one body below the nearest face of the other one.
    pub overlap: f64,
    /// The area of the surfaces inside the other body, weighted as the pressures are.
    pub area: f64,
    /// The integral of the pressure over the surfaces.
    pub load: f64,
    /// The volume of the common region.
    pub volume: f64,
}

/// How near a plane to the center, relative to the inscribed radius, is moved away from it for the fluxes.
///
/// These jump where the plane passes the center. Parts of the plane near the center are computed to one rounding of the
/// size of the body, and the square of its ratio to the height is the error of the fluxes.
const SINGULAR: f64 = two_to(-36);

/// A contact at a depth below this part of the size of a body only touches.
const TOUCHING: f64 = 256.0 * f64::EPSILON;

impl Default for PressureField {
    fn default() -> Self {
        Self {
            weight: 0.5,
            field: Field::default(),
        }
    }
}

impl PressureField {
    /// Creates a kernel in which the fields of both bodies have the weight 1/2.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the weight of the first body's field, from 0 to 1. That of the second one is the rest.
    ///
    /// Two layers in series, of the stiffnesses k_a and k_b, are as one of `k_a k_b / (k_a + k_b)` with the weight
    /// `k_b / (k_a + k_b)`: the field of the softer body counts more. With 0 or 1 the time is half.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] for other numbers.
    pub fn with_weight_of_first(self, weight: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&weight) {
            Ok(Self { weight, ..self })
        } else {
            Err(Error(Cause::Parameter {
                name: "weight",
                value: weight,
                range: "[0, 1]",
            }))
        }
    }

    /// Returns the integrals over the surface of `other` in the field of `own`, in the frame of `own` about its center.
    /// `None` if the bodies are apart.
    fn half(
        &mut self,
        own: &Placed<&ConvexPolyhedron>,
        other: &Placed<&ConvexPolyhedron>,
    ) -> Option<Sums> {
        let [body, surface] = [own, other].map(|placed| placed.shape.boundary());
        let mut motion = MatrixPose::from(&own.pose.inv_mul(&other.pose));
        motion.translation += motion.transform_vector(surface.center) - body.center;
        let between = motion.translation;
        if between.length() >= body.circumscribed + surface.circumscribed {
            return None;
        }
        let center = own.shape.centroid() - body.center;
        motion.translation -= center;
        let between = motion.translation;
        let direction = between.normalize_or(DVec3::Z);
        let back = motion.inverse_transform_vector(direction);
        let lowest = surface.vertices.iter().map(|&x| back.dot(x));
        let low = lowest.fold(f64::INFINITY, f64::min) + direction.dot(between);
        let highest = body.vertices.iter().map(|&x| direction.dot(x - center));
        let top = highest.fold(f64::NEG_INFINITY, f64::max);
        if top <= low {
            return None;
        }
        self.field.set(body, center, direction, low);
        let inscribed = self.field.inscribed;
        let place = |id: u32| motion.transform_point(surface.vertices[id as usize]);
        let (mut sums, mut is_inside) = (Sums::default(), true);
        for face in &surface.faces {
            let sides = surface.sides(face);
            let normal = motion.transform_vector(face.normal);
            let height = normal.dot(place(sides[0].corner));
            is_inside &= height > 0.0;
            let corners = sides.iter().map(|side| place(side.corner));
            let is_flux_singular = height.abs() < SINGULAR * inscribed;
            self.field.for_each_part(corners.clone(), |part| {
                sums.add(&part, normal);
                if !is_flux_singular {
                    sums.add_flux(&part, normal, height, inscribed);
                }
            });
            if is_flux_singular {
                let height = inscribed * if height > 0.0 { SINGULAR } else { -SINGULAR };
                let moved = corners.map(|x| x + normal * height);
                self.field.for_each_part(moved, |part| {
                    sums.add_flux(&part, normal, height, inscribed);
                });
            }
        }
        if is_inside {
            sums.add_source(own.shape.volume(), inscribed);
        }
        Some(sums)
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Placed<S>> for PressureField {
    type Contact = PressureContact;
    type State = ();

    fn for_each_contact(
        &mut self,
        a: &Placed<S>,
        b: &Placed<S>,
        (): &mut (),
        visit: impl FnMut(PressureContact),
    ) {
        let [a, b] = [a, b].map(|body| Placed::new(body.shape.borrow(), body.pose));
        let weights = [self.weight, 1.0 - self.weight];
        let mut wrenches = [Wrench::default(); 2];
        for (i, (own, other)) in [(&a, &b), (&b, &a)].into_iter().enumerate() {
            if weights[i] > 0.0 {
                let Some(sums) = self.half(own, other) else {
                    return;
                };
                let sign = if i == 0 { -weights[i] } else { weights[i] };
                wrenches[i] = Wrench::new(&sums, own, [weights[i], sign]);
                wrenches[i].is_touching =
                    sums.overlap <= TOUCHING * own.shape.boundary().circumscribed;
            }
        }
        contact(wrenches).into_iter().for_each(visit);
    }
}

/// The weighted sums of one field in the world frame.
#[derive(Clone, Copy, Debug, Default)]
struct Wrench {
    center: DVec3,
    /// About the center.
    moment: DVec3,
    /// On the second body, about the center.
    force: DVec3,
    torque: DVec3,
    sums: Sums,
    is_touching: bool,
}

impl Wrench {
    /// Rotates the sums to the world. `sign` is that of the force on the second body along the outward normals.
    fn new(sums: &Sums, own: &Placed<&ConvexPolyhedron>, [weight, sign]: [f64; 2]) -> Self {
        let pose = &own.pose;
        Self {
            center: pose.transform_point(own.shape.centroid()),
            moment: pose.transform_vector(sums.moment) * weight,
            force: pose.transform_vector(sums.force) * sign,
            torque: pose.transform_vector(sums.torque) * sign,
            sums: Sums {
                area: sums.area * weight,
                load: sums.load * weight,
                energy: sums.energy * weight,
                volume: sums.volume * weight,
                ..*sums
            },
            is_touching: false,
        }
    }
}

/// Adds up both fields. Each sum of two numbers is the same in either order.
fn contact([a, b]: [Wrench; 2]) -> Option<PressureContact> {
    let load = a.sums.load + b.sums.load;
    let force = a.force + b.force;
    let size = force.length();
    let overlap = a.sums.overlap.max(b.sums.overlap);
    if (a.is_touching && b.is_touching) || load <= 0.0 || size <= 0.0 {
        return None;
    }
    let from = |w: &Wrench| w.center * w.sums.load + w.moment;
    let point = (from(&a) + from(&b)) / load;
    let about = |w: &Wrench| w.torque + (w.center - point).cross(w.force);
    Some(PressureContact {
        energy: a.sums.energy + b.sums.energy,
        force,
        torque: about(&a) + about(&b),
        normal: force / size,
        point,
        overlap,
        area: a.sums.area + b.sums.area,
        load,
        volume: a.sums.volume + b.sums.volume,
    })
}
