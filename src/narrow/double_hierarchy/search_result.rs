//! The minima and facets that a search finds around a center.

use super::surface_index::Place;
use crate::math::Vector;
use crate::math::tolerance::ON_EDGE;
use crate::shape::Feature;

/// A center, and the radius plus the margin of the sphere around it.
#[derive(Clone, Copy, Debug)]
pub struct Ball<V> {
    pub(super) center: V,
    pub(super) reach: f64,
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
    /// The index in [`Found::views`] of the view that it was found in.
    pub(super) view: u32,
}

/// Minima and facets found around a center.
#[derive(Clone, Debug, Default)]
pub struct Found<V> {
    pub(super) minima: Vec<Minimum<V>>,
    /// The slots of the facets that may be within reach, view by view.
    pub(super) near: Vec<u32>,
    /// A buffer for the candidates of a search.
    pub(super) candidates: Vec<u32>,
    /// The images of the center that were searched; a single one without a periodic box.
    pub(super) views: Vec<View<V>>,
    /// Whether an edge or vertex was within reach but had a closer neighbor. Then the sphere touches the wall even if
    /// `minima` is empty.
    pub(super) has_rejected: bool,
}

/// An image of a center, and the end of its facets.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<V> {
    pub(super) center: V,
    end: usize,
    minima_end: usize,
}

impl<V: Vector> Found<V> {
    pub(super) fn clear(&mut self) {
        self.minima.clear();
        self.near.clear();
        self.views.clear();
        self.has_rejected = false;
    }

    /// Returns whether no point is within reach.
    pub(super) fn is_empty(&self) -> bool {
        self.minima.is_empty() && !self.has_rejected
    }

    /// Adds a minimum to the view being searched.
    #[inline]
    pub(super) fn push(&mut self, part: Part, facet: u32, offset: V, distance_squared: f64) {
        self.minima.push(Minimum {
            part,
            facet,
            offset,
            distance_squared,
            view: 0,
        });
    }

    /// Ends the search around an image of the center, and assigns its minima to it.
    #[inline]
    pub(super) fn end_view(&mut self, center: V) {
        // Minima are made with view 0.
        if let Some(last) = self.views.last() {
            let view = self.views.len() as u32;
            (self.minima[last.minima_end..].iter_mut()).for_each(|minimum| minimum.view = view);
        }
        self.views.push(View {
            center,
            end: self.near.len(),
            minima_end: self.minima.len(),
        });
    }
}

/// Returns the image of the center in a view, and the facets near it.
#[inline]
pub(super) fn view_of<'a, V: Copy>(
    views: &[View<V>],
    near: &'a [u32],
    view: usize,
) -> (V, &'a [u32]) {
    let View { center, end, .. } = views[view];
    let start = view.checked_sub(1).map_or(0, |before| views[before].end);
    (center, &near[start..end])
}

/// Returns a line along which points are sorted to find those close together. It is oblique to all
/// axes. It is 3 % shorter than a unit vector, so projections are closer together than points despite
/// rounding.
pub(super) fn sorting_line<V: Vector>() -> V {
    V::from_fn(|axis| [0.31, 0.47, 0.79][axis])
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
