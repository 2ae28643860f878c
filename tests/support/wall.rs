//! The contacts of a sphere with a wall or with a mesh.

use osculate::narrow::{ContactSelection, FacetSubset, WallMesh};
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, WallContact};

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
    kernel.for_each_contact(sphere, &near, &mut Default::default(), |c| found.push(c));
    found
}

/// Returns a kernel whose contacts are all local minima, whatever their normals.
pub(crate) fn all_minima<V: osculate::Vector>() -> DoubleHierarchy<V> {
    DoubleHierarchy::new().with_selection(ContactSelection::merge_angle(0.0).unwrap())
}
