//! The conventional search for the common plane, which the paper of 2004 compares itself with.

use crate::math::{Pose, Vector, direction};

/// The plane that [`cundall_common_plane`] ends at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CundallPlane<V = glam::DVec3> {
    /// Unit, from the first body to the second.
    pub normal: V,
    /// Over all vertices.
    pub gap: f64,
    /// How many planes were tried.
    pub tried: u32,
}

/// The common plane by turning it: P. A. Cundall, "Formulation of a three-dimensional distinct
/// element model, part I", International Journal of Rock Mechanics and Mining Sciences 25 (1988)
/// 107-116, as told in section 4 of the paper of 2004.
///
/// `a` and `b` are the vertices of convex bodies, each in its own coordinates; `relative` is the
/// pose of the second in the frame of the first, in which normals are. From `start`, which need not
/// be unit, the plane is turned forth and back about each of two axes in it (one in 2D). What is
/// better replaces it; if none is, the angle is halved. The tangent of the angle begins with
/// `angles[0]` and the search ends when it is below `angles[1]`, or the gap beyond `limit`.
///
/// A gap costs O(vertices), with no memory: it is meant to be no slower than it has to be. It is
/// not exact: where the gap has a ridge, no turn about either axis may be better though others are.
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
    let normal = direction(start, start.length()).unwrap_or(V::X);
    let mut best = CundallPlane {
        normal,
        gap: gap(normal),
        tried: 1,
    };
    // A gain counts if it is more than a millionth of what a turn can bring: else the search might
    // creep along a ridge for as long as rounding lets it.
    let square = |v: &[V]| v.iter().fold(0.0_f64, |x, v| x.max(v.length_squared()));
    let size = square(a).sqrt() + square(b).sqrt();
    let mut angle = angles[0];
    while angle >= angles[1] && best.gap <= limit {
        let before = best.gap;
        for turn in turns(best.normal).into_iter().take(2 * (V::DIM - 1)) {
            let turned = best.normal + turn * angle;
            let normal = turned * (1.0 / turned.length());
            let gap = gap(normal);
            best.tried += 1;
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

/// Unit vectors along the axes of a plane, forth and back; in 2D the first two are all.
fn turns<V: Vector>(normal: V) -> [V; 4] {
    let unit = |k: usize| V::from_fn(|i| f64::from(u8::from(i == k)));
    let without = |v: V, n: V| v - n * v.dot(n);
    let by_size = |i: &usize, j: &usize| normal[*i].abs().total_cmp(&normal[*j].abs());
    let k = (0..V::DIM).min_by(by_size).unwrap_or(0);
    let first = without(unit(k), normal);
    let first = first * (1.0 / first.length());
    // Of the others one is not in the span of both.
    let rest = (0..V::DIM).map(|j| without(without(unit(j), normal), first));
    let by_length = |v: &V, w: &V| v.length_squared().total_cmp(&w.length_squared());
    let second = rest.max_by(by_length).unwrap_or(first);
    let length = second.length();
    let second = if length > 0.0 {
        second * (1.0 / length)
    } else {
        first
    };
    [first, -first, second, -second]
}
