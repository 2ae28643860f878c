//! The search for the common plane, from a pair of features that no longer carries it or from a cold start.
//!
//! 1. GJK moves a simplex in the Minkowski difference D to the origin. It decides whether the bodies are separated,
//!    overlap or touch to rounding.
//! 2. Separated bodies: the simplex contains the point of D nearest to the origin. There is only one local maximum, so
//!    the pair of features at its vertices that passes its test carries the plane.
//! 3. Overlapping bodies: the expanding polytope gives the facet of D nearest to the origin, and a lower bound of the
//!    depth elsewhere. A pair at the facet is accepted if its depth is not larger than that of the facet.
//! 4. Ties to rounding: several pairs carry planes that are equally good. A search from a state returns `None`, so that
//!    the result does not depend on the state. A cold search takes the plane of the simplex if its bounds agree,
//!    otherwise it tests all pairs of features.

use glam::DVec3;

use super::certificate::Certificate;
use super::contact_polygon::ContactPolygon;
use super::difference_polytope::DifferencePolytope;
use super::exhaustive::{self, ExhaustiveBuffers};
use super::expanding_polytope::{ExpandingPolytope, NearestFacet};
use super::face_pair;
use super::feature_pair::{FeaturePair, Plane};
use super::simplex_features::{SimplexFeatures, VertexSet};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, STRICT, TIED_GAP, two_to};
use crate::narrow::gjk::{Difference, Proximity, Simplex};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, Feature};

/// The direction of a gap shorter than this is taken from features, not from its ends.
const SHORT_GAP: f64 = two_to(-7);

/// Buffers of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchBuffers {
    pub(super) polytope: ExpandingPolytope,
    pub(super) polygon: ContactPolygon,
    exhaustive: ExhaustiveBuffers,
}

/// The result of a search.
#[derive(Default)]
pub(super) struct SearchResult {
    /// `None` if the gap is beyond the margin.
    pub(super) plane: Option<Plane>,
    /// The features that carry the plane; none if they are tied.
    pub(super) pair: FeaturePair,
    /// A lower bound of the gap, if it is positive.
    pub(super) gap: f64,
    /// A polytope that certifies the plane of overlapping bodies for some steps.
    pub(super) polytope: Option<DifferencePolytope>,
}

impl SearchResult {
    fn new(plane: Plane, pair: FeaturePair) -> Self {
        Self {
            gap: plane.gap,
            plane: Some(plane),
            pair,
            ..Self::default()
        }
    }
}

/// Returns the simplex to start from. It has three corners around the projection of the origin onto the facet of the
/// pair, or a vertex of the pair. `None` without a pair.
pub(super) fn start(
    frame: &PairFrame,
    pair: FeaturePair,
    plane: Option<Plane>,
) -> Option<(Simplex, DVec3)> {
    let corners = plane.and_then(|plane| {
        let on_q = plane.on_p + plane.normal * plane.gap;
        let on_q = frame.motion.inverse_transform_point(on_q);
        Some(match pair {
            FeaturePair::FaceVertex(p, q) => {
                triangle_at(frame.p, p, plane.on_p).map(|p| frame.difference(p, q))
            }
            FeaturePair::VertexFace(p, q) => {
                triangle_at(frame.q, q, on_q).map(|q| frame.difference(p, q))
            }
            FeaturePair::EdgeEdge(p, q) => {
                let [p, far_p] = ends_from(frame.p, p, plane.on_p);
                let [q, far_q] = ends_from(frame.q, q, on_q);
                [[p, q], [far_p, q], [p, far_q]].map(|[p, q]| frame.difference(p, q))
            }
            _ => return None,
        })
    });
    match (corners, plane) {
        (Some(corners), Some(plane)) => {
            Some((Simplex::triangle(corners), plane.normal * plane.gap))
        }
        _ => {
            let (p, q) = pair.vertices(frame)?;
            let vertex = frame.difference(p, q);
            Some((Simplex::vertex(vertex), vertex.x))
        }
    }
}

