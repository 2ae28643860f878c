//! Facets that touch without sharing vertices: found once, when a wall is built.

use glam::DVec3;

use super::minima::Part;
use super::surface_index::{Side, SurfaceIndex};
use crate::math::tolerance::FACET_SHAPE;
use crate::shape::{Aabb, Feature};

/// An edge that shares a vertex with a facet lies on it if it does so this far from the vertex, relative to the noise.
/// At smaller distances any edge is close to the facet.
const ALONG: f64 = 32.0;

impl SurfaceIndex {
    /// Adds the vertices and edges that lie on a facet. Each belongs to its first facet in the mesh.
    pub(super) fn add_hosted(&self, host: u32, found: &mut Vec<(u32, u32)>) {
        let positions = self.corners(host).map(|corner| self.at(corner));
        let bounds = Aabb::enclosing(positions).grown(self.noise);
        self.tree.for_each_slot_touching(&bounds, |slot| {
            if slot != host {
                self.add_hosted_of(slot, (host, &bounds), found);
            }
        });
    }

    /// Adds the vertices and edges of a facet that lie on another one, which has the given bounds.
    fn add_hosted_of(
        &self,
        slot: u32,
        (host, bounds): (u32, &Aabb<DVec3>),
        found: &mut Vec<(u32, u32)>,
    ) {
        let is_corner = |vertex: u32| self.corners(host).any(|corner| corner == vertex);
        let has_part = |[a, b]: [DVec3; 2]| {
            bounds.touches(&Aabb::enclosing([a, b])) && self.has_part(host, [a, b])
        };
        for (i, side) in self.sides_of(slot).enumerate() {
            let (is_first_of_edge, is_first_of_corner) = self.is_first(slot, i);
            if !is_first_of_edge && !is_first_of_corner {
                continue;
            }
            let Side { ends, edge, .. } = self.side(side);
            let [a, b] = self.ends_at(side);
            let are_corners = [is_corner(ends[0]), is_corner(ends[1])];
            if is_first_of_corner && !are_corners[0] && has_part([a; 2]) {
                found.push((ends[0], host));
            }
            let along = |from: DVec3, to: DVec3| {
                let part = ALONG * self.noise / from.distance(to);
                has_part([from.lerp(to, part.min(1.0)); 2])
            };
            let is_hosted = is_first_of_edge
                && match are_corners {
                    [false, false] => has_part([a, b]),
                    [true, false] => along(a, b),
                    [false, true] => along(b, a),
                    [true, true] => {
                        let mut sides = self.sides_along(side).iter();
                        sides.all(|&side| self.side(side).slot != host)
                    }
                };
            if is_hosted {
                found.push((self.row_of_edge(edge), host));
            }
        }
    }

    /// Returns whether a part of a segment is on a facet, to the noise: between both sides of its plane, and behind the
    /// sides of the facet.
    fn has_part(&self, slot: u32, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        let mut is_reached = |inward: DVec3, origin: DVec3, slack: f64| {
            let [start, end] = [a, b].map(|x| inward.dot(x - origin) + slack);
            match (start < 0.0, end < 0.0) {
                (true, true) => to = -1.0,
                (true, false) => from = from.max(start / (start - end)),
                (false, true) => to = to.min(start / (start - end)),
                (false, false) => (),
            }
            from <= to
        };
        let (normal, origin) = (self.facet(slot).normal, self.corner(slot, 0));
        let noise = self.noise;
        let corners = self.corners(slot).map(|corner| self.at(corner));
        let bend = match self.facet(slot).side_count {
            3 => 0.0,
            _ => 2.0 * FACET_SHAPE * corners.fold(0.0, |far, x| origin.distance(x).max(far)),
        };
        is_reached(normal, origin, bend + noise)
            && is_reached(-normal, origin, bend + noise)
            && self.sides_of(slot).all(|side| {
                let [origin, end] = self.ends_at(side);
                let inward = normal.cross(end - origin).normalize_or_zero();
                is_reached(inward, origin, noise)
            })
    }

    /// Returns the row of the hosts of an edge, after those of the vertices.
    fn row_of_edge(&self, edge: u32) -> u32 {
        (self.features.vertices.len() as u32).saturating_add(edge)
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
            Feature::Vertex(_) => self.for_each_host_in(at, visit),
            Feature::Edge(..) => {
                let Side { ends, edge, .. } = self.side(at);
                self.for_each_host_in(self.row_of_edge(edge), &mut visit);
                let near = ALONG * self.noise;
                for end in ends {
                    if self.at(end).distance_squared(point) <= near * near {
                        self.slots_at(end).for_each(&mut visit);
                        self.for_each_host_in(end, &mut visit);
                    }
                }
            }
        }
    }
}
