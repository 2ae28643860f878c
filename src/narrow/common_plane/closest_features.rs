//! The closest points of two separated bodies, by testing all pairs of features that may contain them.

use glam::DVec3;

use super::feature_pair::{Plane, across, edge_feature};
use super::separating_axes::Axis;
use super::simplex_features::{SimplexFeatures, VertexSet};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP};
use crate::narrow::gjk::{Difference, Proximity, Simplex};
use crate::narrow::pair_frame::PairFrame;
use crate::shape::{Boundary, BoundaryEdge, FaceSide, Feature};

/// The closest points of two bodies.
pub(super) struct ClosestFeatures {
    pub(super) ends: [DVec3; 2],
    pub(super) features: [Feature; 2],
}

impl ClosestFeatures {
    /// Finds the closest points to within [`GAP_BOUNDS`], for bodies that do not overlap along an axis
    /// by more than rounding.
    ///
    /// They are a vertex and its projection onto a face, or points of two edges, ends included.
    pub(super) fn new(frame: &SupportMap, axis: &Axis, near: &mut Vec<u32>) -> Self {
        let start = frame.farthest(-axis.normal, &frame.difference(0, 0));
        let on_p = frame.p.vertices[start.p as usize];
        let mut closest = Self {
            ends: [on_p, on_p + start.x],
            features: [Feature::Vertex(start.p), Feature::Vertex(start.q)],
        };
        let bound = closest.distance().min(upper_bound(frame, start));
        let slab = Slab::new(frame, axis, bound);
        for is_of_q in [false, true] {
            closest.try_faces(frame, &slab, is_of_q, near);
        }
        closest.try_edges(frame, &slab, near);
        closest
    }

    fn is_touching(&self, frame: &PairFrame) -> bool {
        self.distance() <= GAP_BOUNDS * frame.size
    }

