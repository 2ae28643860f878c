//! Half-edges and half-spaces of tetrahedra.

use glam::DVec3;

use super::clip::{Clip, Vertex};
use super::near_plane::NearPlane;
use crate::shape::{FacePlane, HalfEdge, TET_FACES, TetMesh};

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

impl<const K: usize> Clip<K> {
    /// Starts with a tetrahedron. Face k is opposite corner k.
    pub(super) fn start_tetrahedron(&mut self, corners: &[DVec3; 4], heights: [[f64; K]; 4]) {
        let vertices = (0..4).map(|i| Vertex {
            position: corners[i],
            heights: heights[i],
            first: FIRST[i],
        });
        self.start(vertices, &HALF_EDGES, &[1, 2, 3, 0]);
    }
}

/// Returns the half-spaces of a tetrahedron.
#[inline]
pub(super) fn planes(corners: &[DVec3; 4], ids: [u32; 4]) -> [FacePlane; 4] {
    // An array's map is not inlined here.
    let [a, b, c, d] = TET_FACES;
    [
        plane(corners, ids, a),
        plane(corners, ids, b),
        plane(corners, ids, c),
        plane(corners, ids, d),
    ]
}

/// Returns the half-space of a face, the exact negative of its neighbor's: both are computed from
/// the corners in the order of their ids.
#[inline]
fn plane(corners: &[DVec3; 4], ids: [u32; 4], face: [usize; 3]) -> FacePlane {
    let ([i, j, k], sign) = by_id(ids, face);
    let origin = corners[i];
    let normal = (corners[j] - origin).cross(corners[k] - origin) * sign;
    FacePlane {
        normal,
        offset: normal.dot(origin),
        length: 0.0,
    }
}

/// Returns a face's corners in the order of their ids, and the sign of this permutation.
#[inline]
fn by_id(ids: [u32; 4], [mut i, mut j, mut k]: [usize; 3]) -> ([usize; 3], f64) {
    let mut sign = 1.0;
    let mut sort = |i: &mut usize, j: &mut usize| {
        if ids[*i] > ids[*j] {
            std::mem::swap(i, j);
            sign = -sign;
        }
    };
    sort(&mut i, &mut j);
    sort(&mut j, &mut k);
    sort(&mut i, &mut j);
    ([i, j, k], sign)
}

/// Returns the planes of a tetrahedron's faces, relative to a point in its own coordinates. The planes
/// of neighbors are exact negatives, as in [`plane`].
pub(super) fn thin_planes(mesh: &TetMesh, tetrahedron: u32, point: DVec3) -> [NearPlane; 4] {
    let (corners, ids) = (
        mesh.corners(tetrahedron),
        mesh.tetrahedra()[tetrahedron as usize],
    );
    TET_FACES.map(|face| {
        let (order, sign) = by_id(ids, face);
        NearPlane::new(order.map(|i| corners[i]).into_iter(), point).times(sign)
    })
}
