//! Two bodies in the frame of the first.

use glam::DVec3;

use crate::math::tolerance::{EDGE_SINE_SQUARED, GAP_BOUNDS, GAP_ERROR};
use crate::math::{MatrixPose, Pose3, cross_of_differences};
use crate::narrow::gjk::{Difference, Simplex};
use crate::shape::{Boundary, Edge};

/// The smaller one: `f64::min` takes five instructions for numbers that are not.
#[inline]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Bodies `p` and `q` in the coordinates of `p`. Normals point from `p` to `q`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairFrame<'a> {
    pub(super) p: &'a Boundary,
    pub(super) q: &'a Boundary,
    /// From `q`'s coordinates to `p`'s, both about the bodies' centres.
    pub(super) motion: MatrixPose,
    /// The sum of the circumscribed radii or, for bodies that are farther apart, their distance.
    pub(super) size: f64,
}

impl<'a> PairFrame<'a> {
    #[inline]
    pub(super) fn new(p: &'a Boundary, q: &'a Boundary, relative: &Pose3) -> Self {
        let mut motion = MatrixPose::from(relative);
        motion.translation += motion.transform_vector(q.center) - p.center;
        let [x, y, z] = motion.translation.abs().to_array();
        let radii = p.circumscribed + q.circumscribed;
        Self {
            p,
            q,
            motion,
            size: -lesser(lesser(-x, -y), lesser(-z, -radii)),
        }
    }

    /// The body that a face or an edge is of, and the other one.
    #[inline]
    pub(super) fn bodies(&self, is_of_q: bool) -> [&'a Boundary; 2] {
        if is_of_q {
            [self.q, self.p]
        } else {
            [self.p, self.q]
        }
    }

    /// A point of the other body in the coordinates of the one.
    #[inline]
    pub(super) fn point_in_body(&self, x: DVec3, is_of_q: bool) -> DVec3 {
        if is_of_q {
            self.motion.inverse_transform_point(x)
        } else {
            self.motion.transform_point(x)
        }
    }

    /// A direction of the one body in the coordinates of the other.
    #[inline]
    pub(super) fn vector_in_other(&self, normal: DVec3, is_of_q: bool) -> DVec3 {
        if is_of_q {
            self.motion.transform_vector(normal)
        } else {
            self.motion.inverse_transform_vector(normal)
        }
    }

    /// From the centre of `p` to that of `q`.
    #[inline]
    pub(super) fn centers(&self) -> DVec3 {
        self.motion.translation
    }

    /// The error_bound of an answer whose bounds are `open` apart.
    #[inline]
    pub(super) fn error_bound(&self, open: f64) -> f64 {
        self.size * GAP_ERROR + (open - self.size * GAP_BOUNDS).max(0.0)
    }

    /// The cross product of an edge of `p` with one of `q`, to some ten ulps of its length.
    #[inline]
    pub(super) fn cross(&self, e: &Edge, g: &Edge) -> DVec3 {
        let cross = e.along.cross(self.motion.transform_vector(g.along));
        let lengths = e.length * g.length;
        if cross.length_squared() >= EDGE_SINE_SQUARED * (lengths * lengths) {
            return cross;
        }
        let on_p = e.ends.map(|id| self.p.vertices[id as usize]);
        let on_q = g
            .ends
            .map(|id| self.motion.transform_point(self.q.vertices[id as usize]));
        cross_of_differences(on_p, on_q)
    }

    /// The point of a simplex that is nearest to the origin, as a point of each body.
    pub(super) fn witnesses(&self, simplex: &Simplex) -> (DVec3, DVec3) {
        let (mut on_p, mut on_q) = (DVec3::ZERO, DVec3::ZERO);
        for (point, weight) in simplex.weighted() {
            on_p += self.p.vertices[point.p as usize] * weight;
            on_q += self
                .motion
                .transform_point(self.q.vertices[point.q as usize])
                * weight;
        }
        (on_p, on_q)
    }

    /// The difference of two vertices, if there are such.
    #[inline]
    pub(super) fn find(&self, p: u32, q: u32) -> Option<Difference> {
        let (a, b) = (
            self.p.vertices.get(p as usize)?,
            self.q.vertices.get(q as usize)?,
        );
        let x = self.motion.transform_point(*b) - *a;
        Some(Difference { x, p, q })
    }

    /// The difference of two vertices that there are.
    #[inline]
    pub(super) fn difference(&self, p: u32, q: u32) -> Difference {
        let (a, b) = (self.p.vertices[p as usize], self.q.vertices[q as usize]);
        Difference {
            x: self.motion.transform_point(b) - a,
            p,
            q,
        }
    }
}
