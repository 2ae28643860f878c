use glam::DVec3;

use crate::narrow::Contact;
use crate::shape::Feature;

/// A contact of [`CommonPlane`](super::CommonPlane), in the world frame and the unit of length of the
/// poses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CommonPlaneContact<V = DVec3> {
    /// The point of the common plane halfway between `point_a` and `point_b`.
    pub point: V,
    /// The unit normal of the plane, from the first body to the second.
    pub normal: V,
    /// The penetration depth: the shortest translation that separates the bodies. Minus the distance
    /// of separated bodies.
    pub overlap: f64,
    /// The witness point of the first body: `point + normal * overlap / 2`.
    pub point_a: V,
    /// The witness point of the second body: `point - normal * overlap / 2`.
    pub point_b: V,
    /// The feature of the first body that contains `point_a`, with a radius the feature of its core below that point.
    pub feature_a: Feature,
    /// The feature of the second body that contains `point_b`.
    pub feature_b: Feature,
    /// A bound of the error of the overlap, rounding included: the difference of its upper and lower
    /// bound. Along `normal` the gap between the bodies is `-overlap` to within this bound.
    pub error_bound: f64,
}

impl<V> From<CommonPlaneContact<V>> for Contact<V> {
    fn from(contact: CommonPlaneContact<V>) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}
