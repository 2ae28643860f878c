//! The index of a 2D wall, and the minima of the distance to its segments.

use std::cmp::Ordering;

use glam::DVec2;

use super::index::WallIndex;
use super::mesh::{Indexed, WallMesh};
use super::minima::{Found, Part, is_at_end};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, closest_on_segment};
use crate::shape::rows::Rows;
use crate::shape::{Aabb, Feature, SegmentMesh};

impl WallMesh for SegmentMesh {
    fn facet_count(&self) -> u32 {
        SegmentMesh::facet_count(self)
    }

    fn vertices(&self) -> &[DVec2] {
        SegmentMesh::vertices(self)
    }
}

/// The index of a 2D wall.
type SegmentIndex = WallIndex<SegmentMesh>;

/// The segments at each vertex, by its name.
#[derive(Clone, Debug, Default)]
pub struct SegmentsAt(Rows<u32>);

impl Indexed for SegmentMesh {
    type Features = SegmentsAt;

    fn tolerance(&self) -> f64 {
        self.precision()
    }

    fn box_of(&self, segment: u32) -> Aabb<DVec2> {
        self.segment_box(segment)
    }

    fn with_copies(&self, copies: &[(DVec2, Vec<u32>)]) -> Self {
        self.with_copies(copies)
    }

    fn move_vertices(&mut self, vertices: &[DVec2]) -> Result<()> {
        self.set_vertices(vertices)
    }

    fn for_each_nodal_weight(&self, segment: u32, point: DVec2, visit: impl FnMut(u32, f64)) {
        self.for_each_nodal_weight(segment, point, visit);
    }

    fn add_features(index: &mut SegmentIndex) {
        let segments = 0..index.mesh.facet_count();
        let ends = segments.flat_map(|segment| index.ends(segment).map(|end| (end, segment)));
        let mut ends: Vec<(u32, u32)> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        index.features = SegmentsAt(Rows::from_pairs(index.names.len(), &ends));
    }

    fn fit(_: &mut SegmentIndex) {}

    fn find_hosted(index: &SegmentIndex, host: u32, found: &mut Vec<(u32, u32)>) {
        let own = index.ends(index.id(host));
        let [a, b] = own.map(|end| index.position(end));
        let noise = index.noise;
        let bounds = Aabb::enclosing([a, b]).grown(noise);
        index.tree.for_each_touching(&bounds, |segment| {
            for vertex in index.ends(segment) {
                let closest = closest_on_segment(index.position(vertex), a, b);
                if closest.distance_squared <= noise * noise && !own.contains(&vertex) {
                    found.push((vertex, host));
                }
            }
        });
    }

    fn normal(index: &SegmentIndex, slot: u32) -> DVec2 {
        index.mesh.line(index.id(slot)).0
    }

    fn for_each_corner(index: &SegmentIndex, slot: u32, visit: impl FnMut(u32)) {
        index.ends(index.id(slot)).into_iter().for_each(visit);
    }

    fn for_each_facet_at(
        index: &SegmentIndex,
        Part { feature, at }: Part,
        mut visit: impl FnMut(u32),
    ) {
        match feature {
            Feature::Vertex(_) => {
                let segments = index.features.0[at].iter();
                segments.for_each(|&segment| visit(index.slot(segment)));
            }
            _ => visit(at),
        }
    }

    fn for_each_host(
        index: &SegmentIndex,
        Part { feature, at }: Part,
        _point: DVec2,
        visit: impl FnMut(u32),
    ) {
        if let Feature::Vertex(_) = feature {
            index.for_each_host_in(at, visit);
        }
    }

    fn search(index: &SegmentIndex, slots: &mut Vec<u32>, found: &mut Found<DVec2>) {
        for &mut slot in slots {
            index.search_segment(slot, found);
        }
    }

    fn closest(index: &SegmentIndex, slot: u32, from: DVec2) -> (ClosestPoint<DVec2>, Part) {
        let segment = index.id(slot);
        let [low, high] = index.ends(segment);
        let closest = closest_on_segment(from, index.position(low), index.position(high));
        let part = match closest.location {
            Location::Vertex(0) => vertex_part(low),
            Location::Vertex(_) => vertex_part(high),
            _ => Part::new(Feature::Facet(segment), slot),
        };
        (closest, part)
    }
}

impl SegmentIndex {
    /// Returns the names of a segment's ends, the lower first.
    fn ends(&self, segment: u32) -> [u32; 2] {
        let ends = self.mesh.segments()[segment as usize];
        let [a, b] = ends.map(|end| self.names[end as usize]);
        [a.min(b), a.max(b)]
    }

    fn position(&self, vertex: u32) -> DVec2 {
        self.mesh.vertices()[vertex as usize]
    }

    /// Adds the minima of a segment to those found.
    fn search_segment(&self, slot: u32, found: &mut Found<DVec2>) {
        let ball = found.ball;
        let segment = self.id(slot);
        let [low, high] = self.ends(segment);
        let (a, b) = (self.position(low), self.position(high));
        if !is_at_end(a, b, ball) && !is_at_end(b, a, ball) {
            let (a, b) = (a - ball.center, b - ball.center);
            // From the nearer end: a far one costs digits.
            let nearer = match a.length_squared().total_cmp(&b.length_squared()) {
                Ordering::Less => a,
                Ordering::Equal => (a + b) * 0.5,
                Ordering::Greater => b,
            };
            let normal = self.mesh.line(segment).0;
            let height = normal.dot(nearer);
            if height.abs() < ball.reach {
                let offset = normal * height + DVec2::ZERO;
                let part = Part::new(Feature::Facet(segment), slot);
                found.push(part, segment, offset, height * height);
            }
            return;
        }
        for (vertex, position) in [(low, a), (high, b)] {
            let offset = position - ball.center;
            let distance_squared = offset.length_squared();
            let segments = &self.features.0[vertex];
            if segments[0] != segment || distance_squared >= ball.reach * ball.reach {
                continue;
            }
            let comes_closer = |&segment: &u32| {
                let [low, high] = self.ends(segment);
                let other = self.position(if low == vertex { high } else { low });
                !is_at_end(position, other, ball)
            };
            if segments.iter().any(comes_closer) {
                found.has_rejected = true;
                continue;
            }
            found.push(vertex_part(vertex), segment, offset, distance_squared);
            if low == high {
                break;
            }
        }
    }
}

fn vertex_part(vertex: u32) -> Part {
    Part::new(Feature::Vertex(vertex), vertex)
}
