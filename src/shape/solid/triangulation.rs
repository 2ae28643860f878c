//! The parts of the triangulation of a closed surface.

use glam::DVec3;

use super::closed::six_volumes;
use crate::shape::UnionFind;
use crate::shape::rows::Rows;

/// A triangle of a [`SolidMesh`](crate::SolidMesh).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    /// The half-edges from corner i to the next. Edge e from its lower to its higher vertex is 2 e,
    /// the opposite direction 2 e + 1.
    pub(crate) sides: [u32; 3],
    pub(crate) facet: u32,
    pub(crate) shell: u32,
}

impl Triangle {
    /// Returns whether welding has folded the triangle onto an edge. It is then not part of the
    /// surface.
    pub(crate) fn is_folded(&self) -> bool {
        let [a, b, c] = self.corners;
        a == b || b == c || c == a
    }
}

/// The area of the triangles whose first corner is a vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FanArea {
    /// Twice the area vector.
    pub(crate) double: DVec3,
    /// A bound of the sum of the products of two edges from the vertex.
    pub(crate) size: f64,
}

impl FanArea {
    /// Adds the triangle of two edges from the vertex.
    #[inline]
    pub(crate) fn add(&mut self, u: DVec3, v: DVec3) {
        self.double += u.cross(v);
        self.size += 3.0 * u.abs().max_element() * v.abs().max_element();
    }
}

/// A connected part of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shell {
    /// A vertex of it.
    pub(crate) vertex: u32,
    /// Negative for a cavity.
    pub(crate) volume: f64,
}

/// Returns the triangles whose first corner is each vertex.
pub(super) fn fans(vertex_count: usize, triangles: &[Triangle]) -> Rows<u32> {
    let real = (0..)
        .zip(triangles)
        .filter(|(_, triangle)| !triangle.is_folded());
    let pairs = real.map(|(slot, triangle)| (triangle.corners[0], slot));
    Rows::from_pairs(vertex_count, &pairs.collect::<Vec<_>>())
}

/// Returns the shells in the order of their first leaves, and sets the shell of each triangle.
pub(super) fn shells(
    vertices: &[DVec3],
    triangles: &mut [Triangle],
    parts: &mut UnionFind,
) -> Vec<Shell> {
    let mut shells: Vec<Shell> = Vec::new();
    let mut numbers = vec![u32::MAX; triangles.len()];
    for triangle in triangles
        .iter_mut()
        .filter(|triangle| !triangle.is_folded())
    {
        let number = &mut numbers[parts.root(triangle.facet) as usize];
        if *number == u32::MAX {
            *number = shells.len() as u32;
            shells.push(Shell {
                vertex: triangle.corners[0],
                volume: 0.0,
            });
        }
        triangle.shell = *number;
        let shell = &mut shells[*number as usize];
        let origin = vertices[shell.vertex as usize];
        shell.volume += six_volumes(origin, triangle.corners.map(|id| vertices[id as usize])) / 6.0;
    }
    shells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_equal_corners_fold_a_triangle() {
        let is_folded = |corners| {
            let triangle = Triangle {
                corners,
                sides: [0; 3],
                facet: 0,
                shell: 0,
            };
            triangle.is_folded()
        };
        assert!(!is_folded([0, 1, 2]));
        assert!(
            [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
                .into_iter()
                .all(is_folded)
        );
    }
}
