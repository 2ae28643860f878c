//! Properties that broad and narrow phases must have, as functions for `proptest!` or a loop over seeds.
//!
//! Each function takes any [`BroadPhase`](crate::BroadPhase) or [`NarrowPhase`], so you can test your own:
//!
//! ```
//! use osculate::{Contact, LinkedCells, Sphere, glam::DVec2};
//! use osculate::testing::{properties, workload};
//!
//! let discs = workload::random_spheres::<DVec2>(200, 0.5, 3.0, 1);
//! properties::broad::each_pair_once(&mut LinkedCells::new(), &discs)?;
//!
//! // A wrong kernel: it ignores the radius of the second disc.
//! let mut own = |a: &Sphere<DVec2>, b: &Sphere<DVec2>| {
//!     let ab = b.center - a.center;
//!     let (overlap, normal) = (a.radius - ab.length(), ab.normalize());
//!     let point = a.center + normal * (a.radius - overlap / 2.0);
//!     (overlap > 0.0).then_some(Contact { point, normal, overlap })
//! };
//! let (a, b) = (Sphere::new(DVec2::ZERO, 2.0), Sphere::new(DVec2::X, 1.0));
//! let violation = properties::kernel::gap_is(&mut own, &a, &b, -2.0, 1e-15).unwrap_err();
//! let message = "kernel::gap_is: gap (a length): found -1.0, expected -2.0, tolerance 1e-15";
//! assert_eq!(violation.to_string(), message);
//! # Ok::<(), properties::Violation>(())
//! ```
//!
//! Kernels of [`kernel`] and [`wall`] report contacts that convert into a [`Contact`], kernels of [`volume`] contacts
//! that convert into a [`ContactVolume`], and kernels of [`elastic`] contacts that convert into an
//! [`Elastic`](elastic::Elastic). A closure that
//! returns at most one contact is a kernel. [`ManyContacts`] turns a closure with several contacts into a
//! kernel, and [`MapContact`] restricts a comparison to parts of a contact.
//!
//! | module | tests |
//! |---|---|
//! | [`broad`] | broad phases, pair lists, domain decompositions |
//! | [`kernel`] | kernels with contact normal and overlap |
//! | [`distance`] | functions that return a signed distance only |
//! | [`elastic`] | kernels with the force and torque of an elastic contact |
//! | [`wall`] | kernels for a sphere and a meshed wall |
//! | [`volume`] | kernels for intersection volumes |
//!
//! A tolerance has the unit of the compared value, which the message of a [`Violation`] names.
//!
//! NaN or infinity in any number of a [`Contact`], a [`ContactVolume`] or an
//! [`Elastic`](elastic::Elastic) violates each property, also where the number is not compared. Properties that
//! take contacts of any type compare them by `==`, so that NaN violates them, but the same infinity on both sides does
//! not.

pub mod broad;
pub mod distance;
pub mod elastic;
pub mod kernel;
pub mod volume;
pub mod wall;

use std::fmt::{self, Debug};

use crate::error::Error;
use crate::math::Vector;
use crate::narrow::{Contact, ContactVolume, NarrowPhase};

/// The rounding error allowed where a property takes no tolerance, relative to the size of the bodies.
const ROUNDING: f64 = 1e-13;

/// A property that does not hold.
///
/// Its message names the property, the compared value with its unit, and both results.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Violation {
    message: String,
    source: Option<Error>,
    excess: f64,
}

impl Violation {
    /// Reports that a property of your own does not hold.
    pub fn new(message: String) -> Self {
        Self {
            message,
            source: None,
            excess: f64::INFINITY,
        }
    }

    /// Returns the error of the compared number over its tolerance, infinity where no finite number was compared.
    pub fn excess(&self) -> f64 {
        self.excess
    }
}

/// The message without escapes, so that `unwrap` prints it as it is.
impl Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Reports valid input that was rejected.
impl From<Error> for Violation {
    fn from(error: Error) -> Self {
        Self {
            message: format!("valid input was rejected: {error}"),
            source: Some(error),
            excess: f64::INFINITY,
        }
    }
}

/// A kernel from a closure that returns any number of contacts, for instance a `Vec`.
///
/// ```
/// use osculate::{NarrowPhase, Sphere, SurfaceMesh, Wall, glam::DVec3, narrow::FacetSubset};
/// use osculate::testing::properties::ManyContacts;
///
/// // Reports every facet, for any sphere.
/// let mut own = ManyContacts(|_: &Sphere<DVec3>, wall: &Wall| 0..wall.mesh().facet_count());
/// let wall = Wall::new(SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?);
/// let mut found = Vec::new();
/// let sphere = Sphere::new(DVec3::Z, 1.0);
/// own.for_each_contact(&sphere, &wall, &mut (), |facet| found.push(facet));
/// assert_eq!(found, [0]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ManyContacts<F>(pub F);

