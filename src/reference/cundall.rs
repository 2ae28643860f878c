//! The conventional search for the common plane, to which Nezami et al. (2004) compare theirs.

use crate::math::{Pose, Vector, direction};

/// The result of [`cundall_common_plane`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CundallPlane<V = glam::DVec3> {
    /// The unit normal from the first body to the second.
    pub normal: V,
    /// The gap along the normal, over all vertices.
    pub gap: f64,
    /// The number of planes that were tried.
    pub tried: u32,
}

/// The largest tangent, almost a quarter turn.
const MOST: f64 = (1 << 20) as f64;
/// The smallest tangent, a quarter of the spacing of numbers above 1.
const LEAST: f64 = f64::EPSILON / 4.0;

/// Searches the common plane by rotating it in both directions about axes in the plane.
///
/// P. A. Cundall, "Formulation of a three-dimensional distinct element model, part I", International Journal of Rock
/// Mechanics and Mining Sciences 25 (1988) 107-116, as described in section 4 of Nezami et al. (2004). There are two
/// axes in 3D, one in 2D. A better plane replaces the current one. If no plane is better, the angle is halved.
///
/// `a` and `b` are the vertices of convex bodies, each in its own coordinates. `relative` is the pose of the
/// second body in the frame of the first, which is the frame of the normals. `start` need not be a unit vector.
/// The tangent of the angle starts at `angles[0]`. The search ends if it is below `angles[1]`, or if the gap
/// exceeds `limit`.
///
/// The search ends for any input. A tangent above 2^20 counts as 2^20, almost a quarter turn. Below 2^-54, rotations
/// change the gap by less than its rounding error: this ends the search too, also for an `angles[1]` of 0. If
/// `angles[0]` is below that or one of them is NaN, only the first plane is tried. The first normal is along x if the
/// length of `start` is 0 or not finite.
///
/// Each gap costs O(vertices). The result is not exact: at a ridge of the gap, rotations about the two axes may not
/// help although others would.
pub fn cundall_common_plane<V: Vector>(
    a: &[V],
    b: &[V],
    relative: &Pose<V>,
    start: V,
    angles: [f64; 2],
    limit: f64,
) -> CundallPlane<V> {
    let gap = |m: V| {
        let local = relative.inverse_transform_vector(m);
        let far = a.iter().fold(f64::NEG_INFINITY, |x, &v| x.max(m.dot(v)));
        let near = b.iter().fold(f64::INFINITY, |x, &v| x.min(local.dot(v)));
        near - far + m.dot(relative.translation())
    };
    let length = start.length();
    let normal = direction(start, length).filter(|_| length.is_finite());
    let normal = normal.unwrap_or(V::X);
    let mut best = CundallPlane {
        normal,
        gap: gap(normal),
        tried: 1,
    };
    // A gain must exceed a millionth of the largest possible one, or the search might creep along a ridge.
    let square = |v: &[V]| v.iter().fold(0.0_f64, |x, v| x.max(v.length_squared()));
    let size = square(a).sqrt() + square(b).sqrt();
    let mut angle = if angles[0] > MOST { MOST } else { angles[0] };
    while angle >= LEAST && angle >= angles[1] && best.gap <= limit {
        let before = best.gap;
        for turn in turns(best.normal).into_iter().take(2 * (V::DIM - 1)) {
            let turned = best.normal + turn * angle;
            let normal = turned * (1.0 / turned.length());
            let gap = gap(normal);
            best.tried = best.tried.saturating_add(1);
            if gap > best.gap + 1e-6 * angle * size {
                best = CundallPlane {
                    normal,
                    gap,
                    ..best
                };
            }
        }
        if best.gap <= before {
            angle *= 0.5;
        }
    }
    best
}

/// Returns unit vectors along the axes of a plane, in both directions; 2D uses the first two.
fn turns<V: Vector>(normal: V) -> [V; 4] {
    let unit = |k: usize| V::from_fn(|i| f64::from(u8::from(i == k)));
    let without = |v: V, n: V| v - n * v.dot(n);
    let by_size = |i: &usize, j: &usize| normal[*i].abs().total_cmp(&normal[*j].abs());
    let k = (0..V::DIM).min_by(by_size).unwrap_or(0);
    let first = without(unit(k), normal);
    let first = first * (1.0 / first.length());
    // At least one coordinate axis is not in the span of the normal and `first`.
    let rest = (0..V::DIM).map(|j| without(without(unit(j), normal), first));
    let by_length = |v: &V, w: &V| v.length_squared().total_cmp(&w.length_squared());
    let second = rest.max_by(by_length).unwrap_or(first);
    let second = direction(second, second.length()).unwrap_or(first);
    [first, -first, second, -second]
}
