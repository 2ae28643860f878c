//! The common plane without a state, or from one that no longer holds.

use glam::DVec3;

use super::contact_polygon::{ContactPolygon, extreme};
use super::difference_polytope::DifferencePolytope;
use super::exhaustive::{self, ExhaustiveBuffers};
use super::expanding_polytope::{ExpandingPolytope, NearestFacet};
use super::feature_pair::{FeaturePair, Plane};
use super::pair_frame::PairFrame;
use super::state::Certificate;
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, NEAR_NORMAL, SHORT_GAP, STRICT, TIED_GAP, TIED_HEIGHT};
use crate::narrow::gjk::{Difference, Proximity, Simplex};
use crate::shape::{Boundary, Feature};

/// Buffers of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchBuffers {
    pub(super) polytope: ExpandingPolytope,
    pub(super) patch: ContactPolygon,
    exhaustive: ExhaustiveBuffers,
}

/// What a search has found.
pub(super) struct SearchResult {
    /// `None` if the gap is beyond the margin.
    pub(super) plane: Option<Plane>,
    pub(super) pair: FeaturePair,
    /// The gap is at least this, if it is positive.
    pub(super) gap: f64,
    /// What proves the plane of bodies that overlap for some time.
    pub(super) polytope: Option<DifferencePolytope>,
    pub(super) is_exhaustive: bool,
}

/// Where to search from: the facet of the difference that a pair's plane is in, with the foot of
/// the origin, or a vertex.
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

/// The triangle, of those from its first corner, in which a point of a face is.
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

/// The ends of an edge, the nearer one first.
fn ends_from(body: &Boundary, edge: u32, x: DVec3) -> [u32; 2] {
    let e = &body.edges[edge as usize];
    let [a, b] = e.ends;
    if (x - e.origin).dot(e.along) * 2.0 <= e.length * e.length {
        [a, b]
    } else {
        [b, a]
    }
}

/// Whether bodies overlap, from a plane of theirs.
#[cold]
#[inline(never)]
pub(super) fn overlap(frame: &PairFrame, pair: FeaturePair, plane: Plane) -> bool {
    let start = start(frame, pair, Some(plane));
    let nearest = start.map(|start| SupportMap::new(frame).nearest(start, 0.0));
    matches!(nearest, Some(Proximity::Around(_)))
}

/// Searches from a simplex on. `is_cold` says that the start depends on the poses only; an
/// answer that rests on a tie is then taken, else it is left to a cold search, `None`.
pub(super) fn search(
    frame: &SupportMap,
    scratch: &mut SearchBuffers,
    start: (Simplex, DVec3),
    margin: f64,
    is_cold: bool,
) -> Option<SearchResult> {
    let found = match frame.nearest(start, margin) {
        Proximity::Beyond(gap) => {
            return Some(SearchResult {
                plane: None,
                pair: FeaturePair::None,
                gap,
                polytope: None,
                is_exhaustive: false,
            });
        }
        Proximity::Apart(simplex) => apart(frame, &simplex, is_cold),
        Proximity::Around(tetrahedron) => {
            overlapping(frame, &mut scratch.polytope, tetrahedron, is_cold)
        }
        Proximity::Touching(simplex) => touching(frame, &simplex),
    };
    match found {
        None if is_cold => {
            let plane = exhaustive::plane(frame, &mut scratch.exhaustive, &mut scratch.patch);
            let is_same =
                |strict: &Plane| (strict.gap - plane.gap).abs() <= frame.size * GAP_BOUNDS;
            let corner = |body: &Boundary, i: usize| {
                let id = body.corners(plane.features[i]).next();
                ([id.unwrap_or(0), 0, 0], 1)
            };
            let (p, q) = (corner(frame.p, 0), corner(frame.q, 1));
            let found = match (SimplexVertices { p, q }).near(frame, Some(plane.normal), is_same) {
                Some((pair, strict)) => SearchResult::new(strict, pair),
                None => SearchResult::new(plane, FeaturePair::None),
            };
            Some(SearchResult {
                is_exhaustive: true,
                ..found
            })
        }
        found => found,
    }
}

/// From the simplex of the nearest points.
fn apart(frame: &SupportMap, simplex: &Simplex, is_cold: bool) -> Option<SearchResult> {
    let ids = SimplexVertices::of(simplex.points());
    let strict = ids
        .pair(frame)
        .and_then(|pair| Some((pair, pair.plane(frame)?)));
    let strict = strict.or_else(|| ids.near(frame, None, |plane| plane.gap > 0.0));
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
    // Of a short difference the direction is vague.
    let is_clear = gap > frame.size * SHORT_GAP;
    let upper =
        closed(frame, normal, gap, ids.features(frame, normal), simplex).filter(|_| is_clear)?;
    Some(SearchResult::new(upper, FeaturePair::None))
}

/// From a simplex that the origin is in, to rounding.
fn touching(frame: &PairFrame, simplex: &Simplex) -> Option<SearchResult> {
    let clear = frame.size * STRICT;
    let is_global =
        |plane: &Plane| plane.gap >= 0.0 || Certificate::of(frame, plane).is_global(clear);
    let (pair, plane) = SimplexVertices::of(simplex.points()).near(frame, None, is_global)?;
    Some(SearchResult::new(plane, pair))
}

