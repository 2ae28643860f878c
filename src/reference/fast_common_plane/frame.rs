//! Two bodies in the frame of the first, and planes between them.

use super::body::PaperBody;
use crate::math::tolerance::FAST_PLANE_TIE;
use crate::math::{Pose, Vector};
use crate::shape::Feature;

/// Bodies `p` and `q` about the center of `p`, in its frame. Normals point from `p` to `q`.
#[derive(Debug)]
pub(super) struct PaperFrame<'a, V: Vector, B> {
    pub(super) p: &'a B,
    pub(super) q: &'a B,
    /// Rotates vectors of `q` to the frame of `p`.
    pub(super) pose: Pose<V>,
    /// The vector from the center of `p` to that of `q`.
    pub(super) between: V,
    /// The sum of the circumscribed radii or, for bodies that are farther apart, their distance.
    pub(super) size: f64,
}

/// A candidate plane, with the features that it is parallel to.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidatePlane<V> {
    pub(super) normal: V,
    /// The gap of all vertices.
    pub(super) gap: f64,
    pub(super) vertices: [u32; 2],
    pub(super) features: [Feature; 2],
}

impl<'a, V: Vector, B: PaperBody<V>> PaperFrame<'a, V, B> {
    pub(super) fn new(p: &'a B, q: &'a B, relative: &Pose<V>) -> Self {
        let between = relative.translation() + (relative.transform_vector(q.center()) - p.center());
        let radii = p.circumscribed() + q.circumscribed();
        Self {
            p,
            q,
            pose: *relative,
            between,
            size: radii.max(between.length()),
        }
    }

    /// Returns the frame with the second body translated.
    pub(super) fn moved(&self, by: V) -> Self {
        Self {
            between: self.between + by,
            ..*self
        }
    }

    /// Returns the vector from a vertex of `p` to one of `q`.
    pub(super) fn segment(&self, [a, b]: [u32; 2]) -> V {
        self.pose.transform_vector(self.q.vertex(b)) + (self.between - self.p.vertex(a))
    }

    /// Returns the plane along a unit vector, with the gap of all vertices.
    #[inline]
    pub(super) fn plane(
        &self,
        normal: V,
        from: [u32; 2],
        features: [Feature; 2],
    ) -> CandidatePlane<V> {
        let local = self.pose.inverse_transform_vector(normal);
        let a = self.p.farthest(normal, from[0]);
        let b = self.q.farthest(-local, from[1]);
        let gap = normal.dot(self.between - self.p.vertex(a)) + local.dot(self.q.vertex(b));
        CandidatePlane {
            normal,
            gap,
            vertices: [a, b],
            features,
        }
    }

    /// Step 2: returns the closest pair of the vertices that tie for the closest to the plane.
    pub(super) fn closest(&self, plane: &CandidatePlane<V>, ties: &mut [Vec<u32>; 2]) -> [u32; 2] {
        let local = self.pose.inverse_transform_vector(plane.normal);
        let directions = [plane.normal, -local];
        for ((body, ids), k) in [self.p, self.q].into_iter().zip(&mut *ties).zip(0..) {
            let most = directions[k].dot(body.vertex(plane.vertices[k]));
            let all = 0..body.vertex_count() as u32;
            ids.clear();
            ids.extend({ all }.filter(|&id| {
                directions[k].dot(body.vertex(id)) >= most - FAST_PLANE_TIE * self.size
            }));
        }
        let [of_p, of_q] = &*ties;
        if let (&[a], &[b]) = (&of_p[..], &of_q[..]) {
            return [a, b];
        }
        let mut nearest = (f64::INFINITY, plane.vertices);
        for &b in of_q {
            let from_center = self.pose.transform_vector(self.q.vertex(b)) + self.between;
            for &a in of_p {
                let distance_squared = (from_center - self.p.vertex(a)).length_squared();
                if distance_squared < nearest.0 {
                    nearest = (distance_squared, [a, b]);
                }
            }
        }
        nearest.1
    }
}
