//! The features of both bodies at the vertices of a simplex of the Minkowski difference.
//!
//! A search ends with a simplex that contains the point of the Minkowski difference nearest to the
//! origin. In general position its vertices span the pair of features that carries the plane. If
//! faces have more than three corners, or edges meet at small angles, they are only close to it. Then
//! the pairs of features at these vertices are tested.

use glam::DVec3;

use super::contact_polygon::extreme;
use super::feature_pair::{FeaturePair, Plane};
use crate::math::tolerance::{TIED_HEIGHT, two_to};
use crate::narrow::gjk::Difference;
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, Feature};

/// Features whose normals differ by less from a known normal may carry its plane: ten times the
/// error of the normal of almost parallel edges.
const NEAR_NORMAL: f64 = two_to(-16);

/// Up to three vertices of a body.
#[derive(Clone, Copy, Default)]
pub(super) struct VertexSet {
    ids: [u32; 3],
    count: usize,
}

impl VertexSet {
    fn insert(&mut self, id: u32) {
        if !self.ids().contains(&id) && self.count < 3 {
            self.ids[self.count] = id;
            self.count += 1;
        }
    }

    fn ids(&self) -> &[u32] {
        &self.ids[..self.count]
    }
}

/// The distinct vertices of each body in a simplex.
#[derive(Clone, Copy, Default)]
pub(super) struct SimplexFeatures {
    pub(super) p: VertexSet,
    pub(super) q: VertexSet,
}

impl SimplexFeatures {
    pub(super) fn new(points: &[Difference]) -> Self {
        let mut features = Self::default();
        for point in points {
            features.p.insert(point.p);
            features.q.insert(point.q);
        }
        features
    }

    /// Returns the pair of features that the vertices span in general position, if it passes its test.
    pub(super) fn spanned(&self, frame: &PairFrame) -> Option<(FeaturePair, Plane)> {
        let (a, b) = (frame.p, frame.q);
        let pair = match (self.p.ids(), self.q.ids()) {
            (&[p], &[q]) => FeaturePair::VertexVertex(p, q),
            (&[p0, p1], &[q]) => FeaturePair::EdgeVertex(a.edge_between(p0, p1)?, q),
            (&[p], &[q0, q1]) => FeaturePair::VertexEdge(p, b.edge_between(q0, q1)?),
            (&[p0, p1], &[q0, q1]) => {
                FeaturePair::EdgeEdge(a.edge_between(p0, p1)?, b.edge_between(q0, q1)?)
            }
            (p, &[q]) => FeaturePair::FaceVertex(a.face_with(p)?, q),
            (&[p], q) => FeaturePair::VertexFace(p, b.face_with(q)?),
            _ => return None,
        };
        Some((pair, pair.plane(frame)?))
    }

    /// Returns the features that contain the vertices. If the vertices span no feature, returns the
    /// extreme features along the normal.
    pub(super) fn containing(&self, frame: &PairFrame, normal: DVec3) -> [Feature; 2] {
        let slack = frame.size * TIED_HEIGHT;
        let p = feature_of(frame.p, self.p.ids());
        let q = feature_of(frame.q, self.q.ids());
        let p = p.unwrap_or_else(|| extreme(frame.p, normal, slack));
        let q = q.unwrap_or_else(|| {
            let local = frame.motion.inverse_transform_vector(-normal);
            extreme(frame.q, local, slack)
        });
        [p, q]
    }

    /// Returns the first pair of features at the vertices that passes its test and is wanted.
    ///
    /// If the normal of the plane is known, only features almost perpendicular to it are tested.
    /// Otherwise large numbers of pairs are not tested.
    pub(super) fn neighboring(
        &self,
        frame: &PairFrame,
        normal: Option<DVec3>,
        is_wanted: impl Fn(&Plane) -> bool,
    ) -> Option<(FeaturePair, Plane)> {
        const MANY: usize = 1 << 12;
        let [ids_p, ids_q] = [self.p.ids(), self.q.ids()];
        let count = |body: &Boundary, ids: &[u32]| -> usize {
            ids.iter().map(|&id| body.spokes(id).len()).sum()
        };
        if normal.is_none() && count(frame.p, ids_p) * count(frame.q, ids_q) > MANY {
            return None;
        }
        let test = |pair: FeaturePair| Some((pair, pair.plane(frame).filter(&is_wanted)?));
        let local = normal.map(|n| -frame.motion.inverse_transform_vector(n));
        let [p, q] = [ids_p, ids_q].map(|ids| ids.iter().copied());
        let p_edges = edges_at(frame.p, ids_p, normal);
        let q_edges = edges_at(frame.q, ids_q, local);
        let p_faces = faces_at(frame.p, ids_p, normal);
        let q_faces = faces_at(frame.q, ids_q, local);
        first(&p_faces, &q_faces, FeaturePair::FaceFace, test)
            .or_else(|| first(&p_faces, &q, FeaturePair::FaceVertex, test))
            .or_else(|| first(&p, &q_faces, FeaturePair::VertexFace, test))
            .or_else(|| first(&p_edges, &q, FeaturePair::EdgeVertex, test))
            .or_else(|| first(&p, &q_edges, FeaturePair::VertexEdge, test))
            .or_else(|| first(&p, &q, FeaturePair::VertexVertex, test))
            .or_else(|| first(&p_edges, &q_edges, FeaturePair::EdgeEdge, test))
    }
}

