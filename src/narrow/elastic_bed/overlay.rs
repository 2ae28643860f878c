//! The bed of two convex polyhedra: the overlay of the surfaces that face each other.
//!
//! Seen along the unit vector m from P to Q, the front faces of P (n.m > 0) and of Q (n.m < 0) cover
//! two convex regions of the plane normal to m. A pair of faces covers a convex cell, over which the
//! depth, the height of P's face minus that of Q's, is linear. The cell is cut where the depth is 0.
//! Its corners are vertices of P, vertices of Q, crossings of an edge of P with an edge of Q, and
//! points of depth 0. These carry nothing.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::cell::{Cell, Line, Name, greater};
use super::manifold::{Bed, PointFeature};
use super::{Along, NAMING_DISTANCE};
use crate::math::Pose3;
use crate::math::tolerance::{FLAT_EDGE, STEEP_FACE, STRICT, TIED_GAP};
use crate::narrow::order::Ordered;
use crate::narrow::pair_frame::{PairFrame, lesser};
use crate::narrow::{ConvexConvex, NarrowPhase};
use crate::shape::{Boundary, ConvexPolyhedron, HalfEdges, Placed};

/// Buffers of an overlay.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceOverlay {
    volume: ConvexConvex,
    fronts: [Front; 2],
    cell: Cell,
}

/// The part of a body's surface that faces the other body and may reach it.
#[derive(Clone, Debug, Default)]
struct Front {
    /// The heights of all vertices along m.
    heights: Vec<f64>,
    faces: Vec<FrontFace>,
    sides: Vec<FlatSide>,
}

/// A face, of height `level + gradient . x`.
#[derive(Clone, Copy, Debug)]
struct FrontFace {
    face: u32,
    gradient: DVec2,
    level: f64,
    /// The bounds of the part that reaches the other body.
    low: DVec2,
    high: DVec2,
    first_side: u32,
    side_count: u32,
}

/// A side of a face, seen along m: `inward . (x - from) >= 0` holds inside.
#[derive(Clone, Copy, Debug)]
struct FlatSide {
    from: DVec2,
    /// As long as the side.
    inward: DVec2,
    /// The tolerance times the length of `inward`, or up to 1.5 times as much.
    slack: f64,
    corner: u32,
    edge: u32,
}

/// A body seen along m.
struct View<'a> {
    boundary: &'a Boundary,
    topology: &'a HalfEdges,
    /// Two unit vectors across m, and m, in the frame of the body about its center.
    axes: [DVec3; 3],
    /// The center of the body, by coordinates along the axes.
    center: DVec3,
    /// 1 for the body that faces along m, -1 for the other.
    sign: f64,
    tolerance: f64,
}

impl FaceOverlay {
    /// Returns the area vector of the intersection of two bodies, from the first to the second.
    ///
    /// Without the part of flush sides: faces of both bodies in one plane, parallel to the `normal` of the
    /// contact. Rounding decides on which body they count.
    pub(super) fn area_vector(
        &mut self,
        bodies: [&Placed<&ConvexPolyhedron>; 2],
        normal: DVec3,
    ) -> DVec3 {
        let volume = self.volume.contact(bodies[0], bodies[1]);
        let mut sum = volume.map_or(DVec3::ZERO, |volume| volume.area_vector);
        let [a, b] = bodies;
        let ordered = Ordered::new(a, b, ConvexPolyhedron::vertices, |_, _| Ordering::Equal);
        for_each_flush_side(&ordered, normal, |side| sum -= side * side.dot(sum));
        sum
    }

