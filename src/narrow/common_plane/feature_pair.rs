//! Pairs of features, and the test whether a pair carries the common plane.
//!
//! Let D be the Minkowski difference of the bodies, all `b - a`. The gap along a unit vector m is `g(m)
//! = min m.b - max m.a`, the least `m.x` of D. Its local maxima are the normals of the facets of D into
//! which the origin projects. For separated bodies there is one maximum, the direction of the point of D
//! nearest to the origin. A facet of D is a face minus a vertex or an edge minus an edge. Edges and
//! vertices of D carry the plane of separated bodies only.
//!
//! The test of a pair involves only its neighbors:
//!
//! - The features support the bodies: along m, the neighbors of the features recede.
//! - The origin projects into the facet: by `inset`, the distance of the projection from its boundary.
//!
//! Both must hold by more than [`STRICT`], about a thousand roundings. So a pair that passes is correct
//! even if it was guessed, and no other pair is a candidate at the same place.

use glam::DVec3;

use super::certificate::is_least_depth;
use super::contact::CommonPlaneContact;
use super::face_pair::face_face;
use crate::math::Vector;
use crate::math::tolerance::{GAP_BOUNDS, STRICT};
use crate::narrow::pair_frame::{PairFrame, lesser};
use crate::shape::{Boundary, BoundaryEdge, Feature};

/// A feature of a body by its number: in space of its boundary, in the plane of its vertices and of the edges from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Face(u32),
    Edge(u32),
    Vertex(u32),
}

/// A feature of the first body and one of the second. Two faces are parallel to rounding, or nearly parallel.
pub(super) type FeaturePair = [Part; 2];

/// A common plane in the coordinates of the first body.
#[derive(Clone, Copy, Debug)]
pub struct Plane<V = DVec3> {
    pub(super) gap: f64,
    pub(super) normal: V,
    /// The witness point of the first body; the other one is `on_p + normal * gap`.
    pub(super) on_p: V,
    /// The distance of the origin's projection from the boundary of the facet of the Minkowski
    /// difference; 0 if there is no facet.
    pub(super) inset: f64,
    /// The height of the facet's corners over the plane: 0 to rounding, except between faces.
    pub(super) thickness: f64,
    pub(super) features: [Feature; 2],
    pub(super) error_bound: f64,
}

impl Part {
    fn id(self) -> u32 {
        let (Self::Face(id) | Self::Edge(id) | Self::Vertex(id)) = self;
        id
    }

    /// Returns a number for the kind; the sums of two differ.
    fn weight(self) -> u32 {
        match self {
            Self::Vertex(_) => 0,
            Self::Edge(_) => 1,
            Self::Face(_) => 3,
        }
    }

    /// Returns a vertex of the feature, `None` if the body does not have the feature.
    pub(super) fn vertex(self, body: &Boundary) -> Option<u32> {
        match self {
            Self::Face(id) => Some(body.sides(body.faces.get(id as usize)?)[0].corner),
            Self::Edge(id) => Some(body.edges.get(id as usize)?.ends[0]),
            Self::Vertex(id) => ((id as usize) < body.vertices.len()).then_some(id),
        }
    }
}

/// Returns the plane of a pair if it is a strict local maximum of the gap.
///
/// Returns `None` also for ties to rounding, except between two faces, and for features that the
/// bodies do not have. The witness points of two faces are set by
/// [`centered`](super::contact_polygon::centered). Cost: O(size of the
/// features).
#[inline]
pub(super) fn strict_plane(frame: &PairFrame, pair: FeaturePair) -> Option<Plane> {
    #[cfg(test)]
    super::tests::effort::count(&super::tests::effort::PAIRS);
    let is_of_q = pair[1].weight() > pair[0].weight();
    let [p, q] = pair.map(Part::id);
    let ids = if is_of_q { [q, p] } else { [p, q] };
    // The sum tells both kinds, for a single jump.
    match pair[0].weight() + pair[1].weight() {
        0 => vertex_vertex(frame, ids),
        1 => edge_vertex(frame, ids, is_of_q),
        2 => edge_edge(frame, ids),
        3 => face_vertex(frame, ids, is_of_q),
        6 => face_face(frame, ids),
        _ => None,
    }
}

impl Plane {
    /// Returns whether no other plane has a larger gap, if O(1) certifies that: bodies are separated by one plane only.
    #[inline]
    pub(super) fn is_largest(&self, frame: &PairFrame) -> bool {
        self.gap >= 0.0 || {
            let inscribed = frame.p.inscribed + frame.q.inscribed;
            is_least_depth(
                self,
                frame.motion.translation,
                inscribed,
                frame.size * STRICT,
            )
        }
    }

    /// Returns whether a point of the Minkowski difference lies in the facet, to a quarter of the error
    /// bound.
    #[inline]
    pub(super) fn has(&self, x: DVec3) -> bool {
        self.normal.dot(x) <= self.gap + (self.thickness + 0.25 * self.error_bound)
    }

