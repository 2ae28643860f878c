//! Properties of kernels that report the force and the torque of an elastic contact.
//!
//! They take any kernel whose contacts convert into [`Elastic`]: pairs, and bodies at walls with several contacts. Sums
//! over the contacts are compared. All values are for a stiffness of 1: a pressure is a depth, and a force an area times
//! a length.
//!
//! ```
//! use osculate::narrow::PressureField;
//! use osculate::testing::properties::elastic;
//! use osculate::{ConvexPolyhedron, Placed, Pose3, glam::DVec3};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
//! let tetrahedron = ConvexPolyhedron::from_convex_hull(&corners)?;
//! let at = |pose: &Pose3| Placed::new(&tetrahedron, *pose);
//! let other = at(&Pose3::from_translation(DVec3::new(0.25, 0.125, 0.5))?);
//!
//! let kernel = &mut PressureField::new().with_volume();
//! elastic::gradient_matches(kernel, at, &other, [1.0, 1e-4], 1e-6)?;
//! elastic::swap_negates(kernel, &at(&Pose3::IDENTITY), &other)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::{DQuat, DVec3};

use super::volume::work_along;
use super::{Numbers, ROUNDING, Rule, Violation, is_finite};
use crate::error::Result as PoseResult;
use crate::math::Pose3;
use crate::narrow::{NarrowPhase, PressureContact, Wall};
use crate::shape::SurfaceMesh;
use crate::testing::workload::rewritten;

/// An elastic contact as the properties see it, for a stiffness of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elastic {
    /// The force on the second body at the point; the first one gets the opposite force.
    pub force: DVec3,
    /// The couple on the second body beside the force.
    pub torque: DVec3,
    /// Where the force acts.
    pub point: DVec3,
    /// The integral of the pressure: at least the size of the force.
    pub load: f64,
    /// The area on which the pressure acts.
    pub area: f64,
    /// The energy, if the kernel knows it.
    pub energy: Option<f64>,
}

impl From<PressureContact> for Elastic {
    fn from(contact: PressureContact) -> Self {
        Self {
            force: contact.force,
            torque: contact.torque,
            point: contact.point,
            load: contact.load,
            area: contact.area,
            energy: contact.volume.map(|volume| volume.energy),
        }
    }
}

impl Numbers for Elastic {
    fn are_finite(&self) -> bool {
        let numbers = [self.load, self.area, self.energy.unwrap_or(0.0)];
        [self.force, self.torque, self.point]
            .into_iter()
            .all(is_finite)
            && numbers.into_iter().all(f64::is_finite)
    }
}

/// Sums over contacts.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    force: DVec3,
    /// About the point that was asked for.
    moment: DVec3,
    load: f64,
    area: f64,
    energy: Option<f64>,
}

impl Rule {
    /// Returns the sums over the contacts from a fresh state, about a point. Without contacts the energy is 0.
    fn total<A, B>(
        self,
        kernel: &mut impl NarrowPhase<A, B, Contact: Into<Elastic>>,
        a: &A,
        b: &B,
        about: DVec3,
    ) -> Result<Total, Violation> {
        let mut total = Total {
            energy: Some(0.0),
            ..Total::default()
        };
        for contact in self.contacts::<A, B, _, Elastic>(kernel, a, b)? {
            self.holds(contact.load >= 0.0 && contact.area >= 0.0, || {
                format!("load or area is negative: {contact:?}")
            })?;
            total.force += contact.force;
            total.moment += contact.torque + (contact.point - about).cross(contact.force);
            total.load += contact.load;
            total.area += contact.area;
            total.energy = total.energy.zip(contact.energy).map(|(sum, own)| sum + own);
        }
        Ok(total)
    }
}

/// Checks that force and torque are the derivatives of the energy.
///
/// The first body is moved by `step`, and rotated about the origin by `step / size`, both ways along each axis. `body`
/// returns it at a pose. `tolerance` is a force; it covers the error of the differences, which jumps where a corner passes
/// a face: about `step` times the area.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn gradient_matches<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Elastic>>,
    body: impl Fn(&Pose3) -> A,
    other: &B,
    [size, step]: [f64; 2],
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("elastic::gradient_matches");
    let found = rule.total(kernel, &body(&Pose3::IDENTITY), other, DVec3::ZERO)?;
    for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
        let translate = |x: f64| Pose3::from_translation(unit * x);
        // Rotates by x / size, to third order.
        let rotate = |x: f64| {
            let half = unit * (0.5 * x / size);
            Pose3::new_normalize(DQuat::from_vec4(half.extend(1.0)), DVec3::ZERO)
        };
        let mut slope = |motion: &dyn Fn(f64) -> PoseResult<Pose3>| {
            let mut energy = |x: f64| {
                let total = rule.total(kernel, &body(&motion(x)?), other, DVec3::ZERO)?;
                let none = || Violation::new(format!("{}: a contact without energy", rule.0));
                total.energy.ok_or_else(none)
            };
            Ok::<f64, Violation>((energy(step)? - energy(-step)?) / (2.0 * step))
        };
        let what = format!("force (an area times a length), axis {axis}");
        rule.near(&what, found.force[axis], slope(&translate)?, tolerance)?;
        let what = format!("torque over size (an area times a length), axis {axis}");
        rule.near(&what, found.moment[axis] / size, slope(&rotate)?, tolerance)?;
    }
    Ok(())
}

