use glam::{DMat3, DVec3};

use super::Pose3;

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
