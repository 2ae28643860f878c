//! Pairs of features: which of them carry the common plane is decided by their neighbours alone.

use glam::DVec3;

use super::CommonPlaneContact;
use super::pair_frame::{PairFrame, lesser};
use crate::math::Vector;
use crate::math::tolerance::{PARALLEL_FACES, STRICT};
use crate::shape::{Boundary, Edge, Feature, Side};

/// A feature of the first body and one of the second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum FeaturePair {
    #[default]
    None,
    FaceVertex(u32, u32),
    VertexFace(u32, u32),
    EdgeEdge(u32, u32),
    EdgeVertex(u32, u32),
    VertexEdge(u32, u32),
    VertexVertex(u32, u32),
    /// Parallel to rounding.
    FaceFace(u32, u32),
}

/// A common plane in the coordinates of the first body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane<V = DVec3> {
    pub(super) gap: f64,
    pub(super) normal: V,
    /// The end of the gap on the first body; the other is `on_p + normal * gap`.
    pub(super) on_p: V,
    /// How far the foot is from the boundary of the face of the bodies' difference; 0 if there is
    /// no such face.
    pub(super) inset: f64,
    pub(super) features: [Feature; 2],
    pub(super) error_bound: f64,
}

impl FeaturePair {
    /// The same pair of the bodies in the other order.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::FaceVertex(p, q) => Self::VertexFace(q, p),
            Self::VertexFace(p, q) => Self::FaceVertex(q, p),
            Self::EdgeEdge(p, q) => Self::EdgeEdge(q, p),
            Self::EdgeVertex(p, q) => Self::VertexEdge(q, p),
            Self::VertexEdge(p, q) => Self::EdgeVertex(q, p),
            Self::VertexVertex(p, q) => Self::VertexVertex(q, p),
            Self::FaceFace(p, q) => Self::FaceFace(q, p),
        }
    }

    /// A vertex of each body on the pair, if there are such features.
    pub(super) fn vertices(self, frame: &PairFrame) -> Option<(u32, u32)> {
        let corner =
            |body: &Boundary, face: u32| Some(body.sides(body.faces.get(face as usize)?)[0].corner);
        let end = |body: &Boundary, edge: u32| Some(body.edges.get(edge as usize)?.ends[0]);
        let vertex = |body: &Boundary, id: u32| ((id as usize) < body.vertices.len()).then_some(id);
        let PairFrame { p: a, q: b, .. } = frame;
        Some(match self {
            Self::None => return None,
            Self::FaceVertex(p, q) => (corner(a, p)?, vertex(b, q)?),
            Self::VertexFace(p, q) => (vertex(a, p)?, corner(b, q)?),
            Self::EdgeEdge(p, q) => (end(a, p)?, end(b, q)?),
            Self::EdgeVertex(p, q) => (end(a, p)?, vertex(b, q)?),
            Self::VertexEdge(p, q) => (vertex(a, p)?, end(b, q)?),
            Self::VertexVertex(p, q) => (vertex(a, p)?, vertex(b, q)?),
            Self::FaceFace(p, q) => (corner(a, p)?, corner(b, q)?),
        })
    }

    /// The plane of this pair if it is a strict local maximum of the gap: for bodies that are
    /// apart the one and only maximum. `None` also where a tie is as close as rounding, but for two
    /// faces, and for features that are not there. Where two faces meet is left to
    /// [`ContactPolygon::place`](super::contact_polygon::ContactPolygon::place). O(size of the features).
    #[inline]
    pub(super) fn plane(self, frame: &PairFrame) -> Option<Plane> {
        #[cfg(test)]
        super::tests::effort::count(&super::tests::effort::PAIRS);
        match self {
            Self::None => None,
            Self::FaceVertex(p, q) => face_vertex(frame, p, q, false),
            Self::VertexFace(p, q) => face_vertex(frame, q, p, true),
            Self::EdgeEdge(p, q) => edge_edge(frame, p, q),
            Self::EdgeVertex(p, q) => edge_vertex(frame, p, q, false),
            Self::VertexEdge(p, q) => edge_vertex(frame, q, p, true),
            Self::VertexVertex(p, q) => vertex_vertex(frame, p, q),
            Self::FaceFace(p, q) => face_face(frame, p, q),
        }
    }
}

impl Plane {
    /// Whether a point of the bodies' difference is in the plane: to less than what is left open.
    #[inline]
    pub(super) fn has(&self, x: DVec3) -> bool {
        self.normal.dot(x) <= self.gap + 0.25 * self.error_bound
    }
}

impl<V: Vector> Plane<V> {
    /// For the bodies as they were passed, with its normal and `on_p` as they are in the world.
    #[inline]
    pub(super) fn contact(&self, turned: V, on_p: V, is_swapped: bool) -> CommonPlaneContact<V> {
        // A rotation is unit to some roundings only; one step of Newton's makes the normal so.
        let normal = turned * (1.5 - 0.5 * turned.length_squared());
        let on_q = on_p + normal * self.gap;
        let point = on_p + normal * (0.5 * self.gap);
        let [p, q] = self.features;
        let (normal, [point_a, point_b], [feature_a, feature_b]) = if is_swapped {
            (-normal, [on_q, on_p], [q, p])
        } else {
            (normal, [on_p, on_q], [p, q])
        };
        CommonPlaneContact {
            point,
            normal,
            overlap: -self.gap,
            point_a,
            point_b,
            feature_a,
            feature_b,
            error_bound: self.error_bound,
        }
    }
}

