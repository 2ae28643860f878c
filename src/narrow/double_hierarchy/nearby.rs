//! Facets kept from the last search of a wall.

use smallvec::SmallVec;

use super::found::Ball;
use crate::math::Vector;
use crate::shape::{BoxTree, Stamp};

/// More facets than this are not kept: to search them all takes as long as to find them.
const MANY: usize = 64;

/// The facets within some reach of a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby<V> {
    /// Of which state of which wall.
    stamp: Stamp,
    center: V,
    /// 0 if only the point is known.
    reach: f64,
    facets: SmallVec<[u32; 8]>,
}

impl<V: Vector> Nearby<V> {
    /// The state of the wall at the last call; [`Stamp::NONE`] before the first.
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Knows a state of the wall, but no facets of it.
    pub(super) fn forget(&mut self, stamp: Stamp, center: V) {
        (self.stamp, self.center, self.reach) = (stamp, center, 0.0);
    }

    /// Facets among which are all that a ball can touch; `None` if these are better searched.
    #[inline]
    pub(super) fn facets(
        &mut self,
        stamp: Stamp,
        tree: &BoxTree<V>,
        ball: Ball<V>,
    ) -> Option<&[u32]> {
        const ROUNDING: f64 = 1.0 + f64::from_bits((1023 - 48) << 52);
        let moved = if self.stamp == stamp {
            (ball.center - self.center).length()
        } else {
            f64::INFINITY
        };
        if (moved + ball.reach) * ROUNDING > self.reach {
            self.search(stamp, tree, ball, moved);
        }
        (self.reach > 0.0).then_some(&self.facets[..])
    }

    /// Looks around as far as the ball should go in some steps.
    fn search(&mut self, stamp: Stamp, tree: &BoxTree<V>, ball: Ball<V>, moved: f64) {
        (self.stamp, self.center, self.reach) = (stamp, ball.center, 0.0);
        self.facets.clear();
        if moved > 0.25 * ball.reach {
            return;
        }
        let skin = (8.0 * moved).max(ball.reach / 32.0).min(0.5 * ball.reach);
        let reach = ball.reach + skin;
        tree.for_each_within(reach, ball.center, |facet| self.facets.push(facet));
        if self.facets.len() <= MANY {
            self.reach = reach;
        }
    }
}
