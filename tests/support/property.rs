//! What the properties of this folder have in common.

use std::collections::BTreeMap;
use std::fmt::Debug;

use osculate::testing::properties::Violation;
use osculate::{Contact, NarrowPhase, Vector};

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

/// Checks that the segments of an intersection curve form closed loops.
///
/// Each segment has a start and an end, each with a name and a position. At each node as many segments must
/// start as end, with the same position bit for bit. Then the segments add up to zero.
pub(crate) fn curve_closes<V: Vector, N: Ord + Debug>(
    segments: impl IntoIterator<Item = [(N, V); 2]>,
) -> Result<(), Violation> {
    let rule = "curve_closes";
    let mut nodes: BTreeMap<N, (i32, V)> = BTreeMap::new();
    for ends in segments {
        for ((name, position), step) in ends.into_iter().zip([1, -1]) {
            let node = nodes.entry(name).or_insert((0, position));
            node.0 += step;
            let is_finite = (0..V::DIM).all(|axis| position[axis].is_finite());
            holds(rule, is_finite && position == node.1, || {
                format!("a node at {position:?} and {:?}", node.1)
            })?;
        }
    }
    for (name, (excess, _)) in &nodes {
        holds(rule, *excess == 0, || {
            format!("{excess} more starts than ends at {name:?}")
        })?;
    }
    Ok(())
}
