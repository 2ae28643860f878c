//! The index of a 3D wall: its facets, sides and vertices in the order of the tree.

use std::ops::Range;

use glam::DVec3;

use super::facet_planes::{FacetPlanes, PlaneFrame};
use super::index::WallIndex;
use super::mesh::{Indexed, WallMesh};
use super::minima::{Found, Part};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, from_origin_to_polygon, prefetch};
use crate::shape::{Aabb, Adjacency, Feature, Frame, SurfaceMesh};

/// Stands for the number of a vertex without facets, the edge of a side without length, and the facet across a border.
pub(super) const NONE: u32 = u32::MAX;
/// In place of the other side along an edge of more than two sides, or beyond the third side of a polygon.
pub(super) const MANY: u32 = u32::MAX - 1;
/// Slots from here on are too large for the number of a side beside them.
const MANY_SLOTS: u32 = MANY / 4;

/// The index of a 3D wall, with its [`SurfaceFeatures`].
pub(in crate::narrow) type SurfaceIndex = WallIndex<SurfaceMesh>;

/// Facets, sides and vertices with their adjacency by position.
///
/// Facets are numbered by slot; their sides follow this order. Vertices are numbered in the order in which the slots
/// first use them. So elements close in space are close in memory.
#[derive(Clone, Debug, Default)]
pub struct SurfaceFeatures {
    /// The rank of each vertex of the mesh in the order of positions.
    pub(super) ranks: Vec<u32>,
    pub(super) frame: PlaneFrame,
    facets: Vec<IndexedFacet>,
    sides: Vec<Side>,
    pub(super) vertices: Vec<Vertex>,
    /// Of the numbers of sides and vertices. Sides along an edge are in the order of the mesh.
    pub(super) adjacency: Adjacency,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: DVec3,
    /// The lowest id in the mesh.
    pub(super) name: u32,
    /// The first side, in the order of the mesh, that starts here.
    first_side: u32,
}

/// The data of a facet: one cache line for a facet out of reach, two otherwise. Processors load pairs of lines
/// together.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(128))]
pub(in crate::narrow) struct IndexedFacet {
    pub(super) planes: FacetPlanes,
    /// Unit, or 0 without area.
    pub(in crate::narrow) normal: DVec3,
    /// In the mesh. The tree has it too, but a search has these lines already.
    pub(super) id: u32,
    pub(super) first_side: u32,
    pub(super) side_count: u32,
    /// The vertices where the first three sides start.
    pub(super) corners: [u32; 3],
    /// The other sides along these, each as four times its slot plus its number there; [`NONE`] or [`MANY`].
    pub(super) across: [u32; 3],
    /// Bits for whether these sides are the first along their edges, and of those that start at their corners.
    are_first: [u8; 3],
}

/// A side of a facet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The vertices where it starts and ends.
    pub(super) ends: [u32; 2],
    pub(super) slot: u32,
    /// In the adjacency, or [`NONE`].
    pub(super) edge: u32,
}

impl WallMesh for SurfaceMesh {
    fn facet_count(&self) -> u32 {
        SurfaceMesh::facet_count(self)
    }

    fn vertices(&self) -> &[DVec3] {
        SurfaceMesh::vertices(self)
    }
}

impl Indexed for SurfaceMesh {
    type Features = SurfaceFeatures;

    fn tolerance(&self) -> f64 {
        self.precision()
    }

    fn box_of(&self, facet: u32) -> Aabb<DVec3> {
        self.facet_box(facet)
    }

    fn with_copies(&self, copies: &[(DVec3, Vec<u32>)]) -> Self {
        self.with_copies(copies)
    }

    fn move_vertices(&mut self, vertices: &[DVec3]) -> Result<()> {
        self.set_vertices(vertices)
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        self.for_each_nodal_weight(facet, point, visit);
    }

    fn add_features(index: &mut SurfaceIndex) {
        let (facet_count, vertex_count) = (index.slots.len(), index.names.len());
        index.features.facets.reserve_exact(facet_count);
        let side_count = index.mesh.topology().0.side_count();
        index.features.sides.reserve_exact(side_count);
        index.features.ranks = vec![0; vertex_count];
        let mut numbers = vec![NONE; vertex_count];
        for slot in 0..facet_count as u32 {
            index.add_facet(slot, &mut numbers);
        }
        for (id, &name) in index.names.iter().enumerate() {
            numbers[id] = numbers[name as usize];
        }
        index.join(&numbers);
        Self::fit(index);
    }

