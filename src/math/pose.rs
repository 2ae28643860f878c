use std::fmt::{self, Debug, Formatter};
use std::ops::Mul;

use glam::{DQuat, DVec2, DVec3};

use super::tolerance::two_to;
use super::vector::sealed;
use super::{Vector, check_position};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};

/// The most by which the squared norm of a rotation passed in may differ from 1. Products of some
/// thousand unit rotations stay within it.
const ROTATION_NORM: f64 = two_to(-40);

/// The squared norm of a rotation that is unit to rounding differs from 1 by at most 8 u.
const UNIT_ROTATION_NORM: f64 = two_to(-50);

/// A rigid motion of the plane.
pub type Pose2 = Pose<DVec2>;
/// A rigid motion of space.
pub type Pose3 = Pose<DVec3>;

/// A rigid motion: a rotation followed by a translation.
///
/// It takes coordinates of a body to coordinates of the world. Constructors and [`Mul`] scale the rotation
/// to unit length, to rounding, so long products do not drift.
///
/// ```
/// use osculate::{Pose3, glam::{DQuat, DVec3}};
///
/// let quarter_turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
/// let pose = Pose3::new(quarter_turn, DVec3::new(1.0, 0.0, 0.0))?;
/// let p = pose.transform_point(DVec3::X);
/// assert!((p - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
/// assert!((pose.inverse().transform_point(p) - DVec3::X).length() < 1e-15);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "RawPose<V::Rotation, V>",
        bound(
            serialize = "V: serde::Serialize, V::Rotation: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>, V::Rotation: serde::Deserialize<'de>"
        )
    )
)]
pub struct Pose<V: Vector = DVec3> {
    rotation: V::Rotation,
    translation: V,
}

/// Writes the expression that builds the pose, on one line.
impl<V: Vector> Debug for Pose<V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // "x, y, z)" of "DVec3(x, y, z)".
        let numbers = |text: String| text.split_once('(').map(|(_, numbers)| numbers.to_owned());
        let rotation = numbers(format!("{:?}", self.rotation)).unwrap_or_default();
        let translation = numbers(format!("{:?}", self.translation)).unwrap_or_default();
        let (n, turn) = match V::DIM {
            2 => (2, "DVec2::new"),
            _ => (3, "DQuat::from_xyzw"),
        };
        write!(
            f,
            "Pose{n}::new({turn}({rotation}, DVec{n}::new({translation})?"
        )
    }
}

impl<V: Vector> Pose<V> {
    /// The identity.
    pub const IDENTITY: Self = Self {
        rotation: <V::Rotation as Rotation<V>>::IDENTITY,
        translation: V::ZERO,
    };

    /// Creates a pose from a unit rotation (`(cos, sin)` in 2D, a quaternion in 3D) and a translation.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if | |q|² − 1 | > 2^-40, and [`ErrorKind::Coordinate`] if
    /// the translation is out of range.
    pub fn new(rotation: V::Rotation, translation: V) -> Result<Self> {
        let norm_squared = rotation.norm_squared();
        let is_unit = (norm_squared - 1.0).abs() <= ROTATION_NORM;
        if !is_unit {
            let range = "[1 - 2^-40, 1 + 2^-40]; new_normalize scales it";
            return Err(bad_norm(norm_squared, range));
        }
        check_position("translation", None, translation)?;
        Ok(Self {
            rotation: to_unit(rotation),
            translation,
        })
    }

    /// Creates a pose from a rotation of any length, scaled to unit length.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the squared norm is zero, not finite or not normal, and
    /// [`ErrorKind::Coordinate`] if the translation is out of range.
    pub fn new_normalize(rotation: V::Rotation, translation: V) -> Result<Self> {
        let norm_squared = rotation.norm_squared();
        if !norm_squared.is_normal() {
            return Err(bad_norm(norm_squared, "[2^-1022, 2^1024)"));
        }
        Self::new(to_unit(rotation), translation)
    }

    /// Creates a pose without rotation.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] if the translation is out of range.
    pub fn from_translation(translation: V) -> Result<Self> {
        Self::new(V::Rotation::IDENTITY, translation)
    }

    /// Returns the rotation, unit to rounding.
    #[must_use]
    pub fn rotation(&self) -> V::Rotation {
        self.rotation
    }

    /// Returns the position of the body's origin in the world.
    #[must_use]
    pub fn translation(&self) -> V {
        self.translation
    }

    /// Transforms a point of the body to the world frame.
    #[must_use]
    #[inline]
    pub fn transform_point(&self, local: V) -> V {
        self.rotation.rotate(local) + self.translation
    }

