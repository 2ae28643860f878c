//! Closest points on segments, triangles and convex planar polygons.
//!
//! The form is normal plus edges: the foot on the plane if it is inside all edges, else the
//! nearest of the edges. The textbook barycentric form (C. Ericson, "Real-time collision
//! detection", 2005, section 5.1.5) loses all digits on needles: 0.03 to 170 times the distance at
//! an aspect of 1e-8.
//!
//! Everything is computed in coordinates relative to the query point, and the answer is the
//! offset from it: an absolute point would lose digits far from the origin.

use std::cmp::Ordering;

use glam::DVec3;

use super::tolerance::NORMAL_ASPECT_SQUARED;
use super::{Vector, cross_of_differences, lexicographic};

/// Where on a segment, triangle or polygon a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Part {
    /// Inside, off its boundary.
    Interior,
    /// On the side from corner `i` to the next one, between its ends.
    Edge(usize),
    /// On corner `i`.
    Vertex(usize),
}

/// The closest point of a set to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoint<V = glam::DVec3> {
    /// From the query point to the closest point.
    pub offset: V,
    /// The squared length of the offset.
    pub distance_squared: f64,
    /// Where on the set the closest point lies.
    pub part: Part,
}

/// The closest point of the segment from `a` to `b`, which may be a single point.
///
/// The error is a few ulps of the distances to the ends. The ends are taken as `Vertex(0)` and
/// `Vertex(1)`.
///
/// ```
/// use osculate::math::{Part, closest_on_segment};
/// use osculate::glam::DVec2;
///
/// let closest = closest_on_segment(DVec2::new(1.0, 3.0), DVec2::ZERO, DVec2::new(4.0, 0.0));
/// assert_eq!(closest.offset, DVec2::new(0.0, -3.0));
/// assert_eq!(closest.part, Part::Interior);
/// ```
pub fn closest_on_segment<V: Vector>(point: V, a: V, b: V) -> ClosestPoint<V> {
    from_origin_to_segment(a - point, b - point)
}

/// The closest point of a triangle, which may be degenerate.
///
/// ```
/// use osculate::math::{Part, closest_on_triangle};
/// use osculate::glam::DVec3;
///
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let closest = closest_on_triangle(DVec3::new(0.2, 0.2, 2.0), triangle);
/// assert_eq!(closest.distance_squared, 4.0);
/// assert_eq!(closest.part, Part::Interior);
/// ```
pub fn closest_on_triangle(point: DVec3, triangle: [DVec3; 3]) -> ClosestPoint<DVec3> {
    closest_on_polygon(point, &triangle)
}

/// The closest point of a convex planar polygon, O(corners). One or two corners are a point or a
/// segment; the polygon is taken to be planar and convex, which is not checked.
///
/// Without corners there is no closest point: the offset is infinite.
pub fn closest_on_polygon(point: DVec3, corners: &[DVec3]) -> ClosestPoint<DVec3> {
    let normal = unit_normal(corners.len(), |i| corners[i]);
    from_origin_to_polygon(normal, corners.len(), |i| corners[i] - point)
}

/// [`closest_on_segment`] for the query point 0.
///
/// Swapping the ends changes no bit of the offset.
#[inline]
pub(crate) fn from_origin_to_segment<V: Vector>(a: V, b: V) -> ClosestPoint<V> {
    let ab = b - a;
    let (along_a, along_b) = (a.dot(ab), b.dot(ab));
    let (offset, part) = if along_a >= 0.0 {
        (a, Part::Vertex(0))
    } else if along_b <= 0.0 {
        (b, Part::Vertex(1))
    } else if -along_a < along_b {
        // From the nearer end: the step along the edge, and its error, are the smaller ones.
        (a - ab * (along_a / ab.length_squared()), Part::Interior)
    } else if -along_a > along_b {
        (b - ab * (along_b / ab.length_squared()), Part::Interior)
    } else {
        ((a + b) * 0.5, Part::Interior)
    };
    ClosestPoint {
        offset,
        distance_squared: offset.length_squared(),
        part,
    }
}

