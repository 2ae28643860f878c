//! A convex cell of the overlay of two surfaces, and the shares of its corners.

use glam::{DVec2, DVec3};

use super::manifold::{Bed, BedNode, PointFeature};
use crate::narrow::pair_frame::lesser;

/// A convex polygon, counter-clockwise, with names of its corners and sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    corners: Vec<Corner>,
    uncut: Vec<Corner>,
    /// A number for each corner.
    numbers: Vec<f64>,
}

/// A corner of a cell, and the line that starts there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: DVec2,
    pub(super) name: Name,
    line: Line,
}

/// What a corner of a cell is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Name {
    VertexOfP(u32),
    VertexOfQ(u32),
    /// The edges of P and Q by index.
    Edges(u32, u32),
    /// Two sides of a face of Q meet.
    SidesOfQ,
    /// The depth is 0.
    Rim,
}

/// The line along which a cell ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    EdgeOfP(u32),
    EdgeOfQ(u32),
    Rim,
}

impl Cell {
    /// Sets the cell to a face of P: for each corner its position, the vertex, and the edge that starts
    /// there.
    pub(super) fn set(&mut self, corners: impl Iterator<Item = (DVec2, u32, u32)>) {
        self.corners.clear();
        self.corners
            .extend(corners.map(|(at, vertex, edge)| Corner {
                at,
                name: Name::VertexOfP(vertex),
                line: Line::EdgeOfP(edge),
            }));
    }

    pub(super) fn corners_mut(&mut self) -> &mut [Corner] {
        &mut self.corners
    }

    /// Keeps the part where `height` is not negative (Sutherland and Hodgman 1974), and names the new
    /// corners. Returns whether it has an area.
    pub(super) fn cut(&mut self, height: impl Fn(DVec2) -> f64, line: Line) -> bool {
        self.numbers.clear();
        let heights = self.corners.iter().map(|corner| height(corner.at));
        self.numbers.extend(heights);
        let least = |sign: f64| {
            let heights = self.numbers.iter().map(|height| sign * height);
            heights.fold(f64::INFINITY, lesser)
        };
        let (low, high) = (least(1.0), -least(-1.0));
        if low > 0.0 || high <= 0.0 {
            return high > 0.0;
        }
        std::mem::swap(&mut self.corners, &mut self.uncut);
        self.corners.clear();
        let count = self.uncut.len();
        for (i, &corner) in self.uncut.iter().enumerate() {
            let next = if i + 1 == count { 0 } else { i + 1 };
            let (here, there) = (self.numbers[i], self.numbers[next]);
            if here >= 0.0 {
                let leaves = here == 0.0 && there < 0.0;
                let line = if leaves { line } else { corner.line };
                self.corners.push(Corner { line, ..corner });
            }
            if here * there < 0.0 {
                let to = self.uncut[next].at;
                let at = corner.at + (to - corner.at) * (here / (here - there));
                let name = match (corner.line, line) {
                    (Line::EdgeOfP(p), Line::EdgeOfQ(q)) => Name::Edges(p, q),
                    (Line::EdgeOfQ(_), Line::EdgeOfQ(_)) => Name::SidesOfQ,
                    _ => Name::Rim,
                };
                let line = if here > 0.0 { line } else { corner.line };
                self.corners.push(Corner { at, name, line });
            }
        }
        self.corners.len() > 2
    }

    /// Adds the shares of the corners to a bed. `depth` and `position`, half way between the surfaces, are
    /// linear.
    ///
    /// The shares of corners p_i of depth d_i come from hat functions N_i on the fan of triangles about the
    /// centroid c. T_i is the area of (c, p_i, p_i+1), A their sum. The hat of c itself is shared with the
    /// weights w_i = (T_i-1 + T_i) / (2 A), because c = sum of w_i p_i:
    ///
    /// ```text
    /// a_i     = integral of N_i   = (T_i-1 + T_i) / 3 + w_i A / 3 = (T_i-1 + T_i) / 2
    /// a_i x_i = integral of N_i x = [T_i-1 (2 p_i + p_i-1 + c) + T_i (2 p_i + p_i+1 + c)
    ///                                + w_i sum of T_k (2 c + p_k + p_k+1)] / 12
    /// ```
    /// Hats interpolate linear functions exactly. So the sum of a_i d_i is the volume over the cell, and
    /// that of a_i d_i x_i its first moment. All are continuous where corners merge.
    pub(super) fn add_shares(
        &mut self,
        bed: &mut Bed<DVec3>,
        depth: impl Fn(DVec2) -> f64,
        position: impl Fn(DVec2) -> DVec3,
        feature: impl Fn(Name) -> Option<PointFeature>,
    ) {
        let Some((area, center)) = area_and_centroid(&self.corners) else {
            return;
        };
        let cell = &self.corners;
        let count = cell.len();
        let next = |i: usize| if i + 1 == count { 0 } else { i + 1 };
        let mut hat_of_center = DVec2::ZERO;
        self.numbers.clear();
        for (i, corner) in cell.iter().enumerate() {
            let [from, to] = [corner.at, cell[next(i)].at];
            let triangle = 0.5 * (from - center).perp_dot(to - center);
            hat_of_center += triangle * (2.0 * center + from + to);
            self.numbers.push(triangle);
        }
        bed.area += area;
        let mut before = count - 1;
        for (i, corner) in cell.iter().enumerate() {
            let triangles = [self.numbers[before], self.numbers[i]];
            let neighbors = [cell[before].at, cell[next(i)].at];
            before = i;
            let x = corner.at;
            let share = 0.5 * (triangles[0] + triangles[1]);
            let volume = share * depth(x);
            if volume > 0.0
                && let Some(feature) = feature(corner.name)
            {
                let moment = triangles[0] * (2.0 * x + neighbors[0] + center)
                    + triangles[1] * (2.0 * x + neighbors[1] + center)
                    + hat_of_center * (share / area);
                let point = position(moment / (12.0 * share));
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