    fn fit(index: &mut SurfaceIndex) {
        let (mesh, features) = (&index.mesh, &mut index.features);
        for vertex in &mut features.vertices {
            vertex.position = mesh.vertices()[vertex.name as usize];
        }
        for facet in &mut features.facets {
            facet.normal = mesh.normals()[facet.id as usize];
        }
        for (rank, &id) in (0..).zip(&index.order) {
            features.ranks[id as usize] = rank;
        }
        index.fit_planes();
    }

    fn find_hosted(index: &SurfaceIndex, host: u32, found: &mut Vec<(u32, u32)>) {
        index.add_hosted(host, found);
    }

    #[inline]
    fn normal(index: &SurfaceIndex, slot: u32) -> DVec3 {
        index.facet(slot).normal
    }

    fn for_each_corner(index: &SurfaceIndex, slot: u32, visit: impl FnMut(u32)) {
        index.corners(slot).for_each(visit);
    }

    fn prefetch(index: &SurfaceIndex, slots: impl Iterator<Item = u32>) {
        slots.for_each(|slot| prefetch(index.facet(slot)));
    }

    #[inline]
    fn for_each_facet_at(
        index: &SurfaceIndex,
        Part { feature, at }: Part,
        mut visit: impl FnMut(u32),
    ) {
        match feature {
            Feature::Facet(_) => visit(at),
            Feature::Edge(..) => {
                visit(index.side(at).slot);
                let sides = index.sides_along(at).iter();
                sides.for_each(|&side| visit(index.side(side).slot));
            }
            Feature::Vertex(_) => index.slots_at(at).for_each(visit),
        }
    }

    #[inline]
    fn for_each_host(index: &SurfaceIndex, part: Part, point: DVec3, visit: impl FnMut(u32)) {
        index.visit_hosts(part, point, visit);
    }

    #[inline]
    fn search(index: &SurfaceIndex, slots: &mut Vec<u32>, found: &mut Found<DVec3>) {
        index.add_minima(slots, found);
    }

    fn closest(index: &SurfaceIndex, slot: u32, from: DVec3) -> (ClosestPoint<DVec3>, Part) {
        let Range { start, end } = index.sides_of(slot);
        let corner = |i: usize| index.corner(slot, i) - from;
        let &IndexedFacet { id, normal, .. } = index.facet(slot);
        let closest = from_origin_to_polygon(normal, (end - start) as usize, corner);
        let part = match closest.location {
            Location::Interior => Part::new(Feature::Facet(id), slot),
            Location::Edge(i) => index.edge_part(start + i as u32),
            Location::Vertex(i) => index.vertex_part(index.side(start + i as u32).ends[0]),
        };
        (closest, part)
    }
}

impl SurfaceIndex {
    /// Adds the facet in the next slot. `numbers` has those of the vertices, by name.
    fn add_facet(&mut self, slot: u32, numbers: &mut [u32]) {
        let id = self.id(slot);
        let features = &mut self.features;
        let first = features.sides.len();
        for &corner in self.mesh.topology().0.get(id as usize) {
            let name = self.names[corner as usize];
            let number = &mut numbers[name as usize];
            // The first corner at its position.
            if *number == NONE {
                *number = features.vertices.len() as u32;
                features.vertices.push(Vertex {
                    position: DVec3::ZERO,
                    name,
                    first_side: NONE,
                });
            }
            let (ends, edge) = ([*number, NONE], NONE);
            features.sides.push(Side { ends, slot, edge });
        }
        let own = &mut features.sides[first..];
        for i in 0..own.len() {
            own[i].ends[1] = own[(i + 1) % own.len()].ends[0];
        }
        features.facets.push(IndexedFacet {
            id,
            first_side: first as u32,
            side_count: own.len() as u32,
            corners: [0, 1, 2].map(|i| own[i].ends[0]),
            ..IndexedFacet::default()
        });
    }