/// [`closest_on_polygon`] for the query point 0 and a known unit normal, 0 if the polygon has no
/// area.
///
/// The answer does not depend on the corner the list starts with nor on its direction, bit for
/// bit: all expressions are symmetric in the ends of a side, and ties go to the lower corners in
/// lexicographic order. Both neighbors of an edge get the same point.
///
/// Signs decide where the closest point is, not distances: it is on an edge that has the query
/// point outside and its foot inside if there is one, else on the corner that is the closest point
/// of both its edges. Squared distances agree to within rounding long before points do, at 1e-8 of
/// the distance; they only choose among what rounding has left over, as it may at a corner amid a
/// straight side.
#[inline]
pub(crate) fn from_origin_to_polygon(
    normal: DVec3,
    count: usize,
    corner: impl Fn(usize) -> DVec3,
) -> ClosestPoint<DVec3> {
    let ends = |i: usize| (corner(i), corner(if i + 1 == count { 0 } else { i + 1 }));
    // A side that has shrunk to a point bounds nothing.
    let is_inside = |i: usize| {
        let (a, b) = ends(i);
        a == b || normal.cross(b - a).dot(a + b) < 0.0
    };
    if normal != DVec3::ZERO && (0..count).all(is_inside) {
        // The nearest corner keeps the digits that a far one would lose on a needle.
        let nearest = (0..count).map(corner).min_by(|&a, &b| {
            let by_distance = a.length_squared().total_cmp(&b.length_squared());
            by_distance.then_with(|| lexicographic(a, b))
        });
        let height = normal.dot(nearest.unwrap_or(DVec3::ZERO));
        return ClosestPoint {
            // No negative zeros, whatever the direction of the normal.
            offset: normal * height + DVec3::ZERO,
            distance_squared: height * height,
            part: Part::Interior,
        };
    }

    // The closest point of side i.
    let side = |i: usize| {
        let (a, b) = ends(i);
        from_origin_to_segment(a, b)
    };
    // By rank, then by distance, then by the lower and the higher end.
    let mut best: Option<(u8, ClosestPoint<DVec3>, (DVec3, DVec3))> = None;
    let mut consider = |rank: u8, closest: ClosestPoint<DVec3>, ends: (DVec3, DVec3)| {
        let is_better = best.is_none_or(|(best_rank, best, best_ends)| {
            let by_distance = closest.distance_squared.total_cmp(&best.distance_squared);
            let by_rank = rank.cmp(&best_rank).then(by_distance);
            by_rank.then_with(|| order_of_ends(ends, best_ends)).is_lt()
        });
        if is_better {
            best = Some((rank, closest, ends));
        }
    };
    let mut before = count.checked_sub(1).map(side);
    for i in 0..count {
        let closest = side(i);
        if closest.part == Part::Interior {
            let part = Part::Edge(i);
            let rank = if is_inside(i) { 2 } else { 0 };
            consider(rank, ClosestPoint { part, ..closest }, ends(i));
        }
        let offset = corner(i);
        let ends_here = |c: ClosestPoint<DVec3>| c.part != Part::Interior && c.offset == offset;
        let rank = if ends_here(closest) && before.is_some_and(ends_here) {
            1
        } else {
            2
        };
        let vertex = ClosestPoint {
            offset,
            distance_squared: offset.length_squared(),
            part: Part::Vertex(i),
        };
        consider(rank, vertex, (offset, offset));
        before = Some(closest);
    }
    let nowhere = ClosestPoint {
        offset: DVec3::INFINITY,
        distance_squared: f64::INFINITY,
        part: Part::Vertex(0),
    };
    best.map_or(nowhere, |(_, closest, _)| closest)
}

/// By the lower, then by the higher end.
fn order_of_ends<V: Vector>((a, b): (V, V), (c, d): (V, V)) -> Ordering {
    let sorted = |a: V, b: V| {
        if lexicographic(a, b).is_le() {
            [a, b]
        } else {
            [b, a]
        }
    };
    let ([low, high], [lower, higher]) = (sorted(a, b), sorted(c, d));
    lexicographic(low, lower).then_with(|| lexicographic(high, higher))
}

