//! The side or corner of a convex polygon nearest to a point.

use glam::DVec2;

use super::Nearest;
use crate::math::{Location, direction, from_origin_to_segment, lexicographic, orient2d};
use crate::shape::Feature;

/// Returns the point of the boundary nearest to a center. `None` only without corners.
pub(super) fn nearest(vertices: &[DVec2], center: DVec2) -> Option<Nearest<DVec2>> {
    let count = vertices.len();
    let side = |i: usize| {
        [
            vertices[i],
            vertices[if i + 1 == count { 0 } else { i + 1 }],
        ]
    };
    let normal = |i: usize| {
        let [a, b] = side(i);
        let along = b - a;
        direction(DVec2::new(along.y, -along.x), along.length()).unwrap_or(DVec2::X)
    };
    let sides = || (0..count).map(side);
    let is_inside = sides().all(|[a, b]| orient2d(a, b, center) >= 0.0);
    let mut best: Option<Nearest<DVec2>> = None;
    for (i, ends) in sides().enumerate() {
        let closest = from_origin_to_segment(ends[0] - center, ends[1] - center);
        let (feature, outward) = match closest.location {
            // For a center inside, only rounding can make a corner the nearest point: its side is
            // taken.
            Location::Vertex(end) if !is_inside => {
                let corner = (i + end) % count;
                let distance = closest.distance_squared.sqrt();
                let outward = direction(-closest.offset, distance).unwrap_or_else(|| normal(i));
                (Feature::Vertex(corner as u32), outward)
            }
            _ => (Feature::Facet(i as u32), normal(i)),
        };
        let distance = closest.distance_squared.sqrt();
        let next = Nearest {
            offset: closest.offset,
            normal: outward,
            distance: if is_inside { -distance } else { distance },
            feature,
        };
        let is_nearer = best.as_ref().is_none_or(|best| {
            let by_normal = || lexicographic(next.normal, best.normal);
            let order = distance.total_cmp(&best.distance.abs());
            order.then_with(by_normal).is_lt()
        });
        if is_nearer {
            best = Some(next);
        }
    }
    best
}
