//! The intersection of two spheres or discs in closed form: equations 47 to 51 of Feng (2021).

use std::f64::consts::PI;

use super::{ContactVolume, IntersectionKind};
use crate::math::tolerance::two_to;
use crate::math::{Vector, angle, direction, excess_of_reach, lexicographic};
use crate::narrow::NarrowPhase;
use crate::shape::Sphere;

/// A bound of the relative error of V.
const LENS: f64 = two_to(-47);

/// Intersection volume of two spheres, in 2D of two discs, and its gradient.
///
/// The force acts along the line through the centers, so a sphere never has a moment about its center. The
/// [`point`](ContactVolume::point) is on this line, in the plane of the circle in which the spheres meet. Spheres that
/// only touch have no contact.
///
/// V and S are accurate to about 10 eps at any overlap and ratio of radii. Results are the same on all platforms.
///
/// For a sphere and another body, mesh the sphere and take [`MeshMesh`](crate::MeshMesh).
///
/// ```
/// use osculate::{NarrowPhase, Sphere, glam::DVec3, narrow::SphereVolume};
///
/// let [a, b] = [0.0, 1.0].map(|x| Sphere::new(DVec3::X * x, 1.0));
/// let contact = SphereVolume::new().contact(&a, &b).unwrap();
/// assert!((contact.volume - 5.0 / 12.0 * std::f64::consts::PI).abs() < 1e-15);
/// assert!((contact.area() - 0.75 * std::f64::consts::PI).abs() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SphereVolume(());

impl SphereVolume {
    /// Creates a kernel.
    pub const fn new() -> Self {
        Self(())
    }
}

impl<V: Vector> NarrowPhase<Sphere<V>, Sphere<V>> for SphereVolume {
    type Contact = ContactVolume<V>;
    type State = ();

    /// Visits the contact. A sphere outside the domain has none.
    fn for_each_contact(
        &mut self,
        a: &Sphere<V>,
        b: &Sphere<V>,
        (): &mut (),
        mut visit: impl FnMut(ContactVolume<V>),
    ) {
        // The smaller sphere comes first, so that swapping the spheres changes no bit.
        let by_radius = b.radius.total_cmp(&a.radius);
        let is_swapped = by_radius
            .then_with(|| lexicographic(b.center, a.center))
            .is_lt();
        let (small, large) = if is_swapped { (b, a) } else { (a, b) };
        if a.validate(0).is_ok()
            && b.validate(1).is_ok()
            && let Some(contact) = lens(small, large)
        {
            visit(contact.swapped_if(is_swapped));
        }
    }
}

/// Returns the contact of a sphere with a sphere that is not smaller.
fn lens<V: Vector>(small: &Sphere<V>, large: &Sphere<V>) -> Option<ContactVolume<V>> {
    let [r, far] = [small.radius, large.radius];
    // (R + r)^2 - d^2 and d^2 - (R - r)^2, with the distance d: all other quantities follow without cancellation.
    let across = excess_of_reach(small.center, r, large.center, far);
    let along = -excess_of_reach(small.center, -r, large.center, far);
    if across <= 0.0 || r == 0.0 {
        return None;
    }
    let between = large.center - small.center;
    let distance = between.length();
    if along <= 0.0 || distance == 0.0 {
        return Some(ContactVolume::nested(ball::<V>(r), small.center));
    }
    let normal = direction(between, distance)?;
    let step = far - r;
    // The distances of the two centers from the plane of the circle in which the spheres meet.
    let to_plane = 0.5 * (along - 2.0 * r * step) / distance;
    let onwards = 0.5 * (along + 2.0 * far * step) / distance;
    // The squares of tiny distances underflow.
    let half_squared = (across * along / (4.0 * distance * distance)).min(r * r);
    let (volume, area) = if V::DIM == 3 {
        // pi / 12 overlap^2 (d^2 + 2 d (R + r) - 3 (R - r)^2) / d.
        let overlap = across / (r + far + distance);
        let rest = along * ((distance + 3.0 * step) / (distance + step)) + 4.0 * r * distance;
        let volume = PI / 12.0 * overlap * overlap * (rest / distance);
        (volume, PI * half_squared)
    } else {
        let segments = segment(far, onwards, half_squared) + segment(r, to_plane, half_squared);
        (segments, 2.0 * half_squared.sqrt())
    };
    Some(ContactVolume {
        kind: IntersectionKind::Crossing,
        volume,
        error_bound: LENS * volume,
        area_vector: normal * area,
        point: small.center + normal * to_plane,
        moment_vector: V::Moment::default(),
    })
}

/// Returns the area of a disc beyond a chord at a signed distance from its center.
fn segment(radius: f64, height: f64, half_squared: f64) -> f64 {
    let half = half_squared.sqrt();
    let area = if half < 0.5 * radius {
        thin_segment(half / radius) * (radius * radius)
    } else {
        radius * radius * angle(half, height.abs()) - height.abs() * half
    };
    if height < 0.0 {
        PI * radius * radius - area
    } else {
        area
    }
}

/// Returns `asin s - s sqrt(1 - s^2)` for s below 1/2, where the difference loses digits.
///
/// It is the integral of `2 s^2 / sqrt(1 - s^2)`, whose binomial series has positive terms only. The terms left out
/// are below 4^-28.
fn thin_segment(sine: f64) -> f64 {
    let square = sine * sine;
    let (mut power, mut sum) = (2.0 * square * sine, 0.0);
    for k in 0..28 {
        let k = f64::from(k);
        sum += power / (2.0 * k + 3.0);
        power *= square * ((2.0 * k + 1.0) / (2.0 * k + 2.0));
    }
    sum
}

/// Returns the volume of a ball, in 2D the area of a disc.
fn ball<V: Vector>(radius: f64) -> f64 {
    if V::DIM == 3 {
        4.0 / 3.0 * PI * radius * radius * radius
    } else {
        PI * radius * radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (2 t - sin 2 t) / 2 = (2 t)^3 / 12 - (2 t)^5 / 240 + ... at the half angle t, and both formulas at 1/2.
    #[test]
    fn thin_segments() {
        for exponent in 5..30 {
            let angle = 2.0 * 2.0_f64.powi(-exponent);
            let exact = angle.powi(3) / 12.0 - angle.powi(5) / 240.0 + angle.powi(7) / 10080.0
                - angle.powi(9) / 725_760.0;
            let found = thin_segment((0.5 * angle).sin());
            assert!(
                (found / exact - 1.0).abs() < 1e-14,
                "{angle} {found} {exact}"
            );
        }
        let exact = PI / 6.0 - 0.5 * 0.75_f64.sqrt();
        assert!((thin_segment(0.5) / exact - 1.0).abs() < 1e-15 * 8.0);
    }
}