/// Returns the first pair that passes a test.
fn first<T>(
    ps: &(impl Iterator<Item = u32> + Clone),
    qs: &(impl Iterator<Item = u32> + Clone),
    pair: fn(u32, u32) -> FeaturePair,
    test: impl Fn(FeaturePair) -> Option<T>,
) -> Option<T> {
    let mut pairs = ps.clone().flat_map(|p| qs.clone().map(move |q| pair(p, q)));
    pairs.find_map(test)
}

/// Returns the edges at some vertices that are almost perpendicular to a normal. Edges between two of
/// the vertices come twice.
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

/// Returns the faces at some vertices whose normal is close to the given one. A face may come several
/// times.
fn faces_at<'a>(
    body: &'a Boundary,
    ids: &'a [u32],
    normal: Option<DVec3>,
) -> impl Iterator<Item = u32> + Clone {
    let faces = spoke_edges(body, ids).flat_map(|edge| body.edges[edge as usize].existing_faces());
    let distance = move |face: &u32, n: DVec3| n.distance(body.faces[*face as usize].normal);
    faces.filter(move |face| normal.is_none_or(|n| distance(face, n) <= NEAR_NORMAL))
}

fn spoke_edges<'a>(body: &'a Boundary, ids: &'a [u32]) -> impl Iterator<Item = u32> + Clone {
    let spokes = ids.iter().flat_map(|&id| body.spokes(id));
    spokes.map(|spoke| spoke.edge)
}

/// Returns the feature that some vertices of a body span.
fn feature_of(body: &Boundary, ids: &[u32]) -> Option<Feature> {
    match *ids {
        [vertex] => Some(Feature::Vertex(vertex)),
        [a, b] if body.edge_between(a, b).is_some() => Some(Feature::edge(a, b)),
        _ => body.face_with(ids).map(Feature::Facet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose3;
    use crate::shape::ConvexPolyhedron;

    /// Vertices of a cube that span a vertex, an edge, a face, or nothing. Then the normal decides.
    #[test]
    fn features_of_vertices() {
        let sign = |i: u32, k: u32| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
        let corners = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2)));
        let body = ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap();
        let frame = PairFrame::new(body.boundary(), body.boundary(), &Pose3::IDENTITY);
        let boundary = body.boundary();
        let at = |x: f64, y: f64, z: f64| {
            let place = DVec3::new(x, y, z);
            boundary.vertices.iter().position(|&v| v == place).unwrap() as u32
        };
        let (a, b, c, d) = (
            at(1.0, 1.0, 1.0),
            at(1.0, 1.0, -1.0),
            at(1.0, -1.0, -1.0),
            at(-1.0, -1.0, -1.0),
        );
        let feature = |ids: &[u32]| feature_of(boundary, ids);
        assert_eq!(feature(&[a]), Some(Feature::Vertex(a)));
        assert_eq!(feature(&[a, b]), Some(Feature::edge(a, b)));
        let face = boundary.face_with(&[a, b, c]).unwrap();
        assert_eq!(feature(&[a, c]), Some(Feature::Facet(face)));
        assert_eq!(feature(&[a, b, c]), Some(Feature::Facet(face)));
        assert_eq!(feature(&[a, d]), None);
        let mut ids = VertexSet::default();
        [a, d].into_iter().for_each(|id| ids.insert(id));
        let features = SimplexFeatures { p: ids, q: ids };
        let containing = |normal: DVec3| features.containing(&frame, normal.normalize());
        let both = [Feature::Vertex(a), Feature::Vertex(d)];
        assert_eq!(containing(DVec3::new(1.0, 2.0, 3.0)), both);
        let edge = Feature::edge(a, b);
        assert_eq!(containing(DVec3::new(1.0, 1.0, 0.0))[0], edge);
        assert_eq!(containing(DVec3::X)[0], Feature::Facet(face));
    }
}
