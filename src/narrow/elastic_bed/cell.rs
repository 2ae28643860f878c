//! A convex cell of the overlay of two surfaces, and the shares of its corners.

use glam::{DVec2, DVec3};

use super::manifold::{Bed, BedNode, PointFeature};

/// A convex polygon, counter-clockwise, with names of its corners and sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    corners: Vec<Corner>,
    /// The corners before the last cut, and the first one again.
    uncut: Vec<Corner>,
}

/// A corner of a cell, and the line that starts there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Corner {
    // First, so that it is copied as a whole: then it can be read at once, without a wait for the copy.
    pub(super) at: DVec2,
    /// Over the line of the last cut.
    height: f64,
    line: Line,
    pub(super) name: Name,
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
                height: 0.0,
            }));
    }

    pub(super) fn corners_mut(&mut self) -> &mut [Corner] {
        &mut self.corners
    }

    /// Keeps the part where `height` is not negative, and names the new corners. Heights up to `slack` count
    /// as 0. Returns whether the part has an area.
    #[inline]
    pub(super) fn cut(&mut self, height: impl Fn(DVec2) -> f64, slack: f64, line: Line) -> bool {
        let mut above = 0;
        for corner in &mut self.corners {
            corner.height = height(corner.at);
            above += usize::from(corner.height > slack);
        }
        match above {
            0 => false,
            all if all == self.corners.len() => true,
            _ => self.keep_upper_part(slack, line),
        }
    }

    /// Cuts by the heights of the corners (Sutherland and Hodgman 1974).
    fn keep_upper_part(&mut self, slack: f64, line: Line) -> bool {
        let Some(&first) = self.corners.first() else {
            return false;
        };
        self.corners.push(first);
        std::mem::swap(&mut self.corners, &mut self.uncut);
        self.corners.clear();
        let snapped = |height: f64| if height.abs() <= slack { 0.0 } else { height };
        let mut here = snapped(first.height);
        for pair in self.uncut.windows(2) {
            let corner = &pair[0];
            let there = snapped(pair[1].height);
            if here >= 0.0 {
                self.corners.push(*corner);
            }
            if here == 0.0
                && there < 0.0
                && let Some(touching) = self.corners.last_mut()
            {
                touching.line = line;
            }
            if here * there < 0.0 {
                let at = corner.at + (pair[1].at - corner.at) * (here / (here - there));
                let name = match (corner.line, line) {
                    (Line::EdgeOfP(p), Line::EdgeOfQ(q)) => Name::Edges(p, q),
                    (Line::EdgeOfQ(_), Line::EdgeOfQ(_)) => Name::SidesOfQ,
                    _ => Name::Rim,
                };
                let line = if here > 0.0 { line } else { corner.line };
                let height = 0.0;
                self.corners.push(Corner {
                    at,
                    name,
                    line,
                    height,
                });
            }
            here = there;
        }
        self.corners.len() > 2
    }

    /// Adds the shares of the corners to a bed. `depth` and `position`, half way between the surfaces, are
    /// linear.
    ///
    /// The shares of corners p_i of depth d_i come from hat functions N_i on the fan of triangles about the
    /// centroid c. T_i is the area of (c, p_i, p_i+1), A their sum. The hat of c itself, of integral A / 3
    /// and center c, is shared with the weights w_i = (T_i-1 + T_i) / (2 A), because c = sum of w_i p_i:
    ///
    /// ```text
    /// a_i     = integral of N_i   = (T_i-1 + T_i) / 3 + w_i A / 3 = (T_i-1 + T_i) / 2
    /// a_i x_i = integral of N_i x = [T_i-1 (2 p_i + p_i-1 + c) + T_i (2 p_i + p_i+1 + c)] / 12 + w_i A c / 3
    ///                             = [T_i-1 (2 p_i + p_i-1 + 3 c) + T_i (2 p_i + p_i+1 + 3 c)] / 12
    /// ```
    /// Hats interpolate linear functions exactly. So the sum of a_i d_i is the volume over the cell, and
    /// that of a_i d_i x_i its first moment. All are continuous where corners merge.
    pub(super) fn add_shares(
        &mut self,
        bed: &mut Bed,
        depth: impl Fn(DVec2) -> f64,
        position: impl Fn(DVec2) -> DVec3,
        feature: impl Fn(Name) -> Option<PointFeature>,
    ) {
        let Some(center) = centroid(&self.corners) else {
            return;
        };
        let (first, last) = (self.corners[0], self.corners[self.corners.len() - 1]);
        self.corners.push(first);
        let triangle = |from: DVec2, to: DVec2| 0.5 * (from - center).perp_dot(to - center);
        let mut before = last.at;
        let mut triangle_before = triangle(before, first.at);
        for pair in self.corners.windows(2) {
            let [x, next] = [pair[0].at, pair[1].at];
            let triangles = [triangle_before, triangle(x, next)];
            let neighbors = [before, next];
            (before, triangle_before) = (x, triangles[1]);
            let share = 0.5 * (triangles[0] + triangles[1]);
            // By rounding, shares and depths may be negative.
            if share <= 0.0 {
                continue;
            }
            bed.area += share;
            let volume = share * depth(x);
            if volume > 0.0
                && let Some(feature) = feature(pair[0].name)
            {
                let inner = 2.0 * x + 3.0 * center;
                let moment =
                    triangles[0] * (inner + neighbors[0]) + triangles[1] * (inner + neighbors[1]);
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

/// Returns the larger number. `f64::max` takes longer, because of NaN.
#[inline]
pub(super) fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Returns the centroid of a cell, `None` if it has no area.
fn centroid(cell: &[Corner]) -> Option<DVec2> {
    let origin = cell.first()?.at;
    let (mut double, mut moment) = (0.0, DVec2::ZERO);
    for pair in cell[1..].windows(2) {
        let (u, v) = (pair[0].at - origin, pair[1].at - origin);
        let cross = u.perp_dot(v);
        double += cross;
        moment += (u + v) * cross;
    }
    (double > 0.0).then(|| origin + moment / (3.0 * double))
}