impl<A: ?Sized, B: ?Sized, I: IntoIterator, F: FnMut(&A, &B) -> I> NarrowPhase<A, B>
    for ManyContacts<F>
{
    type Contact = I::Item;
    type State = ();

    fn for_each_contact(&mut self, a: &A, b: &B, (): &mut (), visit: impl FnMut(I::Item)) {
        (self.0)(a, b).into_iter().for_each(visit);
    }
}

/// A kernel whose contacts pass through a closure, to compare parts of a contact.
///
/// ```
/// use osculate::glam::DVec2;
/// use osculate::{CommonPlane, CommonPlaneContact, ConvexPolygon, NarrowPhase, Placed};
/// use osculate::testing::properties::{MapContact, kernel};
///
/// # let square = osculate::ConvexPolygon::from_convex_hull(&[DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE])?;
/// # let [a, b] = [0.0, 0.75].map(|x| {
/// #     Placed { shape: &square, pose: osculate::Pose2::from_translation(DVec2::X * x).unwrap() }
/// # });
/// // The features may change between steps, the overlap must not.
/// let mut overlaps = MapContact(CommonPlane::new(), |c: CommonPlaneContact<DVec2>| c.overlap);
/// kernel::independent_of_state(&mut overlaps, [(a, b), (a, b)])?;
/// # Ok::<(), osculate::testing::properties::Violation>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MapContact<K, F>(pub K, pub F);

impl<A: ?Sized, B: ?Sized, K: NarrowPhase<A, B>, T, F: FnMut(K::Contact) -> T> NarrowPhase<A, B>
    for MapContact<K, F>
{
    type Contact = T;
    type State = K::State;

    fn for_each_contact(&mut self, a: &A, b: &B, state: &mut K::State, mut visit: impl FnMut(T)) {
        let Self(kernel, map) = self;
        kernel.for_each_contact(a, b, state, |contact| visit(map(contact)));
    }
}

