//! Properties of kernels that report a contact normal and an overlap.
//!
//! Several of them take the pair of bodies as a function of a motion or a scale factor.

use std::fmt::Debug;

use glam::DVec3;

use super::{Rule, UNIT_NORMAL, Violation, deepest, is_finite, positive_overlap, reported};
use crate::math::{Pose, Vector};
use crate::narrow::{Contact, NarrowPhase};
use crate::shape::{ConvexPolyhedron, Placed};
use crate::testing::workload::SplitMix64;

/// Checks the overlap of a kernel without margin against a known gap.
///
/// The gap of separated bodies is their distance. The gap of overlapping bodies is minus the length of
/// the shortest separating translation. For a sphere and a wall it is the distance from the center to the
/// wall minus the radius. The deepest contact must have the overlap `-gap`; bodies with a positive gap must
/// have no contact. All contacts must be finite, with unit normals and positive overlaps.
/// `tolerance` is a length.
///
/// A contact with an overlap of 0 violates the property, since bodies that only touch have no contact. A kernel that
/// reports them is checked by [`gap_is_within`] with `f64::MIN_POSITIVE` as its margin.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn gap_is<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    a: &A,
    b: &B,
    gap: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::gap_is");
    expect_gap(rule, &rule.contacts(kernel, a, b)?, gap, 0.0, tolerance)
}

/// Checks the overlap of a kernel with a margin against a known gap, see [`gap_is`].
///
/// Bodies with a gap below `margin` must have a contact, whose overlap is minus the gap.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn gap_is_within<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    a: &A,
    b: &B,
    gap: f64,
    margin: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::gap_is_within");
    expect_gap(rule, &rule.contacts(kernel, a, b)?, gap, margin, tolerance)
}

pub(super) fn expect_gap<V: Vector>(
    rule: Rule,
    found: &[Contact<V>],
    gap: f64,
    margin: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    rule.valid_contacts(found, margin)?;
    match deepest(found) {
        Some(contact) => rule.near("gap (a length)", -contact.overlap, gap, tolerance),
        None => rule.holds(gap >= margin - tolerance, || {
            format!("no contact, expected one: gap {gap:?}, margin {margin:?} (lengths)")
        }),
    }
}

/// Checks that translating the second body by the overlap along the normal leaves a gap of 0.
///
/// So the normal and the overlap of the deepest contact belong together, and the normal points from the
/// first body to the second. Near bodies within a margin are translated towards each other. `moved`
/// returns the second body after a translation, `gap` the gap from an oracle. `tolerance` is a length.
/// The gap of separated convex bodies depends on the square of the error of the normal. So it needs a
/// tolerance of about 1e-7 of their distance.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn overlap_separates<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    a: &A,
    moved: impl Fn(V) -> B,
    gap: impl Fn(&A, &B) -> f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::overlap_separates");
    let found = rule.contacts(kernel, a, &moved(V::ZERO))?;
    let Some(contact) = deepest(&found) else {
        return Ok(());
    };
    let left = gap(a, &moved(contact.normal * contact.overlap));
    rule.holds(left.abs() <= tolerance, || {
        format!(
            "gap (a length) after a translation by overlap times normal: found {left:?}, \
             expected 0.0, tolerance {tolerance:?}, {contact:?}"
        )
    })
}

/// Checks normal and overlap against the support points of both bodies.
///
/// Along each unit normal, the gap between the bodies is minus the overlap, to the error bound that the
/// contact states. Unlike [`overlap_separates`] this tests the normal also if bodies almost touch.
/// `gap_along` returns the gap along a unit normal from the first body to the second, for instance
/// [`gap_of_polyhedra_along`](crate::testing::oracle::gap_of_polyhedra_along). `error_bound` returns the
/// bound of a contact, for instance its [`error_bound`](crate::CommonPlaneContact::error_bound).
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn supports_give_overlap<V: Vector, A, B, K: NarrowPhase<A, B, Contact: Into<Contact<V>>>>(
    kernel: &mut K,
    a: &A,
    b: &B,
    gap_along: impl Fn(&A, &B, V) -> f64,
    error_bound: impl Fn(&K::Contact) -> f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::supports_give_overlap");
    for contact in reported(kernel, a, b) {
        let bound = error_bound(&contact);
        rule.holds(bound.is_finite(), || {
            format!("the error bound {bound:?} (a length) is not finite")
        })?;
        let Contact {
            normal, overlap, ..
        } = rule.finite(contact)?;
        rule.near("length of the normal", normal.length(), 1.0, UNIT_NORMAL)?;
        let gap = gap_along(a, b, normal);
        rule.near("gap along the normal (a length)", gap, -overlap, bound)?;
    }
    Ok(())
}

