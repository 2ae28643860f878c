//! The index of a 2D wall, and the minima of the distance to its segments.

use std::cmp::Ordering;

use glam::DVec2;

use super::mesh::{Common, Indexed, WallIndex, WallMesh};
use super::minima::{Found, Part, is_at_end};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, closest_on_segment};
use crate::shape::rows::Rows;
use crate::shape::{Aabb, BoxTree, Feature, SegmentMesh};

impl WallMesh for SegmentMesh {
    fn facet_count(&self) -> u32 {
        SegmentMesh::facet_count(self)
    }

    fn vertices(&self) -> &[DVec2] {
        SegmentMesh::vertices(self)
    }
}

impl Indexed for SegmentMesh {
    type Index = SegmentIndex;

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
}

/// The segments at each vertex.
#[derive(Clone, Debug)]
pub struct SegmentIndex {
    common: Common<SegmentMesh>,
    /// The segment in each slot.
    segments: Vec<u32>,
    /// By the name of a vertex.
    segments_at: Rows<u32>,
}

impl SegmentIndex {
    /// Returns the names of a segment's ends, the lower first.
    fn ends(&self, segment: u32) -> [u32; 2] {
        let ends = self.common.mesh.segments()[segment as usize];
        let [a, b] = ends.map(|end| self.common.names[end as usize]);
        [a.min(b), a.max(b)]
    }

    fn position(&self, vertex: u32) -> DVec2 {
        self.common.mesh.vertices()[vertex as usize]
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
            let normal = self.normal(slot);
            let height = normal.dot(nearer);
            if height.abs() < ball.reach {
                let offset = normal * height + DVec2::ZERO;
                found.push(self.segment_part(slot), segment, offset, height * height);
            }
            return;
        }
        for (vertex, position) in [(low, a), (high, b)] {
            let offset = position - ball.center;
            let distance_squared = offset.length_squared();
            let segments = &self.segments_at[vertex];
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

    fn segment_part(&self, slot: u32) -> Part {
        let feature = Feature::Facet(self.id(slot));
        Part { feature, at: slot }
    }
}

impl WallIndex for SegmentIndex {
    type Vector = DVec2;
    type Mesh = SegmentMesh;

    fn new(common: Common<SegmentMesh>, facets: &[u32]) -> Self {
        let name = |end: u32| common.names[end as usize];
        let segments = (0..).zip(common.mesh.segments());
        let ends = segments.flat_map(|(segment, ends)| ends.map(|end| (name(end), segment)));
        let mut ends: Vec<(u32, u32)> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        Self {
            segments_at: Rows::from_pairs(common.names.len(), &ends),
            segments: facets.to_vec(),
            common,
        }
    }

    fn common(&self) -> &Common<SegmentMesh> {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common<SegmentMesh> {
        &mut self.common
    }

    fn fit(&mut self) {}

    fn find_hosted(&self, host: u32, tree: &BoxTree<DVec2>, found: &mut Vec<(u32, u32)>) {
        let own = self.ends(self.id(host));
        let [a, b] = own.map(|end| self.position(end));
        let noise = self.common.noise;
        let bounds = Aabb::enclosing([a, b]).grown(noise);
        tree.for_each_slot_touching(&bounds, |slot| {
            for vertex in self.ends(self.id(slot)) {
                let closest = closest_on_segment(self.position(vertex), a, b);
                if closest.distance_squared <= noise * noise && !own.contains(&vertex) {
                    found.push((vertex, host));
                }
            }
        });
    }

    fn id(&self, slot: u32) -> u32 {
        self.segments[slot as usize]
    }

    fn normal(&self, slot: u32) -> DVec2 {
        self.common.mesh.line(self.id(slot)).0
    }

    fn for_each_facet_at(&self, Part { feature, at }: Part, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Vertex(_) => {
                (self.segments_at[at].iter()).for_each(|&segment| visit(self.slot(segment)))
            }
            _ => visit(at),
        }
    }

    fn for_each_nodal_weight(&self, segment: u32, point: DVec2, visit: impl FnMut(u32, f64)) {
        self.common
            .mesh
            .for_each_nodal_weight(segment, point, visit);
    }

    fn search(&self, slots: &mut Vec<u32>, found: &mut Found<DVec2>) {
        for &mut slot in slots {
            self.search_segment(slot, found);
        }
    }

    fn closest(&self, slot: u32, from: DVec2) -> (ClosestPoint<DVec2>, Part) {
        let [low, high] = self.ends(self.id(slot));
        let closest = closest_on_segment(from, self.position(low), self.position(high));
        let part = match closest.location {
            Location::Vertex(0) => vertex_part(low),
            Location::Vertex(_) => vertex_part(high),
            _ => self.segment_part(slot),
        };
        (closest, part)
    }

    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32)) {
        self.ends(self.id(slot)).into_iter().for_each(visit);
    }

    fn for_each_host(&self, Part { feature, at }: Part, _point: DVec2, visit: impl FnMut(u32)) {
        if let Feature::Vertex(_) = feature {
            self.common.for_each_host_in(at, visit);
        }
    }
}

fn vertex_part(vertex: u32) -> Part {
    let feature = Feature::Vertex(vertex);
    let at = vertex;
    Part { feature, at }
}
