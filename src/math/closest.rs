//! Closest points on segments, triangles and convex planar polygons.
//!
//! The closest point is the projection onto the plane if it is inside all edges, otherwise the closest point of an
//! edge. The textbook barycentric form (C. Ericson, "Real-time collision detection", 2005, section 5.1.5) loses all
//! digits on needles: at an aspect of 1e-8 the result is 0.03 to 170 times the distance.
//!
//! All coordinates are relative to the query point, and so is the result: an absolute point would lose
//! digits far from the origin.

use std::cmp::Ordering;

use glam::DVec3;

use super::tolerance::two_to;
use super::{Vector, cross_of_differences, lexicographic};

/// The squared width of a polygon without area, relative to its squared length. Differences that
/// carry their rounding errors resolve widths down to about 2^-100.
const NORMAL_ASPECT_SQUARED: f64 = two_to(-160);

/// Decides the side of a triangle's edge that a point projects to, relative to the fourth power of the largest distance
/// of a corner from the point. The products of corners and their differences take 130 u, and the unit normal of the
/// careful form 40 u; walls count points within 2^-45 of the square as on the edge.
const PLAIN_SIDE: f64 = two_to(-39);

/// Decides the position of the point along such an edge, relative to the square of this distance. Products of corners
/// take 8 u, and so does the careful form; walls count points within 2^-44 of the square as on the corner.
const PLAIN_END: f64 = two_to(-42);

/// The vertex, edge or interior of a segment, triangle or polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Location {
    /// Inside the boundary.
    Interior,
    /// On the edge from corner `i` to the next corner, between its ends.
    Edge(usize),
    /// On corner `i`.
    Vertex(usize),
}

/// The closest point of a set to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoint<V = DVec3> {
    /// The vector from the query point to the closest point.
    pub offset: V,
    /// The squared length of the offset.
    pub distance_squared: f64,
    /// The part of the set that contains the closest point.
    pub location: Location,
}

impl<V: Vector> ClosestPoint<V> {
    #[inline]
    fn at(offset: V, location: Location) -> Self {
        Self {
            offset,
            distance_squared: offset.length_squared(),
            location,
        }
    }
}

/// Returns the closest point of the segment from `a` to `b`, which may be a single point.
///
/// The error is a few ulps of the distances to the ends. The ends are `Vertex(0)` and `Vertex(1)`.
///
/// ```
/// use osculate::math::{Location, closest_on_segment};
/// use osculate::glam::DVec2;
///
/// let closest = closest_on_segment(DVec2::new(1.0, 3.0), DVec2::ZERO, DVec2::new(4.0, 0.0));
/// assert_eq!(closest.offset, DVec2::new(0.0, -3.0));
/// assert_eq!(closest.location, Location::Interior);
/// ```
pub fn closest_on_segment<V: Vector>(point: V, a: V, b: V) -> ClosestPoint<V> {
    from_origin_to_segment(a - point, b - point)
}

/// Returns the closest point of a triangle, which may be degenerate.
///
/// ```
/// use osculate::math::{Location, closest_on_triangle};
/// use osculate::glam::DVec3;
///
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let closest = closest_on_triangle(DVec3::new(0.2, 0.2, 2.0), triangle);
/// assert_eq!(closest.distance_squared, 4.0);
/// assert_eq!(closest.location, Location::Interior);
/// ```
pub fn closest_on_triangle(point: DVec3, triangle: [DVec3; 3]) -> ClosestPoint<DVec3> {
    let corners = triangle.map(|corner| corner - point);
    match plain_location(corners, 0.0) {
        Some(Location::Interior) => projection(unit_normal(3, |i| triangle[i]), 3, |i| corners[i]),
        Some(location @ Location::Edge(i)) => ClosestPoint {
            location,
            ..from_origin_to_segment(corners[i], corners[(i + 1) % 3])
        },
        Some(location @ Location::Vertex(i)) => ClosestPoint::at(corners[i], location),
        None => closest_on_polygon(point, &triangle),
    }
}

