//! The bed of two convex polyhedra: the overlay of the surfaces that face each other.
//!
//! Seen along the unit vector m from P to Q, the front faces of P (n.m > 0) and of Q (n.m < 0) cover
//! two convex regions of the plane normal to m. A pair of faces covers a convex cell, over which the
//! depth, the height of P's face minus that of Q's, is linear. The cell is cut where the depth is 0.
//! Its corners are vertices of P, vertices of Q, crossings of an edge of P with an edge of Q, and
//! points of depth 0. These carry nothing.
//!
//! The shares of a cell's corners p_i of depth d_i come from hat functions N_i on the fan of triangles
//! about the centroid c. T_i is the area of (c, p_i, p_i+1), A their sum. The hat of c itself is shared
//! with the weights w_i = (T_i-1 + T_i) / (2 A), because c = sum of w_i p_i:
//!
//! ```text
//! a_i     = integral of N_i   = (T_i-1 + T_i) / 3 + w_i A / 3
//! a_i x_i = integral of N_i x = [T_i-1 (2 p_i + p_i-1 + c) + T_i (2 p_i + p_i+1 + c)
//!                                + w_i sum of T_k (2 c + p_k + p_k+1)] / 12
//! ```
//! Hats interpolate linear functions exactly. So the sum of a_i d_i is the volume over the cell, and
//! that of a_i d_i x_i its first moment. All are continuous where corners merge.

use glam::{DVec2, DVec3};

use super::manifold::{Bed, BedNode, PointFeature};
use super::{Along, Overlay, Space};
use crate::math::Pose3;
use crate::math::tolerance::{STEEP_FACE, TIED_GAP};
use crate::narrow::pair_frame::PairFrame;
use crate::narrow::{CommonPlane, CommonPlaneState, ConvexConvex, NarrowPhase};
use crate::shape::{Boundary, ConvexPolyhedron, FaceSide, Placed, Stamp};

impl Space for DVec3 {
    type Shape = ConvexPolyhedron;
    type Overlay = FaceOverlay;
}

/// The crossing of two lines is this many tolerances from a point within one tolerance of both, if they
/// are not almost parallel.
const NEAR: f64 = 64.0;

/// Buffers of an overlay.
#[derive(Clone, Debug, Default)]
pub struct FaceOverlay {
    volume: ConvexConvex,
    fronts: [Front; 2],
    cell: Vec<Corner>,
    uncut: Vec<Corner>,
    hats: Vec<f64>,
}

/// The part of a body's surface that faces the other body and is not too far from it.
#[derive(Clone, Debug, Default)]
struct Front {
    /// The vertices of the body: two coordinates across m, and the height along m.
    vertices: Vec<DVec3>,
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

/// A corner of a cell, and the line that starts there, counter-clockwise.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: DVec2,
    name: Name,
    line: Line,
}

/// What a corner of a cell is. Where several apply, the first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Name {
    VertexOfP(u32),
    VertexOfQ(u32),
    /// The edges of P and Q by index.
    Edges(u32, u32),
    /// The depth is 0.
    Rim,
}

/// The line along which a cell ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    EdgeOfP(u32),
    EdgeOfQ(u32),
    Rim,
}

/// Two unit vectors across m, and m, in the frame of P about its center.
#[derive(Clone, Copy, Debug)]
struct Axes([DVec3; 3]);

impl Axes {
    fn new(m: DVec3) -> Self {
        let across = m.any_orthonormal_vector();
        Self([across, m.cross(across), m])
    }

    fn of(&self, v: DVec3) -> DVec3 {
        DVec3::from_array(self.0.map(|axis| axis.dot(v)))
    }

    fn from_flat(&self, x: DVec3) -> DVec3 {
        let [u, v, m] = self.0;
        u * x.x + v * x.y + m * x.z
    }
}

impl Overlay<DVec3> for FaceOverlay {
    fn stamp(shape: &ConvexPolyhedron) -> Stamp {
        shape.boundary().stamp
    }

    fn vertices(shape: &ConvexPolyhedron) -> &[DVec3] {
        &shape.boundary().vertices
    }

    fn plane_normal(
        kernel: &mut CommonPlane,
        [a, b]: [&Placed<&ConvexPolyhedron>; 2],
        state: &mut CommonPlaneState,
    ) -> Option<DVec3> {
        Some(kernel.contact_with(a, b, state)?.normal)
    }

    fn area_vector(&mut self, [a, b]: [&Placed<&ConvexPolyhedron>; 2]) -> DVec3 {
        let volume = self.volume.contact(a, b);
        volume.map_or(DVec3::ZERO, |volume| volume.area_vector)
    }

    fn compute(
        &mut self,
        shapes: [&ConvexPolyhedron; 2],
        [first, second]: [&Pose3; 2],
        along: &Along<DVec3>,
        bed: &mut Bed<DVec3>,
    ) -> DVec3 {
        let [p, q] = shapes.map(ConvexPolyhedron::boundary);
        self.add_cells(&PairFrame::new(p, q, &first.inv_mul(second)), along, bed);
        p.center
    }
}

