//! Pairs of faces that face each other, parallel to rounding or tilted slightly more.
//!
//! Bodies at rest lie on faces that are tilted against each other by 1e-14 to 1e-11 rad. Then no pair of
//! their features passes its test by more than [`STRICT`], and rounding would decide between corners far
//! from each other. The contact stays in the middle of the area in which the faces face each other.
//!
//! By linear programming duality, to first order in the tilt, the gap is the least height of one face over the other in
//! this area. A corner of the area is a vertex of a face or a crossing of two edges. So one of these pairs carries the
//! plane to rounding, and the gap of the bodies along its normal proves it. A pair that passes its own test is the
//! result. So a result has a single pair, and does not depend on the state.
//!
//! **Depths.** All pairs of corners lie within h of the plane, at a depth of at least d - h. So does a disc of radius
//! rho. The support function of D at an angle t from the normal is at least `d cos t` and `(d - h) cos t + rho sin t`.
//! The certificates use a disc of radius rho / 2 at depth d, which the second bound covers for t >= 2 h / rho. For
//! smaller t the first bound is short of d by `2 d (h / rho)^2`. This is 8 u of d by [`TILTED_FACES`].

use std::iter;

use glam::DVec3;

use super::feature_pair::{FeaturePair, Plane};
use crate::math::tolerance::{FEATURE_ROUNDING, GAP_BOUNDS, STRICT, two_to};
use crate::narrow::pair_frame::{PairFrame, lesser};
use crate::shape::{Boundary, Face, FaceSide, Feature};

/// Normals of faces that differ by less are parallel: corners of one face differ by less than [`GAP_BOUNDS`]
/// in height over the other.
const PARALLEL_FACES: f64 = 0.5 * GAP_BOUNDS;

/// Faces that are almost parallel make one facet of the Minkowski difference if its corners differ by less in
/// height.
const TILTED_HEIGHT: f64 = 16.0 * STRICT;

/// The same, relative to the width of the facet. The square of this ratio enters the error of a depth.
const TILTED_FACES: f64 = two_to(-26);

/// Faces with no more corners are compared corner by corner, without branches.
const FEW: usize = 8;

