//! Detects surfaces that intersect themselves.

use glam::DVec3;

use super::triangulation::Triangulation;
use crate::math::{Pose3, orient3d};

/// Returns the lowest pair of triangles such that an edge of one crosses the other.
///
/// Exact signs decide. The ends of the edge must be on different sides of the other triangle's plane.
/// Triangles that share a vertex or overlap in a plane therefore do not count.
pub(super) fn first_intersection(solid: &Triangulation) -> Option<[u32; 2]> {
    let mut first: Option<[u32; 2]> = None;
    let tree = solid.tree();
    tree.for_each_pair(tree, &Pose3::IDENTITY, |i, j| {
        let is_lower = i < j && first.is_none_or(|first| [i, j] < first);
        if is_lower && cross([i, j].map(|facet| solid.corners(facet)), |s| s >= 0.0) {
            first = Some([i, j]);
        }
    });
    first
}

/// Returns whether an edge of one of two triangles crosses the other's plane where `is_inside` says so,
/// of the sides on which the edge passes the other's edges, all with the same sign.
pub(super) fn cross([t, u]: [[DVec3; 3]; 2], is_inside: impl Fn(f64) -> bool) -> bool {
    let is_crossed = |[a, b, c]: [DVec3; 3], by: [DVec3; 3]| {
        // Exact signs of 0 are slow, and most triangles of a fan have a common vertex.
        let height = |p: DVec3| match p == a || p == b || p == c {
            true => 0.0,
            false => orient3d(a, b, c, p),
        };
        let heights = by.map(height);
        (0..3).any(|i| {
            let j = (i + 1) % 3;
            let [p, q] = [by[i], by[j]];
            let is_through = heights[i].min(heights[j]) < 0.0 && heights[i].max(heights[j]) > 0.0;
            // Few edges pass through the plane.
            is_through && {
                let sides = [[a, b], [b, c], [c, a]].map(|[v, w]| orient3d(p, q, v, w));
                sides.iter().all(|&s| is_inside(s)) || sides.iter().all(|&s| is_inside(-s))
            }
        })
    };
    is_crossed(t, u) || is_crossed(u, t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One edge through the other triangle is enough, in any order. Touching triangles do not cross.
    #[test]
    fn triangles_that_cross() {
        let corners = |z: f64| [(-9.0, -9.0, z), (9.0, -9.0, z), (0.0, 9.0, z)];
        let wide = corners(0.0).map(DVec3::from);
        let needle =
            |tip: f64| [(0.0, 0.0, tip), (0.1, 0.0, 4.0), (0.0, 0.1, 4.0)].map(DVec3::from);
        for (other, expected) in [
            (needle(-1.0), true),
            (needle(0.0), false),
            (needle(1.0), false),
            (corners(1.0).map(DVec3::from), false),
            (corners(0.0).map(DVec3::from), false),
        ] {
            assert_eq!(cross([wide, other], |s| s >= 0.0), expected, "{other:?}");
            assert_eq!(cross([other, wide], |s| s >= 0.0), expected, "{other:?}");
        }
    }
}
