//! Thin intersections of convex bodies: slender tips, and blades that cross.
//!
//! The cut is repeated with the planes of both bodies relative to a point of the intersection
//! ([`NearPlane`]).

use glam::DVec3;

use super::clip::{Clip, Vertex, rises};
use super::near_plane::NearPlane;
use super::sums::Sums;
use crate::shape::{Aabb, ConvexPolyhedron, HalfEdge};

/// A half-edge from each corner of a tetrahedron.
const FIRST: [u32; 4] = [0, 1, 3, 5];

/// The half-edges of any tetrahedron. 2 e has the direction of edge e of 01, 02, 03, 12, 13, 23. Face
/// k is opposite corner k.
const HALF_EDGES: [HalfEdge; 12] = {
    const fn half(origin: u32, next: u32, face: u32) -> HalfEdge {
        HalfEdge { origin, next, face }
    }
    [
        half(0, 8, 2),
        half(1, 2, 3),
        half(0, 7, 3),
        half(2, 4, 1),
        half(0, 11, 1),
        half(3, 0, 2),
        half(1, 10, 0),
        half(2, 1, 3),
        half(1, 5, 2),
        half(3, 6, 0),
        half(2, 9, 0),
        half(3, 3, 1),
    ]
};

/// The part of space below all planes.
#[derive(Clone, Debug, Default)]
pub(super) struct ThinPart {
    pub(super) clip: Clip,
    /// The plane of each face, and its number.
    planes: Vec<(NearPlane, u32)>,
}

impl ThinPart {
    /// Cuts a tetrahedron around the box `rough` by the planes of two bodies, which are numbered in
    /// this order. Returns whether anything is left, without faces of the tetrahedron.
    ///
    /// `moves` is 1 if the symbolic perturbation moves the first body, -1 if it moves the second.
    pub(super) fn cut(
        &mut self,
        rough: &Aabb<DVec3>,
        first: impl IntoIterator<Item = NearPlane>,
        second: impl IntoIterator<Item = NearPlane>,
        moves: f64,
    ) -> bool {
        let center = rough.center();
        let reach = rough.size().max_element();
        let corners = [
            DVec3::splat(-reach),
            DVec3::new(5.0, -1.0, -1.0) * reach,
            DVec3::new(-1.0, 5.0, -1.0) * reach,
            DVec3::new(-1.0, -1.0, 5.0) * reach,
        ];
        let vertices = corners.iter().zip(FIRST).map(|(&arm, first)| Vertex {
            position: center + arm,
            first,
        });
        self.clip.start(vertices, &HALF_EDGES, &[1, 2, 3, 0]);
        self.planes.clear();
        self.planes.resize(4, (NearPlane::default(), u32::MAX));
        let first = first.into_iter().map(|plane| (plane, false));
        let second = second.into_iter();
        let second = second.map(|plane| (plane, rises(plane.normal * moves)));
        for (number, (plane, tie_is_out)) in (0..).zip(first.chain(second)) {
            if self.clip.measure(&plane.rounded(), tie_is_out) {
                if !self.clip.cut(tie_is_out) {
                    return false;
                }
                self.planes.push((plane, number));
            }
        }
        let mut faces = self.clip.edges().flat_map(|edge| edge.faces);
        faces.all(|face| face >= 4)
    }

    /// Returns the number of the plane that made a face.
    #[inline]
    pub(super) fn number(&self, face: u32) -> u32 {
        self.planes[face as usize].1
    }

    /// Returns 6 V.
    pub(super) fn six_volumes(&self) -> f64 {
        let term = |face: u32, [a, b]: [DVec3; 2]| {
            self.planes[face as usize]
                .0
                .six_volumes([self.clip.point(face), a, b])
        };
        let edges = self.clip.edges();
        let terms = edges.map(|edge| {
            let ([own, other], [a, b]) = (edge.faces, edge.ends);
            term(own, [a, b]) + term(other, [b, a])
        });
        terms.sum()
    }
}

/// Returns whether the area of an intersection far exceeds its volume divided by its depth, V / |S|.
/// Its curve is then long. S comes from the sums of `faces`.
///
/// For a blade on a face, whose sides are w h apart at height h, curve length times 6 V is 3 / (2 w)
/// times (2 S)^2. Intersections that are deep compared with `extent`, the size of the bodies, must be
/// thinner.
#[inline]
pub(super) fn is_thin(six_volumes: f64, faces: &Sums, curve: &Sums, extent: f64) -> bool {
    let (length, squared) = (curve.length, faces.area.length_squared());
    if six_volumes > 0.0 && length * six_volumes > 3.0 * squared {
        let is_shallow = 16.0 * six_volumes < 3.0 * extent * squared.sqrt();
        is_shallow || length * six_volumes > 12.0 * squared
    } else {
        false
    }
}

/// Returns the planes of a polyhedron relative to a point.
pub(super) fn planes_near(
    body: &ConvexPolyhedron,
    point: DVec3,
) -> impl Iterator<Item = NearPlane> + '_ {
    let facets = body.surface().facets();
    facets.map(move |facet| NearPlane::new(facet.corners(), point))
}