/// Checks that witness points lie on their bodies, and that the overlap separates them.
///
/// `witnesses` returns the points of a contact, on the first body and on the second. Their difference
/// must be `-overlap * normal`, so that separated bodies have their closest points. `distance_a` and
/// `distance_b` return the distance of a point from the surface of a body, of either sign, for instance
/// by [`distance_to_polyhedron`](crate::testing::oracle::distance_to_polyhedron).
/// `tolerance` is a length.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn witness_points_match<V: Vector, A, B, K: NarrowPhase<A, B, Contact: Into<Contact<V>>>>(
    kernel: &mut K,
    a: &A,
    b: &B,
    witnesses: impl Fn(&K::Contact) -> [V; 2],
    distance_a: impl Fn(&A, V) -> f64,
    distance_b: impl Fn(&B, V) -> f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::witness_points_match");
    for contact in reported(kernel, a, b) {
        let [on_a, on_b] = witnesses(&contact);
        rule.holds(is_finite(on_a) && is_finite(on_b), || {
            format!("a witness is not finite: {on_a:?}, {on_b:?}")
        })?;
        let distance = distance_a(a, on_a);
        rule.near(
            "distance of the first witness from its body (a length)",
            distance,
            0.0,
            tolerance,
        )?;
        let distance = distance_b(b, on_b);
        rule.near(
            "distance of the second witness from its body (a length)",
            distance,
            0.0,
            tolerance,
        )?;
        let Contact {
            normal, overlap, ..
        } = rule.finite(contact)?;
        let what = "second witness minus first, along -overlap * normal (a length)";
        rule.near_vector(what, on_b - on_a, normal * -overlap, tolerance)?;
    }
    Ok(())
}

/// Checks that the overlap is continuous: it changes by at most the travel of the bodies.
///
/// `before` and `after` are two nearby positions of the same bodies. `travel` is the longest displacement
/// of any point of the first body plus that of the second. The overlap of the deepest contact, 0 without
/// one, must not change by more than `travel + tolerance` (lengths). So the penetration depth of convex
/// bodies behaves, although the normal may jump.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn overlap_follows_motion<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    before: (&A, &B),
    after: (&A, &B),
    travel: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::overlap_follows_motion");
    let old = positive_overlap(&rule.contacts(kernel, before.0, before.1)?);
    let new = positive_overlap(&rule.contacts(kernel, after.0, after.1)?);
    rule.holds((new - old).abs() <= travel + tolerance, || {
        format!("overlap (a length) went from {old:?} to {new:?} over a travel of {travel:?}")
    })
}

/// Checks that swapping the bodies negates the normals and keeps the overlaps, bit for bit.
///
/// Contacts must come in the same order, and be finite with unit normals. The bodies may have different types
/// if the kernel takes them in both orders. Not for bodies with coincident centers, which have no preferred
/// direction.
///
/// ```
/// use osculate::testing::properties::{Violation, kernel};
/// use osculate::{Contact, NarrowPhase, Sphere, glam::DVec3};
///
/// /// The half-space below a height.
/// struct Ground(f64);
/// struct OnGround;
/// impl NarrowPhase<Sphere, Ground> for OnGround {
///     type Contact = Contact;
///     type State = ();
///     fn for_each_contact(&mut self, a: &Sphere, b: &Ground, (): &mut (), visit: impl FnMut(Contact)) {
///         let overlap = a.radius - (a.center.z - b.0);
///         let point = a.center - DVec3::Z * (a.radius - overlap / 2.0);
///         let contact = Contact { point, normal: -DVec3::Z, overlap };
///         (overlap > 0.0).then_some(contact).into_iter().for_each(visit);
///     }
/// }
/// impl NarrowPhase<Ground, Sphere> for OnGround {
///     type Contact = Contact;
///     type State = ();
///     fn for_each_contact(&mut self, a: &Ground, b: &Sphere, (): &mut (), mut visit: impl FnMut(Contact)) {
///         self.for_each_contact(b, a, &mut (), |c: Contact| visit(Contact { normal: -c.normal, ..c }));
///     }
/// }
/// kernel::swap_negates(&mut OnGround, &Sphere::new(DVec3::Z, 1.5), &Ground(0.0))?;
/// # Ok::<(), Violation>(())
/// ```
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn swap_negates<V: Vector, A, B, K>(kernel: &mut K, a: &A, b: &B) -> Result<(), Violation>
where
    K: NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    K: NarrowPhase<B, A, Contact: Into<Contact<V>>>,
{
    let rule = Rule("kernel::swap_negates");
    let forth: Vec<Contact<V>> = rule.contacts(kernel, a, b)?;
    let back: Vec<Contact<V>> = rule.contacts(kernel, b, a)?;
    rule.valid_contacts(&forth, f64::INFINITY)?;
    let negated: Vec<(V, f64)> = back.iter().map(|c| (-c.normal, c.overlap)).collect();
    let forth: Vec<(V, f64)> = forth.iter().map(|c| (c.normal, c.overlap)).collect();
    let what = "negated normal and overlap of the swapped bodies";
    rule.same_list(what, &negated, &forth)
}

