//! Polygons as lists of vertex ids, and the edges between them.

use crate::error::{Cause, Error, Result};
use crate::math::{MAX_COUNT, check_count};

/// Polygons in one flat array: facet `f` has the corners `starts[f]..starts[f + 1]`.
///
/// The index of a side is that of the corner where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facets {
    starts: Vec<u32>,
    corners: Vec<u32>,
}

impl Facets {
    /// Triangles with ids that are known to be valid.
    pub(crate) fn of_triangles(triangles: &[[u32; 3]]) -> Self {
        Self {
            starts: (0..=triangles.len() as u32)
                .map(|facet| 3 * facet)
                .collect(),
            corners: triangles.as_flattened().to_vec(),
        }
    }

    /// Returns an error for fewer than three corners, ids out of range and repeated ids.
    pub(crate) fn new<F: AsRef<[u32]>>(
        facets: impl IntoIterator<Item = F>,
        vertex_count: usize,
    ) -> Result<Self> {
        check_count(vertex_count)?;
        let (mut starts, mut corners) = (vec![0], Vec::new());
        let mut sorted = Vec::new();
        for (facet, ids) in facets.into_iter().enumerate() {
            let ids = ids.as_ref();
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
            sorted.clear();
            sorted.extend_from_slice(ids);
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let vertex = pair[0];
                return Err(Error(Cause::RepeatedVertex { facet, vertex }));
            }
            corners.extend_from_slice(ids);
            if corners.len() > MAX_COUNT {
                let count = corners.len();
                return Err(Error(Cause::TooMany { count }));
            }
            starts.push(corners.len() as u32);
        }
        Ok(Self { starts, corners })
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

    /// Returns the vertex ids of all corners.
    pub(crate) fn corners(&self) -> &[u32] {
        &self.corners
    }
}

/// The edges of polygons in ascending order, each with the sides along it. Ends come lower first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edges {
    ends: Vec<[u32; 2]>,
    starts: Vec<u32>,
    sides: Vec<u32>,
}

impl Edges {
    /// Leaves out sides of collapsed facets that lead from a vertex to itself, or along an edge and back.
    pub(crate) fn new(facets: &Facets) -> Self {
        let mut directed = Vec::with_capacity(facets.side_count());
        let mut side = 0;
        for (facet, ids) in facets.iter().enumerate() {
            for (i, &from) in ids.iter().enumerate() {
                let to = ids[(i + 1) % ids.len()];
                if from != to {
                    directed.push(([from.min(to), from.max(to)], facet, side));
                }
                side += 1;
            }
        }
        directed.sort_unstable();
        let (mut ends, mut starts, mut sides) = (Vec::new(), vec![], Vec::new());
        for same_facet in directed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [(edge, _, side)] = *same_facet else {
                continue;
            };
            if ends.last() != Some(&edge) {
                ends.push(edge);
                starts.push(sides.len() as u32);
            }
            sides.push(side);
        }
        starts.push(sides.len() as u32);
        Self {
            ends,
            starts,
            sides,
        }
    }

    pub(crate) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Iterates over the edges, each with the sides along it in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ([u32; 2], &[u32])> {
        self.ends.iter().enumerate().map(|(edge, &ends)| {
            let range = self.starts[edge] as usize..self.starts[edge + 1] as usize;
            (ends, &self.sides[range])
        })
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
            assert_eq!(Facets::new([&ok, &bad], 4).unwrap_err(), error);
        }
    }

    #[test]
    fn sides_and_edges() {
        let facets = Facets::new([vec![0, 1, 2], vec![2, 1, 3, 4]], 5).unwrap();
        assert_eq!(facets.facet_of(2), 0);
        assert_eq!(facets.facet_of(3), 1);
        assert_eq!(facets.next(2), 0);
        assert_eq!(facets.next(6), 3);
        let edges = Edges::new(&facets);
        assert_eq!(
            edges.ends(),
            [[0, 1], [0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]
        );
        let shared: Vec<_> = edges.iter().filter(|(_, sides)| sides.len() == 2).collect();
        assert_eq!(shared, [([1, 2], &[1, 3][..])]);
    }
}
