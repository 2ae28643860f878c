//! The support function of the Minkowski difference.

use std::ops::Deref;

use glam::DVec3;

use crate::narrow::gjk::{self, Difference, Proximity, Simplex};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, VertexBlock};

/// A pair frame for queries in many directions. The vertices of `q` are transformed once if they are few.
pub(super) struct SupportMap<'a> {
    frame: &'a PairFrame<'a>,
    placed: [VertexBlock; VertexBlock::count(Boundary::FEW)],
    count: usize,
}

impl<'a> SupportMap<'a> {
    #[inline]
    pub(super) fn new(frame: &'a PairFrame<'a>) -> Self {
        let mut placed = [VertexBlock::ZERO; VertexBlock::count(Boundary::FEW)];
        let blocks = frame.q.few_blocks();
        for (to, block) in placed.iter_mut().zip(blocks) {
            *to = block.transformed(&frame.motion);
        }
        Self {
            frame,
            placed,
            count: blocks.len(),
        }
    }

    /// Returns the simplex of the point nearest to the origin, found from another simplex.
    pub(super) fn nearest(&self, start: (Simplex, DVec3), margin: f64) -> Proximity {
        let support = |direction, from: &_| self.farthest(direction, from);
        gjk::nearest(self.size, support, start, margin)
    }

    /// Returns the support point of the Minkowski difference in a direction, found from another point close to it.
    #[inline]
    pub(super) fn farthest(&self, direction: DVec3, from: &Difference) -> Difference {
        self.farthest_by(Boundary::farthest, direction, from)
    }

    /// Returns the support point of the Minkowski difference in a direction, found from any point.
    pub(super) fn farthest_of_all(&self, direction: DVec3, from: &Difference) -> Difference {
        self.farthest_by(Boundary::farthest_of_all, direction, from)
    }

    /// Returns the gap of the bodies along a normal, by testing all vertices. A walk may end 36 u of a face below its
    /// highest corner.
    pub(super) fn gap_along(&self, normal: DVec3) -> f64 {
        let local = self.motion.inverse_transform_vector(normal);
        let [p, q] = [self.p.highest(normal), self.q.highest(-local)];
        normal.dot(self.difference(p, q).x)
    }

    #[inline(always)]
    fn farthest_by(
        &self,
        search: impl Fn(&Boundary, DVec3, u32) -> u32,
        direction: DVec3,
        from: &Difference,
    ) -> Difference {
        #[cfg(test)]
        super::tests::effort::count(&super::tests::effort::SUPPORTS);
        let PairFrame {
            p: a, q: b, motion, ..
        } = self.frame;
        let p = search(a, -direction, from.p);
        let placed = &self.placed[..self.count];
        let (q, x) = if placed.is_empty() {
            let q = search(b, motion.inverse_transform_vector(direction), from.q);
            (q, motion.transform_point(b.vertices[q as usize]))
        } else {
            let q = VertexBlock::farthest(placed, direction);
            (q, VertexBlock::vertex(placed, q))
        };
        Difference {
            x: x - a.vertices[p as usize],
            p,
            q,
        }
    }
}

impl<'a> Deref for SupportMap<'a> {
    type Target = PairFrame<'a>;

    #[inline]
    fn deref(&self) -> &PairFrame<'a> {
        self.frame
    }
}
