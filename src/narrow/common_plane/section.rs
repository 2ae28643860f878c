//! Sections of two polyhedra with a common plane.

use std::borrow::Borrow;

use glam::DVec3;

use super::CommonPlane;
use super::contact::CommonPlaneContact;
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{ConvexPolyhedron, Placed};

/// The section of a plane with both bodies, in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlaneSection<V = DVec3> {
    /// The area, 0 for separated bodies.
    pub area: f64,
    /// The centroid of the area, or the point of the contact if there is none.
    pub centroid: V,
}

impl CommonPlane {
    /// Returns the section of a contact's plane with the intersection of two polyhedra.
    ///
    /// Cost: O(faces^2) at most.
    pub fn section(
        &mut self,
        a: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        b: &Placed<impl Borrow<ConvexPolyhedron>, DVec3>,
        contact: &CommonPlaneContact<DVec3>,
    ) -> PlaneSection {
        let [p, q] = [a.shape.borrow(), b.shape.borrow()].map(ConvexPolyhedron::boundary);
        let frame = PairFrame::new(p, q, &a.pose.inv_mul(&b.pose));
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
