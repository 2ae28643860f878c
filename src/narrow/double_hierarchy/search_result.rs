//! The minima and facets that a search finds around a center.

use super::surface_index::Place;
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
    /// The slot of a facet, the number of a vertex, or for an edge a facet and the number of its side.
    pub(super) at: Place,
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
    /// A buffer for the candidates of a search.
    pub(super) candidates: Vec<u32>,
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

/// Returns a bound of the rounding error of a distance from a plane or along a line, for a facet of
/// this size within reach. A point closer than this to an edge or a vertex counts as on it.
#[inline]
pub(super) fn rounding(size: f64, reach: f64) -> f64 {
    ON_EDGE * (size + reach)
}

/// Returns whether the point of a segment closest to the center is its end `from`.
#[inline]
pub(super) fn ends_at<V: Vector>(from: V, to: V, length: f64, ball: Ball<V>) -> bool {
    let along = (ball.center - from).dot(to - from);
    along <= rounding(length, ball.reach) * length
}