/// Returns the triangle of a face that contains a point, of the triangles from its first corner.
fn triangle_at(body: &Boundary, face: u32, x: DVec3) -> [u32; 3] {
    let face = &body.faces[face as usize];
    let sides = body.sides(face);
    let corner = |i: usize| body.vertices[sides[i].corner as usize];
    let is_beyond = |i: &usize| {
        let diagonal = corner(*i) - corner(0);
        face.normal.dot(diagonal.cross(x - corner(0))) > 0.0
    };
    let last = (2..sides.len() - 1).find(|i| !is_beyond(i));
    let last = last.unwrap_or(sides.len() - 1);
    [0, last - 1, last].map(|i| sides[i].corner)
}

/// Returns the ends of an edge, the end closer to a point first.
fn ends_from(body: &Boundary, edge: u32, x: DVec3) -> [u32; 2] {
    let e = &body.edges[edge as usize];
    let [a, b] = e.ends;
    if (x - e.origin).dot(e.along) * 2.0 <= e.length * e.length {
        [a, b]
    } else {
        [b, a]
    }
}

/// Searches from a simplex. In a cold search the start depends on the poses only, so a tie may
/// decide; in any other search a tie gives `None`.
pub(super) fn search(
    frame: &SupportMap,
    buffers: &mut SearchBuffers,
    start: (Simplex, DVec3),
    margin: f64,
    is_cold: bool,
) -> Option<SearchResult> {
    let found = match frame.nearest(start, margin) {
        Proximity::Beyond(gap) => Some(SearchResult {
            gap,
            ..SearchResult::default()
        }),
        Proximity::Apart(simplex) => separated(frame, &simplex, is_cold),
        Proximity::Around(tetrahedron) => {
            overlapping(frame, &mut buffers.polytope, tetrahedron, is_cold)
        }
        Proximity::Touching(simplex) => touching(frame, &simplex),
    };
    if found.is_none() && is_cold {
        return Some(search_all(frame, buffers));
    }
    found
}

/// Tests all pairs of features. A pair at the features found that has the same gap is kept for the
/// next step.
fn search_all(frame: &SupportMap, buffers: &mut SearchBuffers) -> SearchResult {
    #[cfg(test)]
    super::tests::effort::count(&super::tests::effort::EXHAUSTIVE);
    let plane = exhaustive::plane(frame, &mut buffers.exhaustive, &mut buffers.polygon);
    let is_same = |strict: &Plane| (strict.gap - plane.gap).abs() <= frame.size * GAP_BOUNDS;
    let corner = |body: &Boundary, feature: Feature| {
        VertexSet::from_vertex(body.corners(feature).next().unwrap_or(0))
    };
    let features = SimplexFeatures {
        p: corner(frame.p, plane.features[0]),
        q: corner(frame.q, plane.features[1]),
    };
    let faces = face_pair::along(frame, plane.normal, is_same);
    let strict = faces.or_else(|| features.neighboring(frame, Some(plane.normal), is_same));
    match strict {
        Some((pair, strict)) => SearchResult::new(strict, pair),
        None => SearchResult::new(plane, FeaturePair::None),
    }
}

/// Returns the plane of separated bodies, from the simplex of the closest points.
fn separated(frame: &SupportMap, simplex: &Simplex, is_cold: bool) -> Option<SearchResult> {
    let features = SimplexFeatures::new(simplex.points());
    let strict = features
        .spanned(frame)
        .or_else(|| features.neighboring(frame, None, |plane| plane.gap > 0.0));
    if let Some((pair, plane)) = strict
        && plane.gap > 0.0
    {
        return Some(SearchResult::new(plane, pair));
    }
    if !is_cold {
        return None;
    }
    let (on_p, on_q) = frame.witnesses(simplex);
    let gap = on_p.distance(on_q);
    let normal = (on_q - on_p) * (1.0 / gap);
    let containing = features.containing(frame, normal);
    let of_face = face_normal(frame, containing);
    // A short difference has an inaccurate direction.
    let is_clear = of_face.is_some() || gap > frame.size * SHORT_GAP;
    let normal = of_face.unwrap_or(normal);
    let plane = certified(frame, normal, gap, containing, simplex).filter(|_| is_clear)?;
    Some(or_faces(frame, plane))
}

