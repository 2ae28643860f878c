//! What a pair of bodies remembers, and what that still proves after they have moved.

use glam::DVec3;

use super::frame::{Frame, STRICT};
use super::pair::{Pair, Plane};
use super::surface::Surface;
use crate::math::{Pose, Rotation, Vector};

/// What [`CommonPlane`](super::CommonPlane) remembers of a pair: the features that carried the
/// plane; of bodies that are apart a gap and the pose at which it was proved, of others some
/// differences of vertices that go around the origin. Nothing in it can make an answer wrong;
/// without it the answer takes longer.
///
/// 128 bytes. It can move in memory and be used with the bodies in either order; of shapes whose
/// vertices or faces have been numbered anew it costs a search. It is not for files: start with a
/// new one, which gives the same answers but in [`Mode::Tracked`](super::Mode::Tracked).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPlaneMemory<V: Vector> {
    pub(super) pair: Pair,
    /// Whether the pair is that of the second and the first body.
    pub(super) is_swapped: bool,
    pub(super) bound: Bound<V>,
}

/// What was proved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Bound<V: Vector> {
    #[default]
    None,
    /// The gap was at least this, with the second body so placed in the frame of the first.
    Gap(f64, Pose<V>),
    /// For bodies that overlap: what is inside their difference.
    Around(Surface),
}

impl<V: Vector> Bound<V> {
    pub(super) fn of_gap(gap: f64, relative: &Pose<V>) -> Self {
        if gap > 0.0 {
            Self::Gap(gap, *relative)
        } else {
            Self::None
        }
    }
}

impl<V: Vector> Default for CommonPlaneMemory<V> {
    fn default() -> Self {
        Self {
            pair: Pair::None,
            is_swapped: false,
            bound: Bound::None,
        }
    }
}

impl<V: Vector> CommonPlaneMemory<V> {
    /// Turns what it holds, if the bodies now come in the other order.
    pub(super) fn orient(&mut self, is_swapped: bool) {
        if self.is_swapped != is_swapped {
            self.is_swapped = is_swapped;
            self.pair = self.pair.turned();
            self.bound = Bound::None;
        }
    }

    /// Whether the bodies cannot have come within the margin since the bound was proved. All of the
    /// second body is within `radius` of its origin.
    #[inline]
    pub(super) fn keeps_apart(
        &self,
        relative: &Pose<V>,
        radius: impl FnOnce() -> f64,
        margin: f64,
        slack: f64,
    ) -> bool {
        match &self.bound {
            Bound::Gap(gap, then) if *gap > margin => {
                gap - motion(then, relative, radius()) - slack >= margin
            }
            _ => false,
        }
    }
}

/// The most that any point of a body, within `radius` of its origin, has moved from one pose to
/// another.
#[inline]
fn motion<V: Vector>(from: &Pose<V>, to: &Pose<V>, radius: f64) -> f64 {
    let shift = (to.translation() - from.translation()).length();
    // The chord of the turn is at most twice the distance of the quaternions.
    shift + 2.0 * radius * to.rotation().distance(from.rotation())
}

impl CommonPlaneMemory<DVec3> {
    /// Whether no other plane has a depth as small as this one's: by two balls and a disc that are
    /// inside the bodies' difference, or by the polytope of the last search. O(1).
    #[inline]
    pub(super) fn proves(&self, frame: &Frame, plane: &Plane) -> bool {
        let is_global = Proof::of(frame, plane).is_global(frame.size * STRICT);
        is_global || matches!(&self.bound, Bound::Around(surface) if surface.proves(frame, plane))
    }
}

/// A facet of the difference, on which the origin has a foot, and a ball inside the difference.
pub(super) struct Proof {
    /// Of the origin below the facet.
    pub(super) depth: f64,
    /// Of the foot from the facet's boundary.
    pub(super) foot_margin: f64,
    /// How far the centre of the second body is from that of the first along the normal, and
    /// across it.
    pub(super) along: f64,
    pub(super) across: f64,
    /// The radius of the ball: the sum of the inscribed radii.
    pub(super) ball: f64,
}

impl Proof {
    #[inline]
    pub(super) fn of(frame: &Frame, plane: &Plane) -> Self {
        let c = frame.centers();
        let along = plane.normal.dot(c);
        Self {
            depth: -plane.gap,
            foot_margin: plane.foot_margin,
            along,
            across: (c - plane.normal * along).length(),
            ball: frame.p.inscribed + frame.q.inscribed,
        }
    }

    /// Whether the difference reaches at least as far in all other directions: within
    /// 2 atan(rho / d) of the normal the disc of radius rho in the facet does, and elsewhere the
    /// ball. O(1).
    #[inline]
    pub(super) fn is_global(&self, slack: f64) -> bool {
        let (d, rho) = (self.depth, self.foot_margin);
        let far = self.along * (rho * rho - d * d) - 2.0 * d * rho * self.across;
        d * self.across <= rho * self.along
            && far + (self.ball - d - slack) * (rho * rho + d * d) >= 0.0
    }
}