/// Returns the location of the point of a triangle closest to 0, `None` if rounding may decide it. It is relative to
/// the distances of the corners and to `reach`, given by its square.
///
/// The result is that of [`from_origin_to_polygon`]: both decide by the sides and the ends of the three edges. Here
/// they are computed from the products of the corners (C. Ericson, section 5.1.5).
#[inline(always)]
pub(crate) fn plain_location([a, b, c]: [DVec3; 3], reach_squared: f64) -> Option<Location> {
    let squared = [a.length_squared(), b.length_squared(), c.length_squared()];
    let products = [a.dot(b), b.dot(c), c.dot(a)];
    let largest = squared.into_iter().fold(reach_squared, f64::max);
    // The distances of 0 before the first end and before the second end of each edge, times the length of the edge.
    let first = each_edge(|i, _, _| products[i] - squared[i]);
    let second = each_edge(|i, next, _| squared[next] - products[i]);
    // The distance of 0 inside each edge, times the edge length and twice the area.
    let sides = each_edge(|i, next, before| {
        first[i] * (second[i] + first[next]) + second[i] * second[before]
    });
    // False for NaN.
    let are_sure = |[x, y, z]: [f64; 3], e: f64| (x.abs() > e) & (y.abs() > e) & (z.abs() > e);
    let is_sure = are_sure(sides, PLAIN_SIDE * (largest * largest))
        & are_sure(first, PLAIN_END * largest)
        & are_sure(second, PLAIN_END * largest);
    if !is_sure {
        return None;
    }
    let bits = |[x, y, z]: [bool; 3]| u32::from(x) | u32::from(y) << 1 | u32::from(z) << 2;
    let is_outside = bits(each_edge(|i, _, _| sides[i] < 0.0));
    if is_outside == 0 {
        return Some(Location::Interior);
    }
    let is_first = bits(each_edge(|i, _, _| first[i] > 0.0));
    let is_second = bits(each_edge(|i, _, _| second[i] < 0.0));
    let edges = is_outside & !(is_first | is_second);
    if edges != 0 {
        return only(edges).map(Location::Edge);
    }
    only(is_first & (is_second << 1 | is_second >> 2)).map(Location::Vertex)
}

/// Computes something for each edge of a triangle from its number, the next one and the one before.
#[inline(always)]
fn each_edge<T>(compute: impl Fn(usize, usize, usize) -> T) -> [T; 3] {
    [compute(0, 1, 2), compute(1, 2, 0), compute(2, 0, 1)]
}

/// Returns the place of the bit if there is only one.
fn only(bits: u32) -> Option<usize> {
    (bits.is_power_of_two()).then(|| bits.trailing_zeros() as usize)
}

/// Returns the closest point of a convex planar polygon.
///
/// One or two corners are a point or a segment. Without corners the offset is infinite. Planarity and
/// convexity are not checked. Cost: O(corners).
pub fn closest_on_polygon(point: DVec3, corners: &[DVec3]) -> ClosestPoint<DVec3> {
    let normal = unit_normal(corners.len(), |i| corners[i]);
    from_origin_to_polygon(normal, corners.len(), |i| corners[i] - point)
}

/// Returns [`closest_on_segment`] for the query point 0.
///
/// Swapping the ends changes no bit of the offset.
#[inline]
pub(crate) fn from_origin_to_segment<V: Vector>(a: V, b: V) -> ClosestPoint<V> {
    let ab = b - a;
    let (along_a, along_b) = (a.dot(ab), b.dot(ab));
    let (offset, location) = if along_a >= 0.0 {
        (a, Location::Vertex(0))
    } else if along_b <= 0.0 {
        (b, Location::Vertex(1))
    } else if -along_a < along_b {
        // Start from the nearer end: the step along the edge is shorter, and so is its error.
        (a - ab * (along_a / ab.length_squared()), Location::Interior)
    } else if -along_a > along_b {
        (b - ab * (along_b / ab.length_squared()), Location::Interior)
    } else {
        ((a + b) * 0.5, Location::Interior)
    };
    ClosestPoint::at(offset, location)
}