    /// Finds the edge of each side and the first side at each vertex. The order of the mesh decides, so results do not
    /// depend on the order of slots.
    fn join(&mut self, numbers: &[u32]) {
        let slots = self.slots.iter();
        let in_order: Vec<u32> = slots.flat_map(|&slot| self.sides_of(slot)).collect();
        let features = &mut self.features;
        features.adjacency = Adjacency::new(self.mesh.topology().0, numbers);
        features.adjacency.renumber_sides(&in_order);
        for edge in 0..features.adjacency.edges.ends.len() as u32 {
            for &side in features.adjacency.sides_of(edge) {
                features.sides[side as usize].edge = edge;
            }
        }
        for side in in_order.into_iter().rev() {
            let from = features.sides[side as usize].ends[0];
            features.vertices[from as usize].first_side = side;
        }
        for slot in 0..self.slots.len() as u32 {
            for i in 0..3 {
                self.join_side(slot, i);
            }
        }
    }

    /// Stores what is across one of the first three sides, and whether the side is the first.
    fn join_side(&mut self, slot: u32, i: usize) {
        let side = self.facet(slot).first_side + i as u32;
        let (of_edge, of_corner) = self.is_first_side(side);
        let across = match *self.sides_along(side) {
            [] | [_] => NONE,
            [a, b] => match self.place(if a == side { b } else { a }) {
                (slot @ 0..MANY_SLOTS, i @ 0..3) => 4 * slot + i as u32,
                _ => MANY,
            },
            _ => MANY,
        };
        let facet = &mut self.features.facets[slot as usize];
        facet.across[i] = across;
        facet.are_first[i] = u8::from(of_edge) | u8::from(of_corner) << 1;
    }

    fn fit_planes(&mut self) {
        let vertices = &self.features.vertices;
        let positions = vertices.iter().map(|vertex| vertex.position);
        let Some(bounds) = Aabb::from_points(positions) else {
            return;
        };
        let middle = |i: usize| vertices[(vertices.len() - 1) * i / 4].position;
        let frame = Frame::new([1, 2, 3].map(middle), &bounds);
        let slots = 0..self.features.facets.len() as u32;
        let corners = |slot: u32| self.corners(slot).map(|corner| self.at(corner));
        let size = |slot: u32| Aabb::enclosing(corners(slot)).size().length_squared();
        let largest = slots.clone().map(size).fold(0.0, f64::max).sqrt();
        self.features.frame = PlaneFrame::new(frame, largest);
        for slot in slots {
            let ends = [0, 1, 2, 3].map(|i| self.corner(slot, i));
            let facet = &mut self.features.facets[slot as usize];
            facet.planes = self.features.frame.planes(facet.normal, ends);
        }
    }

    #[inline]
    pub(in crate::narrow) fn facet(&self, slot: u32) -> &IndexedFacet {
        &self.features.facets[slot as usize]
    }

    #[inline]
    pub(super) fn side(&self, side: u32) -> Side {
        self.features.sides[side as usize]
    }

    /// Returns the sides of a facet.
    #[inline]
    pub(in crate::narrow) fn sides_of(&self, slot: u32) -> Range<u32> {
        let facet = self.facet(slot);
        facet.first_side..facet.first_side + facet.side_count
    }

    /// Returns the slot of a side, and its number there.
    #[inline]
    pub(super) fn place(&self, side: u32) -> (u32, usize) {
        let slot = self.side(side).slot;
        (slot, (side - self.facet(slot).first_side) as usize)
    }

    /// Returns whether a side of a facet is the first along its edge, and of those that start at its corner.
    #[inline]
    pub(super) fn is_first(&self, slot: u32, i: usize) -> (bool, bool) {
        let facet = self.facet(slot);
        match facet.are_first.get(i) {
            Some(first) => (first & 1 != 0, first & 2 != 0),
            None => self.is_first_side(facet.first_side + i as u32),
        }
    }

    fn is_first_side(&self, side: u32) -> (bool, bool) {
        let [from, _] = self.side(side).ends;
        let of_corner = self.features.vertices[from as usize].first_side == side;
        (self.sides_along(side).first() == Some(&side), of_corner)
    }

    /// Returns the sides along the edge of a side, in the order of the mesh: none without length.
    #[inline]
    pub(super) fn sides_along(&self, side: u32) -> &[u32] {
        match self.side(side).edge {
            NONE => &[],
            edge => self.features.adjacency.sides_of(edge),
        }
    }

