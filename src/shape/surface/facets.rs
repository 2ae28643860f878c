//! Polygons as lists of vertex ids, and the edges between them.

use smallvec::SmallVec;

use crate::error::{Cause, Error, Result};
use crate::math::check_count;
use crate::shape::rows::Rows;

/// Polygons in one flat array: facet `f` has the corners `starts[f]..starts[f + 1]`.
///
/// A side has the index of the corner where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facets {
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Facets {
    /// Creates triangles from valid ids.
    pub(crate) fn of_triangles(triangles: &[[u32; 3]]) -> Self {
        Self {
            starts: (0..=triangles.len() as u32)
                .map(|facet| 3 * facet)
                .collect(),
            corners: triangles.as_flattened().to_vec(),
        }
    }

    /// Returns the facets with the corners in reverse order.
    pub(super) fn reversed(&self) -> Self {
        let mut facets = self.clone();
        for ends in self.starts.windows(2) {
            facets.corners[ends[0] as usize..ends[1] as usize].reverse();
        }
        facets
    }

    /// Adds copies of facets, whose vertices come after those of the originals.
    pub(super) fn extend(&mut self, originals: &Self, ids: &[u32], first_vertex: u32) {
        for &id in ids {
            let corners = originals.get(id as usize).iter();
            self.corners
                .extend(corners.map(|vertex| first_vertex + vertex));
            self.starts.push(self.corners.len() as u32);
        }
    }

    /// Returns an error for fewer than three corners, ids out of range and, unless they `may_repeat` as in facets that
    /// welding has collapsed, repeated ids.
    pub(super) fn new<F: AsRef<[u32]>>(
        facets: impl IntoIterator<Item = F>,
        vertex_count: usize,
        may_repeat: bool,
    ) -> Result<Self> {
        check_count(vertex_count)?;
        let mut all = Self::of_triangles(&[]);
        for ids in facets {
            all.push(ids.as_ref(), vertex_count, may_repeat)?;
        }
        Ok(all)
    }

    fn push(&mut self, ids: &[u32], vertex_count: usize, may_repeat: bool) -> Result<()> {
        let facet = self.count();
        if ids.len() < 3 {
            let count = ids.len();
            return Err(Error(Cause::TooFewCorners { facet, count }));
        }
        if let Some(&vertex) = ids.iter().find(|&&id| id as usize >= vertex_count) {
            return Err(Error(Cause::VertexOutOfRange {
                facet,
                vertex,
                vertex_count,
            }));
        }
        let mut sorted = SmallVec::<[u32; 8]>::from_slice(ids);
        sorted.sort_unstable();
        let repeated = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some(pair) = repeated.filter(|_| !may_repeat) {
            let vertex = pair[0];
            return Err(Error(Cause::RepeatedVertex { facet, vertex }));
        }
        self.corners.extend_from_slice(ids);
        check_count(self.corners.len())?;
        self.starts.push(self.corners.len() as u32);
        Ok(())
    }

    /// Replaces the vertex ids of corners; facets may then repeat one.
    pub(crate) fn renumber(&mut self, new_id: &[u32]) {
        for corner in &mut self.corners {
            *corner = new_id[*corner as usize];
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of sides of all facets.
    pub(crate) fn side_count(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn get(&self, facet: usize) -> &[u32] {
        &self.corners[self.starts[facet] as usize..self.starts[facet + 1] as usize]
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.count()).map(|facet| self.get(facet))
    }

    /// Returns the facet of a side.
    pub(crate) fn facet_of(&self, side: u32) -> u32 {
        self.starts.partition_point(|&start| start <= side) as u32 - 1
    }

    /// Returns the next side of the same facet.
    pub(crate) fn next(&self, side: u32) -> u32 {
        let facet = self.facet_of(side) as usize;
        if side + 1 == self.starts[facet + 1] {
            self.starts[facet]
        } else {
            side + 1
        }
    }

    /// Returns the vertex where a side starts.
    pub(crate) fn corner(&self, side: u32) -> u32 {
        self.corners[side as usize]
    }

    /// Returns the sides in ascending order of their ends, the lower first, renamed by `name`. Omits
    /// sides from a vertex to itself.
    pub(super) fn sides_by_ends(&self, name: impl Fn(u32) -> u32) -> Vec<Side> {
        let mut sides = Vec::with_capacity(self.side_count());
        let (mut index, mut rows) = (0, 0);
        for (facet, ids) in (0..).zip(self.iter()) {
            for (i, &from) in ids.iter().enumerate() {
                let (a, b) = (name(from), name(ids[(i + 1) % ids.len()]));
                if a != b {
                    let ends = [a.min(b), a.max(b)];
                    sides.push((ends[0], Side { ends, facet, index }));
                    rows = rows.max(ends[0] as usize + 1);
                }
                index += 1;
            }
        }
        // Few sides have the same lower end: O(n).
        let mut sides = Rows::from_pairs(rows, &sides);
        sides.sort_by_key(|&side| side);
        sides.into_items()
    }

    /// Returns the vertex ids of all corners.
    pub(crate) fn corners(&self) -> &[u32] {
        &self.corners
    }
}

/// A side of a facet, and its two ends.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub(super) ends: [u32; 2],
    facet: u32,
    pub(super) index: u32,
}

/// The edges of polygons in ascending order, each with the sides along it. Ends come lower first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edges {
    pub(crate) ends: Vec<[u32; 2]>,
    pub(super) sides: Rows<u32>,
}

