//! What the properties of this folder have in common.

use osculate::testing::properties::Violation;
use osculate::{Contact, NarrowPhase};

/// Rounding error, relative to the size of the bodies.
pub(crate) const ROUNDING: f64 = 1e-13;

/// Reports the violation of a property.
pub(crate) fn holds(
    rule: &str,
    holds: bool,
    message: impl FnOnce() -> String,
) -> Result<(), Violation> {
    if holds {
        return Ok(());
    }
    Err(Violation::new(format!("{rule}: {}", message())))
}

/// Compares numbers; NaN equals nothing.
pub(crate) fn near(
    rule: &str,
    what: &str,
    found: f64,
    expected: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    holds(rule, (found - expected).abs() <= tolerance, || {
        format!("{what}: found {found:?}, expected {expected:?}, tolerance {tolerance:?}")
    })
}

/// Returns the contacts from a fresh state.
pub(crate) fn contacts<A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact>>,
    a: &A,
    b: &B,
) -> Vec<Contact> {
    let mut found = Vec::new();
    kernel.for_each_contact(a, b, &mut Default::default(), |c| found.push(c.into()));
    found
}

/// Returns the contacts from a fresh state: finite, with unit normals and positive overlaps.
pub(crate) fn valid_contacts<A, B>(
    rule: &str,
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact>>,
    a: &A,
    b: &B,
) -> Result<Vec<Contact>, Violation> {
    let found = contacts(kernel, a, b);
    for contact in &found {
        let is_finite = contact.point.is_finite() && contact.overlap.is_finite();
        let is_unit = (contact.normal.length() - 1.0).abs() <= 1e-15;
        holds(rule, is_finite && is_unit && contact.overlap > 0.0, || {
            format!("not a valid contact: {contact:?}")
        })?;
    }
    Ok(found)
}
