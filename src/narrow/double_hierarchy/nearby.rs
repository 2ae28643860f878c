use smallvec::SmallVec;

use super::LastSide;
use super::surface::Ball;
use crate::math::Vector;
use crate::math::tolerance::SQUARED_DISTANCE;
use crate::shape::{BoxTree, Stamp};

/// More facets than this are not kept: to search them all takes as long as to find them.
const MANY: usize = 64;

/// What a sphere and a [`Wall`](super::Wall) remember of each other from step to step, if the
/// caller keeps it: one for each pair.
///
/// - The side on which the sphere belongs ([`LastSide`]). In a wall that deforms the path of the
///   center is the one relative to the facet that was nearest at the last call: the last center is
///   taken along with the closest point of this facet, at the same height above it. So a wall that
///   [`set_vertices`](super::Wall::set_vertices) moves through a resting sphere holds it, as one
///   that [`set_pose`](super::Wall::set_pose) moves.
/// - From the second step on, the facets around the sphere. While it stays among them, the wall is
///   not searched. That takes half of the time or less where spheres move little, and changes no
///   contact.
///
/// All is in the coordinates of the mesh, so a new pose invalidates nothing. A memory of another
/// wall, or one that missed an update of the vertices, counts as new.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallState<V = glam::DVec3> {
    /// On which side the sphere is.
    pub side: LastSide<V>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) nearby: Nearby<V>,
}

impl<V: Vector> From<LastSide<V>> for WallState<V> {
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
        let moved = if self.stamp == stamp {
            (ball.center - self.center).length()
        } else {
            f64::INFINITY
        };
        if (moved + ball.reach) * (1.0 + SQUARED_DISTANCE) > self.reach {
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