    /// Computes the bed of P and Q. Positions of nodes are relative to the point returned, in the frame
    /// of P.
    pub(super) fn compute(
        &mut self,
        shapes: [&ConvexPolyhedron; 2],
        [first, second]: [&Pose3; 2],
        along: &Along,
        bed: &mut Bed,
    ) -> DVec3 {
        let [p, q] = shapes.map(ConvexPolyhedron::boundary);
        let frame = PairFrame::new(p, q, &first.inv_mul(second));
        let across = along.m.any_orthonormal_vector();
        let axes = [across, along.m.cross(across), along.m];
        let coordinates = |v: DVec3| DVec3::from_array(axes.map(|axis| axis.dot(v)));
        let tolerance = frame.size * TIED_GAP;
        let of_p = View {
            boundary: p,
            topology: shapes[0].half_edges(),
            axes,
            center: DVec3::ZERO,
            sign: 1.0,
            tolerance,
        };
        let of_q = View {
            boundary: q,
            topology: shapes[1].half_edges(),
            axes: axes.map(|axis| frame.motion.inverse_transform_vector(axis)),
            center: coordinates(frame.centers()) - DVec3::Z * along.margin,
            sign: -1.0,
            tolerance,
        };
        bed.clear();
        self.add_cells([&of_p, &of_q], along.prefers_q, bed);
        p.center
    }

    fn add_cells(&mut self, [p, q]: [&View; 2], prefers_q: bool, bed: &mut Bed) {
        let [front_p, front_q] = &mut self.fronts;
        let top = front_p.set_heights(p);
        let bottom = -front_q.set_heights(q);
        let near = NAMING_DISTANCE * p.tolerance;
        front_p.find_faces(p, bottom);
        front_q.find_faces(q, -top);
        for f in &front_p.faces {
            for g in &front_q.faces {
                if !boxes_overlap([f, g]) {
                    continue;
                }
                let sides = [front_p.sides(f), front_q.sides(g)];
                if !may_overlap([f, g], sides)
                    || !cut_cell(&mut self.cell, [f, g], sides, q.tolerance)
                {
                    continue;
                }
                name_corners(&mut self.cell, sides, near, prefers_q);
                let [u, v, m] = p.axes;
                self.cell.add_shares(
                    bed,
                    |x| f.height(x) - g.height(x),
                    |x| u * x.x + v * x.y + m * (0.5 * (f.height(x) + g.height(x))),
                    |name| feature(name, [p, q]),
                );
            }
        }
    }
}

/// Visits the normals of faces of both bodies that lie in one plane, parallel to `normal`, on the same side.
fn for_each_flush_side(
    pair: &Ordered<ConvexPolyhedron, DVec3>,
    normal: DVec3,
    mut visit: impl FnMut(DVec3),
) {
    let [p, q] = pair.shapes.map(ConvexPolyhedron::boundary);
    let [first, second] = pair.poses;
    let frame = PairFrame::new(p, q, &first.inv_mul(second));
    let local = first.inverse_transform_vector(normal);
    let slack = frame.size * TIED_GAP;
    let is_side = |face: DVec3| face.dot(local).abs() <= STRICT;
    for f in p.faces.iter().filter(|f| is_side(f.normal)) {
        for g in &q.faces {
            let other = frame.motion.transform_vector(g.normal);
            let offset = g.offset + other.dot(frame.centers());
            if f.normal.distance(other) <= FLAT_EDGE && (f.offset - offset).abs() <= slack {
                visit(first.transform_vector(f.normal));
            }
        }
    }
}

/// Intersects two faces, and keeps the part where the depth is positive. Returns whether there is any.
fn cut_cell(
    cell: &mut Cell,
    [f, g]: [&FrontFace; 2],
    [of_p, of_q]: [&[FlatSide]; 2],
    tolerance: f64,
) -> bool {
    cell.set(of_p.iter().map(|side| (side.from, side.corner, side.edge)));
    // First, because few sides of Q reach what is left.
    if !cell.cut(|x| f.height(x) - g.height(x), 0.0, Line::Rim) {
        return false;
    }
    // A side along m is a point.
    let is_long = |side: &&FlatSide| side.slack > tolerance * tolerance;
    let mut sides = of_q.iter().filter(is_long);
    sides.all(|side| cell.cut(|x| side.height(x), side.slack, Line::EdgeOfQ(side.edge)))
}

