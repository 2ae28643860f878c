//! Properties of kernels that report the intersection volume of two bodies, with its gradient.
//!
//! In 2D the volume is an area, and the area vector is a length.

use glam::{DQuat, DVec3};

use super::{ROUNDING, Rule, Violation};
use crate::math::{Pose, Pose3, Vector};
use crate::narrow::{ContactVolume, NarrowPhase};

/// Checks the sum of the volumes of all contacts against a known volume.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn equals<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    a: &A,
    b: &B,
    volume: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("volume::equals");
    let (found, _) = volume_and_area(&rule.contacts(kernel, a, b)?);
    rule.near("volume", found, volume, tolerance)
}

/// Checks that the intersections with the parts of a body add up to the intersection with the whole.
///
/// The volumes and the area vectors must agree to 1e-13 of `size` to the power of their dimension.
/// The cuts between the parts must not lie in faces of the first body.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn adds_up<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    a: &A,
    whole: &B,
    parts: &[B],
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("volume::adds_up");
    let (expected, expected_area) = volume_and_area::<V>(&rule.contacts(kernel, a, whole)?);
    let (mut volume, mut area) = (0.0, V::ZERO);
    for part in parts {
        let (part_volume, part_area) = volume_and_area(&rule.contacts(kernel, a, part)?);
        (volume, area) = (volume + part_volume, area + part_area);
    }
    let [volume_error, area_error] = rounding::<V>(size);
    rule.near("volume of the parts", volume, expected, volume_error)?;
    rule.near_vector("area vector of the parts", area, expected_area, area_error)
}

/// Checks that area vector and moment vector are the derivatives of the volume.
///
/// The volume is differentiated for translations and rotations of either body, by finite differences of
/// order four. Their step is `step` for translations and the angle `step / size` for rotations. `bodies`
/// returns both bodies with a motion applied to each. `tolerance` is an area; it has to cover the error of
/// the differences, and poses at which a vertex crosses a face. For bodies in the plane, apply the in-plane
/// part of a motion, and lift the contacts into space by [`MapContact`](super::MapContact).
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn gradient_matches<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<DVec3>>>,
    bodies: impl Fn([&Pose3; 2]) -> (A, B),
    [size, step]: [f64; 2],
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("volume::gradient_matches");
    let rest = Pose3::IDENTITY;
    let (a, b) = bodies([&rest, &rest]);
    let found = rule.contacts(kernel, &a, &b)?;
    let (_, area) = volume_and_area(&found);
    let moments = found.iter().map(|c| c.moment_vector_about(DVec3::ZERO));
    let moment = moments.fold(DVec3::ZERO, |sum, m| sum + m);
    let mut volume = |body: usize, motion: Pose3| {
        let mut motions = [&rest; 2];
        motions[body] = &motion;
        let (a, b) = bodies(motions);
        let found = rule.contacts(kernel, &a, &b)?;
        Ok::<f64, Violation>(volume_and_area::<DVec3>(&found).0)
    };
    for (body, sign) in [(0, 1.0), (1, -1.0)] {
        for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
            let translate = |x: f64| Pose3::from_translation(unit * x);
            // Rotates by x / size, to third order.
            let rotate = |x: f64| {
                let half = unit * (0.5 * x / size);
                Pose3::new_normalize(DQuat::from_vec4(half.extend(1.0)), DVec3::ZERO)
            };
            let mut slope = |motion: &dyn Fn(f64) -> crate::error::Result<Pose3>| {
                let mut at = |x: f64| volume(body, motion(x)?);
                let near = at(step)? - at(-step)?;
                let far = at(2.0 * step)? - at(-2.0 * step)?;
                Ok::<f64, Violation>(sign * (8.0 * near - far) / (12.0 * step))
            };
            let what = format!("area vector (an area), body {body}, axis {axis}");
            rule.near(&what, area[axis], slope(&translate)?, tolerance)?;
            let what = format!("moment vector over size (an area), body {body}, axis {axis}");
            rule.near(&what, moment[axis] / size, slope(&rotate)?, tolerance)?;
        }
    }
    Ok(())
}

