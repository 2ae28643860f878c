//! What a pressure field reports.

use glam::DVec3;

use super::Settings;
use super::field::Field;
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
    /// The direction of the force, from the first body to the second; +x if the forces cancel.
    pub normal: DVec3,
    /// The center of pressure.
    pub point: DVec3,
    /// The largest depth: along the normal, from a surface inside a body to the surface of this body. It is negative for a
    /// gap within the margin.
    pub overlap: f64,
    /// The area of the surfaces inside the other body, weighted as the pressures are.
    pub area: f64,
    /// The integral of the pressure over the surfaces. At least the size of the force, to rounding: friction grows with it.
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
///
/// They lie along an axis that follows the first body. So a swap of the bodies gives other places, of the same normal, load,
/// moment and second moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressurePoints {
    /// Four equal shares of load and area. Together they have the load, the moment and the second moments across the
    /// normal of the pressure, so springs and dashpots there resist rotations as the whole contact does.
    pub shares: [PressureShare; 4],
    /// Corners of the contact that are deep and far out, one in the direction of each share: positions for impulses. Some
    /// may be the same, and all at the contact of a vertex.
    pub corners: [PressureCorner; 4],
}

/// A quarter of a contact. Its index is its name from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureShare {
    /// Where it acts.
    pub point: DVec3,
    /// The mean pressure for a stiffness of 1, a depth.
    pub overlap: f64,
    /// A quarter of the area.
    pub area: f64,
    /// A quarter of the load.
    pub load: f64,
    /// The index of the share of the last call that it continues, over all contacts of that call in order. `None` if there
    /// was none.
    pub previous: Option<u32>,
}

/// A corner of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PressureCorner {
    /// Its position.
    pub point: DVec3,
    /// The depth along the normal at this point, below faces that are not much steeper than the flattest one.
    pub overlap: f64,
}

impl PressureCorner {
    /// Returns no corner: any other one is deeper.
    pub(super) fn none() -> Self {
        Self {
            point: DVec3::ZERO,
            overlap: f64::NEG_INFINITY,
        }
    }
}

impl PressureContact {
    /// Returns the contact of some sums about any point of the world, without overlap and points. `None` if its mean
    /// pressure is not above `touching`.
    pub(super) fn new(sums: &Sums, settings: &Settings, touching: f64) -> Option<Self> {
        // Rounding has depths of this size.
        if sums.load <= touching * sums.area {
            return None;
        }
        let arm = sums.moment / sums.load;
        // The square of a small force underflows.
        let normal = (sums.force / sums.force.abs().max_element()).try_normalize();
        let volume = PressureVolume {
            energy: sums.energy,
            volume: sums.volume,
            area_vector: sums.area_vector + DVec3::ZERO,
            moment_vector: sums.area_moment - arm.cross(sums.area_vector) + DVec3::ZERO,
        };
        Some(Self {
            // Without negative zeros.
            force: sums.force + DVec3::ZERO,
            torque: sums.torque - arm.cross(sums.force) + DVec3::ZERO,
            normal: normal.unwrap_or(DVec3::X) + DVec3::ZERO,
            point: sums.origin + arm,
            overlap: f64::NEG_INFINITY,
            area: sums.area,
            load: sums.load,
            volume: (settings.has_volume && sums.volume.is_finite()).then_some(volume),
            ..Self::default()
        })
    }

    /// Adds the points. `axes` are two unit vectors across the normal. `previous` are the shares that these continue.
    ///
    /// Corners have the largest product of depth and distance from a line behind the center of pressure, by the standard
    /// deviation of the pressure: at a face those at its corners, at a vertex the vertex. They are chosen from corners of
    /// parts in each field, and the deepest point of all.
    pub(super) fn set_points<'a>(
        &mut self,
        sums: &Sums,
        axes: [DVec3; 2],
        corners: impl Iterator<Item = (&'a Field, &'a [DVec3])>,
        deepest: PressureCorner,
        previous: [Option<u32>; 4],
        margin: f64,
    ) {
        const SIGNS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
        // The columns of the Cholesky factor of the covariance.
        let [u, v] = axes;
        let second = sums.about(self.point).second;
        let [across_u, across_v] = axes.map(|axis| second * axis / self.load);
        let (uu, uv, vv) = (across_u.dot(u), across_u.dot(v), across_v.dot(v));
        let s = uu.max(0.0).sqrt();
        let t = if s > 0.0 { uv / s } else { 0.0 };
        let (first, last) = (u * s + v * t, v * (vv - t * t).max(0.0).sqrt());
        let shares = [0, 1, 2, 3].map(|k| PressureShare {
            point: self.point + first * SIGNS[k][0] + last * SIGNS[k][1],
            overlap: self.load / self.area,
            area: 0.25 * self.area,
            load: 0.25 * self.load,
            previous: previous[k],
        });
        let spread = (uu + vv).max(0.0).sqrt();
        let levers = |[along, aside]: [f64; 2]| SIGNS.map(|[i, j]| along * i + aside * j + spread);
        let out = axes.map(|axis| axis.dot(deepest.point - self.point));
        // Where moved faces touch, an edge may have a gap beyond the margin.
        let shift = margin.max(-2.0 * deepest.overlap);
        let mut best = levers(out).map(|lever| (lever * (deepest.overlap + shift), deepest));
        for (field, corners) in corners {
            let (turn, center) = (field.turn, field.center);
            let back = turn.transpose();
            let (u, v, from) = (back * u, back * v, back * (self.point - center));
            for &x in corners {
                let levers = levers([u, v].map(|axis| axis.dot(x - from)));
                let is_no_better = |depth: f64| {
                    let mut most = levers.iter().zip(&best);
                    most.all(|(lever, best)| lever * (depth + shift) <= best.0)
                };
                if is_no_better(self.overlap) || is_no_better(field.corner_depth(x, true)) {
                    continue;
                }
                let overlap = field.corner_depth(x, false).min(self.overlap);
                let point = center + turn * x;
                for (lever, best) in levers.iter().zip(&mut best) {
                    let worth = lever * (overlap + shift);
                    if worth > best.0 {
                        *best = (worth, PressureCorner { point, overlap });
                    }
                }
            }
        }
        let corners = best.map(|(_, corner)| corner);
        self.points = Some(PressurePoints { shares, corners });
    }
}
