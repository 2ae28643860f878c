//! Which of the minima that facets have found are minima of the whole surface, each once.

use std::cmp::Ordering;

use super::Surface;
use super::surface::{Ball, Found, Minimum};
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
/// `near` are the facets within reach of a view; a tree of all facets saves asking each of many.
pub(super) fn is_passed_by<S: Surface>(
    mesh: &S,
    tree: Option<&BoxTree<S::Vector>>,
    ball: Ball<S::Vector>,
    minimum: &Minimum<S::Vector>,
    near: &[u32],
    is_own_view: bool,
) -> bool {
    let Ball { center, reach } = ball;
    let same = SAME_POINT * reach;
    let point = center + minimum.offset;
    let passes = |facet: u32| {
        // Beyond a sharp corner a point may be close to all sides, but not to the facet.
        let is_on = mesh.holds(facet, center, minimum.offset, same)
            && mesh.facet_box(facet as usize).distance_squared(point) <= 4.0 * same * same;
        if !is_on || is_own_view && mesh.has(facet, minimum.feature) {
            return false;
        }
        let (closest, feature) = mesh.closest(facet, center);
        let is_elsewhere = (closest.offset - minimum.offset).length_squared() > same * same;
        let is_closer = closest.distance_squared < minimum.distance_squared;
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

/// The point of the facets found that is closest to the centre.
#[cold]
pub(super) fn nearest<S: Surface>(
    mesh: &S,
    found: &Found<S::Vector>,
) -> Option<Minimum<S::Vector>> {
    let nearest = found.near().map(|(facet, view, center)| {
        let (closest, feature) = mesh.closest(facet, center);
        Minimum {
            feature,
            facet,
            offset: closest.offset,
            distance_squared: closest.distance_squared,
            view,
        }
    });
    nearest.min_by(order)
}

/// Says for each of some minima, which are in [`order`], whether an earlier one is at the same
/// point. O(n log n), unless many lie in a thin plane that is askew to all axes.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeated {
    /// Positions along a line, and of which minimum.
    along: Vec<(f64, usize)>,
    are: Vec<bool>,
}

impl Repeated {
    pub(super) fn mark<V: Vector>(&mut self, minima: &[Minimum<V>], reach: f64) -> &[bool] {
        let same = SAME_POINT * reach;
        let are_same = |i: usize, j: usize| {
            (minima[i].offset - minima[j].offset).length_squared() <= same * same
        };
        self.are.clear();
        if minima.len() == 1 {
            self.are.push(false);
            return &self.are;
        }
        if minima.len() <= MANY {
            let is_repeated = |i: usize| (0..i).rev().any(|j| are_same(i, j));
            self.are.extend((0..minima.len()).map(is_repeated));
            return &self.are;
        }
        // Shorter than a unit vector: along it, points are closer together by more than rounding.
        let line = V::from_fn(|axis| [0.31, 0.47, 0.79][axis]);
        self.along.clear();
        let positions = minima.iter().map(|m| m.offset.dot(line)).zip(0..);
        self.along.extend(positions);
        (self.along).sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.are.resize(minima.len(), false);
        for (at, &(here, i)) in self.along.iter().enumerate() {
            let is_near = |&&(there, _): &&(f64, usize)| (there - here).abs() <= same;
            let before = self.along[..at].iter().rev().take_while(is_near);
            let after = self.along[at + 1..].iter().take_while(is_near);
            self.are[i] = before.chain(after).any(|&(_, j)| j < i && are_same(i, j));
        }
        &self.are
    }
}
