//! The minima of the distance from a center: those of single facets, and which of them are minima of the surface.

use std::cmp::Ordering;

use super::index::WallIndex;
use super::mesh::WallMesh;
use crate::math::Vector;
use crate::math::tolerance::{ON_EDGE, SAME_CONTACT};
use crate::shape::Feature;

/// A center, and the radius plus the margin of the sphere around it.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::narrow) struct Ball<V> {
    pub(in crate::narrow) center: V,
    pub(in crate::narrow) reach: f64,
}

/// A feature of a wall: its name, and where the index stores it.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub(super) feature: Feature,
    /// The slot of a facet, the number of a vertex, or one of the sides along an edge.
    pub(super) at: u32,
}

impl Part {
    pub(super) fn new(feature: Feature, at: u32) -> Self {
        Self { feature, at }
    }
}

/// A local minimum of the distance to the facets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum<V> {
    pub(super) part: Part,
    /// In the mesh.
    pub(super) facet: u32,
    /// From the center.
    pub(super) offset: V,
    pub(super) distance_squared: f64,
}

/// The minima found around a center.
#[derive(Clone, Debug, Default)]
pub struct Found<V> {
    pub(super) ball: Ball<V>,
    pub(super) minima: Vec<Minimum<V>>,
    /// Whether an edge or vertex was within reach but had a closer neighbor. Then the sphere touches the wall even if
    /// `minima` is empty.
    pub(super) has_rejected: bool,
}

impl<V: Vector> Found<V> {
    /// Begins a search.
    pub(super) fn begin(&mut self, ball: Ball<V>) {
        self.ball = ball;
        self.minima.clear();
        self.has_rejected = false;
    }

    /// Returns whether no point is within reach.
    pub(super) fn is_empty(&self) -> bool {
        self.minima.is_empty() && !self.has_rejected
    }

    /// Adds a minimum.
    #[inline]
    pub(super) fn push(&mut self, part: Part, facet: u32, offset: V, distance_squared: f64) {
        self.minima.push(Minimum {
            part,
            facet,
            offset,
            distance_squared,
        });
    }
}

/// Returns whether `distance` times the length of a segment is positive by more than rounding. A point closer than this
/// to an edge or a vertex counts as on it.
///
/// `square` is the squared length, and `far` the squared size of the coordinates. They make a bound of
/// `ON_EDGE` times the sum of length and size, or up to sqrt(2) times it.
#[inline]
pub(super) fn is_beyond_rounding(product: f64, square: f64, far: f64) -> bool {
    const BOUND: f64 = 2.0 * ON_EDGE * ON_EDGE;
    product > 0.0 && product * product > BOUND * (square + far) * square
}

/// Returns whether the point of a segment closest to the center is its end `from`.
#[inline]
pub(super) fn is_at_end<V: Vector>(from: V, to: V, ball: Ball<V>) -> bool {
    let edge = to - from;
    let along = (ball.center - from).dot(edge);
    !is_beyond_rounding(along, edge.length_squared(), ball.reach * ball.reach)
}

/// Orders minima by distance, then by position, then by feature: facet order has no influence.
pub(super) fn order<V: Vector>(a: &Minimum<V>, b: &Minimum<V>) -> Ordering {
    let by = |axis: usize| a.offset[axis].total_cmp(&b.offset[axis]);
    let by_position = || (0..V::DIM).map(by).find(|order| order.is_ne());
    (a.distance_squared.total_cmp(&b.distance_squared))
        .then_with(|| by_position().unwrap_or(Ordering::Equal))
        .then_with(|| (a.part.feature, a.facet).cmp(&(b.part.feature, b.facet)))
}

/// Returns the distance below which two points are the same: the precision of the mesh, or rounding.
pub(super) fn same_point<M: WallMesh>(index: &WallIndex<M>, reach: f64) -> f64 {
    index.noise.max(SAME_CONTACT * reach)
}

/// Returns whether a minimum lies on another facet that comes closer elsewhere.
#[inline]
pub(super) fn is_passed<M: WallMesh>(
    index: &WallIndex<M>,
    minimum: &Minimum<M::Vector>,
    ball: Ball<M::Vector>,
) -> bool {
    let same = same_point(index, ball.reach);
    let point = ball.center + minimum.offset;
    let comes_closer = |slot: u32| {
        let (closest, _) = M::closest(index, slot, ball.center);
        closest.distance_squared < minimum.distance_squared
            && (closest.offset - minimum.offset).length_squared() > same * same
            && M::closest(index, slot, point).0.distance_squared <= same * same
    };
    let mut is_passed = false;
    M::for_each_host(index, minimum.part, point, |slot| {
        is_passed = is_passed || comes_closer(slot);
    });
    is_passed
}

/// Returns the point of some facets that is closest to a center.
#[cold]
pub(super) fn nearest<M: WallMesh>(
    index: &WallIndex<M>,
    slots: &[u32],
    center: M::Vector,
) -> Option<Minimum<M::Vector>> {
    let minima = slots.iter().map(|&slot| {
        let (closest, part) = M::closest(index, slot, center);
        Minimum {
            part,
            facet: index.id(slot),
            offset: closest.offset,
            distance_squared: closest.distance_squared,
        }
    });
    minima.min_by(order)
}
