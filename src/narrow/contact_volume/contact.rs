use crate::math::{Vector, direction};

use super::ContactEnergy;
use crate::math::tolerance::two_to;

/// The volume of a body, relative.
pub(super) const WHOLE: f64 = two_to(-46);

/// How the volumes of two bodies intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IntersectionKind {
    /// The surfaces cross.
    Crossing,
    /// One body is inside the other, or each is in a part of the other. The surfaces do not cross, so the
    /// volume does not change with the pose and there is no force. Bodies that coincide count as nested.
    Nested,
}

/// The intersection volume of two bodies (in 2D the area), and its gradient.
///
/// All values are in the world frame. Values with a direction belong to the first body, and change
/// their sign if the bodies are swapped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "V: serde::Serialize, V::Moment: serde::Serialize",
        deserialize = "V: serde::Deserialize<'de>, V::Moment: serde::Deserialize<'de>"
    ))
)]
pub struct ContactVolume<V: Vector> {
    /// Whether the surfaces cross, or one body is inside the other.
    pub kind: IntersectionKind,
    /// V, a length to the power of 3 (2 in the plane).
    pub volume: f64,
    /// A bound of the error of V, given the shapes and the poses.
    ///
    /// It is 30 eps L times the area of the region's surface or more, where L is the size of the bodies. If it exceeds V,
    /// the region is not resolved. Surfaces that rounding keeps from crossing have no contact, and no bound.
    pub error_bound: f64,
    /// S, the gradient of the volume for translations of the first body. It points from the first
    /// body to the second.
    pub area_vector: V,
    /// The contact point, on the central axis of S and G.
    ///
    /// Triangles that join it to the intersection curve have the least squared area of all points on
    /// the axis. In 2D it is the point of the axis nearest to the mean of the crossings. If S is 0,
    /// it is the mean of the curve; for nested bodies it is a point of the inner body.
    pub point: V,
    /// The gradient of the volume for rotations of the first body about [`point`](Self::point): a volume, in 2D an
    /// area, per radian. It is parallel to S, unless S is 0.
    pub moment_vector: V::Moment,
}

impl<V: Vector> ContactVolume<V> {
    /// Returns the unit normal, from the first body to the second; `None` if S is 0.
    pub fn normal(&self) -> Option<V> {
        direction(self.area_vector, self.area())
    }

    /// Returns |S|, the area (in 2D the contact width) projected along the normal.
    pub fn area(&self) -> f64 {
        self.area_vector.length()
    }

    /// Returns the pitch `S.G / |S|^2`, a length: the couple along the central axis per unit of force.
    ///
    /// 0 in 2D, and if S is 0.
    pub fn pitch(&self) -> f64 {
        let squared = self.area_vector.length_squared();
        if squared > 0.0 {
            self.area_vector.dot_moment(self.moment_vector) / squared
        } else {
            0.0
        }
    }

    /// Returns G about any point: the gradient of the volume for rotations of the first body about
    /// this point.
    pub fn moment_vector_about(&self, center: V) -> V::Moment {
        self.moment_vector + (self.point - center).cross(self.area_vector)
    }

    /// Returns the force on the first body, `-w'(V) S`. The force on the second body is its negative.
    ///
    /// Energy is conserved only together with [`moment_about`](Self::moment_about) the center of
    /// each body. The force at the contact point alone does not conserve it.
    pub fn force(&self, energy: &ContactEnergy) -> V {
        self.area_vector * -energy.pressure(self.volume)
    }

    /// Returns the moment on the first body about a point, `-w'(V) G`. The moment on the second body about the
    /// same point is its negative.
    pub fn moment_about(&self, energy: &ContactEnergy, center: V) -> V::Moment {
        self.moment_vector_about(center) * -energy.pressure(self.volume)
    }

    /// Returns the same contact with the bodies swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            // Avoids negative zeros, so that 0 stays the same.
            area_vector: V::ZERO - self.area_vector,
            moment_vector: V::Moment::default() - self.moment_vector,
            ..self
        }
    }

    /// Returns the contact, with the bodies swapped if `is_swapped`.
    #[inline]
    pub(super) fn swapped_if(self, is_swapped: bool) -> Self {
        if is_swapped { self.swapped() } else { self }
    }

    /// Returns the contact of a body inside another one.
    pub(super) fn nested(volume: f64, point: V) -> Self {
        Self {
            kind: IntersectionKind::Nested,
            volume,
            error_bound: WHOLE * volume,
            area_vector: V::ZERO,
            point,
            moment_vector: V::Moment::default(),
        }
    }
}
