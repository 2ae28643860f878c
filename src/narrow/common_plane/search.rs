//! The search for the common plane, from a pair of features that no longer carries it or from a cold start.
//!
//! 1. GJK moves a simplex in the Minkowski difference D to the origin. It decides whether the bodies are separated,
//!    overlap or touch to rounding.
//! 2. Separated bodies: the simplex contains the point of D nearest to the origin. There is only one local maximum, so
//!    the pair of features at its vertices that passes its test carries the plane.
//! 3. Overlapping bodies: the expanding polytope gives the facet of D nearest to the origin, and a lower bound of the
//!    depth elsewhere. A pair at the facet is accepted if its depth is not larger than that of the facet.
//! 4. Ties to rounding: several pairs carry planes that are equally good. A search from a state returns `None`, so that
//!    the result does not depend on the state. A cold search expands the polytope to the nearest point or facet, and takes
//!    a normal there. What its upper and lower bound of the gap differ goes into the error bound.

use glam::DVec3;

use super::contact_polygon::{centered, extremes};
use super::expanding_polytope::{ExpandingPolytope, NearestPoint};
use super::feature_pair::{FeaturePair, Part, Plane};
use super::simplex_features::{at_simplex, at_vertices};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, STRICT, TIED_GAP};
use crate::narrow::gjk::{Proximity, Simplex};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, Feature};

/// Buffers of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchBuffers {
    pub(super) polytope: ExpandingPolytope,
    /// Of a contact polygon.
    pub(super) points: Vec<DVec3>,
    /// The features of both bodies at some vertices.
    parts: [Vec<Part>; 2],
}

/// The result of a search.
pub(super) struct SearchResult {
    /// A lower bound of the gap if it is beyond the margin.
    pub(super) plane: Result<Plane, f64>,
    /// The features that carry the plane, `None` if they are tied.
    pub(super) pair: Option<FeaturePair>,
    /// Whether the polytope in the buffers certifies the plane of overlapping bodies for some steps.
    pub(super) has_polytope: bool,
}

impl SearchResult {
    fn new(pair: Option<FeaturePair>, plane: Result<Plane, f64>) -> Self {
        Self {
            plane,
            pair,
            has_polytope: false,
        }
    }
}