/// The name of a property, with the comparisons that report its violation.
#[derive(Clone, Copy)]
struct Rule(&'static str);

impl Rule {
    fn holds(self, holds: bool, message: impl FnOnce() -> String) -> Result<(), Violation> {
        if holds {
            return Ok(());
        }
        Err(Violation::new(format!("{}: {}", self.0, message())))
    }

    fn equal<T: Debug + PartialEq>(
        self,
        what: &str,
        found: &T,
        expected: &T,
    ) -> Result<(), Violation> {
        self.holds(found == expected, || {
            format!("{what}: found {found:?}, expected {expected:?}")
        })
    }

    /// Compares lists element by element; the message holds the first difference only.
    fn same_list<T: Debug + PartialEq>(
        self,
        what: &str,
        found: &[T],
        expected: &[T],
    ) -> Result<(), Violation> {
        self.holds(found == expected, || {
            let first = found.iter().zip(expected).position(|(a, b)| a != b);
            let first = first.unwrap_or(found.len().min(expected.len()));
            let element = |list: &[T]| list.get(first).map_or("none".into(), |e| format!("{e:?}"));
            format!(
                "{what}: element {first} is {}, expected {} ({} elements found, {} expected)",
                element(found),
                element(expected),
                found.len(),
                expected.len(),
            )
        })
    }

    /// Compares numbers; NaN and infinity equal nothing.
    fn near(self, what: &str, found: f64, expected: f64, tolerance: f64) -> Result<(), Violation> {
        let error = (found - expected).abs();
        let result = self.holds(error <= tolerance && error.is_finite(), || {
            format!("{what}: found {found:?}, expected {expected:?}, tolerance {tolerance:?}")
        });
        result.map_err(|violation| Violation {
            excess: if error.is_finite() {
                error / tolerance
            } else {
                f64::INFINITY
            },
            ..violation
        })
    }

    fn near_vector<V: Vector>(
        self,
        what: &str,
        found: V,
        expected: V,
        tolerance: f64,
    ) -> Result<(), Violation> {
        let is_near = (found - expected).length() <= tolerance;
        self.holds(is_near && is_finite(found - expected), || {
            format!("{what}: found {found:?}, expected {expected:?}, tolerance {tolerance:?}")
        })
    }

    /// Returns the contacts of a kernel from a fresh state, converted for a property, if they are finite.
    fn contacts<A, B, K: NarrowPhase<A, B, Contact: Into<T>>, T: Debug + Numbers>(
        self,
        kernel: &mut K,
        a: &A,
        b: &B,
    ) -> Result<Vec<T>, Violation> {
        self.all_finite(reported(kernel, a, b))
    }

    /// Converts contacts for a property, if all their numbers are finite.
    fn all_finite<C: Into<T>, T: Debug + Numbers>(
        self,
        found: impl IntoIterator<Item = C>,
    ) -> Result<Vec<T>, Violation> {
        let found = found.into_iter().map(|contact| self.finite(contact));
        found.collect()
    }

    fn finite<T: Debug + Numbers>(self, contact: impl Into<T>) -> Result<T, Violation> {
        let contact = contact.into();
        self.holds(contact.are_finite(), || {
            format!("a number is not finite: {contact:?}")
        })?;
        Ok(contact)
    }

    /// Checks that normals are unit vectors, and overlaps above minus the margin.
    fn valid_contacts<V: Vector>(
        self,
        contacts: &[Contact<V>],
        margin: f64,
    ) -> Result<(), Violation> {
        for contact in contacts {
            let length = contact.normal.length();
            self.near("length of the normal", length, 1.0, UNIT_NORMAL)?;
            self.holds(contact.overlap > -margin, || match margin {
                0.0 => {
                    format!("overlap (a length) is not above 0, which is no contact: {contact:?}")
                }
                _ => format!("overlap (a length) beyond the margin {margin:?}: {contact:?}"),
            })?;
        }
        Ok(())
    }

    /// Compares contacts in any order, to [`ROUNDING`] of `size`.
    ///
    /// Contacts with an overlap of 0 to this tolerance may be missing. Points and normals are not
    /// compared if they are zero on one side.
    fn same_contacts<V: Vector>(
        self,
        what: &str,
        found: &[Contact<V>],
        expected: &[Contact<V>],
        size: f64,
    ) -> Result<(), Violation> {
        let tolerance = ROUNDING * size;
        let is_near = |a: V, b: V, tolerance: f64| {
            a == V::ZERO || b == V::ZERO || (a - b).length() <= tolerance
        };
        let touches = |c: &Contact<V>| c.overlap.abs() <= tolerance;
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
                self.holds(touches(contact), || {
                    format!("{what}: no {contact:?} (lengths to {tolerance:?}), found {found:?}")
                })?;
            }
        }
        self.holds(left.iter().all(touches), || {
            format!("{what}: {left:?} not expected (lengths to {tolerance:?}), only {expected:?}")
        })
    }
}

/// A normalized vector is a unit vector to 3 roundings.
const UNIT_NORMAL: f64 = 1e-15;

/// Returns the contacts of a kernel from a fresh state.
fn reported<A, B, K: NarrowPhase<A, B>>(kernel: &mut K, a: &A, b: &B) -> Vec<K::Contact> {
    let mut found = Vec::new();
    kernel.for_each_contact(a, b, &mut Default::default(), |contact| found.push(contact));
    found
}

/// A contact whose numbers must be finite in each property.
trait Numbers {
    fn are_finite(&self) -> bool;
}

impl<V: Vector> Numbers for Contact<V> {
    fn are_finite(&self) -> bool {
        is_finite(self.point) && is_finite(self.normal) && self.overlap.is_finite()
    }
}

impl<V: Vector> Numbers for ContactVolume<V> {
    fn are_finite(&self) -> bool {
        is_finite(self.point)
            && is_finite(self.area_vector)
            && self.volume.is_finite()
            && self.moment_vector * 0.0 == V::Moment::default()
    }
}

fn is_finite<V: Vector>(v: V) -> bool {
    (0..V::DIM).all(|axis| v[axis].is_finite())
}

/// Returns the overlap of the deepest of finite contacts, 0 without a positive one.
fn positive_overlap<V: Vector>(contacts: &[Contact<V>]) -> f64 {
    deepest(contacts).map_or(0.0, |contact| contact.overlap.max(0.0))
}

fn deepest<V: Vector>(contacts: &[Contact<V>]) -> Option<Contact<V>> {
    let by_overlap = |a: &&Contact<V>, b: &&Contact<V>| a.overlap.total_cmp(&b.overlap);
    contacts.iter().max_by(by_overlap).copied()
}