/// With the face on the first or the second body.
#[inline]
fn face_vertex(frame: &PairFrame, face: u32, vertex: u32, is_of_q: bool) -> Option<Plane> {
    let [body, other] = frame.bodies(is_of_q);
    let f = body.faces.get(face as usize)?;
    let corner = *other.vertices.get(vertex as usize)?;
    let x = frame.point_in_body(corner, is_of_q);
    let normal = frame.vector_in_other(f.normal, is_of_q);
    let slack = frame.size * STRICT;
    let mut inset = f64::INFINITY;
    for side in body.sides(f) {
        inset = lesser(side.offset - side.normal.dot(x), inset);
    }
    if inset <= slack || !is_nearest(other, vertex, normal, slack) {
        return None;
    }
    let gap = f.normal.dot(x) - f.offset;
    let (normal, on_p, features) = if is_of_q {
        (
            -normal,
            corner,
            [Feature::Vertex(vertex), Feature::Facet(face)],
        )
    } else {
        let foot = x - f.normal * gap;
        (
            f.normal,
            foot,
            [Feature::Facet(face), Feature::Vertex(vertex)],
        )
    };
    Some(Plane {
        gap,
        normal,
        on_p,
        inset,
        features,
        error_bound: frame.error_bound(0.0),
    })
}

