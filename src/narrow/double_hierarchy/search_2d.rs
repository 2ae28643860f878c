//! The index of a 2D wall, and the minima of the distance to its segments.

use std::cmp::Ordering;
use std::sync::Arc;

use glam::DVec2;

use super::mesh::{Indexed, WallIndex, WallMesh, noise};
use super::search_result::{Ball, Found, Part, is_at_end};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, closest_on_segment};
use crate::shape::rows::Rows;
use crate::shape::{Aabb, Bounded, BoxTree, Feature, SegmentMesh, have_names, names};

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

/// Segments with their lines, and the segments at each vertex.
#[derive(Clone, Debug)]
pub struct SegmentIndex {
    mesh: Arc<SegmentMesh>,
    /// The segment in each slot, and the slot of each segment.
    segments: Vec<u32>,
    slots: Vec<u32>,
    /// The lowest vertex at the position of each.
    names: Vec<u32>,
    /// Vertices in ascending order of their positions.
    order: Vec<u32>,
    /// By the name of a vertex.
    segments_at: Rows<u32>,
    /// Points closer than this are the same.
    noise: f64,
    /// The segments that a vertex lies on without being an end of them.
    hosts: Rows<u32>,
}

impl SegmentIndex {
    /// Finds the segments at each vertex.
    fn join(&mut self) {
        let vertices = self.mesh.vertices();
        (self.names, self.order) = names(vertices);
        let ends = (0..)
            .zip(self.mesh.segments())
            .flat_map(|(segment, ends)| ends.map(|end| (self.names[end as usize], segment)));
        let mut ends: Vec<(u32, u32)> = ends.collect();
        ends.sort_unstable();
        ends.dedup();
        self.segments_at = Rows::from_pairs(vertices.len(), &ends);
    }

    fn set_noise(&mut self) {
        self.noise = noise(self.mesh.precision(), self.mesh.bounding_sphere());
    }

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
    fn search_segment(&self, slot: u32, ball: Ball<DVec2>, found: &mut Found<DVec2>) {
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

    fn for_each_host_of_vertex(&self, vertex: u32, visit: impl FnMut(u32)) {
        let hosts = self.hosts.get(vertex);
        hosts.into_iter().flatten().copied().for_each(visit);
    }

    fn segment_part(&self, slot: u32) -> Part {
        let feature = Feature::Facet(self.id(slot));
        Part { feature, at: slot }
    }
}

impl WallIndex for SegmentIndex {
    type Vector = DVec2;
    type Mesh = SegmentMesh;

    fn new(mesh: Arc<SegmentMesh>, facets: &[u32]) -> Self {
        let mut slots = vec![0; facets.len()];
        for (slot, &segment) in (0..).zip(facets) {
            slots[segment as usize] = slot;
        }
        let mut index = Self {
            mesh,
            segments: facets.to_vec(),
            slots,
            names: Vec::new(),
            order: Vec::new(),
            segments_at: Rows::default(),
            noise: 0.0,
            hosts: Rows::default(),
        };
        index.join();
        index.set_noise();
        index
    }

    fn mesh(&self) -> &SegmentMesh {
        &self.mesh
    }

    fn set_vertices(&mut self, vertices: &[DVec2]) -> Result<bool> {
        Arc::make_mut(&mut self.mesh).set_vertices(vertices)?;
        let is_kept = have_names(vertices, &self.names, &mut self.order);
        if !is_kept {
            self.join();
        }
        self.set_noise();
        Ok(is_kept)
    }

    fn find_hosts(&mut self, tree: &BoxTree<DVec2>) {
        let mut hosts = Vec::new();
        for host in 0..self.facet_count() {
            let own = self.ends(self.id(host));
            let [a, b] = own.map(|end| self.position(end));
            let bounds = self.facet_box(host).grown(self.noise);
            tree.for_each_slot_touching(&bounds, |slot| {
                for vertex in self.ends(self.id(slot)) {
                    let closest = closest_on_segment(self.position(vertex), a, b);
                    let is_on = closest.distance_squared <= self.noise * self.noise;
                    if is_on && !own.contains(&vertex) {
                        hosts.push((vertex, host));
                    }
                }
            });
        }
        self.hosts = match hosts.len() {
            0 => Rows::default(),
            _ => Rows::from_pairs(self.names.len(), &hosts),
        };
    }

    fn slot(&self, segment: u32) -> u32 {
        self.slots[segment as usize]
    }

    fn id(&self, slot: u32) -> u32 {
        self.segments[slot as usize]
    }

    fn facet_box(&self, slot: u32) -> Aabb<DVec2> {
        self.mesh.segment_box(self.id(slot))
    }

    fn normal(&self, slot: u32) -> DVec2 {
        self.mesh.line(self.id(slot)).0
    }

    fn part(&self, feature: Feature) -> Option<Part> {
        let at = match feature {
            Feature::Facet(segment) => self.slots.get(segment as usize),
            Feature::Vertex(vertex) => self.names.get(vertex as usize),
            Feature::Edge(..) => None,
        };
        at.map(|&at| Part { feature, at })
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
        self.mesh.for_each_nodal_weight(segment, point, visit);
    }

    fn search(&self, slots: &[u32], ball: Ball<DVec2>, found: &mut Found<DVec2>) {
        for &slot in slots {
            self.search_segment(slot, ball, found);
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

    fn has_corner(&self, slot: u32, vertex: u32) -> bool {
        self.ends(self.id(slot)).contains(&vertex)
    }

    fn for_each_host(&self, Part { feature, at }: Part, _point: DVec2, visit: impl FnMut(u32)) {
        if let Feature::Vertex(_) = feature {
            self.for_each_host_of_vertex(at, visit);
        }
    }

    fn noise(&self) -> f64 {
        self.noise
    }
}

fn vertex_part(vertex: u32) -> Part {
    let feature = Feature::Vertex(vertex);
    let at = vertex;
    Part { feature, at }
}