/// Checks that the contact does no work on a body along a closed path, `path(1.0) = path(0.0)`.
///
/// The work in `steps` steps is an error of the rule of integration, which has order 2: with steps of half the length it
/// must be at most 0.4 times as large. `tolerance` is an energy; it covers rounding. `body` returns the first body at a
/// pose.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn closed_paths_do_no_work<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Elastic>>,
    body: impl Fn(&Pose3) -> A,
    other: &B,
    path: impl Fn(f64) -> Pose3,
    steps: u32,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("elastic::closed_paths_do_no_work");
    let mut work = |steps: u32| {
        let mut result = Ok(());
        let wrench = |pose: &Pose3| {
            let total = rule.total(kernel, &body(pose), other, pose.translation());
            let total = total.unwrap_or_else(|violation| {
                result = Err(violation);
                Total::default()
            });
            (-total.force, -total.moment)
        };
        let work = work_along(wrench, &path, steps);
        result.map(|()| work)
    };
    let [coarse, fine] = [work(steps)?, work(2 * steps)?];
    let allowed = 0.4 * coarse.abs() + tolerance;
    let what = format!("work in steps of half the length (an energy), after {coarse:e}");
    rule.near(&what, fine, 0.0, allowed)
}

/// Checks that a motion changes the force by at most the area times the motion.
///
/// The pressure changes by at most the motion of a point, and is 0 at the rim, so this holds for any meshes, faces in one
/// plane included. `body` returns the first body at a pose, and `motion` moves none of its points by more than
/// `distance`. The larger area counts. Rounding is 1e-13 of the load.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn changes_with_motion<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Elastic>>,
    body: impl Fn(&Pose3) -> A,
    other: &B,
    motion: &Pose3,
    distance: f64,
) -> Result<(), Violation> {
    let rule = Rule("elastic::changes_with_motion");
    let mut at = |pose: &Pose3| rule.total(kernel, &body(pose), other, DVec3::ZERO);
    let [before, after] = [at(&Pose3::IDENTITY)?, at(motion)?];
    let rounding = ROUNDING * before.load.max(after.load);
    let bound = before.area.max(after.area) * distance + rounding;
    let what = "force (an area times a length) after the motion";
    rule.near_vector(what, after.force, before.force, bound)
}

/// Checks that the sums over the contacts do not depend on how a wall is written down.
///
/// The other wall comes from [`rewritten`]: midpoints of edges should be exact, as on a lattice. Force, load and torque
/// must agree to 1e-13 of `size` to the power of their dimension. `size` bounds all coordinates.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_mesh<A>(
    kernel: &mut impl NarrowPhase<A, Wall, Contact: Into<Elastic>>,
    body: &A,
    mesh: &SurfaceMesh,
    size: f64,
    seed: u64,
) -> Result<(), Violation> {
    let rule = Rule("elastic::independent_of_mesh");
    let mut on = |mesh: SurfaceMesh| rule.total(kernel, body, &Wall::new(mesh), DVec3::ZERO);
    let [expected, found] = [on(mesh.clone())?, on(rewritten(mesh, seed)?)?];
    let error = ROUNDING * size.powi(3);
    let what = "load (an area times a length) at the rewritten wall";
    rule.near(what, found.load, expected.load, error)?;
    let what = "force (an area times a length) at the rewritten wall";
    rule.near_vector(what, found.force, expected.force, error)?;
    let what = "torque at the rewritten wall";
    rule.near_vector(what, found.moment, expected.moment, error * size)?;
    let energy = |total: Total| total.energy.unwrap_or(0.0);
    let what = "energy at the rewritten wall";
    rule.near(what, energy(found), energy(expected), error * size)
}

/// Checks that swapping the bodies negates force and torque and keeps the rest, bit for bit.
///
/// Contacts must come in the same order. A kernel with weights gets them swapped by the caller.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn swap_negates<A, B, K>(kernel: &mut K, a: &A, b: &B) -> Result<(), Violation>
where
    K: NarrowPhase<A, B, Contact: Into<Elastic>>,
    K: NarrowPhase<B, A, Contact: Into<Elastic>>,
{
    let rule = Rule("elastic::swap_negates");
    let forth: Vec<Elastic> = rule.contacts(kernel, a, b)?;
    let mut back: Vec<Elastic> = rule.contacts(kernel, b, a)?;
    for contact in &mut back {
        (contact.force, contact.torque) = (-contact.force, -contact.torque);
    }
    let what = "contacts of the swapped bodies, with negated vectors";
    rule.same_list(what, &back, &forth)
}

/// Checks that scaling the bodies by 2^`exponent` scales the contacts bit for bit.
///
/// `pair` returns the bodies times a factor. Contacts must come in the same order.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn scales_exactly<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Elastic>>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
) -> Result<(), Violation> {
    let rule = Rule("elastic::scales_exactly");
    let factor = 2.0_f64.powi(exponent);
    let (a, b) = pair(1.0);
    let mut expected: Vec<Elastic> = rule.contacts(kernel, &a, &b)?;
    for contact in &mut expected {
        contact.point *= factor;
        contact.area *= factor.powi(2);
        contact.load *= factor.powi(3);
        contact.force *= factor.powi(3);
        contact.torque *= factor.powi(4);
        contact.energy = contact.energy.map(|energy| energy * factor.powi(4));
    }
    let (a, b) = pair(factor);
    let found = rule.contacts(kernel, &a, &b)?;
    let what = format!("contacts of the bodies times 2^{exponent}");
    rule.same_list(&what, &found, &expected)
}
