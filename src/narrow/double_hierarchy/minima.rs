//! Which of the minima that facets have found are minima of the whole surface, each once.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::Surface;
use super::surface::{Ball, Minimum};
use crate::math::Vector;
use crate::shape::{BoxTree, Feature};

/// Contact points closer to each other than this part of the sphere's reach are one, and an edge
/// or a vertex this close to a facet that it does not belong to lies on it: vertices of parts that
/// are to touch may be rounded, by that much 2^28 reaches from the origin.
pub(super) const SAME_POINT: f64 = f64::from_bits((1023 - 24) << 52);

/// From here on a tree, or sorting, is faster than looking at all.
const MANY: usize = 64;

/// By distance, then by position, then by name: the order of the facets has no part in it.
pub(super) fn order<V: Vector>(a: &Minimum<V>, b: &Minimum<V>) -> Ordering {
    let by = |axis: usize| a.offset[axis].total_cmp(&b.offset[axis]);
    let by_position = || (0..V::DIM).map(by).find(|order| order.is_ne());
    (a.distance_squared.total_cmp(&b.distance_squared))
        .then_with(|| by_position().unwrap_or(Ordering::Equal))
        .then_with(|| (a.feature, a.facet).cmp(&(b.feature, b.facet)))
}

/// Whether an edge or vertex lies on a facet that is none of its own, and comes closer elsewhere.
/// `near` are the facets within reach; a tree of all facets saves asking each of many.
pub(super) fn is_passed_by<S: Surface>(
    mesh: &S,
    tree: Option<&BoxTree<S::Vector>>,
    ball: Ball<S::Vector>,
    minimum: &Minimum<S::Vector>,
    near: &[u32],
) -> bool {
    if matches!(minimum.feature, Feature::Facet(_)) {
        return false;
    }
    let Ball { center, reach } = ball;
    let noise = 4.0 * mesh.precision();
    let same = (SAME_POINT * reach).max(noise);
    let limit = (minimum.distance_squared.sqrt() + noise).powi(2);
    let point = center + minimum.offset;
    let passes = |facet: u32| {
        // Beyond a sharp corner a point may be close to all sides, but not to the facet.
        let is_on = mesh.holds(facet, center, minimum.offset, same)
            && mesh.facet_box(facet as usize).distance_squared(point) <= 4.0 * same * same;
        if !is_on || mesh.has(facet, minimum.feature) {
            return false;
        }
        let (closest, feature) = mesh.closest(facet, center);
        let is_elsewhere = (closest.offset - minimum.offset).length_squared() > same * same;
        let is_closer = closest.distance_squared < limit;
        closest.distance_squared < reach * reach
            && is_elsewhere
            && (is_closer || matches!(feature, Feature::Facet(_)))
    };
    match tree {
        Some(tree) if near.len() > MANY => {
            let mut is_passed = false;
            tree.for_each_within(2.0 * same, point, |facet| {
                is_passed = is_passed || passes(facet);
            });
            is_passed
        }
        _ => near.iter().any(|&facet| passes(facet)),
    }
}

/// The point of some facets closest to a centre.
#[cold]
pub(super) fn nearest<S: Surface>(
    mesh: &S,
    center: S::Vector,
    near: &[u32],
) -> Option<Minimum<S::Vector>> {
    let nearest = near.iter().map(|&facet| {
        let (closest, feature) = mesh.closest(facet, center);
        Minimum {
            feature,
            facet,
            offset: closest.offset,
            distance_squared: closest.distance_squared,
        }
    });
    nearest.min_by(order)
}

/// A contact point, and how far it may be off because of the precision of the wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<V> {
    /// From the center.
    pub(super) offset: V,
    pub(super) distance: f64,
    pub(super) slack: f64,
}

impl<V: Vector> Place<V> {
    /// Of a feature of a wall. A projection onto a facet is off by as much as its normal times the
    /// distance; one onto an edge or vertex by as much as those onto the facets there.
    pub(super) fn new<S: Surface<Vector = V>>(
        mesh: &S,
        feature: Feature,
        offset: V,
        reach: f64,
    ) -> Self {
        let distance = offset.length();
        let mut angle = 0.0_f64;
        mesh.for_each_facet_at(feature, |facet| angle = angle.max(mesh.normal_error(facet)));
        Self {
            offset,
            distance,
            slack: 0.5 * SAME_POINT * reach + 2.0 * mesh.precision() + angle * distance,
        }
    }
}

/// Says which of several contact points are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeated {
    /// Positions along a line, and of which point.
    along: Vec<(f64, usize)>,
    ranks: Vec<usize>,
    are: Vec<bool>,
}

impl Repeated {
    /// Says for each of some points, in ascending order of distance, whether another stands for it:
    /// one closer to it than the slacks of both. That is the closer one, unless it is much less
    /// certain and closer by no more than `precision`. O(n log n), unless many lie in a thin plane
    /// askew to all axes.
    pub(super) fn mark<V: Vector>(&mut self, places: &[Place<V>], precision: f64) -> &[bool] {
        let Self { along, ranks, are } = self;
        are.clear();
        are.resize(places.len(), false);
        if places.len() < 2 {
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
            let same = below.chain(above).map(|&(_, j)| j).filter(|&j| {
                let slack = place.slack + places[j].slack;
                j < i && (place.offset - places[j].offset).length_squared() <= slack * slack
            });
            let is_better = |j: usize| {
                place.slack < 0.5 * places[j].slack
                    && place.distance <= places[j].distance + 4.0 * precision
            };
            let same: SmallVec<[usize; 8]> = same.filter(|&j| !are[j]).collect();
            are[i] = same.iter().any(|&j| !is_better(j));
            if !are[i] {
                same.iter().for_each(|&j| are[j] = true);
            }
        }
        are
    }
}
