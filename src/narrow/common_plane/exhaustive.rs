//! Every pair of features: finite, and exact to rounding whatever the input.

use glam::DVec3;

use super::frame::{CLOSED, Difference, Frame, OPEN};
use super::pair::{Plane, edge_feature};
use super::patch::{Patch, TIED};
use super::supports::Supports;
use crate::shape::{Edge, Feature, Side};

/// The common plane by all separating axes, and for bodies that are apart by all distances.
/// O(faces + edges^2) for the axes: an edge of each body gives one only where their arcs on the
/// Gauss map cross.
pub(super) fn plane(frame: &Supports, patch: &mut Patch) -> Plane {
    let mut best = Axis {
        gap: f64::NEG_INFINITY,
        normal: DVec3::X,
        features: [Feature::Vertex(0); 2],
    };
    for is_of_q in [false, true] {
        let [body, other] = frame.bodies(is_of_q);
        for (face, f) in (0..).zip(&body.faces) {
            let normal = frame.vector_in_other(f.normal, is_of_q);
            let vertex = other.farthest(-normal, 0);
            let x = frame.point_in_body(other.vertices[vertex as usize], is_of_q);
            let gap = f.normal.dot(x) - f.offset;
            let (face, vertex) = (Feature::Facet(face), Feature::Vertex(vertex));
            if is_of_q {
                best.improve(gap, -normal, [vertex, face]);
            } else {
                best.improve(gap, f.normal, [face, vertex]);
            }
        }
    }
    for g in &frame.q.edges {
        let other = PlacedEdge::new(frame, g);
        for e in &frame.p.edges {
            if let Some((gap, normal)) = other.axis_with(e, frame.cross(e, g))
                && gap > best.gap
            {
                // Of edges that are almost parallel the normal is vague: what counts is the gap
                // of the bodies along it.
                let extreme = frame.farthest(-normal, &frame.difference(e.ends[0], g.ends[0]));
                let gap = gap.min(normal.dot(extreme.x));
                best.improve(gap, normal, [edge_feature(e), edge_feature(g)]);
            }
        }
    }
    let slack = 2.0 * CLOSED * frame.size;
    let nearest = (best.gap >= -slack).then(|| nearest_features(frame, slack));
    // Where the nearest features are no faces, all axes can be much shorter than the distance.
    if best.gap > 0.0
        && let Some(nearest) = &nearest
        && nearest.distance() > slack
    {
        return nearest.plane(frame, best.gap);
    }
    if let [Feature::Edge(..), Feature::Edge(..)] = best.features
        && let Some(plane) = best.plane_of_edges(frame)
    {
        return plane;
    }
    let plane = best.plane(frame, patch);
    match nearest {
        // They touch at a corner of what is extreme along the axis.
        Some(nearest) if patch.is_beside() && nearest.distance() <= slack => Plane {
            on_p: nearest.ends[0],
            features: nearest.features,
            ..plane
        },
        _ => plane,
    }
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    gap: f64,
    normal: DVec3,
    features: [Feature; 2],
}

impl Axis {
    fn improve(&mut self, gap: f64, normal: DVec3, features: [Feature; 2]) {
        if gap > self.gap {
            *self = Self {
                gap,
                normal,
                features,
            };
        }
    }

    fn plane(self, frame: &Frame, patch: &mut Patch) -> Plane {
        let plane = Plane {
            gap: self.gap,
            normal: self.normal,
            on_p: DVec3::ZERO,
            foot_margin: 0.0,
            features: self.features,
            residual: frame.size * OPEN,
        };
        patch.place(frame, plane)
    }

    /// The same for an edge of each that are nearest along the axis: where almost parallel edges
    /// cross, seen along the axis, may be beside both bodies. `None` where other features are.
    fn plane_of_edges(&self, frame: &Frame) -> Option<Plane> {
        let mut edges = frame.p.edges.iter();
        let e = edges.find(|&e| edge_feature(e) == self.features[0])?;
        let mut edges = frame.q.edges.iter();
        let g = edges.find(|&g| edge_feature(g) == self.features[1])?;
        let other = PlacedEdge::new(frame, g);
        let (s, t) = closest_parameters(e, &other);
        let (on_p, on_q) = (e.origin + e.along * s, other.origin + other.along * t);
        let across = on_q - on_p - self.normal * self.gap;
        (across.length() <= frame.size * TIED).then(|| Plane {
            gap: self.gap,
            normal: self.normal,
            on_p,
            foot_margin: 0.0,
            features: [part_of(e, s), part_of(g, t)],
            residual: frame.size * OPEN,
        })
    }
}

/// An edge of the second body in the frame of the first.
struct PlacedEdge {
    origin: DVec3,
    along: DVec3,
    outward: [DVec3; 2],
    length: f64,
}

impl PlacedEdge {
    fn new(frame: &Frame, edge: &Edge) -> Self {
        Self {
            origin: frame.motion.point(edge.origin),
            along: frame.motion.vector(edge.along),
            outward: edge.outward.map(|o| frame.motion.vector(o)),
            length: edge.length,
        }
    }

