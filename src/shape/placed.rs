use crate::math::tolerance::two_to;
use std::ops::Deref;

use crate::math::{Pose, Vector, to_length};
use crate::shape::{Aabb, Capsule, Sphere};

/// A moved bounding sphere, relative to its size and its distance from the origins. A rotation is unit to
/// 2^-50, which counts twice, 16 u; it takes ten roundings, and kernels may round differently.
const MOVED_SPHERE: f64 = two_to(-47);

/// A body with bounds, as a broad phase requires.
///
/// Bounds are in the world frame. The body must lie inside them, rounding included; otherwise pairs are
/// missed. Loose bounds only cost time.
pub trait Bounded {
    /// `DVec2` or `DVec3`.
    type Vector: Vector;

    /// Returns a sphere that contains the body.
    fn bounding_sphere(&self) -> Sphere<Self::Vector>;

    /// Returns a box that contains the body; by default the box of the bounding sphere.
    fn bounding_box(&self) -> Aabb<Self::Vector> {
        self.bounding_sphere().into()
    }

    /// Returns a capsule that contains a long body, `None` by default and for bodies shorter than about six widths.
    ///
    /// A [`PairList`](crate::PairList) keeps pairs of capsules instead of spheres.
    fn bounding_capsule(&self) -> Option<Capsule<Self::Vector>> {
        None
    }
}

/// A pointer to a body: a reference, `Arc`, `Box` or `Rc`.
impl<P: Deref<Target: Bounded>> Bounded for P {
    type Vector = <P::Target as Bounded>::Vector;

    fn bounding_sphere(&self) -> Sphere<Self::Vector> {
        (**self).bounding_sphere()
    }
    fn bounding_box(&self) -> Aabb<Self::Vector> {
        (**self).bounding_box()
    }
    fn bounding_capsule(&self) -> Option<Capsule<Self::Vector>> {
        (**self).bounding_capsule()
    }
}

impl<V: Vector> Bounded for Sphere<V> {
    type Vector = V;

    fn bounding_sphere(&self) -> Sphere<V> {
        *self
    }
}

/// A shape at a pose, which takes the shape's own coordinates to the world frame.
///
/// The shape may be a reference, `Arc` or `Box`, so that many bodies share it.
///
/// ```
/// use osculate::{Bounded, Placed, Pose3, Sphere, glam::DVec3};
///
/// let ball = Sphere::new(DVec3::X, 0.5);
/// let body = Placed::new(&ball, Pose3::from_translation(DVec3::new(0.0, 0.0, 2.0))?);
/// assert_eq!(body.bounding_sphere().center, DVec3::new(1.0, 0.0, 2.0));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed<S, V: Vector = glam::DVec3> {
    /// The shape in its own coordinates.
    pub shape: S,
    /// The pose in the world.
    pub pose: Pose<V>,
}

impl<S, V: Vector> Placed<S, V> {
    /// Places a shape.
    pub const fn new(shape: S, pose: Pose<V>) -> Self {
        Self { shape, pose }
    }

    /// Returns a radius after the motion, enlarged by the rounding error, for centers up to a distance from the origin.
    fn moved_radius(&self, distance: f64, radius: f64) -> f64 {
        let size = distance + radius + self.pose.translation().length();
        to_length(radius + MOVED_SPHERE * size)
    }
}

impl<V: Vector, S: Bounded<Vector = V>> Bounded for Placed<S, V> {
    type Vector = V;

    /// Returns the shape's sphere after the motion, enlarged by the rounding error.
    fn bounding_sphere(&self) -> Sphere<V> {
        let Sphere { center, radius } = self.shape.bounding_sphere();
        let moved = self.pose.transform_point(center);
        Sphere::new(moved, self.moved_radius(center.length(), radius))
    }

    /// Returns the shape's capsule after the motion, enlarged by the rounding error.
    fn bounding_capsule(&self) -> Option<Capsule<V>> {
        let Capsule { ends, radius } = self.shape.bounding_capsule()?;
        let distance = ends[0].length().max(ends[1].length());
        let moved = ends.map(|end| self.pose.transform_point(end));
        Some(Capsule::new(moved, self.moved_radius(distance, radius)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;
    use glam::{DQuat, DVec3};

    /// The moved sphere must hold the moved surface, rounding included.
    #[test]
    fn moved_sphere_holds_the_moved_surface() {
        let pose = Pose::new_normalize(
            DQuat::from_xyzw(0.1, 0.7, -0.3, 0.6),
            DVec3::new(1e6, -3.0, 0.1),
        )
        .unwrap();
        let shape = Sphere::new(DVec3::new(0.3, 0.1, -0.2), 1e-3);
        let moved = Placed::new(shape, pose).bounding_sphere();
        for axis in [
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            -DVec3::X,
            -DVec3::Y,
            -DVec3::Z,
        ] {
            let surface = pose.transform_point(shape.center + axis * shape.radius);
            assert!(surface.distance(moved.center) <= moved.radius);
        }
        assert!(moved.radius < 1.001e-3);
    }

    /// A body around the origin that is only rotated: its radius alone is the size that is rounded.
    #[test]
    fn rotated_sphere_holds_the_rotated_surface() {
        let mut random = SplitMix64::new(1);
        for _ in 0..100 {
            let rotation = random.rotation();
            let pose = Pose::new_normalize(rotation, DVec3::ZERO).unwrap();
            let moved = Placed::new(Sphere::new(DVec3::ZERO, 1.0), pose).bounding_sphere();
            let farthest = DVec3::AXES.map(|axis| pose.transform_point(axis).length());
            assert!(farthest.iter().all(|&distance| distance <= moved.radius));
            assert!(moved.radius < 1.0 + 1e-13);
        }
    }
}
