//! Which contact points are one.

use super::contact::Seen;
use super::mesh::WallIndex;
use super::minima::{Place, Vicinity};
use crate::math::Vector;
use crate::shape::UnionFind;

/// Says which of several contact points are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeated {
    /// Positions along a line, and of which point.
    along: Vec<(f64, usize)>,
    ranks: Vec<usize>,
    same: Vec<usize>,
    are: Vec<bool>,
}

impl Repeated {
    /// Says for each of some points, in ascending order of distance, whether another stands for it:
    /// one closer to it than the slacks of both. That is the closer one, unless it is much less
    /// certain and closer by no more than `precision`. O(n log n), unless many lie in a thin plane
    /// askew to all axes.
    pub(super) fn mark<V: Vector>(&mut self, places: &[Place<V>], precision: f64) -> &[bool] {
        let Self {
            along,
            ranks,
            same,
            are,
        } = self;
        are.clear();
        are.resize(places.len(), false);
        let is_same = |i: usize, j: usize| {
            let slack = places[i].slack + places[j].slack;
            (places[i].offset - places[j].offset).length_squared() <= slack * slack
        };
        const FEW: usize = 8;
        if places.len() <= FEW && !(1..places.len()).any(|i| (0..i).any(|j| is_same(i, j))) {
            return are;
        }
        // Shorter than a unit vector: along it, points are closer together by more than rounding.
        let line = V::from_fn(|axis| [0.31, 0.47, 0.79][axis]);
        along.clear();
        along.extend(places.iter().map(|place| place.offset.dot(line)).zip(0..));
        along.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ranks.resize(places.len(), 0);
        for (rank, &(_, i)) in along.iter().enumerate() {
            ranks[i] = rank;
        }
        let widest = places
            .iter()
            .fold(0.0, |widest: f64, p| widest.max(p.slack));
        for (i, place) in places.iter().enumerate() {
            let (rank, reach) = (ranks[i], place.slack + widest);
            let is_near = |&&(there, _): &&(f64, usize)| (there - along[rank].0).abs() <= reach;
            let below = along[..rank].iter().rev().take_while(is_near);
            let above = along[rank + 1..].iter().take_while(is_near);
            let is_closer = |&j: &usize| j < i && !are[j] && is_same(i, j);
            same.clear();
            same.extend(below.chain(above).map(|&(_, j)| j).filter(is_closer));
            let is_better = |j: usize| {
                place.slack < 0.5 * places[j].slack
                    && place.distance <= places[j].distance + 4.0 * precision
            };
            are[i] = same.iter().any(|&j| !is_better(j));
            if !are[i] {
                same.iter().for_each(|&j| are[j] = true);
            }
        }
        are
    }
}

/// Contacts that are one because of noise: those on one facet, since the distance from a center has
/// one minimum on a convex set.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups<V> {
    /// Facets with their views, and the contacts that lie on them.
    on: Vec<((u32, u32), u32)>,
    groups: UnionFind,
    points: Vec<V>,
    facets: Vec<(u32, u32)>,
}

impl<V: Vector> Groups<V> {
    /// Leaves the first contact of each group; contacts are in ascending order of distance.
    pub(super) fn leave_closest<I: WallIndex<Vector = V>>(
        &mut self,
        vicinity: &Vicinity<'_, I>,
        contacts: &mut Vec<Seen<V>>,
    ) {
        let Self {
            on,
            groups,
            points,
            facets,
        } = self;
        on.clear();
        for (i, contact) in (0..).zip(contacts.iter()) {
            vicinity.facets_from(contact, points, facets);
            on.extend(facets.iter().map(|&facet| (facet, i)));
        }
        on.sort_unstable();
        groups.reset(contacts.len());
        for pair in on.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            groups.join(pair[0].1, pair[1].1);
        }
        let mut index = 0..;
        contacts.retain(|_| index.next().is_some_and(|i| groups.root(i) == i));
    }
}
