use glam::DVec3;

use super::contact::{ContactVolume, IntersectionKind, WHOLE};
use crate::math::{Pose3, two_sum};

/// Sums over the segments of a curve, in any order, relative to an origin near the curve.
///
/// Segment i runs from a to b, with `D = b - a`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// 2 S = sum a x D, since `S = 1/2 loop r x dr`.
    area: DVec3,
    /// -6 G = sum D (a^2 + a.b + b^2), since `G = -1/2 loop r^2 dr`.
    moment: DVec3,
    /// sum D x (a x D) / |D|.
    swept: DVec3,
    /// The columns of sum D D^T / |D|.
    tensor: [DVec3; 3],
    /// sum |D|.
    length: f64,
    /// sum |D| (a + b) / 2.
    middle: DVec3,
}

impl Sums {
    #[inline]
    pub(super) fn add_segment(&mut self, a: DVec3, b: DVec3) {
        let d = b - a;
        let swept = a.cross(d);
        self.area += swept;
        self.moment += d * (a.length_squared() + a.dot(b) + b.length_squared());
        let length = d.length();
        if length > 0.0 {
            let unit = d * (1.0 / length);
            self.swept += unit.cross(swept);
            for axis in 0..3 {
                self.tensor[axis] += d * unit[axis];
            }
            self.length += length;
            self.middle += (a + b) * (0.5 * length);
        }
    }

    /// Returns the contact in the world, given the origin of the sums in the frame of `pose`; `None` if V is 0.
    ///
    /// The central axis is `x(l) = S x G / |S|^2 + l n` with `n = S / |S|`. The contact point
    /// minimizes the squared areas of the triangles that join it to the segments (eq. 77,
    /// corrected). Each square is divided by |D|, so that the subdivision of a segment has no
    /// influence:
    ///
    /// ```text
    /// sum |(a - x) x D|^2 / |D|  ->  min.
    /// ```
    ///
    /// The derivative with respect to l is 0 if
    ///
    /// ```text
    /// sum (n x D).(a x D) / |D| = sum (n x D).(x x D) / |D|.
    /// ```
    ///
    /// `(u x D).(v x D) = u.(D x (v x D)) = u.v D^2 - (u.D)(v.D)` turns this into
    ///
    /// ```text
    /// n.W = (L n - T n).x    with  W = sum D x (a x D) / |D|,  T = sum D D^T / |D|,  L = sum |D|,
    /// l = (n.W - (L n - T n).x(0)) / (L - n.T n).
    /// ```
    ///
    /// The denominator is the sum of |D| sin^2 of the angles between D and n: 0 only if all segments
    /// are parallel to n.
    pub(super) fn contact(
        &self,
        volume: f64,
        error_bound: f64,
        origin: DVec3,
        pose: &Pose3,
    ) -> Option<ContactVolume<DVec3>> {
        if volume <= 0.0 {
            return None;
        }
        let (area, moment) = (self.area * 0.5, self.moment * (-1.0 / 6.0));
        let squared = area.length_squared();
        let mut point = if self.length > 0.0 {
            self.middle * (1.0 / self.length)
        } else {
            DVec3::ZERO
        };
        if squared > 0.0 {
            let axis = area.cross(moment) * (1.0 / squared);
            let n = area * (1.0 / squared.sqrt());
            let [x, y, z] = self.tensor;
            let along = x * n.x + y * n.y + z * n.z;
            let below = self.length - n.dot(along);
            let above = n.dot(self.swept) - axis.dot(n * self.length - along);
            let lambda = if below > 0.0 {
                above / below
            } else {
                n.dot(point)
            };
            point = axis + n * lambda;
        }
        Some(ContactVolume {
            kind: IntersectionKind::Crossing,
            volume,
            error_bound,
            area_vector: pose.transform_vector(area),
            point: pose.transform_point(origin + point),
            moment_vector: pose.transform_vector(moment - point.cross(area)),
        })
    }
}

/// A volume as a sum over the parts of a surface, relative to an origin near the surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Volume {
    /// 6 V, and the rounding error of the sum.
    six: [f64; 2],
    /// A bound of the error of 6 V.
    six_error: f64,
}

impl Volume {
    /// Adds a part with a point and twice its area vector. `error` bounds the error of `point . double_area`.
    #[inline]
    pub(super) fn add(&mut self, point: DVec3, double_area: DVec3, error: f64) {
        let (sum, rest) = two_sum(self.six[0], point.dot(double_area));
        self.six = [sum, self.six[1] + rest];
        self.six_error += error;
    }

    /// Adds the volume of a closed surface.
    pub(super) fn add_whole(&mut self, volume: f64) {
        self.six[1] += 6.0 * volume;
        self.six_error += 6.0 * WHOLE * volume.abs();
    }

    /// Returns V.
    pub(super) fn volume(&self) -> f64 {
        (self.six[0] + self.six[1]) / 6.0
    }

    /// Returns a bound of the error of V.
    pub(super) fn error(&self) -> f64 {
        self.six_error / 6.0
    }
}
