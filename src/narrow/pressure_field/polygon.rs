//! Convex polygons in a plane, with the values of linear functions at their corners.

use std::ops::Range;

use glam::DVec2;

/// Convex polygons, each a range of corners, with the values of some linear functions at each corner.
///
/// A cut appends the part that it keeps, and interpolates the values.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    corners: Vec<DVec2>,
    /// The values at the first corner, at the second one, and so on.
    values: Vec<f64>,
    functions: usize,
}

impl Polygons {
    /// Removes all polygons.
    pub(super) fn clear(&mut self, functions: usize) {
        self.functions = functions;
        self.corners.clear();
        self.values.clear();
    }

    /// Appends a corner with its values.
    #[inline]
    pub(super) fn push(&mut self, corner: DVec2, values: impl Iterator<Item = f64>) {
        self.corners.push(corner);
        self.values.extend(values);
    }

    /// Returns the number of corners of all polygons.
    pub(super) fn len(&self) -> usize {
        self.corners.len()
    }

    /// Returns the position of a corner.
    #[inline]
    pub(super) fn position(&self, corner: usize) -> DVec2 {
        self.corners[corner]
    }

    /// Returns the values at a corner.
    #[inline]
    pub(super) fn at(&self, corner: usize) -> &[f64] {
        &self.values[corner * self.functions..][..self.functions]
    }

    /// Returns the values at each corner of a polygon.
    #[inline]
    pub(super) fn rows(&self, polygon: Range<usize>) -> impl Iterator<Item = &[f64]> + Clone {
        polygon.map(|corner| self.at(corner))
    }

    /// Returns the part of a polygon where a linear combination of the values is not negative.
    pub(super) fn cut(
        &mut self,
        polygon: Range<usize>,
        height: impl Fn(&[f64]) -> f64,
    ) -> Range<usize> {
        let first = self.corners.len();
        let mut from = polygon.end - 1;
        let mut here = height(self.at(from));
        for to in polygon {
            let there = height(self.at(to));
            if here * there < 0.0 {
                // From the inner end, so that both sides of an edge get the same point.
                let (inner, outer, part) = if here > 0.0 {
                    (from, to, here / (here - there))
                } else {
                    (to, from, there / (there - here))
                };
                self.append_between([inner, outer], part);
            }
            if there >= 0.0 {
                self.append_between([to, to], 1.0);
            }
            (from, here) = (to, there);
        }
        first..self.corners.len()
    }

    fn append_between(&mut self, [from, to]: [usize; 2], part: f64) {
        let (a, b) = (self.corners[from], self.corners[to]);
        self.corners.push(a + (b - a) * part);
        let end = self.values.len();
        let row = |corner: usize| corner * self.functions..(corner + 1) * self.functions;
        self.values.extend_from_within(row(to));
        let (values, new) = self.values.split_at_mut(end);
        for (new, from) in new.iter_mut().zip(&values[row(from)]) {
            *new = from + (*new - from) * part;
        }
    }
}
