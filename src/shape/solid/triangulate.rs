use glam::DVec3;

use crate::math::cross_of_differences;

/// Cuts a convex polygon into triangles with area, in the direction of the polygon.
///
/// Let F be a corner inside an edge, on the line L. The fan around F has triangles without area only
/// on L, because no other edge lies on a line through F. The corners of L therefore join the first
/// and last corner off L instead. Without such a corner the fan around any corner will do.
pub(super) fn triangulate(ids: &[u32], vertices: &[DVec3]) -> impl Iterator<Item = [u32; 3]> {
    let count = ids.len();
    let position = |i: usize| vertices[ids[i % count] as usize];
    let is_on_line = |i: usize, j: usize, k: usize| {
        let [a, b, c] = [i, j, k].map(position);
        cross_of_differences([a, b], [a, c]) == DVec3::ZERO
    };
    let flat = (0..count).find(|&i| is_on_line(i + count - 1, i, i + 1));
    let center = flat.unwrap_or(0);
    let is_on_flat = |step: &usize| is_on_line(center + count - 1, center + 1, center + step);
    // How many corners follow the center on its line, and how many come before it.
    let (after, before) = match flat {
        Some(_) => (
            (1..count - 2).take_while(is_on_flat).count(),
            (3..count).rev().take_while(is_on_flat).count(),
        ),
        None => (0, 0),
    };
    let (first, last) = (after + 1, (count - 1 - before).max(after + 1));
    let fan = move |apex: usize, steps: std::ops::Range<usize>| {
        steps.map(move |step| [apex, step, step + 1].map(|step| ids[(center + step) % count]))
    };
    let around_first = fan(first, 0..after);
    let around_center = fan(0, first..last);
    around_first
        .chain(around_center)
        .chain(fan(last, last + 1..count))
}