/// Returns [`closest_on_polygon`] for the query point 0 and a known unit normal, 0 if the polygon has no
/// area.
///
/// The result does not depend on the first corner or the direction of the list, bit for bit. All
/// expressions are symmetric in the ends of an edge, and ties go to the lexicographically lower corners.
/// Both facets at an edge get the same point.
///
/// Signs decide the location of the closest point, not distances. Two squared distances can agree to rounding although
/// the points differ by 1e-8 of the distance. The closest point is on an edge that has the query point outside and its
/// projection inside. Without such an edge, it is the corner that is the closest point of both its edges. Distances
/// choose only among ties to rounding, for example at a corner between collinear edges.
#[inline]
pub(crate) fn from_origin_to_polygon(
    normal: DVec3,
    count: usize,
    corner: impl Fn(usize) -> DVec3 + Copy,
) -> ClosestPoint<DVec3> {
    let ends = |i: usize| (corner(i), corner(if i + 1 == count { 0 } else { i + 1 }));
    // An edge without length does not bound the polygon.
    let is_inside = |i: usize| {
        let (a, b) = ends(i);
        a == b || normal.cross(b - a).dot(a + b) < 0.0
    };
    if normal == DVec3::ZERO || !(0..count).all(is_inside) {
        return from_origin_to_boundary(count, corner, ends, is_inside);
    }
    projection(normal, count, corner)
}

/// Returns the projection of the query point 0 onto the plane of a polygon.
#[inline]
fn projection(normal: DVec3, count: usize, corner: impl Fn(usize) -> DVec3) -> ClosestPoint<DVec3> {
    // The height over the nearest corner is accurate on needles; over a far corner it is not.
    let nearest = (0..count).map(corner).min_by(|&a, &b| {
        let by_distance = a.length_squared().total_cmp(&b.length_squared());
        by_distance.then_with(|| lexicographic(a, b))
    });
    let height = normal.dot(nearest.unwrap_or(DVec3::ZERO));
    ClosestPoint {
        // No negative zeros, for either direction of the normal.
        offset: normal * height + DVec3::ZERO,
        distance_squared: height * height,
        location: Location::Interior,
    }
}

/// Returns the closest point of the edges and corners. `is_inside(i)` returns whether the projection of the query point
/// is on the inner side of edge i.
#[inline]
fn from_origin_to_boundary(
    count: usize,
    corner: impl Fn(usize) -> DVec3,
    ends: impl Fn(usize) -> (DVec3, DVec3),
    is_inside: impl Fn(usize) -> bool,
) -> ClosestPoint<DVec3> {
    let on_edge = |i: usize| {
        let (a, b) = ends(i);
        from_origin_to_segment(a, b)
    };
    // By rank, then by distance, then by the lower and the higher end. Without corners there is only this one.
    let nowhere = ClosestPoint::at(DVec3::INFINITY, Location::Vertex(0));
    let mut best = (3, nowhere, (DVec3::INFINITY, DVec3::INFINITY));
    let mut consider = |rank: u8, closest: ClosestPoint<DVec3>, ends: (DVec3, DVec3)| {
        let by_distance = (closest.distance_squared).total_cmp(&best.1.distance_squared);
        let by_rank = rank.cmp(&best.0).then(by_distance);
        if by_rank.then_with(|| order_of_ends(ends, best.2)).is_lt() {
            best = (rank, closest, ends);
        }
    };
    let mut before = count.checked_sub(1).map(on_edge);
    for i in 0..count {
        let closest = on_edge(i);
        if closest.location == Location::Interior {
            let location = Location::Edge(i);
            let edge = ClosestPoint {
                location,
                ..closest
            };
            consider(if is_inside(i) { 2 } else { 0 }, edge, ends(i));
        }
        let offset = corner(i);
        let ends_here =
            |c: ClosestPoint<DVec3>| c.location != Location::Interior && c.offset == offset;
        let is_closest = ends_here(closest) && before.is_some_and(ends_here);
        let vertex = ClosestPoint::at(offset, Location::Vertex(i));
        consider(if is_closest { 1 } else { 2 }, vertex, (offset, offset));
        before = Some(closest);
    }
    best.1
}

/// Compares two segments by their lower ends, then by their higher ends.
fn order_of_ends<V: Vector>((a, b): (V, V), (c, d): (V, V)) -> Ordering {
    let sorted = |a: V, b: V| match lexicographic(a, b).is_le() {
        true => [a, b],
        false => [b, a],
    };
    let ([low, high], [lower, higher]) = (sorted(a, b), sorted(c, d));
    lexicographic(low, lower).then_with(|| lexicographic(high, higher))
}

