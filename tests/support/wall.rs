//! Nets of triangles, and the contacts of a sphere with a wall or with a mesh.

use osculate::glam::DVec3;
use osculate::narrow::{ContactSelection, FacetSubset, WallMesh};
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, WallContact};

/// A net of `across` x `along` cells, each as two triangles. `place` gives the vertices by their column and row.
pub(crate) fn grid(
    [across, along]: [u32; 2],
    mut place: impl FnMut(u32, u32) -> DVec3,
) -> SurfaceMesh {
    let row = across + 1;
    let vertices = (0..row * (along + 1)).map(|i| place(i % row, i / row));
    let cells = (0..across * along).map(|i| i % across + i / across * row);
    let facets = cells.flat_map(|a| [[a, a + 1, a + 1 + row], [a, a + 1 + row, a + row]]);
    SurfaceMesh::new(vertices.collect(), facets).unwrap()
}

/// Turns a triangle so that its longest side comes first.
pub(crate) fn from_longest_side(triangle: [DVec3; 3]) -> [DVec3; 3] {
    let length = |i: &usize| triangle[*i].distance_squared(triangle[(i + 1) % 3]);
    let longest = (0..3)
        .max_by(|i, j| length(i).total_cmp(&length(j)))
        .unwrap();
    [0, 1, 2].map(|i| triangle[(longest + i) % 3])
}

/// A square from -`half` to `half` at a height.
pub(crate) fn floor(half: f64, height: f64) -> SurfaceMesh {
    let along = |i: u32| (2.0 * f64::from(i) - 1.0) * half;
    grid([1, 1], |i, j| DVec3::new(along(i), along(j), height))
}

pub(crate) fn contacts<M: WallMesh>(
    wall: &Wall<M>,
    center: M::Vector,
    radius: f64,
) -> Vec<WallContact<M::Vector>> {
    let mut found = Vec::new();
    let sphere = Sphere::new(center, radius);
    DoubleHierarchy::new().for_each_contact(&sphere, wall, &mut (), |c| found.push(c));
    found
}

/// Returns the contacts with all facets of a mesh, in its own coordinates.
pub(crate) fn contacts_with_all(mesh: &SurfaceMesh, sphere: &Sphere) -> Vec<WallContact> {
    contacts_by(
        &mut DoubleHierarchy::new(),
        &Wall::new(mesh.clone()),
        sphere,
    )
}

/// Returns the contacts with all facets of a wall, in the coordinates of its mesh.
pub(crate) fn contacts_by(
    kernel: &mut DoubleHierarchy,
    wall: &Wall,
    sphere: &Sphere,
) -> Vec<WallContact> {
    let all: Vec<u32> = (0..wall.mesh().facet_count()).collect();
    let near = FacetSubset::new(wall, &all).unwrap();
    let mut found = Vec::new();
    kernel.for_each_contact(sphere, &near, &mut (), |c| found.push(c));
    found
}

/// Returns a kernel whose contacts are all local minima, whatever their normals.
pub(crate) fn all_minima<V: osculate::Vector>() -> DoubleHierarchy<V> {
    DoubleHierarchy::new().with_selection(ContactSelection::merge_angle(0.0).unwrap())
}
