//! Winding numbers of closed boundaries around a point, by exact signs.
//!
//! A point on the boundary is shifted by (e, e^2, e^3) for an infinitesimal e > 0.

use glam::{DVec2, DVec3};

use super::face::{infinitesimal, passes};
use super::outside::way_out;
use super::side_crossing::side_of;
use crate::math::{Pose, Vector, first_of_cross, orient3d};
use crate::shape::BoxTree;

/// Returns how often the facets of a tree wind around a point. `leaves` returns 1 if a segment leaves
/// through a facet, -1 if it enters and 0 if it misses.
///
/// `pose` takes the coordinates of the tree to those of the point and of the segment.
pub(super) fn winding_around<V: Vector>(
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

/// Returns on which side of a triangle a point is, positive in front; 0 only without area.
pub(super) fn side_of_triangle([a, b, c]: [DVec3; 3], point: DVec3) -> f64 {
    let side = orient3d(a, b, c, point);
    if side == 0.0 {
        infinitesimal(first_of_cross([a, b], [a, c]))
    } else {
        side
    }
}

/// Returns 1 if a segment leaves through a triangle, -1 if it enters and 0 if it misses.
pub(super) fn leaves_triangle(corners: [DVec3; 3], segment: [DVec3; 2]) -> i32 {
    let ends = segment.map(|point| side_of_triangle(corners, point));
    leaves(ends, |k| {
        passes([segment, [corners[k], corners[(k + 1) % 3]]])
    })
}

/// Returns the same from signs: the sides of the triangle that the ends are on, and on which side the
/// segment passes each edge.
pub(super) fn leaves([start, end]: [f64; 2], passes: impl Fn(usize) -> f64) -> i32 {
    if start == 0.0 || (start > 0.0) == (end > 0.0) {
        return 0;
    }
    let is_first = passes(0) > 0.0;
    if (1..3).any(|k| (passes(k) > 0.0) != is_first) {
        0
    } else if start < 0.0 {
        1
    } else {
        -1
    }
}

/// Returns 1 if a segment leaves across the side of a polygon, -1 if it enters and 0 if it misses.
///
/// `moves` is 1 if the symbolic perturbation moves the segment, -1 if it moves the side.
pub(super) fn leaves_side(side: [DVec2; 2], segment: [DVec2; 2], moves: f64) -> i32 {
    let ends = segment.map(|point| side_of(side, point, moves) > 0.0);
    let corners = side.map(|point| side_of(segment, point, -moves) > 0.0);
    if ends[0] == ends[1] || corners[0] == corners[1] {
        0
    } else if ends[0] {
        1
    } else {
        -1
    }
}