/// Returns the unit normal of a planar polygon, counter-clockwise seen from its tip; 0 for a polygon
/// thinner than 2^-80 of its length.
///
/// Newell's method sums the cross products of a fan. Unlike the product of the first two edges it
/// accepts collinear corners.
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
            ((0.25, 0.25), Location::Interior, (0.25, 0.25)),
            ((0.5, -1.0), Location::Edge(0), (0.5, 0.0)),
            ((1.0, 1.0), Location::Edge(1), (0.5, 0.5)),
            ((-1.0, 0.5), Location::Edge(2), (0.0, 0.5)),
            ((-1.0, -2.0), Location::Vertex(0), (0.0, 0.0)),
            ((3.0, 0.5), Location::Vertex(1), (1.0, 0.0)),
            ((0.0, 2.0), Location::Vertex(2), (0.0, 1.0)),
        ];
        for ((x, y), location, (cx, cy)) in cases {
            let point = DVec3::new(x, y, -0.5);
            let closest = closest_on_triangle(point, RIGHT_TRIANGLE);
            assert_eq!(closest.location, location);
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
            assert_eq!(
                (closest.offset, closest.location),
                (b - point, Location::Vertex(0))
            );
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

    /// Plain arithmetic decides most triangles, and never otherwise than the careful form: at any distance, on edges
    /// and corners, on needles and triangles without area.
    #[test]
    fn triangles_equal_polygons() {
        let mut random = crate::testing::workload::SplitMix64::new(7);
        let mut plain = 0;
        for case in 0..100_000 {
            let mut vector =
                |size: f64| DVec3::from_array([0; 3].map(|_| random.range(-size, size)));
            let [mut a, mut b, mut c] = [vector(1.0), vector(1.0), vector(1.0)];
            let mut point = vector(2.0);
            let small = 2.0_f64.powi(-(case % 60));
            match case % 8 {
                0 => c = a.lerp(b, 0.3) + vector(small),
                1 => point = a.lerp(b, 0.3) + vector(small),
                2 => point = b + vector(small),
                3 => point = (a + b + c) / 3.0 + vector(small),
                4 => point *= 2.0 / small,
                5 => [a, b, c, point] = [a, b, c, point].map(|v| (v * 4.0).round()),
                6 => b = a + vector(small),
                _ => {
                    plain +=
                        usize::from(plain_location([a, b, c].map(|v| v - point), 0.0).is_some())
                }
            }
            let scale = 2.0_f64.powi([0, 148, -140][case as usize % 3]);
            let [a, b, c, point] = [a, b, c, point].map(|v| v * scale);
            let triangle = [a, b, c];
            let closest = closest_on_triangle(point, triangle);
            assert_eq!(
                closest,
                closest_on_polygon(point, &triangle),
                "{point} {triangle:?}"
            );
        }
        assert!(plain > 12_000, "{plain}");
    }

    /// Over an end of an edge, where rounding decides between the edge and the corner.
    #[test]
    fn triangles_equal_polygons_at_ends_of_edges() {
        let mut random = crate::testing::workload::SplitMix64::new(12);
        for case in 0..20_000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
            let triangle = [vector(), vector(), vector()];
            let [from, to] = [case % 3, (case + 1 + case / 3 % 2) % 3].map(|i| triangle[i]);
            let point = from + (to - from).cross(vector());
            let closest = closest_on_triangle(point, triangle);
            assert_eq!(
                closest,
                closest_on_polygon(point, &triangle),
                "{point} {triangle:?}"
            );
        }
    }

    /// A point above a corner inside a straight side, in any orientation. Rounding may put the
    /// point inside of one half and outside of the other. Also two corners at one place.
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
    /// result is the projection on the long side.
    #[test]
    fn needle() {
        let corners = [
            DVec3::new(0.0, 0.0, 0.0),
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(0.5, 0.5 + 1e-8, 0.5),
        ];
        let point = DVec3::new(0.5, -0.5, 0.5);
        let closest = closest_on_triangle(point, corners);
        assert_eq!(closest.location, Location::Edge(0));
        assert!((closest.distance_squared - 2.0 / 3.0).abs() < 1e-15);
    }

    /// The projection is 1e-9 inside an edge. The squared distances of projection and edge are
    /// equal to the last bit. The result is still the interior of the edge or facet, never the
    /// corner.
    #[test]
    fn hierarchy_is_decided_by_signs() {
        let point = DVec3::new(1e-9, 2e-9, 1.0);
        let closest = closest_on_triangle(point, RIGHT_TRIANGLE);
        assert_eq!(closest.location, Location::Interior);
        let closest = closest_on_triangle(DVec3::new(1e-9, -1e-9, 1.0), RIGHT_TRIANGLE);
        assert_eq!(closest.location, Location::Edge(0));
    }
}