/// The unit normal of a planar polygon, counter-clockwise seen from its tip; 0 for a polygon
/// without area, that is thinner than 2^-80 of its length.
///
/// The sum of the cross products of a fan, which is Newell's: unlike the product of the first two
/// sides it does not fail on collinear corners.
pub(crate) fn unit_normal(count: usize, corner: impl Fn(usize) -> DVec3) -> DVec3 {
    if count < 3 {
        return DVec3::ZERO;
    }
    let first = corner(0);
    let mut sum = DVec3::ZERO;
    let mut size_squared = first.distance_squared(corner(1));
    for i in 2..count {
        sum += cross_of_differences([first, corner(i - 1)], [first, corner(i)]);
        size_squared = size_squared.max(first.distance_squared(corner(i)));
    }
    let length_squared = sum.length_squared();
    if length_squared <= NORMAL_ASPECT_SQUARED * size_squared * size_squared {
        return DVec3::ZERO;
    }
    sum / length_squared.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT_TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn the_seven_regions_of_a_triangle() {
        let cases = [
            ((0.25, 0.25), Part::Interior, (0.25, 0.25)),
            ((0.5, -1.0), Part::Edge(0), (0.5, 0.0)),
            ((1.0, 1.0), Part::Edge(1), (0.5, 0.5)),
            ((-1.0, 0.5), Part::Edge(2), (0.0, 0.5)),
            ((-1.0, -2.0), Part::Vertex(0), (0.0, 0.0)),
            ((3.0, 0.5), Part::Vertex(1), (1.0, 0.0)),
            ((0.0, 2.0), Part::Vertex(2), (0.0, 1.0)),
        ];
        for ((x, y), part, (cx, cy)) in cases {
            let point = DVec3::new(x, y, -0.5);
            let closest = closest_on_triangle(point, RIGHT_TRIANGLE);
            assert_eq!(closest.part, part);
            assert_eq!(point + closest.offset, DVec3::new(cx, cy, 0.0));
            assert_eq!(closest.distance_squared, closest.offset.length_squared());
        }
    }

    #[test]
    fn polygons_without_area() {
        let point = DVec3::new(0.0, 2.0, 0.0);
        let a = DVec3::new(-1.0, 0.0, 0.0);
        let b = DVec3::new(1.0, 0.0, 0.0);
        let segment = closest_on_segment(point, a, b);
        for corners in [&[a, b][..], &[a, DVec3::ZERO, b], &[a, b, b], &[a, a, b, b]] {
            let closest = closest_on_polygon(point, corners);
            assert_eq!(closest.offset, segment.offset, "{corners:?}");
        }
        for corners in [&[b][..], &[b, b], &[b, b, b]] {
            let closest = closest_on_polygon(point, corners);
            assert_eq!((closest.offset, closest.part), (b - point, Part::Vertex(0)));
        }
        assert!(
            closest_on_polygon(point, &[])
                .distance_squared
                .is_infinite()
        );
    }

    #[test]
    fn normal_of_needles_and_lines() {
        let normal = |height: f64| {
            let corners = [DVec3::ZERO, DVec3::X, DVec3::new(0.5, height, 0.0)];
            unit_normal(3, |i| corners[i] * 2.0_f64.powi(-100))
        };
        for exponent in [0, -20, -70] {
            assert_eq!(normal(2.0_f64.powi(exponent)), DVec3::Z);
        }
        for height in [0.0, 2.0_f64.powi(-90)] {
            assert_eq!(normal(height), DVec3::ZERO);
        }
    }

    /// Above the middle of a straight side that has a corner in it, turned anyhow: rounding may put
    /// the point inside of the one half and outside of the other. And two corners at one place.
    #[test]
    fn corners_that_are_none() {
        let mut random = crate::testing::workload::SplitMix64::new(6);
        for _ in 0..10_000 {
            let turn = glam::DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            let turn = turn.normalize();
            let pentagon = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let doubled = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let along = random.range(0.0, 1.0);
            for (corners, y) in [(pentagon, 0.0), (pentagon, 0.3), (doubled, 0.3)] {
                let corners = corners.map(|(x, y)| turn * DVec3::new(x, y, 0.0));
                let point = turn * DVec3::new(along, y, 0.1);
                let closest = closest_on_polygon(point, &corners);
                assert!(
                    (closest.distance_squared - 0.01).abs() < 1e-15,
                    "{closest:?}"
                );
            }
        }
    }

    /// A needle of aspect 1e-8, queried from its own length away beside its middle. The exact
    /// answer is the foot on the long side.
    #[test]
    fn needle() {
        let corners = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(0.5, 0.5 + 1e-8, 0.5),
        ];
        let point = DVec3::new(0.5, -0.5, 0.5);
        let closest = closest_on_triangle(point, corners);
        assert_eq!(closest.part, Part::Edge(0));
        assert!((closest.distance_squared - 2.0 / 3.0).abs() < 1e-15);
    }

    /// The foot is 1e-9 inside an edge: the squared distances of foot and edge are equal to the
    /// last bit, but the answer is the interior of the edge or facet, never the corner.
    #[test]
    fn hierarchy_is_decided_by_signs() {
        let point = DVec3::new(1e-9, 2e-9, 1.0);
        let closest = closest_on_triangle(point, RIGHT_TRIANGLE);
        assert_eq!(closest.part, Part::Interior);
        let closest = closest_on_triangle(DVec3::new(1e-9, -1e-9, 1.0), RIGHT_TRIANGLE);
        assert_eq!(closest.part, Part::Edge(0));
    }
}
