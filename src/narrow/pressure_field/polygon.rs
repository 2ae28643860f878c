//! Convex polygons in a plane.

use std::ops::Range;

use glam::DVec2;

/// Convex polygons, each a range of corners. A cut appends its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    corners: Vec<DVec2>,
    other: Vec<DVec2>,
}

impl Polygons {
    /// Replaces all polygons by one.
    pub(super) fn set(&mut self, corners: impl Iterator<Item = DVec2>) -> Range<usize> {
        self.corners.clear();
        self.corners.extend(corners);
        0..self.corners.len()
    }

    /// Returns the corners of a polygon.
    #[inline]
    pub(super) fn corners(&self, polygon: Range<usize>) -> &[DVec2] {
        &self.corners[polygon]
    }

    /// Returns the part of a polygon where a linear function is not negative.
    pub(super) fn cut(
        &mut self,
        polygon: Range<usize>,
        height: impl Fn(DVec2) -> f64,
    ) -> Range<usize> {
        let [inside, outside] = self.split(polygon, height);
        self.corners.truncate(outside.start);
        inside
    }

    /// Returns the parts of a polygon where a linear function is not negative, and where it is not positive.
    pub(super) fn split(
        &mut self,
        polygon: Range<usize>,
        height: impl Fn(DVec2) -> f64,
    ) -> [Range<usize>; 2] {
        let first = self.corners.len();
        let mut from = self.corners[polygon.end - 1];
        let mut here = height(from);
        self.other.clear();
        for i in polygon {
            let to = self.corners[i];
            let there = height(to);
            if here * there < 0.0 {
                // From the inner end, so that both sides of an edge get the same point.
                let crossing = if here > 0.0 {
                    from + (to - from) * (here / (here - there))
                } else {
                    to + (from - to) * (there / (there - here))
                };
                self.corners.push(crossing);
                self.other.push(crossing);
            }
            if there >= 0.0 {
                self.corners.push(to);
            }
            if there <= 0.0 {
                self.other.push(to);
            }
            (from, here) = (to, there);
        }
        let middle = self.corners.len();
        self.corners.extend_from_slice(&self.other);
        [first..middle, middle..self.corners.len()]
    }
}
