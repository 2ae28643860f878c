//! Convex polyhedra against closed meshes, by volume.

use std::sync::Arc;

use osculate::glam::DVec3;
use osculate::shape::Solid;
use osculate::testing::workload::SplitMix64;
use osculate::{ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, SolidMesh};

use crate::support::solids::{hulls, random_pose, solids};

type Contact = ContactVolume<DVec3>;

/// A user's enum of solids.
enum Shape<'a> {
    Block(Arc<ConvexPolyhedron>),
    Other(&'a SolidMesh),
}

impl Solid for Shape<'_> {
    fn solid_mesh(&self) -> &SolidMesh {
        match self {
            Shape::Block(block) => block.solid_mesh(),
            Shape::Other(solid) => solid,
        }
    }
}

/// In both orders, behind any pointer and in an enum, the same bits as for the user's own triangulation.
#[test]
fn equals_the_triangulated_body() {
    let mut random = SplitMix64::new(1);
    let (mut kernel, mut found) = (MeshMesh::new(), 0);
    for block in hulls().into_iter().map(Arc::new) {
        let own = block.to_solid();
        for solid in &solids() {
            for _ in 0..8 {
                let [p, q] = [(); 2].map(|()| random_pose(&mut random, 0.6));
                let a = Placed::new(&*block, p);
                let b = Placed::new(Box::new(solid.clone()), q);
                let expected: Option<Contact> = kernel.contact(&Placed::new(&own, p), &b);
                assert_eq!(kernel.contact(&a, &b), expected);
                assert_eq!(kernel.contact(&b, &a), expected.map(Contact::swapped));
                let a = Placed::new(Shape::Block(block.clone()), p);
                let b = Placed::new(Shape::Other(solid), q);
                assert_eq!(kernel.contact(&a, &b), expected);
                found += usize::from(expected.is_some());
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// The mesh is built once: clones share it.
#[test]
fn mesh_is_built_once() {
    let block = &hulls()[0];
    let mesh: *const SolidMesh = block.solid_mesh();
    let clone = block.clone();
    assert!(std::ptr::eq(mesh, clone.solid_mesh()));
    assert!(std::ptr::eq(mesh, block.solid_mesh()));
    assert_eq!(block.solid_mesh(), &block.to_solid());
    assert_eq!(block, &hulls()[0]);
}