impl FaceOverlay {
    fn add_cells(&mut self, frame: &PairFrame, along: &Along<DVec3>, bed: &mut Bed<DVec3>) {
        bed.clear();
        let axes = Axes::new(along.m);
        let shift = axes.of(frame.centers()) - DVec3::Z * along.margin;
        let to_q = |axis| frame.motion.inverse_transform_vector(axis);
        let in_q = Axes(axes.0.map(to_q));
        let [p, q] = &mut self.fronts;
        p.project(frame.p, &axes, DVec3::ZERO);
        q.project(frame.q, &in_q, shift);
        let tolerance = frame.size * TIED_GAP;
        let top = p.heights().fold(f64::NEG_INFINITY, f64::max);
        let bottom = q.heights().fold(f64::INFINITY, f64::min);
        p.find_faces(frame.p, &axes, 1.0, bottom, tolerance);
        q.find_faces(frame.q, &in_q, -1.0, -top, tolerance);
        for i in 0..self.fronts[0].faces.len() {
            for j in 0..self.fronts[1].faces.len() {
                let [p, q] = &self.fronts;
                let [f, g] = [p.faces[i], q.faces[j]];
                if !may_overlap(&f, &g, [p.sides(&f), q.sides(&g)]) {
                    continue;
                }
                self.cut_cell(frame, [f, g], tolerance);
                if along.prefers_q {
                    self.name_after_q(g, tolerance);
                }
                self.add_cell(frame, &axes, [f, g], bed);
            }
        }
    }

    /// Intersects two faces, and keeps the part where the depth is positive.
    fn cut_cell(&mut self, frame: &PairFrame, [f, g]: [FrontFace; 2], tolerance: f64) {
        let [p, q] = &self.fronts;
        self.cell.clear();
        self.cell.extend(p.sides(&f).iter().map(|side| Corner {
            at: side.from,
            name: Name::VertexOfP(side.corner),
            line: Line::EdgeOfP(side.edge),
        }));
        for side in q.sides(&g) {
            if side.slack <= tolerance * tolerance {
                continue;
            }
            // Lines that are almost parallel also meet far from the vertex.
            let shared = |other, x: DVec2| {
                let id = frame.q.shared_end(side.edge, other)?;
                let vertex = q.vertices[id as usize].truncate();
                (vertex.distance(x) <= NEAR * tolerance).then_some(id)
            };
            let cells = [&mut self.cell, &mut self.uncut];
            cut(cells, |x| side.height(x), Line::EdgeOfQ(side.edge), shared);
            if self.cell.len() < 3 {
                return;
            }
        }
        let depth = |x| f.height(x) - g.height(x);
        cut(
            [&mut self.cell, &mut self.uncut],
            depth,
            Line::Rim,
            |_, _| None,
        );
    }

    /// Names corners at vertices of both bodies after those of Q.
    fn name_after_q(&mut self, g: FrontFace, tolerance: f64) {
        let sides = self.fronts[1].sides(&g);
        for corner in &mut self.cell {
            let is_here = |side: &&FlatSide| side.from.distance(corner.at) <= NEAR * tolerance;
            if let Name::VertexOfP(_) = corner.name
                && let Some(side) = sides.iter().find(is_here)
            {
                corner.name = Name::VertexOfQ(side.corner);
            }
        }
    }

    /// Adds the shares of the cell's corners.
    fn add_cell(
        &mut self,
        frame: &PairFrame,
        axes: &Axes,
        [f, g]: [FrontFace; 2],
        bed: &mut Bed<DVec3>,
    ) {
        let cell = &self.cell;
        let Some((area, center)) = area_and_centroid(cell) else {
            return;
        };
        let count = cell.len();
        let next = |i: usize| if i + 1 == count { 0 } else { i + 1 };
        let mut hat_of_center = DVec2::ZERO;
        self.hats.clear();
        for (i, corner) in cell.iter().enumerate() {
            let (from, to) = (corner.at, cell[next(i)].at);
            let triangle = 0.5 * (from - center).perp_dot(to - center);
            hat_of_center += triangle * (2.0 * center + from + to);
            self.hats.push(triangle);
        }
        bed.area += area;
        let middle = |x: DVec2| x.extend(0.5 * (f.height(x) + g.height(x)));
        for (i, corner) in cell.iter().enumerate() {
            let feature = match corner.name {
                Name::VertexOfP(id) => PointFeature::FirstVertex(id),
                Name::VertexOfQ(id) => PointFeature::SecondVertex(id),
                Name::Edges(e, g) => PointFeature::Edges(
                    frame.p.edges[e as usize].ends,
                    frame.q.edges[g as usize].ends,
                ),
                Name::Rim => continue,
            };
            let before = if i == 0 { count - 1 } else { i - 1 };
            let (x, t) = (corner.at, [self.hats[before], self.hats[i]]);
            let weight = (t[0] + t[1]) / (2.0 * area);
            let share = (t[0] + t[1]) / 3.0 + weight * area / 3.0;
            let moment = t[0] * (2.0 * x + cell[before].at + center)
                + t[1] * (2.0 * x + cell[next(i)].at + center)
                + weight * hat_of_center;
            let volume = share * (f.height(x) - g.height(x));
            if volume > 0.0 {
                let point = axes.from_flat(middle(moment / (12.0 * share)));
                bed.add(BedNode {
                    feature,
                    area: share,
                    volume,
                    moment: point * volume,
                });
            }
        }
    }
}

