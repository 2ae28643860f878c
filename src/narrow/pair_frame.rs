//! Two bodies in the frame of the first, and points of their Minkowski difference.

use glam::DVec3;

use crate::math::tolerance::{EDGE_SINE_SQUARED, GAP_BOUNDS, GAP_ERROR};
use crate::math::{MatrixPose, Pose3, cross_of_differences};
use crate::narrow::gjk::{Difference, Simplex};
use crate::shape::{Boundary, BoundaryEdge};

/// Returns the smaller number. `f64::min` takes five instructions, because of NaN.
#[inline]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Bodies `p` and `q` in the coordinates of `p`, about its center. Normals point from `p` to `q`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairFrame<'a> {
    pub(super) p: &'a Boundary,
    pub(super) q: &'a Boundary,
    /// Takes coordinates of `q` about its center to those of `p`. Its translation is the vector between the centers.
    pub(super) motion: MatrixPose,
    /// The largest of the sum of the circumscribed radii, the coordinates between the centers, and the sum of the distances
    /// of the centers from the origins of their shapes, each by its largest coordinate. Tolerances are relative to it.
    pub(super) size: f64,
}

impl<'a> PairFrame<'a> {
    #[inline]
    pub(super) fn new(p: &'a Boundary, q: &'a Boundary, relative: &Pose3) -> Self {
        let mut motion = MatrixPose::from(relative);
        motion.translation += motion.transform_vector(q.center) - p.center;
        let [x, y, z] = motion.translation.abs().to_array();
        let radii = p.circumscribed + q.circumscribed;
        let least = lesser(-radii, -(p.remoteness + q.remoteness));
        Self {
            p,
            q,
            motion,
            size: -lesser(lesser(-x, -y), lesser(-z, least)),
        }
    }

    /// Returns the body of a face or edge, `q` if `is_of_q`, and the other body.
    #[inline]
    pub(super) fn bodies(&self, is_of_q: bool) -> [&'a Boundary; 2] {
        if is_of_q {
            [self.q, self.p]
        } else {
            [self.p, self.q]
        }
    }

    /// Returns a point of the other body in the coordinates of the body of a feature.
    #[inline]
    pub(super) fn point_in_body(&self, x: DVec3, is_of_q: bool) -> DVec3 {
        if is_of_q {
            self.motion.inverse_transform_point(x)
        } else {
            self.motion.transform_point(x)
        }
    }

    /// Returns a direction of the body of a feature in the coordinates of the other body.
    #[inline]
    pub(super) fn vector_in_other(&self, normal: DVec3, is_of_q: bool) -> DVec3 {
        if is_of_q {
            self.motion.transform_vector(normal)
        } else {
            self.motion.inverse_transform_vector(normal)
        }
    }

    /// Returns the error bound of a gap whose upper and lower bound differ by `open`.
    #[inline]
    pub(super) fn error_bound(&self, open: f64) -> f64 {
        self.size * GAP_ERROR + (open - self.size * GAP_BOUNDS).max(0.0)
    }

    /// Returns the cross product of an edge of `p` and one of `q`, given in the frame of `p`.
    ///
    /// It is perpendicular to both vectors to some ulps, also if they are almost parallel. The edge of `q`
    /// is rotated as a vector: its ends, moved one by one, are rounded to the size of the bodies.
    #[inline]
    pub(super) fn cross(e: &BoundaryEdge, g: &BoundaryEdge, along_g: DVec3) -> DVec3 {
        let cross = e.along.cross(along_g);
        let lengths = e.length * g.length;
        if cross.length_squared() >= EDGE_SINE_SQUARED * (lengths * lengths) {
            return cross;
        }
        cross_of_differences([DVec3::ZERO, e.along], [DVec3::ZERO, along_g])
    }

    /// Returns a vertex of `q` in the coordinates of `p`.
    #[inline]
    pub(super) fn point_of_q(&self, id: u32) -> DVec3 {
        self.motion.transform_point(self.q.vertices[id as usize])
    }

    /// Returns the witness points on both bodies for the point of a simplex nearest to the origin.
    pub(super) fn witnesses(&self, simplex: &Simplex) -> (DVec3, DVec3) {
        let (mut on_p, mut on_q) = (DVec3::ZERO, DVec3::ZERO);
        for (point, weight) in simplex.weighted() {
            on_p += self.p.vertices[point.p as usize] * weight;
            on_q += self.point_of_q(point.q) * weight;
        }
        (on_p, on_q)
    }

    /// Returns the difference of two vertices, `None` if the bodies do not have them.
    #[inline]
    pub(super) fn find(&self, p: u32, q: u32) -> Option<Difference> {
        let (a, b) = (
            self.p.vertices.get(p as usize)?,
            self.q.vertices.get(q as usize)?,
        );
        let x = self.motion.transform_point(*b) - *a;
        Some(Difference { x, p, q })
    }

    /// Returns the difference of two vertices of the bodies.
    #[inline]
    pub(super) fn difference(&self, p: u32, q: u32) -> Difference {
        let x = self.point_of_q(q) - self.p.vertices[p as usize];
        Difference { x, p, q }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;

    /// The size is the largest coordinate between the centers on any axis, or the sum of the radii.
    #[test]
    fn size_of_a_pair() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let body = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let boundary = body.boundary();
        let size = |between| {
            let pose = Pose3::new(glam::DQuat::IDENTITY, between).unwrap();
            PairFrame::new(boundary, boundary, &pose).size
        };
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for sign in [-1.0, 1.0] {
                assert_eq!(size((axis * 64.0 + DVec3::splat(8.0)) * sign), 72.0);
            }
            assert_eq!(size(axis * 0.125), 2.0 * boundary.circumscribed);
        }
    }

    /// Two equal tetrahedra, one moved: the weights of the corners hold for both witness points.
    #[test]
    fn witnesses_of_a_triangle() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * 4.0);
        let body = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let boundary = body.boundary();
        let pose = Pose3::new(glam::DQuat::IDENTITY, DVec3::Z * 8.0).unwrap();
        let frame = PairFrame::new(boundary, boundary, &pose);
        let points = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let mut ids = 0..3_u32;
        let points = points.map(|(x, y)| {
            let id = ids.next().unwrap();
            Difference {
                x: DVec3::new(x, y, 2.0),
                p: id,
                q: 3 - id,
            }
        });
        let (on_p, on_q) = frame.witnesses(&Simplex::triangle(points));
        let mean = |ids: [usize; 3]| {
            let [a, b, c] = ids.map(|id| boundary.vertices[id]);
            a * 0.5 + b * 0.25 + c * 0.25
        };
        assert!(on_p.distance(mean([0, 1, 2])) < 1e-14);
        assert!(on_q.distance(mean([3, 2, 1]) + DVec3::Z * 8.0) < 1e-14);
    }

    /// An error bound contains the whole difference of the bounds beyond their rounding.
    #[test]
    fn error_of_an_open_gap() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let body = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let frame = PairFrame::new(body.boundary(), body.boundary(), &Pose3::IDENTITY);
        let least = frame.error_bound(0.0);
        assert!(least > 0.0 && least < 1e-13);
        assert_eq!(frame.error_bound(frame.size * GAP_BOUNDS), least);
        assert!((frame.error_bound(0.5) - 0.5).abs() < 1e-13);
    }
}
