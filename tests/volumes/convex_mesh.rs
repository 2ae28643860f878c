//! Convex polyhedra against closed meshes, by volume.

use std::sync::Arc;

use osculate::glam::DVec3;
use osculate::shape::Solid;
use osculate::testing::properties::volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, SolidMesh,
};

use crate::support::solids::{hulls, random_pose, solids};

type Contact = ContactVolume<DVec3>;

/// In both orders, the same bits as for the user's own triangulation.
#[test]
fn equals_the_triangulated_body() {
    let mut random = SplitMix64::new(1);
    let (mut kernel, mut found) = (MeshMesh::new(), 0);
    for block in &hulls() {
        let own = block.to_solid();
        for solid in &solids() {
            for _ in 0..8 {
                let [p, q] = [(); 2].map(|()| random_pose(&mut random, 0.6));
                let (a, b) = (Placed::new(block, p), Placed::new(solid, q));
                let expected: Option<Contact> = kernel.contact(&Placed::new(&own, p), &b);
                assert_eq!(kernel.contact(&a, &b), expected);
                assert_eq!(kernel.contact(&b, &a), expected.map(Contact::swapped));
                found += usize::from(expected.is_some());
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// Two polyhedra agree with the kernel for them, behind any pointer and in an enum.
#[test]
fn any_two_solids() {
    enum Shape {
        Block(Arc<ConvexPolyhedron>),
        Rock(Box<SolidMesh>),
    }
    impl Solid for Shape {
        fn solid_mesh(&self) -> &SolidMesh {
            match self {
                Shape::Block(block) => block.solid_mesh(),
                Shape::Rock(rock) => rock,
            }
        }
    }
    let blocks: Vec<_> = hulls().into_iter().map(Arc::new).collect();
    let rock = workload::rock(60, 0.6, 3).unwrap();
    let mut shapes: Vec<_> = blocks.iter().cloned().map(Shape::Block).collect();
    shapes.push(Shape::Rock(Box::new(rock)));
    let mut random = SplitMix64::new(2);
    let (mut kernel, mut convex) = (MeshMesh::new(), ConvexConvex::new());
    for _ in 0..50 {
        let [p, q] = [(); 2].map(|()| random_pose(&mut random, 0.6));
        for s in &shapes {
            let (a, b) = (Placed::new(s, p), Placed::new(&shapes[6], q));
            let volume: f64 = kernel.contact(&a, &b).map_or(0.0, |c| c.volume);
            assert!(volume <= s.solid_mesh().volume() * (1.0 + 1e-12));
        }
        let (a, b) = (
            Placed::new(blocks[0].clone(), p),
            Placed::new(&*blocks[3], q),
        );
        let expected = convex.contact(&a, &b).map_or(0.0, |c: Contact| c.volume);
        volume::equals(&mut kernel, &a, &b, expected, 1e-13).unwrap();
    }
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
