//! The index of a 3D wall: its facets, sides and vertices in the order of the tree.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::facet_planes::{FacetPlanes, PlaneFrame};
use super::mesh::{Common, Indexed, WallIndex, WallMesh};
use super::minima::{Found, Part};
use crate::error::Result;
use crate::math::{ClosestPoint, Location, from_origin_to_polygon, prefetch};
use crate::shape::{Aabb, Adjacency, BoxTree, Feature, Frame, SurfaceMesh};

/// Stands for the number of a vertex without facets, the edge of a side without length, and the facet across a border.
pub(super) const NONE: u32 = u32::MAX;
/// In place of the other side along an edge of more than two sides, or beyond the third side of a polygon.
pub(super) const MANY: u32 = u32::MAX - 1;
/// Slots from here on are too large for the number of a side beside them.
const MANY_SLOTS: u32 = MANY / 4;

/// Facets, sides and vertices with their adjacency by position.
///
/// Facets are numbered by slot, in the leaf order of the tree; their sides follow this order. Vertices are numbered in
/// the order in which the slots first use them. So elements close in space are close in memory. Vertices at the same
/// position share one number.
#[derive(Clone, Debug)]
pub struct SurfaceIndex {
    pub(super) common: Common<SurfaceMesh>,
    /// The rank of each vertex of the mesh in the order of positions.
    pub(super) ranks: Vec<u32>,
    /// The number of each vertex of the mesh, or [`NONE`].
    numbers: Vec<u32>,
    pub(super) frame: PlaneFrame,
    pub(super) facets: Vec<IndexedFacet>,
    pub(super) sides: Vec<Side>,
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
    pub(super) first_side: u32,
}

/// The data of a facet: one cache line for a facet out of reach, two otherwise. Processors load pairs of lines
/// together.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub(in crate::narrow) struct IndexedFacet {
    pub(super) planes: FacetPlanes,
    /// Unit, or 0 without area.
    pub(in crate::narrow) normal: DVec3,
    /// In the mesh.
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
    type Index = SurfaceIndex;

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
}

impl WallIndex for SurfaceIndex {
    type Vector = DVec3;
    type Mesh = SurfaceMesh;

    fn new(common: Common<SurfaceMesh>, facets: &[u32]) -> Self {
        let mesh = Arc::clone(&common.mesh);
        let topology = mesh.topology().0;
        let mut index = Self {
            numbers: vec![NONE; common.names.len()],
            ranks: vec![0; common.names.len()],
            common,
            frame: PlaneFrame::default(),
            facets: Vec::with_capacity(facets.len()),
            sides: Vec::with_capacity(topology.side_count()),
            vertices: Vec::new(),
            adjacency: Adjacency::default(),
        };
        for &facet in facets {
            index.push(facet, topology.get(facet as usize));
        }
        for (id, &name) in index.common.names.iter().enumerate() {
            index.numbers[id] = index.numbers[name as usize];
        }
        index.join();
        index.fit();
        index
    }

    fn common(&self) -> &Common<SurfaceMesh> {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common<SurfaceMesh> {
        &mut self.common
    }

    fn fit(&mut self) {
        for vertex in &mut self.vertices {
            vertex.position = self.common.mesh.vertices()[vertex.name as usize];
        }
        for facet in &mut self.facets {
            facet.normal = self.common.mesh.normals()[facet.id as usize];
        }
        for (rank, &id) in (0..).zip(&self.common.order) {
            self.ranks[id as usize] = rank;
        }
        self.fit_planes();
    }

    fn find_hosted(&self, host: u32, tree: &BoxTree<DVec3>, found: &mut Vec<(u32, u32)>) {
        self.add_hosted(host, tree, found);
    }

    #[inline]
    fn id(&self, slot: u32) -> u32 {
        self.facet(slot).id
    }

    #[inline]
    fn normal(&self, slot: u32) -> DVec3 {
        self.facet(slot).normal
    }

    #[inline]
    fn prefetch(&self, slot: u32) {
        prefetch(self.facet(slot));
    }

    #[inline]
    fn for_each_facet_at(&self, Part { feature, at }: Part, mut visit: impl FnMut(u32)) {
        match feature {
            Feature::Facet(_) => visit(at),
            Feature::Edge(..) => {
                visit(self.side(at).slot);
                let sides = self.sides_along(at).iter();
                sides.for_each(|&side| visit(self.side(side).slot));
            }
            Feature::Vertex(_) => self.slots_at(at).for_each(visit),
        }
    }

    fn for_each_nodal_weight(&self, facet: u32, point: DVec3, visit: impl FnMut(u32, f64)) {
        self.common.mesh.for_each_nodal_weight(facet, point, visit);
    }

    #[inline]
    fn search(&self, slots: &mut Vec<u32>, found: &mut Found<DVec3>) {
        self.add_minima(slots, found);
    }

    fn closest(&self, slot: u32, from: DVec3) -> (ClosestPoint<DVec3>, Part) {
        let Range { start, end } = self.sides_of(slot);
        let corner = |i: usize| self.corner(slot, i) - from;
        let closest = from_origin_to_polygon(self.normal(slot), (end - start) as usize, corner);
        let part = match closest.location {
            Location::Interior => self.facet_part(slot),
            Location::Edge(i) => self.edge_part(start + i as u32),
            Location::Vertex(i) => self.vertex_part(self.side(start + i as u32).ends[0]),
        };
        (closest, part)
    }

    fn for_each_corner(&self, slot: u32, visit: impl FnMut(u32)) {
        self.corners(slot).for_each(visit);
    }

    #[inline]
    fn for_each_host(&self, part: Part, point: DVec3, visit: impl FnMut(u32)) {
        self.visit_hosts(part, point, visit);
    }
}

impl SurfaceIndex {
    /// Adds a facet of the mesh.
    fn push(&mut self, id: u32, corners: &[u32]) {
        let slot = self.facets.len() as u32;
        let first = self.sides.len();
        for &corner in corners {
            let edge = NONE;
            let ends = [self.number_of(corner), NONE];
            self.sides.push(Side { ends, slot, edge });
        }
        let sides = &mut self.sides[first..];
        for i in 0..sides.len() {
            sides[i].ends[1] = sides[(i + 1) % sides.len()].ends[0];
        }
        self.facets.push(IndexedFacet {
            planes: FacetPlanes::default(),
            normal: DVec3::ZERO,
            id,
            first_side: first as u32,
            side_count: corners.len() as u32,
            corners: [0, 1, 2].map(|i| sides[i].ends[0]),
            across: [NONE; 3],
            are_first: [0; 3],
        });
    }

