use std::cmp::Ordering;

use glam::DVec3;

use crate::math::{MatrixPose, Vector, direction, lexicographic};
use crate::narrow::Contact;

/// A contact of a convex polyhedron or polygon with a wall, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConvexWallContact<V = DVec3> {
    /// A point of the wall at the largest depth. Where a face lies on the wall, it is one of many.
    pub point: V,
    /// The unit normal, from the body into the wall.
    pub normal: V,
    /// How far the body reaches beyond the point, along the normal.
    pub overlap: f64,
    /// The depth of the point in the body: its distance from the surface. At most the overlap.
    pub depth: f64,
    /// The lowest facet with this contact.
    pub facet: u32,
}

impl ConvexWallContact {
    /// Returns the contact in the world, for positions relative to a point of the body.
    pub(super) fn placed(&self, to_world: &MatrixPose, center: DVec3) -> Self {
        Self {
            point: to_world.transform_point(self.point + center),
            normal: unit(to_world.transform_vector(self.normal)),
            ..*self
        }
    }
}

/// Returns a vector of about unit length with that length.
pub(super) fn unit<V: Vector>(v: V) -> V {
    direction(v, v.length()).unwrap_or(v)
}

impl<V> From<ConvexWallContact<V>> for Contact<V> {
    fn from(contact: ConvexWallContact<V>) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}

/// Orders contacts by overlap, the deepest first, then by their normals.
pub(super) fn order<V: Vector>(a: &ConvexWallContact<V>, b: &ConvexWallContact<V>) -> Ordering {
    let by_overlap = b.overlap.total_cmp(&a.overlap);
    by_overlap.then_with(|| lexicographic(a.normal, b.normal))
}
