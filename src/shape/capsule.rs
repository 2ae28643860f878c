use crate::math::tolerance::two_to;
use crate::math::{Vector, closest_on_segment, lexicographic, to_length};
use crate::shape::{Bounded, PeriodicBox, Sphere};

/// The rounding error of a squared distance of two segments, relative to the squared sizes of the pair. The closest
/// points of almost parallel segments are uncertain, but their distance is not: 1.5 u in 1e6 pairs with sines from
/// 2^-60 to 1, 512 u are allowed.
const SEGMENTS: f64 = two_to(-44);
/// More than the root of twice [`SEGMENTS`], and for half lengths and radii instead of distances.
const WIDENING: f64 = two_to(-19);
/// A point between the ends or a projection onto the segment, relative to the coordinates or the length: 8 u.
const BETWEEN: f64 = two_to(-50);

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

/// Where two capsules are closest to each other.
pub(crate) struct Meeting {
    /// The closest point of each segment: 0 at its first end, 1 at its second end.
    pub(crate) places: [f64; 2],
    /// Whether the capsules touch; also if they are apart by rounding.
    pub(crate) touches: bool,
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
        let distances = points.iter().map(|&p| closest_on_segment(p, ends[0], ends[1]).distance_squared);
        let radius = distances.fold(0.0, f64::max).sqrt();
        Self::new(ends, to_length(radius + BETWEEN * (radius + high - low)))
    }

    /// Returns whether the ends differ.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.ends[0] != self.ends[1]
    }

    /// Returns the middle of the segment.
    #[inline]
    pub(crate) fn center(&self) -> V {
        (self.ends[0] + self.ends[1]) * 0.5
    }

    /// Returns half the length of the segment.
    pub(crate) fn half_length(&self) -> f64 {
        0.5 * (self.ends[1] - self.ends[0]).length()
    }

    /// Bounds the rounding error of a point between the ends.
    pub(crate) fn rounding(&self) -> f64 {
        BETWEEN * (self.ends[0].length() + self.ends[1].length())
    }

    /// Returns the capsule with a radius so large that [`meet`](Self::meet) holds for it if it holds for any capsules
    /// inside.
    pub(crate) fn widened(self) -> Self {
        let by = WIDENING * (self.half_length() + self.radius);
        Self::new(self.ends, self.radius + by)
    }

    /// Finds where two capsules are closest to each other, in a periodic box those images whose centers are closest.
    ///
    /// The places minimize a convex function: first s for any t, then t, then s again if t was outside the segment. So
    /// the distance is minimal to rounding, even if the segments are parallel and the places are not unique. The result
    /// does not depend on which capsule is given first. See Ericson (2005), section 5.1.9.
    #[inline]
    pub(crate) fn meet(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> Meeting {
        let by = |end: usize| lexicographic(self.ends[end], other.ends[end]);
        let is_swapped = by(0).then_with(|| by(1)).is_gt();
        let [a, b] = if is_swapped { [other, self] } else { [self, other] };
        let mut reach = a.radius + b.radius;
        let (first, second) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
        let mut between = b.ends[0] - a.ends[0];
        if let Some(period) = period {
            between = between + period.nearest_shift(b.center(), a.center());
            reach += period.rounding(a.center()) + period.rounding(b.center());
        }
        let (aa, bb, ab) = (first.dot(first), second.dot(second), first.dot(second));
        let (at_a, at_b) = (first.dot(between), second.dot(between));
        // 0 for NaN, which is 0 / 0 for a sphere.
        let clamped = |place: f64| place.max(0.0).min(1.0);
        let s = clamped((at_a * bb - ab * at_b) / (aa * bb - ab * ab));
        let best = (s * ab - at_b) / bb;
        let t = clamped(best);
        let s = if t == best { s } else { clamped((at_a + t * ab) / aa) };
        let squared = (first * s - second * t - between).length_squared();
        let sizes = aa + bb + between.length_squared();
        Meeting {
            places: if is_swapped { [t, s] } else { [s, t] },
            touches: squared <= reach * reach + SEGMENTS * sizes,
        }
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
        if !self.is_long() {
            return Sphere::new(self.ends[0], self.radius);
        }
        let radius = (self.half_length() + self.radius) * (1.0 + BETWEEN) + self.rounding();
        Sphere::new(self.center(), radius)
    }

    #[inline]
    fn bounding_capsule(&self) -> Option<Self> {
        self.is_long().then_some(*self)
    }
}
