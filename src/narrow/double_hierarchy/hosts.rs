//! Facets that touch without sharing vertices: found once, when a wall is built.

use glam::DVec3;

use super::mesh::WallIndex;
use super::search_result::Part;
use super::surface_index::{Side, SurfaceIndex};
use crate::math::tolerance::FACET_SHAPE;
use crate::shape::rows::Rows;
use crate::shape::{Aabb, BoxTree, Feature};

/// An edge that shares a vertex with a facet lies on it if it does so this far from the vertex, relative to the noise.
/// At smaller distances any edge is close to the facet.
const ALONG: f64 = 32.0;

/// The facets that vertices and edges lie on, to the noise of the mesh, without sharing them: hosts. Good meshes have
/// none.
#[derive(Clone, Debug, Default)]
pub(super) struct Hosts {
    vertices: Rows<u32>,
    edges: Rows<u32>,
}

/// Pairs of a vertex or edge and a host.
#[derive(Default)]
struct Found {
    vertices: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
}

impl SurfaceIndex {
    /// Finds the hosts of all vertices and edges. The tree has the boxes of the facets.
    pub(super) fn find_all_hosts(&mut self, tree: &BoxTree<DVec3>) {
        let mut found = Found::default();
        for host in 0..self.facet_count() {
            let bounds = self.facet_box(host).grown(self.noise);
            tree.for_each_slot_touching(&bounds, |slot| {
                if slot != host {
                    self.find_hosted(host, &bounds, slot, &mut found);
                }
            });
        }
        let rows = |count, pairs: Vec<_>| match pairs.len() {
            0 => Rows::default(),
            _ => Rows::from_pairs(count, &pairs),
        };
        self.hosts = Hosts {
            vertices: rows(self.vertices.len(), found.vertices),
            edges: rows(self.adjacency.edges().len(), found.edges),
        };
    }

    /// Adds the vertices and edges of a facet that lie on another one. Each belongs to its first facet in the mesh.
    fn find_hosted(&self, host: u32, bounds: &Aabb<DVec3>, slot: u32, found: &mut Found) {
        let has = |vertex: u32| self.has_corner(host, vertex);
        let has_part = |ends| is_near(ends, bounds) && self.has_part(host, ends);
        for side in self.sides_of(slot) {
            let Side { ends, edge, .. } = self.side(side);
            let [at_a, at_b] = self.ends_at(side);
            let is_own = [has(ends[0]), has(ends[1])];
            let (is_first_of_edge, is_first_of_corner) = self.is_first(side);
            if is_first_of_corner && !is_own[0] && has_part([at_a; 2]) {
                found.vertices.push((ends[0], host));
            }
            if !is_first_of_edge {
                continue;
            }
            let along = |from: DVec3, to: DVec3| {
                let part = ALONG * self.noise / from.distance(to);
                has_part([from.lerp(to, part.min(1.0)); 2])
            };
            let is_hosted = match is_own {
                [false, false] => has_part([at_a, at_b]),
                [true, false] => along(at_a, at_b),
                [false, true] => along(at_b, at_a),
                [true, true] => {
                    let mut sides = self.sides_along(side).iter();
                    sides.all(|&side| self.side(side).slot != host)
                }
            };
            if is_hosted {
                found.edges.push((edge, host));
            }
        }
    }

    /// Returns whether a part of a segment is on a facet, to the noise of the mesh.
    fn has_part(&self, slot: u32, ends: [DVec3; 2]) -> bool {
        let normal = self.normal(slot);
        let origin = self.corner(slot, 0);
        let bend = match self.facet(slot).side_count {
            3 => 0.0,
            _ => {
                let corners = self.corners(slot).map(|corner| self.at(corner));
                let size = corners.fold(0.0, |size, corner| origin.distance(corner).max(size));
                2.0 * FACET_SHAPE * size
            }
        };
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        // Cuts off what is farther than the slack out of a plane, given by the unit normal into the facet.
        let mut cut = |inward: DVec3, origin: DVec3, slack: f64| {
            let height = |end: DVec3| inward.dot(end - origin) + slack;
            let [start, end] = [height(ends[0]), height(ends[1])];
            match (start < 0.0, end < 0.0) {
                (true, true) => to = -1.0,
                (true, false) => from = from.max(start / (start - end)),
                (false, true) => to = to.min(start / (start - end)),
                (false, false) => (),
            }
            from <= to
        };
        [normal, -normal]
            .into_iter()
            .all(|face| cut(face, origin, bend + self.noise))
            && self.sides_of(slot).all(|side| {
                let [a, b] = self.ends_at(side);
                cut(normal.cross(b - a).normalize_or_zero(), a, self.noise)
            })
    }

    /// Visits the facets on which a point of a feature may lie that do not share the feature.
    #[inline]
    pub(super) fn visit_hosts(
        &self,
        Part { feature, at }: Part,
        point: DVec3,
        mut visit: impl FnMut(u32),
    ) {
        match feature {
            Feature::Facet(_) => (),
            Feature::Edge(..) => self.visit_hosts_of_edge(self.side(at), point, visit),
            Feature::Vertex(_) => visit_row(&self.hosts.vertices, at, &mut visit),
        }
    }

    #[inline]
    fn visit_hosts_of_edge(&self, side: Side, point: DVec3, mut visit: impl FnMut(u32)) {
        visit_row(&self.hosts.edges, side.edge, &mut visit);
        let near = ALONG * self.noise;
        for end in side.ends {
            if self.at(end).distance_squared(point) <= near * near {
                self.slots_at(end).for_each(&mut visit);
                visit_row(&self.hosts.vertices, end, &mut visit);
            }
        }
    }
}

fn visit_row(rows: &Rows<u32>, row: u32, visit: impl FnMut(u32)) {
    let hosts = rows.get(row).into_iter().flatten();
    hosts.copied().for_each(visit);
}

/// Returns whether the box of a segment touches another one.
#[inline]
fn is_near([a, b]: [DVec3; 2], bounds: &Aabb<DVec3>) -> bool {
    let own = Aabb {
        min: a.min(b),
        max: a.max(b),
    };
    own.touches(bounds)
}
