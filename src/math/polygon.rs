//! Convex polygons as lists of corners.

use glam::DVec2;

use super::Vector;

/// Keeps the part of a convex polygon where a linear function is not negative (Sutherland and Hodgman 1974).
///
/// `uncut` is a buffer.
pub(crate) fn cut<V: Vector>(polygon: &mut Vec<V>, uncut: &mut Vec<V>, height: impl Fn(V) -> f64) {
    if polygon.iter().all(|&x| height(x) >= 0.0) {
        return;
    }
    std::mem::swap(polygon, uncut);
    polygon.clear();
    let (mut from, mut here) = (uncut[0], height(uncut[0]));
    for &to in uncut[1..].iter().chain([&uncut[0]]) {
        let there = height(to);
        if here >= 0.0 {
            polygon.push(from);
        }
        if here * there < 0.0 {
            polygon.push(from + (to - from) * (here / (here - there)));
        }
        (from, here) = (to, there);
    }
}

/// Returns twice the area of a polygon, positive if it is counter-clockwise, and its centroid.
pub(crate) fn doubled_area(polygon: &[DVec2]) -> (f64, DVec2) {
    let Some((&first, rest)) = polygon.split_first() else {
        return (0.0, DVec2::ZERO);
    };
    let (mut double, mut moment) = (0.0, DVec2::ZERO);
    for pair in rest.windows(2) {
        let (s, t) = (pair[0] - first, pair[1] - first);
        double += s.perp_dot(t);
        moment += (s + t) * s.perp_dot(t);
    }
    (double, first + moment / (3.0 * double))
}