/// From a tetrahedron around the origin.
fn overlapping(
    frame: &SupportMap,
    expansion: &mut ExpandingPolytope,
    tetrahedron: [Difference; 4],
    is_cold: bool,
) -> Option<SearchResult> {
    let nearest = expansion.nearest_facet(frame, tetrahedron)?;
    let NearestFacet {
        corners,
        normal,
        distance,
    } = nearest;
    let ids = SimplexVertices::of(&corners);
    let slack = frame.size * TIED_GAP;
    let is_nearest = |plane: &Plane| plane.gap <= slack && (-plane.gap - distance).abs() <= slack;
    let strict = ids
        .pair(frame)
        .and_then(|pair| Some((pair, pair.plane(frame)?)));
    let strict = strict.filter(|(_, plane)| is_nearest(plane));
    if let Some((pair, plane)) = strict.or_else(|| ids.near(frame, Some(-normal), is_nearest)) {
        let clear = frame.size * STRICT;
        let mut polytope = None;
        if !Certificate::of(frame, &plane).is_global(clear) {
            let (d, rho) = (-plane.gap, plane.inset);
            let bounds = [d + clear, (d * d + rho * rho).sqrt()];
            // Another plane may be as good: which of them is found depends on the start.
            if expansion.depth_elsewhere(frame, &plane, bounds) <= bounds[0] {
                if !is_cold {
                    return None;
                }
                if -distance - plane.gap > frame.size * GAP_BOUNDS {
                    return None;
                }
            }
            polytope = expansion.surface();
        }
        return Some(SearchResult {
            polytope,
            ..SearchResult::new(plane, pair)
        });
    }
    if !is_cold {
        return None;
    }
    let features = ids.features(frame, -normal);
    let normal = match features {
        [Feature::Facet(face), _] => frame.p.faces[face as usize].normal,
        [_, Feature::Facet(face)] => -frame
            .motion
            .transform_vector(frame.q.faces[face as usize].normal),
        _ => -normal,
    };
    let plane = closed(
        frame,
        normal,
        -distance,
        features,
        &Simplex::triangle(corners),
    )?;
    Some(SearchResult::new(plane, FeaturePair::None))
}

/// The plane with a normal, if the gap along it is as large as its upper bound: that of a simplex
/// which has the foot of the origin in it. Facets that meet at a small angle can both be near, and
/// the part of the difference between them far.
fn closed(
    frame: &SupportMap,
    normal: DVec3,
    upper: f64,
    features: [Feature; 2],
    simplex: &Simplex,
) -> Option<Plane> {
    let farthest = frame.farthest(-normal, simplex.points().first()?);
    let gap = normal.dot(farthest.x);
    // Weights of a flat triangle are no numbers.
    let (on_p, on_q) = frame.witnesses(simplex);
    let has_foot = on_p.distance(on_q) <= upper.abs() + frame.size * TIED_GAP;
    ((upper - gap).abs() <= frame.size * GAP_BOUNDS && has_foot).then(|| Plane {
        gap,
        normal,
        on_p: (on_p + on_q) * 0.5 - normal * (0.5 * gap),
        inset: 0.0,
        features,
        error_bound: frame.error_bound((upper - gap).abs()),
    })
}

impl SearchResult {
    /// No contact.
    pub(super) fn nothing() -> Self {
        Self {
            plane: None,
            pair: FeaturePair::None,
            gap: 0.0,
            polytope: None,
            is_exhaustive: false,
        }
    }

    fn new(plane: Plane, pair: FeaturePair) -> Self {
        Self {
            gap: plane.gap,
            polytope: None,
            plane: Some(plane),
            pair,
            is_exhaustive: false,
        }
    }
}

/// The different vertices of each body in some differences.
struct SimplexVertices {
    p: ([u32; 3], usize),
    q: ([u32; 3], usize),
}

impl SimplexVertices {
    fn of(points: &[Difference]) -> Self {
        let different = |id: &dyn Fn(&Difference) -> u32| {
            let (mut ids, mut count) = ([0; 3], 0);
            for id in points.iter().map(id) {
                if !ids[..count].contains(&id) && count < 3 {
                    ids[count] = id;
                    count += 1;
                }
            }
            (ids, count)
        };
        Self {
            p: different(&|point| point.p),
            q: different(&|point| point.q),
        }
    }

    fn p(&self) -> &[u32] {
        &self.p.0[..self.p.1]
    }

    fn q(&self) -> &[u32] {
        &self.q.0[..self.q.1]
    }

    /// The pair of features that the vertices span, in general position.
    fn pair(&self, frame: &PairFrame) -> Option<FeaturePair> {
        let (a, b) = (frame.p, frame.q);
        Some(match (self.p(), self.q()) {
            (&[p], &[q]) => FeaturePair::VertexVertex(p, q),
            (&[p0, p1], &[q]) => FeaturePair::EdgeVertex(a.edge_between(p0, p1)?, q),
            (&[p], &[q0, q1]) => FeaturePair::VertexEdge(p, b.edge_between(q0, q1)?),
            (&[p0, p1], &[q0, q1]) => {
                FeaturePair::EdgeEdge(a.edge_between(p0, p1)?, b.edge_between(q0, q1)?)
            }
            (p, &[q]) => FeaturePair::FaceVertex(a.face_with(p)?, q),
            (&[p], q) => FeaturePair::VertexFace(p, b.face_with(q)?),
            _ => return None,
        })
    }

