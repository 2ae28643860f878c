//! Triangles in the common frame of a pair.

use glam::DVec3;

use crate::math::predicates::SignedTriangle;
use crate::shape::{Aabb, Triangle};

/// A triangle in the common frame of a pair, prepared for the predicates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Face {
    pub(super) triangle: SignedTriangle,
    pub(super) bounds: Aabb<DVec3>,
    /// As in [`Triangle`].
    pub(super) sides: [u32; 3],
}

impl Face {
    pub(super) fn new(corners: [DVec3; 3], triangle: &Triangle) -> Self {
        let [a, b, c] = corners;
        let mut bounds = Aabb {
            min: a.min(b).min(c),
            max: a.max(b).max(c),
        };
        let signed = SignedTriangle::new(corners, bounds.size());
        if triangle.is_folded() {
            // An empty box, which touches nothing.
            std::mem::swap(&mut bounds.min, &mut bounds.max);
            bounds.min += DVec3::INFINITY;
        }
        Self {
            triangle: signed,
            bounds,
            sides: triangle.sides,
        }
    }

    /// Returns whether the bounding boxes touch. Has no branches, because they would be
    /// unpredictable.
    #[inline]
    pub(super) fn may_touch(&self, other: &Self) -> bool {
        let (a, b) = (&self.bounds, &other.bounds);
        let below = a.min.cmple(b.max).bitmask();
        let above = b.min.cmple(a.max).bitmask();
        below & above == 0b111
    }
}
