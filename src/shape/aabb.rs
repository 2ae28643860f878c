#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::tolerance::two_to;
use crate::math::{Pose, Vector, check_position};
use crate::shape::Sphere;

/// A moved box, relative to its distance from the origins: 32 u.
const MOVED_BOX: f64 = two_to(-48);

/// An axis-aligned box, in 2D a rectangle. It is closed: its boundary belongs to it.
///
/// A plain value, checked by the functions that store it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb<V = glam::DVec3> {
    /// The lower corner.
    pub min: V,
    /// The upper corner, not below the lower corner on any axis.
    pub max: V,
}

impl<V: Vector> Aabb<V> {
    /// Creates a box from its corners.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] with index 0 for `min` and 1 for `max`, and
    /// [`ErrorKind::Bounds`] if `min` exceeds `max` along an axis.
    pub fn new(min: V, max: V) -> Result<Self> {
        check_position("corner", Some(0), min)?;
        check_position("corner", Some(1), max)?;
        let bounds = Self { min, max };
        bounds.validate(0).map(|()| bounds)
    }

    /// Checks that the corners are in the domain and the box is not empty. An error names `index`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] or [`ErrorKind::Bounds`].
    pub fn validate(&self, index: usize) -> Result<()> {
        let Self { min, max } = *self;
        check_position("box", Some(index), min)?;
        check_position("box", Some(index), max)?;
        match (0..V::DIM).find(|&axis| min[axis] > max[axis]) {
            None => Ok(()),
            Some(axis) => Err(Error(Cause::EmptyBox {
                index,
                axis,
                min: min[axis],
                max: max[axis],
            })),
        }
    }

    /// Returns the smallest box around points, `None` without points.
    pub fn from_points(points: impl IntoIterator<Item = V>) -> Option<Self> {
        Self::around(points.into_iter().map(|p| Self { min: p, max: p }))
    }

    /// Returns the smallest box around boxes, `None` without boxes.
    pub(crate) fn around(boxes: impl IntoIterator<Item = Self>) -> Option<Self> {
        boxes.into_iter().reduce(|a, b| a.union(&b))
    }

    /// Returns the box around balls of one radius, rounded outwards, or the origin without balls.
    pub(crate) fn around_balls(centers: &[V], radius: f64) -> Self {
        let balls = centers.iter().map(|&center| Sphere::new(center, radius));
        Self::around(balls.map(Self::from)).unwrap_or_default()
    }

    /// Returns the smallest box around points, or the origin without points.
    pub(crate) fn enclosing(points: impl IntoIterator<Item = V>) -> Self {
        Self::from_points(points).unwrap_or_default()
    }

    /// Returns the smallest box around two boxes.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Returns the box enlarged by a distance on each side.
    pub(crate) fn grown(&self, by: f64) -> Self {
        Self {
            min: self.min - V::splat(by),
            max: self.max + V::splat(by),
        }
    }

    /// Returns the largest absolute value on each axis.
    pub(crate) fn farthest(&self) -> V {
        V::from_fn(|axis| self.min[axis].abs().max(self.max[axis].abs()))
    }

    /// Returns the box in coordinates with another origin, to rounding.
    pub(crate) fn relative_to(&self, origin: V) -> Self {
        Self {
            min: self.min - origin,
            max: self.max - origin,
        }
    }

    /// Returns a point from which the differences to all points of the box are exact, and at most twice the size of the
    /// box.
    ///
    /// On each axis it is the center if the largest coordinate is at most twice the smallest (lemma of
    /// Sterbenz), and 0 otherwise.
    pub(crate) fn exact_origin(&self) -> V {
        V::from_fn(|axis| {
            let (low, high) = (self.min[axis], self.max[axis]);
            let is_far = high <= low * 2.0 || low >= high * 2.0;
            if is_far { (low + high) * 0.5 } else { 0.0 }
        })
    }

