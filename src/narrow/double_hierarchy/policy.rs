use super::minima::Vicinity;
use super::{Seen, Surface};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
use crate::math::{Vector, direction};

/// Which local minima of the distance are contacts. Each is compared with the contacts that are
/// closer, in ascending order of distance, so the order of the facets has no part in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Policy {
    /// All of them.
    #[default]
    LocalMinima,
    /// Those that are not behind the tangent plane of a closer contact (eq. 31 of the paper). For
    /// closed thin plates, whose far side is a minimum too.
    HalfSpaceCull,
    /// Those whose normals differ from those of all closer contacts by at least an angle. A sphere
    /// inside a curved wall has as many contacts as the mesh makes of it; this makes them one.
    MergeAngle {
        /// The cosine of the angle.
        cosine: f64,
    },
    /// The closest only.
    Closest,
}

impl Policy {
    /// [`MergeAngle`](Policy::MergeAngle) with an angle in radians, at most pi.
    ///
    /// The cosine comes from the platform's library and may differ in the last bit between
    /// platforms.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `angle` is not within [0, pi].
    pub fn merge_angle(angle: f64) -> Result<Self> {
        if (0.0..=std::f64::consts::PI).contains(&angle) {
            let cosine = angle.cos();
            Ok(Self::MergeAngle { cosine })
        } else {
            let (name, value, range) = ("angle", angle, "[0, pi] rad");
            Err(Cause::Parameter { name, value, range }.into())
        }
    }

    /// [`MergeAngle`](Policy::MergeAngle) with the angle acos(1 - gamma_max): two planes that meet
    /// at less can be touched by one sphere, indented by at most gamma_max of its radius, only in
    /// such a way that one contact takes over from the other without a jump of the force's
    /// magnitude (eq. 42). Its direction does jump: in a wedge at the threshold by 0.2 to 0.6 of it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if `gamma_max` is not within [0, 1].
    ///
    /// ```
    /// use osculate::Policy;
    ///
    /// assert_eq!(Policy::merge_up_to(0.125)?, Policy::MergeAngle { cosine: 0.875 });
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn merge_up_to(gamma_max: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&gamma_max) {
            let cosine = 1.0 - gamma_max;
            Ok(Self::MergeAngle { cosine })
        } else {
            let (name, value, range) = ("gamma_max", gamma_max, "[0, 1]");
            Err(Cause::Parameter { name, value, range }.into())
        }
    }

    /// Leaves the minima that are contacts; they come in ascending order of distance.
    pub(super) fn leave<S: Surface>(
        self,
        vicinity: &Vicinity<'_, S>,
        minima: &mut Vec<Seen<S::Vector>>,
    ) {
        if self == Self::LocalMinima {
            return;
        }
        let mut count = 0;
        for i in 0..minima.len() {
            let (minimum, closer) = (minima[i], &minima[..count]);
            let is_contact = match self {
                Self::LocalMinima => true,
                Self::HalfSpaceCull => {
                    !(closer.iter()).any(|contact| is_behind(vicinity, &minimum, contact))
                }
                Self::MergeAngle { cosine } => {
                    !(closer.iter()).any(|c| minimum.contact.normal.dot(c.contact.normal) > cosine)
                }
                Self::Closest => closer.is_empty(),
            };
            if is_contact {
                minima[count] = minimum;
                count += 1;
            }
        }
        minima.truncate(count);
    }
}

/// Whether a minimum is behind the tangent plane of a contact: eq. (31).
///
/// One that is on the plane to within rounding and the precision of the wall is behind it unless
/// the surface rises in front of the plane there: coplanar plates are behind, a wall that stands
/// on a floor is not.
fn is_behind<S: Surface>(
    vicinity: &Vicinity<'_, S>,
    minimum: &Seen<S::Vector>,
    closer: &Seen<S::Vector>,
) -> bool {
    const ROUNDING: f64 = f64::from_bits((1023 - 46) << 52);
    let (mesh, reach) = (vicinity.mesh, vicinity.reach);
    let [there, here] = [minimum, closer].map(|seen| vicinity.place(&seen.contact));
    let down = direction(here.offset, here.distance).unwrap_or(closer.contact.normal);
    let angle = here.angle + there.angle;
    // The angle turns the plane around the contact.
    let slack = ROUNDING * reach + 4.0 * mesh.precision() + angle * there.distance;
    let depth = down.dot(there.offset) - here.distance;
    if depth.abs() > slack {
        return depth > 0.0;
    }
    let mut is_behind = true;
    let center = vicinity.views[minimum.view as usize].center;
    mesh.for_each_facet_at(minimum.contact.feature, |facet| {
        mesh.for_each_corner(facet, |vertex| {
            let corner = mesh.position(vertex) - center;
            let depth = down.dot(corner) - here.distance;
            is_behind &= depth >= -slack * (1.0 + corner.length() / reach);
        });
    });
    is_behind
}

/// Which sides of facets can be touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// Both: a wall without thickness.
    #[default]
    Both,
    /// The front: a sphere whose centre is behind all facets at a point does not touch it. A facet
    /// without area is all front.
    Front,
}
