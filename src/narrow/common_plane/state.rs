//! What a pair of bodies remembers, and what that still proves after they have moved.

use glam::DVec3;

use super::CommonPlaneMode;
use super::difference_polytope::DifferencePolytope;
use super::feature_pair::{FeaturePair, Plane};
use super::pair_frame::PairFrame;
use crate::math::Vector;
use crate::math::tolerance::STRICT;
use crate::narrow::pair_gap::{PairGap, Placement};
use crate::shape::Stamp;

/// What [`CommonPlane`](super::CommonPlane) remembers of a pair: the features that carried the
/// plane; of separated bodies a gap, of overlapping ones a polytope inside their Minkowski
/// difference.
///
/// In [`CommonPlaneMode::Global`](super::CommonPlaneMode::Global) no state changes an answer, of any pair, shapes,
/// poses or margin: features and polytope are evaluated for the bodies as they are now, and a gap
/// is used only for the two shapes it was found for. Clones of a shape count as the same shape. A
/// state of other shapes costs a search.
///
/// 128 bytes. It can move in memory and be used with the bodies in either order. It is not for
/// files: start with a new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPlaneState<V: Vector = glam::DVec3> {
    pub(super) pair: FeaturePair,
    /// Whether the pair is that of the second and the first body.
    pub(super) is_swapped: bool,
    pub(super) bound: Bound<V>,
}

/// What is known of the pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Bound<V: Vector> {
    #[default]
    None,
    /// The shapes, their placement, and a gap between them.
    Gap(PairGap<V>),
    /// The shapes that [`CommonPlaneMode::Tracked`](super::CommonPlaneMode::Tracked) has found the pair for.
    Tracked([Stamp; 2]),
    /// A polytope inside the Minkowski difference of bodies that overlap.
    Around(DifferencePolytope),
}

impl<V: Vector> Default for CommonPlaneState<V> {
    fn default() -> Self {
        Self {
            pair: FeaturePair::None,
            is_swapped: false,
            bound: Bound::None,
        }
    }
}

impl<V: Vector> CommonPlaneState<V> {
    /// Turns what it holds, if the bodies now come in the other order.
    pub(super) fn orient(&mut self, is_swapped: bool) {
        if self.is_swapped != is_swapped {
            self.is_swapped = is_swapped;
            self.pair = self.pair.swapped();
            self.bound = match self.bound {
                Bound::Tracked([p, q]) => Bound::Tracked([q, p]),
                _ => Bound::None,
            };
        }
    }

    /// Whether the bodies are known to be at least `margin` apart.
    #[inline]
    pub(super) fn keeps_apart(
        &self,
        margin: f64,
        now: &Placement<V>,
        reach: impl FnOnce() -> [f64; 2],
    ) -> bool {
        matches!(&self.bound, Bound::Gap(gap) if gap.exceeds(margin, now, reach))
    }

    /// Whether the pair was found for these shapes.
    pub(super) fn is_of(&self, shapes: [Stamp; 2]) -> bool {
        match &self.bound {
            Bound::Gap(gap) => gap.at.shapes == shapes,
            Bound::Tracked(found_for) => *found_for == shapes,
            _ => false,
        }
    }

    /// Remembers a gap of bodies that are apart; in [`CommonPlaneMode::Tracked`](super::CommonPlaneMode::Tracked) also
    /// the shapes of bodies that overlap.
    pub(super) fn set_gap(&mut self, gap: f64, at: &Placement<V>, mode: CommonPlaneMode) {
        self.bound = if gap > 0.0 {
            Bound::Gap(PairGap { gap, at: *at })
        } else if mode == CommonPlaneMode::Tracked {
            Bound::Tracked(at.shapes)
        } else {
            Bound::None
        };
    }
}

impl CommonPlaneState<DVec3> {
    /// Whether no other plane has a depth as small as this one's: by two balls and a disc that are
    /// inside the bodies' difference, or by the polytope of the last search. O(1).
    #[inline]
    pub(super) fn proves(&self, frame: &PairFrame, plane: &Plane) -> bool {
        let is_global = Certificate::of(frame, plane).is_global(frame.size * STRICT);
        is_global || matches!(&self.bound, Bound::Around(surface) if surface.proves(frame, plane))
    }
}

/// A facet of the difference, on which the origin has a foot, and a ball inside the difference.
pub(super) struct Certificate {
    /// Of the origin below the facet.
    pub(super) depth: f64,
    /// Of the foot from the facet's boundary.
    pub(super) inset: f64,
    /// How far the centre of the second body is from that of the first along the normal, and
    /// across it.
    pub(super) along: f64,
    pub(super) across: f64,
    /// The radius of the ball: the sum of the inscribed radii.
    pub(super) ball: f64,
}

impl Certificate {
    #[inline]
    pub(super) fn of(frame: &PairFrame, plane: &Plane) -> Self {
        let c = frame.centers();
        let along = plane.normal.dot(c);
        Self {
            depth: -plane.gap,
            inset: plane.inset,
            along,
            across: (c - plane.normal * along).length(),
            ball: frame.p.inscribed + frame.q.inscribed,
        }
    }

    /// Whether the segment from the facet through the origin ends inside the ball: then the bodies
    /// overlap. O(1).
    pub(super) fn shows_overlap(&self) -> bool {
        self.across < self.ball && self.along >= 0.0
    }

    /// Whether the difference reaches at least as far in all other directions: within
    /// 2 atan(rho / d) of the normal the disc of radius rho in the facet does, and elsewhere the
    /// ball. O(1).
    #[inline]
    pub(super) fn is_global(&self, slack: f64) -> bool {
        let (d, rho) = (self.depth, self.inset);
        let far = self.along * (rho * rho - d * d) - 2.0 * d * rho * self.across;
        d * self.across <= rho * self.along
            && far + (self.ball - d - slack) * (rho * rho + d * d) >= 0.0
    }
}
