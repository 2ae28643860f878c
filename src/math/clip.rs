//! Convex polygons cut by a plane or a line.

use std::ops::Range;

use super::Vector;

/// Appends the part of a polygon where a linear function is not negative, and to `below`, if given, the part where it is
/// not positive (Sutherland and Hodgman 1974).
///
/// Both parts have the same bits where the function is 0, and so have the parts of another polygon with the same side. Two
/// corners are a segment.
#[inline(always)]
pub(crate) fn split_polygon<V: Vector>(
    corners: &mut Vec<V>,
    polygon: Range<usize>,
    mut below: Option<&mut Vec<V>>,
    height: impl Fn(V) -> f64,
) {
    let before = match polygon.len() {
        2 => polygon.start, // a segment
        _ => polygon.end - 1,
    };
    let mut from = corners[before];
    let mut here = height(from);
    for i in polygon {
        let to = corners[i];
        let there = height(to);
        if here * there < 0.0 {
            // From the inner end, so that both sides of an edge get the same point.
            let crossing = if here > 0.0 {
                from + (to - from) * (here / (here - there))
            } else {
                to + (from - to) * (there / (there - here))
            };
            corners.push(crossing);
            if let Some(below) = &mut below {
                below.push(crossing);
            }
        }
        if there >= 0.0 {
            corners.push(to);
        }
        if there <= 0.0
            && let Some(below) = &mut below
        {
            below.push(to);
        }
        (from, here) = (to, there);
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    /// The parts of a square, and of a segment, which has one side and not two.
    #[test]
    fn parts_of_a_square_and_of_a_segment() {
        let point = |(x, y): (f64, f64)| DVec2::new(x, y);
        let split = |corners: &[(f64, f64)]| {
            let mut all: Vec<_> = corners.iter().copied().map(point).collect();
            let mut below = Vec::new();
            split_polygon(&mut all, 0..corners.len(), Some(&mut below), |x| x.x - 1.0);
            (all.split_off(corners.len()), below)
        };
        let (above, below) = split(&[(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)]);
        let expected = [(1.0, 0.0), (4.0, 0.0), (4.0, 2.0), (1.0, 2.0)];
        assert_eq!(above, expected.map(point));
        let expected = [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)];
        assert_eq!(below, expected.map(point));
        let (above, below) = split(&[(0.0, 0.0), (4.0, 4.0)]);
        assert_eq!(above, [(1.0, 1.0), (4.0, 4.0)].map(point));
        assert_eq!(below, [(0.0, 0.0), (1.0, 1.0)].map(point));
        // A corner on the line belongs to both parts, once.
        let (above, below) = split(&[(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)]);
        assert_eq!((above.len(), below.len()), (3, 3));
    }
}
