//! Builds an index from a mesh, and fits it to moved vertices.

use std::sync::Arc;

use glam::{DVec3, Vec4};

use super::{IndexedFacet, MANY, NONE, Place, Side, SurfaceIndex, Vertex};
use crate::narrow::double_hierarchy::facet_planes::{FacetPlanes, PlaneFrame};
use crate::narrow::double_hierarchy::hosts::Hosts;
use crate::narrow::double_hierarchy::mesh::noise;
use crate::shape::{Aabb, Adjacency, Bounded, Frame, SurfaceMesh, names};

impl SurfaceIndex {
    /// Builds an index; `facets` lists the facets of the mesh by slot.
    pub(in crate::narrow::double_hierarchy) fn with_order(
        mesh: Arc<SurfaceMesh>,
        facets: &[u32],
    ) -> Self {
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
                    first: 0,
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
            frame: PlaneFrame::default(),
            facets: Vec::with_capacity(facets.len()),
            others: Vec::new(),
            around: Vec::new(),
            noise: 0.0,
            hosts: Hosts::default(),
            sides: Vec::with_capacity(renumbered.side_count()),
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
            corners: [0, 1, 2].map(|i| corners[i]),
            across: [NONE; 3],
            flags: [0; 3],
        });
        let others = corners[3..].iter().map(|&corner| {
            let side = Side {
                corner,
                across: NONE,
                flags: 0,
            };
            (side, Vec4::ZERO)
        });
        self.others.extend(others);
        self.sides.extend(corners.iter().map(|_| [slot, NONE]));
    }

    /// Finds the facet across each side, the vertices around each vertex, and the first sides in the order of the mesh.
    /// So results do not depend on the order of slots.
    fn join(&mut self) {
        let (facets, sides) = (&self.facets, &self.sides);
        let id_of = |side: u32| facets[sides[side as usize][0] as usize].id;
        let named = (0..).zip(&self.names).filter(|&(id, &name)| id == name);
        let numbers = named.map(|(id, _): (u32, _)| self.numbers[id as usize]);
        let order: Vec<u32> = numbers.filter(|&number| number != NONE).collect();
        self.adjacency.sort(|side| (id_of(side), side), &order);
        for edge in 0..self.adjacency.edges().len() as u32 {
            for i in 0..self.adjacency.sides_of(edge).len() {
                self.join_side(edge, i);
            }
        }
        self.around.reserve_exact(2 * self.adjacency.edges().len());
        for vertex in 0..self.vertices.len() as u32 {
            self.vertices[vertex as usize].first = self.around.len() as u32;
            let edges = self.adjacency.edges_at(vertex).iter();
            let ends = edges.map(|&edge| self.adjacency.other_end(edge, vertex));
            self.around.extend(ends);
        }
        let mut is_seen = vec![false; self.vertices.len()];
        for facet in 0..self.slots.len() {
            let slot = self.slots[facet];
            for i in 0..self.side_count(slot) {
                let corner = self.side((slot, i)).corner;
                if !std::mem::replace(&mut is_seen[corner as usize], true) {
                    self.mark((slot, i), NONE, Side::FIRST_OF_CORNER);
                }
            }
        }
    }

    /// Stores the facet across the `i`-th side along an edge.
    fn join_side(&mut self, edge: u32, i: usize) {
        let sides = self.adjacency.sides_of(edge);
        let side = sides[i];
        let (across, place) = match *sides {
            [_] => (NONE, 0),
            [a, b] => match self.place(if i == 0 { b } else { a }) {
                (slot, place @ 0..3) => (slot, place),
                _ => (MANY, 0),
            },
            _ => (MANY, 0),
        };
        let first = if i == 0 { Side::FIRST_OF_EDGE } else { 0 };
        self.sides[side as usize][1] = edge;
        self.mark(self.place(side), across, first | (place as u8) << 2);
    }

    /// Adds flags to a side, and the facet across it unless [`NONE`].
    fn mark(&mut self, (slot, i): Place, across: u32, flags: u8) {
        let other = self.other((slot, i));
        let facet = &mut self.facets[slot as usize];
        let (own_across, own_flags) = match i {
            0..3 => (&mut facet.across[i], &mut facet.flags[i]),
            _ => {
                let (side, _) = &mut self.others[other];
                (&mut side.across, &mut side.flags)
            }
        };
        *own_flags |= flags;
        if across != NONE {
            *own_across = across;
        }
    }

    /// Computes everything that depends on positions; allocates only the first time.
    pub(in crate::narrow::double_hierarchy) fn fit(&mut self) {
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
        let positions = self.vertices.iter().map(|vertex| vertex.position);
        let Some(bounds) = Aabb::from_points(positions) else {
            return;
        };
        let middle = |i: usize| self.vertices[(self.vertices.len() - 1) * i / 4].position;
        let frame = Frame::new([1, 2, 3].map(middle), &bounds);
        self.frame = PlaneFrame::new(frame, 0.0);
        self.noise = noise(self.mesh.precision(), self.mesh.bounding_sphere());
        let mut largest_squared = 0.0_f64;
        for slot in 0..self.slots.len() as u32 {
            let (origin, size_squared) = self.span(slot);
            largest_squared = largest_squared.max(size_squared);
            self.fit_planes(slot, origin);
        }
        self.frame = PlaneFrame::new(frame, largest_squared.sqrt());
    }

    /// Computes the planes of a facet; `origin` is its first corner in lexicographic order.
    fn fit_planes(&mut self, slot: u32, origin: DVec3) {
        let plane = |plane| self.frame.plane(origin, plane);
        let side = |i: usize| plane(self.side_plane((slot, i), origin));
        let normal = self.facet(slot).normal;
        let planes = FacetPlanes::new([plane((normal, 0.0)), side(0), side(1), side(2)]);
        for i in 3..self.side_count(slot) {
            let plane = self.frame.plane(origin, self.side_plane((slot, i), origin));
            let other = self.other((slot, i));
            self.others[other].1 = plane;
        }
        self.facets[slot as usize].planes = planes;
    }
}
