//! The index of a 3D wall: its facets, sides and vertices in the order of the tree.

mod build;

use std::hint::black_box;
use std::sync::Arc;

use glam::{DVec3, Vec4};

use super::facet_planes::{FacetPlanes, PlaneFrame, Probe};
use super::hosts::Hosts;
use super::search_result::{Ball, rounding};
use crate::math::{direction, lexicographic};
use crate::shape::{Adjacency, SurfaceMesh};

/// Stands for the number of a vertex without facets, the edge of a side without length, and the facet across a border.
pub(super) const NONE: u32 = u32::MAX;
/// In place of the facet across an edge of more than two sides: see [`Adjacency`].
pub(super) const MANY: u32 = u32::MAX - 1;

/// The facets of a smaller wall fit in the cache.
const IN_CACHE: usize = 5000;

/// Facets with their planes and their adjacency by position.
///
/// Facets are numbered by slot, in the leaf order of the tree, and vertices in the order in which the slots first use
/// them. So elements close in space are close in memory. Vertices at the same position share one number.
#[derive(Clone, Debug)]
pub struct SurfaceIndex {
    pub(super) mesh: Arc<SurfaceMesh>,
    /// For each vertex number, the lowest vertex of the mesh at that position.
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
    /// The sides beyond the third of facets, and their planes.
    others: Vec<(Side, Vec4)>,
    pub(super) vertices: Vec<Vertex>,
    /// The vertices at the other ends of the edges at each vertex.
    around: Vec<u32>,
    /// Points closer than this are the same.
    pub(super) noise: f64,
    pub(super) hosts: Hosts,
    /// In terms of slots and vertex numbers. Sides along an edge and edges at a vertex are in the order of the mesh.
    pub(super) adjacency: Adjacency,
    /// The slot of each side, and its edge in `adjacency`, or [`NONE`].
    pub(super) sides: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: DVec3,
    /// The lowest id in the mesh.
    pub(super) name: u32,
    /// In [`SurfaceIndex::around`].
    first: u32,
}

/// The data of a facet: one cache line for a facet out of reach, two otherwise. Processors that load pairs of lines
/// have the second line in time.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub(super) struct IndexedFacet {
    pub(super) planes: FacetPlanes,
    /// Unit, or 0 without area.
    pub(super) normal: DVec3,
    /// In the mesh.
    pub(super) id: u32,
    first_side: u32,
    side_count: u32,
    /// Of the first three sides, as in [`Side`].
    pub(super) corners: [u32; 3],
    across: [u32; 3],
    flags: [u8; 3],
}

/// A side of a facet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The vertex where it starts.
    pub(super) corner: u32,
    /// The slot of the other facet that has the edge, [`NONE`] or [`MANY`].
    pub(super) across: u32,
    flags: u8,
}

impl Side {
    const FIRST_OF_EDGE: u8 = 1;
    const FIRST_OF_CORNER: u8 = 2;

    /// Returns whether no earlier side, in the order of the mesh, has this edge.
    #[inline]
    pub(super) fn is_first_of_edge(self) -> bool {
        self.flags & Self::FIRST_OF_EDGE != 0
    }

    /// Returns whether no earlier side, in the order of the mesh, starts from this vertex.
    #[inline]
    pub(super) fn is_first_of_corner(self) -> bool {
        self.flags & Self::FIRST_OF_CORNER != 0
    }

    /// Returns the number of this side in the facet across: one of the first three.
    #[inline]
    pub(super) fn place_across(self) -> usize {
        usize::from(self.flags >> 2)
    }
}

/// A slot, and the number of a side there.
pub(super) type Place = (u32, usize);

impl SurfaceIndex {
    /// Returns whether all facets fit in a cache, where filtering them takes longer than waiting for one.
    pub(super) fn is_small(&self) -> bool {
        self.facets.len() < IN_CACHE
    }

    /// Loads the facets within reach, all at the same time. Otherwise each cache miss waits for the previous one.
    #[inline]
    pub(super) fn touch(&self, slots: &[u32]) {
        let mut names = 0;
        for &slot in slots {
            for vertex in self.facet(slot).corners {
                names ^= self.vertices[vertex as usize].name;
            }
        }
        black_box(names);
    }

