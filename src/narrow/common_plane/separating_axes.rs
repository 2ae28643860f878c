//! All separating axes: the normals of faces, and of an edge of each body whose arcs on the Gauss map
//! cross.
//!
//! The Gauss map of a convex body maps each face to its unit normal, and each edge to the arc between
//! the normals of its faces. It maps a vertex to all directions along which the vertex is extreme. The
//! facets of the Minkowski difference are faces of either body and crossings of an arc of `p` with one
//! of `-q`. So the best of these axes has the largest gap of overlapping bodies. The arc of an edge of
//! `p` is followed over the regions of `-q`: O(faces + crossings) in all. For round bodies with n
//! vertices, O(n) arcs cross.

use glam::DVec3;

use super::feature_pair::{Plane, edge_feature};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP, two_to};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, BoundaryEdge, Face, Feature};

/// Angle from the end of an arc on the Gauss map, where all vertices of a face are extreme: 8 u.
const ARC_END: f64 = two_to(-50);

/// A unit normal from `p` to `q`, and the gap along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) gap: f64,
    pub(super) normal: DVec3,
    pub(super) features: [Feature; 2],
}

/// Buffers of a search over axes.
#[derive(Clone, Debug, Default)]
pub(super) struct AxisBuffers {
    /// For each face, the support vertex of the other body against its normal.
    nearest: Vec<u32>,
    faces: Vec<u32>,
}

impl Axis {
    /// Returns the axis of the largest gap.
    pub(super) fn best(frame: &SupportMap, buffers: &mut AxisBuffers) -> Self {
        let mut best = Self {
            gap: f64::NEG_INFINITY,
            normal: DVec3::X,
            features: [Feature::Vertex(0); 2],
        };
        // The edges of `p` need the vertices nearest to its faces, so these come last.
        for is_of_q in [true, false] {
            best.try_faces(frame, is_of_q, buffers);
        }
        for e in &frame.p.edges {
            if e.is_bare() {
                // The arc of a segment is a circle.
                let edges = frame.q.edges.iter();
                edges.for_each(|g| best.try_edges(frame, e, g));
            } else {
                best.try_edge(frame, e, &buffers.nearest);
            }
        }
        best
    }

    /// Returns the plane with this normal; its witness points are not yet known.
    pub(super) fn plane(&self, frame: &PairFrame) -> Plane {
        Plane {
            gap: self.gap,
            normal: self.normal,
            on_p: DVec3::ZERO,
            inset: 0.0,
            thickness: 0.0,
            features: self.features,
            error_bound: frame.error_bound(0.0),
        }
    }

    /// Keeps a normal if the gap along it is larger.
    pub(super) fn try_normal(&mut self, frame: &SupportMap, normal: DVec3, features: [Feature; 2]) {
        self.improve(frame.gap_along(normal), normal, features);
    }

    fn improve(&mut self, gap: f64, normal: DVec3, features: [Feature; 2]) {
        if gap > self.gap {
            *self = Self {
                gap,
                normal,
                features,
            };
        }
    }

    /// Tries the normals of all faces. Faces are visited from neighbor to neighbor, because neighbors
    /// have nearby support vertices.
    fn try_faces(&mut self, frame: &PairFrame, is_of_q: bool, buffers: &mut AxisBuffers) {
        const UNSEEN: u32 = u32::MAX;
        const SEEN: u32 = UNSEEN - 1;
        let [body, other] = frame.bodies(is_of_q);
        let AxisBuffers { nearest, faces } = buffers;
        nearest.clear();
        nearest.resize(body.faces.len(), UNSEEN);
        faces.clear();
        // A segment has no faces.
        faces.extend((0..body.faces.len() as u32).take(1));
        while let Some(face) = faces.pop() {
            let f = &body.faces[face as usize];
            let normal = frame.vector_in_other(f.normal, is_of_q);
            let height = |vertex: u32| normal.dot(other.vertices[vertex as usize]);
            let lower = |a: u32, b: u32| if height(b) < height(a) { b } else { a };
            let known = neighbors(body, f).map(|face| nearest[face as usize]);
            let guess = known.filter(|&vertex| vertex < SEEN).reduce(lower);
            let vertex = other.farthest(-normal, guess.unwrap_or(0));
            nearest[face as usize] = vertex;
            let x = frame.point_in_body(other.vertices[vertex as usize], is_of_q);
            let gap = f.normal.dot(x) - f.offset;
            let (face, vertex) = (Feature::Facet(face), Feature::Vertex(vertex));
            if is_of_q {
                self.improve(gap, -normal, [vertex, face]);
            } else {
                self.improve(gap, f.normal, [face, vertex]);
            }
            for next in neighbors(body, f) {
                if nearest[next as usize] == UNSEEN {
                    nearest[next as usize] = SEEN;
                    faces.push(next);
                }
            }
        }
    }

