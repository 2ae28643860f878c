//! Facets kept from the last search of a wall.

use smallvec::SmallVec;

use super::search_result::Ball;
use crate::math::Vector;
use crate::math::tolerance::SQUARED_DISTANCE;
use crate::shape::{BoxTree, Stamp};

/// More facets than this are not kept: testing all of them takes as long as a search in the tree.
const MANY: usize = 64;
/// The number of calls without a look-ahead after one that found too many facets. A look-ahead costs as much as a
/// search.
const PAUSE: u8 = 100;

/// The facets within a reach of a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby<V> {
    /// Identifies the wall and the positions of its vertices.
    stamp: Stamp,
    center: V,
    /// The reach within which facets are kept, 0 if only the point is known.
    reach: f64,
    /// Their slots.
    facets: SmallVec<[u32; 8]>,
    /// The number of calls until the next look-ahead, after one that found too many facets.
    pause: u8,
}

impl<V: Vector> Nearby<V> {
    /// Keeps the stamp and the center, but no facets.
    fn forget(&mut self, stamp: Stamp, center: V) {
        (self.stamp, self.center, self.reach) = (stamp, center, 0.0);
    }

    /// Returns the slots of facets that include all that a ball can touch; `None` if a search is faster.
    #[inline]
    pub(super) fn slots(
        &mut self,
        stamp: Stamp,
        tree: &BoxTree<V>,
        ball: Ball<V>,
    ) -> Option<&[u32]> {
        // The distance moved and the sum take fewer than 32 roundings of 2^-53.
        let moved = if self.stamp == stamp {
            (ball.center - self.center).length()
        } else {
            f64::INFINITY
        };
        let is_kept = (moved + ball.reach) * (1.0 + SQUARED_DISTANCE) <= self.reach;
        (is_kept || self.look_ahead(stamp, tree, ball, moved)).then_some(&self.facets[..])
    }

    /// Searches the facets that the ball can reach in about eight steps, if it moves slowly. Returns whether they are
    /// kept.
    fn look_ahead(&mut self, stamp: Stamp, tree: &BoxTree<V>, ball: Ball<V>, moved: f64) -> bool {
        self.forget(stamp, ball.center);
        if moved > 0.25 * ball.reach {
            return false;
        }
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        let skin = (8.0 * moved).max(ball.reach / 32.0).min(0.5 * ball.reach);
        let reach = ball.reach + skin;
        self.facets.clear();
        tree.for_each_slot_within(reach, ball.center, |slot| {
            if self.facets.len() <= MANY {
                self.facets.push(slot);
            }
        });
        let are_few = self.facets.len() <= MANY;
        (self.reach, self.pause) = if are_few { (reach, 0) } else { (0.0, PAUSE) };
        are_few
    }
}
