//! Winding numbers of closed boundaries around a point, by exact signs.
//!
//! A point on the boundary is shifted by (e, e^2, e^3) for an infinitesimal e > 0.

use crate::math::tolerance::two_to;
use crate::math::{Pose, Vector};
use crate::shape::{Aabb, BoxTree};

/// A point this far inside a box is inside, although two poses have rounded it. Relative to its
/// distance from the origins.
const INSIDE_BOX: f64 = two_to(-40);

/// Returns how often the facets of a tree wind around a point. `leaves` returns 1 if a segment leaves
/// through a facet, -1 if it enters and 0 if it misses.
///
/// `pose` takes the coordinates of the tree to those of the point and of the segment.
pub(crate) fn winding_around<V: Vector>(
    tree: &BoxTree<V>,
    pose: &Pose<V>,
    point: V,
    mut leaves: impl FnMut(u32, [V; 2]) -> i32,
) -> i32 {
    let bounds = tree.bounds().unwrap_or_default();
    let Some((outside, query)) = way_out(&bounds, pose, point) else {
        return 0;
    };
    let mut winding = 0;
    tree.for_each_touching(&query, |facet| winding += leaves(facet, [point, outside]));
    winding
}

/// Returns the end of a segment from a point to outside a body's box, and a box around the segment.
/// The end is in the common frame, the box in the body's own coordinates.
///
/// `pose` takes the body's coordinates to the common frame. `None` means that the point is certainly
/// outside. The point was rounded in the common frame and is rounded again in the body's coordinates.
/// So these coordinates do not decide near a face of the box.
pub(super) fn way_out<V: Vector>(
    bounds: &Aabb<V>,
    pose: &Pose<V>,
    point: V,
) -> Option<(V, Aabb<V>)> {
    let local = pose.inverse_transform_point(point);
    let (below, above) = (local - bounds.min, bounds.max - local);
    let distance = |axis: usize| below[axis].min(above[axis]);
    let nearer = |a: usize, b: usize| if distance(b) < distance(a) { b } else { a };
    let axis = (1..V::DIM).fold(0, nearer);
    let slack = || INSIDE_BOX * (local.length() + pose.translation().length());
    if distance(axis) < 0.0 && distance(axis) < -slack() {
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
    let slack = slack() + INSIDE_BOX * outside.length();
    let query = Aabb::enclosing([local, outside]).grown(slack);
    Some((pose.transform_point(outside), query))
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::math::Pose3;

    /// The segment leaves through the nearest face, by the largest side of the box. For a box far
    /// away its box includes the rounding of the pose.
    #[test]
    fn nearest_face() {
        let size = DVec3::new(4.0, 2.0, 1.0);
        let bounds = Aabb::new(-size, size).unwrap();
        let far = DVec3::new(1024.0, 0.0, 0.0);
        let pose = Pose3::new(DQuat::IDENTITY, far).unwrap();
        for (local, end) in [
            ((1.0, 0.5, 0.75), (1.0, 0.5, 9.0)),
            ((1.0, 0.5, -0.75), (1.0, 0.5, -9.0)),
            ((1.0, -1.75, 0.5), (1.0, -10.0, 0.5)),
            ((3.875, 1.0, 0.0), (12.0, 1.0, 0.0)),
        ] {
            let [local, end] = [local, end].map(|(x, y, z)| DVec3::new(x, y, z));
            let (outside, query) = way_out(&bounds, &pose, local + far).unwrap();
            assert_eq!(outside, end + far);
            let slack = DVec3::splat(1024.0 * f64::EPSILON);
            assert!((query.min + slack).cmple(local.min(end)).all());
            assert!((query.max - slack).cmpge(local.max(end)).all());
        }
        assert!(way_out(&bounds, &pose, far + DVec3::Z * 1.25).is_none());
    }
}
