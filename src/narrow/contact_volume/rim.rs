//! The parts of a wall's rim inside a body.

use std::iter;

use glam::DVec3;

use super::mesh_mesh::MeshMesh;
use super::solid_view::SolidView;
use crate::math::Pose3;
use crate::shape::WallTriangles;

/// The parts of a rim inside a body. They are in the frame of the body, with the wall on their
/// left.
#[derive(Clone, Debug, Default)]
pub(super) struct RimParts {
    /// Triangle and side, position along the side from 0 to 1, step of the winding number, and
    /// place.
    crossings: Vec<((u32, usize), f64, i32, DVec3)>,
    parts: Vec<[DVec3; 2]>,
}

impl RimParts {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn parts(&self) -> &[[DVec3; 2]] {
        &self.parts
    }

    /// Finds the parts, given the segments of the intersection curve.
    pub(super) fn collect(
        &mut self,
        mesh: &mut MeshMesh,
        views: &[SolidView; 2],
        relative: &Pose3,
        wall: &WallTriangles,
    ) {
        self.collect_crossings(mesh, views, wall);
        let Self { crossings, parts } = self;
        parts.clear();
        let [body, sheet] = &mut mesh.bodies;
        let bounds = views[0].bounds;
        let query = bounds.transformed(&relative.inverse());
        wall.for_each_rim_touching(&query, |rim| {
            let key = (rim.slot, rim.side);
            sheet.prepare(&views[1], iter::once(rim.slot));
            let [from, to] = sheet.face(rim.slot).edge(rim.side);
            let mut winding = if bounds.contains(from) {
                body.winding_around(&views[0], from)
            } else {
                0
            };
            let mut last = from;
            let first = crossings.partition_point(|crossing| crossing.0 < key);
            let on_side = crossings[first..].iter().take_while(|c| c.0 == key);
            let end = (key, 1.0, 0, to);
            for &(_, _, change, place) in on_side.chain([&end]) {
                if winding > 0 {
                    parts.push([last, place]);
                }
                winding += change;
                last = place;
            }
        });
    }

    /// Collects the points where rims cross the surface of the body, ordered along each side.
    fn collect_crossings(&mut self, mesh: &MeshMesh, views: &[SolidView; 2], wall: &WallTriangles) {
        self.crossings.clear();
        for segment in &mesh.segments {
            let slot = segment.faces[1];
            let own = segment.ends.iter().filter(|end| end.body == 1);
            for end in own.filter(|end| wall.is_rim(slot, end.side)) {
                let is_reversed =
                    views[1].solid.triangles()[slot as usize].sides[end.side] % 2 == 1;
                let along = if is_reversed {
                    1.0 - end.along
                } else {
                    end.along
                };
                let change = if end.enters { 1 } else { -1 };
                let crossing = ((slot, end.side), along, change, end.position);
                self.crossings.push(crossing);
            }
        }
        self.crossings
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    }
}