    /// Returns whether two boxes have a common point. Touching counts.
    #[inline]
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        // Without branches, because they would be unpredictable.
        (0..V::DIM).fold(true, |touches, axis| {
            touches & (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis])
        })
    }

    /// Returns whether a point is in the box.
    #[inline]
    pub(crate) fn contains(&self, point: V) -> bool {
        (0..V::DIM).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Returns the squared distance of a point, 0 inside.
    #[inline]
    pub(crate) fn distance_squared(&self, point: V) -> f64 {
        (point - point.max(self.min).min(self.max)).length_squared()
    }

    /// Returns the axis-aligned box around this box after rotation and translation, enlarged by the
    /// rounding error.
    pub(crate) fn transformed(&self, pose: &Pose<V>) -> Self {
        let (center, half) = (self.center(), self.size() * 0.5);
        let size = center.length() + half.length() + pose.translation().length();
        let center = pose.transform_point(center);
        let mut reach = V::splat(MOVED_BOX * size);
        for j in 0..V::DIM {
            let side =
                pose.transform_vector(V::from_fn(|axis| if axis == j { half[j] } else { 0.0 }));
            reach = reach + V::from_fn(|axis| side[axis].abs());
        }
        Self {
            min: center - reach,
            max: center + reach,
        }
    }

    /// Returns the center.
    pub fn center(&self) -> V {
        self.min * 0.5 + self.max * 0.5
    }

    /// Returns the edge lengths.
    pub fn size(&self) -> V {
        self.max - self.min
    }
}

impl<V: Vector> From<Sphere<V>> for Aabb<V> {
    /// Returns the box around a sphere, rounded outwards.
    fn from(sphere: Sphere<V>) -> Self {
        let corner = |direction: f64| {
            V::from_fn(|axis| {
                let value = sphere.center[axis] + direction * sphere.radius;
                if sphere.radius == 0.0 {
                    value
                } else if direction < 0.0 {
                    value.next_down()
                } else {
                    value.next_up()
                }
            })
        };
        Self {
            min: corner(-1.0),
            max: corner(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::math::two_sum;
    use crate::testing::workload::SplitMix64;
    use glam::{DVec2, DVec3};

    #[test]
    fn corners_are_checked() {
        assert!(Aabb::new(DVec2::ZERO, DVec2::ZERO).is_ok());
        let error = Aabb::new(DVec2::new(0.0, 2.0), DVec2::ONE).unwrap_err();
        assert_eq!(
            error,
            Error(Cause::EmptyBox {
                index: 0,
                axis: 1,
                min: 2.0,
                max: 1.0
            })
        );
        assert!(matches!(
            Aabb::new(DVec2::ZERO, DVec2::new(f64::NAN, 0.0)),
            Err(Error(Cause::Coordinate {
                index: Some(1),
                axis: 0,
                ..
            }))
        ));
    }

    #[test]
    fn boxes_that_share_a_face_touch() {
        let a = Aabb::new(DVec2::ZERO, DVec2::ONE).unwrap();
        let b = Aabb::new(DVec2::new(1.0, 0.5), DVec2::new(2.0, 3.0)).unwrap();
        let c = Aabb::new(DVec2::new(1.0_f64.next_up(), 0.5), DVec2::new(2.0, 3.0)).unwrap();
        assert!(a.touches(&b) && b.touches(&a) && !a.touches(&c));
        assert_eq!(a.union(&b).size(), DVec2::new(2.0, 3.0));
        assert_eq!(a.center(), DVec2::splat(0.5));
    }

    #[test]
    fn box_of_a_sphere_holds_it() {
        let tight = Aabb::from(Sphere::new(DVec2::splat(0.1), 0.2));
        // 0.1 - 0.2 is exactly representable in no double; the box is rounded outwards.
        assert!(tight.min.x < -0.1 && tight.max.x > 0.3);
        let point = Aabb::from(Sphere::new(DVec2::splat(0.1), 0.0));
        assert_eq!(
            (point.min, point.max),
            (DVec2::splat(0.1), DVec2::splat(0.1))
        );
    }

    /// Boxes near the origin, around it and far away on either side, by each axis.
    #[test]
    fn differences_from_the_origin_are_exact() {
        let mut random = SplitMix64::new(3);
        for _ in 0..10_000 {
            let mut point = || {
                let size = 10.0_f64.powf(random.range(-3.0, 3.0));
                DVec3::from_array([0; 3].map(|_| size + random.range(-1.0, 1.0)))
            };
            let corners = [point(), point(), point(), point()];
            let sign = [1.0, -1.0][random.below(2)];
            let corners = corners.map(|x| x * sign);
            let bounds = Aabb::from_points(corners).unwrap();
            let origin = bounds.exact_origin();
            for corner in corners {
                for axis in 0..3 {
                    let (_, rest) = two_sum(corner[axis], -origin[axis]);
                    assert_eq!(rest, 0.0, "{corner} {origin}");
                    let difference = (corner[axis] - origin[axis]).abs();
                    assert!(
                        difference <= 2.0 * bounds.size()[axis],
                        "{bounds:?} {origin}"
                    );
                }
            }
        }
    }
}