/// Names corners by the vertices near them.
///
/// A vertex of one body has precedence over a crossing of edges. Where vertices of both bodies are, that of the
/// body given first has, at all corners near either. Of two that are not near each other the nearest one has.
fn name_corners(cell: &mut Cell, [of_p, of_q]: [&[FlatSide]; 2], near: f64, prefers_q: bool) {
    let is_near =
        |a: DVec2, b: DVec2| (a.x - b.x).abs() <= near && a.distance_squared(b) <= near * near;
    let vertex_at = |sides: &[FlatSide], at: DVec2| {
        let found = sides.iter().find(|side| is_near(side.from, at));
        found.map(|side| (side.corner, side.from))
    };
    for corner in cell.corners_mut() {
        let at = corner.at;
        let on_p = match corner.name {
            Name::Rim => continue,
            Name::VertexOfP(id) => Some((id, at)),
            _ => vertex_at(of_p, at),
        };
        let on_q = match corner.name {
            Name::SidesOfQ => {
                let distance = |side: &&FlatSide| side.from.distance_squared(at);
                let nearest = of_q
                    .iter()
                    .min_by(|s, t| distance(s).total_cmp(&distance(t)));
                nearest.map(|side| (side.corner, side.from))
            }
            _ => vertex_at(of_q, at),
        };
        let (on_p, on_q) = match (on_p, on_q) {
            (None, Some((_, from))) if !prefers_q => (vertex_at(of_p, from), on_q),
            (Some((_, from)), None) if prefers_q => (on_p, vertex_at(of_q, from)),
            both => both,
        };
        corner.name = match (on_p, on_q) {
            (Some((p, x)), Some((q, y))) => {
                let is_q = if is_near(x, y) {
                    prefers_q
                } else {
                    y.distance_squared(at) < x.distance_squared(at)
                };
                if is_q {
                    Name::VertexOfQ(q)
                } else {
                    Name::VertexOfP(p)
                }
            }
            (Some((p, _)), None) => Name::VertexOfP(p),
            (None, Some((q, _))) => Name::VertexOfQ(q),
            (None, None) => corner.name,
        };
    }
}

#[inline]
fn feature(name: Name, [p, q]: [&View; 2]) -> Option<PointFeature> {
    match name {
        Name::VertexOfP(id) => Some(PointFeature::FirstVertex(id)),
        Name::VertexOfQ(id) => Some(PointFeature::SecondVertex(id)),
        Name::Edges(e, g) => Some(PointFeature::Edges(p.ends(e), q.ends(g))),
        Name::SidesOfQ | Name::Rim => None,
    }
}

impl View<'_> {
    #[inline]
    fn flat(&self, x: DVec3) -> DVec2 {
        let [u, v, _] = self.axes;
        DVec2::new(u.dot(x), v.dot(x)) + self.center.truncate()
    }

    /// Returns the ends of an edge, the lower first.
    fn ends(&self, edge: u32) -> [u32; 2] {
        let first = 2 * edge as usize;
        let [a, b] = [first, first + 1].map(|half| self.topology.halves[half].origin);
        [a.min(b), a.max(b)]
    }
}

impl Front {
    /// Sets the heights along m. Returns the largest one in the direction that the body faces.
    fn set_heights(&mut self, view: &View) -> f64 {
        let (m, shift) = (view.axes[2], view.center.z);
        let heights = view.boundary.vertices.iter().map(|&x| m.dot(x) + shift);
        self.heights.clear();
        self.heights.extend(heights);
        let lowest = |least: f64, &height: &f64| lesser(-view.sign * height, least);
        -self.heights.iter().fold(f64::INFINITY, lowest)
    }

    fn sides(&self, face: &FrontFace) -> &[FlatSide] {
        let first = face.first_side as usize;
        &self.sides[first..first + face.side_count as usize]
    }

    /// Finds the faces that face the other body and reach beyond the height `limit` in its direction.
    fn find_faces(&mut self, view: &View, limit: f64) {
        self.faces.clear();
        self.sides.clear();
        let halves = &view.topology.halves[..];
        for vertex in 0..self.heights.len() {
            if view.sign * self.heights[vertex] <= limit {
                continue;
            }
            let first = view.topology.first[vertex];
            let mut half = first;
            loop {
                let face = halves[half as usize].face;
                let slope = view.axes[2].dot(view.boundary.faces[face as usize].normal);
                let is_known = |known: &FrontFace| known.face == face;
                if view.sign * slope >= STEEP_FACE && !self.faces.iter().any(is_known) {
                    self.add_face(view, half, slope, limit);
                }
                half = halves[half as usize ^ 1].next;
                if half == first {
                    break;
                }
            }
        }
    }