    /// Returns the number of a corner, a new one if it is the first at its position.
    fn number_of(&mut self, corner: u32) -> u32 {
        let name = self.common.names[corner as usize];
        let number = &mut self.numbers[name as usize];
        if *number == NONE {
            *number = self.vertices.len() as u32;
            self.vertices.push(Vertex {
                position: DVec3::ZERO,
                name,
                first_side: NONE,
            });
        }
        *number
    }

    /// Finds the edge of each side and the first side at each vertex. The order of the mesh decides, so results do not
    /// depend on the order of slots.
    fn join(&mut self) {
        let slots = self.common.slots.iter();
        let in_order: Vec<u32> = slots.flat_map(|&slot| self.sides_of(slot)).collect();
        self.adjacency = Adjacency::new(self.common.mesh.topology().0, &self.numbers);
        self.adjacency.renumber_sides(&in_order);
        for edge in 0..self.adjacency.edges().len() as u32 {
            for &side in self.adjacency.sides_of(edge) {
                self.sides[side as usize].edge = edge;
            }
        }
        for side in in_order.into_iter().rev() {
            let from = self.side(side).ends[0];
            self.vertices[from as usize].first_side = side;
        }
        for slot in 0..self.facets.len() as u32 {
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
        let facet = &mut self.facets[slot as usize];
        facet.across[i] = across;
        facet.are_first[i] = u8::from(of_edge) | u8::from(of_corner) << 1;
    }

    fn fit_planes(&mut self) {
        let positions = self.vertices.iter().map(|vertex| vertex.position);
        let Some(bounds) = Aabb::from_points(positions) else {
            return;
        };
        let middle = |i: usize| self.vertices[(self.vertices.len() - 1) * i / 4].position;
        let frame = Frame::new([1, 2, 3].map(middle), &bounds);
        let slots = 0..self.facets.len() as u32;
        let corners = |slot: u32| self.corners(slot).map(|corner| self.at(corner));
        let size = |slot: u32| Aabb::enclosing(corners(slot)).size().length_squared();
        let largest = slots.clone().map(size).fold(0.0, f64::max).sqrt();
        self.frame = PlaneFrame::new(frame, largest);
        for slot in slots {
            let ends = [0, 1, 2, 3].map(|i| self.corner(slot, i));
            let facet = &mut self.facets[slot as usize];
            facet.planes = self.frame.planes(facet.normal, ends);
        }
    }

    #[inline]
    pub(in crate::narrow) fn facet(&self, slot: u32) -> &IndexedFacet {
        &self.facets[slot as usize]
    }

    #[inline]
    pub(super) fn side(&self, side: u32) -> Side {
        self.sides[side as usize]
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
        let of_corner = self.vertices[from as usize].first_side == side;
        (self.sides_along(side).first() == Some(&side), of_corner)
    }

    /// Returns the sides along the edge of a side, in the order of the mesh: none without length.
    #[inline]
    pub(super) fn sides_along(&self, side: u32) -> &[u32] {
        match self.side(side).edge {
            NONE => &[],
            edge => self.adjacency.sides_of(edge),
        }
    }

    /// Iterates over the sides that start at a vertex.
    pub(super) fn sides_from(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let neighbors = self.adjacency.neighbors(vertex).iter();
        let sides = neighbors.flat_map(|&[_, edge]| self.adjacency.sides_of(edge));
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
        self.vertices[vertex as usize].position
    }

    /// Returns the positions of the ends of a side.
    #[inline]
    pub(in crate::narrow) fn ends_at(&self, side: u32) -> [DVec3; 2] {
        let [from, to] = self.side(side).ends;
        [self.at(from), self.at(to)]
    }

    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].name
    }
}

#[cfg(test)]
mod tests {
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
            let order: Vec<u32> = (0..20).rev().collect();
            let common = Common::new(Arc::new(mesh), &order);
            let index = SurfaceIndex::new(common, &order);
            for slot in 0..20 {
                let center = far + vector(5.0);
                let distance = index.closest(slot, center).0.distance_squared.sqrt();
                for (part, is_within) in [(1.0 + 1e-9, true), (0.9, false)] {
                    let reach = distance * part;
                    let may_be_near = index.frame.may_be_near(Ball { center, reach });
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
