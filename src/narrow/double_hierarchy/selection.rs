use std::f64::consts::PI;

use super::contact::WallContact;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Error, Result};
use crate::math::tolerance::two_to;
use crate::math::{Vector, check_parameter};

/// Contacts whose normals differ by less than this angle are one: 2^-5, 1.8 degrees. This is its cosine, 1 - angle^2 / 2.
///
/// The noise of a file rotates facets of 64 precisions by up to this angle.
const SAME_NORMAL: f64 = 1.0 - two_to(-11);
/// Above all cosines.
const NO_ANGLE: f64 = 2.0;

/// The rule that selects contacts among the local minima of the distance.
///
/// The minima are visited in ascending order of distance. Each one is compared with the contacts selected before it, so
/// facet order does not matter. It is dropped if its normal is within an angle of the normal of such a contact. By
/// default the angle is 2^-5, 1.8 degrees: so the noise of a file adds no contacts, and the far side of a plate is no
/// second contact. A bend of less than this angle has one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "(Rule, f64)", into = "(Rule, f64)")
)]
pub struct ContactSelection {
    rule: Rule,
    /// The cosine of the angle between normals below which contacts are one.
    cosine: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Rule {
    All,
    HalfSpace,
    Nearest,
}

impl Default for ContactSelection {
    fn default() -> Self {
        Self::of(Rule::All, SAME_NORMAL)
    }
}

impl From<ContactSelection> for (Rule, f64) {
    fn from(selection: ContactSelection) -> Self {
        (selection.rule, selection.cosine)
    }
}

impl TryFrom<(Rule, f64)> for ContactSelection {
    type Error = Error;

    fn try_from((rule, cosine): (Rule, f64)) -> Result<Self> {
        if cosine != NO_ANGLE {
            check_parameter("cosine", cosine, -1.0..=1.0, "[-1, 1]")?;
        }
        Ok(Self { rule, cosine })
    }
}

impl ContactSelection {
    const fn of(rule: Rule, cosine: f64) -> Self {
        Self { rule, cosine }
    }

    /// Selects all local minima, except those that repeat a normal. The default.
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects the nearest minimum only.
    pub fn nearest() -> Self {
        Self::of(Rule::Nearest, SAME_NORMAL)
    }

    /// Drops minima on or behind the tangent plane of a nearer contact, eq. (31) of Santasusana et al. (2016).
    ///
    /// A minimum less than noise above the plane is on it.
    pub fn half_space() -> Self {
        Self::of(Rule::HalfSpace, SAME_NORMAL)
    }

    /// Selects all local minima, except those whose normal is within `angle` of the normal of a nearer contact.
    ///
    /// The angle is in radians, at most pi. With 0 no normals are compared, so the contacts are all minima.
    /// In a curved wall the mesh determines how many contacts a sphere has; a larger angle merges them. The
    /// cosine comes from the platform's math library, and its last bit may differ between platforms.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the angle is not within 0 and pi.
    pub fn merge_angle(angle: f64) -> Result<Self> {
        check_parameter("angle", angle, 0.0..=PI, "[0, pi] rad")?;
        let cosine = if angle > 0.0 { angle.cos() } else { NO_ANGLE };
        Ok(Self::of(Rule::All, cosine))
    }

    /// Merges by the angle acos(1 - gamma_max), eq. (42) of Santasusana et al. (2016).
    ///
    /// `gamma_max` is the largest indentation divided by the radius.
    /// Where two planes meet at less than this angle, one contact replaces the other without a jump in
    /// the magnitude of the force. The direction does jump: in a wedge at the threshold by 0.2 to 0.6 of
    /// the force.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the indentation is not within 0 and 1.
    ///
    /// ```
    /// use osculate::{DoubleHierarchy, glam::DVec3, narrow::ContactSelection};
    ///
    /// let merged = ContactSelection::merge_for_indentation(0.125)?;
    /// let kernel = DoubleHierarchy::<DVec3>::new().with_selection(merged);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn merge_for_indentation(gamma_max: f64) -> Result<Self> {
        check_parameter("gamma_max", gamma_max, 0.0..=1.0, "[0, 1]")?;
        Ok(Self::of(Rule::All, 1.0 - gamma_max))
    }

    /// Keeps the contacts among minima in ascending order of distance. Points closer than `same` are one.
    pub(super) fn leave<V: Vector>(self, same: f64, minima: &mut Vec<WallContact<V>>) {
        let is_dropped = |minimum: &WallContact<V>, nearer: &WallContact<V>| {
            let between = minimum.offset - nearer.offset;
            // A center on the wall has no side, and noise decides the normal of one that is hardly off it.
            let is_on_wall = nearer.offset.length_squared() <= same * same;
            let is_same = between.length_squared() <= same * same
                || !is_on_wall && minimum.normal.dot(nearer.normal) > self.cosine;
            let depth = nearer.normal.dot(between);
            let is_behind = || depth.abs() <= same || !is_on_wall && depth > 0.0;
            match self.rule {
                Rule::All => is_same,
                Rule::HalfSpace => is_same || is_behind(),
                Rule::Nearest => true,
            }
        };
        let mut count = 0;
        for i in 0..minima.len() {
            let mut nearer = minima[..count].iter();
            if !nearer.any(|nearer| is_dropped(&minima[i], nearer)) {
                minima.swap(count, i);
                count += 1;
            }
        }
        minima.truncate(count);
    }
}

/// The sides of facets that bodies can touch.
///
/// The front of a facet is the side from which its vertices are counter-clockwise; in 2D it is the right side of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum WallSides {
    /// Both sides: a wall without thickness. Only the side counts on which the center is now.
    #[default]
    Both,
    /// The front only: a sphere whose center is behind all facets at a point does not touch them. A facet
    /// without area has fronts only.
    Front,
}
