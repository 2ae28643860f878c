use std::cmp::Ordering;
use std::fmt::Debug;
use std::ops::{Add, Index, Mul, Neg, Sub};

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::pose::Rotation;

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for glam::DVec2 {}
    impl Sealed for glam::DVec3 {}
    impl Sealed for glam::DQuat {}
}

/// Returns the matrix `a b^T`.
#[inline]
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Compares two vectors by the first coordinate that differs; zeros of either sign are equal.
pub(crate) fn lexicographic<V: Vector>(a: V, b: V) -> Ordering {
    let by = |axis: usize| a[axis].partial_cmp(&b[axis]);
    let order = (0..V::DIM).filter_map(by).find(|order| order.is_ne());
    order.unwrap_or(Ordering::Equal)
}

/// A vector of the plane (`DVec2`) or of space (`DVec3`). Sealed.
///
/// The trait is for code in both dimensions. Use glam's own methods on the concrete types.
pub trait Vector:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + Index<usize, Output = f64>
    + 'static
{
    /// The dimension, 2 or 3.
    const DIM: usize;
    /// The origin.
    const ZERO: Self;
    /// The unit vector along x.
    const X: Self;
    /// The rotations of this space: `(cos, sin)` in the plane, a unit quaternion in space.
    type Rotation: Rotation<Self>;
    /// The type of moments and angular velocities: a number in the plane (positive counter-clockwise), a
    /// vector in space.
    type Moment: Copy
        + Debug
        + Default
        + PartialEq
        + Send
        + Sync
        + Add<Output = Self::Moment>
        + Sub<Output = Self::Moment>
        + Neg<Output = Self::Moment>
        + Mul<f64, Output = Self::Moment>
        + 'static;
    /// The type of moments of inertia: a number in the plane, a symmetric tensor in space.
    type Inertia: Copy
        + Debug
        + PartialEq
        + Send
        + Sync
        + Add<Output = Self::Inertia>
        + Mul<f64, Output = Self::Inertia>
        + 'static;

    /// Creates the vector with the components `component(axis)`.
    fn from_fn(component: impl FnMut(usize) -> f64) -> Self;
    /// Returns the scalar product.
    fn dot(self, other: Self) -> f64;
    /// Returns the component-wise minimum.
    fn min(self, other: Self) -> Self;
    /// Returns the component-wise maximum.
    fn max(self, other: Self) -> Self;
    /// Returns the vector product: the moment of a force `other` at `self`.
    fn cross(self, other: Self) -> Self::Moment;
    /// Returns the vector product with a moment; a moment in the plane points along the third axis.
    fn cross_moment(self, moment: Self::Moment) -> Self;
    /// Returns the scalar product with a moment: 0 in the plane.
    fn dot_moment(self, moment: Self::Moment) -> f64;
    /// Returns the inertia about the origin of a unit mass at this point.
    fn point_inertia(self) -> Self::Inertia;

    /// Creates the vector with equal components.
    fn splat(value: f64) -> Self {
        Self::from_fn(|_| value)
    }
    /// Returns the squared length.
    fn length_squared(self) -> f64 {
        self.dot(self)
    }
    /// Returns the length.
    fn length(self) -> f64 {
        self.length_squared().sqrt()
    }
}

impl Vector for DVec2 {
    const DIM: usize = 2;
    const ZERO: Self = DVec2::ZERO;
    const X: Self = DVec2::X;
    type Rotation = DVec2;
    type Moment = f64;
    type Inertia = f64;

    #[inline]
    fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
        DVec2::new(component(0), component(1))
    }
    #[inline]
    fn dot(self, other: Self) -> f64 {
        DVec2::dot(self, other)
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        DVec2::min(self, other)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        DVec2::max(self, other)
    }
    #[inline]
    fn cross(self, other: Self) -> f64 {
        self.perp_dot(other)
    }
    #[inline]
    fn cross_moment(self, moment: f64) -> Self {
        DVec2::new(self.y * moment, -self.x * moment)
    }
    #[inline]
    fn dot_moment(self, _: f64) -> f64 {
        0.0
    }
    #[inline]
    fn point_inertia(self) -> f64 {
        DVec2::length_squared(self)
    }
}

impl Vector for DVec3 {
    const DIM: usize = 3;
    const ZERO: Self = DVec3::ZERO;
    const X: Self = DVec3::X;
    type Rotation = DQuat;
    type Moment = DVec3;
    type Inertia = DMat3;

    #[inline]
    fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
        DVec3::new(component(0), component(1), component(2))
    }
    #[inline]
    fn dot(self, other: Self) -> f64 {
        DVec3::dot(self, other)
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        DVec3::min(self, other)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        DVec3::max(self, other)
    }
    #[inline]
    fn cross(self, other: Self) -> DVec3 {
        DVec3::cross(self, other)
    }
    #[inline]
    fn cross_moment(self, moment: DVec3) -> Self {
        DVec3::cross(self, moment)
    }
    #[inline]
    fn dot_moment(self, moment: DVec3) -> f64 {
        DVec3::dot(self, moment)
    }
    #[inline]
    fn point_inertia(self) -> DMat3 {
        DMat3::from_diagonal(DVec3::splat(DVec3::length_squared(self))) - outer(self, self)
    }
}