    /// Returns the plane through a feature of one body and a vertex of the other.
    ///
    /// `outward` is the normal in the coordinates of the feature's body and in those of the vertex's
    /// body; `vertex` is the vertex in both.
    #[inline]
    fn through_vertex(
        frame: &PairFrame,
        features: [Feature; 2],
        is_of_q: bool,
        outward: [DVec3; 2],
        vertex: [DVec3; 2],
        gap: f64,
    ) -> Self {
        let [feature, at_vertex] = features;
        let (normal, on_p, features) = if is_of_q {
            (-outward[1], vertex[1], [at_vertex, feature])
        } else {
            (outward[0], vertex[0] - outward[0] * gap, features)
        };
        Self {
            gap,
            normal,
            on_p,
            inset: 0.0,
            thickness: 0.0,
            features,
            error_bound: frame.error_bound(0.0),
        }
    }
}

/// Returns the clearest of some normals, and by how much the gap along it is less than the distance of the witness points,
/// beyond rounding. This is a part of the error bound.
///
/// The direction of a short difference of points is rounded, and the bodies may reach across the plane. `gap_along`
/// returns their gap along a unit normal. Its rounding hides a tilt of the normal, which moves the witness points. So of
/// normals that are equally clear, the one nearest to this direction is chosen.
pub(super) fn clearest_normal(
    normals: impl IntoIterator<Item = DVec3>,
    direction: DVec3,
    gap_along: impl Fn(DVec3) -> f64,
    distance: f64,
    size: f64,
) -> (DVec3, f64) {
    let (mut best, mut least, mut nearest) = (DVec3::ZERO, f64::INFINITY, f64::NEG_INFINITY);
    for normal in normals {
        let normal = normal.normalize_or_zero();
        let open = (distance - gap_along(normal) - size * GAP_BOUNDS).max(0.0);
        let along = normal.dot(direction);
        if normal != DVec3::ZERO && (open < least || open == least && along > nearest) {
            (best, least, nearest) = (normal, open, along);
        }
    }
    (best, least)
}

impl<V: Vector> Plane<V> {
    /// Returns the plane in the world, from its normal and witness point there.
    #[inline]
    pub(super) fn placed(&self, normal: V, on_p: V) -> Self {
        // A rotation is unit to 8 u; one Newton step for 1 / |n| makes the normal unit to rounding.
        let normal = normal * (1.5 - 0.5 * normal.length_squared());
        Self {
            normal,
            on_p,
            ..*self
        }
    }

    /// Returns the contact of bodies with radii around these cores, in the order of the caller, from a plane in the world.
    ///
    /// The order is applied by factors of 0, 1 and -1 instead of branches, which could not be predicted.
    #[inline]
    pub(super) fn contact(&self, [r, s]: [f64; 2], is_swapped: bool) -> CommonPlaneContact<V> {
        let (on_p, normal) = (self.on_p, self.normal);
        let gap = self.gap - (r + s);
        let swap = f64::from(u8::from(is_swapped));
        let sign = 1.0 - 2.0 * swap;
        // A sharp body keeps the bits of its own point.
        let place = |core: f64, radius: f64| on_p + normal * (core * self.gap + radius);
        let [point_a, point_b] = [place(swap, sign * r), place(1.0 - swap, -sign * s)];
        let [i, j] = [usize::from(is_swapped), usize::from(!is_swapped)];
        CommonPlaneContact {
            point: on_p + normal * (0.5 * (self.gap + sign * (r - s))),
            normal: normal * sign,
            overlap: -gap,
            point_a,
            point_b,
            feature_a: self.features[i],
            feature_b: self.features[j],
            error_bound: self.error_bound + (r + s) * GAP_BOUNDS,
        }
    }
}

/// Tests a face, of `q` if `is_of_q`, and a vertex x of the other body.
///
/// The gap is `n.x - offset`. The facet is the face minus x, so the origin projects into it where x
/// projects into the face: `inset` is the least distance of x inside an edge.
#[inline]
fn face_vertex(frame: &PairFrame, [face, vertex]: [u32; 2], is_of_q: bool) -> Option<Plane> {
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
    if inset <= slack || !is_lowest(other, vertex, normal, slack) {
        return None;
    }
    let gap = f.normal.dot(x) - f.offset;
    let features = [Feature::Facet(face), Feature::Vertex(vertex)];
    Some(Plane {
        inset,
        ..Plane::through_vertex(
            frame,
            features,
            is_of_q,
            [f.normal, normal],
            [x, corner],
            gap,
        )
    })
}

/// Returns whether all neighbors of a vertex are higher along a normal, in the body's own frame.
#[inline]
fn is_lowest(body: &Boundary, vertex: u32, normal: DVec3, slack: f64) -> bool {
    let mut least = f64::INFINITY;
    for spoke in body.spokes(vertex) {
        least = lesser(normal.dot(spoke.along), least);
    }
    least > slack
}