    pub(super) fn distance(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    fn improve(&mut self, ends: [DVec3; 2], features: [Feature; 2]) {
        let distance_squared = self.ends[0].distance_squared(self.ends[1]);
        if ends[0].distance_squared(ends[1]) < distance_squared {
            *self = Self { ends, features };
        }
    }

    /// Tries the faces of one body with the vertices of the other.
    fn try_faces(&mut self, frame: &PairFrame, slab: &Slab, is_of_q: bool, near: &mut Vec<u32>) {
        let [body, other] = frame.bodies(is_of_q);
        near.clear();
        near.extend((0..).zip(&body.faces).filter_map(|(face, f)| {
            let mut corners = body.sides(f).iter().map(|side| side.corner);
            corners
                .any(|id| slab.has(is_of_q, body, id))
                .then_some(face)
        }));
        let slack = 2.0 * TIED_GAP * frame.size;
        for (vertex, corner) in (0..).zip(&other.vertices) {
            if self.is_touching(frame) || !slab.has(!is_of_q, other, vertex) {
                continue;
            }
            let x = frame.point_in_body(*corner, is_of_q);
            for &face in &*near {
                let f = &body.faces[face as usize];
                let height = f.normal.dot(x) - f.offset;
                let is_inside = |side: &FaceSide| side.normal.dot(x) <= side.offset;
                if height >= -slack && body.sides(f).iter().all(is_inside) {
                    let projection = x - f.normal * height;
                    let (face, vertex) = (Feature::Facet(face), Feature::Vertex(vertex));
                    if is_of_q {
                        let projection = frame.motion.transform_point(projection);
                        self.improve([*corner, projection], [vertex, face]);
                    } else {
                        self.improve([projection, x], [face, vertex]);
                    }
                }
            }
        }
    }

    /// Tries all pairs of edges.
    fn try_edges(&mut self, frame: &PairFrame, slab: &Slab, near: &mut Vec<u32>) {
        let is_near = |is_of_q: bool, body: &Boundary, edge: &BoundaryEdge| {
            edge.ends.iter().any(|&id| slab.has(is_of_q, body, id))
        };
        near.clear();
        let edges = (0..).zip(&frame.p.edges);
        near.extend(edges.filter_map(|(i, e)| is_near(false, frame.p, e).then_some(i)));
        for g in frame.q.edges.iter().filter(|g| is_near(true, frame.q, g)) {
            let placed = PlacedEdge::new(frame, g);
            for &e in &*near {
                if self.is_touching(frame) {
                    return;
                }
                #[cfg(test)]
                super::tests::effort::count(&super::tests::effort::SPOKES);
                let e = &frame.p.edges[e as usize];
                let (s, t) = closest_parameters(e, &placed);
                let ends = [e.origin + e.along * s, placed.origin + placed.along * t];
                self.improve(ends, [feature_at(e, s), feature_at(g, t)]);
            }
        }
    }

    /// Returns the plane of a pair of features at the closest points that fails its test only by rounding. The gap
    /// along its normal must be the distance of the closest points.
    ///
    /// A normal m with a gap of `distance - d` encloses an angle of up to `sqrt(2 d / distance)` with the segment
    /// between the closest points. The witness points of another pair are then off by `sqrt(2 d distance)`. Only the
    /// witness points of the pair that carries the plane are on both bodies. For shorter gaps than [`TIED_GAP`] this is
    /// less than [`TIED_GAP`].
    pub(super) fn plane_of_pair(&self, frame: &SupportMap) -> Option<Plane> {
        let (distance, slack) = (self.distance(), GAP_BOUNDS * frame.size);
        if distance <= TIED_GAP * frame.size {
            return None;
        }
        let [p, q] = self.features;
        let features = SimplexFeatures {
            p: VertexSet::from_corners(frame.p, p),
            q: VertexSet::from_corners(frame.q, q),
        };
        features.first_pair(frame, None, |pair| {
            let plane = pair.plane_to_rounding(frame)?;
            let least = frame.gap_along(plane.normal);
            (distance.max(plane.gap) - least <= slack).then_some(plane)
        })
    }

    /// Returns the plane of the closest points, `None` if the gap along the axis is as large.
    pub(super) fn plane(&self, frame: &SupportMap, axis: &Axis) -> Option<Plane> {
        let of_pair = self.plane_of_pair(frame);
        of_pair.or_else(|| self.plane_across(frame, axis))
    }

    /// Returns the plane across the segment between the closest points.
    ///
    /// The direction d of a short segment is inaccurate. For an edge at one of its ends the component of d
    /// along the edge is 0, so d without that component is tried too. The normal with the largest gap of
    /// the bodies is taken.
    fn plane_across(&self, frame: &SupportMap, axis: &Axis) -> Option<Plane> {
        let distance = self.distance();
        let direction = (self.ends[1] - self.ends[0]) * (1.0 / distance);
        let mut best = *axis;
        best.try_normal(frame, direction, self.features);
        for (is_of_q, feature) in [false, true].into_iter().zip(self.features) {
            let [body, _] = frame.bodies(is_of_q);
            let is_end = |edge: &&BoundaryEdge| match feature {
                Feature::Vertex(id) => edge.ends.contains(&id),
                _ => edge_feature(edge) == feature,
            };
            for edge in body.edges.iter().filter(is_end) {
                let along = edge.along * (1.0 / edge.length);
                let along = if is_of_q {
                    frame.motion.transform_vector(along)
                } else {
                    along
                };
                let normal = direction - along * direction.dot(along);
                if normal.length_squared() > 0.25 {
                    best.try_normal(frame, across(normal.normalize(), along), self.features);
                }
            }
        }
        (best.gap > axis.gap).then(|| Plane {
            gap: distance,
            on_p: self.ends[0],
            error_bound: frame.error_bound(distance - best.gap),
            ..best.plane(frame)
        })
    }
}

/// Returns the distance of two points of the bodies that are close to each other.
fn upper_bound(frame: &SupportMap, start: Difference) -> f64 {
    match frame.nearest((Simplex::vertex(start), start.x), f64::INFINITY) {
        Proximity::Apart(simplex) | Proximity::Touching(simplex) => {
            let (on_p, on_q) = frame.witnesses(&simplex);
            on_p.distance(on_q)
        }
        _ => f64::INFINITY,
    }
}

/// The region of the closest points. The bodies are a gap apart along the axis. So points of bodies
/// that are at most `bound` apart lie within `bound - gap` of the extreme heights along it.
struct Slab {
    normals: [DVec3; 2],
    /// Heights along the normals, in the coordinates of each body.
    least: [f64; 2],
}

impl Slab {
    fn new(frame: &PairFrame, axis: &Axis, bound: f64) -> Self {
        let width = bound - axis.gap + 8.0 * TIED_GAP * frame.size;
        let local = frame.motion.inverse_transform_vector(axis.normal);
        let normals = [axis.normal, -local];
        let least = |body: &Boundary, normal: DVec3| {
            let vertex = body.farthest(normal, 0);
            normal.dot(body.vertices[vertex as usize]) - width
        };
        Self {
            normals,
            least: [least(frame.p, normals[0]), least(frame.q, normals[1])],
        }
    }