/// Returns the plane of bodies that touch, from a simplex that contains the origin to rounding.
fn touching(frame: &PairFrame, simplex: &Simplex) -> Option<SearchResult> {
    let clear = frame.size * STRICT;
    let is_global =
        |plane: &Plane| plane.gap >= 0.0 || Certificate::new(frame, plane).is_global(clear);
    let features = SimplexFeatures::new(simplex.points());
    let (pair, plane) = features.neighboring(frame, None, is_global)?;
    Some(SearchResult::new(plane, pair))
}

/// Returns the plane of overlapping bodies, from a tetrahedron around the origin.
fn overlapping(
    frame: &SupportMap,
    polytope: &mut ExpandingPolytope,
    tetrahedron: [Difference; 4],
    is_cold: bool,
) -> Option<SearchResult> {
    let facet = polytope.nearest_facet(frame, tetrahedron)?;
    let features = SimplexFeatures::new(&facet.corners);
    let slack = frame.size * TIED_GAP;
    // A small triangle has an inaccurate normal, so a pair at the triangle may have a smaller depth.
    let is_nearest = |plane: &Plane| plane.gap <= slack && -plane.gap - facet.distance <= slack;
    let strict = features
        .spanned(frame)
        .filter(|(_, plane)| is_nearest(plane))
        .or_else(|| features.neighboring(frame, Some(-facet.normal), is_nearest));
    match strict {
        Some(strict) => deepest(frame, polytope, facet.distance, strict, is_cold),
        None if is_cold => tied(frame, &facet, &features),
        None => None,
    }
}

/// Returns a plane of overlapping bodies if no other has a smaller depth, with a polytope if its
/// features alone do not certify that.
///
/// The start decides which of several equal planes is found. A cold search accepts it if its depth is also that of the
/// nearest facet.
fn deepest(
    frame: &SupportMap,
    polytope: &mut ExpandingPolytope,
    nearest: f64,
    (pair, plane): (FeaturePair, Plane),
    is_cold: bool,
) -> Option<SearchResult> {
    let found = SearchResult::new(plane, pair);
    let clear = frame.size * STRICT;
    if Certificate::new(frame, &plane).is_global(clear) {
        return Some(found);
    }
    // The disc of the certificate reaches no farther than the second bound.
    let (d, rho) = (-plane.gap, plane.inset);
    let bounds = [d + clear, (d * d + rho * rho).sqrt()];
    let is_tied = polytope.depth_elsewhere(frame, &plane, bounds) <= bounds[0];
    if is_tied && (!is_cold || -nearest - plane.gap > frame.size * GAP_BOUNDS) {
        return None;
    }
    Some(SearchResult {
        polytope: polytope.pack(),
        ..found
    })
}

/// Returns the plane of a facet of the difference that no single pair of features carries.
fn tied(
    frame: &SupportMap,
    facet: &NearestFacet,
    features: &SimplexFeatures,
) -> Option<SearchResult> {
    let containing = features.containing(frame, -facet.normal);
    let normal = face_normal(frame, containing).unwrap_or(-facet.normal);
    let simplex = Simplex::triangle(facet.corners);
    let plane = certified(frame, normal, -facet.distance, containing, &simplex)?;
    Some(or_faces(frame, plane))
}

/// Returns the normal of the first face of two features, from `p` to `q`.
fn face_normal(frame: &PairFrame, features: [Feature; 2]) -> Option<DVec3> {
    match features {
        [Feature::Facet(face), _] => Some(frame.p.faces[face as usize].normal),
        [_, Feature::Facet(face)] => {
            let normal = frame.q.faces[face as usize].normal;
            Some(-frame.motion.transform_vector(normal))
        }
        _ => None,
    }
}

