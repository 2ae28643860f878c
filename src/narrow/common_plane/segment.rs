//! The common plane of two segments or points, in closed form.
//!
//! Let the segments be `s u` and `w + t v`, with s and t in [-1, 1]. Seen along `c = u x v` their lines cross at
//! `s = c.(w x v) / c^2`. The closest points are there, or an end of one segment and its projection onto the other (C.
//! Ericson, "Real-time collision detection", 2005, section 5.1.9). His denominator, the squared sine, cancels for almost
//! parallel segments. There c is computed from exact products.
//!
//! The Minkowski difference of two segments is flat, so they never overlap: their gap is at least 0.

use glam::DVec3;

use super::feature_pair::{Plane, across, clearest_normal};
use crate::math::tolerance::{EDGE_SINE_SQUARED, GAP_BOUNDS, GAP_ERROR};
use crate::math::{Pose3, closest_on_segments, cross_of_differences, direction};
use crate::narrow::pair_frame::lesser;
use crate::shape::{Core, Feature};

/// Segments with a smaller sine are parallel: their distance changes by less than [`GAP_BOUNDS`] of the length.
const PARALLEL: f64 = 0.5 * GAP_BOUNDS;

/// A segment in the axes of the world, relative to a point: its middle and half its length.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    origin: DVec3,
    middle: DVec3,
    half: DVec3,
    /// Half its length, or the largest coordinate of the middle in the shape if that is larger.
    size: f64,
}

impl Axis {
    /// Creates the axis of a point or segment at a pose.
    #[inline(always)]
    pub(super) fn new(core: Core, pose: &Pose3) -> Self {
        let (middle, half, size) = match core {
            Core::Point(center) => (*center, DVec3::ZERO, center.abs().max_element()),
            Core::Segment(body) | Core::Polyhedron(body) => {
                let half = pose.transform_vector(body.edges[0].along * 0.5);
                (body.center, half, body.circumscribed.max(body.remoteness))
            }
        };
        Self {
            origin: pose.translation(),
            middle: rotated(pose, middle),
            half,
            size,
        }
    }

    /// Returns the part of the segment at `s`, a vertex or the edge.
    fn feature(&self, s: f64) -> Feature {
        // From a table, because no branch here can be predicted.
        const FEATURES: [Feature; 3] =
            [Feature::Vertex(0), Feature::Edge(0, 1), Feature::Vertex(1)];
        let place = usize::from(s > -1.0) + usize::from(s >= 1.0);
        FEATURES[place * usize::from(self.half != DVec3::ZERO)]
    }
}

/// Returns a rotated vector. Most centers are 0.
#[inline(always)]
pub(super) fn rotated(pose: &Pose3, x: DVec3) -> DVec3 {
    if x == DVec3::ZERO {
        x
    } else {
        pose.transform_vector(x)
    }
}

/// Returns the plane of two segments in the world, `None` beyond `reach`.
#[inline(always)]
pub(super) fn plane(cores: [Core; 2], poses: [&Pose3; 2], reach: f64) -> Option<Plane> {
    let [p, q] = [Axis::new(cores[0], poses[0]), Axis::new(cores[1], poses[1])];
    let (u, v) = (p.half, q.half);
    let w = (q.origin - p.origin) + (q.middle - p.middle);
    let [s, t] = closest(u, v, w);
    let between = w + v * t - u * s;
    let gap = between.length();
    // False for NaN.
    let is_near = gap < reach;
    if !is_near {
        return None;
    }
    let [x, y, z] = w.abs().to_array();
    let size = -lesser(lesser(-x, -y), lesser(-z, -(p.size + q.size)));
    let normal = direction(between, gap).unwrap_or(DVec3::ZERO);
    let is_clear = gap > 0.0 && gap - gap_along(u, v, w, normal) <= 0.75 * GAP_BOUNDS * size;
    let (normal, open) = if is_clear {
        (normal, 0.0)
    } else {
        clearest([u, v, w], normal, gap, size)
    };
    Some(Plane {
        gap,
        normal,
        on_p: p.origin + (p.middle + u * s),
        inset: 0.0,
        thickness: 0.0,
        features: [p.feature(s), q.feature(t)],
        error_bound: size * GAP_ERROR + open,
    })
}

/// Returns the gap along a unit normal.
#[inline(always)]
fn gap_along(u: DVec3, v: DVec3, w: DVec3, normal: DVec3) -> f64 {
    w.dot(normal) - (u.dot(normal).abs() + v.dot(normal).abs())
}

