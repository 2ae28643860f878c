//! Sums over the vertices inside another body from the edges that cross its surface alone.
//!
//! Each vertex `v` has a number `f`, and the other body winds `w` times around it. Over a spanning tree
//! of vertices and edges the sum of all `w f` is, over its edges, that of `F (w beyond - w before)`, with
//! `F` the sum of all `f` beyond the edge; and the sum of all `f` times `w` at the root. `F` is
//! computed once, and only edges that cross the surface count.

use glam::DVec3;

use super::solid_tree::{Edge, Shell, Triangle, edges_around};
use crate::math::{two_product, two_sum, twofold_cross};

/// A sum of volumes: twice an area vector, then six volumes of pyramids with their apex at the origin
/// of coordinates. Each is the sum of two floats: much of a surface cancels to what little is inside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    high: [f64; 4],
    low: [f64; 4],
    /// How many triangles there are.
    count: f64,
}

impl Flow {
    /// Of a triangle with a corner at a vertex, by twice its area vector, as rounded and the rest.
    fn new(vertex: DVec3, [area, rest]: [DVec3; 2]) -> Self {
        let mut flow = Self {
            high: [area.x, area.y, area.z, 0.0],
            low: [rest.x, rest.y, rest.z, 0.0],
            count: 1.0,
        };
        (flow.high[3], flow.low[3]) = flow.volume_around(-vertex);
        flow
    }

    /// Of a triangle.
    pub(crate) fn of_triangle(vertices: &[DVec3], triangle: &Triangle) -> Self {
        let [a, b, c] = triangle.corners.map(|id| vertices[id as usize]);
        let area = twofold_cross([a, b], [a, c]);
        Self::new(vertices[triangle.owner() as usize], area)
    }

    /// Adds `sign` times another.
    #[inline]
    pub(crate) fn add(&mut self, other: &Self, sign: f64) {
        for i in 0..4 {
            let (sum, error) = two_sum(self.high[i], sign * other.high[i]);
            self.high[i] = sum;
            self.low[i] += error + sign * other.low[i];
        }
        self.count += sign * other.count;
    }

    /// How many triangles there are.
    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// Twice the area vector.
    pub(crate) fn area(&self) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|i| self.high[i] + self.low[i]))
    }

    /// Six volumes of pyramids with their apex at a point, to rounding of what has not cancelled.
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

/// Flows along spanning trees from the shells' vertices: from the lower end of an edge to the higher.
/// Their edges are put in front. Each triangle counts at one vertex, its owner.
pub(super) fn flows(
    vertices: &[DVec3],
    edges: &mut [Edge],
    triangles: &mut [Triangle],
    shells: &mut [Shell],
) -> Vec<Flow> {
    let mut sums = vec![Flow::default(); vertices.len()];
    for triangle in triangles.iter().filter(|triangle| !triangle.is_folded()) {
        sums[triangle.owner() as usize].add(&Flow::of_triangle(vertices, triangle), 1.0);
    }
    let tree = spanning_tree(vertices.len(), edges, shells);
    for &(edge, beyond) in tree.iter().rev() {
        let flow = sums[beyond as usize];
        let before = edges[edge as usize].other_end(beyond);
        sums[before as usize].add(&flow, 1.0);
    }
    for shell in shells {
        shell.total = sums[shell.vertex as usize];
    }
    let flow = |&(edge, beyond): &(u32, u32)| {
        let is_lower = edges[edge as usize].ends[0] == beyond;
        let mut flow = Flow::default();
        flow.add(&sums[beyond as usize], if is_lower { -1.0 } else { 1.0 });
        flow
    };
    let flows = tree.iter().map(flow).collect();
    put_in_front(&tree, edges, triangles);
    flows
}

/// The edges of spanning trees, each with its end beyond, in an order that starts at the roots.
fn spanning_tree(vertex_count: usize, edges: &[Edge], shells: &[Shell]) -> Vec<(u32, u32)> {
    let (starts, around) = edges_around(vertex_count, edges);
    let mut is_reached = vec![false; vertex_count];
    let mut tree: Vec<(u32, u32)> = Vec::new();
    for shell in shells {
        let (mut next, mut vertex) = (tree.len(), shell.vertex);
        is_reached[vertex as usize] = true;
        loop {
            let row = starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize;
            for &edge in &around[row] {
                let beyond = edges[edge as usize].other_end(vertex);
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

fn put_in_front(tree: &[(u32, u32)], edges: &mut [Edge], triangles: &mut [Triangle]) {
    let mut is_in_front = vec![false; edges.len()];
    tree.iter()
        .for_each(|&(edge, _)| is_in_front[edge as usize] = true);
    let others = (0..edges.len() as u32).filter(|&edge| !is_in_front[edge as usize]);
    let order: Vec<u32> = tree.iter().map(|&(edge, _)| edge).chain(others).collect();
    let (old, mut places) = (edges.to_vec(), vec![0; edges.len()]);
    for (place, &edge) in order.iter().enumerate() {
        edges[place] = old[edge as usize];
        places[edge as usize] = place as u32;
    }
    for side in triangles.iter_mut().flat_map(|t| &mut t.sides) {
        *side = 2 * places[*side as usize / 2] + *side % 2;
    }
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
