use glam::DVec3;

use super::kept_facets::KeptFacets;
use crate::narrow::elastic_bed::manifold::continued;
use crate::narrow::{ContactManifold, PointFeature};
use crate::shape::Stamp;

/// The state of a convex body at a wall, kept from step to step. Keep one for each pair.
///
/// - **The contact points**: which of them continue earlier ones, and the choice of points if there are too
///   many. They change no force.
/// - **The facets that the body can touch soon**, and the faces that can touch them, from the second step on. While no
///   point of the body has moved by more than about eight steps, nothing else is looked at. This saves a quarter to
///   half of the time if bodies move little, and changes no contact.
///
/// The state of another shape counts as new. One that was stored and read again continues with any shape.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConvexWallState {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) facets: KeptFacets,
    #[cfg_attr(feature = "serde", serde(skip))]
    shape: Stamp,
    /// Those of the last step, manifold by manifold.
    last: Vec<OldPoint>,
    #[cfg_attr(feature = "serde", serde(skip))]
    next: Vec<OldPoint>,
}

/// A point, in the axes of the mesh.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct OldPoint {
    feature: PointFeature,
    normal: DVec3,
    /// From the center of the body.
    arm: DVec3,
}

impl ConvexWallState {
    /// Forgets another shape. That of a new state may be any.
    pub(super) fn keep_only(&mut self, shape: Stamp) {
        if self.shape != shape {
            if self.shape != Stamp::NONE {
                *self = Self::default();
            }
            self.shape = shape;
        }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.next.clear();
    }

    /// Ends a step.
    pub(super) fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
    }

    /// Returns the features of the last step at about the same normal.
    pub(super) fn names(&self, normal: DVec3) -> impl Iterator<Item = PointFeature> {
        let near = self.last.iter().filter(move |old| is_near(old, normal));
        near.map(|old| old.feature)
    }

    /// Names the points of a manifold that continue earlier ones, and stores them. `to_mesh` takes vectors of
    /// the world to the axes of the mesh.
    pub(super) fn follow(
        &mut self,
        manifold: &mut ContactManifold,
        center: DVec3,
        to_mesh: impl Fn(DVec3) -> DVec3,
    ) {
        let normal = to_mesh(manifold.normal);
        for point in manifold.points_mut() {
            let arm = to_mesh(point.point - center);
            let near = (0..=u16::MAX)
                .zip(&self.last)
                .filter(|(_, old)| is_near(old, normal));
            let near = near.map(|(i, old)| (i, old.feature, (old.arm - arm).length_squared()));
            point.previous = continued(near, point.feature);
            let feature = point.feature;
            self.next.push(OldPoint {
                feature,
                normal,
                arm,
            });
        }
    }
}

/// Contacts whose normals differ by more than 60 degrees are not the same.
fn is_near(old: &OldPoint, normal: DVec3) -> bool {
    old.normal.dot(normal) > 0.5
}
