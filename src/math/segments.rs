use super::Vector;

/// Returns the closest points of two segments, in half lengths from their centers.
///
/// `u` and `v` are the half segments, `w` is the vector between their centers, and the inverses are `1 / u^2` and
/// `1 / v^2`, 0 for a point. The points minimize a convex function: the first for any point on the other line, then the
/// second for this one, and the first again because the second may have reached an end. So the distance is minimal to
/// rounding, even if the segments are parallel and the points are not unique. See Ericson (2005), section 5.1.9.
#[inline(always)]
pub(crate) fn closest_on_segments<V: Vector>([u, v, w]: [V; 3], inverses: [f64; 2]) -> [f64; 2] {
    let [per_u, per_v] = inverses;
    let product = u.dot(v);
    // The projection of the other center, and that of the other half.
    let (at, by) = (u.dot(w) * per_u, product * per_u);
    let (at_other, by_other) = (v.dot(w) * per_v, product * per_v);
    let s = within((at - at_other * by) / (1.0 - by * by_other));
    let t = within(s * by_other - at_other);
    [within(at + t * by), t]
}

/// Returns the nearest number within [-1, 1], -1 for NaN.
#[inline(always)]
fn within(place: f64) -> f64 {
    let place = if place > -1.0 { place } else { -1.0 };
    if place < 1.0 { place } else { 1.0 }
}