/// Two faces so nearly parallel that no vertex of one and no crossing of their sides is a strict
/// maximum: then their whole difference is a facet of the bodies', and the foot inside it. `None` for
/// parts of a face, which are tied.
#[inline(never)]
fn face_face(frame: &PairFrame, p: u32, q: u32) -> Option<Plane> {
    let (f, g) = (
        frame.p.faces.get(p as usize)?,
        frame.q.faces.get(q as usize)?,
    );
    let sum = f.normal + frame.motion.transform_vector(g.normal);
    if sum.length_squared() > PARALLEL_FACES * PARALLEL_FACES || !(f.is_whole && g.is_whole) {
        return None;
    }
    let [on_p, on_q] = [frame.p.sides(f), frame.q.sides(g)];
    let a = |side: &Side| frame.p.vertices[side.corner as usize];
    let b = |side: &Side| {
        frame
            .motion
            .transform_point(frame.q.vertices[side.corner as usize])
    };
    let (mut gap, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in on_q.iter().map(b) {
        let height = f.normal.dot(corner) - f.offset;
        (gap, top) = (gap.min(height), top.max(height));
    }
    let of_p = on_p.iter().map(|side| (side.normal, side.offset));
    let of_q = on_q.iter().map(|side| {
        let normal = frame.motion.transform_vector(side.normal);
        (normal, side.offset + normal.dot(frame.centers()))
    });
    let inset =
        least_reach(of_p, on_q.len(), |i| b(&on_q[i]))
            .min(least_reach(of_q, on_p.len(), |i| a(&on_p[i])));
    (inset > frame.size * STRICT).then_some(Plane {
        gap,
        normal: f.normal,
        on_p: DVec3::ZERO,
        inset,
        features: [Feature::Facet(p), Feature::Facet(q)],
        error_bound: frame.error_bound(top - gap),
    })
}

/// How far a polygon reaches below the sides of another, where least. The polygons go around in
/// opposite directions, so the corner of farthest reach goes backwards from side to side: O(sides +
/// corners). Rounding may stop it early, which makes the reach smaller.
pub(super) fn least_reach(
    sides: impl Iterator<Item = (DVec3, f64)>,
    corner_count: usize,
    corner: impl Fn(usize) -> DVec3,
) -> f64 {
    let (mut least, mut farthest) = (f64::INFINITY, None);
    for (normal, offset) in sides {
        let reach = |i: usize| offset - normal.dot(corner(i));
        let first = || (0..corner_count).max_by(|&i, &j| reach(i).total_cmp(&reach(j)));
        let Some(mut at) = farthest.or_else(first) else {
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
        farthest = Some(at);
        least = least.min(most);
    }
    least
}

/// Whether all neighbours of a vertex are farther along a normal in the body's own frame.
#[inline]
fn is_nearest(body: &Boundary, vertex: u32, normal: DVec3, slack: f64) -> bool {
    let mut least = f64::INFINITY;
    for spoke in body.spokes(vertex) {
        least = lesser(normal.dot(spoke.along), least);
    }
    least > slack
}

#[inline]
fn edge_edge(frame: &PairFrame, p: u32, q: u32) -> Option<Plane> {
    let PairFrame { motion, size, .. } = frame;
    let (e, g) = (
        frame.p.edges.get(p as usize)?,
        frame.q.edges.get(q as usize)?,
    );
    let cross = frame.cross(e, g);
    let area_squared = cross.length_squared();
    let lengths = e.length * g.length;
    // Against edges that are almost parallel, whose normal is as vague.
    let slack = STRICT * lengths;
    if area_squared <= slack * lengths {
        return None;
    }
    // The normal comes out of the first body across its edge.
    let local = motion.inverse_transform_vector(cross);
    let [a, b] = e.outward.map(|o| cross.dot(o));
    let [c, d] = g.outward.map(|o| -local.dot(o));
    let sign = if a > 0.0 { 1.0 } else { -1.0 };
    let least = lesser(lesser(sign * a, sign * b), lesser(sign * c, sign * d));
    if least <= slack {
        return None;
    }
    let (u, v) = (e.along, motion.transform_vector(g.along));
    let between = motion.transform_point(g.origin) - e.origin;
    let unit = 1.0 / area_squared;
    let s = between.dot(v.cross(cross)) * unit;
    let t = between.dot(u.cross(cross)) * unit;
    let area = area_squared.sqrt();
    let sine = area / lengths;
    let inset = lesser(lesser(s, 1.0 - s) * e.length, lesser(t, 1.0 - t) * g.length) * sine;
    if inset * sine <= size * STRICT {
        return None;
    }
    let normal = cross * (sign * area * unit);
    let along_p = u * s;
    Some(Plane {
        // Between the feet an error of the normal, large for edges that are almost parallel, does
        // not count.
        gap: normal.dot(between + (v * t - along_p)),
        normal,
        on_p: e.origin + along_p,
        inset,
        features: [edge_feature(e), edge_feature(g)],
        error_bound: frame.error_bound(0.0),
    })
}

pub(super) fn edge_feature(edge: &Edge) -> Feature {
    Feature::Edge(edge.ends[0], edge.ends[1])
}

/// With the edge on the first or the second body.
#[inline]
fn edge_vertex(frame: &PairFrame, edge: u32, vertex: u32, is_of_q: bool) -> Option<Plane> {
    let [body, other] = frame.bodies(is_of_q);
    let e = body.edges.get(edge as usize)?;
    let corner = *other.vertices.get(vertex as usize)?;
    let x = frame.point_in_body(corner, is_of_q);
    let from_origin = x - e.origin;
    let s = from_origin.dot(e.along) / (e.length * e.length);
    let (outward, gap, slope) = apart(frame, from_origin - e.along * s)?;
    let outward = across(outward, e.along * (1.0 / e.length));
    let normal = frame.vector_in_other(outward, is_of_q);
    let is_on_edge = lesser(s, 1.0 - s) * e.length > frame.size * STRICT;
    let is_above = lesser(outward.dot(e.outward[0]), outward.dot(e.outward[1])) > slope;
    if !(is_on_edge && is_above && is_nearest(other, vertex, normal, slope * frame.size)) {
        return None;
    }
    let (normal, on_p, features) = if is_of_q {
        (-normal, corner, [Feature::Vertex(vertex), edge_feature(e)])
    } else {
        let foot = x - outward * gap;
        (outward, foot, [edge_feature(e), Feature::Vertex(vertex)])
    };
    Some(Plane {
        gap,
        normal,
        on_p,
        inset: 0.0,
        features,
        error_bound: frame.error_bound(0.0),
    })
}

/// A unit vector that is almost perpendicular to another, made so: over the length of an edge the
/// slope of a short difference of points stats, and the difference has lost it.
#[inline]
pub(super) fn across(n: DVec3, along: DVec3) -> DVec3 {
    let n = n - along * n.dot(along);
    n * (1.5 - 0.5 * n.length_squared())
}

#[inline]
fn vertex_vertex(frame: &PairFrame, p: u32, q: u32) -> Option<Plane> {
    let on_p = *frame.p.vertices.get(p as usize)?;
    let on_q = frame
        .motion
        .transform_point(*frame.q.vertices.get(q as usize)?);
    let (normal, gap, slope) = apart(frame, on_q - on_p)?;
    let (slack, local) = (
        slope * frame.size,
        frame.motion.inverse_transform_vector(normal),
    );
    if !(is_nearest(frame.p, p, -normal, slack) && is_nearest(frame.q, q, local, slack)) {
        return None;
    }
    Some(Plane {
        gap,
        normal,
        on_p,
        inset: 0.0,
        features: [Feature::Vertex(p), Feature::Vertex(q)],
        error_bound: frame.error_bound(0.0),
    })
}

/// Direction and length of a difference of points, and the slope at which rounding of the points
/// would turn the direction; `None` if that is much.
#[inline]
fn apart(frame: &PairFrame, difference: DVec3) -> Option<(DVec3, f64, f64)> {
    let gap = difference.length();
    let slope = STRICT * (frame.size / gap);
    // Also for a gap of 0, where the slope is not a number.
    (slope < 0.25).then(|| (difference * (1.0 / gap), gap, slope))
}