    /// Transforms a vector of the body to the world frame.
    #[must_use]
    #[inline]
    pub fn transform_vector(&self, local: V) -> V {
        self.rotation.rotate(local)
    }

    /// Transforms a point of the world to the body frame.
    #[must_use]
    #[inline]
    pub fn inverse_transform_point(&self, world: V) -> V {
        self.rotation.inverse().rotate(world - self.translation)
    }

    /// Transforms a vector of the world to the body frame.
    #[must_use]
    #[inline]
    pub fn inverse_transform_vector(&self, world: V) -> V {
        self.rotation.inverse().rotate(world)
    }

    /// Returns the inverse pose.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            rotation,
            translation: rotation.rotate(-self.translation),
        }
    }

    /// Returns `self.inverse() * other`, the pose of `other` in the frame of this one.
    ///
    /// Translations are subtracted in the world frame, before a rotation rounds them.
    #[must_use]
    #[inline]
    pub fn inv_mul(&self, other: &Self) -> Self {
        self.inv_mul_at(other, self.inverse_transform_point(other.translation))
    }

    /// Returns the pose in coordinates with another origin.
    pub(crate) fn relative_to(&self, origin: V) -> Self {
        Self {
            translation: self.translation - origin,
            ..*self
        }
    }

    /// Returns [`inv_mul`](Self::inv_mul) with a known translation.
    #[inline]
    pub(crate) fn inv_mul_at(&self, other: &Self, translation: V) -> Self {
        Self {
            rotation: to_unit(self.rotation.inverse().compose(other.rotation)),
            translation,
        }
    }
}

/// Composition, the right pose first: `(a * b).transform_point(x)` is
/// `a.transform_point(b.transform_point(x))` to rounding. The translation may be out of the domain.
impl<V: Vector> Mul for Pose<V> {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self {
            rotation: to_unit(self.rotation.compose(inner.rotation)),
            translation: self.transform_point(inner.translation),
        }
    }
}

impl<V: Vector> Default for Pose<V> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose2 {
    /// Creates a pose from an angle in radians, counter-clockwise.
    ///
    /// Sine and cosine come from the platform's library and may differ in the last bit between
    /// platforms; [`Pose::new`] with `(cos, sin)` does not.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the angle is not finite, and [`ErrorKind::Coordinate`]
    /// if the translation is out of range.
    pub fn from_angle(angle: f64, translation: DVec2) -> Result<Self> {
        Self::new(DVec2::from_angle(angle), translation)
    }
}

/// A rotation of the plane or of space: `DVec2` as `(cos, sin)` and `DQuat`. A part of
/// [`Vector`], and sealed with it.
pub trait Rotation<V>: sealed::Sealed + Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The identity.
    const IDENTITY: Self;
    /// Rotates a vector.
    fn rotate(self, vector: V) -> V;
    /// Returns the composition, `inner` first.
    fn compose(self, inner: Self) -> Self;
    /// Returns the inverse rotation.
    fn inverse(self) -> Self;
    /// Returns the squared norm, 1 for a rotation.
    fn norm_squared(self) -> f64;
    /// Multiplies each component by `factor`.
    fn scaled(self, factor: f64) -> Self;
    /// Returns at least half the distance between the images of a unit vector under two rotations.
    fn distance(self, other: Self) -> f64;
}

impl Rotation<DVec2> for DVec2 {
    const IDENTITY: Self = DVec2::X;

    #[inline]
    fn rotate(self, vector: DVec2) -> DVec2 {
        DVec2::rotate(self, vector)
    }
    #[inline]
    fn compose(self, inner: Self) -> Self {
        DVec2::rotate(self, inner)
    }
    #[inline]
    fn inverse(self) -> Self {
        DVec2::new(self.x, -self.y)
    }
    #[inline]
    fn norm_squared(self) -> f64 {
        DVec2::length_squared(self)
    }
    #[inline]
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
    #[inline]
    fn distance(self, other: Self) -> f64 {
        DVec2::distance(self, other)
    }
}

impl Rotation<DVec3> for DQuat {
    const IDENTITY: Self = DQuat::IDENTITY;

    #[inline]
    fn rotate(self, vector: DVec3) -> DVec3 {
        self * vector
    }
    #[inline]
    fn compose(self, inner: Self) -> Self {
        self * inner
    }
    #[inline]
    fn inverse(self) -> Self {
        self.conjugate()
    }
    #[inline]
    fn norm_squared(self) -> f64 {
        DQuat::length_squared(self)
    }
    #[inline]
    fn scaled(self, factor: f64) -> Self {
        self * factor
    }
    #[inline]
    fn distance(self, other: Self) -> f64 {
        // Two quaternions represent the other rotation: the nearer one.
        (self - other).length().min((self + other).length())
    }
}