/// Checks that swapping the bodies negates the normals and keeps the overlaps, to a tolerance.
///
/// `tolerance` is a length for the overlaps, `angle` is the angle in radians between the normals.
/// Contacts may come in any order; contacts with an overlap within `tolerance` of 0 may be missing.
/// The bodies may have different types, as in [`swap_negates`].
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn swap_negates_within<V: Vector, A, B, K>(
    kernel: &mut K,
    a: &A,
    b: &B,
    tolerance: f64,
    angle: f64,
) -> Result<(), Violation>
where
    K: NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    K: NarrowPhase<B, A, Contact: Into<Contact<V>>>,
{
    let rule = Rule("kernel::swap_negates_within");
    let forth: Vec<Contact<V>> = rule.contacts(kernel, a, b)?;
    let mut back: Vec<Contact<V>> = rule.contacts(kernel, b, a)?;
    rule.valid_contacts(&forth, f64::INFINITY)?;
    let touches = |c: &Contact<V>| c.overlap.abs() <= tolerance;
    for contact in forth {
        let swaps = |c: &Contact<V>| {
            // The chord of the angle.
            (c.normal + contact.normal).length() <= 2.0 * (0.5 * angle).sin()
                && (c.overlap - contact.overlap).abs() <= tolerance
        };
        if let Some(i) = back.iter().position(swaps) {
            back.swap_remove(i);
        } else {
            rule.holds(touches(&contact), || {
                format!(
                    "{contact:?} is missing among the contacts of the swapped bodies \
                     (lengths to {tolerance:?}, radians to {angle:?}): {back:?}"
                )
            })?;
        }
    }
    rule.holds(back.iter().all(touches), || {
        format!("contacts of the swapped bodies only: {back:?}")
    })
}

/// Checks that the overlap of two polyhedra does not depend on the vertex numbers of the second.
///
/// `tolerance` is a length.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_labels<C: Into<Contact<DVec3>>>(
    kernel: &mut impl for<'a> NarrowPhase<
        Placed<&'a ConvexPolyhedron, DVec3>,
        Placed<&'a ConvexPolyhedron, DVec3>,
        Contact = C,
    >,
    a: &Placed<&ConvexPolyhedron, DVec3>,
    b: &Placed<&ConvexPolyhedron, DVec3>,
    seed: u64,
    tolerance: f64,
) -> Result<(), Violation> {
    let mut vertices = b.shape.vertices().to_vec();
    SplitMix64::new(seed).shuffle(&mut vertices);
    let renumbered = Placed {
        shape: &ConvexPolyhedron::from_convex_hull(&vertices)?,
        pose: b.pose,
    };
    let rule = Rule("kernel::independent_of_labels");
    let mut overlap = |b: &Placed<&ConvexPolyhedron, DVec3>| {
        let found: Vec<Contact> = rule.contacts(kernel, a, b)?;
        Ok::<f64, Violation>(deepest(&found).map_or(0.0, |contact| contact.overlap))
    };
    let (found, expected) = (overlap(&renumbered)?, overlap(b)?);
    let what = "overlap (a length) with renumbered vertices";
    rule.near(what, found, expected, tolerance)
}

