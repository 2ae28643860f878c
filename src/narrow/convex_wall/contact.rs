use std::cmp::Ordering;

use glam::DVec3;

use crate::math::{MatrixPose, direction, lexicographic};
use crate::narrow::Contact;

/// A contact of a convex polyhedron with a wall, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConvexWallContact {
    /// A point of the wall at the largest depth. Where a face lies on the wall, it is one of many.
    pub point: DVec3,
    /// The unit normal, from the body into the wall.
    pub normal: DVec3,
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
pub(super) fn unit(v: DVec3) -> DVec3 {
    direction(v, v.length()).unwrap_or(v)
}

impl From<ConvexWallContact> for Contact {
    fn from(contact: ConvexWallContact) -> Self {
        Self {
            point: contact.point,
            normal: contact.normal,
            overlap: contact.overlap,
        }
    }
}

/// Orders contacts by overlap, the deepest first, then by their normals.
pub(super) fn order(a: &ConvexWallContact, b: &ConvexWallContact) -> Ordering {
    let by_overlap = b.overlap.total_cmp(&a.overlap);
    by_overlap.then_with(|| lexicographic(a.normal, b.normal))
}
