use super::{Contact, NarrowPhase};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_length, direction};
use crate::shape::Sphere;

/// Contact between two spheres, or two discs in 2D.
///
/// A sphere with a NaN coordinate or radius touches nothing. Swapping the spheres negates the normal,
/// bit for bit. Spheres with the same center have the normal +x in either order.
///
/// Cost: about 5 ns.
///
/// ```
/// use osculate::{NarrowPhase, Sphere, SphereSphere, glam::DVec3};
///
/// let a = Sphere::new(DVec3::ZERO, 1.0);
/// let b = Sphere::new(DVec3::new(0.0, 1.5, 0.0), 1.0);
/// SphereSphere::new().for_each_contact(&a, &b, &mut (), |contact| {
///     assert_eq!(contact.overlap, 0.5);
///     assert_eq!(contact.normal, DVec3::Y);
///     assert_eq!(contact.point, DVec3::new(0.0, 0.75, 0.0));
/// });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SphereSphere {
    margin: f64,
}

impl SphereSphere {
    /// Creates a kernel that reports contacts with a positive overlap.
    pub const fn new() -> Self {
        Self { margin: 0.0 }
    }

    /// Also reports gaps smaller than `margin`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin })
    }

    /// Returns the margin, which a list needs too: [`PairList::check_margin`](crate::PairList::check_margin).
    pub const fn margin(&self) -> f64 {
        self.margin
    }
}

impl<V: Vector> NarrowPhase<Sphere<V>, Sphere<V>> for SphereSphere {
    type Contact = Contact<V>;
    type State = ();

    #[inline]
    fn for_each_contact(
        &mut self,
        a: &Sphere<V>,
        b: &Sphere<V>,
        (): &mut (),
        mut report: impl FnMut(Contact<V>),
    ) {
        let radii = a.radius + b.radius;
        let reach = radii + self.margin;
        let ab = b.center - a.center;
        let distance_squared = ab.length_squared();
        // Also false for NaN.
        let is_near = distance_squared < reach * reach;
        if !is_near {
            return;
        }
        let distance = distance_squared.sqrt();
        let overlap = radii - distance;
        // The square root can round up to the sum of the radii.
        if overlap <= -self.margin {
            return;
        }
        let normal = direction(ab, distance).unwrap_or(V::X);
        report(Contact {
            point: a.center + normal * (a.radius - 0.5 * overlap),
            normal,
            overlap,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    fn contact(kernel: &mut SphereSphere, x: f64) -> Option<Contact<DVec2>> {
        let a = Sphere::new(DVec2::ZERO, 1.0);
        let b = Sphere::new(DVec2::new(x, 0.0), 0.5);
        kernel.contact(&a, &b)
    }

    #[test]
    fn touching_is_no_contact() {
        let kernel = &mut SphereSphere::new();
        assert_eq!(contact(kernel, 1.5), None);
        let tiny = contact(kernel, 1.5_f64.next_down()).unwrap();
        assert_eq!(tiny.overlap, 1.5 - 1.5_f64.next_down());
    }

    #[test]
    fn margin_reports_gaps() {
        let kernel = &mut SphereSphere::new().with_margin(0.25).unwrap();
        assert_eq!(contact(kernel, 1.75), None);
        let near = contact(kernel, 1.625).unwrap();
        assert_eq!(near.overlap, -0.125);
        assert_eq!(near.point, DVec2::new(1.0625, 0.0));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(SphereSphere::new().with_margin(bad).is_err());
        }
    }

    #[test]
    fn same_center() {
        let same = contact(&mut SphereSphere::new(), 0.0).unwrap();
        assert_eq!((same.normal, same.overlap), (DVec2::X, 1.5));
        assert!(same.point.is_finite());
        // The squares of these underflow.
        for x in [5e-162, 2e-162, 1e-200, f64::MIN_POSITIVE, 5e-324] {
            let close = contact(&mut SphereSphere::new(), x).unwrap();
            assert!((close.normal - DVec2::X).length() < 1e-15);
        }
    }
}
