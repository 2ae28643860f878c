//! Pairs of faces that face each other, parallel to rounding or tilted slightly more.
//!
//! Bodies at rest lie on faces that are tilted against each other by 1e-16 to 1e-12 rad. Then no pair of
//! their features passes its test by more than [`STRICT`], and rounding would decide between corners far
//! from each other. Faces within [`PARALLEL_FACES`] are a pair of their own, with the contact in the middle of the area
//! in which they face each other. The normal is that of the first face. The gap along it is a lower bound of the gap. An
//! upper bound is the height of the highest corner, and the difference of both goes into the error bound.
//!
//! An edge of a face is at most two sizes long, so its ends differ by at most STRICT of the size in height. A pair of
//! features of such faces does not pass its own test. So a result has a single pair, and does not depend on the state.

use std::iter;

use glam::DVec3;

use super::feature_pair::{FeaturePair, Plane};
use crate::math::tolerance::{STRICT, two_to};
use crate::narrow::pair_frame::{PairFrame, lesser};
use crate::shape::{Boundary, Feature};

/// Normals of faces that differ by less are parallel.
const PARALLEL_FACES: f64 = 0.5 * STRICT;

/// Features of faces whose normals differ by less may be tied to rounding.
const ALMOST_PARALLEL: f64 = two_to(-26);

/// Faces with no more corners are compared corner by corner, without branches.
const FEW: usize = 8;

/// Tests two faces that are parallel.
///
/// No vertex of one face and no crossing of their edges is a strict maximum then. The whole face minus face is a facet
/// of the Minkowski difference, and the origin projects into it where the faces overlap. Returns `None` for parts of a
/// larger planar face, which are tied.
#[inline(never)]
pub(super) fn face_face(frame: &PairFrame, p: u32, q: u32) -> Option<Plane> {
    let (f, g) = (
        frame.p.faces.get(p as usize)?,
        frame.q.faces.get(q as usize)?,
    );
    let sum = f.normal + frame.motion.transform_vector(g.normal);
    let angle_squared = sum.length_squared();
    if angle_squared > PARALLEL_FACES * PARALLEL_FACES || !(f.is_whole && g.is_whole) {
        return None;
    }
    let [on_p, on_q] = [frame.p.sides(f), frame.q.sides(g)];
    let of_p = |i: usize| frame.p.vertices[on_p[i].corner as usize];
    // Each corner is needed several times; the first ones are moved once.
    let mut moved = [DVec3::ZERO; FEW];
    for (place, side) in moved.iter_mut().zip(on_q) {
        *place = frame.point_of_q(side.corner);
    }
    let of_q = |i: usize| match moved.get(i) {
        Some(corner) => *corner,
        None => frame.point_of_q(on_q[i].corner),
    };
    let (mut gap, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in (0..on_q.len()).map(of_q) {
        let height = f.normal.dot(corner) - f.offset;
        (gap, top) = (lesser(height, gap), -lesser(-height, -top));
    }
    let p_edges = on_p.iter().map(|side| (side.normal, side.offset));
    let q_edges = on_q.iter().map(|side| {
        let normal = frame.motion.transform_vector(side.normal);
        (normal, side.offset + normal.dot(frame.centers()))
    });
    let inset = lesser(
        least_reach(p_edges, on_q.len(), of_q),
        least_reach(q_edges, on_p.len(), of_p),
    );
    (inset > frame.size * STRICT).then_some(Plane {
        gap,
        normal: f.normal,
        on_p: DVec3::ZERO,
        inset,
        thickness: top - gap,
        features: [Feature::Facet(p), Feature::Facet(q)],
        error_bound: frame.error_bound(top - gap),
    })
}

/// Returns the least depth to which a polygon reaches inside an edge of another polygon.
///
/// The edges of the facet of D are those of both polygons. Few corners are all compared. The polygons run
/// in opposite directions, so of many the deepest one moves backwards from edge to edge:
/// O(edges + corners). Rounding may stop it early, which makes the result smaller.
pub(super) fn least_reach(
    edges: impl ExactSizeIterator<Item = (DVec3, f64)>,
    corner_count: usize,
    corner: impl Fn(usize) -> DVec3,
) -> f64 {
    let (mut least, mut deepest) = (f64::INFINITY, None);
    let are_few = edges.len().max(corner_count) <= FEW;
    for (normal, offset) in edges {
        let reach = |i: usize| offset - normal.dot(corner(i));
        if are_few {
            let deeper = |most: f64, i| -lesser(-reach(i), -most);
            least = lesser((0..corner_count).fold(f64::NEG_INFINITY, deeper), least);
            continue;
        }
        let first = || (0..corner_count).max_by(|&i, &j| reach(i).total_cmp(&reach(j)));
        let Some(mut at) = deepest.or_else(first) else {
            return least;
        };
        let mut most = reach(at);
        for _ in 0..corner_count {
            let before = at.checked_sub(1).unwrap_or(corner_count - 1);
            let next = reach(before);
            if next < most {
                break;
            }
            (at, most) = (before, next);
        }
        deepest = Some(at);
        least = lesser(most, least);
    }
    least
}

/// Returns the two faces whose normals are closest to a normal, and the pairs of their corners and edges that may carry a
/// plane, if the faces are almost parallel.
///
/// A small face bends away from a tilted one by less than rounding, so a search may end at any of its corners.
pub(super) fn along<'a>(
    frame: &'a PairFrame,
    normal: DVec3,
) -> Option<impl Iterator<Item = FeaturePair> + 'a> {
    let across = |body: &Boundary, normal: DVec3| {
        let cosine = |&face: &u32| body.faces[face as usize].normal.dot(normal);
        (0..body.faces.len() as u32).max_by(|a, b| cosine(a).total_cmp(&cosine(b)))
    };
    let p = across(frame.p, normal)?;
    let q = across(frame.q, -frame.motion.inverse_transform_vector(normal))?;
    let normals = [&frame.p.faces[p as usize], &frame.q.faces[q as usize]].map(|face| face.normal);
    let sum = normals[0] + frame.motion.transform_vector(normals[1]);
    (sum.length() <= ALMOST_PARALLEL).then(|| features_of(frame, [p, q]))
}

