use crate::math::tolerance::two_to;
use crate::math::{Vector, closest_on_segment, closest_on_segments, to_length};
use crate::shape::{Bounded, PeriodicBox, Sphere};

/// The rounding error of a squared distance of two segments, relative to the squared sizes of the pair. The closest
/// points of almost parallel segments are uncertain, but their distance is not: 1.5 u in 1e6 pairs with sines from
/// 2^-60 to 1, 512 u are allowed.
const SEGMENTS: f64 = two_to(-44);
/// More than the root of twice [`SEGMENTS`], and for half lengths and radii instead of distances.
const WIDENING: f64 = two_to(-19);
/// A center, an axis, a length or a projection, relative to the coordinates or the size: 8 u.
const BETWEEN: f64 = two_to(-50);

/// Half the least length of the segment of a long capsule, relative to the radius. Shorter bodies have more pairs of
/// spheres than of capsules, but a test of spheres takes less time.
const LONG: f64 = 5.0;

/// A capsule, in 2D a stadium: all points within a radius of a segment. With equal ends it is a sphere.
///
/// A plain value in world coordinates, as [`Sphere`] is: an elongated body is bounded by a capsule
/// ([`Bounded::bounding_capsule`]).
///
/// ```
/// use osculate::{Bounded, shape::Capsule, glam::DVec3};
///
/// let rod = Capsule::new([DVec3::ZERO, DVec3::X * 8.0], 0.5);
/// assert_eq!(rod.bounding_sphere().center, DVec3::X * 4.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capsule<V = glam::DVec3> {
    /// The ends of the segment.
    pub ends: [V; 2],
    /// The distance of the surface from the segment, at least 0.
    pub radius: f64,
}

/// A capsule for distances: its center, half of its segment, and a radius enlarged by the rounding error of these.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spine<V> {
    pub(crate) center: V,
    /// From the center to the second end; 0 for a sphere.
    pub(crate) half: V,
    /// 1 / |half|^2, 0 for a sphere.
    inverse: f64,
    pub(crate) radius: f64,
}

impl<V: Vector> Spine<V> {
    #[inline(always)]
    fn closest(&self, other: &Self, between: V) -> [f64; 2] {
        let inverses = [self.inverse, other.inverse];
        closest_on_segments([self.half, other.half, between], inverses)
    }

