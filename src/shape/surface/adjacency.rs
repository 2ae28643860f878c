//! The adjacency of edges and facets by position.

use glam::DVec3;

use super::facets::{Edges, Facets, edges_at};
use super::weld::names;
use crate::shape::rows::Rows;

/// The edges of a mesh, the sides of facets along each, and the edges at each vertex.
///
/// Vertices at the same position count as one, named by the lowest id. So facets that repeat positions instead of
/// sharing ids are neighbors here. A facet folded onto itself has edges like any other facet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Adjacency {
    edges: Edges,
    edges_of_vertices: Rows<u32>,
}

impl Adjacency {
    /// O(n log n).
    pub(crate) fn by_position(facets: &Facets, vertices: &[DVec3]) -> Self {
        Self::new(facets, &names(vertices).0)
    }

    /// Builds the adjacency from facets and the name of each vertex.
    pub(crate) fn new(facets: &Facets, names: &[u32]) -> Self {
        let sides = facets.sides_by_ends(|id| names[id as usize]);
        let edges = Edges::of_sides(sides.iter());
        Self {
            edges_of_vertices: edges_at(names.len(), &edges.ends),
            edges,
        }
    }

    pub(crate) fn edges(&self) -> &[[u32; 2]] {
        &self.edges.ends
    }

    /// Sorts the sides along each edge, and the edges at each vertex by the place of their other ends in `order`, which
    /// has all vertices. O(n) if few sides are along an edge.
    pub(crate) fn sort<K: Ord>(&mut self, side_key: impl Fn(u32) -> K, order: &[u32]) {
        self.edges.sides.sort_by_key(|&side| side_key(side));
        let mut by_vertex = Vec::with_capacity(2 * self.edges.ends.len());
        for &vertex in order {
            let edges = self.edges_at(vertex).iter();
            by_vertex.extend(edges.map(|&edge| (self.other_end(edge, vertex), edge)));
        }
        self.edges_of_vertices = Rows::from_pairs(self.edges_of_vertices.len(), &by_vertex);
    }

    /// Returns the other end of an edge at a vertex.
    pub(crate) fn other_end(&self, edge: u32, vertex: u32) -> u32 {
        let [a, b] = self.edges.ends[edge as usize];
        if a == vertex { b } else { a }
    }

    /// Returns the sides along an edge, in ascending order unless sorted otherwise.
    #[inline]
    pub(crate) fn sides_of(&self, edge: u32) -> &[u32] {
        &self.edges.sides[edge]
    }

    /// Returns the edges at a vertex, by its name, in ascending order.
    #[inline]
    pub(crate) fn edges_at(&self, vertex: u32) -> &[u32] {
        &self.edges_of_vertices[vertex]
    }

    /// Returns the edge between two vertices, by their names.
    pub(crate) fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let edge = self.edges.ends.binary_search(&[a.min(b), a.max(b)]);
        edge.ok().map(|edge| edge as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that repeat the positions of their common side, and one folded onto it.
    #[test]
    fn facets_that_repeat_positions_are_neighbors() {
        let facets = Facets::new([[0, 1, 2], [3, 4, 5], [0, 1, 4]], 6).unwrap();
        // 3 is where 1 is, 4 where 0 is.
        let adjacency = Adjacency::new(&facets, &[0, 1, 2, 1, 0, 5]);
        assert_eq!(adjacency.edges(), [[0, 1], [0, 2], [0, 5], [1, 2], [1, 5]]);
        assert_eq!(adjacency.sides_of(0), [0, 3, 6, 7]);
        assert!(
            (0..5).all(|edge| !adjacency.sides_of(edge).contains(&8)),
            "no edge"
        );
        assert_eq!(adjacency.edges_at(1), [0, 3, 4]);
        assert!(adjacency.edges_at(4).is_empty());
        assert_eq!(adjacency.edge_between(5, 1), Some(4));
        assert_eq!(adjacency.edge_between(5, 2), None);
    }
}
