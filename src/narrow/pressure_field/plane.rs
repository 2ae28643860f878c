//! Planes with coordinates of their own.

use glam::{DVec2, DVec3};

/// A plane, in the frame of a field about its center.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) height: f64,
    /// Two unit vectors in the plane.
    pub(super) axes: [DVec3; 2],
}

impl Plane {
    pub(super) fn new(normal: DVec3, height: f64) -> Self {
        let (x, y) = normal.any_orthonormal_pair();
        Self {
            normal,
            height,
            axes: [x, y],
        }
    }

    /// Returns the coordinates of a point in the plane, from the foot of the center.
    #[inline]
    pub(super) fn flat(&self, x: DVec3) -> DVec2 {
        DVec2::new(self.axes[0].dot(x), self.axes[1].dot(x))
    }

    /// Returns a vector in the plane.
    #[inline]
    pub(super) fn vector(&self, x: DVec2) -> DVec3 {
        self.axes[0] * x.x + self.axes[1] * x.y
    }

    /// Returns a point of the plane.
    #[inline]
    pub(super) fn point(&self, x: DVec2) -> DVec3 {
        self.vector(x) + self.normal * self.height
    }
}