    /// Tries the normals of an edge of `p` with the edges of `q` whose arcs it crosses.
    fn try_edge(&mut self, frame: &SupportMap, e: &BoundaryEdge, nearest: &[u32]) {
        let normals = e.faces.map(|face| frame.p.faces[face as usize].normal);
        let [first, last] = e.faces.map(|face| nearest[face as usize]);
        let [start, end] = normals.map(|normal| frame.motion.inverse_transform_vector(-normal));
        // The edges of the region in which the arc ends are not tested: start in the smaller region.
        let count = |vertex: u32| frame.q.spokes(vertex).len();
        let (mut vertex, last, start, turn) = if count(first) <= count(last) {
            (first, last, start, end - start)
        } else {
            (last, first, end, start - end)
        };
        if self.bounds(frame, e, last) {
            return;
        }
        // Each crossing leads further along the arc. The limit guards against rounding, which could
        // lead in circles.
        for _ in 0..frame.q.edges.len() {
            if vertex == last || self.bounds(frame, e, vertex) {
                return;
            }
            let Some((edge, next)) = next_crossing(frame.q, vertex, start, turn) else {
                return;
            };
            self.try_edges(frame, e, &frame.q.edges[edge as usize]);
            vertex = next;
        }
    }

    /// Returns whether a vertex of `q` bounds the gap along the whole arc of an edge of `p` by the best
    /// gap.
    ///
    /// The gap is at most `m.x`, with x from the edge to the vertex. A linear function that is negative
    /// at both ends of an arc is largest at one of them.
    fn bounds(&self, frame: &PairFrame, e: &BoundaryEdge, vertex: u32) -> bool {
        // This may lose a quarter of the allowed difference of bounds.
        let slack = 0.25 * GAP_BOUNDS * frame.size;
        let x = frame.difference(e.ends[0], vertex).x;
        let [a, b] = e
            .faces
            .map(|face| frame.p.faces[face as usize].normal.dot(x));
        let most = a.max(b);
        most <= slack && most <= self.gap + slack
    }

    fn try_edges(&mut self, frame: &SupportMap, e: &BoundaryEdge, g: &BoundaryEdge) {
        let cross = PairFrame::cross(e, g, frame.motion.transform_vector(g.along));
        let length = cross.length();
        // If they are parallel to rounding, faces give the axis.
        if length <= TIED_GAP * e.length * g.length {
            return;
        }
        let out_of_p = cross.dot(e.outward[0] + e.outward[1]);
        let out_of_q = cross.dot(frame.motion.transform_vector(g.outward[0] + g.outward[1]));
        let normal = cross * ((1.0 / length).copysign(out_of_p - out_of_q));
        // Almost parallel edges have an inaccurate normal: the gap of the bodies along it counts.
        let between = frame.difference(e.ends[0], g.ends[0]);
        if normal.dot(between.x) > self.gap {
            let gap = normal.dot(frame.farthest(-normal, &between).x);
            self.improve(gap, normal, [edge_feature(e), edge_feature(g)]);
        }
    }
}

/// Returns the two faces at each edge of a face.
fn neighbors<'a>(body: &'a Boundary, face: &Face) -> impl Iterator<Item = u32> + use<'a> {
    let edges = body.sides(face).iter().map(|side| side.edge as usize);
    edges.flat_map(|edge| body.edges[edge].faces)
}

/// Returns where the arc `start + t turn`, t < 1, leaves the region of a vertex: the edge there, and
/// the other end of the edge.
fn next_crossing(body: &Boundary, vertex: u32, start: DVec3, turn: DVec3) -> Option<(u32, u32)> {
    let (mut next, mut least) = (None, 1.0 - ARC_END / turn.length());
    for spoke in body.spokes(vertex) {
        #[cfg(test)]
        super::tests::effort::count(&super::tests::effort::SPOKES);
        let rise = turn.dot(spoke.along);
        if rise > 0.0 {
            let t = -start.dot(spoke.along) / rise;
            if t < least {
                (next, least) = (Some((spoke.edge, spoke.vertex)), t);
            }
        }
    }
    next
}
