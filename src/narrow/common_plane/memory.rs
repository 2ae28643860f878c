//! What a pair of bodies remembers, and what that still proves after they have moved.

use glam::DVec3;

use super::frame::{Frame, STRICT};
use super::pair::{Pair, Plane};
use crate::math::{Pose, Pose3, Rotation, Vector};

/// What [`CommonPlane`](super::CommonPlane) remembers of a pair: the features that carried the
/// plane, the pose at which a bound was proved, and the bound. Nothing in it can make an answer
/// wrong; without it the answer takes longer.
///
/// 128 bytes in 3D. It can move in memory and be used with the bodies in either order; of shapes whose
/// vertices or faces have been numbered anew it costs a search. It is not for files: start with a
/// new one, which gives the same answers but in [`Mode::Tracked`](super::Mode::Tracked).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPlaneMemory<V: Vector> {
    pub(super) pair: Pair,
    /// Whether the pair is that of the second and the first body.
    pub(super) is_swapped: bool,
    /// Of the second body to the first, when the bound was proved.
    reference: Pose<V>,
    pub(super) bound: Bound<V>,
}

/// What was proved at the reference pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Bound<V> {
    #[default]
    None,
    /// The gap is at least this.
    Gap(f64),
    /// Along all directions but those around `normal` the depth is at least this.
    Elsewhere {
        depth: f64,
        normal: V,
        cap: [f64; 2],
    },
}

impl<V: Vector> Default for CommonPlaneMemory<V> {
    fn default() -> Self {
        Self {
            pair: Pair::None,
            is_swapped: false,
            reference: Pose::IDENTITY,
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

    pub(super) fn set_bound(&mut self, bound: Bound<V>, relative: &Pose<V>) {
        self.bound = bound;
        self.reference = *relative;
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
        match self.bound {
            Bound::Gap(gap) if gap > margin => {
                gap - self.motion(relative, radius()) - slack >= margin
            }
            _ => false,
        }
    }

    /// The most that any point of the second body, within `radius` of its origin, has moved in the
    /// frame of the first since the bound was proved.
    #[inline]
    fn motion(&self, relative: &Pose<V>, radius: f64) -> f64 {
        let shift = (relative.translation() - self.reference.translation()).length();
        // The chord of the turn is at most twice the distance of the quaternions.
        shift + 2.0 * radius * relative.rotation().distance(self.reference.rotation())
    }
}

impl CommonPlaneMemory<DVec3> {
    /// Whether no other plane has a depth as small as this one's: by what is inside the bodies'
    /// difference, or by the bound. O(1).
    #[inline]
    pub(super) fn proves(&self, frame: &Frame, plane: &Plane, relative: &Pose3) -> bool {
        let slack = frame.size * STRICT;
        let proof = Proof::of(frame, plane);
        if proof.is_global(slack) {
            return true;
        }
        let Bound::Elsewhere {
            depth,
            normal,
            cap: [cos, sin],
        } = self.bound
        else {
            return false;
        };
        let (d, rho) = (proof.depth, proof.foot_margin);
        let motion = self.motion(relative, frame.radius());
        if d + motion + slack > depth {
            return false;
        }
        // The disc in the facet covers an angle of 2 atan(rho / d) around the normal. That, less
        // the cap's angle, must be at least the angle between the normals.
        let (re, im) = (d * d - rho * rho, 2.0 * d * rho);
        let (re, im) = (re * cos + im * sin, im * cos - re * sin);
        im > 0.0 && re <= normal.dot(plane.normal) * (1.0 - STRICT) * (re * re + im * im).sqrt()
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
