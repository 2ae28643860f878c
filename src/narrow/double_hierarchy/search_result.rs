//! The minima and facets that a search finds around a center.

use crate::math::Vector;
use crate::math::tolerance::ON_EDGE;
use crate::shape::Feature;

/// A center, and the radius plus the margin of the sphere around it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ball<V> {
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

/// Minima found around a center.
#[derive(Clone, Debug, Default)]
pub struct Found<V> {
    pub(super) minima: Vec<Minimum<V>>,
    /// Whether an edge or vertex was within reach but had a closer neighbor. Then the sphere touches the wall even if
    /// `minima` is empty.
    pub(super) has_rejected: bool,
}

impl<V: Vector> Found<V> {
    pub(super) fn clear(&mut self) {
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
