//! Contact manifolds and sections of two polyhedra along a common plane.

use std::borrow::Borrow;

use glam::DVec3;

use super::CommonPlane;
use super::contact::CommonPlaneContact;
use super::contact_polygon::height_over;
use super::pair_frame::PairFrame;
use crate::math::tolerance::STRICT;
use crate::shape::{ConvexPolyhedron, Placed};

/// The most points of a [`ContactManifold`].
const MAX_POINTS: usize = 8;

/// The area in which the touching features of two bodies face each other, in the world frame.
///
/// [`CommonPlane::manifold`] computes it for a contact. Points, area and centroid lie in the plane of the
/// contact, half way between the bodies.
///
/// ```
/// use osculate::glam::DVec3;
/// use osculate::{CommonPlane, ConvexPolyhedron, NarrowPhase, Placed, Pose3};
///
/// let corner = |i: i32| DVec3::from([i & 1, i >> 1 & 1, i >> 2].map(f64::from));
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let floor = Placed::new(&cube, Pose3::IDENTITY);
/// let shifted = Pose3::from_translation(DVec3::new(0.5, 0.0, 0.875))?;
/// let upper = Placed::new(&cube, shifted);
/// let mut kernel = CommonPlane::new();
/// let contact = kernel.contact(&floor, &upper).unwrap();
/// let manifold = kernel.manifold(&floor, &upper, &contact, 1e-3);
/// // Half of a face, at each corner with the same overlap.
/// assert_eq!((manifold.area, manifold.points().len()), (0.5, 4));
/// assert!(manifold.points().iter().all(|p| (p.overlap - 0.125).abs() < 1e-15));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ContactManifold<V = DVec3> {
    /// The unit normal of the plane, from the first body to the second.
    pub normal: V,
    /// The area; 0 for an edge or a vertex.
    pub area: f64,
    /// The centroid of the area, or the mean of the points if the area is 0.
    pub centroid: V,
    points: [ManifoldPoint<V>; MAX_POINTS],
    point_count: u8,
}

/// A point of a [`ContactManifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ManifoldPoint<V = DVec3> {
    /// A corner of the area.
    pub point: V,
    /// The overlap of the two features at this point, along the normal; negative for a gap.
    ///
    /// It is the overlap of the contact where the features are parallel, and smaller by at most twice
    /// the thickness where they are not.
    pub overlap: f64,
}

impl<V> ContactManifold<V> {
    /// Returns the corners of the area in order around it: at most 8, chosen evenly among them.
    pub fn points(&self) -> &[ManifoldPoint<V>] {
        &self.points[..MAX_POINTS.min(self.point_count.into())]
    }
}

/// The section of a plane with both bodies, in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlaneSection<V = DVec3> {
    /// The area; 0 for separated bodies.
    pub area: f64,
    /// The centroid of the area, or the point of the contact if there is none.
    pub centroid: V,
}

impl CommonPlane {
    /// Returns the contact manifold of two polyhedra for a contact of theirs.
    ///
    /// Of each body it takes the face, edge or vertex whose corners all lie within `thickness` of the
    /// support point along the normal. Both are projected onto the plane of the contact and
    /// intersected there. A thickness of 0 accepts features that are parallel to the plane to rounding;
    /// so does one that is negative or NaN.
    ///
    /// Cost: O(product of the numbers of corners of both features), without a search.
    pub fn manifold(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        b: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        contact: &CommonPlaneContact<DVec3>,
        thickness: f64,
    ) -> ContactManifold {
        let frame = frame_of(a, b);
        let normal = a.pose.inverse_transform_vector(contact.normal);
        let local = frame.motion.inverse_transform_vector(normal);
        let thickness = thickness.max(frame.size * STRICT);
        let polygon = &mut self.buffers.polygon;
        let [p, q] = polygon.set(&frame, normal, -contact.overlap, thickness);
        let to_world = |x| a.pose.transform_point(x + frame.p.center);
        let overlap_at = |x| {
            let y = frame.motion.inverse_transform_point(x);
            let overlap = height_over(frame.p, p, normal, x) - height_over(frame.q, q, local, y);
            // Also for a face along the normal, which has no height.
            overlap
                .max(contact.overlap - 2.0 * thickness)
                .min(contact.overlap)
        };
        let corners = polygon.points();
        let mut manifold = ContactManifold {
            normal: contact.normal,
            area: polygon.area(),
            centroid: to_world(polygon.centroid()),
            points: Default::default(),
            point_count: corners.len().min(MAX_POINTS) as u8,
        };
        let count = manifold.points().len();
        for (i, point) in manifold.points.iter_mut().take(count).enumerate() {
            let x = corners[i * corners.len() / count];
            *point = ManifoldPoint {
                point: to_world(x),
                overlap: overlap_at(x),
            };
        }
        manifold
    }

    /// Returns the section of a contact's plane with the intersection of two polyhedra.
    ///
    /// Cost: O(faces^2) at most.
    pub fn section(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        b: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        contact: &CommonPlaneContact<DVec3>,
    ) -> PlaneSection {
        let frame = frame_of(a, b);
        let normal = a.pose.inverse_transform_vector(contact.normal);
        let through = a.pose.inverse_transform_point(contact.point) - frame.p.center;
        let polygon = &mut self.buffers.polygon;
        polygon.set_section(&frame, normal, through);
        let centroid = if polygon.points().is_empty() {
            through
        } else {
            polygon.centroid()
        };
        PlaneSection {
            area: polygon.area(),
            centroid: a.pose.transform_point(centroid + frame.p.center),
        }
    }
}

fn frame_of<'a>(
    a: &'a Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
    b: &'a Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
) -> PairFrame<'a> {
    let [p, q] = [a.shape.borrow(), b.shape.borrow()].map(ConvexPolyhedron::boundary);
    PairFrame::new(p, q, &a.pose.inv_mul(&b.pose))
}
