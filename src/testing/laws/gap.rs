//! Of kernels that give a normal and an overlap.

use glam::DVec3;

use super::{Violation, contacts, deepest, expect, expect_equal, expect_near};
use crate::math::Vector;
use crate::narrow::{Contact, NarrowPhase};
use crate::shape::{ConvexPolyhedron, Placed};
use crate::testing::workload::SplitMix64;

/// The deepest contact has the overlap `-gap`, as an oracle or the way in which the bodies were made
/// says; none if the gap is beyond the kernel's margin. All contacts are finite, with unit normals
/// and overlaps above minus the margin.
///
/// Gap: the distance of bodies that are apart, minus the shortest translation that parts them else;
/// for spheres at walls the distance of the centre from the wall, less the radius.
///
/// # Errors
/// [`Violation`].
pub fn gap_is<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    b: &B,
    gap: f64,
    margin: f64,
    tolerance: f64,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let found = contacts(kernel, a, b, view);
    expect_valid(&found, margin)?;
    match deepest(&found) {
        Some(contact) => expect_near("gap", -contact.overlap, gap, tolerance),
        None => expect(
            || "no contact".into(),
            margin,
            gap,
            gap >= margin - tolerance,
        ),
    }
}

/// Moving the second body along the normal by the overlap (back by the gap, if it is negative)
/// leaves the bodies just touching: the normal and the overlap of the deepest contact belong
/// together, and the normal points from the first body to the second.
///
/// Of convex bodies that are apart, the gap grows with the square of the error of the normal: the
/// tolerance has to be some 1e-7 of the distance there.
///
/// `moved` gives the second body moved by a vector, `gap` what is between bodies, by an oracle.
///
/// # Errors
/// [`Violation`].
pub fn overlap_separates<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    moved: impl Fn(V) -> B,
    gap: impl Fn(&A, &B) -> f64,
    tolerance: f64,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let found = contacts(kernel, a, &moved(V::ZERO), view);
    let Some(contact) = deepest(&found) else {
        return Ok(());
    };
    let left = gap(a, &moved(contact.normal * contact.overlap));
    let what = || format!("gap after moving by the overlap of {contact:?}");
    expect(what, left, 0.0, left.abs() <= tolerance)
}

/// Normals are unit, and the gap between the bodies along each, over all their vertices, is minus the
/// overlap, to within the error bound that the contact states.
///
/// Unlike [`overlap_separates`] this says something of the normal even for bodies that all but touch.
///
/// `gap_along` gives the gap along a unit normal from the first body to the second
/// ([`gap_of_polyhedra_along`](crate::testing::oracle::gap_of_polyhedra_along)); `view` gives a
/// contact and its error bound, for instance
/// [`CommonPlaneContact::error_bound`](crate::CommonPlaneContact::error_bound).
///
/// # Errors
/// [`Violation`].
pub fn supports_give_overlap<V: Vector, A, B, C>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    a: &A,
    b: &B,
    gap_along: impl Fn(&A, &B, V) -> f64,
    view: impl Fn(&C) -> (Contact<V>, f64),
) -> Result<(), Violation> {
    for (contact, bound) in contacts(kernel, a, b, view) {
        let length = contact.normal.length();
        expect_near("length of the normal", length, 1.0, 1e-15)?;
        let gap = gap_along(a, b, contact.normal);
        let what = format!("gap along the normal, to {bound:e}");
        expect_near(&what, gap, -contact.overlap, bound)?;
    }
    Ok(())
}

/// Contacts are finite, normals unit, overlaps above minus the margin; swapping the bodies
/// negates the normals and keeps the overlaps, bit for bit and in the same order.
///
/// Does not hold, nor can, for bodies whose centres coincide.
///
/// # Errors
/// [`Violation`].
pub fn swap_negates<V: Vector, B, C>(
    kernel: &mut impl NarrowPhase<B, B, Contact = C>,
    [a, b]: [&B; 2],
    margin: f64,
    view: impl Fn(&C) -> Contact<V>,
) -> Result<(), Violation> {
    let forth = contacts(kernel, a, b, &view);
    let back = contacts(kernel, b, a, &view);
    expect_valid(&forth, margin)?;
    let negated: Vec<_> = back.iter().map(|c| (-c.normal, c.overlap)).collect();
    let forth: Vec<_> = forth.iter().map(|c| (c.normal, c.overlap)).collect();
    expect_equal("contacts of the swapped bodies", &negated, &forth)
}

/// The overlap of two polyhedra stays, to a tolerance, if the vertices of the second get other
/// numbers.
///
/// # Errors
/// [`Violation`].
pub fn independent_of_labels<C>(
    kernel: &mut impl for<'a> NarrowPhase<
        Placed<&'a ConvexPolyhedron, DVec3>,
        Placed<&'a ConvexPolyhedron, DVec3>,
        Contact = C,
    >,
    [a, b]: [&Placed<&ConvexPolyhedron, DVec3>; 2],
    seed: u64,
    tolerance: f64,
    view: impl Fn(&C) -> Contact<DVec3>,
) -> Result<(), Violation> {
    let mut vertices = b.shape.vertices().to_vec();
    SplitMix64::new(seed).shuffle(&mut vertices);
    let renamed = Placed {
        shape: &ConvexPolyhedron::from_convex_hull(&vertices)?,
        pose: b.pose,
    };
    let mut overlap = |b: &Placed<&ConvexPolyhedron, DVec3>| {
        let found = contacts(kernel, a, b, &view);
        deepest(&found).map_or(0.0, |c| c.overlap)
    };
    let (found, expected) = (overlap(&renamed), overlap(b));
    expect_near("overlap with other labels", found, expected, tolerance)
}

pub(super) fn expect_valid<V: Vector>(found: &[Contact<V>], margin: f64) -> Result<(), Violation> {
    for contact in found {
        let is_valid = (contact.normal.length() - 1.0).abs() <= 1e-15
            && contact.overlap > -margin
            && contact.point.length().is_finite();
        expect(|| format!("{contact:?} is valid"), is_valid, true, is_valid)?;
    }
    Ok(())
}
