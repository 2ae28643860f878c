use glam::DVec3;

use super::SurfaceMesh;
use super::facets::Facets;
use crate::math::cross_of_differences;

impl SurfaceMesh {
    /// Returns the same surface with its polygons cut into triangles. O(n log n).
    ///
    /// Vertices and [`precision`](Self::precision) stay. A facet of n corners is replaced by n - 2 triangles, none of
    /// them flat, even if corners are collinear. A polygon that is planar only to 2^-24 of its size is then bent by
    /// this amount.
    ///
    /// ```
    /// use osculate::{SolidMesh, SurfaceMesh, glam::DVec3};
    ///
    /// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    /// let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    /// let cube = SurfaceMesh::new((0..8).map(corner).collect(), quads)?;
    /// assert!(SolidMesh::try_from(cube.clone()).is_err());
    /// let solid = SolidMesh::try_from(cube.triangulated())?;
    /// assert_eq!((solid.surface().facet_count(), solid.volume()), (12, 1.0));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    #[must_use]
    pub fn triangulated(&self) -> Self {
        let facets = self.facets();
        let triangles = facets.flat_map(|facet| triangulate(facet.vertices(), self.vertices()));
        self.with_facets(Facets::of_triangles(&triangles.collect::<Vec<_>>()))
    }
}

/// Cuts a convex polygon into triangles with area, in the direction of the polygon.
///
/// Let F be a corner inside an edge, on the line L. The fan around F has triangles without area only on L, because no
/// other edge lies on a line through F. The corners of L therefore join the first and last corner off L instead.
/// Without such a corner any corner can be the center of the fan.
pub(in crate::shape) fn triangulate(
    ids: &[u32],
    vertices: &[DVec3],
) -> impl Iterator<Item = [u32; 3]> {
    let count = ids.len();
    let position = |i: usize| vertices[ids[i % count] as usize];
    let is_on_line = |i: usize, j: usize, k: usize| {
        let [a, b, c] = [i, j, k].map(position);
        cross_of_differences([a, b], [a, c]) == DVec3::ZERO
    };
    let flat = (0..count).find(|&i| is_on_line(i + count - 1, i, i + 1));
    let center = flat.unwrap_or(0);
    let is_on_flat = |step: &usize| is_on_line(center + count - 1, center + 1, center + step);
    // The number of corners that follow the center on its line, and the number before it.
    let (after, before) = match flat {
        Some(_) => (
            (1..count - 2).take_while(is_on_flat).count(),
            (3..count).rev().take_while(is_on_flat).count(),
        ),
        None => (0, 0),
    };
    let (first, last) = (after + 1, (count - 1 - before).max(after + 1));
    let fan = move |apex: usize, steps: std::ops::Range<usize>| {
        steps.map(move |step| [apex, step, step + 1].map(|step| ids[(center + step) % count]))
    };
    let around_first = fan(first, 0..after);
    let around_center = fan(0, first..last);
    around_first
        .chain(around_center)
        .chain(fan(last, last + 1..count))
}
