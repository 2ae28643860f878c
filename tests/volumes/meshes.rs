//! Contact volumes: against integers, against bodies cut by each other, and by properties.

use super::laws;
use crate::support::solids::*;
use osculate::glam::DVec3;
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes, intersection_volume};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    narrow::IntersectionKind,
};

/// Cubes of the lattice, their surface, and a polyhedron if they make up a box.
type Blocks = (Vec<LatticePoint>, SolidMesh, Option<ConvexPolyhedron>);

/// Any cubes, or a box.
fn random_blocks(random: &mut SplitMix64) -> Blocks {
    if random.below(2) == 0 {
        let (cubes, solid) = random_cubes(random);
        return (cubes, solid, None);
    }
    let sides = [0; 3].map(|_| 1 + random.below(3) as i64);
    let cells = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
    let cubes = cells.filter(|cell| (0..3).all(|axis| cell[axis] < sides[axis]));
    let cubes: Vec<LatticePoint> = cubes.collect();
    let solid = workload::cubes(&cubes, 1.0).unwrap();
    let hull = ConvexPolyhedron::from_convex_hull(solid.surface().vertices()).unwrap();
    (cubes, solid, Some(hull))
}

/// All kinds of ties: V, S and G equal those in integers after the translation.
#[test]
fn cubes_against_integers() {
    let mut random = SplitMix64::new(1);
    let (mut touching, mut nested, mut convex) = (0, 0, 0);
    for _ in 0..2000 {
        let [a, b] = [(); 2].map(|()| random_blocks(&mut random));
        let mut step = |from: i64| from + random.below(5) as i64;
        let shift: LatticePoint = [1 + step(0) % 3, step(-2), step(-2)];
        let there: Vec<LatticePoint> = { b.0.iter() }
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        let (volume, area, moment) = intersection_of_cubes(&a.0, &there);
        let vector = |p: LatticePoint| DVec3::from_array(p.map(|x| x as f64));
        let at = Pose3::from_translation(vector(shift)).unwrap();
        let mut found = vec![only(&moved(&a.1, DVec3::ZERO), &moved(&b.1, vector(shift)))];
        if let (Some(a), Some(b)) = (&a.2, &b.2) {
            let [a, b] = [Placed::new(a, Pose3::IDENTITY), Placed::new(b, at)];
            found.push(ConvexConvex::new().contact(&a, &b));
            convex += 1;
        }
        for contact in found {
            let Some(contact) = contact else {
                // The faces may lie on each other.
                assert_eq!(volume, 0);
                touching += usize::from(area != [0; 3]);
                continue;
            };
            assert_ne!(volume, 0, "{contact:?}");
            nested += usize::from(contact.kind == IntersectionKind::Nested);
            let about_origin = contact.moment_vector_about(DVec3::ZERO);
            assert_near(contact.volume, volume as f64, 1e-12);
            assert_near_vector(contact.area_vector, vector(area), 1e-12);
            assert_near_vector(about_origin, vector(moment) * 0.5, 1e-12);
        }
    }
    assert!(touching > 100 && nested > 0, "{touching} {nested}");
    assert!(convex > 300, "{convex}");
}

/// Random poses, concave and of genus 1 too, against tetrahedra cut by each other.
#[test]
fn solids_against_tetrahedra() {
    let solids = solids();
    let mut random = SplitMix64::new(2);
    let mut found = 0;
    for i in 0..40 {
        let [a, b] = [i, i / solids.len()].map(|i| {
            let solid = &solids[i % solids.len()];
            at(solid, random_pose(&mut random, 0.5))
        });
        let (volume, area, moment) = intersection_volume(&triangles(&a), &triangles(&b));
        let Some(contact) = only(&a, &b) else {
            assert_near(volume, 0.0, 1e-12);
            continue;
        };
        found += 1;
        assert_near(contact.volume, volume, 1e-11);
        assert_near_vector(contact.area_vector, area, 1e-11);
        assert_near_vector(contact.moment_vector_about(DVec3::ZERO), moment, 1e-11);
        // The point is on the central axis: about it the moment is along the force.
        let across = contact.moment_vector - contact.area_vector * contact.pitch();
        assert_near_vector(across, DVec3::ZERO, 1e-12);
    }
    assert!(found > 30);
}

/// Swapped, scaled, moved, and cut in two; and gradients.
#[test]
fn laws_of_volumes() {
    let shapes: Vec<_> = solids().into_iter().chain(small_rocks()).collect();
    let scaled = |shape: &SolidMesh, x: f64| bent(shape, |v| v * x);
    let (low, sides) = (DVec3::new(0.0, 0.5, 0.5), DVec3::new(4.0, 1.0, 1.0));
    let halves = [
        vec![[-1, 0, 0]],
        vec![[0, 0, 0]],
        vec![[-1, 0, 0], [0, 0, 0]],
    ]
    .map(|cubes| {
        bent(&workload::cubes(&cubes, 1.0).unwrap(), |v| {
            (v - low) * sides
        })
    });
    let kernel = &mut MeshMesh::new();
    laws::laws(kernel, &shapes, scaled, halves, random_pose);
    laws::gradients(kernel, &shapes, random_pose);
    for shape in &shapes {
        laws::equals_itself(kernel, shape, Pose3::IDENTITY, shape.volume());
    }
}
