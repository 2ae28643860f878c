use crate::math::tolerance::two_to;
use crate::math::{Vector, closest_on_segment, lexicographic, to_length};
use crate::shape::{Bounded, PeriodicBox, Sphere};

/// The rounding error of a squared distance of two segments, relative to the squared sizes of the pair. The closest
/// points of almost parallel segments are uncertain, but their distance is not: 1.5 u in 1e6 pairs with sines from
/// 2^-60 to 1, 512 u are allowed.
const SEGMENTS: f64 = two_to(-44);
/// More than the root of twice [`SEGMENTS`], and for half lengths and radii instead of distances.
const WIDENING: f64 = two_to(-19);
/// A center, an axis, a length or a projection, relative to the coordinates or the size: 8 u.
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

/// A capsule as its center, the unit vector of its axis (0 for a sphere), half the length of its segment, and a radius
/// enlarged by the rounding error of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spine<V> {
    pub(crate) center: V,
    pub(crate) axis: V,
    pub(crate) half: f64,
    pub(crate) radius: f64,
}

impl<V: Vector> Spine<V> {
    /// Returns the vector from this center to that of another one; in a periodic box, to its nearest image.
    #[inline]
    fn to(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> V {
        let between = other.center - self.center;
        period.map_or(between, |period| period.minimum_image(between))
    }

    /// Returns the closest points on two axes, as distances from the centers.
    ///
    /// They minimize a convex function: the first for any point on the other axis, then the second for this one, and the
    /// first again because the second may have reached an end. So the distance is minimal to rounding, even if the axes
    /// are parallel and the points are not unique. See Ericson (2005), section 5.1.9.
    #[inline]
    fn closest(&self, other: &Self, between: V) -> [f64; 2] {
        let (along, along_other) = (self.axis.dot(between), other.axis.dot(between));
        let cosine = self.axis.dot(other.axis);
        let s = (along - cosine * along_other) / (1.0 - cosine * cosine);
        let t = clamped(clamped(s, self.half) * cosine - along_other, other.half);
        [clamped(t * cosine + along, self.half), t]
    }

    /// Returns the closest points on the axes of two capsules, as distances from the centers.
    #[inline]
    pub(crate) fn places(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> [f64; 2] {
        self.closest(other, self.to(other, period))
    }

    /// Returns whether two capsules touch; also if they are apart by rounding. In a periodic box those images count whose
    /// centers are closest.
    ///
    /// The result does not depend on which capsule is given first.
    pub(crate) fn touches(&self, other: &Self, period: Option<&PeriodicBox<V>>) -> bool {
        let by_axis = || lexicographic(self.axis, other.axis);
        let order = lexicographic(self.center, other.center).then_with(by_axis);
        let order = order.then_with(|| self.half.total_cmp(&other.half));
        let [a, b] = if order.is_gt() {
            [other, self]
        } else {
            [self, other]
        };
        let between = a.to(b, period);
        let [s, t] = a.closest(b, between);
        let distance_squared = (a.axis * s - b.axis * t - between).length_squared();
        let rounding = |of: &Self| period.map_or(0.0, |period| period.rounding(of.center));
        let reach = a.radius + b.radius + (rounding(a) + rounding(b));
        let sizes = a.half * a.half + b.half * b.half + between.length_squared();
        distance_squared <= reach * reach + SEGMENTS * sizes
    }
}

/// Returns the nearest place within half a length of 0, an end for NaN.
#[inline]
fn clamped(place: f64, half: f64) -> f64 {
    let place = if place > -half { place } else { -half };
    if place < half { place } else { half }
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

    /// Returns half the length of the segment.
    pub(crate) fn half_length(&self) -> f64 {
        0.5 * (self.ends[1] - self.ends[0]).length()
    }

    /// Returns the form for distances.
    #[inline]
    pub(crate) fn spine(&self) -> Spine<V> {
        let [a, b] = self.ends;
        if a == b {
            return Spine {
                center: a,
                axis: V::ZERO,
                half: 0.0,
                radius: self.radius,
            };
        }
        let length = (b - a).length();
        let sizes = (0..V::DIM).map(|axis| a[axis].abs() + b[axis].abs());
        Spine {
            center: (a + b) * 0.5,
            axis: (b - a) * (1.0 / length),
            half: 0.5 * length,
            radius: self.radius + BETWEEN * sizes.sum::<f64>(),
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
        let spine = self.spine();
        let radius = spine.radius + spine.half * (1.0 + BETWEEN);
        Sphere::new(spine.center, radius)
    }

    #[inline]
    fn bounding_capsule(&self) -> Option<Self> {
        (self.ends[0] != self.ends[1]).then_some(*self)
    }
}
