//! Generators of walls.

use proptest::prelude::*;

use super::case::Case;
use crate::testing::oracle::LatticePoint;

/// Vertices and triangles on the lattice.
type LatticeMesh = (Vec<LatticePoint>, Vec<[u32; 3]>);

/// Generates hills and valleys on the lattice, and the radius of a sphere that fits; see [`landscape_from`].
///
/// The radius is from 1/4 to 3 cells, in units of the lattice. With a center within 2^21 of the middle of the mesh the
/// sphere often touches it.
pub fn landscape() -> impl Strategy<Value = (Case<LatticeMesh>, f64)> {
    let radius = (0.25..3.0).prop_map(|cells| cells * f64::from(1 << 20));
    let heights = prop::array::uniform32(-2_i64..=2);
    let more_heights = prop::array::uniform4(-2_i64..=2);
    let mesh = (heights, more_heights, 0_u32..1 << 25);
    let mesh = mesh.prop_map(|(heights, more, diagonals)| {
        let heights = std::array::from_fn(|i| if i < 32 { heights[i] } else { more[i - 32] });
        let expression = format!("landscape_from(&{heights:?}, {diagonals:#b})");
        Case::new(landscape_from(&heights, diagonals), expression)
    });
    (mesh, radius)
}

/// Returns a mesh of 5 x 5 cells, each 2^20 wide and cut into two triangles.
///
/// Vertex heights are in units of 2^19. Bit `i` of `diagonals` selects the diagonal of cell `i`.
pub fn landscape_from(heights: &[i64; 36], diagonals: u32) -> LatticeMesh {
    let at = |i: usize| ((i % 6) as i64) << 20;
    let vertices = (0..36)
        .map(|i| [at(i), at(i / 6), heights[i] << 19])
        .collect();
    let mut triangles = Vec::new();
    for cell in 0..25 {
        let first = cell / 5 * 6 + cell % 5;
        let [a, b, c, d] = [first, first + 1, first + 7, first + 6];
        triangles.extend(if diagonals >> cell & 1 == 1 {
            [[a, b, d], [b, c, d]]
        } else {
            [[a, b, c], [a, c, d]]
        });
    }
    (vertices, triangles)
}
