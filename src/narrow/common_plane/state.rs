//! The state of a pair of bodies, kept from step to step.

use glam::DVec3;

use super::difference_polytope::DifferencePolytope;
use super::feature_pair::{FeaturePair, Plane};
use crate::math::Vector;
use crate::narrow::pair_frame::PairFrame;
use crate::narrow::pair_gap::{PairGap, Placement};
use crate::shape::Stamp;

/// The state of a pair in [`CommonPlane`](super::CommonPlane), which saves time.
///
/// It holds the features that carried the last plane. For separated bodies it also holds a gap, for
/// overlapping ones a polytope inside the Minkowski difference.
///
/// No state changes a result, for any pair, shapes, poses or margin. Features and polytope are evaluated at the current poses. A gap is used
/// only for the two shapes for which it was found. Clones of a shape count as the same shape. A state of
/// other shapes costs one search.
///
/// Pass the bodies in the same order at each call. In the other order the state costs a search.
///
/// Size: 136 bytes. It can be moved in memory. It cannot be serialized: start with a new state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommonPlaneState<V: Vector = DVec3> {
    pub(super) pair: Option<FeaturePair>,
    /// Whether the features of `pair` are those of the second and the first body.
    pub(super) is_swapped: bool,
    pub(super) bound: Bound<V>,
}

/// A certificate of the last search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Bound<V: Vector> {
    #[default]
    None,
    /// A gap between two shapes at a placement.
    Gap(PairGap<V>),
    /// A polytope inside the Minkowski difference of overlapping bodies.
    Around(DifferencePolytope),
}

impl<V: Vector> CommonPlaneState<V> {
    /// Swaps the state if the bodies come in the other order than before.
    pub(super) fn orient(&mut self, is_swapped: bool) {
        if self.is_swapped != is_swapped {
            self.is_swapped = is_swapped;
            self.pair = self.pair.map(|[p, q]| [q, p]);
            self.bound = Bound::None;
        }
    }

    /// Returns whether the bodies are known to be at least `margin` apart.
    #[inline]
    pub(super) fn keeps_apart(
        &self,
        margin: f64,
        now: &Placement<V>,
        reach: impl FnOnce() -> [f64; 2],
    ) -> bool {
        matches!(&self.bound, Bound::Gap(gap) if gap.exceeds(margin, now, reach))
    }

    /// Stores a gap if it is positive, and the shapes have names.
    pub(super) fn set_gap(&mut self, gap: f64, at: &Placement<V>) {
        self.bound = if gap > 0.0 && !at.shapes.contains(&Stamp::NONE) {
            Bound::Gap(PairGap { gap, at: *at })
        } else {
            Bound::None
        };
    }
}

impl CommonPlaneState<DVec3> {
    /// Returns whether no other plane has a larger gap, by its own certificate or the polytope of the last search. O(1).
    #[inline]
    pub(super) fn certifies(&self, frame: &PairFrame, plane: &Plane) -> bool {
        plane.is_largest(frame)
            || matches!(&self.bound, Bound::Around(polytope) if polytope.certifies(frame, plane))
    }
}