/// Returns a tied plane, or the plane of two faces with the same gap, which a search from a state may find.
fn or_faces(frame: &PairFrame, plane: Plane) -> SearchResult {
    let is_same = |faces: &Plane| (faces.gap - plane.gap).abs() <= frame.size * GAP_BOUNDS;
    match face_pair::along(frame, plane.normal, is_same) {
        Some((pair, strict)) => SearchResult::new(strict, pair),
        None => SearchResult::new(plane, FeaturePair::None),
    }
}

/// Returns the plane with a normal, if the gap along it equals its upper bound.
///
/// The upper bound comes from a simplex that contains the projection of the origin. The gap along the normal must
/// separate its witness points. Where facets meet at a small angle, both are near the origin but the difference may be
/// far.
fn certified(
    frame: &SupportMap,
    normal: DVec3,
    upper: f64,
    features: [Feature; 2],
    simplex: &Simplex,
) -> Option<Plane> {
    let gap = frame.gap_along(normal);
    // The weights of a flat triangle are NaN.
    let (on_p, on_q) = frame.witnesses(simplex);
    let aside = on_q - on_p - normal * gap;
    let has_projection = aside.length() <= frame.size * TIED_GAP;
    ((upper - gap).abs() <= frame.size * GAP_BOUNDS && has_projection).then(|| Plane {
        gap,
        normal,
        on_p: (on_p + on_q) * 0.5 - normal * (0.5 * gap),
        inset: 0.0,
        thickness: 0.0,
        features,
        error_bound: frame.error_bound((upper - gap).abs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::common_plane::tests::{cube, frame};
    use crate::shape::ConvexPolyhedron;

    fn vertex_at(body: &ConvexPolyhedron, place: DVec3) -> u32 {
        let vertices = &body.boundary().vertices;
        vertices.iter().position(|&v| v == place).unwrap() as u32
    }

    /// A tied plane gives way to that of two faces if their gaps differ by at most [`GAP_BOUNDS`].
    #[test]
    fn faces_instead_of_a_tied_plane() {
        for half in [1.0, 1024.0] {
            let body = cube(half);
            let frame = frame([&body, &body], DVec3::new(0.25, 0.5, 2.0) * half);
            let slack = frame.size * GAP_BOUNDS;
            let found = |gap: f64| {
                let (_, faces) = face_pair::along(&frame, DVec3::Z, |_| true).unwrap();
                assert_eq!(faces.gap, 0.0);
                or_faces(&frame, Plane { gap, ..faces }).pair
            };
            for gap in [0.0, 0.5 * slack, -slack] {
                assert!(matches!(found(gap), FeaturePair::FaceFace(..)));
            }
            for gap in [2.0 * slack, -2.0 * slack, half] {
                assert_eq!(found(gap), FeaturePair::None);
            }
        }
    }

    /// The plane between two cubes above each other, from two corners above each other or not.
    #[test]
    fn bounds_of_a_gap() {
        let body = cube(1.0);
        let frame = frame([&body, &body], DVec3::Z * 3.0);
        let supports = SupportMap::new(&frame);
        let between = |x: f64, upper: f64| {
            let p = vertex_at(&body, DVec3::ONE);
            let q = vertex_at(&body, DVec3::new(x, 1.0, -1.0));
            let simplex = Simplex::vertex(frame.difference(p, q));
            let features = [Feature::Vertex(p), Feature::Vertex(q)];
            certified(&supports, DVec3::Z, upper, features, &simplex)
        };
        let plane = between(1.0, 1.0).unwrap();
        assert_eq!(
            (plane.gap, plane.normal, plane.on_p),
            (1.0, DVec3::Z, DVec3::ONE)
        );
        assert!(between(1.0, 1.5).is_none());
        assert!(between(-1.0, 1.0).is_none());
    }
}
