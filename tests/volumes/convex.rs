//! Contact volumes of convex polyhedra and tetrahedral meshes: against two other constructions of
//! the intersection, against the kernel of their surfaces, and by properties.

use osculate::glam::DVec3;
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    narrow::IntersectionKind,
};

use super::laws;
use crate::support::cases;
use crate::support::convex::{cuboid, scaled};
use crate::support::oracle::shared_convex::{intersection_by_dual, intersection_by_rays};
use crate::support::solids::{assert_near, assert_near_vector, hulls, lattice_pose, random_pose};

type Contact = ContactVolume<DVec3>;
type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

fn only(a: &Body, b: &Body) -> Option<Contact> {
    ConvexConvex::new().contact(a, b)
}

fn at(shape: &ConvexPolyhedron, pose: Pose3) -> Body<'_> {
    Placed::new(shape, pose)
}

/// Random poses, against the two other methods of the paper. The hulls of the oracles merge faces
/// within the rounding of coordinates, so S agrees with theirs to 1e-9 only where many points are
/// close.
#[test]
fn against_rays_and_the_dual() {
    let solids = hulls();
    let mut random = SplitMix64::new(1);
    let (mut crossing, mut kernel) = (0, ConvexConvex::new());
    for i in 0..cases(300) {
        let (a, b) = (&solids[i % 6], &solids[i / 6 % 6]);
        let a = at(a, random_pose(&mut random, 0.6));
        let b = at(b, random_pose(&mut random, 0.6));
        let found = kernel.contact(&a, &b);
        let volume = found.map_or(0.0, |c| c.volume);
        let is_thick = volume > 1e-3;
        let rays = intersection_by_rays(&a, &b);
        assert_near(rays.0, volume, 1e-11);
        let Some(contact) = found.filter(|_| is_thick) else {
            continue;
        };
        crossing += usize::from(contact.kind == IntersectionKind::Crossing);
        for (v, s, g) in [rays, intersection_by_dual(&a, &b)] {
            assert_near(contact.volume, v, 1e-11);
            assert_near_vector(contact.area_vector, s, 1e-9);
            assert_near_vector(contact.moment_vector_about(DVec3::ZERO), g, 1e-9);
        }
        let across = contact.moment_vector - contact.area_vector * contact.pitch();
        assert_near_vector(across, DVec3::ZERO, 1e-13);
    }
    assert!(crossing > 150, "{crossing}");
}

/// Random poses, near and far, and those of a lattice, with turns of a quarter and a sixth: V, S, G, point and kind of the
/// surfaces. On the lattice ties may be resolved in other ways, which do not change V.
#[test]
fn against_the_mesh_kernel() {
    let solids = hulls();
    let trees: Vec<SolidMesh> = solids.iter().map(ConvexPolyhedron::to_solid).collect();
    let mut random = SplitMix64::new(2);
    let mut states = [0; 3];
    for case in 0..cases(6000) {
        let (i, j) = (random.below(6), random.below(6));
        let is_tied = case % 2 == 1;
        let size = [[0.2, 0.6, 1.2], [1.0, 0.5, 0.3]][case % 2][random.below(3)];
        let poses = [(); 2].map(|()| match is_tied {
            true => lattice_pose(&mut random, size),
            false => random_pose(&mut random, size),
        });
        let found = only(&at(&solids[i], poses[0]), &at(&solids[j], poses[1]));
        let [a, b] = [(&trees[i], poses[0]), (&trees[j], poses[1])];
        let [a, b] = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
        let expected: Option<Contact> = MeshMesh::new().contact(&a, &b);
        if is_tied {
            let [found_volume, volume] = [found, expected].map(|c| c.map_or(0.0, |c| c.volume));
            assert_near(found_volume, volume, 1e-13);
            let is_finite = |c: Contact| c.point.is_finite() && c.moment_vector.is_finite();
            assert!(found.is_none_or(|c| c.volume > 0.0 && is_finite(c) && c.area() < 4.0));
            continue;
        }
        let (Some(found), Some(expected)) = (found, expected) else {
            assert_eq!(found, expected);
            states[0] += 1;
            continue;
        };
        assert_eq!(found.kind, expected.kind);
        assert_near(found.volume, expected.volume, 1e-13);
        assert_near_vector(found.area_vector, expected.area_vector, 1e-13);
        let moments = [&found, &expected].map(|c| c.moment_vector_about(DVec3::ZERO));
        assert_near_vector(moments[0], moments[1], 1e-13);
        states[1 + usize::from(found.kind == IntersectionKind::Nested)] += 1;
        if found.area() > 0.1 {
            assert_near_vector(found.point, expected.point, 1e-10);
        }
    }
    assert!(states.iter().all(|&n| n > 20), "{states:?}");
}

/// Swapped, scaled, moved, and cut in two; and gradients.
#[test]
fn laws_of_convex_volumes() {
    let shapes = hulls();
    let halves = [[-4.0, 0.0], [0.0, 4.0], [-4.0, 4.0]]
        .map(|[from, to]| cuboid(DVec3::new(from, -0.5, -0.5), DVec3::new(to, 0.5, 0.5)));
    let kernel = &mut ConvexConvex::new();
    laws::laws(kernel, &shapes, scaled, halves, random_pose);
    laws::gradients(kernel, &shapes, random_pose);
    let mut random = SplitMix64::new(7);
    for shape in &shapes {
        let pose = random_pose(&mut random, 3.0);
        laws::equals_itself(kernel, shape, pose, shape.volume());
    }
}