    fn has(&self, is_of_q: bool, body: &Boundary, vertex: u32) -> bool {
        let i = usize::from(is_of_q);
        self.normals[i].dot(body.vertices[vertex as usize]) >= self.least[i]
    }
}

/// An edge of the second body in the frame of the first.
pub(super) struct PlacedEdge {
    pub(super) origin: DVec3,
    pub(super) along: DVec3,
    length: f64,
}

impl PlacedEdge {
    pub(super) fn new(frame: &PairFrame, edge: &BoundaryEdge) -> Self {
        Self {
            origin: frame.motion.transform_point(edge.origin),
            along: frame.motion.transform_vector(edge.along),
            length: edge.length,
        }
    }
}

/// Returns the edge, or the end of it, at a parameter.
pub(super) fn feature_at(edge: &BoundaryEdge, parameter: f64) -> Feature {
    match parameter {
        0.0 => Feature::Vertex(edge.ends[0]),
        1.0 => Feature::Vertex(edge.ends[1]),
        _ => edge_feature(edge),
    }
}

/// Returns the parameters of the closest points of two segments. These are the closest points of the
/// lines, if they are inside both segments, or an end and its projection.
pub(super) fn closest_parameters(e: &BoundaryEdge, g: &PlacedEdge) -> (f64, f64) {
    let between = g.origin - e.origin;
    let cross = e.along.cross(g.along);
    let onto = |x: DVec3, along: DVec3, length: f64| x.dot(along) / (length * length);
    let to_g = |s: f64| onto(e.along * s - between, g.along, g.length);
    let to_e = |t: f64| onto(between + g.along * t, e.along, e.length);
    let end = |x: f64| x.clamp(0.0, 1.0);
    // Almost parallel lines have inaccurate closest points: the ends are compared as well.
    let s = between.cross(g.along).dot(cross) / cross.length_squared();
    let inner = (s, to_g(s));
    let is_inside = |x: f64| 0.0 < x && x < 1.0;
    let inner = (is_inside(inner.0) && is_inside(inner.1)).then_some(inner);
    let ends = [
        (0.0, end(to_g(0.0))),
        (1.0, end(to_g(1.0))),
        (end(to_e(0.0)), 0.0),
        (end(to_e(1.0)), 1.0),
    ];
    let distance = |&(s, t): &(f64, f64)| (between + g.along * t - e.along * s).length_squared();
    let closer = |best: (f64, f64), next: (f64, f64)| {
        if distance(&next) < distance(&best) {
            next
        } else {
            best
        }
    };
    let all = inner.into_iter().chain(ends);
    all.reduce(closer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose3;
    use crate::shape::ConvexPolyhedron;

    /// Edges that cross like the diagonals of a square, and edges whose ends are closest.
    #[test]
    fn closest_points_of_edges() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * 2.0);
        let body = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
        let boundary = body.boundary();
        let e = &boundary.edges[0];
        let at = |parameter: f64| feature_at(e, parameter);
        assert_eq!(at(0.0), Feature::Vertex(e.ends[0]));
        assert_eq!(at(1.0), Feature::Vertex(e.ends[1]));
        assert_eq!(at(0.5), edge_feature(e));
        let pose = Pose3::from_translation(e.along * 2.0).unwrap();
        let frame = PairFrame::new(boundary, boundary, &pose);
        let (s, t) = closest_parameters(e, &PlacedEdge::new(&frame, e));
        assert_eq!(
            (at(s), at(t)),
            (Feature::Vertex(e.ends[1]), Feature::Vertex(e.ends[0]))
        );
    }
}
