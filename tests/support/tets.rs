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
        for (i, is_even) in (0..3).flat_map(|i| [(i, true), (i, false)]) {
            let [j, k] = [1, 2].map(|step| (i + if is_even { step } else { 3 - step }) % 3);
            let mut corner = *cube;
            let mut path = [id(corner); 4];
            for (n, axis) in [i, j, k].into_iter().enumerate() {
                corner[axis] += 1;
                path[n + 1] = id(corner);
            }
            if !is_even {
                path.swap(0, 1);
            }
            tetrahedra.push(path);
        }
    }
    TetMesh::new(vertices, tetrahedra).unwrap()
}