/// Returns the cross product of two half axes, 0 if they are parallel to rounding.
fn cross(u: DVec3, v: DVec3) -> DVec3 {
    let cross = cross_of_differences([DVec3::ZERO, u], [DVec3::ZERO, v]);
    let scale = u.length_squared() * v.length_squared();
    if cross.length_squared() > PARALLEL * PARALLEL * scale {
        cross
    } else {
        DVec3::ZERO
    }
}

/// Returns where the closest points are on both segments.
#[inline(always)]
fn closest(u: DVec3, v: DVec3, w: DVec3) -> [f64; 2] {
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    // c^2, from its definition by products.
    let (area_squared, lengths) = (uu * vv - uv * uv, uu * vv);
    if area_squared <= EDGE_SINE_SQUARED * lengths && lengths > 0.0 {
        return closest_of_parallel(u, v, w);
    }
    let inverses = [uu, vv].map(|squared| if squared > 0.0 { 1.0 / squared } else { 0.0 });
    closest_on_segments([u, v, w], inverses)
}

/// Does the same for segments at any angle.
#[inline(never)]
fn closest_of_parallel(u: DVec3, v: DVec3, w: DVec3) -> [f64; 2] {
    let cross = cross(u, v);
    let on_p = |x: DVec3| ratio(u.dot(x), u.length_squared());
    let on_q = |x: DVec3| ratio(v.dot(x), v.length_squared());
    let s = if cross == DVec3::ZERO {
        // The middle of the part of p beside q.
        0.5 * (on_p(w - v) + on_p(w + v))
    } else {
        ratio(cross.dot(w.cross(v)), cross.length_squared())
    };
    let t = on_q(u * s - w);
    [on_p(w + v * t), t]
}

/// Returns a ratio limited to [-1, 1], 0 for 0 / 0.
fn ratio(x: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        (x / whole).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

/// Returns the clearest normal, with what its gap lacks: across both segments where their lines cross, across one of them at
/// its inside, or between the closest points. At a gap of 0 any normal across all that meets there will do.
#[cold]
#[inline(never)]
fn clearest([u, v, w]: [DVec3; 3], normal: DVec3, gap: f64, size: f64) -> (DVec3, f64) {
    let beside = |axis: DVec3| across(normal, axis.normalize_or_zero());
    let longest = if u.length_squared() < v.length_squared() {
        v
    } else {
        u
    };
    let any = direction(longest, longest.length());
    let any = any.map_or(DVec3::X, |n| n.any_orthonormal_vector());
    let cross = cross(u, v);
    let cross = cross * 1.0_f64.copysign(cross.dot(w));
    let normals = [cross, beside(u), beside(v), normal, any];
    clearest_normal(normals, normal, |n| gap_along(u, v, w, n), gap, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// An end has the feature of its vertex, also exactly at the end; between them is the edge. A point has one vertex.
    #[test]
    fn features_along_a_segment() {
        let axis = |half: DVec3| Axis {
            origin: DVec3::ZERO,
            middle: DVec3::ZERO,
            half,
            size: 1.0,
        };
        let [first, edge, last] = [Feature::Vertex(0), Feature::Edge(0, 1), Feature::Vertex(1)];
        let found = [-1.0, -0.5, 0.5, 1.0].map(|s| axis(DVec3::X).feature(s));
        assert_eq!(found, [first, edge, edge, last]);
        let found = [-1.0, 0.5, 1.0].map(|s| axis(DVec3::ZERO).feature(s));
        assert_eq!(found, [first; 3]);
    }

    /// The rounding of a gap hides a tilt of the normal: the vector across both segments is not taken for the one between
    /// the closest points.
    #[test]
    fn normal_of_a_small_gap() {
        let mut random = SplitMix64::new(1);
        for _ in 0..1000 {
            let v = random.in_ball();
            let any = v.normalize().any_orthonormal_vector();
            let tilt = any.cross(v) * random.range(1e-7, 1e-3);
            let direction = across((any + tilt).normalize(), v.normalize());
            let w = direction * 1e-9 + v * 0.5;
            let (normal, open) = clearest([DVec3::ZERO, v, w], direction, 1e-9, 2.0);
            assert!((normal - direction).length() < 1e-14 && open == 0.0);
        }
    }
}
