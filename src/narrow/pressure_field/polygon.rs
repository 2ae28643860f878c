//! Convex polygons with the values of linear functions at their corners.

use glam::DVec3;

/// A convex polygon, with the values of some linear functions at each corner.
///
/// A cut interpolates the values, so each is computed once for a corner of the uncut polygon.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygon {
    pub(super) corners: Vec<DVec3>,
    /// The values at the first corner, at the second one, and so on.
    values: Vec<f64>,
    functions: usize,
}

impl Polygon {
    /// Sets the corners, and the functions `slope . x`.
    pub(super) fn set(&mut self, corners: impl Iterator<Item = DVec3>, slopes: &[DVec3]) {
        self.clear(slopes.len());
        for x in corners {
            self.corners.push(x);
            self.values.extend(slopes.iter().map(|slope| slope.dot(x)));
        }
    }

    fn clear(&mut self, functions: usize) {
        self.functions = functions;
        self.corners.clear();
        self.values.clear();
    }

    /// Returns whether the polygon has an area, as far as its number of corners tells.
    pub(super) fn is_some(&self) -> bool {
        self.corners.len() > 2
    }

    /// Returns the values at a corner.
    #[inline]
    pub(super) fn at(&self, corner: usize) -> &[f64] {
        &self.values[corner * self.functions..][..self.functions]
    }

    /// Returns the values at each corner.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.functions.max(1))
    }

    /// Sets the polygon to the part of another one where a linear combination of the values is not negative.
    pub(super) fn set_part(&mut self, of: &Self, height: impl Fn(&[f64]) -> f64) {
        self.clear(of.functions);
        let Some(mut from) = of.corners.len().checked_sub(1) else {
            return;
        };
        let mut here = height(of.at(from));
        for to in 0..of.corners.len() {
            let there = height(of.at(to));
            if here * there < 0.0 {
                let part = here / (here - there);
                let (a, b) = (of.corners[from], of.corners[to]);
                self.corners.push(a + (b - a) * part);
                let values = of.at(from).iter().zip(of.at(to));
                self.values.extend(values.map(|(a, b)| a + (b - a) * part));
            }
            if there >= 0.0 {
                self.corners.push(of.corners[to]);
                self.values.extend_from_slice(of.at(to));
            }
            (from, here) = (to, there);
        }
    }

    /// Sets the polygon to another one with some of its functions.
    pub(super) fn set_with(&mut self, of: &Self, functions: &[usize]) {
        self.clear(functions.len());
        self.corners.extend_from_slice(&of.corners);
        for row in of.rows() {
            self.values.extend(functions.iter().map(|&i| row[i]));
        }
    }
}
