//! The features of both bodies at the vertices of a simplex of the Minkowski difference.
//!
//! A search ends with a simplex that contains the point of the Minkowski difference nearest to the
//! origin. In general position its vertices span the pair of features that carries the plane. If
//! faces have more than three corners, or edges meet at small angles, they are only close to it. Then
//! the pairs of features at these vertices are tested.

use glam::DVec3;

use super::feature_pair::{FeaturePair, Part, Plane, strict_plane};
use crate::math::tolerance::two_to;
use crate::narrow::gjk::Difference;
use crate::narrow::pair_frame::PairFrame;
use crate::shape::Boundary;

/// Features whose normals differ by less from a known normal may carry its plane: ten times the
/// error of the normal of almost parallel edges.
const NEAR_NORMAL: f64 = two_to(-16);

/// Returns the pair of features that the vertices of a simplex span, or another one at these vertices, if it passes its
/// test and is wanted.
pub(super) fn at_simplex(
    frame: &PairFrame,
    buffers: &mut [Vec<Part>; 2],
    points: &[Difference],
    normal: Option<DVec3>,
    is_wanted: impl Fn(&Plane) -> bool,
) -> Option<(FeaturePair, Plane)> {
    let (mut ids, mut counts) = ([[u32::MAX; 3]; 2], [0; 2]);
    for point in points {
        for (k, id) in [point.p, point.q].into_iter().enumerate() {
            // Without branches, which could not be predicted.
            let [a, b, _] = ids[k];
            ids[k][counts[k]] = id;
            counts[k] += usize::from((id != a) & (id != b));
        }
    }
    let [p, q] = [0, 1].map(|k| &ids[k][..counts[k]]);
    let spanned = || {
        let pair = [part_with(frame.p, p)?, part_with(frame.q, q)?];
        Some((pair, strict_plane(frame, pair).filter(&is_wanted)?))
    };
    spanned().or_else(|| {
        let ids = [p, q].map(|ids| ids.iter().copied());
        at_vertices(frame, buffers, ids, normal, &is_wanted)
    })
}

/// Returns the feature that some vertices of a body span.
fn part_with(body: &Boundary, ids: &[u32]) -> Option<Part> {
    match *ids {
        [vertex] => Some(Part::Vertex(vertex)),
        [a, b] => body.edge_between(a, b).map(Part::Edge),
        _ => body.face_with(ids).map(Part::Face),
    }
}

/// Returns the first pair of features at some vertices that passes its test and is wanted.
///
/// If the normal of the plane is known, only features almost perpendicular to it are tested.
/// Otherwise large numbers of pairs are not tested.
pub(super) fn at_vertices(
    frame: &PairFrame,
    buffers: &mut [Vec<Part>; 2],
    [p, q]: [impl Iterator<Item = u32> + Clone; 2],
    normal: Option<DVec3>,
    is_wanted: impl Fn(&Plane) -> bool,
) -> Option<(FeaturePair, Plane)> {
    const MANY: usize = 1 << 12;
    let local = normal.map(|n| -frame.motion.inverse_transform_vector(n));
    let (p, q) = (parts(frame.p, p, normal), parts(frame.q, q, local));
    if normal.is_none() && p.clone().count() * q.clone().count() > MANY {
        return None;
    }
    let [of_p, of_q] = buffers;
    let (p, q) = (distinct(p, of_p), distinct(q, of_q));
    let mut pairs = p.iter().flat_map(|p| q.iter().map(|q| [*p, *q]));
    pairs.find_map(|pair| Some((pair, strict_plane(frame, pair).filter(&is_wanted)?)))
}

/// Returns features without those that come again, in a buffer.
fn distinct(parts: impl Iterator<Item = Part>, found: &mut Vec<Part>) -> &[Part] {
    found.clear();
    for part in parts {
        if !found.contains(&part) {
            found.push(part);
        }
    }
    found
}

/// Returns the features at some vertices of a body: faces whose normal is close to the given one, the vertices, and edges
/// almost perpendicular to the normal. Faces and edges may come several times.
fn parts(
    body: &Boundary,
    ids: impl Iterator<Item = u32> + Clone,
    normal: Option<DVec3>,
) -> impl Iterator<Item = Part> + Clone {
    let spokes = ids.clone().flat_map(|id| body.spokes(id));
    let edges = spokes.map(|spoke| spoke.edge);
    let faces = edges
        .clone()
        .flat_map(|edge| body.edges[edge as usize].existing_faces());
    let is_near = move |face: &u32| {
        let face = &body.faces[*face as usize];
        normal.is_none_or(|n| n.distance(face.normal) <= NEAR_NORMAL)
    };
    let is_level = move |edge: &u32| {
        let edge = &body.edges[*edge as usize];
        normal.is_none_or(|n| n.dot(edge.along).abs() <= NEAR_NORMAL * edge.length)
    };
    let faces = faces.filter(is_near).map(Part::Face);
    let edges = edges.filter(is_level).map(Part::Edge);
    faces.chain(ids.map(Part::Vertex)).chain(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::common_plane::tests::cube;

    /// Vertices of a cube that span a vertex, an edge, a face, or nothing.
    #[test]
    fn features_of_vertices() {
        let body = cube(1.0);
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
        let part = |ids: &[u32]| part_with(boundary, ids);
        assert_eq!(part(&[a]), Some(Part::Vertex(a)));
        let edge = boundary.edge_between(a, b).unwrap();
        assert_eq!(part(&[a, b]), Some(Part::Edge(edge)));
        let face = boundary.face_with(&[a, b, c]).unwrap();
        assert_eq!(part(&[a, b, c]), Some(Part::Face(face)));
        assert_eq!([part(&[a, c]), part(&[a, d])], [None; 2]);
    }
}
