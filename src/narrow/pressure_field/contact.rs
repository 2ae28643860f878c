//! What a pressure field reports.

use glam::DVec3;

use super::Settings;
use super::sums::Sums;

/// A contact of a [`PressureField`](super::PressureField), in the world frame, for a stiffness of 1 (pressure per depth).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureContact {
    /// The force on the second body (or the wall) at [`point`](Self::point); the first one gets the opposite force.
    pub force: DVec3,
    /// The couple on the second body beside the force at `point`.
    pub torque: DVec3,
    /// The direction of the force, from the first body to the second.
    pub normal: DVec3,
    /// The center of pressure.
    pub point: DVec3,
    /// The largest depth of a point of one body below the nearest face of the other one; negative for a gap within the
    /// margin.
    pub overlap: f64,
    /// The area of the surfaces inside the other body, weighted as the pressures are.
    pub area: f64,
    /// The integral of the pressure over the surfaces. At least the size of the force: friction grows with it.
    pub load: f64,
    /// The lowest facet of the contact at a wall.
    pub facet: Option<u32>,
    /// Energy and volume; see [`with_volume`](super::PressureField::with_volume).
    pub volume: Option<PressureVolume>,
    /// See [`with_points`](super::PressureField::with_points).
    pub points: Option<PressurePoints>,
}

/// The energy of a contact and its common volume, for a stiffness of 1.
///
/// Several contacts at a wall have meaning as a sum. That sum is the energy if the wall is closed, or its rims are outside
/// the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureVolume {
    /// The integral of the weighted pressures over the common region. Force and torque are its negated gradient.
    pub energy: f64,
    /// V, the volume of the common region.
    pub volume: f64,
    /// S, the gradient of V for translations of the first body.
    pub area_vector: DVec3,
    /// G, the gradient of V for rotations of the first body about [`point`](PressureContact::point).
    pub moment_vector: DVec3,
}

/// Places at which a contact acts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressurePoints {
    /// Four equal shares of load and area. Together they have the load, the moment and the second moments across the
    /// normal of the pressure, so springs and dashpots there resist rotations as the whole contact does.
    pub shares: [PressureShare; 4],
    /// The corners of the contact that are deep and far out, one in the direction of each share: positions for impulses.
    /// Some may be the same.
    pub corners: [PressureCorner; 4],
}

/// A quarter of a contact. Its index is its name from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureShare {
    /// Where it acts.
    pub point: DVec3,
    /// The mean pressure for a stiffness of 1, a depth; at most the overlap of the contact plus the margin.
    pub overlap: f64,
    /// A quarter of the area.
    pub area: f64,
    /// A quarter of the load.
    pub load: f64,
    /// The index of the share of the last call that it continues, over all contacts of that call in order. `None` if there
    /// was none.
    pub previous: Option<u16>,
}

/// A corner of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureCorner {
    /// Its position.
    pub point: DVec3,
    /// The depth of the point below the nearest face of the other body; negative for a gap within the margin.
    pub overlap: f64,
}

impl PressureContact {
    /// Returns the contact of some sums about any point of the world. `None` without a force.
    pub(super) fn new(sums: &Sums, settings: &Settings) -> Option<Self> {
        let size = sums.force.length();
        if sums.load <= 0.0 || size <= 0.0 {
            return None;
        }
        let arm = sums.moment / sums.load;
        let volume = PressureVolume {
            energy: sums.energy,
            volume: sums.volume,
            area_vector: sums.area_vector,
            moment_vector: sums.area_moment - arm.cross(sums.area_vector),
        };
        Some(Self {
            force: sums.force,
            torque: sums.torque - arm.cross(sums.force),
            normal: sums.force / size,
            point: sums.origin + arm,
            overlap: sums.overlap - settings.margin,
            area: sums.area,
            load: sums.load,
            facet: None,
            volume: (settings.has_volume && sums.volume.is_finite()).then_some(volume),
            points: None,
        })
    }

    /// Adds the points. `axes` are two unit vectors across the normal, and the corners are those of the parts, with their
    /// depths.
    pub(super) fn set_points(
        &mut self,
        sums: &Sums,
        axes: [DVec3; 2],
        corners: &[(DVec3, f64)],
        previous: Option<u16>,
        margin: f64,
    ) {
        // The columns of the Cholesky factor of the covariance.
        let [u, v] = axes;
        let second = sums.about(self.point).second;
        let [across_u, across_v] = axes.map(|axis| second * axis / self.load);
        let (uu, uv, vv) = (across_u.dot(u), across_u.dot(v), across_v.dot(v));
        let s = uu.max(0.0).sqrt();
        let t = if s > 0.0 { uv / s } else { 0.0 };
        let (first, last) = (u * s + v * t, v * (vv - t * t).max(0.0).sqrt());
        let mut points = PressurePoints::default();
        for k in 0..4 {
            let [i, j] = [k & 1, k >> 1].map(|bit| if bit == 0 { -1.0 } else { 1.0 });
            points.shares[k] = PressureShare {
                point: self.point + first * i + last * j,
                overlap: self.load / self.area,
                area: 0.25 * self.area,
                load: 0.25 * self.load,
                previous: previous.map(|i| 4 * i + k as u16),
            };
            let along = u * i + v * j;
            let worth = |(x, depth): (DVec3, f64)| along.dot(x - self.point) * depth;
            let worths = corners.iter().map(|&corner| (worth(corner), corner));
            let best = worths.reduce(|best, next| if next.0 > best.0 { next } else { best });
            if let Some((_, (point, depth))) = best {
                let overlap = depth - margin;
                points.corners[k] = PressureCorner { point, overlap };
            }
        }
        self.points = Some(points);
    }
}