/// Checks that swapping the bodies negates area and moment vectors and keeps the rest, bit for bit.
///
/// Contacts must come in the same order. The bodies may have different types if the kernel takes them in both
/// orders.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn swap_negates<V: Vector, A, B, K>(kernel: &mut K, a: &A, b: &B) -> Result<(), Violation>
where
    K: NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    K: NarrowPhase<B, A, Contact: Into<ContactVolume<V>>>,
{
    let rule = Rule("volume::swap_negates");
    let forth: Vec<ContactVolume<V>> = rule.contacts(kernel, a, b)?;
    let mut back: Vec<ContactVolume<V>> = rule.contacts(kernel, b, a)?;
    for contact in &mut back {
        contact.area_vector = -contact.area_vector;
        contact.moment_vector = -contact.moment_vector;
    }
    let what = "contacts of the swapped bodies, with negated vectors";
    rule.same_list(what, &back, &forth)
}

/// Checks that volume, area vector and moment vector move with the bodies.
///
/// They must agree to 1e-13 of `size` to the power of their dimension. `size` bounds all coordinates,
/// before the motion and after. Moments are taken about a point that moves along.
/// `pair` returns both bodies after a motion.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn moves_rigidly<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    pair: impl Fn(&Pose<V>) -> (A, B),
    motion: &Pose<V>,
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("volume::moves_rigidly");
    let (a, b) = pair(&Pose::IDENTITY);
    let before: Vec<ContactVolume<V>> = rule.contacts(kernel, &a, &b)?;
    let (a, b) = pair(motion);
    let after: Vec<ContactVolume<V>> = rule.contacts(kernel, &a, &b)?;
    let ((old, old_area), (new, new_area)) = (volume_and_area(&before), volume_and_area(&after));
    let [volume_error, area_error] = rounding::<V>(size);
    rule.near("volume after the motion", new, old, volume_error)?;
    let moved = motion.transform_vector(old_area);
    rule.near_vector("area vector after the motion", new_area, moved, area_error)?;
    // The moment enters by its products with the area vector, which are vectors in 2D too.
    let about = before.first().map_or(V::ZERO, |c| c.point);
    let moment = |found: &[ContactVolume<V>], about: V| {
        let moments = found.iter().map(|c| c.moment_vector_about(about));
        moments.fold(V::Moment::default(), |sum, m| sum + m)
    };
    let (old, new) = (
        moment(&before, about),
        moment(&after, motion.transform_point(about)),
    );
    let tolerance = area_error * size.powi(V::DIM as i32);
    let (found, expected) = (new_area.dot_moment(new), old_area.dot_moment(old));
    let what = "area vector times moment vector after the motion";
    rule.near(what, found, expected, tolerance)?;
    let expected = motion.transform_vector(old_area.cross_moment(old));
    let what = "area vector cross moment vector after the motion";
    rule.near_vector(what, new_area.cross_moment(new), expected, tolerance)
}

/// Checks that scaling the bodies by 2^`exponent` scales the contacts bit for bit.
///
/// `pair` returns the bodies times a factor. Contacts must come in the same order.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn scales_exactly<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
) -> Result<(), Violation> {
    let rule = Rule("volume::scales_exactly");
    let factor = 2.0_f64.powi(exponent);
    let (area, volume) = (factor.powi(V::DIM as i32 - 1), factor.powi(V::DIM as i32));
    let (a, b) = pair(1.0);
    let mut expected: Vec<ContactVolume<V>> = rule.contacts(kernel, &a, &b)?;
    for contact in &mut expected {
        contact.volume *= volume;
        contact.error_bound *= volume;
        contact.area_vector = contact.area_vector * area;
        contact.moment_vector = contact.moment_vector * volume;
        contact.point = contact.point * factor;
    }
    let (a, b) = pair(factor);
    let found = rule.contacts(kernel, &a, &b)?;
    let what = format!("contacts of the bodies times 2^{exponent}");
    rule.same_list(&what, &found, &expected)
}