fn bad_norm(value: f64, range: &'static str) -> Error {
    let name = "squared norm of the rotation";
    Error(Cause::Parameter { name, value, range })
}

/// Scales a rotation to unit length. A rotation that is unit to rounding keeps its bits, so that a pose
/// passes its own constructor unchanged.
#[inline]
fn to_unit<V, R: Rotation<V>>(rotation: R) -> R {
    let norm_squared = rotation.norm_squared();
    if (norm_squared - 1.0).abs() <= UNIT_ROTATION_NORM {
        rotation
    } else {
        rotation.scaled(1.0 / norm_squared.sqrt())
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct RawPose<R, V> {
    rotation: R,
    translation: V,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<RawPose<V::Rotation, V>> for Pose<V> {
    type Error = Error;
    fn try_from(raw: RawPose<V::Rotation, V>) -> Result<Self> {
        Self::new(raw.rotation, raw.translation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(x: f64, y: f64, z: f64, w: f64) -> DQuat {
        DQuat::from_xyzw(x, y, z, w)
    }

    #[test]
    fn identity_keeps_the_bits() {
        let p = DVec3::new(0.1, -1e-300, 3e40);
        assert_eq!(Pose3::IDENTITY.transform_point(p), p);
        assert_eq!(Pose3::IDENTITY.inverse_transform_point(p), p);
        let q = DVec2::new(0.1, -7.0);
        assert_eq!((Pose2::IDENTITY * Pose2::IDENTITY).transform_point(q), q);
    }

    #[test]
    fn relative_is_inverse_then_compose() {
        let a = Pose3::new(turn(0.6, 0.0, 0.0, 0.8), DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let b = Pose3::new(turn(0.0, -0.8, 0.0, 0.6), DVec3::new(-4.0, 0.5, 2.0)).unwrap();
        let p = DVec3::new(0.3, 0.2, -0.7);
        let expected = a.inverse_transform_point(b.transform_point(p));
        assert!((a.inv_mul(&b).transform_point(p) - expected).length() < 1e-14);
        assert!(((a.inverse() * b).transform_point(p) - expected).length() < 1e-14);
        assert!((a.inverse().transform_point(a.transform_point(p)) - p).length() < 1e-14);
    }

    #[test]
    fn long_products_stay_unit() {
        let step = Pose2::new(DVec2::new(0.8, 0.6), DVec2::ZERO).unwrap();
        let pose = (0..100_000).fold(Pose2::IDENTITY, |pose, _| pose * step);
        assert!((pose.rotation().length_squared() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn pose_goes_through_its_constructor_unchanged() {
        let mut random = crate::testing::workload::SplitMix64::new(8);
        for _ in 0..10_000 {
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            let pose = Pose3::new_normalize(turn, DVec3::X).unwrap();
            let pose = pose * pose;
            assert_eq!(Pose3::new(pose.rotation(), pose.translation()), Ok(pose));
        }
    }

    #[test]
    fn rotation_that_is_not_unit_is_refused() {
        for bad in [0.0, 0.9, 1.0 + 1e-9, f64::NAN, f64::INFINITY] {
            let rotation = turn(0.0, 0.0, 0.0, bad);
            assert!(matches!(
                Pose3::new(rotation, DVec3::ZERO),
                Err(Error(Cause::Parameter { .. }))
            ));
        }
        assert!(Pose3::new(turn(0.0, 0.0, 0.0, 1.0 + 1e-13), DVec3::ZERO).is_ok());
        assert!(Pose3::new_normalize(turn(0.0, 3.0, 0.0, 4.0), DVec3::ZERO).is_ok());
        assert!(Pose3::new_normalize(turn(0.0, 0.0, 0.0, 0.0), DVec3::ZERO).is_err());
        assert!(Pose2::new_normalize(DVec2::new(f64::MAX, 0.0), DVec2::ZERO).is_err());
    }

    #[test]
    fn translation_out_of_the_domain_is_refused() {
        let error = Pose2::from_translation(DVec2::new(0.0, 1e300)).unwrap_err();
        assert_eq!(
            error,
            Error(Cause::Coordinate {
                name: "translation",
                index: None,
                axis: 1,
                value: 1e300
            })
        );
    }
}
