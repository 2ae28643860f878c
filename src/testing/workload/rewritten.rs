use glam::DVec3;

use super::SplitMix64;
use crate::error::Result;
use crate::shape::SurfaceMesh;

/// Returns the same wall with another triangulation and the same fronts.
///
/// Half of the facets are cut into triangles around the midpoint of an edge. The facet across this edge then has
/// a hanging vertex. Facets come in another order and start at other corners. A facet that repeats a vertex, after
/// welding, is not cut: it gets another vertex at the same place.
///
/// # Errors
/// Returns the error of the mesh, for edges of which the midpoint is an end.
pub fn rewritten(mesh: &SurfaceMesh, seed: u64) -> Result<SurfaceMesh> {
    let mut random = SplitMix64::new(seed);
    let (mut vertices, rows) = without_repeated_ids(mesh);
    let mut facets = Vec::new();
    for (mut ids, facet) in rows.into_iter().zip(mesh.facets()) {
        let is_collapsed = ids != facet.vertices();
        let first = random.below(ids.len());
        ids.rotate_left(first);
        if random.unit() < 0.5 || is_collapsed {
            facets.push(ids);
            continue;
        }
        let last = ids[ids.len() - 1];
        let middle = vertices[ids[0] as usize].midpoint(vertices[last as usize]);
        let apex = vertices.len() as u32;
        vertices.push(middle);
        facets.extend(ids.windows(2).map(|side| vec![apex, side[0], side[1]]));
    }
    random.shuffle(&mut facets);
    SurfaceMesh::new(vertices, facets)?.with_precision(mesh.precision())
}

/// Returns the vertices and facets of a mesh for [`SurfaceMesh::new`], which refuses repeated ids.
///
/// Where a facet repeats a vertex, as after welding, it gets a new vertex at the same place.
pub(in crate::testing) fn without_repeated_ids(mesh: &SurfaceMesh) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let mut vertices = mesh.vertices().to_vec();
    let facets = mesh.facets().map(|facet| {
        let mut ids = facet.vertices().to_vec();
        for i in 1..ids.len() {
            if ids[..i].contains(&ids[i]) {
                vertices.push(vertices[ids[i] as usize]);
                ids[i] = vertices.len() as u32 - 1;
            }
        }
        ids
    });
    let facets = facets.collect();
    (vertices, facets)
}
