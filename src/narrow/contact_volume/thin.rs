//! What convex bodies share where it is thin: a slender tip, two blades that cross.
//!
//! A vertex in a common frame is rounded by some eps L, L the size of the bodies. Each such error alone
//! displaces a face, so V is off by eps L times the area of the surface, not only its projection: relative
//! to V that is far more than eps L / depth. Here the planes of both bodies are computed from their own
//! vertices, relative to one point O of the part, with heights of O in twice the digits. O is rounded once
//! in the other body's coordinates, which displaces the bodies by eps L as a whole.

use glam::DVec3;

use super::clip::{Clip, Vertex};
use super::sums::Sums;
use super::tetrahedron::{FIRST, HALF_EDGES};
use crate::math::accurate_orient3d;
use crate::shape::{Aabb, ConvexPolyhedron, FacePlane};

/// A plane that cuts, whether vertices on it are out, and a number of the caller's.
pub(super) type Cut = (FacePlane, bool, u32);

/// The part of a tetrahedron that all planes leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Thin {
    pub(super) clip: Clip<0>,
    /// Of each face, the number of its plane.
    numbers: Vec<u32>,
}

impl Thin {
    /// Cuts space around a part that is known roughly; whether anything is left, and nothing of the
    /// tetrahedron around it.
    pub(super) fn cut(&mut self, rough: &Aabb<DVec3>, cuts: impl Iterator<Item = Cut>) -> bool {
        let center = rough.center();
        let reach = rough.size().max_element();
        let corners = [
            DVec3::splat(-reach),
            DVec3::new(5.0, -1.0, -1.0) * reach,
            DVec3::new(-1.0, 5.0, -1.0) * reach,
            DVec3::new(-1.0, -1.0, 5.0) * reach,
        ];
        let vertices = corners.into_iter().zip(FIRST).map(|(arm, first)| Vertex {
            position: center + arm,
            heights: [],
            first,
        });
        self.clip.start(vertices, &HALF_EDGES, &[0, 1, 2, 3]);
        self.numbers.clear();
        self.numbers.resize(4, u32::MAX);
        for (plane, tie_is_out, number) in cuts {
            if self.clip.measure(&plane, tie_is_out) {
                if !self.clip.cut(tie_is_out) {
                    return false;
                }
                self.numbers.push(number);
            }
        }
        let mut faces = self.clip.edges().flat_map(|edge| edge.faces);
        faces.all(|face| face >= 4)
    }

    /// Of the plane that made a face.
    #[inline]
    pub(super) fn number(&self, face: u32) -> u32 {
        self.numbers[face as usize]
    }
}

/// Whether a part is small next to bodies of size `extent`, and its area much more than its volume by its
/// depth, V / |S|: the curve around it is long. S is of the sums of `faces`.
#[inline]
pub(super) fn is_thin(six_volumes: f64, faces: &Sums, curve: &Sums, extent: f64) -> bool {
    six_volumes > 0.0
        && curve.length < 0.5 * extent
        && curve.length * six_volumes > 12.0 * faces.area.length_squared()
}

/// The half-spaces of a polyhedron, relative to a point.
pub(super) fn planes_near(
    body: &ConvexPolyhedron,
    point: DVec3,
) -> impl Iterator<Item = FacePlane> + '_ {
    let faces = body.half_edges().planes.iter().zip(body.surface().facets());
    faces.map(move |(plane, facet)| {
        let mut corners = facet.corners();
        let first = corners.next().unwrap_or(point);
        let mut last = corners.next().unwrap_or(point);
        let heights = corners.map(|corner| {
            let height = accurate_orient3d(first, last, corner, point);
            last = corner;
            height
        });
        FacePlane {
            offset: -heights.sum::<f64>(),
            ..*plane
        }
    })
}
