//! The contacts of a sphere with a wall or with a mesh.

use osculate::glam::DVec3;
use osculate::{
    DoubleHierarchy, FacetSubset, NarrowPhase, Sphere, Surface, SurfaceMesh, Wall, WallContact,
    WallState,
};

pub(crate) fn contacts<S: Surface>(
    wall: &Wall<S>,
    memory: &mut WallState<S::Vector>,
    center: S::Vector,
    radius: f64,
) -> Vec<WallContact<S::Vector>> {
    let mut found = Vec::new();
    let sphere = Sphere::new(center, radius);
    DoubleHierarchy::new().for_each_contact(&sphere, wall, memory, |c| found.push(c));
    found
}

/// Returns the contacts with all facets of a mesh, for a kernel without options.
pub(crate) fn contacts_with_all(mesh: &SurfaceMesh, sphere: &Sphere<DVec3>) -> Vec<WallContact> {
    contacts_by(&mut DoubleHierarchy::new(), mesh, sphere)
}

/// Returns the contacts with all facets of a mesh.
pub(crate) fn contacts_by(
    kernel: &mut DoubleHierarchy,
    mesh: &SurfaceMesh,
    sphere: &Sphere<DVec3>,
) -> Vec<WallContact> {
    let all: Vec<u32> = (0..mesh.facet_count() as u32).collect();
    let near = FacetSubset::new(mesh, &all).unwrap();
    let mut found = Vec::new();
    kernel.for_each_contact(sphere, &near, &mut Default::default(), |c| found.push(c));
    found
}