    /// Adds the face of a half-edge.
    fn add_face(&mut self, view: &View, first: u32, slope: f64, limit: f64) {
        let (halves, vertices) = (&view.topology.halves[..], &view.boundary.vertices[..]);
        let heights = &self.heights[..];
        let height = |vertex: u32| view.sign * heights[vertex as usize] - limit;
        let flat = |vertex: u32| view.flat(vertices[vertex as usize]);
        let first_side = self.sides.len();
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut include = |x: DVec2| {
            low = least(x, low);
            high = greatest(x, high);
        };
        let (mut half, mut corner) = (first, halves[first as usize].origin);
        let start = flat(corner);
        let (mut from, mut here) = (start, height(corner));
        loop {
            let next = halves[half as usize].next;
            let end = halves[next as usize].origin;
            let to = if next == first { start } else { flat(end) };
            let there = height(end);
            if here >= 0.0 {
                include(from);
            }
            if here * there < 0.0 {
                include(from + (to - from) * (here / (here - there)));
            }
            // Seen along m the faces of Q are clockwise.
            let inward = (to - from).perp() * view.sign;
            self.sides.push(FlatSide {
                from,
                inward,
                slack: view.tolerance * (inward.x.abs() + inward.y.abs()),
                corner,
                edge: half / 2,
            });
            if next == first {
                break;
            }
            (half, corner, from, here) = (next, end, to, there);
        }
        let face = halves[first as usize].face;
        let normal = view.boundary.faces[face as usize].normal;
        let [u, v, _] = view.axes;
        let gradient = DVec2::new(u.dot(normal), v.dot(normal)) * (-1.0 / slope);
        let level = heights[self.sides[first_side].corner as usize] - gradient.dot(start);
        self.faces.push(FrontFace {
            face,
            gradient,
            level,
            low,
            high,
            first_side: first_side as u32,
            side_count: (self.sides.len() - first_side) as u32,
        });
    }
}

impl FlatSide {
    /// Returns the distance from the side, times its length.
    #[inline]
    fn height(&self, x: DVec2) -> f64 {
        self.inward.dot(x - self.from)
    }

    /// Returns whether a box lies beyond the side, given its center and half its extent.
    #[inline]
    fn excludes(&self, center: DVec2, half: DVec2) -> bool {
        self.inward.dot(center - self.from) + self.inward.abs().dot(half) < -self.slack
    }
}

impl FrontFace {
    #[inline]
    fn height(&self, x: DVec2) -> f64 {
        self.level + self.gradient.dot(x)
    }
}

#[inline]
fn boxes_overlap([f, g]: [&FrontFace; 2]) -> bool {
    f.low.x <= g.high.x && g.low.x <= f.high.x && f.low.y <= g.high.y && g.low.y <= f.high.y
}

/// Returns whether two faces whose boxes overlap may do so with a positive depth.
#[inline]
fn may_overlap([f, g]: [&FrontFace; 2], sides: [&[FlatSide]; 2]) -> bool {
    let (low, high) = (greatest(f.low, g.low), least(f.high, g.high));
    let [center, half] = [(low + high) * 0.5, (high - low) * 0.5];
    let rise = (f.gradient - g.gradient).abs().dot(half);
    let excludes = |side: &FlatSide| side.excludes(center, half);
    f.height(center) - g.height(center) + rise > 0.0 && !sides.into_iter().flatten().any(excludes)
}

/// Returns the component-wise minimum. `DVec2::min` takes longer, because of NaN.
#[inline]
fn least(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::new(lesser(a.x, b.x), lesser(a.y, b.y))
}

/// Returns the component-wise maximum.
#[inline]
fn greatest(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::new(greater(a.x, b.x), greater(a.y, b.y))
}
