//! Properties of functions that return only a signed distance.
//!
//! The distance of separated bodies is positive, that of overlapping bodies minus their penetration
//! depth. `distance` may be any closure, so that a function from another crate needs no kernel around it.
//!
//! ```
//! use osculate::testing::properties::{Violation, distance};
//! use osculate::{Sphere, glam::DVec3};
//!
//! let [a, b] = [0.0, 3.0].map(|x| Sphere::new(DVec3::X * x, 1.0));
//! let own = |a: &Sphere, b: &Sphere| a.center.distance(b.center) - a.radius - b.radius;
//! distance::equals(own, &a, &b, 1.0, 1e-15)?;
//! distance::is_symmetric(own, &a, &b, 0.0)?;
//! # Ok::<(), Violation>(())
//! ```

use super::{Rule, Violation};

/// Checks a signed distance against a known one.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn equals<A, B>(
    distance: impl FnOnce(&A, &B) -> f64,
    a: &A,
    b: &B,
    expected: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let what = "signed distance (a length)";
    Rule("distance::equals").near(what, distance(a, b), expected, tolerance)
}

/// Checks that swapping the bodies keeps the signed distance.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn is_symmetric<B>(
    distance: impl Fn(&B, &B) -> f64,
    a: &B,
    b: &B,
    tolerance: f64,
) -> Result<(), Violation> {
    let what = "signed distance (a length) of the swapped bodies";
    Rule("distance::is_symmetric").near(what, distance(b, a), distance(a, b), tolerance)
}

/// Checks that the signed distance is continuous: it changes by at most the travel of the bodies.
///
/// `before` and `after` are two nearby positions of the same bodies. `travel` is the longest displacement
/// of any point of the first body plus that of the second. It holds for convex bodies, also where they
/// start to overlap and deep inside, although the direction of the shortest separating translation jumps.
///
/// # Errors
/// Returns a [`Violation`] if the property does not hold.
pub fn follows_motion<A, B>(
    distance: impl Fn(&A, &B) -> f64,
    before: (&A, &B),
    after: (&A, &B),
    travel: f64,
    tolerance: f64,
) -> Result<(), Violation> {
    let [old, new] = [before, after].map(|(a, b)| distance(a, b));
    let is_near = (new - old).abs() <= travel + tolerance && (new - old).is_finite();
    Rule("distance::follows_motion").holds(is_near, || {
        format!(
            "signed distance (a length) went from {old:?} to {new:?} over a travel of {travel:?}"
        )
    })
}
