//! The connected parts of a wall inside a body, and the side of each on which the body belongs.
//!
//! The plane of a facet does not tell on which side of a bent wall a point is: a point over a ridge is behind the
//! planes of slopes farther away. Nothing of a part is between the point and the nearest place of the part. So
//! the facet there is seen from its right side, and all others follow over common edges.

use smallvec::SmallVec;

use crate::math::{Vector, lexicographic};
use crate::shape::UnionFind;

/// Facets that are connected inside a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts<V> {
    /// Facet i with its own front is element 2 i, with front and back exchanged 2 i + 1. A set is one side of
    /// a part. A part with a single side has both elements of a facet in one set.
    sides: UnionFind,
    views: Vec<View<V>>,
    /// The facet that decides for each part, by the lower of its two sets.
    nearest: Vec<Nearest>,
}

/// How a facet is seen from a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<V> {
    /// The distance of the facet inside the body.
    pub(super) distance: f64,
    /// The distance of the facet if it is enlarged about its nearest point.
    pub(super) enlarged: f64,
    /// The height of the point above the plane of the facet, at least 0.
    pub(super) height: f64,
    /// The normal on the side of the point.
    pub(super) front: V,
    /// Whether this is the facet's own normal.
    pub(super) is_front: bool,
}

/// The least distances among the facets of a part, and the facet that decides.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    distance: f64,
    enlarged: f64,
    facet: Option<usize>,
}

/// The pieces of wall that go away from a line, in 2D from a point.
#[derive(Clone, Debug)]
pub(super) struct Branches<V>(SmallVec<[Branch<V>; 4]>);

#[derive(Clone, Copy, Debug)]
struct Branch<V> {
    facet: usize,
    /// The unit vector along which the facet goes away, and how far.
    way: V,
    reach: f64,
    /// Whether the front of the facet is on the left of the way.
    is_left: bool,
}

impl<V> Default for Branches<V> {
    fn default() -> Self {
        Self(SmallVec::new())
    }
}

impl<V: Vector> Branches<V> {
    /// Adds a facet. Its front is on the left of its way if `turn` is positive.
    pub(super) fn push(&mut self, facet: usize, way: V, reach: f64, turn: f64) {
        self.0.push(Branch {
            facet,
            way,
            reach,
            is_left: turn > 0.0,
        });
    }

    /// Returns whether two facets have the same front, `None` unless all go away in two ways.
    ///
    /// Ways are the same if they differ by at most `slack` at the end of the shorter one.
    pub(super) fn have_same_front(&self, [a, b]: [usize; 2], slack: f64) -> Option<bool> {
        let is_same = |a: &Branch<V>, b: &Branch<V>| {
            (a.way - b.way).length() * a.reach.min(b.reach) <= 2.0 * slack
        };
        let first = self.0.first()?;
        let second = self.0.iter().find(|branch| !is_same(first, branch))?;
        // The front is on the left of a walk against the first way and on along the second one.
        let front = |branch: &Branch<V>| {
            let is_along = is_same(second, branch);
            (is_along || is_same(first, branch)).then_some(branch.is_left == is_along)
        };
        if !self.0.iter().all(|branch| front(branch).is_some()) {
            return None;
        }
        let of = |facet: usize| self.0.iter().find(|branch| branch.facet == facet);
        Some(front(of(a)?)? == front(of(b)?)?)
    }
}

impl<V: Vector> Parts<V> {
    /// Starts with `count` parts of one facet each.
    pub(super) fn reset(&mut self, count: usize) {
        self.sides.reset(2 * count);
        self.views.clear();
    }

    /// Connects two facets, which have the same front or opposite ones.
    pub(super) fn join(&mut self, a: usize, b: usize, have_same_front: bool) {
        let (a, b) = (2 * a as u32, 2 * b as u32);
        let other = u32::from(!have_same_front);
        self.sides.join(a, b + other);
        self.sides.join(a + 1, b + 1 - other);
    }

    /// Adds the view of the next facet.
    pub(super) fn see(&mut self, view: View<V>) {
        self.views.push(view);
    }

    /// Visits each facet with the side of its part, 1 for its front or -1. Facets of parts with a single side
    /// keep their own.
    ///
    /// Of facets that are nearest to within `slack`, as at an edge, that which faces the point most decides. Where an
    /// edge leaves the body, its end may be nearest: then only facets that are nearest if they are enlarged.
    pub(super) fn for_each_side(&mut self, slack: f64, mut visit: impl FnMut(usize, f64)) {
        let Self {
            sides,
            views,
            nearest,
        } = self;
        nearest.clear();
        let none = Nearest {
            distance: f64::INFINITY,
            enlarged: f64::INFINITY,
            facet: None,
        };
        nearest.resize(2 * views.len(), none);
        let mut sets = |i: usize| [2 * i as u32, 2 * i as u32 + 1].map(|side| sides.root(side));
        let part = |[front, back]: [u32; 2]| front.min(back) as usize;
        for (i, view) in views.iter().enumerate() {
            let least = &mut nearest[part(sets(i))].distance;
            *least = least.min(view.distance);
        }
        for (i, view) in views.iter().enumerate() {
            let nearest = &mut nearest[part(sets(i))];
            if view.distance <= nearest.distance + slack {
                nearest.enlarged = nearest.enlarged.min(view.enlarged);
            }
        }
        let order = |a: &View<V>, b: &View<V>| {
            let by_height = a.height.total_cmp(&b.height);
            by_height.then_with(|| lexicographic(a.front, b.front))
        };
        for (i, view) in views.iter().enumerate() {
            let nearest = &mut nearest[part(sets(i))];
            let is_nearest = view.distance <= nearest.distance + slack
                && view.enlarged <= nearest.enlarged + slack;
            let before = nearest.facet.map(|before| &views[before]);
            if is_nearest && before.is_none_or(|before| order(before, view).is_lt()) {
                nearest.facet = Some(i);
            }
        }
        for i in 0..views.len() {
            let [front, back] = sets(i);
            let best = nearest[part([front, back])].facet.unwrap_or(i);
            let side = sets(best)[usize::from(!views[best].is_front)];
            let is_front = if front == back {
                views[i].is_front
            } else {
                side == front
            };
            visit(i, if is_front { 1.0 } else { -1.0 });
        }
    }
}