/// Checks that the contacts move with the bodies, to 1e-13 of `size`.
///
/// `pair` returns both bodies after a motion. `size` bounds all coordinates, before the motion and after.
/// Overlap, normal and point are compared, in any order of the contacts. Contacts with an overlap of 0 to
/// the tolerance may be missing. Normals and points may jump if several are equally good, as between
/// parallel faces. A normal or point that is zero is not compared, so set those to zero by
/// [`MapContact`](super::MapContact).
///
/// The direction of a contact may be undefined, as for spheres with the same center. A shift of the second
/// body by 1e-12 of `size` then turns the normal by more than 60 degrees, or removes the contact. Only the
/// overlaps of such contacts are compared.
///
/// ```
/// use osculate::testing::properties::{Violation, kernel};
/// use osculate::{Pose3, Sphere, SphereSphere, glam::{DQuat, DVec3}};
///
/// let bodies = [(0.0, 1.0), (1.5, 1.0)].map(|(x, r)| Sphere::new(DVec3::X * x, r));
/// let pair = |motion: &Pose3| {
///     let moved = bodies.map(|s| Sphere::new(motion.transform_point(s.center), s.radius));
///     moved.into()
/// };
/// let motion = Pose3::new(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8), DVec3::splat(100.0))?;
/// kernel::moves_rigidly(&mut SphereSphere::new(), pair, &motion, 200.0)?;
/// # Ok::<(), Violation>(())
/// ```
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn moves_rigidly<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    pair: impl Fn(&Pose<V>) -> (A, B),
    motion: &Pose<V>,
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::moves_rigidly");
    let (a, b) = pair(&Pose::IDENTITY);
    let mut expected: Vec<Contact<V>> = rule.contacts(kernel, &a, &b)?;
    let mut shifted = Vec::new();
    for shift in shifts(1e-12 * size) {
        let (_, b) = pair(&Pose::from_translation(shift)?);
        shifted.push(rule.contacts(kernel, &a, &b)?);
    }
    for contact in &mut expected {
        let is_kept = |c: &Contact<V>| c.normal.dot(contact.normal) >= 0.5;
        let is_defined = |list: &Vec<Contact<V>>| list.iter().any(is_kept);
        if contact.normal.length() > 0.0 && !shifted.iter().all(is_defined) {
            (contact.point, contact.normal) = (V::ZERO, V::ZERO);
        }
        if contact.point != V::ZERO {
            contact.point = motion.transform_point(contact.point);
        }
        contact.normal = motion.transform_vector(contact.normal);
    }
    let (a, b) = pair(motion);
    let found = rule.contacts(kernel, &a, &b)?;
    rule.same_contacts("contacts of the moved bodies", &found, &expected, size)
}

/// Checks that the contacts scale with the bodies by factors from 1e-9 to 1e9, to 1e-13 of the size.
///
/// `pair` returns the bodies times a factor. For a factor of 1, `size` bounds all coordinates. The same values are
/// compared as in [`moves_rigidly`].
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn accurate_at_any_scale<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    pair: impl Fn(f64) -> (A, B),
    size: f64,
) -> Result<(), Violation> {
    let rule = Rule("kernel::accurate_at_any_scale");
    let (a, b) = pair(1.0);
    let expected: Vec<Contact<V>> = rule.contacts(kernel, &a, &b)?;
    for factor in [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9] {
        let (a, b) = pair(factor);
        let found = rule.contacts(kernel, &a, &b)?;
        let expected: Vec<_> = expected.iter().map(|c| scaled(c, factor)).collect();
        let what = format!("contacts of the bodies times {factor:e}");
        rule.same_contacts(&what, &found, &expected, size * factor)?;
    }
    Ok(())
}

/// Checks that scaling the bodies by 2^`exponent` scales the contacts bit for bit.
///
/// `pair` returns the bodies times a factor. Contacts must come in the same order. The kernel has no
/// margin, or one that does not matter.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn scales_exactly<V: Vector, A, B>(
    kernel: &mut impl NarrowPhase<A, B, Contact: Into<Contact<V>>>,
    pair: impl Fn(f64) -> (A, B),
    exponent: i32,
) -> Result<(), Violation> {
    let rule = Rule("kernel::scales_exactly");
    let factor = 2.0_f64.powi(exponent);
    let (a, b) = pair(1.0);
    let expected: Vec<Contact<V>> = rule.contacts(kernel, &a, &b)?;
    let expected: Vec<_> = expected.iter().map(|c| scaled(c, factor)).collect();
    let (a, b) = pair(factor);
    let found = rule.contacts(kernel, &a, &b)?;
    let what = format!("contacts of the bodies times 2^{exponent}");
    rule.same_list(&what, &found, &expected)
}

/// Checks along a path that the state of the previous step does not change the contacts, bit for bit.
///
/// `path` yields both bodies at each step. The state may save time, but must not lose contacts.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn independent_of_state<A, B, C: Debug + PartialEq>(
    kernel: &mut impl NarrowPhase<A, B, Contact = C>,
    path: impl IntoIterator<Item = (A, B)>,
) -> Result<(), Violation> {
    let mut state = Default::default();
    for (step, (a, b)) in path.into_iter().enumerate() {
        let mut found = Vec::new();
        kernel.for_each_contact(&a, &b, &mut state, |contact| found.push(contact));
        let expected = reported(kernel, &a, &b);
        let what = format!("contacts at step {step} from the state of the previous steps");
        Rule("kernel::independent_of_state").same_list(&what, &found, &expected)?;
    }
    Ok(())
}

/// Returns a step of a given length in both directions along each axis.
fn shifts<V: Vector>(length: f64) -> impl Iterator<Item = V> {
    let step = move |axis: usize| V::from_fn(|k| if k == axis { length } else { 0.0 });
    (0..V::DIM).flat_map(move |axis| [step(axis), -step(axis)])
}

fn scaled<V: Vector>(contact: &Contact<V>, factor: f64) -> Contact<V> {
    Contact {
        point: contact.point * factor,
        normal: contact.normal,
        overlap: contact.overlap * factor,
    }
}
