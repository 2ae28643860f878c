use smallvec::SmallVec;

use super::LastSide;
use super::surface::Ball;
use crate::math::Vector;
use crate::shape::BoxTree;

/// More facets than this are not kept: to search them all takes as long as to find them.
const MANY: usize = 64;

/// What a sphere and a [`Wall`](super::Wall) remember of each other from step to step, if the
/// caller keeps it: one for each pair.
///
/// The side of a thin wall ([`LastSide`]) and, from the second step on, the facets around the
/// sphere: as long as it stays among them, the wall is not searched. That takes half of the time or
/// less where spheres move little, and changes no contact. Of a wall that deforms, and of another
/// wall, nothing is known; a pose is no change, since all is in the coordinates of the mesh.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallMemory<V> {
    /// On which side the sphere is.
    pub side: LastSide<V>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) nearby: Nearby<V>,
}

impl<V: Vector> From<LastSide<V>> for WallMemory<V> {
    fn from(side: LastSide<V>) -> Self {
        Self {
            side,
            nearby: Nearby::default(),
        }
    }
}

/// The facets within some reach of a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Nearby<V> {
    /// Of which state of which wall; 0 of none.
    stamp: u64,
    center: V,
    /// 0 if only the point is known.
    reach: f64,
    facets: SmallVec<[u32; 8]>,
}

impl<V: Vector> Nearby<V> {
    /// Facets among which are all that a ball can touch; `None` if these are better searched.
    #[inline]
    pub(super) fn facets(
        &mut self,
        stamp: u64,
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
    fn search(&mut self, stamp: u64, tree: &BoxTree<V>, ball: Ball<V>, moved: f64) {
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
