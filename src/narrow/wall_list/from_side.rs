//! The states of bodies that come near a wall.

use crate::math::Vector;
use crate::narrow::{ConvexWallState, WallHistory, WallState};

/// The state of a body at a wall, which can start on a given side.
pub trait FromSide<V>: Default {
    /// Returns the state of a body that belongs on the side of a point, in the coordinates of the mesh.
    fn from_side(point: V) -> Self;
}

impl<V: Vector> FromSide<V> for WallState<V> {
    fn from_side(point: V) -> Self {
        Self::from_side(point)
    }
}

impl<V: Vector> FromSide<V> for ConvexWallState<V> {
    fn from_side(point: V) -> Self {
        Self::from_side(point)
    }
}

impl<T, V: Vector> FromSide<V> for WallHistory<T, V> {
    fn from_side(point: V) -> Self {
        Self::new(WallState::from_side(point))
    }
}

/// No state.
impl<V> FromSide<V> for () {
    fn from_side(_point: V) -> Self {}
}

/// A state of the kernel, and your own data.
impl<V, S: FromSide<V>, T: Default> FromSide<V> for (S, T) {
    fn from_side(point: V) -> Self {
        (S::from_side(point), T::default())
    }
}
