use crate::math::tolerance::two_to;
use std::f64::consts::PI;

use super::contact::Seen;
use super::mesh::WallIndex;
use super::minima::Vicinity;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Error, Result};
use crate::math::{Vector, check_parameter, direction};

/// A contact this close to the plane of a closer contact is on that plane.
const BEHIND_PLANE: f64 = two_to(-46);

/// The rule that selects contacts among the local minima of the distance.
///
/// The minima are visited in ascending order of distance. Each one is compared with the contacts selected
/// before it. So facet order does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Rule", into = "Rule")
)]
pub struct ContactSelection(Rule);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Rule {
    #[default]
    All,
    HalfSpace,
    MergeAngle {
        cosine: f64,
    },
    Nearest,
}

impl From<ContactSelection> for Rule {
    fn from(selection: ContactSelection) -> Self {
        selection.0
    }
}

impl TryFrom<Rule> for ContactSelection {
    type Error = Error;

    fn try_from(rule: Rule) -> Result<Self> {
        if let Rule::MergeAngle { cosine } = rule {
            check_parameter("cosine", cosine, -1.0..=1.0, "[-1, 1]")?;
        }
        Ok(Self(rule))
    }
}

impl ContactSelection {
    /// Selects all local minima. The default.
    pub fn all() -> Self {
        Self(Rule::All)
    }

    /// Selects the nearest minimum only.
    pub fn nearest() -> Self {
        Self(Rule::Nearest)
    }

    /// Drops minima behind the tangent plane of a nearer contact, eq. (31) of Santasusana et al. (2016).
    ///
    /// Use it for closed thin plates, whose far side has a minimum too.
    pub fn half_space() -> Self {
        Self(Rule::HalfSpace)
    }

    /// Drops minima whose normal is within `angle` of the normal of a nearer contact.
    ///
    /// The angle is in radians, at most pi.
    /// In a curved wall the mesh determines how many contacts a sphere has; this option merges them. The
    /// cosine comes from the platform's math library, and its last bit may differ between platforms.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the angle is not within 0 and pi.
    pub fn merge_angle(angle: f64) -> Result<Self> {
        check_parameter("angle", angle, 0.0..=PI, "[0, pi] rad")?;
        Ok(Self(Rule::MergeAngle {
            cosine: angle.cos(),
        }))
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
        Ok(Self(Rule::MergeAngle {
            cosine: 1.0 - gamma_max,
        }))
    }

    /// Keeps the minima that are contacts; they come in ascending order of distance.
    pub(super) fn leave<I: WallIndex>(
        self,
        vicinity: &Vicinity<'_, I>,
        minima: &mut Vec<Seen<I::Vector>>,
    ) {
        if self.0 == Rule::All {
            return;
        }
        let mut count = 0;
        for i in 0..minima.len() {
            let (minimum, closer) = (minima[i], &minima[..count]);
            let is_contact = match self.0 {
                Rule::All => true,
                Rule::HalfSpace => {
                    !(closer.iter()).any(|contact| is_behind(vicinity, &minimum, contact))
                }
                Rule::MergeAngle { cosine } => {
                    !(closer.iter()).any(|c| minimum.contact.normal.dot(c.contact.normal) > cosine)
                }
                Rule::Nearest => closer.is_empty(),
            };
            if is_contact {
                minima[count] = minimum;
                count += 1;
            }
        }
        minima.truncate(count);
    }
}

/// Returns whether a minimum is behind the tangent plane of a contact, eq. (31).
///
/// A minimum may be on the plane, to within rounding and the precision of the mesh. It is then behind
/// the plane unless the surface rises in front of the plane there. Coplanar plates are behind, a wall
/// that stands on a floor is not.
fn is_behind<I: WallIndex>(
    vicinity: &Vicinity<'_, I>,
    minimum: &Seen<I::Vector>,
    closer: &Seen<I::Vector>,
) -> bool {
    let (index, reach) = (vicinity.index, vicinity.reach);
    let [there, here] = [minimum, closer].map(|seen| vicinity.place(seen));
    let down = direction(here.offset, here.distance).unwrap_or(closer.contact.normal);
    let angle = here.angle + there.angle;
    // The angle rotates the plane about the contact.
    let slack = BEHIND_PLANE * reach + 4.0 * index.precision() + angle * there.distance;
    let depth = down.dot(there.offset) - here.distance;
    if depth.abs() > slack {
        return depth > 0.0;
    }
    let mut is_behind = true;
    let center = vicinity.views[minimum.view as usize].center;
    index.for_each_facet_at(minimum.part(), |slot| {
        index.for_each_corner(slot, |vertex| {
            let corner = index.position(vertex) - center;
            let depth = down.dot(corner) - here.distance;
            is_behind &= depth >= -slack * (1.0 + corner.length() / reach);
        });
    });
    is_behind
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
