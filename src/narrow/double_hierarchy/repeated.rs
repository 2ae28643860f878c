//! Contact points that coincide to within noise.

use super::contact::Seen;
use super::mesh::WallIndex;
use super::minima::{Place, Vicinity};
use super::search_result::sorting_line;
use crate::math::Vector;
use crate::shape::UnionFind;

/// Finds contact points that coincide.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeated {
    /// Positions along a line, each with the index of its point.
    along: Vec<(f64, usize)>,
    ranks: Vec<usize>,
    same: Vec<usize>,
    are: Vec<bool>,
}

impl Repeated {
    /// Marks the points that repeat another one; places are in ascending order of distance.
    ///
    /// Two points coincide if they are closer than the slacks of both. The point nearer to the center is kept, unless
    /// it is much less certain and nearer by no more than `precision`. Cost: O(n log n), more if many points lie near
    /// one plane across the sorting line.
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
        let line = sorting_line::<V>();
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

/// Groups the contacts on one facet, which only noise separates: the distance from a center has a single minimum on a
/// convex set.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups<V> {
    /// Facets with their views, each with a contact that lies on it.
    on: Vec<((u32, u32), u32)>,
    groups: UnionFind,
    points: Vec<V>,
    facets: Vec<(u32, u32)>,
}

impl<V: Vector> Groups<V> {
    /// Keeps the first contact of each group; contacts are in ascending order of distance.
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    /// Of two points that are one, the nearer one stays, unless it is more than twice as uncertain and nearer by
    /// noise alone.
    #[test]
    fn the_certain_point_stays() {
        let precision = 1.0 / 1024.0;
        let place = |distance: f64, slack: f64| Place {
            offset: DVec2::X * distance,
            distance,
            angle: 0.0,
            slack,
        };
        for (behind, slack, is_better) in [
            (3.0, 0.0625, true),
            (4.0, 0.0625, true),
            (5.0, 0.0625, false),
            (3.0, 0.125, false),
            (3.0, 0.25, false),
            (0.0, 0.25, false),
        ] {
            let nearer = place(1.0, 0.25);
            let places = [nearer, place(1.0 + behind * precision, slack)];
            let marked = Repeated::default().mark(&places, precision).to_vec();
            assert_eq!(marked, [is_better, !is_better], "{behind} {slack}");
        }
    }
}