    /// Returns the slot of a side, and its number there.
    pub(super) fn place(&self, side: u32) -> Place {
        let [slot, _] = self.sides[side as usize];
        (slot, (side - self.facet(slot).first_side) as usize)
    }

    /// Returns the edge of a side in the adjacency, or [`NONE`].
    pub(super) fn edge_of(&self, (slot, i): Place) -> u32 {
        self.sides[self.facet(slot).first_side as usize + i][1]
    }

    /// Iterates over all sides along the edge of a side, in the order of the mesh.
    pub(super) fn sides_along(&self, place: Place) -> impl Iterator<Item = Place> {
        let sides = match self.edge_of(place) {
            NONE => &[][..],
            edge => self.adjacency.sides_of(edge),
        };
        sides.iter().map(|&side| self.place(side))
    }

    /// Returns the other side along the edge of a side, if there is exactly one.
    pub(super) fn only_side_across(&self, place: Place) -> Option<Place> {
        let mut others = self.sides_along(place).filter(|&other| other != place);
        others.next().filter(|_| others.next().is_none())
    }

    /// Returns the index of a side beyond the third of its facet, among all such sides.
    #[inline]
    fn other(&self, (slot, i): Place) -> usize {
        // Each facet up to this one has three sides that are stored elsewhere.
        (self.facet(slot).first_side as usize + i).wrapping_sub(3 * (slot as usize + 1))
    }

    #[inline]
    pub(super) fn side(&self, (slot, i): Place) -> Side {
        let facet = self.facet(slot);
        match i {
            0..3 => Side {
                corner: facet.corners[i],
                across: facet.across[i],
                flags: facet.flags[i],
            },
            _ => self.others[self.other((slot, i))].0,
        }
    }

    #[inline]
    pub(super) fn side_count(&self, slot: u32) -> usize {
        self.facet(slot).side_count as usize
    }

    /// Iterates over the vertices of a facet.
    #[inline]
    pub(super) fn corners(&self, slot: u32) -> impl Iterator<Item = u32> + Clone {
        let others = self.other_sides(slot).iter().map(|(side, _)| side.corner);
        self.facet(slot).corners.iter().copied().chain(others)
    }

    /// Returns the sides of a facet beyond the third.
    #[inline]
    pub(super) fn other_sides(&self, slot: u32) -> &[(Side, Vec4)] {
        match self.facet(slot).side_count {
            3 => &[],
            count => &self.others[self.other((slot, 3))..][..count as usize - 3],
        }
    }

    /// Returns the vertices where a side starts and ends.
    #[inline]
    pub(super) fn ends(&self, (slot, i): Place) -> [u32; 2] {
        let next = if i + 1 == self.side_count(slot) {
            0
        } else {
            i + 1
        };
        [self.side((slot, i)).corner, self.side((slot, next)).corner]
    }

    /// Iterates over the slots of the facets at a vertex, in the order of the mesh.
    pub(super) fn slots_at(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let edges = self.adjacency.edges_at(vertex).iter();
        let sides = edges.flat_map(|&edge| self.adjacency.sides_of(edge));
        // A facet has two sides at the vertex: take the side that starts there.
        let places = sides.map(|&side| self.place(side));
        let starting = places.filter(move |&place| self.side(place).corner == vertex);
        starting.map(|(slot, _)| slot)
    }

    /// Returns the vertices at the other ends of the edges at a vertex.
    #[inline]
    pub(super) fn around(&self, vertex: u32) -> &[u32] {
        let first = self.vertices[vertex as usize].first as usize;
        let next = self.vertices.get(vertex as usize + 1);
        let end = next.map_or(self.around.len(), |next| next.first as usize);
        &self.around[first..end]
    }

    #[inline]
    pub(super) fn facet(&self, slot: u32) -> &IndexedFacet {
        &self.facets[slot as usize]
    }

