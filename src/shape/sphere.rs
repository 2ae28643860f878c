#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::{SQUARED_DISTANCE, two_to};
use crate::math::{Vector, check_position, is_length, sphere_gap_sign, to_length};
use crate::shape::Aabb;

/// The radius of a sphere around points: a squared distance, its root and the product take 4 u.
const ENCLOSING_RADIUS: f64 = two_to(-50);

/// A sphere, in 2D a disc. A radius of 0 makes it a point.
///
/// A plain value in world coordinates, checked by the functions that store it, such as a rebuild.
///
/// ```
/// use osculate::{Sphere, glam::DVec3};
///
/// let [a, b] = [0.0, 2.5].map(|x| Sphere::new(DVec3::X * x, 1.0));
/// assert!(!a.touches(&b));
/// assert!(a.inflated(0.25).touches(&b.inflated(0.25)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere<V = glam::DVec3> {
    /// The center.
    pub center: V,
    /// The radius, at least 0.
    pub radius: f64,
}

impl<V: Vector> Sphere<V> {
    /// Creates a sphere from its center and radius, unchecked.
    pub const fn new(center: V, radius: f64) -> Self {
        Self { center, radius }
    }

    /// Returns a sphere around points, centered at the center of their box and rounded outwards.
    /// Without points it is the origin.
    pub(crate) fn around(points: impl Iterator<Item = V> + Clone) -> Self {
        let center = Aabb::enclosing(points.clone()).center();
        let squared = points.map(|p| (p - center).length_squared());
        let radius = squared.fold(0.0, f64::max).sqrt() * (1.0 + ENCLOSING_RADIUS);
        Self::new(center, to_length(radius))
    }

    /// Checks that center and radius are in the domain. An error names `index`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`].
    #[inline]
    pub fn validate(&self, index: usize) -> Result<()> {
        check_position("body", Some(index), self.center)?;
        if is_length(self.radius) {
            Ok(())
        } else {
            Err(Error(Cause::Radius {
                index,
                value: self.radius,
            }))
        }
    }

    /// Returns the sphere with its radius increased by `by`, rounded up, for margins and ghost layers.
    ///
    /// If the result is negative, the functions that store the sphere refuse it.
    #[inline]
    #[must_use]
    pub fn inflated(&self, by: f64) -> Self {
        if by == 0.0 {
            return *self;
        }
        let radius = (self.radius + by).next_up();
        let radius = if radius > 0.0 {
            to_length(radius)
        } else {
            radius
        };
        Self::new(self.center, radius)
    }

    /// Returns whether two spheres have a common point: distance <= sum of the radii, exactly.
    ///
    /// Exact for spheres of the domain whose coordinates are 0 or at least 2^-400 in magnitude. False
    /// if a coordinate or radius is NaN. Cost: about 2 ns, a comparison of squares. Only within 2^-48
    /// of a tie is the sign computed exactly.
    #[inline]
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        let (is_sure, is_possible) = self.touches_roughly(other);
        let sign = || sphere_gap_sign(self.center, self.radius, other.center, other.radius);
        is_sure || (is_possible && sign().is_le())
    }

    /// Returns whether two spheres certainly touch, and whether they may touch. The two differ only
    /// within rounding of a tie.
    #[inline]
    pub(crate) fn touches_roughly(&self, other: &Self) -> (bool, bool) {
        let distance_squared = (self.center - other.center).length_squared();
        let reach = self.radius + other.radius;
        let reach_squared = reach * reach;
        let is_sure = distance_squared < reach_squared * (1.0 - SQUARED_DISTANCE);
        let is_possible = distance_squared <= reach_squared * (1.0 + SQUARED_DISTANCE);
        (is_sure, is_possible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use glam::{DVec2, DVec3};

    /// The square of the offset across underflows to 0.
    #[test]
    fn gap_that_underflows() {
        let unit = |y: f64| Sphere::new(DVec3::new(2.0, y, 0.0), 1.0);
        let still = Sphere::new(DVec3::ZERO, 1.0);
        assert!(unit(0.0).touches(&still));
        assert!(!unit(1e-162).touches(&still) && !unit(5e-324).touches(&still));
        let point = |x: f64| Sphere::new(DVec3::X * x, 0.0);
        assert!(point(5e-324).touches(&point(5e-324)));
        assert!(!point(5e-324).touches(&point(0.0)));
    }

    /// The density 3 / (4 pi) makes the mass r^3, 1 / pi makes that of a disc r^2.
    #[test]
    fn masses_of_spheres_and_discs() {
        for radius in [0.5, 3.0_f64] {
            let density = 0.75 / std::f64::consts::PI;
            let ball = Sphere::new(DVec3::X, radius).mass_properties(density);
            let [mass, inertia] = [radius.powi(3), 0.4 * radius.powi(5)];
            assert!((ball.mass / mass - 1.0).abs() < 1e-15);
            assert_eq!(ball.center_of_mass, DVec3::X);
            for (column, axis) in ball.inertia.to_cols_array_2d().iter().zip(DVec3::AXES) {
                let expected = axis * inertia;
                assert!(DVec3::from_array(*column).distance(expected) < 1e-14 * inertia.max(1.0));
            }
            let disc = Sphere::new(DVec2::Y, radius).mass_properties(1.0 / std::f64::consts::PI);
            assert!((disc.mass / radius.powi(2) - 1.0).abs() < 1e-15);
            assert!((disc.inertia / (0.5 * radius.powi(4)) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn touching_is_inclusive_to_the_last_bit() {
        let at = |x: f64| Sphere::new(DVec3::new(x, 0.0, 0.0), 0.1);
        let other = Sphere::new(DVec3::ZERO, 0.2);
        // The doubles 0.1 and 0.2 add up to a number between the double 0.3 and the next.
        assert!(at(0.3).touches(&other));
        assert!(!at(0.3_f64.next_up()).touches(&other));
        assert!(other.touches(&at(-0.3)));
    }

    #[test]
    fn points_touch_only_themselves() {
        let point = |x: f64| Sphere::new(DVec2::new(x, 0.0), 0.0);
        assert!(point(1.0).touches(&point(1.0)));
        assert!(point(0.0).touches(&point(-0.0)));
        assert!(!point(0.0).touches(&point(1e-300)));
    }

    #[test]
    fn nan_touches_nothing() {
        let sphere = Sphere::new(DVec2::ZERO, 1.0);
        assert!(!sphere.touches(&Sphere::new(DVec2::NAN, 1.0)));
        assert!(!sphere.touches(&Sphere::new(DVec2::ZERO, f64::NAN)));
    }

    #[test]
    fn check_names_the_index() {
        assert!(Sphere::new(DVec2::ZERO, 0.0).validate(0).is_ok());
        let error = Sphere::new(DVec2::ZERO, -1.0).validate(7).unwrap_err();
        assert_eq!(
            error,
            Error(Cause::Radius {
                index: 7,
                value: -1.0
            })
        );
        for radius in [f64::NAN, f64::INFINITY, 1e-60, 1e60] {
            assert!(Sphere::new(DVec2::ZERO, radius).validate(0).is_err());
        }
        assert!(matches!(
            Sphere::new(DVec2::new(0.0, f64::NAN), 1.0).validate(3),
            Err(Error(Cause::Coordinate {
                index: Some(3),
                axis: 1,
                ..
            }))
        ));
    }
}
