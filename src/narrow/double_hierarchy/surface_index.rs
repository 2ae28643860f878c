//! The index of a 3D wall: its facets, sides and vertices in the order of the tree.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::facet_planes::{FacetPlanes, PlaneFrame};
use super::hosts::Hosts;
use super::mesh::{WallIndex, noise};
use crate::shape::rows::Rows;
use crate::shape::{Aabb, Adjacency, Bounded, Frame, SurfaceMesh, names};

/// Stands for the number of a vertex without facets, the edge of a side without length, and the facet across a border.
pub(super) const NONE: u32 = u32::MAX;
/// In place of the facet across an edge of more than two sides, or beyond the third side of a polygon.
pub(super) const MANY: u32 = u32::MAX - 1;

/// Facets, sides and vertices with their adjacency by position.
///
/// Facets are numbered by slot, in the leaf order of the tree; their sides follow this order. Vertices are numbered in
/// the order in which the slots first use them. So elements close in space are close in memory. Vertices at the same
/// position share one number.
#[derive(Clone, Debug)]
pub struct SurfaceIndex {
    pub(super) mesh: Arc<SurfaceMesh>,
    /// For each vertex of the mesh, the lowest one at that position.
    pub(super) names: Vec<u32>,
    /// Vertices of the mesh in ascending order of their positions.
    pub(super) order: Vec<u32>,
    /// The rank of each vertex number in this order.
    pub(super) ranks: Vec<u32>,
    /// The slot of each facet of the mesh.
    pub(super) slots: Vec<u32>,
    /// The number of each vertex of the mesh, or [`NONE`].
    numbers: Vec<u32>,
    pub(super) frame: PlaneFrame,
    pub(super) facets: Vec<IndexedFacet>,
    pub(super) sides: Vec<Side>,
    pub(super) vertices: Vec<Vertex>,
    /// The vertices at the other ends of the edges at each vertex.
    pub(super) around: Rows<u32>,
    /// Points closer than this are the same.
    pub(super) noise: f64,
    pub(super) hosts: Hosts,
    /// Of the numbers of sides and vertices. Sides along an edge and edges at a vertex are in the order of the mesh.
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
pub(super) struct IndexedFacet {
    pub(super) planes: FacetPlanes,
    /// Unit, or 0 without area.
    pub(super) normal: DVec3,
    /// In the mesh.
    pub(super) id: u32,
    pub(super) first_side: u32,
    pub(super) side_count: u32,
    /// The vertices where the first three sides start.
    pub(super) corners: [u32; 3],
    /// The slots across these sides, [`NONE`] or [`MANY`].
    pub(super) across: [u32; 3],
    /// Of these sides, see the methods.
    flags: [u8; 3],
}

impl IndexedFacet {
    /// Returns whether one of the first three sides is the first along its edge, in the order of the mesh.
    #[inline]
    pub(super) fn is_first_of_edge(&self, i: usize) -> bool {
        self.flags[i] & 1 != 0
    }

    /// Returns whether one of the first three sides is the first that starts at its corner, in the order of the mesh.
    #[inline]
    pub(super) fn is_first_of_corner(&self, i: usize) -> bool {
        self.flags[i] & 2 != 0
    }

