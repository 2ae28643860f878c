//! Facets that touch without sharing vertices: found once, when a wall is built.

use glam::DVec3;
use smallvec::SmallVec;

use super::mesh::WallIndex;
use super::search_result::Part;
use super::surface_index::{Place, SurfaceIndex};
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

/// A facet grown by the noise.
struct Slab {
    slot: u32,
    bounds: Aabb<DVec3>,
    origin: DVec3,
    /// Unit vectors into the facet, and the least product with each. Near the tips of needles the box bounds more.
    planes: SmallVec<[(DVec3, f64); 5]>,
}

impl Slab {
    fn new(index: &SurfaceIndex, slot: u32) -> Self {
        let (origin, size_squared) = index.span(slot);
        let (normal, noise) = (index.facet(slot).normal, index.noise);
        let bend = match index.side_count(slot) {
            3 => 0.0,
            _ => 2.0 * FACET_SHAPE * size_squared.sqrt(),
        };
        let sides = (0..index.side_count(slot)).map(|i| index.side_plane((slot, i), origin));
        let sides = sides.map(|(inward, offset)| (inward, offset - noise));
        let faces = [normal, -normal].map(|normal| (normal, -bend - noise));
        Self {
            slot,
            bounds: index.facet_box(slot).grown(noise),
            origin,
            planes: faces.into_iter().chain(sides).collect(),
        }
    }

    /// Returns whether a part of a segment is inside.
    fn has_part(&self, ends: [DVec3; 2]) -> bool {
        let [a, b] = ends.map(|end| end - self.origin);
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for &(inward, least) in &self.planes {
            let [start, end] = [a, b].map(|x| inward.dot(x) - least);
            match (start < 0.0, end < 0.0) {
                (true, true) => return false,
                (true, false) => from = from.max(start / (start - end)),
                (false, true) => to = to.min(start / (start - end)),
                (false, false) => (),
            }
        }
        from <= to && Aabb::enclosing(ends).touches(&self.bounds)
    }
}

impl SurfaceIndex {
    /// Finds the hosts of all vertices and edges. The tree has the boxes of the facets.
    pub(super) fn find_all_hosts(&mut self, tree: &BoxTree<DVec3>) {
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        for host in 0..self.slots.len() as u32 {
            let slab = Slab::new(self, host);
            tree.for_each_slot_touching(&slab.bounds, |slot| {
                if slot != host {
                    self.find_hosted(&slab, slot, &mut vertices, &mut edges);
                }
            });
        }
        let rows = |count, pairs: Vec<_>| match pairs.len() {
            0 => Rows::default(),
            _ => Rows::from_pairs(count, &pairs),
        };
        self.hosts = Hosts {
            vertices: rows(self.vertices.len(), vertices),
            edges: rows(self.adjacency.edges().len(), edges),
        };
    }

    /// Adds the vertices and edges of a facet that lie on another one. Each belongs to its first facet in the mesh.
    fn find_hosted(
        &self,
        slab: &Slab,
        slot: u32,
        vertices: &mut Vec<(u32, u32)>,
        edges: &mut Vec<(u32, u32)>,
    ) {
        for i in 0..self.side_count(slot) {
            let place = (slot, i);
            let side = self.side(place);
            let [a, b] = self.ends(place);
            let [at_a, at_b] = [a, b].map(|end| self.at(end));
            let has = |vertex: u32| self.corners(slab.slot).any(|corner| corner == vertex);
            if side.is_first_of_corner() && !has(a) && slab.has_part([at_a; 2]) {
                vertices.push((a, slab.slot));
            }
            if !side.is_first_of_edge() {
                continue;
            }
            let along = |from: DVec3, to: DVec3| {
                let part = ALONG * self.noise / from.distance(to);
                slab.has_part([from.lerp(to, part.min(1.0)); 2])
            };
            let is_hosted = match [has(a), has(b)] {
                [false, false] => slab.has_part([at_a, at_b]),
                [true, false] => along(at_a, at_b),
                [false, true] => along(at_b, at_a),
                [true, true] => !self.sides_along(place).any(|other| other.0 == slab.slot),
            };
            if is_hosted {
                edges.push((self.edge_of(place), slab.slot));
            }
        }
    }

    /// Visits the facets on which a point of a feature may lie that do not share the feature.
    #[inline]
    pub(super) fn visit_hosts(
        &self,
        Part { feature, at }: Part,
        point: DVec3,
        visit: impl FnMut(u32),
    ) {
        match feature {
            Feature::Facet(_) => (),
            Feature::Edge(..) => self.visit_hosts_of_edge(at, point, visit),
            Feature::Vertex(_) => self.visit_hosts_of_vertex(at.0, visit),
        }
    }

    #[inline]
    fn visit_hosts_of_edge(&self, place: Place, point: DVec3, mut visit: impl FnMut(u32)) {
        if self.hosts.edges.len() > 0 {
            let own = self.hosts.edges.get(self.edge_of(place));
            own.into_iter().flatten().copied().for_each(&mut visit);
        }
        let near = ALONG * self.noise;
        for end in self.ends(place) {
            if self.at(end).distance_squared(point) <= near * near {
                self.slots_at(end).for_each(&mut visit);
                self.visit_hosts_of_vertex(end, &mut visit);
            }
        }
    }

    #[inline]
    pub(super) fn visit_hosts_of_vertex(&self, vertex: u32, visit: impl FnMut(u32)) {
        let hosts = self.hosts.vertices.get(vertex);
        hosts.into_iter().flatten().copied().for_each(visit);
    }
}
