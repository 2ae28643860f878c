//! What the contacts of two bodies depend on.

use crate::math::{Pose, Vector};
use crate::shape::Stamp;

/// The settings of a kernel, and two bodies. Equal scenes have the same contacts, because shapes are immutable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scene<T, V: Vector> {
    pub(super) settings: T,
    pub(super) stamps: [Stamp; 2],
    pub(super) poses: [Pose<V>; 2],
}
