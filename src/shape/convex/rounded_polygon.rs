use std::sync::Arc;

use glam::DVec2;

use super::ConvexPolygon;
use super::core::{Cored, FlatCore};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{check_length, check_positions, check_side};
use crate::shape::{Aabb, Bounded, Capsule, Sphere};

/// A disc, a stadium or a rounded polygon: all points of the plane within a radius of a core.
///
/// The 2D counterpart of [`Rounded`](crate::Rounded). The core is a point, a segment or a convex polygon.
///
/// ```
/// use osculate::shape::RoundedPolygon;
/// use osculate::{CommonPlane, NarrowPhase, Placed, Pose2, glam::DVec2};
///
/// let rod = RoundedPolygon::stadium([DVec2::ZERO, DVec2::X * 4.0], 0.5)?;
/// let disc = RoundedPolygon::disc(1.0)?;
/// let rod = Placed::new(&rod, Pose2::IDENTITY);
/// let disc = Placed::new(&disc, Pose2::from_translation(DVec2::new(2.0, 1.25))?);
/// let contact = CommonPlane::new().contact(&rod, &disc).unwrap();
/// assert_eq!((contact.overlap, contact.normal), (0.25, DVec2::Y));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "(Vec<DVec2>, f64)", into = "(Vec<DVec2>, f64)")
)]
pub struct RoundedPolygon {
    pub(in crate::shape) core: Arc<ConvexPolygon>,
    radius: f64,
}

impl RoundedPolygon {
    /// Creates a disc around the origin.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn disc(radius: f64) -> Result<Self> {
        Self::stadium([DVec2::ZERO; 2], radius)
    }

    /// Creates a stadium, all points within `radius` of a segment. A segment whose ends are equal makes a disc.
    ///
    /// # Errors
    /// Returns, in this order:
    /// - [`ErrorKind::Coordinate`] for the first end out of range;
    /// - [`ErrorKind::Facet`] if the ends are not equal, but closer than 2^-150;
    /// - [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn stadium(ends: [DVec2; 2], radius: f64) -> Result<Self> {
        check_positions("end", &ends)?;
        check_side(0, 0, ends)?;
        let count = if ends[0] == ends[1] { 1 } else { 2 };
        Self::polygon(ConvexPolygon::bare(ends[..count].to_vec()), radius)
    }

    /// Creates a rounded polygon, all points within `radius` of a convex polygon.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `radius` is negative, NaN or out of range.
    pub fn polygon(core: impl Into<Arc<ConvexPolygon>>, radius: f64) -> Result<Self> {
        check_length("radius", radius)?;
        let core = core.into();
        Ok(Self { core, radius })
    }

    /// Returns the radius: the distance of the boundary from the core.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the vertices of the core: the center of a disc, the ends of a stadium's axis, or the corners of a polygon,
    /// counter-clockwise.
    pub fn core_vertices(&self) -> &[DVec2] {
        self.core.vertices()
    }
}

impl Cored for RoundedPolygon {
    type Space = DVec2;

    #[inline]
    fn core(&self) -> FlatCore<'_> {
        self.core.core()
    }
    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }
}

impl Bounded for RoundedPolygon {
    type Vector = DVec2;

    fn bounding_sphere(&self) -> Sphere<DVec2> {
        self.core.bounding_sphere().inflated(self.radius)
    }
    fn bounding_box(&self) -> Aabb<DVec2> {
        Aabb::around_balls(self.core_vertices(), self.radius)
    }
    fn bounding_capsule(&self) -> Option<Capsule<DVec2>> {
        let ends = self.core_vertices().try_into().ok()?;
        Capsule::new(ends, self.radius).if_long()
    }
}

impl TryFrom<(Vec<DVec2>, f64)> for RoundedPolygon {
    type Error = crate::Error;

    /// Creates the body from the vertices of its core and the radius: a disc from one vertex, a stadium from two.
    fn try_from((vertices, radius): (Vec<DVec2>, f64)) -> Result<Self> {
        match vertices[..] {
            [center] => Self::stadium([center; 2], radius),
            [from, to] => Self::stadium([from, to], radius),
            _ => Self::polygon(ConvexPolygon::new(vertices)?, radius),
        }
    }
}

impl From<RoundedPolygon> for (Vec<DVec2>, f64) {
    fn from(body: RoundedPolygon) -> Self {
        (body.core.vertices().to_vec(), body.radius)
    }
}
