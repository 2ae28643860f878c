//! Planes with coordinates of their own, and convex polygons there.

use std::ops::Range;

use glam::{DVec2, DVec3};

use crate::math::split_polygon;

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

/// A linear function in a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneFunction {
    slope: DVec2,
    at_foot: f64,
}

impl PlaneFunction {
    /// Returns `slope . x + constant` in a plane.
    #[inline]
    pub(super) fn new(plane: &Plane, slope: DVec3, constant: f64) -> Self {
        Self {
            slope: plane.flat(slope),
            at_foot: slope.dot(plane.normal) * plane.height + constant,
        }
    }

    #[inline]
    pub(super) fn at(&self, x: DVec2) -> f64 {
        self.slope.dot(x) + self.at_foot
    }

    /// Returns the least value on a polygon.
    pub(super) fn least(&self, polygon: &[DVec2]) -> f64 {
        bounds(polygon.iter().map(|&x| self.at(x)))[0]
    }
}

/// Removes functions that are nowhere on a polygon the largest one: they are below the lower bound of another one, which
/// comes first then.
pub(super) fn keep_largest(functions: &mut Vec<PlaneFunction>, polygon: &[DVec2]) {
    let least = functions.iter().map(|function| function.least(polygon));
    let highest = least
        .enumerate()
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    if let Some((highest, bound)) = highest {
        functions.swap(0, highest);
        let mut i = 0;
        functions.retain(|function| {
            i += 1;
            i == 1 || polygon.iter().any(|&x| function.at(x) > bound)
        });
    }
}

/// Convex polygons, each a range of corners. A cut appends its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    corners: Vec<DVec2>,
    below: Vec<DVec2>,
    /// Parts to be visited: the largest of the first functions there, and their number.
    waiting: Vec<(usize, usize, Range<usize>)>,
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

    /// Visits the parts of a polygon in each of which one of some functions is the largest. Where two of them differ by less
    /// than `equal` either may be taken.
    ///
    /// One function after the other takes from each part what it has with a larger value. So the parts cover the polygon
    /// whatever is rounded.
    #[inline(always)]
    pub(super) fn divide(
        &mut self,
        polygon: Range<usize>,
        functions: &[PlaneFunction],
        equal: f64,
        mut visit: impl FnMut(&PlaneFunction, &[DVec2]),
    ) {
        self.waiting.push((0, 1, polygon));
        while let Some((mut largest, first, mut part)) = self.waiting.pop() {
            for (other, function) in functions.iter().enumerate().skip(first) {
                let own = functions[largest];
                let slope = function.slope - own.slope;
                let at_foot = function.at_foot - own.at_foot;
                let excess = |x: DVec2| slope.dot(x) + at_foot;
                let corners = self.corners(part.clone()).iter();
                let [least, most] = bounds(corners.map(|&x| excess(x)));
                if most <= equal {
                    continue;
                }
                if least >= 0.0 {
                    largest = other;
                    continue;
                }
                let [taken, left] = self.split(part, true, excess);
                if taken.len() > 2 {
                    self.waiting.push((other, other + 1, taken));
                }
                part = left;
                if part.len() < 3 {
                    break;
                }
            }
            if part.len() > 2 {
                visit(&functions[largest], &self.corners[part]);
            }
        }
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
        let below = has_below.then_some(&mut self.below);
        split_polygon(&mut self.corners, polygon, below, height);
        let middle = self.corners.len();
        self.corners.extend_from_slice(&self.below);
        [first..middle, middle..self.corners.len()]
    }
}