    /// Returns the position of a vertex by its number.
    #[inline]
    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].position
    }

    /// Returns the number of a vertex of the mesh, if a facet has it.
    pub(super) fn number(&self, vertex: u32) -> Option<u32> {
        let number = self.numbers.get(vertex as usize).copied();
        number.filter(|&number| number != NONE)
    }

    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].name
    }

    /// Returns the first corner of a facet in lexicographic order, and the largest squared distance of another from it.
    /// Differences to that corner keep their digits far from the origin.
    pub(super) fn span(&self, slot: u32) -> (DVec3, f64) {
        let [a, b, c] = self.facet(slot).corners.map(|corner| self.at(corner));
        let others = || {
            self.other_sides(slot)
                .iter()
                .map(|(side, _)| self.at(side.corner))
        };
        let origin = others().fold(lower(lower(a, b), c), lower);
        let square = |corner: DVec3| origin.distance_squared(corner);
        let largest = square(a).max(square(b)).max(square(c));
        (origin, others().map(square).fold(largest, f64::max))
    }

    /// Returns the unit vector into the facet (0 without area), and the distance of a side along it from the origin of
    /// the facet. The bits do not depend on the direction of the side. The distance is minus infinity for a side that
    /// has shrunk to a point, which bounds nothing.
    pub(super) fn side_plane(&self, place: Place, origin: DVec3) -> (DVec3, f64) {
        let normal = self.facet(place.0).normal;
        if normal == DVec3::ZERO {
            return (DVec3::ZERO, 0.0);
        }
        let [from, to] = self.ends(place).map(|end| self.at(end));
        let across = normal.cross(to - from);
        match direction(across, across.length()) {
            None => (DVec3::ZERO, f64::NEG_INFINITY),
            Some(inward) => (inward, inward.dot(lower(from, to) - origin)),
        }
    }

    /// Returns whether a center is inside a side by more than rounding.
    #[inline]
    pub(super) fn is_inside(&self, place: Place, ball: Ball<DVec3>, probe: &Probe) -> bool {
        let inside = match place.1 {
            i @ 0..3 => self.facet(place.0).planes.inside(i, probe),
            _ => probe.inside(self.others[self.other(place)].1.to_array()),
        };
        let is_inside = probe.is_positive(inside);
        is_inside.unwrap_or_else(|| self.is_inside_exactly(place, ball))
    }

    #[cold]
    #[inline(never)]
    fn is_inside_exactly(&self, place: Place, ball: Ball<DVec3>) -> bool {
        let (origin, size_squared) = self.span(place.0);
        let (inward, offset) = self.side_plane(place, origin);
        inward.dot(ball.center - origin) - offset > rounding(size_squared.sqrt(), ball.reach)
    }

    /// Returns the previous side of the same facet that has a length.
    pub(super) fn side_before(&self, (slot, i): Place) -> Place {
        let (origin, _) = self.span(slot);
        let mut before = (0..i).rev().chain((i + 1..self.side_count(slot)).rev());
        let is_side = |&i: &usize| self.side_plane((slot, i), origin).1 != f64::NEG_INFINITY;
        (slot, before.find(is_side).unwrap_or(i))
    }
}

