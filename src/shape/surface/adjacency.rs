//! The adjacency of edges and facets by position.

use super::facets::{Edges, Facets, neighbors};
use crate::shape::rows::Rows;

/// The edges of a mesh, the sides of facets along each, and the edges at each vertex.
///
/// Vertices at the same position count as one, named by the lowest id. So facets that repeat positions instead of
/// sharing ids are neighbors here. A facet folded onto itself has edges like any other facet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Adjacency {
    pub(crate) edges: Edges,
    neighbors: Rows<[u32; 2]>,
}

impl Adjacency {
    /// Builds the adjacency from facets and the name of each vertex. O(n log n).
    pub(crate) fn new(facets: &Facets, names: &[u32]) -> Self {
        let sides = facets.sides_by_ends(|id| names[id as usize]);
        let edges = Edges::of_sides(sides.iter());
        Self {
            neighbors: neighbors(names.len(), &edges.ends),
            edges,
        }
    }

    /// Gives each side another number.
    pub(crate) fn renumber_sides(&mut self, numbers: &[u32]) {
        for side in self.edges.sides.items_mut() {
            *side = numbers[*side as usize];
        }
    }

    /// Returns the sides along an edge, in ascending order of their first numbers.
    #[inline]
    pub(crate) fn sides_of(&self, edge: u32) -> &[u32] {
        &self.edges.sides[edge]
    }

    /// Returns the other end of each edge at a vertex, by its name, and the edge.
    #[inline]
    pub(crate) fn neighbors(&self, vertex: u32) -> &[[u32; 2]] {
        &self.neighbors[vertex]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that repeat the positions of their common side, and one folded onto it.
    #[test]
    fn facets_that_repeat_positions_are_neighbors() {
        let facets = Facets::new([[0, 1, 2], [3, 4, 5], [0, 1, 4]], 6, false).unwrap();
        // 3 is where 1 is, 4 where 0 is.
        let adjacency = Adjacency::new(&facets, &[0, 1, 2, 1, 0, 5]);
        assert_eq!(
            adjacency.edges.ends,
            [[0, 1], [0, 2], [0, 5], [1, 2], [1, 5]]
        );
        assert_eq!(adjacency.sides_of(0), [0, 3, 6, 7]);
        assert!(
            (0..5).all(|edge| !adjacency.sides_of(edge).contains(&8)),
            "no edge"
        );
        assert_eq!(adjacency.neighbors(1), [[0, 0], [2, 3], [5, 4]]);
        assert!(adjacency.neighbors(4).is_empty());
    }
}
