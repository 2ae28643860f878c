//! Whether bodies are inside their inflated spheres.

use crate::broad::{PeriodicBox, Sphere};
use crate::math::tolerance::SQUARED_DISTANCE;
use crate::math::{MIN_LENGTH, Vector};

/// The periodic box, if there is one, and by how much it has changed for a body.
pub(super) type Change<'a, V> = Option<(&'a PeriodicBox<V>, f64)>;

/// Returns whether spheres have valid radii and are inside their inflated spheres; false for NaN.
pub(super) fn have_stayed<V: Vector>(
    [spheres, inflated]: [&[Sphere<V>]; 2],
    change: Change<'_, V>,
) -> bool {
    let mut bodies = spheres.iter().zip(inflated);
    match change {
        None => bodies.all(|(&Sphere { center, radius }, inflated)| {
            is_valid(radius) && is_inside(center - inflated.center, inflated.radius - radius)
        }),
        Some((period, change)) => bodies.all(|(&Sphere { center, radius }, inflated)| {
            let delta = period.minimum_image(center - inflated.center);
            let lost = radius + change + period.rounding(center);
            is_valid(radius) && is_inside(delta, inflated.radius - lost)
        }),
    }
}

/// Returns whether a radius is 0 or at least the smallest valid one. Inflated radii are valid, so the radius of a sphere
/// inside cannot be too large.
#[inline]
fn is_valid(radius: f64) -> bool {
    radius >= MIN_LENGTH || radius == 0.0
}

/// Returns whether a sphere is certainly inside another: the distance of the centers is at most the difference of the
/// radii, less the rounding error.
#[inline]
fn is_inside<V: Vector>(delta: V, slack: f64) -> bool {
    slack > 0.0 && delta.length_squared() < slack * slack * (1.0 - SQUARED_DISTANCE)
        // A sphere that has not moved needs no slack.
        || slack == 0.0 && delta == V::ZERO
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
            let is_in = |point: &Sphere| is_inside(point.center - outer.center, outer.radius);
            assert!(gap.is_le() || !is_in(&point));
            let nearer = Sphere::new(outer.center + way * (1.0 - 1e-12), 0.0);
            inside += u32::from(is_in(&nearer));
            let squared = (point.center - outer.center).length_squared();
            narrow += u32::from(gap.is_gt() && squared < outer.radius * outer.radius);
        }
        assert!(inside == 20_000 && narrow > 20, "{inside} {narrow}");
    }
}