    /// The gap along the common normal with an edge of the first body, if both edges are extreme
    /// there; ties count.
    fn axis_with(&self, e: &Edge, cross: DVec3) -> Option<(f64, DVec3)> {
        let length = cross.length();
        let slack = CLOSED * e.length * self.length;
        // Parallel to rounding: then faces give the axes.
        if length <= slack {
            return None;
        }
        let [a, b] = e.outward.map(|o| cross.dot(o));
        let [c, d] = self.outward.map(|o| -cross.dot(o));
        let sign = if a + b + c + d >= 0.0 { 1.0 } else { -1.0 };
        if (sign * a).min(sign * b).min(sign * c).min(sign * d) < -slack {
            return None;
        }
        let normal = cross * (sign / length);
        Some((normal.dot(self.origin - e.origin), normal))
    }
}

/// The nearest points of two bodies.
struct Nearest {
    ends: [DVec3; 2],
    features: [Feature; 2],
}

impl Nearest {
    fn distance(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    /// The plane between bodies whose gap along some axis is `least`.
    fn plane(&self, frame: &Supports, least: f64) -> Plane {
        let ([on_p, on_q], gap) = (self.ends, self.distance());
        let normal = (on_q - on_p) * (1.0 / gap);
        let farthest = frame.farthest(-normal, &Difference::default());
        let lower = normal.dot(farthest.x).max(least);
        Plane {
            gap,
            normal,
            on_p,
            foot_margin: 0.0,
            features: self.features,
            residual: (gap - lower).max(0.0) + frame.size * OPEN,
        }
    }
}

/// Of bodies that do not overlap by more than `slack`.
fn nearest_features(frame: &Frame, slack: f64) -> Nearest {
    let mut least = f64::INFINITY;
    let mut nearest = Nearest {
        ends: [DVec3::ZERO; 2],
        features: [Feature::Vertex(0); 2],
    };
    let mut consider = |ends: [DVec3; 2], features: [Feature; 2]| {
        let distance_squared = ends[0].distance_squared(ends[1]);
        if distance_squared < least {
            least = distance_squared;
            nearest = Nearest { ends, features };
        }
    };
    for is_of_q in [false, true] {
        let [body, other] = frame.bodies(is_of_q);
        for (vertex, corner) in (0..).zip(&other.vertices) {
            let x = frame.point_in_body(*corner, is_of_q);
            for (face, f) in (0..).zip(&body.faces) {
                let height = f.normal.dot(x) - f.offset;
                let is_inside = |side: &Side| side.normal.dot(x) <= side.offset;
                if height >= -slack && body.sides(f).iter().all(is_inside) {
                    let foot = x - f.normal * height;
                    let (face, vertex) = (Feature::Facet(face), Feature::Vertex(vertex));
                    if is_of_q {
                        consider([*corner, frame.motion.point(foot)], [vertex, face]);
                    } else {
                        consider([foot, x], [face, vertex]);
                    }
                }
            }
        }
    }
    for g in &frame.q.edges {
        let other = PlacedEdge::new(frame, g);
        for e in &frame.p.edges {
            let (s, t) = closest_parameters(e, &other);
            let points = [e.origin + e.along * s, other.origin + other.along * t];
            consider(points, [part_of(e, s), part_of(g, t)]);
        }
    }
    nearest
}

fn part_of(edge: &Edge, parameter: f64) -> Feature {
    match parameter {
        0.0 => Feature::Vertex(edge.ends[0]),
        1.0 => Feature::Vertex(edge.ends[1]),
        _ => edge_feature(edge),
    }
}

/// Where two segments are closest: the feet of their lines if inside, else each end's foot on the
/// other, the best of them.
fn closest_parameters(e: &Edge, g: &PlacedEdge) -> (f64, f64) {
    let between = g.origin - e.origin;
    let cross = e.along.cross(g.along);
    let area_squared = cross.length_squared();
    let inside = |x: f64| 0.0 < x && x < 1.0;
    let s = between.cross(g.along).dot(cross) / area_squared;
    let foot =
        |x: DVec3, along: DVec3, length: f64| (x.dot(along) / (length * length)).clamp(0.0, 1.0);
    // Where the edges are almost parallel the feet are vague, but not how far one is from the other
    // edge.
    let t = foot(e.along * s - between, g.along, g.length);
    if inside(s) && inside(t) {
        return (s, t);
    }
    let candidates = [
        (0.0, foot(-between, g.along, g.length)),
        (1.0, foot(e.along - between, g.along, g.length)),
        (foot(between, e.along, e.length), 0.0),
        (foot(between + g.along, e.along, e.length), 1.0),
    ];
    let distance = |&(s, t): &(f64, f64)| (between + g.along * t - e.along * s).length_squared();
    let by_distance = |x: &(f64, f64), y: &(f64, f64)| distance(x).total_cmp(&distance(y));
    candidates
        .into_iter()
        .min_by(by_distance)
        .unwrap_or((0.0, 0.0))
}