impl Front {
    fn project(&mut self, body: &Boundary, axes: &Axes, shift: DVec3) {
        let flat = |v: &DVec3| axes.of(*v) + shift;
        self.vertices.clear();
        self.vertices.extend(body.vertices.iter().map(flat));
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        self.vertices.iter().map(|v| v.z)
    }

    fn sides(&self, face: &FrontFace) -> &[FlatSide] {
        let first = face.first_side as usize;
        &self.sides[first..first + face.side_count as usize]
    }

    /// Finds the faces that face along `sign` m and reach beyond the height `limit` in this direction.
    fn find_faces(&mut self, body: &Boundary, axes: &Axes, sign: f64, limit: f64, tolerance: f64) {
        self.faces.clear();
        self.sides.clear();
        for id in 0..self.vertices.len() {
            if sign * self.vertices[id].z <= limit {
                continue;
            }
            for spoke in body.spokes(id as u32) {
                for face in body.edges[spoke.edge as usize].faces {
                    if !self.faces.iter().any(|known| known.face == face) {
                        self.add_face(body, face, axes, sign, limit, tolerance);
                    }
                }
            }
        }
        self.faces.retain(|face| face.side_count > 0);
    }

    fn add_face(
        &mut self,
        body: &Boundary,
        face: u32,
        axes: &Axes,
        sign: f64,
        limit: f64,
        tolerance: f64,
    ) {
    }
}

impl FrontFace {
    #[inline]
    fn height(&self, x: DVec2) -> f64 {
        self.level + self.gradient.dot(x)
    }
}

/// Returns whether the depth of two faces may be positive somewhere within the bounds of both.
#[inline]
fn may_overlap(f: &FrontFace, g: &FrontFace) -> bool {
    let (low, high) = (f.low.max(g.low), f.high.min(g.high));
    let rise = f.gradient - g.gradient;
    let highest = DVec2::select(rise.cmpgt(DVec2::ZERO), high, low);
    low.cmple(high).all() && f.height(highest) > g.height(highest)
}

/// Sets a distance within the tolerance to 0.
#[inline]
fn snapped(distance: f64, tolerance: f64) -> f64 {
    if distance.abs() <= tolerance {
        0.0
    } else {
        distance
    }
}

/// Keeps the part of a cell where `height` is not negative (Sutherland and Hodgman 1974), and names
/// the new corners.
///
/// `shared` returns the vertex at a point that the line, an edge of Q, shares with another edge of Q.
fn cut(
    [cell, uncut]: [&mut Vec<Corner>; 2],
    height: impl Fn(DVec2) -> f64,
    line: Line,
    shared: impl Fn(u32, DVec2) -> Option<u32>,
) {
    std::mem::swap(cell, uncut);
    cell.clear();
    let Some(first) = uncut.first() else { return };
    let first_height = height(first.at);
    let mut here = first_height;
    for (i, &corner) in uncut.iter().enumerate() {
        let next = uncut.get(i + 1);
        let there = next.map_or(first_height, |next| height(next.at));
        if here >= 0.0 {
            let mut kept = corner;
            if here == 0.0 {
                // A vertex of Q where two of its edges meet on an edge of P.
                if let Name::Edges(_, other) = corner.name
                    && let Some(id) = shared(other, corner.at)
                {
                    kept.name = Name::VertexOfQ(id);
                }
                if there < 0.0 {
                    kept.line = line;
                }
            }
            cell.push(kept);
        }
        if here * there < 0.0 {
            let to = next.unwrap_or(first).at;
            let at = corner.at + (to - corner.at) * (here / (here - there));
            let name = match (corner.line, line) {
                (Line::EdgeOfP(p), Line::EdgeOfQ(q)) => Name::Edges(p, q),
                (Line::EdgeOfQ(q), Line::EdgeOfQ(_)) => {
                    shared(q, at).map_or(Name::Rim, Name::VertexOfQ)
                }
                _ => Name::Rim,
            };
            let line = if here > 0.0 { line } else { corner.line };
            cell.push(Corner { at, name, line });
        }
        here = there;
    }
}

/// Returns the area and centroid of a cell, `None` if it has none.
fn area_and_centroid(cell: &[Corner]) -> Option<(f64, DVec2)> {
    let origin = cell.first()?.at;
    let (mut double, mut moment) = (0.0, DVec2::ZERO);
    for pair in cell[1..].windows(2) {
        let (u, v) = (pair[0].at - origin, pair[1].at - origin);
        let cross = u.perp_dot(v);
        double += cross;
        moment += (u + v) * cross;
    }
    (double > 0.0).then(|| (0.5 * double, origin + moment / (3.0 * double)))
}
