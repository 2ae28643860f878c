//! Contact points of a polygon at a wall: the bed of a polyhedron, in one dimension less.

use glam::DVec2;

use super::line::{Interval, Side};
use super::{PolygonWall, placed};
use crate::math::tolerance::STEEP_FACE;
use crate::math::{Pose2, direction};
use crate::narrow::convex_wall::bed::EDGE_ON;
use crate::narrow::convex_wall::contact::unit;
use crate::narrow::convex_wall::{ConvexWall, ConvexWallContact, ConvexWallState, WallSpace};
use crate::narrow::elastic_bed::{Bed, BedNode, PointFeature};
use crate::narrow::{ContactManifold, Wall};
use crate::shape::{ConvexPolygon, SegmentMesh};

impl PolygonWall {
    /// Computes the bed of the segments that belong to a contact. Returns its direction in the frame of the
    /// body, `None` if the segments are seen edge-on along the normal of the contact.
    fn contact_bed(&mut self, index: usize) -> Option<DVec2> {
        self.bed.clear();
        let own = self.contact_segments.of(index).map(|i| &self.segments[i]);
        let parts = own.map(|s| (s.front, s.part(&self.sides)));
        let sum: DVec2 = parts
            .clone()
            .map(|(front, part)| -front * part.length())
            .sum();
        let m = direction(sum, sum.length())?;
        if m.dot(self.contacts[index].normal) < EDGE_ON {
            return None;
        }
        for part in parts.filter(|(front, _)| -front.dot(m) >= STEEP_FACE) {
            for (i, side) in self.sides.iter().enumerate() {
                if side.normal.dot(m) >= STEEP_FACE {
                    let next = if i + 1 == self.sides.len() { 0 } else { i + 1 };
                    let ends = [(i, side.corner), (next, self.sides[next].corner)];
                    add_shares(&mut self.bed, m, part, (side, ends));
                }
            }
        }
        Some(m)
    }
}

/// Adds the shares of the ends of a side, over a part of the wall.
fn add_shares(
    bed: &mut Bed<DVec2>,
    m: DVec2,
    (front, part): (DVec2, Interval),
    (side, ends): (&Side, [(usize, DVec2); 2]),
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
            bed.add(BedNode {
                feature: PointFeature::FirstVertex(vertex),
                area: share,
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
        let scene = flat.solve(kernel.bend, shape, pose, wall, state);
        state.begin();
        if let Some(scene) = scene {
            let place = |x| pose.transform_point(x + shape.centroid());
            let to_mesh = |x| wall.pose().inverse_transform_vector(x);
            flat.assign(&scene);
            for i in 0..flat.contacts.len() {
                let Some(along) = flat.contact_bed(i) else {
                    continue;
                };
                let normal = unit(pose.transform_vector(along));
                (flat.bed).reduce(kernel.max_points, state.names(to_mesh(normal)));
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