fn lower(a: DVec3, b: DVec3) -> DVec3 {
    if lexicographic(b, a).is_lt() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::{DoubleHierarchy, NarrowPhase, Wall};
    use crate::shape::{Feature, Sphere};
    use crate::testing::workload::SplitMix64;

    /// Spheres on a wall that is searched in two passes have the contacts that they have with its facets nearby.
    #[test]
    fn large_walls_have_the_contacts_of_their_parts() {
        let (mut random, row) = (SplitMix64::new(3), 54);
        let vertex =
            |i: u32| DVec3::new((i % row).into(), (i / row).into(), random.range(0.0, 2.0));
        let vertices: Vec<_> = (0..row * row).map(vertex).collect();
        let cells = (0..row * (row - 1)).filter(|a| a % row < row - 1);
        let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
        let triangles: Vec<[u32; 3]> = triangles.collect();
        let wall = |triangles: &[[u32; 3]]| {
            Wall::new(SurfaceMesh::new(vertices.clone(), triangles.to_vec()).unwrap())
        };
        let all = wall(&triangles);
        assert!(!all.shared().index.is_small());
        let (mut kernel, mut found) = (DoubleHierarchy::new(), [0; 3]);
        for _ in 0..300 {
            let center = DVec3::from_array([53.0, 53.0, 2.5].map(|size| random.range(0.0, size)));
            let sphere = Sphere::new(center, random.range(0.3, 2.0));
            let mut near = Vec::new();
            all.for_each_facet_near(&sphere, |facet| near.push(facet));
            near.sort_unstable();
            let part: Vec<_> = near
                .iter()
                .map(|&facet| triangles[facet as usize])
                .collect();
            let mut contacts = |wall: &Wall| {
                let mut contacts = Vec::new();
                let state = &mut Default::default();
                kernel.for_each_contact(&sphere, wall, state, |c| contacts.push(c));
                contacts
            };
            let mut of_part = contacts(&wall(&part));
            (of_part.iter_mut()).for_each(|contact| contact.facet = near[contact.facet as usize]);
            let of_all = contacts(&all);
            assert_eq!(of_all.len(), of_part.len());
            for (a, b) in of_all.iter().zip(&of_part) {
                assert_eq!((a.facet, a.offset, a.normal), (b.facet, b.offset, b.normal));
                found[match a.feature {
                    Feature::Facet(_) => 0,
                    Feature::Edge(..) => 1,
                    Feature::Vertex(_) => 2,
                }] += 1;
            }
        }
        assert!(found.iter().all(|&count| count > 5), "{found:?}");
    }

    /// Single precision decides most sides, and never differs from the exact planes. This holds at any distance from
    /// the origin of the mesh, for needles, and for centers almost in the plane of a side.
    #[test]
    fn planes_agree_with_exact_ones() {
        let mut random = SplitMix64::new(8);
        let mut decided = 0;
        for case in 0..300 {
            let far = DVec3::splat(10.0_f64.powi(case % 8) - 1.0);
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
            for place in (0..20).flat_map(|slot| [0, 1, 2].map(|i| (slot, i))) {
                let off = 10.0_f64.powi(-(case % 12));
                let [a, b] = index.ends(place).map(|end| index.at(end));
                let along = a.lerp(b, vector(1.0).x);
                let out = (b - a).cross(vector(1.0)).normalize_or_zero();
                let center = along + index.facet(place.0).normal * vector(1.0).x + out * off;
                let ball = Ball { center, reach: 5.0 };
                let probe = index.frame.probe(ball);
                let verdict = index.facet(place.0).planes.verdict(&probe);
                if let Some(is_inside) = verdict.and_then(|verdict| verdict.is_inside(place.1)) {
                    decided += 1;
                    assert_eq!(is_inside, index.is_inside_exactly(place, ball));
                }
            }
        }
        assert!(decided > 5_000, "{decided}");
    }

    /// Sides of quadrilaterals, the fourth included, for centers that are almost in the plane of the side.
    #[test]
    fn sides_of_quadrilaterals_agree_with_exact_ones() {
        let mut random = SplitMix64::new(9);
        for case in 0..2000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
            let (a, b) = (vector(), vector());
            let c = b.cross(vector());
            let vertices = vec![a, a + b, a + b + c, a + c];
            let Ok(mesh) = SurfaceMesh::new(vertices, [[0, 1, 2, 3]]) else {
                continue;
            };
            let index = SurfaceIndex::with_order(Arc::new(mesh), &[0]);
            for place in [0, 1, 2, 3].map(|i| (0, i)) {
                let [from, to] = index.ends(place).map(|end| index.at(end));
                let off = vector() * 10.0_f64.powi(-(case % 12));
                let height = index.facet(0).normal * vector().x;
                let center = from.lerp(to, vector().x) + height + off;
                let ball = Ball { center, reach: 5.0 };
                let is_inside = index.is_inside(place, ball, &index.frame.probe(ball));
                assert_eq!(is_inside, index.is_inside_exactly(place, ball));
            }
        }
    }
}
