use glam::DVec3;

use crate::math::Vector;
use crate::narrow::elastic_bed::manifold::continued;
use crate::narrow::{ContactManifold, PointFeature};
use crate::shape::Stamp;

/// The contact points of a body at a wall, kept from step to step. Keep one for each pair.
///
/// It tells which points continue earlier ones, and keeps the choice of points if there are too many. It
/// changes no force. The state of another shape counts as new.
#[derive(Clone, Debug, Default)]
pub struct ConvexWallState<V: Vector = DVec3> {
    shape: Stamp,
    /// Those of the last step, manifold by manifold.
    last: Vec<OldPoint<V>>,
    next: Vec<OldPoint<V>>,
}

/// A point, in the axes of the mesh.
#[derive(Clone, Copy, Debug)]
struct OldPoint<V> {
    feature: PointFeature,
    normal: V,
    /// From the center of the body.
    arm: V,
}

impl<V: Vector> ConvexWallState<V> {
    /// Begins a step.
    pub(super) fn begin(&mut self, shape: Stamp) {
        if self.shape != shape {
            self.shape = shape;
            self.last.clear();
        }
        self.next.clear();
    }

    /// Ends a step.
    pub(super) fn end(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
    }

    /// Returns the features of the last step at about the same normal.
    pub(super) fn names(&self, normal: V) -> impl Iterator<Item = PointFeature> {
        let near = self.last.iter().filter(move |old| is_near(old, normal));
        near.map(|old| old.feature)
    }

    /// Names the points of a manifold that continue earlier ones, and stores them. `to_mesh` takes vectors of
    /// the world to the axes of the mesh.
    pub(super) fn follow(
        &mut self,
        manifold: &mut ContactManifold<V>,
        center: V,
        to_mesh: impl Fn(V) -> V,
    ) {
        let normal = to_mesh(manifold.normal);
        for point in manifold.points_mut() {
            let arm = to_mesh(point.point - center);
            let near = (0..)
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
fn is_near<V: Vector>(old: &OldPoint<V>, normal: V) -> bool {
    old.normal.dot(normal) > 0.5
}
