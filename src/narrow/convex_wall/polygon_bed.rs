//! Contact points of a polygon at a wall: the bed of a polyhedron (see `bed`), in one dimension less.
//!
//! A contact at vertices of the wall, which is on the line of no segment, has the names of these vertices. An end of
//! the wall that is seen edge-on has no width: a right-angled spike takes its place. Its volume, the square
//! of the depth, is also that of the bed where end and side meet at 45 degrees.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec2;

use super::polygon::{Interval, PolygonWall, SAME, Scene, Side, placed};
use super::{ConvexWall, ConvexWallContact, ConvexWallState, NEAR, WallSpace};
use crate::math::tolerance::STEEP_FACE;
use crate::math::{Pose2, direction};
use crate::narrow::elastic_bed::{Bed, BedNode, MAX_POINTS, PointFeature};
use crate::narrow::{ContactManifold, Wall};
use crate::shape::{ConvexPolygon, SegmentMesh};

/// The cosine of the angle between S and the normal beyond which a wall is seen edge-on.
const EDGEWISE: f64 = FRAC_1_SQRT_2;

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
    fn assign(&mut self) {
        for segment in &mut self.segments {
            let along = self.contacts.iter().map(|c| -c.normal.dot(segment.front));
            let best = (0..).zip(along);
            let best = best.reduce(|best, next| if next.1 > best.1 { next } else { best });
            segment.contact = best.map_or(0, |best| best.0);
        }
    }

    /// Computes the bed of the segments that belong to a contact. Returns its direction in the frame of the
    /// body, `None` if there is none.
    fn contact_bed(&mut self, index: u32, scene: &Scene) -> Option<DVec2> {
        let contact = self.contacts[index as usize];
        let mut bed = std::mem::take(&mut self.bed);
        bed.clear();
        self.find_vertices(index, scene);
        let own = self.segments.iter().filter(|s| s.contact == index);
        let parts = own.map(|s| (s.front, s.line.part_below(0.0, &self.sides)));
        let parts = parts.filter(|(_, part)| part.length() > 0.0);
        let sum: DVec2 = parts
            .clone()
            .map(|(front, part)| -front * part.length())
            .sum();
        let mut m = direction(sum, sum.length());
        let is_edgewise = m.is_none_or(|m| m.dot(contact.normal) < EDGEWISE);
        if is_edgewise && !self.vertices.is_empty() && self.are_ends(scene) {
            m = Some(contact.normal);
            for &(id, x) in &self.vertices {
                add_spike(&mut bed, id, x, &contact);
            }
        } else if let Some(m) = m {
            let axes = Axes {
                across: -m.perp(),
                m,
            };
            for (front, part) in parts.filter(|(front, _)| -front.dot(m) >= STEEP_FACE) {
                let distance = |x: DVec2| x.distance_squared(part.ends()[0]);
                let vertices = self.vertices.iter();
                let nearest = vertices.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
                let vertex = nearest.map(|&(id, _)| (id, contact.overlap));
                for (i, side) in self.sides.iter().enumerate() {
                    if side.normal.dot(m) >= STEEP_FACE {
                        let next = if i + 1 == self.sides.len() { 0 } else { i + 1 };
                        let corners = [i, next].map(|i| (i as u32, self.sides[i].corner));
                        add_shares(&mut bed, axes, (front, part), (side, corners), vertex);
                    }
                }
            }
        }
        self.bed = bed;
        m
    }

    /// Finds the vertices of the wall that carry a contact: none if it is on the line of a segment.
    fn find_vertices(&mut self, index: u32, scene: &Scene) {
        let contact = &self.contacts[index as usize];
        let slack = NEAR * scene.tolerance;
        let own = self.segments.iter().filter(|s| {
            let height = contact.normal.dot(s.point - contact.point);
            s.contact == index && !s.is_passed && height.abs() <= SAME * scene.tolerance
        });
        self.vertices.clear();
        if own
            .clone()
            .any(|s| scene.are_same(-s.front, contact.normal))
        {
            return;
        }
        for segment in own {
            let ids = scene.wall.mesh().segments()[segment.segment as usize];
            for (id, x) in ids.into_iter().zip(segment.line.ends()) {
                if x.distance(segment.point) <= slack {
                    let same = |other: &&mut (u32, DVec2)| other.1.distance(x) <= slack;
                    match self.vertices.iter_mut().find(same) {
                        Some(other) => other.0 = other.0.min(id),
                        None => self.vertices.push((id, x)),
                    }
                }
            }
        }
    }

    /// Returns whether the wall ends at each of the vertices.
    fn are_ends(&self, scene: &Scene) -> bool {
        let slack = NEAR * scene.tolerance;
        self.vertices.iter().all(|(_, x)| {
            let ends = self.segments.iter().flat_map(|s| s.line.ends());
            ends.filter(|end| end.distance(*x) <= slack).count() == 1
        })
    }
}

/// Adds the bed of a right-angled spike: its width is not given by a wall seen edge-on.
fn add_spike(bed: &mut Bed<DVec2>, id: u32, x: DVec2, contact: &ConvexWallContact<DVec2>) {
    let depth = contact.overlap;
    bed.area += depth;
    bed.add(BedNode {
        feature: PointFeature::SecondVertex(id),
        area: depth,
        volume: depth * depth,
        moment: (x + contact.normal * (0.5 * depth)) * (depth * depth),
    });
}

/// Adds the shares of the corners of a side, over a part of the wall; those of a vertex of the wall with a depth
/// if one is given.
fn add_shares(
    bed: &mut Bed<DVec2>,
    axes: Axes,
    (front, part): (DVec2, Interval),
    (side, corners): (&Side, [(u32, DVec2); 2]),
    of_wall: Option<(u32, f64)>,
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
            let (feature, area) = match of_wall {
                Some((id, depth)) => (PointFeature::SecondVertex(id), volume / depth),
                None => (PointFeature::FirstVertex(vertex), share),
            };
            bed.add(BedNode {
                feature,
                area,
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
        if let Some(scene) = scene {
            let place = |x| pose.transform_point(x + shape.centroid());
            let to_mesh = |x| wall.pose().inverse_transform_vector(x);
            flat.assign();
            for i in 0..flat.contacts.len() {
                let Some(m) = flat.contact_bed(i as u32, &scene) else {
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
