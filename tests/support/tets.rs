//! Tetrahedral meshes of cubes.

use std::collections::HashMap;

use osculate::glam::DVec3;
use osculate::shape::TetMesh;
use osculate::testing::oracle::LatticePoint;

/// Cubes of the lattice times `scale`, each as six tetrahedra around the diagonal.
pub(crate) fn blocks(cubes: &[LatticePoint], scale: DVec3) -> TetMesh {
    let (mut ids, mut vertices) = (HashMap::new(), Vec::new());
    let mut tetrahedra = Vec::new();
    for cube in cubes {
        let mut id = |corner: LatticePoint| {
            *ids.entry(corner).or_insert_with(|| {
                vertices.push(DVec3::from_array(corner.map(|x| x as f64)) * scale);
                vertices.len() as u32 - 1
            })
        };
        for [i, j, k] in [
            [0, 1, 2],
            [1, 2, 0],
            [2, 0, 1],
            [0, 2, 1],
            [2, 1, 0],
            [1, 0, 2],
        ] {
            let mut corner = *cube;
            let mut path = [id(corner); 4];
            for (n, axis) in [i, j, k].into_iter().enumerate() {
                corner[axis] += 1;
                path[n + 1] = id(corner);
            }
            let is_even = (i + 1) % 3 == j;
            if !is_even {
                path.swap(0, 1);
            }
            tetrahedra.push(path);
        }
    }
    TetMesh::new(vertices, tetrahedra).unwrap()
}
