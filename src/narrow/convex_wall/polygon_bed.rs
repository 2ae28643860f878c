//! Contact points of a polygon at a wall: the bed of a polyhedron (see `bed`), in one dimension less.

use glam::DVec2;

use super::polygon::{Interval, PolygonWall, Side, placed};
use super::{ConvexWall, ConvexWallContact, ConvexWallState, WallSpace};
use crate::math::tolerance::STEEP_FACE;
use crate::math::{Pose2, direction};
use crate::narrow::elastic_bed::{Bed, BedNode, MAX_POINTS, PointFeature};
use crate::narrow::{ContactManifold, Wall};
use crate::shape::{ConvexPolygon, SegmentMesh};

/// A line as a height along m: `level + slope u`.
#[derive(Clone, Copy, Debug)]
struct Height {
    level: f64,
    slope: f64,
}

/// Coordinates across m and along it.
#[derive(Clone, Copy, Debug)]
struct Axes {
    across: DVec2,
    m: DVec2,
}

impl Axes {
    /// Returns the height of the line with a normal through a point.
    fn height(self, normal: DVec2, point: DVec2) -> Height {
        let slope = -normal.dot(self.across) / normal.dot(self.m);
        Height {
            level: self.m.dot(point) - slope * self.across.dot(point),
            slope,
        }
    }
}

impl Height {
    fn at(self, u: f64) -> f64 {
        self.level + self.slope * u
    }
}

impl PolygonWall {
    /// Gives each segment inside the body to the contact with the nearest normal.
    pub(super) fn assign(&mut self) {
        for segment in &mut self.segments {
            let along = self.contacts.iter().map(|c| -c.normal.dot(segment.front));
            let best = (0..).zip(along);
            let best = best.reduce(|best, next| if next.1 > best.1 { next } else { best });
            segment.contact = best.map_or(0, |best| best.0);
        }
    }

    /// Computes the bed of the segments that belong to a contact. Returns its direction in the frame of the
    /// body, `None` if there is none.
    pub(super) fn contact_bed(&mut self, contact: usize) -> Option<DVec2> {
        self.bed.clear();
        let own = self.segments.iter().filter(|s| s.contact == contact as u32);
        let parts = own.map(|s| (s.front, s.line.part_below(0.0, &self.sides)));
        let parts = parts.filter(|(_, part)| part.length() > 0.0);
        let sum = parts.clone().map(|(front, part)| -front * part.length());
        let sum: DVec2 = sum.sum();
        let m = direction(sum, sum.length())?;
        let axes = Axes {
            across: -m.perp(),
            m,
        };
        let mut bed = std::mem::take(&mut self.bed);
        for (front, part) in parts.filter(|(front, _)| -front.dot(m) >= STEEP_FACE) {
            for (i, side) in self.sides.iter().enumerate() {
                if side.normal.dot(m) >= STEEP_FACE {
                    let next = if i + 1 == self.sides.len() { 0 } else { i + 1 };
                    let corners = [i, next].map(|i| (i as u32, self.sides[i].corner));
                    add_shares(&mut bed, axes, (front, part), side, corners);
                }
            }
        }
        self.bed = bed;
        Some(m)
    }
}

/// Adds the shares of the ends of a side, over a part of the wall.
fn add_shares(
    bed: &mut Bed<DVec2>,
    axes: Axes,
    (front, part): (DVec2, Interval),
    side: &Side,
    corners: [(u32, DVec2); 2],
) {
    let ends = part.ends();
    let wall = axes.height(front, ends[0]);
    let face = axes.height(side.normal, side.corner);
    let depth = |u: f64| face.at(u) - wall.at(u);
    // The body is counter-clockwise: seen with m upwards, the second corner is on the left.
    let [right, left] = corners.map(|(vertex, x)| (axes.across.dot(x), Some(vertex)));
    let mut cell = [left, right];
    let [before, after] = cell.map(|end| depth(end.0));
    if before * after < 0.0 {
        let rim = left.0 + (right.0 - left.0) * (before / (before - after));
        cell[usize::from(after < 0.0)] = (rim, None);
    }
    let [a, b] = ends.map(|x| axes.across.dot(x));
    let (from, to) = (a.min(b).max(cell[0].0), a.max(b).min(cell[1].0));
    if from >= to || before.max(after) <= 0.0 {
        return;
    }
    bed.area += to - from;
    for (i, (at, vertex)) in cell.into_iter().enumerate() {
        let other = cell[1 - i].0;
        let [a, b] = [from, to].map(|u| (u - other) / (at - other));
        let share = 0.5 * (to - from) * (a + b);
        let volume = share * depth(at);
        if let Some(vertex) = vertex
            && volume > 0.0
        {
            let u = ((2.0 * a + b) * from + (a + 2.0 * b) * to) / (3.0 * (a + b));
            let middle = 0.5 * (face.at(u) + wall.at(u));
            bed.add(BedNode {
                feature: PointFeature::FirstVertex(vertex),
                area: share,
                volume,
                moment: (axes.across * u + axes.m * middle) * volume,
            });
        }
    }
}

impl WallSpace for DVec2 {
    type Mesh = SegmentMesh;

    fn for_each_manifold(
        kernel: &mut ConvexWall,
        (shape, pose): (&ConvexPolygon, &Pose2),
        wall: &Wall<SegmentMesh>,
        state: &mut ConvexWallState<DVec2>,
        mut visit: impl FnMut(ConvexWallContact<DVec2>, ContactManifold<DVec2>),
    ) {
        let ConvexWall {
            sides, bend, flat, ..
        } = kernel;
        let scene = flat.solve((*sides, *bend), shape, pose, wall, state);
        state.begin();
        if scene.is_some() {
            let place = |x| pose.transform_point(x + shape.centroid());
            let to_mesh = |x| wall.pose().inverse_transform_vector(x);
            flat.assign();
            for i in 0..flat.contacts.len() {
                let Some(m) = flat.contact_bed(i) else {
                    continue;
                };
                let normal = pose.transform_vector(m);
                flat.bed.reduce(MAX_POINTS, state.names(to_mesh(normal)));
                if flat.bed.nodes.is_empty() {
                    continue;
                }
                let mut manifold = flat.bed.manifold(normal, 0.0, place);
                state.follow(&mut manifold, place(DVec2::ZERO), to_mesh);
                visit(placed(&flat.contacts[i], shape, pose), manifold);
            }
        }
        state.end();
    }
}
