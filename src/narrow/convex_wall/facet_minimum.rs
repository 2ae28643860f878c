//! The minimum of phi on a convex polygon.
//!
//! phi(x) = max over the faces of a convex body of `n . x - offset`. Inside the body it is minus the distance
//! to the surface. On a plane it is the maximum of linear functions, so its minimum over a polygon is a linear
//! program in two unknowns and the value. Cutting planes solve it (J. E. Kelley, "The cutting-plane method
//! for solving convex programs", Journal of the SIAM 8 (1960) 703-712): the face that is largest at the
//! present point is added to those already used. It is active at the next optimum, because the value can only
//! grow. So the next point is the lowest corner of the polygon that is left where no other face used is
//! larger.

use glam::{DVec2, DVec3};

use crate::shape::Face;

/// A plane with coordinates: the point `origin + u x + v y`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chart {
    pub(super) origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Chart {
    pub(super) fn new(origin: DVec3, normal: DVec3) -> Self {
        let u = normal.any_orthonormal_vector();
        let v = normal.cross(u);
        Self { origin, u, v }
    }

    pub(super) fn to_plane(&self, x: DVec3) -> DVec2 {
        let arm = x - self.origin;
        DVec2::new(self.u.dot(arm), self.v.dot(arm))
    }

    pub(super) fn to_space(&self, x: DVec2) -> DVec3 {
        self.origin + self.u * x.x + self.v * x.y
    }
}

/// The value of a face on a chart: `gradient . x + level`.
#[derive(Clone, Copy, Debug)]
struct Linear {
    gradient: DVec2,
    level: f64,
}

impl Linear {
    fn at(&self, x: DVec2) -> f64 {
        self.gradient.dot(x) + self.level
    }
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct FacetMinimum {
    pub(super) polygon: Vec<DVec2>,
    used: Vec<Linear>,
    left: Vec<DVec2>,
    uncut: Vec<DVec2>,
}

impl FacetMinimum {
    /// Returns the minimum of phi on `polygon`, which has a corner, and a point where it is taken, to
    /// `tolerance`. A value that is not negative is a lower bound only.
    pub(super) fn find(&mut self, faces: &[Face], chart: &Chart, tolerance: f64) -> (f64, DVec2) {
        self.used.clear();
        let mut point = self.polygon[0];
        let mut bound = f64::NEG_INFINITY;
        loop {
            let x = chart.to_space(point);
            let values = faces.iter().map(|face| face.normal.dot(x) - face.offset);
            let largest = (values.enumerate()).fold((0, f64::NEG_INFINITY), |most, (i, value)| {
                if value > most.1 { (i, value) } else { most }
            });
            let (face, value) = (&faces[largest.0], largest.1);
            if value <= bound + tolerance || bound >= 0.0 || self.used.len() == faces.len() {
                return (value.max(bound), point);
            }
            let added = Linear {
                gradient: DVec2::new(chart.u.dot(face.normal), chart.v.dot(face.normal)),
                level: face.normal.dot(chart.origin) - face.offset,
            };
            self.left.clone_from(&self.polygon);
            for i in 0..self.used.len() {
                let other = self.used[i];
                self.cut(|x| added.at(x) - other.at(x));
            }
            self.used.push(added);
            let values = self.left.iter().map(|&x| (added.at(x), x));
            let lowest = values.reduce(|least, next| if next.0 < least.0 { next } else { least });
            let Some(lowest) = lowest else {
                // The faces cross within rounding.
                return (value, point);
            };
            (bound, point) = lowest;
        }
    }

    /// Keeps the part of what is left where `height` is not negative.
    fn cut(&mut self, height: impl Fn(DVec2) -> f64) {
        std::mem::swap(&mut self.left, &mut self.uncut);
        self.left.clear();
        for (i, &from) in self.uncut.iter().enumerate() {
            let to = self.uncut[if i + 1 == self.uncut.len() { 0 } else { i + 1 }];
            let (here, there) = (height(from), height(to));
            if here >= 0.0 {
                self.left.push(from);
            }
            if here * there < 0.0 {
                self.left.push(from + (to - from) * (here / (here - there)));
            }
        }
    }
}