/// Tests an edge of each body, `e + s u` and `g + t v`.
///
/// Let `c = u x v` and `w = g - e`. The edges support the bodies along `m = +-c` if their arcs on the
/// Gauss map cross. Then m has positive products with the vectors `outward` out of both faces at the
/// edge of p. Likewise -m has positive products with those at the edge of q. A segment p supports itself along any m
/// across it. The facet is a parallelogram; the witness points are at `s = w.(v x c) / c^2` and `t = w.(u x c) / c^2`.
#[inline]
fn edge_edge(frame: &PairFrame, [p, q]: [u32; 2]) -> Option<Plane> {
    let PairFrame { motion, size, .. } = frame;
    let (e, g) = (
        frame.p.edges.get(p as usize)?,
        frame.q.edges.get(q as usize)?,
    );
    let (u, v) = (e.along, motion.transform_vector(g.along));
    let cross = PairFrame::cross(e, g, v);
    let area_squared = cross.length_squared();
    let lengths = e.length * g.length;
    // Almost parallel edges have an inaccurate normal.
    if area_squared <= STRICT * lengths * lengths {
        return None;
    }
    // The normal leaves the first body across its edge.
    let local = motion.inverse_transform_vector(cross);
    let [c, d] = g.outward.map(|o| -local.dot(o));
    let [a, b] = if e.is_bare() {
        [c, d]
    } else {
        e.outward.map(|o| cross.dot(o))
    };
    let sign = if a > 0.0 { 1.0 } else { -1.0 };
    let least = lesser(lesser(sign * a, sign * b), lesser(sign * c, sign * d));
    if least <= STRICT * lengths {
        return None;
    }
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
        // Measured between the witness points, where an error of the normal has no effect. It is large
        // for almost parallel edges.
        gap: normal.dot(between + (v * t - along_p)),
        normal,
        on_p: e.origin + along_p,
        inset,
        thickness: 0.0,
        features: [edge_feature(e), edge_feature(g)],
        error_bound: frame.error_bound(0.0),
    })
}

pub(super) fn edge_feature(edge: &BoundaryEdge) -> Feature {
    Feature::Edge(edge.ends[0], edge.ends[1])
}

/// Tests an edge, of `q` if `is_of_q`, and a vertex x of the other body; for separated bodies.
///
/// The normal points from the projection of x onto the edge to x, out of both faces at the edge.
#[inline]
fn edge_vertex(frame: &PairFrame, [edge, vertex]: [u32; 2], is_of_q: bool) -> Option<Plane> {
    let [body, other] = frame.bodies(is_of_q);
    let e = body.edges.get(edge as usize)?;
    let corner = *other.vertices.get(vertex as usize)?;
    let x = frame.point_in_body(corner, is_of_q);
    let from_origin = x - e.origin;
    let s = from_origin.dot(e.along) / (e.length * e.length);
    let (outward, gap, slope) = clear_direction(frame, from_origin - e.along * s)?;
    let outward = across(outward, e.along * (1.0 / e.length));
    let normal = frame.vector_in_other(outward, is_of_q);
    let is_on_edge = lesser(s, 1.0 - s) * e.length > frame.size * STRICT;
    let is_above =
        e.is_bare() || lesser(outward.dot(e.outward[0]), outward.dot(e.outward[1])) > slope;
    if !(is_on_edge && is_above && is_lowest(other, vertex, normal, slope * frame.size)) {
        return None;
    }
    let features = [edge_feature(e), Feature::Vertex(vertex)];
    let (normals, vertices) = ([outward, normal], [x, corner]);
    Some(Plane::through_vertex(
        frame, features, is_of_q, normals, vertices, gap,
    ))
}

/// Makes a unit vector that is almost perpendicular to another one perpendicular. A short difference of
/// points has lost this slope, which matters over the length of an edge.
#[inline]
pub(super) fn across(n: DVec3, along: DVec3) -> DVec3 {
    let n = n - along * n.dot(along);
    n * (1.5 - 0.5 * n.length_squared())
}

/// Tests two vertices of separated bodies.
#[inline]
fn vertex_vertex(frame: &PairFrame, [p, q]: [u32; 2]) -> Option<Plane> {
    let on_p = *frame.p.vertices.get(p as usize)?;
    frame.q.vertices.get(q as usize)?;
    let (normal, gap, slope) = clear_direction(frame, frame.point_of_q(q) - on_p)?;
    let slack = slope * frame.size;
    let local = frame.motion.inverse_transform_vector(normal);
    if !(is_lowest(frame.p, p, -normal, slack) && is_lowest(frame.q, q, local, slack)) {
        return None;
    }
    Some(Plane {
        gap,
        normal,
        on_p,
        inset: 0.0,
        thickness: 0.0,
        features: [Feature::Vertex(p), Feature::Vertex(q)],
        error_bound: frame.error_bound(0.0),
    })
}

/// Returns direction and length of a difference of points, and the slope by which [`STRICT`] tilts the
/// direction. `None` if the slope is large.
#[inline]
fn clear_direction(frame: &PairFrame, difference: DVec3) -> Option<(DVec3, f64, f64)> {
    let gap = difference.length();
    let slope = STRICT * (frame.size / gap);
    // Also false for a gap of 0, where the slope is NaN or infinite.
    (slope < 0.25).then(|| (difference * (1.0 / gap), gap, slope))
}
