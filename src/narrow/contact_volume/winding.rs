//! How often a closed boundary winds around a point, by exact signs.
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
pub(in crate::narrow) fn winding_around<V: Vector>(
    tree: &BoxTree<V>,
    point: V,
    leaves: impl Fn(u32, [V; 2]) -> i32,
) -> i32 {
    let bounds = tree.bounds().unwrap_or_default();
    let Some((outside, query)) = way_out(&bounds, &Pose::IDENTITY, point) else {
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
pub(in crate::narrow) fn leaves_triangle(corners: [DVec3; 3], segment: [DVec3; 2]) -> i32 {
    let [start, end] = segment.map(|point| side_of_triangle(corners, point));
    if start == 0.0 || (start > 0.0) == (end > 0.0) {
        return 0;
    }
    let passes = |k: usize| passes([segment, [corners[k], corners[(k + 1) % 3]]]) > 0.0;
    let first = passes(0);
    if passes(1) != first || passes(2) != first {
        0
    } else if start < 0.0 {
        1
    } else {
        -1
    }
}

/// Returns 1 if a segment leaves across the side of a polygon, -1 if it enters and 0 if it misses.
pub(in crate::narrow) fn leaves_side(side: [DVec2; 2], segment: [DVec2; 2]) -> i32 {
    let ends = segment.map(|point| side_of(side, point, 1.0) > 0.0);
    let corners = side.map(|point| side_of(segment, point, -1.0) > 0.0);
    if ends[0] == ends[1] || corners[0] == corners[1] {
        0
    } else if ends[0] {
        1
    } else {
        -1
    }
}
