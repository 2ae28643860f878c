//! The vertices of the bodies' difference that are farthest in directions.

use std::ops::Deref;

use glam::DVec3;

use super::pair_frame::PairFrame;
use crate::narrow::gjk::{self, Difference, Proximity, Simplex};
use crate::shape::{Boundary, VertexPair};

/// For many directions at one pose: a frame with the vertices of `q` turned once, if they are few.
pub(super) struct SupportMap<'a> {
    frame: &'a PairFrame<'a>,
    turned: [VertexPair; Boundary::FEW / 2],
}

impl<'a> SupportMap<'a> {
    #[inline]
    pub(super) fn new(frame: &'a PairFrame<'a>) -> Self {
        let mut turned = [[[0.0; 2]; 3]; Boundary::FEW / 2];
        let motion = frame.motion;
        for (to, [x, y, z]) in turned.iter_mut().zip(frame.q.packed()) {
            let [a, b] = [0, 1].map(|k| motion.transform_point(DVec3::new(x[k], y[k], z[k])));
            *to = [[a.x, b.x], [a.y, b.y], [a.z, b.z]];
        }
        Self { frame, turned }
    }

    /// The nearest point of the difference, sought from a simplex on.
    pub(super) fn nearest(&self, start: (Simplex, DVec3), margin: f64) -> Proximity {
        let support = |direction, from: &_| self.farthest(direction, from);
        gjk::nearest(self.size, support, start, margin)
    }

    /// The difference that is farthest in a direction, sought from another one on.
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
            let turned = &self.turned[..count];
            let q = Boundary::farthest_of(turned, direction);
            let [x, y, z] = turned[q as usize / 2];
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
