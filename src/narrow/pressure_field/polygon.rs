//! Planes with coordinates of their own, and convex polygons there.

use std::ops::Range;

use glam::{DVec2, DVec3};

/// A plane, in the frame of a field about its center.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) height: f64,
    /// Two unit vectors in the plane.
    pub(super) axes: [DVec3; 2],
}

impl Plane {
    pub(super) fn new(normal: DVec3, height: f64) -> Self {
        Self {
            normal,
            height,
            axes: normal.any_orthonormal_pair().into(),
        }
    }

    /// Returns the coordinates of a point in the plane, relative to the projection of the center.
    #[inline]
    pub(super) fn flat(&self, x: DVec3) -> DVec2 {
        DVec2::new(self.axes[0].dot(x), self.axes[1].dot(x))
    }

    /// Returns a vector in the plane.
    #[inline]
    pub(super) fn vector(&self, x: DVec2) -> DVec3 {
        self.axes[0] * x.x + self.axes[1] * x.y
    }

    /// Returns a point of the plane.
    #[inline]
    pub(super) fn point(&self, x: DVec2) -> DVec3 {
        self.vector(x) + self.normal * self.height
    }
}

/// Returns the least and the largest of some numbers.
#[inline(always)]
pub(super) fn bounds(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
        [
            if x < low { x } else { low },
            if x > high { x } else { high },
        ]
    })
}

/// Convex polygons, each a range of corners. A cut appends its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    corners: Vec<DVec2>,
    below: Vec<DVec2>,
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

    /// Returns the part of a polygon where a linear function is not negative, and if wanted where it is not positive.
    #[inline(always)]
    pub(super) fn split(
        &mut self,
        polygon: Range<usize>,
        has_below: bool,
        height: impl Fn(DVec2) -> f64,
    ) -> [Range<usize>; 2] {
        let first = self.corners.len();
        self.below.clear();
        let mut from = self.corners[polygon.end - 1];
        let mut here = height(from);
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
                if has_below {
                    self.below.push(crossing);
                }
            }
            if there >= 0.0 {
                self.corners.push(to);
            }
            if has_below && there <= 0.0 {
                self.below.push(to);
            }
            (from, here) = (to, there);
        }
        let middle = self.corners.len();
        self.corners.extend_from_slice(&self.below);
        [first..middle, middle..self.corners.len()]
    }
}