    /// Iterates over the sides that start at a vertex.
    pub(super) fn sides_from(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let neighbors = self.features.adjacency.neighbors(vertex).iter();
        let sides = neighbors.flat_map(|&[_, edge]| self.features.adjacency.sides_of(edge));
        let starts_here = move |&side: &u32| self.side(side).ends[0] == vertex;
        sides.copied().filter(starts_here)
    }

    /// Iterates over the slots of the facets at a vertex.
    pub(super) fn slots_at(&self, vertex: u32) -> impl Iterator<Item = u32> {
        self.sides_from(vertex).map(|side| self.side(side).slot)
    }

    /// Iterates over the vertices of a facet.
    #[inline]
    pub(super) fn corners(&self, slot: u32) -> impl Iterator<Item = u32> + Clone {
        self.sides_of(slot).map(|side| self.side(side).ends[0])
    }

    /// Returns a corner of a facet; the first one comes again after the last one.
    #[inline]
    pub(super) fn corner_vertex(&self, slot: u32, i: usize) -> u32 {
        let facet = self.facet(slot);
        match if i == facet.side_count as usize { 0 } else { i } {
            i @ 0..3 => facet.corners[i],
            i => self.side(facet.first_side + i as u32).ends[0],
        }
    }

    /// Returns the position of a corner of a facet, as [`corner_vertex`](Self::corner_vertex).
    #[inline]
    pub(super) fn corner(&self, slot: u32, i: usize) -> DVec3 {
        self.at(self.corner_vertex(slot, i))
    }

    /// Returns the positions of the ends of a side, given by its place.
    #[inline]
    pub(super) fn ends(&self, (slot, i): (u32, usize)) -> [DVec3; 2] {
        [self.corner(slot, i), self.corner(slot, i + 1)]
    }

    /// Returns the position of a vertex by its number.
    #[inline]
    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.features.vertices[vertex as usize].position
    }

    /// Returns the positions of the ends of a side.
    #[inline]
    pub(in crate::narrow) fn ends_at(&self, side: u32) -> [DVec3; 2] {
        let [from, to] = self.side(side).ends;
        [self.at(from), self.at(to)]
    }

    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.features.vertices[vertex as usize].name
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::narrow::double_hierarchy::minima::Ball;
    use crate::testing::workload::SplitMix64;

    /// The planes rule out no facet within reach, at any distance from the origin and for needles, and most others.
    #[test]
    fn planes_rule_out_facets_beyond_reach() {
        let mut random = SplitMix64::new(8);
        let (mut beyond, mut ruled_out) = (0, 0);
        for case in 0..300 {
            let far = DVec3::splat(10.0_f64.powi(case % 6) - 1.0);
            let thin = [1.0, 1e-3, 1e-7][case as usize % 3];
            let mut vector =
                |size: f64| DVec3::from_array([0; 3].map(|_| random.range(-size, size)));
            let mut vertices = Vec::new();
            for _ in 0..20 {
                let (a, b) = (vector(5.0), vector(1.0));
                let c = b.lerp(-b, 0.3) + vector(1.0) * thin;
                vertices.extend([a + far, a + b + far, a + c + far]);
            }
            let triangles: Vec<[u32; 3]> = (0..20).map(|i| [0, 1, 2].map(|k| 3 * i + k)).collect();
            let Ok(mesh) = SurfaceMesh::new(vertices, triangles) else {
                continue;
            };
            let index = SurfaceIndex::new(Arc::new(mesh), None);
            for slot in 0..20 {
                let center = far + vector(5.0);
                let distance = SurfaceMesh::closest(&index, slot, center)
                    .0
                    .distance_squared
                    .sqrt();
                for (part, is_within) in [(1.0 + 1e-9, true), (0.9, false)] {
                    let reach = distance * part;
                    let may_be_near = index.features.frame.may_be_near(Ball { center, reach });
                    let is_near = may_be_near(&index.facet(slot).planes);
                    assert!(is_near || !is_within, "case {case}");
                    beyond += u32::from(!is_within);
                    ruled_out += u32::from(!is_near);
                }
            }
        }
        assert!(2 * ruled_out > beyond, "{ruled_out} of {beyond}");
    }
}
