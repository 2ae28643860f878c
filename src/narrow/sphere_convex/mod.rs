//! The signed distance between a sphere and a convex body.

mod plane;
mod space;

use self::space::Part;
use super::{Contact, NarrowPhase};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_length, direction};
use crate::shape::{Bounded, ConvexPolygon, ConvexPolyhedron, Feature, Placed, Sphere};
use std::borrow::Borrow;

/// Contact between a sphere and a convex polyhedron, in 2D between a disc and a convex polygon.
///
/// There is one contact. If the center is outside at the distance d, the contact is at the nearest point of the body,
/// and the overlap is R - d. If the center is inside, the contact is at the nearest face, and the overlap is R + d: the
/// sphere is pushed out there. The overlap changes continuously, and so does the normal, except where a center inside
/// has several nearest faces. There the face is chosen whose outward normal comes first in lexicographic order, in the
/// coordinates of the shape.
///
/// The normal points from the sphere into the body: along `-n` of a face with the outward normal n. The order
/// of the faces has no influence. The [`State`](SphereConvexState) saves time and changes no bit of the
/// result.
///
/// Forces along this normal conserve energy, except where the nearest face of a center inside changes. For closed
/// nonconvex meshes take a
/// [`DoubleHierarchy`](crate::DoubleHierarchy) with [`WallSides::Front`](super::WallSides::Front).
///
/// Cost: about 45 ns for a sphere that stays on a face, an edge or a vertex. Otherwise O(n) for n faces, 70 ns
/// for a cube and 170 ns for 50 vertices. No allocation.
///
/// ```
/// use osculate::{ConvexPolyhedron, Feature, NarrowPhase, Placed, Pose3, Sphere, glam::DVec3};
/// use osculate::narrow::SphereConvex;
///
/// let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| DVec3::from([0, 1, 2].map(|k| (i >> k & 1) as f64)));
/// let cube = ConvexPolyhedron::from_convex_hull(&corners)?;
/// let cube = Placed::new(&cube, Pose3::IDENTITY);
/// let mut kernel = SphereConvex::new();
/// // Above the top, and inside below it.
/// for (z, overlap) in [(1.25, 0.25), (0.75, 0.75)] {
///     let ball = Sphere::new(DVec3::new(0.5, 0.5, z), 0.5);
///     let contact = kernel.contact(&ball, &cube).unwrap();
///     assert_eq!((contact.overlap, contact.normal), (overlap, -DVec3::Z));
///     assert_eq!(contact.point, DVec3::new(0.5, 0.5, 1.0));
///     assert!(matches!(contact.feature, Feature::Facet(_)));
/// }
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SphereConvex {
    margin: f64,
}

/// A contact between a sphere and a convex body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SphereConvexContact<V = glam::DVec3> {
    /// The point of the body's surface nearest to the center.
    pub point: V,
    /// The unit vector from the sphere into the body.
    pub normal: V,
    /// The penetration depth; minus the gap if negative.
    pub overlap: f64,
    /// The part of the body's surface that contains the point. In 2D a facet is a side, named by its first corner.
    pub feature: Feature,
}

impl<V> From<SphereConvexContact<V>> for Contact<V> {
    fn from(contact: SphereConvexContact<V>) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}

/// The state of a pair in [`SphereConvex`]: the face, edge or vertex that was nearest.
///
/// Keep one for each pair. The state of another pair only costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SphereConvexState {
    part: Option<Part>,
}

/// The point of a surface nearest to a center.
struct Nearest<V> {
    /// From the center.
    offset: V,
    /// Outwards.
    normal: V,
    /// The distance of the center, negative inside.
    distance: f64,
    feature: Feature,
}

impl SphereConvex {
    /// Creates a kernel that reports contacts with a positive overlap.
    pub const fn new() -> Self {
        Self { margin: 0.0 }
    }

    /// Also reports gaps smaller than `margin`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if `margin` is negative, NaN or out of range.
    pub fn with_margin(self, margin: f64) -> Result<Self> {
        check_length("margin", margin)?;
        Ok(Self { margin })
    }

    /// Returns the contact of a sphere in the world, from the nearest point in the coordinates of the body.
    #[inline]
    fn contact_at<S, V: Vector>(
        &self,
        sphere: &Sphere<V>,
        body: &Placed<S, V>,
        nearest: &Nearest<V>,
    ) -> Option<SphereConvexContact<V>> {
        let overlap = sphere.radius - nearest.distance;
        (overlap > -self.margin).then(|| {
            let outward = body.pose.transform_vector(nearest.normal);
            SphereConvexContact {
                point: sphere.center + body.pose.transform_vector(nearest.offset),
                normal: V::ZERO - direction(outward, outward.length()).unwrap_or(outward),
                overlap,
                feature: nearest.feature,
            }
        })
    }
}

impl<S: Borrow<ConvexPolyhedron>> NarrowPhase<Sphere, Placed<S>> for SphereConvex {
    type Contact = SphereConvexContact;
    type State = SphereConvexState;

    /// Visits the contact. A sphere outside the domain has none.
    #[inline]
    fn for_each_contact(
        &mut self,
        sphere: &Sphere,
        body: &Placed<S>,
        state: &mut SphereConvexState,
        visit: impl FnMut(SphereConvexContact),
    ) {
        if sphere.validate(0).is_err() {
            return;
        }
        let boundary = body.shape.borrow().boundary();
        let center = body.pose.inverse_transform_point(sphere.center) - boundary.center;
        let reach = sphere.radius + self.margin;
        if let Some((nearest, part)) = space::nearest(boundary, center, reach, state.part) {
            state.part = Some(part);
            let contact = self.contact_at(sphere, body, &nearest);
            contact.into_iter().for_each(visit);
        }
    }
}

impl<S: Borrow<ConvexPolygon>> NarrowPhase<Sphere<glam::DVec2>, Placed<S, glam::DVec2>>
    for SphereConvex
{
    type Contact = SphereConvexContact<glam::DVec2>;
    type State = ();

    /// Visits the contact. A disc outside the domain has none.
    fn for_each_contact(
        &mut self,
        disc: &Sphere<glam::DVec2>,
        body: &Placed<S, glam::DVec2>,
        (): &mut (),
        visit: impl FnMut(SphereConvexContact<glam::DVec2>),
    ) {
        let polygon = body.shape.borrow();
        let center = body.pose.inverse_transform_point(disc.center);
        let reach = disc.radius + self.margin;
        let bounds = polygon.bounding_sphere();
        let farthest = (reach + bounds.radius) * (1.0 + 1e-9);
        // Also false for NaN.
        let is_near = (center - bounds.center).length_squared() <= farthest * farthest;
        if is_near && disc.validate(0).is_ok() {
            let nearest = plane::nearest(polygon.vertices(), center);
            let contact = nearest.and_then(|nearest| self.contact_at(disc, body, &nearest));
            contact.into_iter().for_each(visit);
        }
    }
}