    /// Returns the number of one of the first three sides in the facet across, one of the first three there.
    #[inline]
    pub(super) fn place_across(&self, i: usize) -> usize {
        usize::from(self.flags[i] >> 2)
    }
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

impl SurfaceIndex {
    /// Builds an index without hosts; `facets` lists the facets of the mesh by slot.
    pub(super) fn with_order(mesh: Arc<SurfaceMesh>, facets: &[u32]) -> Self {
        let (names, order) = names(mesh.vertices());
        let mut numbers = vec![NONE; names.len()];
        let mut vertices: Vec<Vertex> = Vec::with_capacity(names.len());
        let number = |id: u32| {
            let name = names[id as usize];
            let number = &mut numbers[name as usize];
            if *number == NONE {
                *number = vertices.len() as u32;
                vertices.push(Vertex {
                    position: DVec3::ZERO,
                    name,
                    first_side: NONE,
                });
            }
            *number
        };
        let renumbered = mesh.topology().0.reordered(facets, number);
        for (id, &name) in names.iter().enumerate() {
            numbers[id] = numbers[name as usize];
        }
        let mut slots = vec![0; facets.len()];
        for (slot, &id) in (0..).zip(facets) {
            slots[id as usize] = slot;
        }
        let numbered: Vec<u32> = (0..vertices.len() as u32).collect();
        let mut index = Self {
            adjacency: Adjacency::new(&renumbered, &numbered),
            mesh,
            names,
            order,
            ranks: vec![0; vertices.len()],
            slots,
            numbers,
            vertices,
            around: Rows::default(),
            frame: PlaneFrame::default(),
            facets: Vec::with_capacity(facets.len()),
            sides: Vec::with_capacity(renumbered.side_count()),
            noise: 0.0,
            hosts: Hosts::default(),
        };
        for (&id, corners) in facets.iter().zip(renumbered.iter()) {
            index.push(id, corners);
        }
        index.join();
        index.fit();
        index
    }

    /// Adds a facet, given by the numbers of its corners.
    fn push(&mut self, id: u32, corners: &[u32]) {
        let slot = self.facets.len() as u32;
        self.facets.push(IndexedFacet {
            planes: FacetPlanes::default(),
            normal: DVec3::ZERO,
            id,
            first_side: self.sides.len() as u32,
            side_count: corners.len() as u32,
            corners: [corners[0], corners[1], corners[2]],
            across: [NONE; 3],
            flags: [0; 3],
        });
        let next = corners[1..].iter().chain(&corners[..1]);
        self.sides
            .extend(corners.iter().zip(next).map(|(&from, &to)| Side {
                ends: [from, to],
                slot,
                edge: NONE,
            }));
    }

    /// Finds the edge of each side and the first side at each vertex. The order of the mesh decides, so results do not
    /// depend on the order of slots.
    fn join(&mut self) {
        let (facets, sides) = (&self.facets, &self.sides);
        let id_of = |side: u32| facets[sides[side as usize].slot as usize].id;
        let named = (0..).zip(&self.names).filter(|&(id, &name)| id == name);
        let numbers = named.map(|(id, _): (u32, _)| self.numbers[id as usize]);
        let order: Vec<u32> = numbers.filter(|&number| number != NONE).collect();
        self.adjacency.sort(|side| (id_of(side), side), &order);
        for edge in 0..self.adjacency.edges().len() as u32 {
            for &side in self.adjacency.sides_of(edge) {
                self.sides[side as usize].edge = edge;
            }
        }
        let edges = self.adjacency.edges().iter();
        let ends: Vec<_> = edges.flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        self.around = Rows::from_pairs(self.vertices.len(), &ends);
        for facet in 0..self.slots.len() {
            for side in self.sides_of(self.slots[facet]) {
                let from = self.side(side).ends[0];
                let first = &mut self.vertices[from as usize].first_side;
                *first = if *first == NONE { side } else { *first };
            }
        }
        for slot in 0..self.facet_count() {
            for i in 0..3 {
                self.join_side(slot, i);
            }
        }
    }

    /// Stores the facet across one of the first three sides, and whether the side is the first.
    fn join_side(&mut self, slot: u32, i: usize) {
        let side = self.facet(slot).first_side + i as u32;
        let (of_edge, of_corner) = self.is_first(side);
        let (across, place) = match *self.sides_along(side) {
            [] | [_] => (NONE, 0),
            [a, b] => match self.place(if a == side { b } else { a }) {
                (slot, place @ 0..3) => (slot, place),
                _ => (MANY, 0),
            },
            _ => (MANY, 0),
        };
        let facet = &mut self.facets[slot as usize];
        facet.across[i] = across;
        facet.flags[i] = u8::from(of_edge) | u8::from(of_corner) << 1 | (place as u8) << 2;
    }

