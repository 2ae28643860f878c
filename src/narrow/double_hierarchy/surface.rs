//! What the kernel asks of a wall, in the plane or in space.

use crate::error::Result;
use crate::math::tolerance::ON_EDGE;
use crate::math::{ClosestPoint, Vector};
use crate::shape::{Aabb, Feature};

/// A wall of facets: a [`SurfaceMesh`](crate::SurfaceMesh) in space, a
/// [`SegmentMesh`](crate::shape::SegmentMesh) in the plane. Sealed.
pub trait Surface: Search {
    /// How many facets there are.
    fn facet_count(&self) -> usize;

    /// The unit normal on the front of a facet; 0 without extent, and for a facet that there is
    /// not.
    fn normal(&self, facet: u32) -> Self::Vector;

    /// Visits each facet that has a feature, in ascending order. Vertices at the same position are
    /// one.
    fn for_each_facet_at(&self, feature: Feature, visit: impl FnMut(u32));

    /// Visits the vertices that carry a point of a facet, with their weights, which add up to 1:
    /// the point, or a velocity there, is the weighted mean.
    fn for_each_nodal_weight(&self, facet: u32, point: Self::Vector, visit: impl FnMut(u32, f64));

    /// Moves the vertices.
    ///
    /// # Errors
    /// As for the method of the same name of the mesh.
    fn set_vertices(&mut self, vertices: &[Self::Vector]) -> Result<()>;
}

/// What the search for minima needs; not for use outside.
pub trait Search {
    /// `DVec3` or `DVec2`.
    type Vector: Vector;

    fn facet_box(&self, facet: usize) -> Aabb<Self::Vector>;

    /// Adds the minima that a facet has, or is the first to have, to those found.
    fn search(&self, facet: u32, ball: Ball<Self::Vector>, found: &mut Found<Self::Vector>);

    /// The closest point of a facet to `from`, and what it is on.
    fn closest(&self, facet: u32, from: Self::Vector) -> (ClosestPoint<Self::Vector>, Feature);

    /// Whether a point given from the centre is on a facet, or closer to it than `same`.
    fn holds(&self, facet: u32, center: Self::Vector, offset: Self::Vector, same: f64) -> bool;

    /// Visits the names of a facet's corners.
    fn for_each_corner(&self, facet: u32, visit: impl FnMut(u32));

    /// Whether a facet has an edge or a vertex by its name; no facet has a facet.
    fn has(&self, facet: u32, feature: Feature) -> bool;

    /// The position of a vertex.
    fn position(&self, vertex: u32) -> Self::Vector;

    /// How far vertices may be off the surface that was meant.
    fn precision(&self) -> f64;

    /// The angle by which the normal and the sides of a facet may be off because of that.
    fn normal_error(&self, facet: u32) -> f64;

    /// The positions of all vertices.
    fn positions(&self) -> &[Self::Vector];

    /// Whether a line crosses a facet, by exact signs; if so, whether it starts in front. Its end
    /// may be on the facet, its start not.
    fn crossed(&self, facet: u32, from: Self::Vector, to: Self::Vector) -> Option<bool>;

    /// Where a point goes that moves along with a facet, whose vertices were elsewhere before.
    fn carried(&self, facet: u32, point: Self::Vector, before: &[Self::Vector]) -> Self::Vector;
}

/// A centre and how far to look around it: radius and margin.
#[derive(Clone, Copy, Debug)]
pub struct Ball<V> {
    pub(super) center: V,
    pub(super) reach: f64,
}

/// A local minimum of the distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum<V> {
    pub(super) feature: Feature,
    pub(super) facet: u32,
    /// From the centre.
    pub(super) offset: V,
    pub(super) distance_squared: f64,
    /// Which of [`Found::views`] has found it.
    pub(super) view: u32,
}

/// What has been found around a centre.
#[derive(Clone, Debug, Default)]
pub struct Found<V> {
    pub(super) minima: Vec<Minimum<V>>,
    /// The facets that may be within reach, view by view.
    pub(super) near: Vec<u32>,
    /// The images of the center that facets were searched around, one if nothing is periodic.
    pub(super) views: Vec<View<V>>,
    /// Whether a point within reach was found to be no minimum.
    pub(super) is_touched: bool,
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
        self.is_touched = false;
    }

    /// Ends the search around an image of the center.
    #[inline]
    pub(super) fn end_view(&mut self, center: V) {
        // In the first view they are right.
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

    /// Each facet with the number of the view that it is near, and the image of the center there.
    pub(super) fn near(&self) -> impl Iterator<Item = (u32, u32, V)> {
        (0..self.views.len()).flat_map(|view| {
            let (center, near) = view_of(&self.views, &self.near, view);
            near.iter().map(move |&facet| (facet, view as u32, center))
        })
    }

    /// From a center to its image in a view.
    pub(super) fn shift(&self, center: V, view: u32) -> V {
        let view = self.views.get(view as usize);
        view.map_or(V::ZERO, |view| view.center - center)
    }
}

/// The image of the center in a view, and the facets near it.
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

/// What rounding may amount to in a distance from a plane or along a line, for something of this
/// size within reach: differences, unit vectors and products are off by less than sixteen
/// roundings each, at twice the sum of both.
///
/// What is closer to an edge or a vertex than this is on it.
#[inline]
pub(super) fn rounding(size: f64, reach: f64) -> f64 {
    ON_EDGE * (size + reach)
}

/// Whether the point of a segment closest to a centre is its end `from`.
#[inline]
pub(super) fn ends_at<V: Vector>(from: V, to: V, length: f64, ball: Ball<V>) -> bool {
    let along = (ball.center - from).dot(to - from);
    along <= rounding(length, ball.reach) * length
}
