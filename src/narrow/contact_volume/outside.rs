use crate::math::{Pose, Vector};
use crate::shape::Aabb;

/// Where a segment from a point ends that leaves a body's box through its nearest face, in the
/// common frame, and a box around it in the body's own; `None` for a point out of the box. `pose`
/// takes the body's coordinates to the common frame.
pub(super) fn way_out<V: Vector>(
    bounds: &Aabb<V>,
    pose: &Pose<V>,
    point: V,
) -> Option<(V, Aabb<V>)> {
    let local = pose.inverse_point(point);
    let (below, above) = (local - bounds.min, bounds.max - local);
    let distance = |axis: usize| below[axis].min(above[axis]);
    let nearer = |a: usize, b: usize| if distance(b) < distance(a) { b } else { a };
    let axis = (1..V::DIM).fold(0, nearer);
    if distance(axis) < 0.0 {
        return None;
    }
    let size = bounds.size();
    let step = (0..V::DIM).fold(0.0, |step: f64, axis| step.max(size[axis]));
    let outside = V::from_fn(|i| {
        if i != axis {
            local[i]
        } else if below[i] < above[i] {
            bounds.min[i] - step
        } else {
            bounds.max[i] + step
        }
    });
    const ROUNDING: f64 = f64::from_bits((1023 - 40) << 52);
    let reach = local.length() + outside.length() + pose.translation().length();
    let slack = V::splat(ROUNDING * reach);
    let query = Aabb {
        min: local.min(outside) - slack,
        max: local.max(outside) + slack,
    };
    Some((pose.point(outside), query))
}