    /// Computes everything that depends on positions; allocates only the first time.
    pub(super) fn fit(&mut self) {
        for vertex in &mut self.vertices {
            vertex.position = self.mesh.vertices()[vertex.name as usize];
        }
        for facet in &mut self.facets {
            facet.normal = self.mesh.normals()[facet.id as usize];
        }
        for (rank, &id) in (0..).zip(&self.order) {
            if let Some(number) = self.number(id) {
                self.ranks[number as usize] = rank;
            }
        }
        self.noise = noise(self.mesh.precision(), self.mesh.bounding_sphere());
        self.fit_planes();
    }

    fn fit_planes(&mut self) {
        let positions = self.vertices.iter().map(|vertex| vertex.position);
        let Some(bounds) = Aabb::from_points(positions) else {
            return;
        };
        let middle = |i: usize| self.vertices[(self.vertices.len() - 1) * i / 4].position;
        let frame = Frame::new([1, 2, 3].map(middle), &bounds);
        let slots = 0..self.facet_count();
        let size = |slot: u32| self.facet_box(slot).size().length_squared();
        let largest = slots.clone().map(size).fold(0.0, f64::max).sqrt();
        self.frame = PlaneFrame::new(frame, largest);
        for slot in slots {
            let ends = [0, 1, 2, 3].map(|i| self.corner(slot, i));
            let facet = &mut self.facets[slot as usize];
            facet.planes = self.frame.planes(facet.normal, ends);
        }
    }

    #[inline]
    pub(super) fn facet(&self, slot: u32) -> &IndexedFacet {
        &self.facets[slot as usize]
    }

    #[inline]
    pub(super) fn side(&self, side: u32) -> Side {
        self.sides[side as usize]
    }

    /// Returns the sides of a facet.
    #[inline]
    pub(super) fn sides_of(&self, slot: u32) -> Range<u32> {
        let facet = self.facet(slot);
        facet.first_side..facet.first_side + facet.side_count
    }

    /// Returns the slot of a side, and its number there.
    fn place(&self, side: u32) -> (u32, u32) {
        let slot = self.side(side).slot;
        (slot, side - self.facet(slot).first_side)
    }

    /// Returns whether a side is the first along its edge, and of those that start at its corner.
    #[inline]
    pub(super) fn is_first(&self, side: u32) -> (bool, bool) {
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

    /// Iterates over the sides that start at a vertex, in the order of the mesh.
    pub(super) fn sides_from(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let edges = self.adjacency.edges_at(vertex).iter();
        let sides = edges.flat_map(|&edge| self.adjacency.sides_of(edge));
        let starts_here = move |&side: &u32| self.side(side).ends[0] == vertex;
        sides.copied().filter(starts_here)
    }

    /// Iterates over the slots of the facets at a vertex, in the order of the mesh.
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

    /// Returns the positions of the ends of a side, given by its facet and its number there.
    #[inline]
    pub(super) fn ends(&self, slot: u32, i: usize) -> [DVec3; 2] {
        [self.corner(slot, i), self.corner(slot, i + 1)]
    }

    /// Returns the position of a vertex by its number.
    #[inline]
    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].position
    }

    /// Returns the positions of the ends of a side.
    #[inline]
    pub(super) fn ends_at(&self, side: u32) -> [DVec3; 2] {
        let [from, to] = self.side(side).ends;
        [self.at(from), self.at(to)]
    }

    /// Returns the number of a vertex of the mesh, if a facet has it.
    pub(super) fn number(&self, vertex: u32) -> Option<u32> {
        let number = self.numbers.get(vertex as usize).copied();
        number.filter(|&number| number != NONE)
    }

    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::double_hierarchy::search_result::Ball;
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
            let index = SurfaceIndex::with_order(Arc::new(mesh), &order);
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
