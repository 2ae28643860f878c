//! Every pair of features: finite, and exact to rounding whatever the input.

use glam::DVec3;

use super::contact_polygon::ContactPolygon;
use super::feature_pair::{Plane, across, edge_feature};
use super::pair_frame::PairFrame;
use super::separating_axes::{Axis, AxisBuffers};
use super::support::SupportMap;
use crate::math::tolerance::{GAP_BOUNDS, TIED_GAP, TIED_HEIGHT};
use crate::narrow::gjk::{Difference, Proximity, Simplex};
use crate::shape::{Boundary, Edge, Feature, Side};

/// Buffers of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct ExhaustiveBuffers {
    axes: AxisBuffers,
    near: Vec<u32>,
}

/// The common plane by all separating axes, and for bodies that are apart by all distances between
/// features that are near the best of these. O(faces + crossings of arcs), see [`axes`].
pub(super) fn plane(
    frame: &SupportMap,
    scratch: &mut ExhaustiveBuffers,
    patch: &mut ContactPolygon,
) -> Plane {
    let axis = Axis::best(frame, &mut scratch.axes);
    let slack = 2.0 * TIED_GAP * frame.size;
    let nearest = (axis.gap >= -slack).then(|| ClosestPoints::new(frame, &axis, &mut scratch.near));
    // Where the nearest features are no faces, all axes can be much shorter than the distance.
    if let Some(nearest) = &nearest
        && let Some(plane) = nearest.plane(frame, &axis, 0.5 * GAP_BOUNDS * frame.size)
    {
        return plane;
    }
    let plane = match axis.features {
        [Feature::Edge(..), Feature::Edge(..)] => plane_of_edges(&axis, frame),
        _ => None,
    };
    let plane = plane.unwrap_or_else(|| patch.place(frame, plane_of(&axis, frame)));
    let Some(nearest) = nearest else {
        return plane;
    };
    // Of bodies that overlap one of the axes is the best; that they do is certain beyond rounding.
    let plane = if axis.gap < -frame.error_bound(0.0) {
        plane
    } else {
        let error_bound = frame.error_bound(nearest.distance() - axis.gap);
        Plane {
            error_bound,
            ..plane
        }
    };
    // Of planes that are as good, one at whose features the bodies are not the nearest.
    if patch.is_beside() {
        return nearest.plane(frame, &axis, 0.0).unwrap_or(Plane {
            on_p: nearest.ends[0],
            features: nearest.features,
            ..plane
        });
    }
    plane
}

fn plane_of(axis: &Axis, frame: &PairFrame) -> Plane {
    Plane {
        gap: axis.gap,
        normal: axis.normal,
        on_p: DVec3::ZERO,
        inset: 0.0,
        features: axis.features,
        error_bound: frame.error_bound(0.0),
    }
}

/// The plane for an edge of each that are nearest along the axis: where almost parallel edges
/// cross, seen along the axis, may be beside both bodies. `None` where other features are.
fn plane_of_edges(axis: &Axis, frame: &PairFrame) -> Option<Plane> {
    let edge = |body: &'_ Boundary, feature: Feature| match feature {
        Feature::Edge(a, b) => body.edge_between(a, b),
        _ => None,
    };
    let e = &frame.p.edges[edge(frame.p, axis.features[0])? as usize];
    let g = &frame.q.edges[edge(frame.q, axis.features[1])? as usize];
    let other = PlacedEdge::new(frame, g);
    let (s, t) = closest_parameters(e, &other);
    let (on_p, on_q) = (e.origin + e.along * s, other.origin + other.along * t);
    let across = on_q - on_p - axis.normal * axis.gap;
    (across.length() <= frame.size * TIED_HEIGHT).then(|| Plane {
        on_p,
        features: [part_of(e, s), part_of(g, t)],
        ..plane_of(axis, frame)
    })
}

/// An edge of the second body in the frame of the first.
struct PlacedEdge {
    origin: DVec3,
    along: DVec3,
    length: f64,
}

impl PlacedEdge {
    fn new(frame: &PairFrame, edge: &Edge) -> Self {
        Self {
            origin: frame.motion.transform_point(edge.origin),
            along: frame.motion.transform_vector(edge.along),
            length: edge.length,
        }
    }
}

/// The nearest points of two bodies.
struct ClosestPoints {
    ends: [DVec3; 2],
    features: [Feature; 2],
}

impl ClosestPoints {
    /// Of bodies that do not overlap by more than rounding along an axis; to within `GAP_BOUNDS`.
    fn new(frame: &SupportMap, axis: &Axis, near: &mut Vec<u32>) -> Self {
        let start = frame.farthest(-axis.normal, &frame.difference(0, 0));
        let on_p = frame.p.vertices[start.p as usize];
        let mut nearest = Self {
            ends: [on_p, on_p + start.x],
            features: [Feature::Vertex(start.p), Feature::Vertex(start.q)],
        };
        let bound = nearest.distance().min(upper_bound(frame, start));
        let slab = Slab::new(frame, axis, bound);
        for is_of_q in [false, true] {
            nearest.try_faces(frame, &slab, is_of_q, near);
        }
        nearest.try_edges(frame, &slab, near);
        nearest
    }

    fn is_touching(&self, frame: &PairFrame) -> bool {
        self.distance() <= GAP_BOUNDS * frame.size
    }