    /// Returns whether two capsules touch; also if they are apart by rounding. In a periodic box those images count whose
    /// centers are closest.
    pub(crate) fn touches(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> bool {
        // The result does not depend on which capsule is given first.
        self.touches_roughly(other, period).0 || other.touches_roughly(self, period).0
    }

    /// Returns whether two capsules certainly and whether they possibly touch by [`touches`](Self::touches), without branches.
    #[inline(always)]
    pub(crate) fn touches_roughly(
        &self,
        other: &Self,
        period: Option<&PeriodicBox<V>>,
    ) -> (bool, bool) {
        let (excess, slack) = self.excess(other, period);
        (excess <= slack, excess <= 2.0 * slack)
    }

    /// Returns the squared distance of two segments less the square of the radii, and its slack for rounding.
    #[inline(always)]
    fn excess(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> (f64, f64) {
        let between = other.center - self.center;
        let between = period.map_or(between, |period| period.minimum_image(between));
        let [s, t] = self.closest(other, between);
        let apart = self.half * s - other.half * t - between;
        let mut reach = self.radius + other.radius;
        if let Some(period) = period {
            reach += period.rounding(self.center) + period.rounding(other.center);
        }
        let squared = [self.half, other.half, between].map(V::length_squared);
        let slack = SEGMENTS * squared.iter().sum::<f64>();
        (apart.length_squared() - reach * reach, slack)
    }
}

impl<V: Vector> Capsule<V> {
    /// Creates a capsule from its ends and its radius, unchecked.
    pub const fn new(ends: [V; 2], radius: f64) -> Self {
        Self { ends, radius }
    }

    /// Returns a capsule around points, along an axis of unit length through a center. Of those with the least radius it
    /// is the shortest.
    pub(crate) fn around(points: &[V], center: V, axis: V) -> Self {
        let along = |&p: &V| (p - center).dot(axis);
        let squared = |p: &V| (*p - center - axis * along(p)).length_squared();
        let most = points.iter().map(squared).fold(0.0, f64::max);
        // A point is within the radius of the axis from `along - cap` to `along + cap`.
        let cap = |p: &V| (most - squared(p)).sqrt();
        let [low, high] = [-1.0, 1.0].map(|sign: f64| {
            let ends = points.iter().map(|p| sign * along(p) - cap(p));
            sign * ends.fold(f64::NEG_INFINITY, f64::max)
        });
        let [low, high] = [low.min(high), high.max(low)];
        let ends = [low, high].map(|place| center + axis * place);
        let distances = points
            .iter()
            .map(|&p| closest_on_segment(p, ends[0], ends[1]).distance_squared);
        let radius = distances.fold(0.0, f64::max).sqrt();
        Self::new(ends, to_length(radius + BETWEEN * (radius + high - low)))
    }

    /// Returns the capsule if it is long, so that it is a better bound than a sphere; also if it is invalid.
    pub(crate) fn if_long(self) -> Option<Self> {
        let is_short = self.half_length() <= LONG * self.radius;
        (!is_short).then_some(self)
    }

    /// Returns half the length of the segment.
    pub(crate) fn half_length(&self) -> f64 {
        0.5 * (self.ends[1] - self.ends[0]).length()
    }

    /// Returns the form for distances.
    #[inline]
    pub(crate) fn spine(&self) -> Spine<V> {
        let [a, b] = self.ends;
        let half = (b - a) * 0.5;
        let squared = half.length_squared();
        let sizes = (0..V::DIM).map(|axis| a[axis].abs() + b[axis].abs());
        let is_long = squared > 0.0;
        Spine {
            center: if is_long { (a + b) * 0.5 } else { a },
            half,
            inverse: if is_long { 1.0 / squared } else { 0.0 },
            radius: self.radius
                + if is_long {
                    BETWEEN * sizes.sum::<f64>()
                } else {
                    0.0
                },
        }
    }

    /// Returns the capsule with a radius so large that [`touches`](Spine::touches) holds for it if it does for any
    /// capsules inside.
    pub(crate) fn widened(self) -> Self {
        let by = WIDENING * (self.half_length() + self.radius);
        Self::new(self.ends, self.radius + by)
    }
}

impl<V: Vector> From<Sphere<V>> for Capsule<V> {
    fn from(Sphere { center, radius }: Sphere<V>) -> Self {
        Self::new([center; 2], radius)
    }
}

impl<V: Vector> Bounded for Capsule<V> {
    type Vector = V;

    #[inline]
    fn bounding_sphere(&self) -> Sphere<V> {
        if self.ends[0] == self.ends[1] {
            return Sphere::new(self.ends[0], self.radius);
        }
        let spine = self.spine();
        let radius = spine.radius + self.half_length() * (1.0 + BETWEEN);
        Sphere::new(spine.center, radius)
    }

    #[inline]
    fn bounding_capsule(&self) -> Option<Self> {
        self.if_long()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;
    use glam::DVec3;

    /// The distance of segments that cross at any angle is exactly the height of one above the other.
    #[test]
    fn distances_of_almost_parallel_segments() {
        let mut random = SplitMix64::new(1);
        let mut worst: f64 = 0.0;
        for case in 0..1_000_000 {
            let sine = 2.0_f64.powf(random.range(-60.0, 0.0));
            let height = random.range(0.0, 1.0) * [0.0, 1e-8, 1.0][case % 3];
            let way = DVec3::new((1.0 - sine * sine).sqrt(), sine, 0.0);
            let [from, to] = [random.range(-2.0, 0.0), random.range(0.0, 2.0)];
            let foot = DVec3::new(random.range(-0.9, 0.9), 0.0, height);
            let a = Capsule::new([-DVec3::X, DVec3::X], 0.0).spine();
            let b = Capsule::new([foot + way * from, foot + way * to], 0.0).spine();
            for [a, b] in [[a, b], [b, a]] {
                let between = b.center - a.center;
                let [s, t] = a.closest(&b, between);
                let distance = (a.half * s - b.half * t - between).length_squared();
                let sizes = [a.half, b.half, between].map(DVec3::length_squared);
                let sizes = sizes.iter().sum::<f64>();
                worst = worst.max((distance - height * height) / sizes);
                assert!(a.touches(&b, None) || height > 1e-9);
                let reach = Spine {
                    radius: height * (1.0 + f64::EPSILON),
                    ..a
                };
                assert!(reach.touches(&b, None) && b.touches(&reach, None));
            }
        }
        println!("{:.2} u", worst * 2.0_f64.powi(53));
        assert!(worst < 0.05 * SEGMENTS);
    }
}
