//! Exact tests whether a path crosses a facet, and points that move along with a facet.

use glam::{DVec2, DVec3};

use crate::math::tolerance::CARRIED_POINT;
use crate::math::{
    Vector, closest_on_segment, closest_on_triangle, direction, orient2d, orient3d, unit_normal,
};

/// Iterates over the triangles of a polygon around its corner with the lowest id.
pub(super) fn fan(ids: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let first = (0..ids.len()).min_by_key(|&i| ids[i]).unwrap_or(0);
    let id = move |i: usize| ids[(first + i) % ids.len()];
    (2..ids.len()).map(move |i| [id(0), id(i - 1), id(i)])
}

/// Returns whether a line that crosses a triangle starts in front of it; `None` if it does not cross.
///
/// The line may cross at the boundary of the triangle, and may end on the triangle. A line that starts in the plane of
/// the triangle does not cross.
pub(super) fn across_triangle([a, b, c]: [DVec3; 3], from: DVec3, to: DVec3) -> Option<bool> {
    let (before, after) = (orient3d(a, b, c, from), orient3d(a, b, c, to));
    if before == 0.0 || before * after.signum() > 0.0 && after != 0.0 {
        return None;
    }
    let around = [[a, b], [b, c], [c, a]].map(|[p, q]| orient3d(from, to, p, q));
    let is_inside = around.iter().all(|&s| s >= 0.0) || around.iter().all(|&s| s <= 0.0);
    is_inside.then_some(before > 0.0)
}

/// As [`across_triangle`], for a segment, whose front is on its right.
pub(super) fn across_segment([a, b]: [DVec2; 2], from: DVec2, to: DVec2) -> Option<bool> {
    let (before, after) = (orient2d(a, b, from), orient2d(a, b, to));
    if before == 0.0 || before * after.signum() > 0.0 && after != 0.0 {
        return None;
    }
    let (first, second) = (orient2d(from, to, a), orient2d(from, to, b));
    let is_inside = (first >= 0.0 && second <= 0.0) || (first <= 0.0 && second >= 0.0);
    is_inside.then_some(before < 0.0)
}

/// Returns the vector from a facet to a point near it, lengthened to at least the rounding error.
///
/// `side` is positive if the point is on the side of the normal.
fn lifted<V: Vector>(offset: V, normal: V, side: f64, corners: &[V]) -> V {
    let size = (corners.iter()).fold(0.0, |size: f64, c| size.max(c.length()));
    let least = CARRIED_POINT * size;
    if side != 0.0 && offset.length() < least {
        normal * least.copysign(side)
    } else {
        offset
    }
}

/// Moves a point with the closest point of a triangle that moves and deforms, at the same height above
/// it.
pub(super) fn along_triangle(point: DVec3, before: [DVec3; 3], now: [DVec3; 3]) -> DVec3 {
    let closest = closest_on_triangle(point, before);
    let on = point + closest.offset;
    let [normal, new_normal] = [before, now].map(|corners| unit_normal(3, |i| corners[i]));
    // The area of the triangle formed by a side and the closest point.
    let area = |i: usize| {
        let [p, q] = [before[(i + 1) % 3] - on, before[(i + 2) % 3] - on];
        normal.dot(p.cross(q)).max(0.0)
    };
    let areas = [0, 1, 2].map(area);
    let sum = areas[0] + areas[1] + areas[2];
    let moved = if sum > 0.0 {
        let weighted = |i: usize| (now[i] - before[i]) * (areas[i] / sum);
        weighted(0) + weighted(1) + weighted(2)
    } else {
        now[0] - before[0]
    };
    let frame = |normal: DVec3, [a, b, _]: [DVec3; 3]| {
        let along = direction(b - a, a.distance(b))?;
        (normal != DVec3::ZERO).then(|| [along, normal.cross(along), normal])
    };
    let Some((old, new)) = frame(normal, before).zip(frame(new_normal, now)) else {
        return point + moved;
    };
    let [a, b, c] = before;
    let side = orient3d(a, b, c, point);
    let height = lifted(-closest.offset, normal, side, &before);
    let rotated = |i: usize| new[i] * old[i].dot(height);
    on + moved + (rotated(0) + rotated(1) + rotated(2))
}

/// As [`along_triangle`], with a segment.
pub(super) fn along_segment(point: DVec2, before: [DVec2; 2], now: [DVec2; 2]) -> DVec2 {
    let closest = closest_on_segment(point, before[0], before[1]);
    let on = point + closest.offset;
    let [old, new] = [before, now].map(|[a, b]| direction(b - a, a.distance(b)));
    let Some((old, new)) = old.zip(new) else {
        return point + (now[0] - before[0]);
    };
    let part = on.distance(before[0]) / before[0].distance(before[1]);
    let moved = (now[0] - before[0]).lerp(now[1] - before[1], part);
    let side = orient2d(before[0], before[1], point);
    let height = lifted(-closest.offset, old.perp(), side, &before);
    on + moved + new * old.dot(height) + new.perp() * old.perp_dot(height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::workload::SplitMix64;

    /// A point moves rigidly with a segment, at the same fraction of its length if that changes, and stays on its side.
    #[test]
    fn points_move_along_with_segments() {
        let mut random = SplitMix64::new(8);
        let mut vector = || DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        for _ in 0..1000 {
            let [a, b, shift, along] = [(); 4].map(|()| vector());
            let turn = DVec2::from_angle(3.0 * along.x);
            let length = 1.0 + 0.5 * along.y;
            let unit = (b - a).normalize();
            // Above the segment, beside its end, and so near that rounding could move it to the other side.
            for (part, height) in [(0.3, 0.7), (1.0, -0.2), (0.6, 1e-17)] {
                let at = |part: f64| a.lerp(b, part) + unit.perp() * height;
                let now = [a, a.lerp(b, length)].map(|x| turn.rotate(x) + shift);
                let expected = now[0].lerp(now[1], part) + turn.rotate(unit.perp() * height);
                let moved = along_segment(at(part), [a, b], now);
                assert!(moved.distance(expected) < 1e-11, "{moved} {expected}");
                let side = orient2d(a, b, at(part));
                assert!(side == 0.0 || side * orient2d(now[0], now[1], moved) > 0.0);
            }
        }
        let still = [DVec2::ONE; 2];
        let moved = along_segment(DVec2::Y, still, [DVec2::X, DVec2::ZERO]);
        assert_eq!(moved, DVec2::Y + DVec2::X - DVec2::ONE);
    }

    /// A point near a triangle that is a point, or a segment, moves with its first corner or along the segment.
    #[test]
    fn points_move_along_with_triangles_without_area() {
        let (point, shift) = (DVec3::new(0.5, 2.0, -3.0), DVec3::new(1.0, -4.0, 0.25));
        let dot = [DVec3::new(0.5, 1.0, 1.0); 3];
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 3.0];
        for before in [dot, line] {
            let now = before.map(|corner| corner + shift);
            assert_eq!(along_triangle(point, before, now), point + shift);
        }
    }
}
