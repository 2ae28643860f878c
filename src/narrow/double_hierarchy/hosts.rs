//! Facets that touch without sharing vertices: found once, when a wall is built.

use glam::DVec3;
use smallvec::SmallVec;

use super::mesh::WallIndex;
use super::search_result::Part;
use super::surface_index::{Side, SurfaceIndex};
use crate::math::tolerance::FACET_SHAPE;
use crate::shape::{Aabb, BoxTree, Feature};

/// An edge that shares a vertex with a facet lies on it if it does so this far from the vertex, relative to the noise.
/// At smaller distances any edge is close to the facet.
const ALONG: f64 = 32.0;

/// A facet that others may lie on.
struct Host {
    corners: SmallVec<[u32; 4]>,
    /// With the noise, as the half-spaces.
    bounds: Aabb<DVec3>,
    half_spaces: SmallVec<[HalfSpace; 6]>,
}

struct HalfSpace {
    inward: DVec3,
    origin: DVec3,
    slack: f64,
}

impl SurfaceIndex {
    /// Returns a facet with its half-spaces: behind its sides, and between both sides of its plane.
    fn host(&self, slot: u32) -> Host {
        let noise = self.common.noise;
        let normal = self.normal(slot);
        let positions = self.corners(slot).map(|corner| self.at(corner));
        let origin = self.corner(slot, 0);
        let bend = match self.facet(slot).side_count {
            3 => 0.0,
            _ => {
                let distances = positions.clone().map(|corner| origin.distance(corner));
                2.0 * FACET_SHAPE * distances.fold(0.0, f64::max)
            }
        };
        let sides = self.sides_of(slot).map(|side| {
            let [origin, end] = self.ends_at(side);
            HalfSpace {
                inward: normal.cross(end - origin).normalize_or_zero(),
                origin,
                slack: noise,
            }
        });
        let faces = [normal, -normal].map(|inward| HalfSpace {
            inward,
            origin,
            slack: bend + noise,
        });
        Host {
            corners: self.corners(slot).collect(),
            bounds: Aabb::enclosing(positions).grown(noise),
            half_spaces: sides.chain(faces).collect(),
        }
    }

    /// Adds the vertices and edges that lie on a facet. Each belongs to its first facet in the mesh.
    pub(super) fn add_hosted(&self, slot: u32, tree: &BoxTree<DVec3>, found: &mut Vec<(u32, u32)>) {
        let host = self.host(slot);
        tree.for_each_slot_touching(&host.bounds, |other| {
            if other != slot {
                self.add_hosted_of(other, (slot, &host), found);
            }
        });
    }

    /// Adds the vertices and edges of a facet that lie on another one.
    fn add_hosted_of(&self, other: u32, (slot, host): (u32, &Host), found: &mut Vec<(u32, u32)>) {
        for (i, side) in self.sides_of(other).enumerate() {
            let (is_first_of_edge, is_first_of_corner) = self.is_first(other, i);
            if !is_first_of_edge && !is_first_of_corner {
                continue;
            }
            let Side { ends, edge, .. } = self.side(side);
            let [a, b] = self.ends_at(side);
            let [has_a, has_b] = [host.has(ends[0]), host.has(ends[1])];
            if is_first_of_corner && !has_a && host.has_part([a; 2]) {
                found.push((ends[0], slot));
            }
            let along = |from: DVec3, to: DVec3| {
                let part = ALONG * self.common.noise / from.distance(to);
                host.has_part([from.lerp(to, part.min(1.0)); 2])
            };
            let is_hosted = is_first_of_edge
                && match [has_a, has_b] {
                    [false, false] => host.has_part([a, b]),
                    [true, false] => along(a, b),
                    [false, true] => along(b, a),
                    [true, true] => {
                        let mut sides = self.sides_along(side).iter();
                        sides.all(|&side| self.side(side).slot != slot)
                    }
                };
            if is_hosted {
                found.push((self.row_of_edge(edge), slot));
            }
        }
    }

    /// Returns the row of the hosts of an edge, after those of the vertices.
    fn row_of_edge(&self, edge: u32) -> u32 {
        (self.vertices.len() as u32).saturating_add(edge)
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
            Feature::Vertex(_) => self.common.for_each_host_in(at, &mut visit),
        }
    }

    #[inline]
    fn visit_hosts_of_edge(&self, side: Side, point: DVec3, mut visit: impl FnMut(u32)) {
        (self.common).for_each_host_in(self.row_of_edge(side.edge), &mut visit);
        let near = ALONG * self.common.noise;
        for end in side.ends {
            if self.at(end).distance_squared(point) <= near * near {
                self.slots_at(end).for_each(&mut visit);
                self.common.for_each_host_in(end, &mut visit);
            }
        }
    }
}

impl HalfSpace {
    /// Returns the height of a point over the plane, plus the slack.
    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        self.inward.dot(point - self.origin) + self.slack
    }
}

impl Host {
    #[inline]
    fn has(&self, corner: u32) -> bool {
        self.corners.contains(&corner)
    }

    /// Returns whether a part of a segment is on the facet.
    fn has_part(&self, [a, b]: [DVec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        let mut reaches = |half: &HalfSpace| {
            let [start, end] = [a, b].map(|end| half.height(end));
            match (start < 0.0, end < 0.0) {
                (true, true) => to = -1.0,
                (true, false) => from = from.max(start / (start - end)),
                (false, true) => to = to.min(start / (start - end)),
                (false, false) => (),
            }
            from <= to
        };
        let (min, max) = (a.min(b), a.max(b));
        self.bounds.touches(&Aabb { min, max }) && self.half_spaces.iter().all(&mut reaches)
    }
}
