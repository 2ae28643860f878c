//! The planes of a wall's facets in single precision, which rule most facets out. They decide nothing else.

use glam::{DVec3, Vec4};

use super::minima::Ball;
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

impl PlaneFrame {
    /// Returns the coordinates for facets of up to a size.
    pub(super) fn new(frame: Frame<DVec3>, largest: f64) -> Self {
        let slack = (largest * frame.scale) as f32 * PLANE_SIZE_F32;
        Self { frame, slack }
    }

    /// Returns the planes of a facet with a normal and the ends of its first three sides.
    pub(super) fn planes(&self, normal: DVec3, [a, b, c, d]: [DVec3; 4]) -> FacetPlanes {
        let plane = |unit: DVec3, origin: DVec3| {
            let offset = unit.dot(origin - self.frame.center) * self.frame.scale;
            unit.as_vec3().extend(offset as f32).to_array()
        };
        let side = |from: DVec3, to: DVec3| {
            let inward = normal.cross(to - from).try_normalize();
            // A side without length bounds nothing.
            inward.map_or([0.0; 4], |inward| plane(inward, from))
        };
        let planes = [plane(normal, a), side(a, b), side(b, c), side(c, d)];
        FacetPlanes([0, 1, 2, 3].map(|axis| Vec4::from_array(planes.map(|plane| plane[axis]))))
    }

    /// Returns whether a facet may be within reach, for any facet.
    ///
    /// Distances from planes are off by less than `slack` if they are smaller than the sum of |center| and reach. A
    /// larger one is off by less than a quarter of it. Proof: the coordinates of the center and of the unit vector, three
    /// products and three sums are rounded by 2^-24 each, altogether by 5 x 2^-24 of |center|. The offset counts twice.
    /// If it exceeds four times the sum of |center| and reach, so does the distance, but for a quarter. Otherwise all
    /// this is less than 13 x 2^-24 of the sum.
    #[inline]
    pub(super) fn may_be_near(&self, ball: Ball<DVec3>) -> impl Fn(&FacetPlanes) -> bool {
        let [px, py, pz] = self.frame.rounded(ball.center);
        let reach = (ball.reach * self.frame.scale) as f32;
        let slack = (px.abs() + py.abs() + pz.abs() + reach) * PLANE_F32 + self.slack;
        // The distance takes two of them.
        let limit = reach + 3.0 * slack;
        let limit_squared = Vec4::splat(limit * limit * (1.0 + PLANE_F32) + f32::MIN_POSITIVE);
        move |&FacetPlanes([x, y, z, offset])| {
            let distances = (x * px + y * py) + (z * pz - offset);
            let outside = distances.min(Vec4::ZERO) * Vec4::new(0.0, 1.0, 1.0, 1.0);
            let squared = outside * outside + Vec4::splat(distances.x * distances.x);
            squared.cmpgt(limit_squared).bitmask() == 0
        }
    }
}
