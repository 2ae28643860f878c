use super::SplitMix64;
use crate::error::Result;
use crate::shape::SurfaceMesh;

/// Returns the same wall with another triangulation and the same fronts.
///
/// Half of the facets are cut into triangles around the midpoint of an edge. The facet across this edge then has
/// a hanging vertex. Facets come in another order and start at other corners.
///
/// # Errors
/// Returns the error of the mesh, for edges of which the midpoint is an end.
pub fn rewritten(mesh: &SurfaceMesh, seed: u64) -> Result<SurfaceMesh> {
    let mut random = SplitMix64::new(seed);
    let mut vertices = mesh.vertices().to_vec();
    let mut facets = Vec::new();
    for facet in mesh.facets() {
        let mut ids = facet.vertices().to_vec();
        let first = random.below(ids.len());
        ids.rotate_left(first);
        if random.unit() < 0.5 {
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