/// Returns the other end of each edge at each vertex, and the edge.
pub(in crate::shape) fn neighbors(vertex_count: usize, edges: &[[u32; 2]]) -> Rows<[u32; 2]> {
    let pairs = (0..).zip(edges);
    let pairs = pairs.flat_map(|(edge, &[low, high])| [(low, [high, edge]), (high, [low, edge])]);
    Rows::from_pairs(vertex_count, &pairs.collect::<Vec<_>>())
}

impl Edges {
    /// Omits sides of collapsed facets that lead from a vertex to itself, or along an edge and back.
    pub(crate) fn new(facets: &Facets) -> Self {
        let sides = facets.sides_by_ends(|id| id);
        let by_facet = sides.chunk_by(|a, b| (a.ends, a.facet) == (b.ends, b.facet));
        Self::of_sides(by_facet.filter(|sides| sides.len() == 1).flatten())
    }

    /// Takes sides in ascending order of their ends.
    pub(super) fn of_sides<'a>(sides: impl Iterator<Item = &'a Side>) -> Self {
        let (mut ends, mut by_edge) = (Vec::new(), Vec::new());
        for side in sides {
            if ends.last() != Some(&side.ends) {
                ends.push(side.ends);
            }
            by_edge.push((ends.len() as u32 - 1, side.index));
        }
        ends.shrink_to_fit();
        Self {
            sides: Rows::from_pairs(ends.len(), &by_edge),
            ends,
        }
    }

    /// Iterates over the edges, each with the sides along it in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ([u32; 2], &[u32])> {
        (0..)
            .zip(&self.ends)
            .map(|(edge, &ends)| (ends, &self.sides[edge]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn bad_lists_are_refused_with_their_index() {
        let ok = vec![0, 1, 2];
        let cases: [(Vec<u32>, Error); 3] = [
            (
                vec![0, 1],
                Error(Cause::TooFewCorners { facet: 1, count: 2 }),
            ),
            (
                vec![0, 1, 4],
                Error(Cause::VertexOutOfRange {
                    facet: 1,
                    vertex: 4,
                    vertex_count: 4,
                }),
            ),
            (
                vec![3, 1, 2, 1],
                Error(Cause::RepeatedVertex {
                    facet: 1,
                    vertex: 1,
                }),
            ),
        ];
        for (bad, error) in cases {
            assert_eq!(Facets::new([&ok, &bad], 4, false).unwrap_err(), error);
        }
    }

    #[test]
    fn sides_and_edges() {
        let facets = Facets::new([vec![0, 1, 2], vec![2, 1, 3, 4]], 5, false).unwrap();
        assert_eq!(facets.facet_of(2), 0);
        assert_eq!(facets.facet_of(3), 1);
        assert_eq!(facets.next(2), 0);
        assert_eq!(facets.next(6), 3);
        let edges = Edges::new(&facets);
        assert_eq!(edges.ends, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]);
        let shared: Vec<_> = edges.iter().filter(|(_, sides)| sides.len() == 2).collect();
        assert_eq!(shared, [([1, 2], &[1, 3][..])]);
    }
}
