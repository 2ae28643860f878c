//! Of all kernels: nothing depends on where the world's origin is, on the unit of length, or on
//! what was remembered.
//!
//! The pair of bodies is given as a function of what is done to the world.

use std::fmt::Debug;

use super::{Violation, contacts, expect, expect_equal};
use crate::math::{Pose, Vector};
use crate::narrow::{Contact, NarrowPhase};

/// What rounding may do, in parts of the size.
const ROUNDING: f64 = 1e-13;

/// The contacts move with the bodies, to 1e-13 of `size`: the extent of all coordinates, before the
/// motion and after.
///
/// `pair` gives both bodies after a motion. Overlap, normal and point are compared, but not what the
/// view leaves at 0: normals and points may jump where several are equally good (parallel faces),
/// and are vague where centres nearly coincide. Contacts come in any order; some whose overlap is 0
/// to the tolerance may be missing.
///
/// ```
/// use osculate::{Pose3, Sphere, SphereSphere, glam::{DQuat, DVec3}, testing::laws};
///
/// let bodies = [(0.0, 1.0), (1.5, 1.0)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
/// let pair = |motion: &Pose3| bodies.map(|s| Sphere::new(motion.transform_point(s.center), s.radius)).into();
/// let motion = Pose3::new(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8), DVec3::splat(100.0))?;
/// laws::moves_rigidly(&mut SphereSphere::new(), pair, &motion, 200.0, |c| *c)?;
/// # Ok::<(), laws::Violation>(())
/// ```
///
/// # Errors
/// [`Violation`].
pub fn moves_rigidly<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(&Pose<V>) -> (A, B),
    motion: &Pose<V>,
    size: f64,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let (a, b) = pair(&Pose::IDENTITY);
    let mut expected = contacts(kernel, &a, &b, &view);
    for contact in &mut expected {
        if contact.point != V::ZERO {
            contact.point = motion.transform_point(contact.point);
        }
        contact.normal = motion.transform_vector(contact.normal);
    }
    let (a, b) = pair(motion);
    let found = contacts(kernel, &a, &b, &view);
    expect_same("contacts of the moved bodies", &found, &expected, size)
}

/// The contacts are the same at sizes from 1e-9 to 1e9, to 1e-13 of the size. `pair` gives the
/// bodies times a factor; at a factor of 1 all coordinates are within `size`.
///
/// What is compared: see [`moves_rigidly`].
///
/// # Errors
/// [`Violation`].
pub fn accurate_at_any_scale<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(f64) -> (A, B),
    size: f64,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let (a, b) = pair(1.0);
    let expected = contacts(kernel, &a, &b, &view);
    for factor in [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9] {
        let (a, b) = pair(factor);
        let found = contacts(kernel, &a, &b, &view);
        let expected: Vec<_> = expected.iter().map(|c| scaled(c, factor)).collect();
        let what = format!("contacts of the bodies times {factor:e}");
        expect_same(&what, &found, &expected, size * factor)?;
    }
    Ok(())
}

/// If all lengths are multiplied by 2^`exponent`, so are the contacts' lengths, bit for bit and in
/// the same order. `pair` gives the bodies times a factor; the kernel has no margin, or one that
/// does not matter.
///
/// # Errors
/// [`Violation`].
pub fn scales_exactly<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let factor = 2.0_f64.powi(exponent);
    let (a, b) = pair(1.0);
    let expected = contacts(kernel, &a, &b, &view);
    let expected = expected.iter().map(|c| scaled(c, factor)).collect();
    let (a, b) = pair(factor);
    let found = contacts(kernel, &a, &b, &view);
    let what = format!("contacts of the bodies times 2^{exponent}");
    expect_equal(&what, &found, &expected)
}

/// Along a path of two bodies, contacts with the memory of the step before are those without, bit
/// for bit: it saves time only, and skips no contact.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_state<A, B, C, T: Debug + PartialEq>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    path: impl IntoIterator<Item = (A, B)>,
    view: impl Fn(&C) -> T,
) -> Result<(), Violation> {
    let mut memory = Default::default();
    for (step, (a, b)) in path.into_iter().enumerate() {
        let mut found = Vec::new();
        kernel.for_each_contact(&a, &b, &mut memory, |c| found.push(view(&c)));
        let expected = contacts(kernel, &a, &b, &view);
        let what = format!("contacts by memory at step {step}");
        expect_equal(&what, &found, &expected)?;
    }
    Ok(())
}

fn scaled<V: Vector>(contact: &Contact<V>, factor: f64) -> Contact<V> {
    Contact {
        point: contact.point * factor,
        normal: contact.normal,
        overlap: contact.overlap * factor,
    }
}

/// The same contacts in any order, but for some that barely touch.
pub(super) fn expect_same<V: Vector>(
    what: &str,
    found: &[Contact<V>],
    expected: &[Contact<V>],
    size: f64,
) -> Result<(), Violation> {
    let tolerance = ROUNDING * size;
    let is_near =
        |a: V, b: V, tolerance: f64| a == V::ZERO || b == V::ZERO || (a - b).length() <= tolerance;
    let mut left = found.to_vec();
    for contact in expected {
        let is_same = |c: &Contact<V>| {
            (c.overlap - contact.overlap).abs() <= tolerance
                && is_near(c.point, contact.point, tolerance)
                && is_near(c.normal, contact.normal, ROUNDING)
        };
        if let Some(i) = left.iter().position(is_same) {
            left.swap_remove(i);
        } else {
            let holds = contact.overlap.abs() <= tolerance;
            expect(|| what.to_owned(), found, expected, holds)?;
        }
    }
    let holds = left.iter().all(|c| c.overlap.abs() <= tolerance);
    expect(|| what.to_owned(), found, expected, holds)
}
