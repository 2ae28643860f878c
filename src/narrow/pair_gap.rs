//! A stored gap between two shapes, valid until their motion may have closed it.

use crate::math::tolerance::two_to;
use crate::math::{Pose, Rotation, Vector};
use crate::shape::Stamp;

/// Two poses of the same pair agree to this, relative to the coordinates: some thousand roundings.
const POSE_DIFFERENCE: f64 = two_to(-40);

/// Two shapes, and the pose of the second in the frame of the first.
///
/// Shapes are immutable, so a bound found for a placement stays valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement<V: Vector> {
    pub(crate) shapes: [Stamp; 2],
    pub(crate) relative: Pose<V>,
}

/// A lower bound of the gap between two shapes at a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairGap<V: Vector> {
    pub(crate) gap: f64,
    pub(crate) at: Placement<V>,
}

impl<V: Vector> Placement<V> {
    /// The placement of no shapes.
    pub(crate) const NONE: Self = Self {
        shapes: [Stamp::NONE; 2],
        relative: Pose::IDENTITY,
    };

    /// Returns a bound of the displacement of all points of the second shape since another placement,
    /// rounding included. `reach` bounds the distances of the shapes' points from their origins.
    pub(crate) fn motion_from(&self, then: &Self, reach: [f64; 2]) -> f64 {
        let (now, then) = (&self.relative, &then.relative);
        let shift = (now.translation() - then.translation()).length();
        // The chord of the rotation is at most twice the distance of the quaternions.
        let chord = 2.0 * reach[1] * now.rotation().distance(then.rotation());
        let rounding =
            POSE_DIFFERENCE * (then.translation().length() + shift + reach[0] + reach[1]);
        shift + chord + rounding
    }
}

impl<V: Vector> PairGap<V> {
    /// Returns whether the same shapes are at least `margin` apart at another placement.
    #[inline]
    pub(crate) fn exceeds(
        &self,
        margin: f64,
        now: &Placement<V>,
        reach: impl FnOnce() -> [f64; 2],
    ) -> bool {
        self.gap > margin
            && self.at.shapes == now.shapes
            && self.gap - now.motion_from(&self.at, reach()) >= margin
    }
}
