use glam::{DMat3, DVec3};

use super::Pose3;
use super::exact::two_difference;

/// A rigid motion with the rotation as a matrix, for many points: `R x + t`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatrixPose {
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
}

impl From<&Pose3> for MatrixPose {
    #[inline]
    fn from(pose: &Pose3) -> Self {
        Self {
            rotation: DMat3::from_quat(pose.rotation()),
            translation: pose.translation(),
        }
    }
}

impl MatrixPose {
    /// Returns the motion to coordinates with another origin.
    #[inline]
    pub(crate) fn relative_to(self, origin: DVec3) -> Self {
        Self {
            translation: self.translation - origin,
            ..self
        }
    }

    /// Returns the length relative to which points are rounded by [`relative_to`](Self::relative_to) an origin.
    ///
    /// Points are up to `before` and `after` on each axis. Without a rotation, and if the shift to the origin is exact, only
    /// the sum is rounded.
    pub(crate) fn rounded_length(&self, origin: DVec3, before: DVec3, after: DVec3) -> f64 {
        let own = self.translation;
        let is_exact = (0..3).all(|i| two_difference(own[i], origin[i]).1 == 0.0);
        let shift = if is_exact && self.rotation == DMat3::IDENTITY {
            own.abs()
        } else {
            before + own.abs() + origin.abs()
        };
        (shift + after).element_sum()
    }

    #[inline]
    pub(crate) fn transform_point(&self, x: DVec3) -> DVec3 {
        self.transform_vector(x) + self.translation
    }

    #[inline]
    pub(crate) fn transform_vector(&self, x: DVec3) -> DVec3 {
        self.rotation * x
    }

    #[inline]
    pub(crate) fn inverse_transform_vector(&self, x: DVec3) -> DVec3 {
        let DMat3 {
            x_axis,
            y_axis,
            z_axis,
        } = self.rotation;
        DVec3::new(x_axis.dot(x), y_axis.dot(x), z_axis.dot(x))
    }

    #[inline]
    pub(crate) fn inverse_transform_point(&self, x: DVec3) -> DVec3 {
        self.inverse_transform_vector(x - self.translation)
    }
}
