//! The planes of a wall's facets in single precision, which rule most facets out.

use glam::{DVec3, Vec4};

use super::search_result::Ball;
use crate::math::tolerance::two_to;
use crate::shape::Frame;

/// Distances from planes in single precision, relative to the sum of the coordinates and the reach: 13 roundings of
/// 2^-24.
const PLANE_F32: f32 = two_to(-19) as f32;

/// The same, relative to the size of the largest facet: bends of 2^-23, roundings of planes.
const PLANE_SIZE_F32: f32 = two_to(-22) as f32;

/// The coordinates of the planes of all facets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaneFrame {
    frame: Frame<DVec3>,
    /// For the rounding of the planes and for bent facets, relative to the size of the largest facet.
    slack: f32,
}

/// The x of the unit normal (0 without area) and of the unit vectors into the facet from its first three sides;
/// then their y, their z, and their offsets. One cache line.
///
/// Four distances at once cost as much as one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FacetPlanes([Vec4; 4]);

/// A ball in the coordinates of the planes.
///
/// Distances from planes are off by less than `slack` if they are smaller than the sum of |center| and reach. A larger
/// one is off by less than a quarter of it. Proof: the coordinates of the center and of the unit vector, three products
/// and three sums are rounded by 2^-24 each, altogether by 5 x 2^-24 of |center|. The offset counts twice. If it exceeds
/// four times the sum of |center| and reach, so does the distance, but for a quarter. Otherwise all this is less than
/// 13 x 2^-24 of the sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    point: [f32; 3],
    slack: f32,
    limit: f32,
}

/// On which side of a facet's first three sides a center is: a bit for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// Inside the side, despite rounding.
    inside: u32,
    /// Not inside, despite rounding.
    outside: u32,
    /// From the plane and inside the sides.
    distances: Vec4,
}

impl PlaneFrame {
    /// Returns the coordinates for facets of up to a size.
    pub(super) fn new(frame: Frame<DVec3>, largest: f64) -> Self {
        let slack = (largest * frame.scale()) as f32 * PLANE_SIZE_F32;
        Self { frame, slack }
    }

    /// Returns a plane, given by its unit normal and its offset relative to a point: normal and offset.
    pub(super) fn plane(&self, origin: DVec3, (unit, offset): (DVec3, f64)) -> Vec4 {
        let offset = unit.dot(origin - self.frame.center()) + offset;
        unit.as_vec3().extend((offset * self.frame.scale()) as f32)
    }

    #[inline]
    pub(super) fn probe(&self, ball: Ball<DVec3>) -> Probe {
        let point = self.frame.rounded(ball.center);
        let reach = (ball.reach * self.frame.scale()) as f32;
        let size: f32 = point.iter().map(|x| x.abs()).sum();
        let slack = (size + reach) * PLANE_F32 + self.slack;
        Probe {
            point,
            slack,
            limit: reach + slack,
        }
    }
}

impl FacetPlanes {
    /// Stores the planes of a facet and its first three sides.
    pub(super) fn new(planes: [Vec4; 4]) -> Self {
        Self([0, 1, 2, 3].map(|axis| Vec4::from_array(planes.map(|plane| plane[axis]))))
    }

    /// Returns the distances of a center from the plane and inside the sides.
    #[inline]
    fn distances(&self, probe: &Probe) -> Vec4 {
        let Self([x, y, z, offset]) = *self;
        let [px, py, pz] = probe.point;
        (x * px + y * py) + (z * pz - offset)
    }

    /// Returns whether the facet may be within reach.
    #[inline]
    pub(super) fn are_near(&self, probe: &Probe) -> bool {
        probe.are_near(self.distances(probe))
    }

    /// Returns on which side of the sides a center is, `None` if the facet is not within reach.
    #[inline]
    pub(super) fn verdict(&self, probe: &Probe) -> Option<Verdict> {
        let distances = self.distances(probe);
        if !probe.are_near(distances) {
            return None;
        }
        Some(Verdict {
            inside: distances.cmpgt(Vec4::splat(probe.slack)).bitmask() >> 1,
            outside: distances.cmplt(Vec4::splat(-probe.slack)).bitmask() >> 1,
            distances,
        })
    }

    /// Returns how far a center is inside one of the sides.
    #[inline]
    pub(super) fn inside(&self, i: usize, probe: &Probe) -> f32 {
        let Self([x, y, z, offset]) = self;
        probe.inside([x[i + 1], y[i + 1], z[i + 1], offset[i + 1]])
    }
}

impl Verdict {
    /// Returns whether the center is inside all three sides, `None` if rounding may decide it.
    #[inline]
    pub(super) fn are_inside(self) -> Option<bool> {
        match self {
            Self { inside: 0b111, .. } => Some(true),
            Self { outside: 0, .. } => None,
            _ => Some(false),
        }
    }

    /// Returns whether the center is inside a side, `None` if rounding may decide it.
    #[inline]
    pub(super) fn is_inside(self, i: usize) -> Option<bool> {
        let is_inside = self.inside >> i & 1 != 0;
        ((self.inside | self.outside) >> i & 1 != 0).then_some(is_inside)
    }

    /// Returns whether the line along each side may be within reach: a bit for each.
    #[inline]
    pub(super) fn near(self, probe: &Probe) -> u32 {
        let height = Vec4::splat(self.distances.x);
        let squared = self.distances * self.distances + height * height;
        let limit = probe.limit + 2.0 * probe.slack;
        let far = Vec4::splat(limit * limit * (1.0 + PLANE_F32));
        !squared.cmpgt(far).bitmask() >> 1
    }
}

impl Probe {
    /// Returns whether a facet with these distances from its planes may be within reach.
    #[inline]
    fn are_near(&self, distances: Vec4) -> bool {
        // The height counts on both sides of the plane.
        let distances = distances.min(distances * Vec4::new(-1.0, 1.0, 1.0, 1.0));
        distances.cmplt(Vec4::splat(-self.limit)).bitmask() == 0
    }

    /// Returns how far the center is above a plane.
    #[inline]
    pub(super) fn inside(&self, [x, y, z, offset]: [f32; 4]) -> f32 {
        let [px, py, pz] = self.point;
        x * px + y * py + z * pz - offset
    }

    /// Returns whether a distance is positive, `None` if rounding may decide it.
    #[inline]
    pub(super) fn is_positive(&self, distance: f32) -> Option<bool> {
        (distance.abs() > self.slack).then_some(distance > 0.0)
    }
}