/// Returns the simplex to start from. It has three corners around the projection of the origin onto the facet of the
/// pair, or a vertex of the pair. `None` if the bodies do not have the pair.
pub(super) fn start(
    frame: &PairFrame,
    pair: FeaturePair,
    plane: Option<Plane>,
) -> Option<(Simplex, DVec3)> {
    let corners = plane.and_then(|plane| {
        let on_q = plane.on_p + plane.normal * plane.gap;
        let on_q = frame.motion.inverse_transform_point(on_q);
        Some(match pair {
            [Part::Face(p), Part::Vertex(q)] => {
                triangle_at(frame.p, p, plane.on_p).map(|p| frame.difference(p, q))
            }
            [Part::Vertex(p), Part::Face(q)] => {
                triangle_at(frame.q, q, on_q).map(|q| frame.difference(p, q))
            }
            [Part::Edge(p), Part::Edge(q)] => {
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
            let [p, q] = pair;
            let vertex = frame.difference(p.vertex(frame.p)?, q.vertex(frame.q)?);
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

/// Searches from a simplex. `None` for a tie, which [`tied`] then decides in a cold search, whose start depends on the poses
/// only.
pub(super) fn search(
    frame: &SupportMap,
    buffers: &mut SearchBuffers,
    start: (Simplex, DVec3),
    margin: f64,
    is_cold: bool,
) -> Option<SearchResult> {
    let SearchBuffers {
        polytope, parts, ..
    } = buffers;
    match frame.nearest(start, margin) {
        Proximity::Beyond(gap) => Some(SearchResult::new(None, Err(gap))),
        Proximity::Around(tetrahedron) => {
            polytope.start(frame, &tetrahedron);
            overlapping(frame, polytope, parts, is_cold)
        }
        Proximity::Near(simplex) => {
            let is_largest = |plane: &Plane| plane.is_largest(frame);
            let found = at_simplex(frame, parts, simplex.points(), None, is_largest);
            if found.is_none() && is_cold {
                polytope.start(frame, simplex.points());
            }
            found.map(|(pair, plane)| SearchResult::new(Some(pair), Ok(plane)))
        }
    }
}

/// Returns the plane of overlapping bodies at the nearest facet of a polytope, if no other has a smaller depth. Adds a
/// polytope if the features of the plane alone do not certify that.
///
/// The start decides which of several equal planes is found. A cold search accepts it if its depth is also that of the
/// nearest facet.
fn overlapping(
    frame: &SupportMap,
    polytope: &mut ExpandingPolytope,
    parts: &mut [Vec<Part>; 2],
    is_cold: bool,
) -> Option<SearchResult> {
    let facet = polytope.nearest_facet(frame)?;
    let slack = frame.size * TIED_GAP;
    // A small triangle has an inaccurate normal, so a pair at the triangle may have a smaller depth.
    let is_nearest = |plane: &Plane| {
        plane.gap <= slack && -plane.gap - facet.distance <= slack + plane.thickness
    };
    let (pair, plane) = at_simplex(
        frame,
        parts,
        &polytope.corners(&facet),
        Some(-facet.normal),
        is_nearest,
    )?;
    let found = SearchResult::new(Some(pair), Ok(plane));
    if plane.is_largest(frame) {
        return Some(found);
    }
    // The disc of the certificate reaches no farther than the second bound.
    let (d, rho) = (-plane.gap, plane.inset);
    let bounds = [d + frame.size * STRICT, (d * d + rho * rho).sqrt()];
    let is_tied = polytope.depth_elsewhere(frame, &plane, bounds) <= bounds[0];
    let most = facet.distance + plane.thickness + frame.size * GAP_BOUNDS;
    if is_tied && (!is_cold || d > most) {
        return None;
    }
    Some(SearchResult {
        has_polytope: true,
        ..found
    })
}

/// Returns the plane at the nearest point of the difference that no single pair of features carries by more than
/// rounding, or that of a pair with the same gap, which a search from a state may find.
#[cold]
#[inline(never)]
pub(super) fn tied(frame: &SupportMap, buffers: &mut SearchBuffers) -> SearchResult {
    #[cfg(test)]
    super::tests::effort::count(&super::tests::effort::TIED);
    let nearest = buffers.polytope.nearest_point(frame);
    let plane = plane_at(frame, &mut buffers.points, &nearest);
    let is_same = |strict: &Plane| {
        (strict.gap - plane.gap).abs() <= strict.thickness + frame.size * GAP_BOUNDS
    };
    let [p, q] = plane.features;
    let corners = [frame.p.corners(p), frame.q.corners(q)];
    let strict = at_vertices(
        frame,
        &mut buffers.parts,
        corners,
        Some(plane.normal),
        is_same,
    );
    strict.map_or(SearchResult::new(None, Ok(plane)), |(pair, strict)| {
        SearchResult::new(Some(pair), Ok(strict))
    })
}

/// Returns the plane at the nearest point, with the contact in the middle of the features that are tied there.
fn plane_at(frame: &SupportMap, points: &mut Vec<DVec3>, nearest: &NearestPoint) -> Plane {
    let (features, is_level) = extremes(frame, nearest.normal, &nearest.simplex);
    let is_closed = |gap: f64| nearest.gap - gap <= frame.size * GAP_BOUNDS;
    // The normal of a face is more accurate than that of a triangle.
    let of_face = match features {
        [Feature::Facet(face), _] => Some(frame.p.faces[face as usize].normal),
        [_, Feature::Facet(face)] => {
            let normal = frame.q.faces[face as usize].normal;
            Some(-frame.motion.transform_vector(normal))
        }
        _ => None,
    };
    let of_face = of_face.map(|normal| (normal, frame.gap_along(normal)));
    let (normal, lower) = of_face
        .filter(|(_, gap)| is_closed(*gap))
        .unwrap_or_else(|| (nearest.normal, frame.gap_along(nearest.normal)));
    // The gap of separated bodies is that of points; the normal may be inaccurate.
    let gap = if nearest.gap > 0.0 {
        nearest.gap
    } else {
        lower
    };
    let (on_p, on_q) = frame.witnesses(&nearest.simplex);
    let plane = Plane {
        gap,
        normal,
        on_p: (on_p + on_q) * 0.5 - normal * (0.5 * gap),
        inset: 0.0,
        thickness: 0.0,
        features,
        error_bound: frame.error_bound((nearest.gap - lower).abs()),
    };
    let centered = is_level.then(|| centered(points, frame, &plane));
    centered.flatten().unwrap_or(plane)
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

    /// A simplex with more points than the nearest point needs: the features contain all, but the contact is not moved
    /// along features that are not level.
    #[test]
    fn corners_that_meet() {
        let tips = [DVec3::X, DVec3::Y, DVec3::Z].map(|v| [v, -v]).concat();
        let octahedron = ConvexPolyhedron::from_convex_hull(&tips).unwrap();
        let bodies = [&cube(1.0), &octahedron];
        let frame = frame(bodies, DVec3::new(1.0, 1.0, 2.0));
        let difference = |p: [f64; 3], q: DVec3| {
            frame.difference(vertex_at(bodies[0], p.into()), vertex_at(bodies[1], q))
        };
        let nearest = NearestPoint {
            simplex: Simplex::triangle([
                difference([1.0; 3], -DVec3::Z),
                difference([1.0, 1.0, -1.0], DVec3::X),
                difference([1.0, -1.0, 1.0], -DVec3::Z),
            ]),
            normal: DVec3::new(1.0, 0.25, 3.0).normalize(),
            gap: 0.0,
        };
        let plane = plane_at(&SupportMap::new(&frame), &mut Vec::new(), &nearest);
        assert!(plane.on_p.distance(DVec3::ONE) < 1e-14, "{plane:?}");
        let [p, q] = plane.features;
        assert!(matches!((p, q), (Feature::Facet(_), Feature::Edge(..))));
    }

    /// Two cubes above each other, from two corners above each other or not: the contact is in the middle of the faces. A
    /// gap of points beyond that along the normal goes into the error bound.
    #[test]
    fn bounds_of_a_gap() {
        let body = cube(1.0);
        let frame = frame([&body, &body], DVec3::Z * 3.0);
        let supports = SupportMap::new(&frame);
        let between = |x: f64, gap: f64| {
            let p = vertex_at(&body, DVec3::ONE);
            let q = vertex_at(&body, DVec3::new(x, 1.0, -1.0));
            let nearest = NearestPoint {
                simplex: Simplex::vertex(frame.difference(p, q)),
                normal: DVec3::Z,
                gap,
            };
            plane_at(&supports, &mut Vec::new(), &nearest)
        };
        let plane = between(1.0, 1.0);
        assert_eq!(
            (plane.gap, plane.normal, plane.on_p),
            (1.0, DVec3::Z, DVec3::Z)
        );
        assert!(plane.error_bound < 1e-13);
        let plane = between(1.0, 1.5);
        assert!(plane.gap == 1.5 && (plane.error_bound - 0.5).abs() < 1e-13);
        let plane = between(-1.0, 1.0);
        assert_eq!((plane.gap, plane.on_p), (1.0, DVec3::Z));
    }
}
