//! Contact points of a polygon at a wall: the bed of a polyhedron, in one dimension less.
//!
//! A contact at vertices of the wall, which is on the line of no segment, has the names of these vertices. An end of
//! the wall that is seen edge-on has no width: a right-angled spike takes its place. Its volume, the square
//! of the depth, is also that of the bed where end and side meet at 45 degrees.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec2;

use super::line::{Interval, Side};
use super::{PolygonWall, SAME, Scene, placed};
use crate::math::tolerance::STEEP_FACE;
use crate::math::{Pose2, direction};
use crate::narrow::convex_wall::{ConvexWall, ConvexWallContact, ConvexWallState, NEAR, WallSpace};
use crate::narrow::elastic_bed::{Bed, BedNode, MAX_POINTS, PointFeature};
use crate::narrow::{ContactManifold, Wall};
use crate::shape::{ConvexPolygon, SegmentMesh};

/// The cosine of the angle between S and the normal beyond which a wall is seen edge-on.
const EDGEWISE: f64 = FRAC_1_SQRT_2;

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
        self.bed.clear();
        let is_end = self.find_vertices(index, scene);
        let own = self.segments.iter().filter(|s| s.contact == index);
        let parts = own.map(|s| (s.front, s.line.part_below(0.0, &self.sides)));
        let parts = parts.filter(|(_, part)| part.length() > 0.0);
        let sum: DVec2 = parts
            .clone()
            .map(|(front, part)| -front * part.length())
            .sum();
        let m = direction(sum, sum.length());
        if is_end && m.is_none_or(|m| m.dot(contact.normal) < EDGEWISE) {
            for &(id, x) in &self.vertices {
                add_spike(&mut self.bed, id, x, &contact);
            }
            return Some(contact.normal);
        }
        let m = m?;
        for (front, part) in parts.filter(|(front, _)| -front.dot(m) >= STEEP_FACE) {
            let distance = |x: DVec2| x.distance_squared(part.middle());
            let vertices = self.vertices.iter();
            let nearest = vertices.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
            let vertex = nearest.map(|&(id, _)| (id, contact.overlap));
            for (i, side) in self.sides.iter().enumerate() {
                if side.normal.dot(m) >= STEEP_FACE {
                    let next = if i + 1 == self.sides.len() { 0 } else { i + 1 };
                    let ends = [(i, side.corner), (next, self.sides[next].corner)];
                    add_shares(&mut self.bed, m, (front, part), (side, ends), vertex);
                }
            }
        }
        Some(m)
    }

    /// Finds the vertices of the wall that carry a contact: none if it is on the line of a segment. Returns whether
    /// the wall ends there.
    fn find_vertices(&mut self, index: u32, scene: &Scene) -> bool {
        let contact = &self.contacts[index as usize];
        let own = self.segments.iter().filter(|s| {
            let height = contact.normal.dot(s.point - contact.point);
            s.contact == index && s.passed.is_none() && height.abs() <= SAME * scene.tolerance
        });
        self.vertices.clear();
        if own
            .clone()
            .any(|s| scene.are_same(-s.front, contact.normal))
        {
            return false;
        }
        let ids_at = |x: DVec2| {
            let segments = self.segments.iter();
            let ends = segments.flat_map(|s| {
                let ids = scene.wall.mesh().segments()[s.segment as usize];
                ids.into_iter().zip(s.line.ends())
            });
            let here = ends.filter(move |(_, end)| end.distance(x) <= NEAR * scene.tolerance);
            here.map(|(id, _)| id)
        };
        for segment in own {
            let id = ids_at(segment.point).min();
            let id = id.filter(|id| self.vertices.iter().all(|other| other.0 != *id));
            self.vertices.extend(id.map(|id| (id, segment.point)));
        }
        !self.vertices.is_empty() && self.vertices.iter().all(|&(_, x)| ids_at(x).count() == 1)
    }
}

/// Adds the bed of a right-angled spike.
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

/// Adds the shares of the ends of a side over a part of the wall; those of a vertex of the wall with a depth if one
/// is given.
fn add_shares(
    bed: &mut Bed<DVec2>,
    m: DVec2,
    (front, part): (DVec2, Interval),
    (side, ends): (&Side, [(usize, DVec2); 2]),
    of_wall: Option<(u32, f64)>,
) {
    // A line as a height along m.
    let across = -m.perp();
    let height = |normal: DVec2, point: DVec2| {
        let (u, slope) = (across.dot(point), -normal.dot(across) / normal.dot(m));
        move |x: f64| m.dot(point) + slope * (x - u)
    };
    let [of_side, of_part] = [
        height(side.normal, side.corner),
        height(front, part.middle()),
    ];
    let depth = |x: f64| of_side(x) - of_part(x);
    // Seen with m upwards, sides run to the left.
    let mut cell = ends.map(|(id, x)| (across.dot(x), Some(id as u32)));
    let [first, second] = cell.map(|end| depth(end.0));
    if first * second < 0.0 {
        let rim = cell[0].0 + (cell[1].0 - cell[0].0) * (first / (first - second));
        cell[usize::from(second < 0.0)] = (rim, None);
    }
    let [a, b] = part.ends().map(|x| across.dot(x));
    let (from, to) = (a.min(b).max(cell[1].0), a.max(b).min(cell[0].0));
    if from >= to || first.max(second) <= 0.0 {
        return;
    }
    bed.area += to - from;
    for (i, (at, vertex)) in cell.into_iter().enumerate() {
        // The hat of this end.
        let [a, b] = [from, to].map(|x| (x - cell[1 - i].0) / (at - cell[1 - i].0));
        let share = 0.5 * (to - from) * (a + b);
        let volume = share * depth(at);
        if let Some(vertex) = vertex
            && volume > 0.0
        {
            let x = ((2.0 * a + b) * from + (a + 2.0 * b) * to) / (3.0 * (a + b));
            let middle = 0.5 * (of_side(x) + of_part(x));
            let (feature, area) = match of_wall {
                Some((id, depth)) => (PointFeature::SecondVertex(id), volume / depth),
                None => (PointFeature::FirstVertex(vertex), share),
            };
            bed.add(BedNode {
                feature,
                area,
                volume,
                moment: (across * x + m * middle) * volume,
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
        let flat = &mut kernel.flat;
        let scene = flat.solve((kernel.sides, kernel.bend), shape, pose, wall, state);
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