    fn distance(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    fn improve(&mut self, ends: [DVec3; 2], features: [Feature; 2]) {
        let distance_squared = self.ends[0].distance_squared(self.ends[1]);
        if ends[0].distance_squared(ends[1]) < distance_squared {
            *self = Self { ends, features };
        }
    }

    /// The faces of one body and the vertices of the other.
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
                let is_inside = |side: &Side| side.normal.dot(x) <= side.offset;
                if height >= -slack && body.sides(f).iter().all(is_inside) {
                    let foot = x - f.normal * height;
                    let (face, vertex) = (Feature::Facet(face), Feature::Vertex(vertex));
                    if is_of_q {
                        self.improve(
                            [*corner, frame.motion.transform_point(foot)],
                            [vertex, face],
                        );
                    } else {
                        self.improve([foot, x], [face, vertex]);
                    }
                }
            }
        }
    }

    fn try_edges(&mut self, frame: &PairFrame, slab: &Slab, near: &mut Vec<u32>) {
        let is_near = |is_of_q: bool, body: &Boundary, edge: &Edge| {
            edge.ends.iter().any(|&id| slab.has(is_of_q, body, id))
        };
        near.clear();
        let edges = (0..).zip(&frame.p.edges);
        near.extend(edges.filter_map(|(i, e)| is_near(false, frame.p, e).then_some(i)));
        for g in frame.q.edges.iter().filter(|g| is_near(true, frame.q, g)) {
            let other = PlacedEdge::new(frame, g);
            for &e in &*near {
                if self.is_touching(frame) {
                    return;
                }
                #[cfg(test)]
                super::tests::effort::count(&super::tests::effort::SPOKES);
                let e = &frame.p.edges[e as usize];
                let (s, t) = closest_parameters(e, &other);
                let ends = [e.origin + e.along * s, other.origin + other.along * t];
                self.improve(ends, [part_of(e, s), part_of(g, t)]);
            }
        }
    }

    /// The plane across the segment between the nearest points; `None` if the gap along the axis is
    /// as large, or the segment no longer by `slack`.
    ///
    /// The direction of a short segment is vague. Where an edge ends it, the part along the edge is
    /// known to be 0. What stats is the gap of the bodies along the normal.
    fn plane(&self, frame: &SupportMap, axis: &Axis, slack: f64) -> Option<Plane> {
        let distance = self.distance();
        if axis.gap < -frame.error_bound(0.0) || distance - axis.gap <= slack {
            return None;
        }
        let direction = (self.ends[1] - self.ends[0]) * (1.0 / distance);
        let mut best = *axis;
        best.try_normal(frame, direction, self.features);
        for (is_of_q, feature) in [(false, self.features[0]), (true, self.features[1])] {
            let [body, _] = frame.bodies(is_of_q);
            let is_end = |edge: &&Edge| match feature {
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
            ..plane_of(&best, frame)
        })
    }
}

/// A distance between points of both bodies that are near each other.
fn upper_bound(frame: &SupportMap, start: Difference) -> f64 {
    match frame.nearest((Simplex::vertex(start), start.x), f64::INFINITY) {
        Proximity::Apart(simplex) | Proximity::Touching(simplex) => {
            let (on_p, on_q) = frame.witnesses(&simplex);
            on_p.distance(on_q)
        }
        _ => f64::INFINITY,
    }
}

/// Where the nearest points are: no farther from the planes of an axis than some pair of points.
struct Slab {
    normals: [DVec3; 2],
    /// Heights along the normals, in the coordinates of each body.
    least: [f64; 2],
}

impl Slab {
    /// From an upper bound of the distance.
    fn new(frame: &PairFrame, axis: &Axis, bound: f64) -> Self {
        let width = bound - axis.gap + 8.0 * TIED_GAP * frame.size;
        let normals = [
            axis.normal,
            -frame.motion.inverse_transform_vector(axis.normal),
        ];
        let top = |body: &Boundary, normal: DVec3| {
            let vertex = body.farthest(normal, 0);
            normal.dot(body.vertices[vertex as usize])
        };
        Self {
            normals,
            least: [
                top(frame.p, normals[0]) - width,
                top(frame.q, normals[1]) - width,
            ],
        }
    }

    fn has(&self, is_of_q: bool, body: &Boundary, vertex: u32) -> bool {
        let i = usize::from(is_of_q);
        self.normals[i].dot(body.vertices[vertex as usize]) >= self.least[i]
    }
}

fn part_of(edge: &Edge, parameter: f64) -> Feature {
    match parameter {
        0.0 => Feature::Vertex(edge.ends[0]),
        1.0 => Feature::Vertex(edge.ends[1]),
        _ => edge_feature(edge),
    }
}

/// Where two segments are closest: an end and its projection, or those of the lines.
fn closest_parameters(e: &Edge, g: &PlacedEdge) -> (f64, f64) {
    let between = g.origin - e.origin;
    let cross = e.along.cross(g.along);
    let onto = |x: DVec3, along: DVec3, length: f64| x.dot(along) / (length * length);
    let to_g = |s: f64| onto(e.along * s - between, g.along, g.length);
    let to_e = |t: f64| onto(between + g.along * t, e.along, e.length);
    let end = |x: f64| x.clamp(0.0, 1.0);
    // Of lines that are almost parallel the closest points are vague: the ends count as well.
    let s = between.cross(g.along).dot(cross) / cross.length_squared();
    let amid = (s, to_g(s));
    let is_inside = |x: f64| 0.0 < x && x < 1.0;
    let amid = (is_inside(amid.0) && is_inside(amid.1)).then_some(amid);
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
    amid.into_iter()
        .chain(ends)
        .reduce(closer)
        .unwrap_or_default()
}