/// Returns two faces and the pairs of their corners and edges that may carry a plane.
fn features_of<'a>(
    frame: &'a PairFrame,
    [p, q]: [u32; 2],
) -> impl Iterator<Item = FeaturePair> + 'a {
    let PairFrame { p: a, q: b, .. } = frame;
    let [on_p, on_q] = [a.sides(&a.faces[p as usize]), b.sides(&b.faces[q as usize])];
    let of_corners = on_q
        .iter()
        .map(move |side| FeaturePair::FaceVertex(p, side.corner));
    let corners_of = on_p
        .iter()
        .map(move |side| FeaturePair::VertexFace(side.corner, q));
    let crossings = on_p.iter().flat_map(move |side| {
        let others = on_q.iter().map(|other| other.edge);
        others.map(|other| FeaturePair::EdgeEdge(side.edge, other))
    });
    let faces = iter::once(FeaturePair::FaceFace(p, q));
    faces.chain(of_corners).chain(corners_of).chain(crossings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::common_plane::tests::{cube, frame};
    use crate::shape::ConvexPolyhedron;

    fn face_along(body: &ConvexPolyhedron, normal: DVec3) -> u32 {
        let faces = &body.boundary().faces;
        let face = faces.iter().position(|face| face.normal == normal);
        face.unwrap() as u32
    }

    /// Two cubes on each other: their faces carry the plane, but not if they are parts of a larger face.
    #[test]
    fn faces_on_each_other() {
        let body = cube(1.0);
        let parts = ConvexPolyhedron::try_from(body.surface().triangulated()).unwrap();
        let at = DVec3::new(0.25, 0.5, 2.5);
        let [top, bottom] = [DVec3::Z, DVec3::NEG_Z].map(|normal| face_along(&body, normal));
        let [top_part, bottom_part] =
            [DVec3::Z, DVec3::NEG_Z].map(|normal| face_along(&parts, normal));
        let whole = frame([&body, &body], at);
        assert_eq!(face_face(&whole, top, bottom).unwrap().gap, 0.5);
        for normal in [DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
            let pair = along(&whole, normal).unwrap().next();
            assert_eq!(pair, Some(FeaturePair::FaceFace(top, bottom)));
        }
        let corners = DVec3::AXES.map(|axis| [axis, -axis]).concat();
        let octahedron = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        assert!(along(&frame([&body, &octahedron], at), DVec3::Z).is_none());
        assert!(face_face(&frame([&body, &parts], at), top, bottom_part).is_none());
        assert!(face_face(&frame([&parts, &body], at), top_part, bottom).is_none());
    }
}