/// Checks that volume and area vector scale with the bodies by factors from 1e-9 to 1e9.
///
/// They must agree to 1e-13 of the size to the power of their dimension. `pair` returns the bodies times a
/// factor. For a factor of 1, `size` bounds all coordinates. Faces of the bodies must not be coplanar,
/// because the area vector may jump there.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn accurate_at_any_scale<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<ContactVolume<V>>>,
    pair: impl Fn(f64) -> (A, B),
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("volume::accurate_at_any_scale");
    let mut of_size = |factor: f64| {
        let (a, b) = pair(factor);
        let found = rule.contacts(kernel, &a, &b)?;
        Ok::<(f64, V), Violation>(volume_and_area(&found))
    };
    let (volume, area) = of_size(1.0)?;
    for factor in [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9_f64] {
        let (of_volume, of_area) = (factor.powi(V::DIM as i32), factor.powi(V::DIM as i32 - 1));
        let [volume_error, area_error] = rounding::<V>(size * factor);
        let (found, found_area) = of_size(factor)?;
        let what = format!("volume of the bodies times {factor:e}");
        rule.near(&what, found, volume * of_volume, volume_error)?;
        let what = format!("area vector of the bodies times {factor:e}");
        rule.near_vector(&what, found_area, area * of_area, area_error)?;
    }
    Ok(())
}

/// Checks that an elastic contact does no work along a closed path.
///
/// `wrench` returns the force on a body at a pose, and the moment about the body's origin. `path` is closed,
/// `path(1.0) = path(0.0)`, and is followed in `steps` steps. The work of a step uses the mean of the
/// wrenches at its ends. `tolerance` is an energy; the error decreases as `steps`^-2. Kernels that report a
/// single force without its moment violate this.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn closed_cycle_does_no_work(
    wrench: impl FnMut(&Pose3) -> (DVec3, DVec3),
    path: impl Fn(f64) -> Pose3,
    steps: u32,
    tolerance: f64,
) -> Result<(), Violation> {
    let work = work_along(wrench, path, steps);
    let what = "work along the closed path (an energy)";
    Rule("volume::closed_cycle_does_no_work").near(what, work, 0.0, tolerance)
}

/// Returns the work of a wrench on a body along a path, by the mean of the wrenches at the ends of each step.
pub(super) fn work_along(
    mut wrench: impl FnMut(&Pose3) -> (DVec3, DVec3),
    path: impl Fn(f64) -> Pose3,
    steps: u32,
) -> f64 {
    let mut here = path(0.0);
    let (mut work, mut last) = (0.0, wrench(&here));
    for step in 1..=steps {
        let there = path(f64::from(step) / f64::from(steps));
        let next = wrench(&there);
        let turn = there.rotation() * here.rotation().conjugate();
        // The angle as twice the sine of its half.
        let angle = turn.xyz() * (2.0 * turn.w.signum());
        let moved = there.translation() - here.translation();
        work += 0.5 * ((last.0 + next.0).dot(moved) + (last.1 + next.1).dot(angle));
        (here, last) = (there, next);
    }
    work
}

/// Returns the rounding error allowed for a volume and for an area of bodies of a size.
fn rounding<V: Vector>(size: f64) -> [f64; 2] {
    [V::DIM as i32, V::DIM as i32 - 1].map(|power| ROUNDING * size.powi(power))
}

fn volume_and_area<V: Vector>(contacts: &[ContactVolume<V>]) -> (f64, V) {
    let add = |(volume, area), c: &ContactVolume<V>| (volume + c.volume, area + c.area_vector);
    contacts.iter().fold((0.0, V::ZERO), add)
}
