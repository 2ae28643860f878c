//! Sums over the vertices inside another body, from the edges that cross its surface.
//!
//! Each vertex v has a number f(v), and the other body winds w(v) times around it. The sum of w f over
//! all vertices is needed, although most of them have w = 0.
//!
//! Take a spanning tree of vertices and edges with root r. Let F(e) be the sum of f over all vertices
//! beyond edge e. Let dw(e) be w at the far end of e minus w at the near end. The winding number of v
//! is w(r) plus the sum of dw over the path from r to v. Summation by parts gives
//!
//! ```text
//! sum_v w(v) f(v) = w(r) sum_v f(v) + sum_e dw(e) F(e).
//! ```
//!
//! F is computed once per shape. On edges that do not cross the other surface dw is 0. So a pair costs
//! O(crossings) for any number of vertices inside.

use glam::DVec3;

use super::triangle::{Triangle, other_end};
use crate::math::{two_product, two_sum, twofold_cross};
use crate::shape::SurfaceMesh;
use crate::shape::rows::Rows;

/// A sum over triangles: twice their area vector, and six times the volume of the pyramids from the
/// origin to the triangles.
///
/// Each component is the unevaluated sum of two floats, because the terms of a large surface cancel
/// to a small rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    high: [f64; 4],
    low: [f64; 4],
    /// The number of triangles.
    count: f64,
}

impl Flow {
    /// Returns the flow of a triangle with a corner at `vertex` and this double area vector: the
    /// rounded value and the rest.
    fn new(vertex: DVec3, [area, rest]: [DVec3; 2]) -> Self {
        let mut flow = Self {
            high: [area.x, area.y, area.z, 0.0],
            low: [rest.x, rest.y, rest.z, 0.0],
            count: 1.0,
        };
        (flow.high[3], flow.low[3]) = flow.volume_around(-vertex);
        flow
    }

    /// Returns the flow of a triangle.
    pub(crate) fn of_triangle(vertices: &[DVec3], triangle: &Triangle) -> Self {
        let [a, b, c] = triangle.corners.map(|id| vertices[id as usize]);
        let area = twofold_cross([a, b], [a, c]);
        Self::new(vertices[triangle.owner() as usize], area)
    }

    /// Adds `sign` times another flow.
    #[inline]
    pub(crate) fn add(&mut self, other: &Self, sign: f64) {
        for i in 0..4 {
            let (sum, error) = two_sum(self.high[i], sign * other.high[i]);
            self.high[i] = sum;
            self.low[i] += error + sign * other.low[i];
        }
        self.count += sign * other.count;
    }

    /// Returns the number of triangles.
    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// Returns twice the area vector.
    pub(crate) fn area(&self) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|i| self.high[i] + self.low[i]))
    }

    /// Returns six times the volume of the pyramids from `apex`, to the rounding of the result.
    pub(crate) fn around(&self, apex: DVec3) -> f64 {
        let (high, low) = self.volume_around(apex);
        high + low
    }

    fn volume_around(&self, apex: DVec3) -> (f64, f64) {
        let (mut high, mut low) = (self.high[3], self.low[3]);
        for i in 0..3 {
            let (product, error) = two_product(-apex[i], self.high[i]);
            let (sum, rest) = two_sum(high, product);
            high = sum;
            low += rest + (error - apex[i] * self.low[i]);
        }
        (high, low)
    }
}

/// A connected part of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shell {
    /// The root of its spanning tree.
    pub(crate) vertex: u32,
    /// Negative for a cavity.
    pub(crate) volume: f64,
    /// The sum over all vertices of the part.
    pub(crate) total: Flow,
}

/// Returns the flows along spanning trees, from the lower end of each edge to the higher. Sets the
/// shells' totals.
///
/// Each triangle is counted at one vertex, its owner.
pub(super) fn flows(
    surface: &SurfaceMesh,
    triangles: &[Triangle],
    tree: &[(u32, u32)],
    shells: &mut [Shell],
) -> Vec<Flow> {
    let (vertices, edges) = (surface.vertices(), surface.edges());
    let mut sums = vec![Flow::default(); vertices.len()];
    for triangle in triangles.iter().filter(|triangle| !triangle.is_folded()) {
        sums[triangle.owner() as usize].add(&Flow::of_triangle(vertices, triangle), 1.0);
    }
    for &(edge, beyond) in tree.iter().rev() {
        let flow = sums[beyond as usize];
        let before = other_end(edges[edge as usize], beyond);
        sums[before as usize].add(&flow, 1.0);
    }
    for shell in shells {
        shell.total = sums[shell.vertex as usize];
    }
    let flow = |&(edge, beyond): &(u32, u32)| {
        let is_lower = edges[edge as usize][0] == beyond;
        let mut flow = Flow::default();
        flow.add(&sums[beyond as usize], if is_lower { -1.0 } else { 1.0 });
        flow
    };
    tree.iter().map(flow).collect()
}

/// Returns the edges of spanning trees from the shells' vertices with their ends beyond, in the
/// order of a breadth-first search.
pub(super) fn spanning_tree(
    edges: &[[u32; 2]],
    edges_at: &Rows<u32>,
    shells: &[Shell],
) -> Vec<(u32, u32)> {
    let mut is_reached = vec![false; edges_at.len()];
    let mut tree: Vec<(u32, u32)> = Vec::new();
    for shell in shells {
        let (mut next, mut vertex) = (tree.len(), shell.vertex);
        is_reached[vertex as usize] = true;
        loop {
            for &edge in &edges_at[vertex] {
                let beyond = other_end(edges[edge as usize], vertex);
                if !std::mem::replace(&mut is_reached[beyond as usize], true) {
                    tree.push((edge, beyond));
                }
            }
            let Some(&(_, beyond)) = tree.get(next) else {
                break;
            };
            (next, vertex) = (next + 1, beyond);
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What large parts lose to rounding is still there when they have cancelled.
    #[test]
    fn what_is_small_survives_what_cancels() {
        let flow = |vertex: [f64; 3], area: DVec3| Flow::new(vertex.into(), [area, DVec3::ZERO]);
        let large = flow([0.0, 0.0, 3.0], DVec3::splat(1e17));
        let small = flow([0.5, 0.25, 2.0], DVec3::new(1.0, 2.0, 4.0));
        let mut sum = large;
        sum.add(&small, 1.0);
        sum.add(&large, -1.0);
        assert_eq!(sum.area(), small.area());
        let apex = DVec3::new(0.5, -1.0, 0.25);
        assert_eq!(sum.around(apex), 2.0 * 1.25 + 4.0 * 1.75);
        // In the plane of what is large its pyramids have no volume.
        let mut sum = large;
        sum.add(&small, 1.0);
        let expected = -2.5 + 2.0 * 0.25 + 4.0 * 2.0;
        assert_eq!(sum.around(DVec3::X * 3.0), expected);
    }
}