    /// What the vertices span; of vertices that are in line with others, what is extreme along the
    /// normal.
    fn features(&self, frame: &PairFrame, normal: DVec3) -> [Feature; 2] {
        let slack = frame.size * TIED_HEIGHT;
        let p = feature(frame.p, self.p()).unwrap_or_else(|| extreme(frame.p, normal, slack));
        let q = feature(frame.q, self.q()).unwrap_or_else(|| {
            let local = frame.motion.inverse_transform_vector(-normal);
            extreme(frame.q, local, slack)
        });
        [p, q]
    }

    /// A strict pair among the features that touch the vertices: of many of them only with a
    /// normal that the plane is known to have.
    fn near(
        &self,
        frame: &PairFrame,
        normal: Option<DVec3>,
        is_wanted: impl Fn(&Plane) -> bool,
    ) -> Option<(FeaturePair, Plane)> {
        const MANY: usize = 1 << 12;
        let count = |body: &Boundary, ids: &[u32]| -> usize {
            ids.iter().map(|&id| body.spokes(id).len()).sum()
        };
        if normal.is_none() && count(frame.p, self.p()) * count(frame.q, self.q()) > MANY {
            return None;
        }
        let strict = |pair: FeaturePair| {
            let plane = pair.plane(frame)?;
            is_wanted(&plane).then_some((pair, plane))
        };
        let normals = [
            normal,
            normal.map(|n| -frame.motion.inverse_transform_vector(n)),
        ];
        let [p, q] = [self.p(), self.q()].map(|ids| ids.iter().copied());
        let p_edges = edges_at(frame.p, self.p(), normals[0]);
        let q_edges = edges_at(frame.q, self.q(), normals[1]);
        let p_faces = faces_at(frame.p, self.p(), normals[0]);
        let q_faces = faces_at(frame.q, self.q(), normals[1]);
        first(&p_faces, &q_faces, FeaturePair::FaceFace, strict)
            .or_else(|| first(&p_faces, &q, FeaturePair::FaceVertex, strict))
            .or_else(|| first(&p, &q_faces, FeaturePair::VertexFace, strict))
            .or_else(|| first(&p_edges, &q, FeaturePair::EdgeVertex, strict))
            .or_else(|| first(&p, &q_edges, FeaturePair::VertexEdge, strict))
            .or_else(|| first(&p, &q, FeaturePair::VertexVertex, strict))
            .or_else(|| first(&p_edges, &q_edges, FeaturePair::EdgeEdge, strict))
    }
}

/// The first pair that is accepted.
fn first<T>(
    ps: &(impl Iterator<Item = u32> + Clone),
    qs: &(impl Iterator<Item = u32> + Clone),
    pair: fn(u32, u32) -> FeaturePair,
    accept: impl Fn(FeaturePair) -> Option<T>,
) -> Option<T> {
    let mut pairs = ps.clone().flat_map(|p| qs.clone().map(move |q| pair(p, q)));
    pairs.find_map(accept)
}

/// The edges at some vertices that are level along a normal; those between two of them twice.
fn edges_at<'a>(
    body: &'a Boundary,
    ids: &'a [u32],
    normal: Option<DVec3>,
) -> impl Iterator<Item = u32> + Clone {
    let is_level = move |edge: &u32| {
        let edge = &body.edges[*edge as usize];
        normal.is_none_or(|n| n.dot(edge.along).abs() <= NEAR_NORMAL * edge.length)
    };
    spoke_edges(body, ids).filter(is_level)
}

/// The faces at some vertices that have a normal, each more than once.
fn faces_at<'a>(
    body: &'a Boundary,
    ids: &'a [u32],
    normal: Option<DVec3>,
) -> impl Iterator<Item = u32> + Clone {
    let faces = spoke_edges(body, ids).flat_map(|edge| body.edges[edge as usize].faces);
    let distance = move |face: &u32, n: DVec3| n.distance(body.faces[*face as usize].normal);
    faces.filter(move |face| normal.is_none_or(|n| distance(face, n) <= NEAR_NORMAL))
}

fn spoke_edges<'a>(body: &'a Boundary, ids: &'a [u32]) -> impl Iterator<Item = u32> + Clone {
    let spokes = ids.iter().flat_map(|&id| body.spokes(id));
    spokes.map(|spoke| spoke.edge)
}

/// What some vertices of a body span.
fn feature(body: &Boundary, ids: &[u32]) -> Option<Feature> {
    match *ids {
        [vertex] => Some(Feature::Vertex(vertex)),
        [a, b] if body.edge_between(a, b).is_some() => Some(Feature::edge(a, b)),
        _ => body.face_with(ids).map(Feature::Facet),
    }
}
