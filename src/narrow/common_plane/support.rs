//! The support function of the Minkowski difference.

use std::ops::Deref;

use glam::DVec3;

use crate::narrow::gjk::{self, Difference, Proximity, Simplex};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, VertexPair};

/// A pair frame with the vertices of `q` transformed once, if they are few: for many directions.
pub(super) struct SupportMap<'a> {
    frame: &'a PairFrame<'a>,
    placed: [VertexPair; Boundary::FEW / 2],
}

impl<'a> SupportMap<'a> {
    #[inline]
    pub(super) fn new(frame: &'a PairFrame<'a>) -> Self {
        let mut placed = [[[0.0; 2]; 3]; Boundary::FEW / 2];
        let motion = frame.motion;
        for (to, [x, y, z]) in placed.iter_mut().zip(frame.q.packed()) {
            let [a, b] = [0, 1].map(|k| motion.transform_point(DVec3::new(x[k], y[k], z[k])));
            *to = [[a.x, b.x], [a.y, b.y], [a.z, b.z]];
        }
        Self { frame, placed }
    }

    /// Returns the simplex of the point nearest to the origin, found from another simplex.
    pub(super) fn nearest(&self, start: (Simplex, DVec3), margin: f64) -> Proximity {
        let support = |direction, from: &_| self.farthest(direction, from);
        gjk::nearest(self.size, support, start, margin)
    }

    /// Returns the support point of the Minkowski difference in a direction, found from another point.
    #[inline]
    pub(super) fn farthest(&self, direction: DVec3, from: &Difference) -> Difference {
        #[cfg(test)]
        super::tests::effort::count(&super::tests::effort::SUPPORTS);
        let PairFrame {
            p: a, q: b, motion, ..
        } = self.frame;
        let p = a.farthest(-direction, from.p);
        let count = b.packed().len();
        let (q, x) = if count > 0 {
            let placed = &self.placed[..count];
            let q = Boundary::farthest_of(placed, direction);
            let [x, y, z] = placed[q as usize / 2];
            let k = q as usize % 2;
            (q, DVec3::new(x[k], y[k], z[k]))
        } else {
            let q = b.farthest(motion.inverse_transform_vector(direction), from.q);
            (q, motion.transform_point(b.vertices[q as usize]))
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
