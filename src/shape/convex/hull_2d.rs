//! Convex hulls in the plane by exact orientation signs: the monotone chain of A. M. Andrew,
//! Information Processing Letters 9 (1979) 216-219.

use glam::DVec2;

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{check_positions, lexicographic, orient2d};
use crate::shape::ConvexPolygon;

impl ConvexPolygon {
    /// Builds the smallest convex polygon around points. O(n log n).
    ///
    /// The corners are the extreme points: points inside the polygon or inside an edge are left out.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Coordinate`] for the lowest bad point, [`ErrorKind::TooMany`], or
    /// [`ErrorKind::Degenerate`] if the points are collinear.
    pub fn from_convex_hull(points: &[DVec2]) -> Result<Self> {
        check_positions("point", points)?;
        if points.is_empty() {
            return Err(Error(Cause::NoPoints));
        }
        let mut order: Vec<usize> = (0..points.len()).collect();
        // By value: the bits of 0 and -0 differ, and points of the same x must be in the order of their y.
        order.sort_unstable_by(|&i, &j| lexicographic(points[i], points[j]).then(i.cmp(&j)));
        let lower = chain(points, order.iter().copied());
        let upper = chain(points, order.iter().rev().copied());
        let corners = [lower, upper].into_iter().flat_map(|mut chain| {
            chain.pop();
            chain
        });
        let corners = corners.map(|i| points[i]).collect();
        // Fewer than three corners, or coordinates so small that the products of signs underflow.
        Self::new(corners).map_err(|_| {
            let (count, last) = (points.len(), order[points.len() - 1]);
            let points = [order[0], last, last];
            Error(Cause::Flat { count, points })
        })
    }
}

/// Returns the indices of the points at which the hull of an ordered sequence turns left.
fn chain(points: &[DVec2], order: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut chain: Vec<usize> = Vec::new();
    for i in order {
        while let [.., a, b] = chain[..]
            && orient2d(points[a], points[b], points[i]) <= 0.0
        {
            chain.pop();
        }
        if chain.last().is_none_or(|&last| points[last] != points[i]) {
            chain.push(i);
        }
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn square_of_a_lattice() {
        let points: Vec<_> = (0..25)
            .map(|i| DVec2::new((i % 5).into(), (i / 5).into()))
            .collect();
        let hull = ConvexPolygon::from_convex_hull(&points).unwrap();
        assert_eq!(hull.vertices().len(), 4);
        assert_eq!(hull.area(), 16.0);
        let triangle = ConvexPolygon::from_convex_hull(&[DVec2::ZERO, DVec2::Y, DVec2::X]).unwrap();
        assert_eq!(triangle.vertices(), [DVec2::ZERO, DVec2::X, DVec2::Y]);
    }

    #[test]
    fn points_on_a_line_have_no_hull() {
        let line: Vec<_> = (0..5)
            .map(|i| DVec2::new(0.1 * f64::from(i), 0.1 * f64::from(i)))
            .collect();
        // 0.1 * 3 is not three times the double 0.1 in both coordinates alike: still on y = x.
        assert!(matches!(
            ConvexPolygon::from_convex_hull(&line),
            Err(Error(Cause::Flat { count: 5, .. }))
        ));
        for count in 0..3 {
            assert!(ConvexPolygon::from_convex_hull(&line[..count]).is_err());
        }
    }
}
