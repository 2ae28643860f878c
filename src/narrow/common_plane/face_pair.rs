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

use glam::DVec3;

use super::feature_pair::Plane;
use crate::math::tolerance::STRICT;
use crate::narrow::pair_frame::{PairFrame, lesser};
use crate::shape::{Face, Feature};

/// Normals of faces that differ by less are parallel.
const PARALLEL_FACES: f64 = 0.5 * STRICT;

/// Tests two faces that are parallel.
///
/// No vertex of one face and no crossing of their edges is a strict maximum then. The whole face minus face is a facet
/// of the Minkowski difference, and the origin projects into it where the faces overlap. Returns `None` for parts of a
/// larger planar face, which are tied.
#[inline(never)]
pub(super) fn face_face(frame: &PairFrame, [p, q]: [u32; 2]) -> Option<Plane> {
    let (f, g) = (
        frame.p.faces.get(p as usize)?,
        frame.q.faces.get(q as usize)?,
    );
    let sum = f.normal + frame.motion.transform_vector(g.normal);
    let angle_squared = sum.length_squared();
    if angle_squared > PARALLEL_FACES * PARALLEL_FACES || !(f.is_whole && g.is_whole) {
        return None;
    }
    let (mut gap, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for side in frame.q.sides(g) {
        let height = f.normal.dot(frame.point_of_q(side.corner)) - f.offset;
        (gap, top) = (lesser(height, gap), -lesser(-height, -top));
    }
    let inset = lesser(
        least_reach(frame, [f, g], false),
        least_reach(frame, [g, f], true),
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

/// Returns the least depth to which a face reaches inside an edge of another face, of `q` if `is_of_q`. The edges of the
/// facet of D are those of both faces.
fn least_reach(frame: &PairFrame, [face, other]: [&Face; 2], is_of_q: bool) -> f64 {
    let [body, other_body] = frame.bodies(is_of_q);
    let center = frame.point_in_body(DVec3::ZERO, is_of_q);
    let mut least = f64::INFINITY;
    for side in body.sides(face) {
        let normal = frame.vector_in_other(side.normal, is_of_q);
        let corners = other_body.sides(other).iter().map(|side| side.corner);
        let heights = corners.map(|id| normal.dot(other_body.vertices[id as usize]));
        let lowest = heights.fold(f64::INFINITY, lesser);
        least = lesser(side.offset - side.normal.dot(center) - lowest, least);
    }
    least
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
        assert_eq!(face_face(&whole, [top, bottom]).unwrap().gap, 0.5);
        assert!(face_face(&frame([&body, &parts], at), [top, bottom_part]).is_none());
        assert!(face_face(&frame([&parts, &body], at), [top_part, bottom]).is_none());
    }
}
