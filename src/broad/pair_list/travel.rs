//! Whether bodies are inside their inflated spheres.

use crate::broad::{PeriodicBox, Sphere};
use crate::math::tolerance::SQUARED_DISTANCE;
use crate::math::{MIN_LENGTH, Vector};

/// The periodic box, if there is one, and by how much it has changed for a body.
pub(super) type Change<'a, V> = Option<(&'a PeriodicBox<V>, f64)>;

/// Returns whether spheres have valid radii and are inside their inflated spheres.
pub(super) fn have_stayed<V: Vector>(
    [spheres, inflated]: [&[Sphere<V>]; 2],
    change: Change<'_, V>,
) -> bool {
    let mut bodies = spheres.iter().zip(inflated);
    match change {
        None => bodies.all(|(sphere, inflated)| has_stayed(sphere, inflated)),
        Some((period, change)) => {
            bodies.all(|(sphere, inflated)| has_stayed_in(period, change, sphere, inflated))
        }
    }
}

/// Returns whether a sphere has a valid radius and is inside its inflated sphere; false for NaN.
///
/// Inflated radii are valid, so the radius of a sphere inside cannot be too large.
#[inline]
fn has_stayed<V: Vector>(sphere: &Sphere<V>, inflated: &Sphere<V>) -> bool {
    is_large(sphere.radius) && is_inside(sphere, inflated)
}

/// Does the same as [`has_stayed`] in a box that has changed by this amount.
#[inline]
fn has_stayed_in<V: Vector>(
    period: &PeriodicBox<V>,
    change: f64,
    &Sphere { center, radius }: &Sphere<V>,
    inflated: &Sphere<V>,
) -> bool {
    let delta = period.minimum_image(center - inflated.center);
    let lost = radius + change + period.rounding(center);
    let (moved, still) = (Sphere::new(delta, lost), V::ZERO);
    is_large(radius) && is_inside(&moved, &Sphere::new(still, inflated.radius))
}

/// Returns whether a radius is 0 or at least the smallest valid one.
#[inline]
fn is_large(radius: f64) -> bool {
    radius >= MIN_LENGTH || radius == 0.0
}

/// Returns whether a sphere is certainly inside another: |a - b| + r_a <= r_b, less the rounding error.
#[inline]
fn is_inside<V: Vector>(inner: &Sphere<V>, outer: &Sphere<V>) -> bool {
    let distance_squared = (inner.center - outer.center).length_squared();
    let slack = outer.radius - inner.radius;
    slack > 0.0 && distance_squared < slack * slack * (1.0 - SQUARED_DISTANCE)
        // A sphere that has not moved needs no slack.
        || slack == 0.0 && inner.center == outer.center
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sphere_gap_sign;
    use crate::testing::workload::SplitMix64;

    /// A point that is outside by an ulp is never inside, however its squared distance is rounded.
    #[test]
    fn inside_is_never_wrong() {
        let mut random = SplitMix64::new(1);
        let (mut inside, mut narrow) = (0, 0);
        for _ in 0..20_000 {
            let outer = Sphere::new(random.in_ball(), random.range(0.5, 2.0));
            let way = random.in_ball().normalize() * outer.radius;
            let off = 1.0 + (random.below(9) as f64 - 4.0) * f64::EPSILON;
            let point = Sphere::new(outer.center + way * off, 0.0);
            let gap = sphere_gap_sign(point.center, 0.0, outer.center, outer.radius);
            assert!(gap.is_le() || !is_inside(&point, &outer));
            let nearer = Sphere::new(outer.center + way * (1.0 - 1e-12), 0.0);
            inside += u32::from(is_inside(&nearer, &outer));
            let squared = (point.center - outer.center).length_squared();
            narrow += u32::from(gap.is_gt() && squared < outer.radius * outer.radius);
        }
        assert!(inside == 20_000 && narrow > 20, "{inside} {narrow}");
    }
}