/// Tests two faces that are parallel to rounding, or [tilted].
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
    if angle_squared > TILTED_FACES * TILTED_FACES || !(f.is_whole && g.is_whole) {
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
    if angle_squared > PARALLEL_FACES * PARALLEL_FACES {
        return tilted(frame, [p, q], inset, angle_squared);
    }
    (inset > frame.size * STRICT).then_some(Plane {
        gap,
        normal: f.normal,
        on_p: DVec3::ZERO,
        inset,
        thickness: top - gap,
        features: [Feature::Facet(p), Feature::Facet(q)],
        error_bound: frame.error_bound(0.0),
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

/// Returns the plane of two tilted faces, if a pair of their features carries it by no more than rounding.
#[cold]
#[inline(never)]
fn tilted(frame: &PairFrame, [p, q]: [u32; 2], inset: f64, angle_squared: f64) -> Option<Plane> {
    let PairFrame { p: a, q: b, .. } = frame;
    let (f, g) = (&a.faces[p as usize], &b.faces[q as usize]);
    if !(is_alone(a, f) && is_alone(b, g)) {
        return None;
    }
    // A pair of features passes its test only if the faces are tilted by more than STRICT. The factor leaves room for
    // rounding.
    let least = 0.25 * STRICT;
    let mut pairs = features_of(frame, [p, q]);
    if angle_squared > least * least && pairs.clone().any(|pair| pair.plane(frame).is_some()) {
        return None;
    }
    let to_q = |normal| frame.motion.inverse_transform_vector(normal);
    let top = |normal| highest(a, f, normal);
    let bottom = |normal| highest(b, g, -to_q(normal));
    let plane = pairs.find_map(|pair| {
        let plane = pair.plane_to_rounding(frame)?;
        let on_p = a.farthest(plane.normal, top(plane.normal).0);
        let on_q = b.farthest(-to_q(plane.normal), bottom(plane.normal).0);
        let least = plane.normal.dot(frame.difference(on_p, on_q).x);
        // Almost parallel edges may cross far beyond their ends.
        let is_upper_bound = plane.inset >= -frame.size * FEATURE_ROUNDING;
        (is_upper_bound && plane.gap - least <= frame.size * GAP_BOUNDS).then_some(plane)
    })?;
    let thickness = top(plane.normal).1 + bottom(plane.normal).1;
    let most = lesser(frame.size * TILTED_HEIGHT, inset * TILTED_FACES);
    (thickness <= most).then_some(Plane {
        inset: 0.5 * inset,
        thickness,
        features: [p, q].map(Feature::Facet),
        ..plane
    })
}

/// Returns the pairs of features that may carry the plane of two faces: the lowest corner of each over the other face,
/// and all edges.
fn features_of<'a>(
    frame: &'a PairFrame,
    [p, q]: [u32; 2],
) -> impl Iterator<Item = FeaturePair> + Clone + 'a {
    let PairFrame { p: a, q: b, .. } = frame;
    let (f, g) = (&a.faces[p as usize], &b.faces[q as usize]);
    let top = highest(a, f, -frame.motion.transform_vector(g.normal)).0;
    let bottom = highest(b, g, -frame.motion.inverse_transform_vector(f.normal)).0;
    let crossings = a.sides(f).iter().flat_map(|side| {
        let others = b.sides(g).iter().map(|other| other.edge);
        others.map(|other| FeaturePair::EdgeEdge(side.edge, other))
    });
    let corners = [
        FeaturePair::FaceVertex(p, bottom),
        FeaturePair::VertexFace(top, q),
    ];
    corners.into_iter().chain(crossings)
}

/// Returns two faces along a normal, or features of them, if they are almost parallel and carry a plane that passes a
/// test.
pub(super) fn along(
    frame: &PairFrame,
    normal: DVec3,
    test: impl Fn(&Plane) -> bool,
) -> Option<(FeaturePair, Plane)> {
    let across = |body: &Boundary, normal: DVec3| {
        let cosine = |&face: &u32| body.faces[face as usize].normal.dot(normal);
        (0..body.faces.len() as u32).max_by(|a, b| cosine(a).total_cmp(&cosine(b)))
    };
    let p = across(frame.p, normal)?;
    let q = across(frame.q, -frame.motion.inverse_transform_vector(normal))?;
    let other = frame
        .motion
        .transform_vector(frame.q.faces[q as usize].normal);
    if (frame.p.faces[p as usize].normal + other).length() > TILTED_FACES {
        return None;
    }
    let mut pairs = iter::once(FeaturePair::FaceFace(p, q)).chain(features_of(frame, [p, q]));
    pairs.find_map(|pair| Some((pair, pair.plane(frame).filter(&test)?)))
}

/// Returns whether the faces around a face bend away by more than any tilt. Otherwise they may be tied with it.
fn is_alone(body: &Boundary, face: &Face) -> bool {
    body.sides(face).iter().all(|side| {
        let faces = body.edges[side.edge as usize].faces;
        let [m, n] = faces.map(|face| body.faces[face as usize].normal);
        m.distance_squared(n) > TILTED_FACES * TILTED_FACES
    })
}

/// Returns the highest corner of a face along a normal, and its height over the lowest one.
fn highest(body: &Boundary, face: &Face, normal: DVec3) -> (u32, f64) {
    let (mut highest, mut most, mut least) = (0, f64::NEG_INFINITY, f64::INFINITY);
    for &FaceSide { corner, .. } in body.sides(face) {
        let height = normal.dot(body.vertices[corner as usize]);
        if height > most {
            (highest, most) = (corner, height);
        }
        least = lesser(height, least);
    }
    (highest, most - least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose3;
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
        let (pair, plane) = along(&whole, DVec3::Z, |_| true).unwrap();
        assert_eq!((pair, plane.gap), (FeaturePair::FaceFace(top, bottom), 0.5));
        assert!(along(&whole, DVec3::new(0.6, 0.0, 0.8), |_| false).is_none());
        assert!(face_face(&frame([&body, &parts], at), top, bottom_part).is_none());
        assert!(face_face(&frame([&parts, &body], at), top_part, bottom).is_none());
    }

    /// A cube that is tilted on another one: the corners that may carry the plane are the nearest ones.
    #[test]
    fn corners_of_tilted_faces() {
        let body = cube(1.0);
        for tilt in
            [(1.0, 2.0), (-1.0, 2.0), (2.0, -1.0), (-2.0, -1.0)].map(|(x, y)| DVec3::new(x, y, 0.0))
        {
            let rotation = glam::DQuat::from_scaled_axis(tilt * 2.0_f64.powi(-20));
            let pose = Pose3::new_normalize(rotation, DVec3::Z * 2.5).unwrap();
            let frame = PairFrame::new(body.boundary(), body.boundary(), &pose);
            let [p, q] = [DVec3::Z, DVec3::NEG_Z].map(|normal| face_along(&body, normal));
            let pairs: Vec<_> = features_of(&frame, [p, q]).take(2).collect();
            // The rotation lowers the corners of q along tilt x z, and p is highest over q at the same place.
            let down = tilt.cross(DVec3::Z);
            let place = DVec3::new(down.x.signum(), down.y.signum(), 0.0);
            let corner = |z: f64| {
                let vertices = &body.boundary().vertices;
                vertices
                    .iter()
                    .position(|&v| v == place + DVec3::Z * z)
                    .unwrap() as u32
            };
            let expected = [
                FeaturePair::FaceVertex(p, corner(-1.0)),
                FeaturePair::VertexFace(corner(1.0), q),
            ];
            assert_eq!(pairs, expected);
        }
    }
}
