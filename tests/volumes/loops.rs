//! The intersection curve of two surfaces is closed for any coplanar and touching features.

use crate::support::cases;

use crate::support::solids::*;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::LatticePoint;
use osculate::testing::properties::volume;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{MeshMesh, Pose3, SolidMesh};

/// The same cubes with the squares cut along the other diagonal: built after a quarter turn, and turned back.
fn cut_otherwise(cubes: &[LatticePoint]) -> SolidMesh {
    let turned: Vec<_> = cubes.iter().map(|&[x, y, z]| [-1 - y, x, z]).collect();
    let turned = workload::cubes(&turned, 1.0).unwrap();
    bent(&turned, |v| DVec3::new(v.y, -v.x, v.z))
}

/// A solid and the same cut otherwise: all faces lie on faces, and some edges cross.
#[test]
fn same_surface_cut_otherwise() {
    let mut random = SplitMix64::new(12);
    for i in 0..50 {
        let (cubes, solid) = random_cubes(&mut random);
        let other = cut_otherwise(&cubes);
        let pose = match i % 2 {
            0 => Pose3::IDENTITY,
            _ => random_pose(&mut random, 2.0),
        };
        let volume = cubes.len() as f64;
        for (a, b) in [(&solid, &other), (&other, &solid)] {
            let contact = only(&at(a, pose), &at(b, pose)).unwrap();
            assert_near(contact.volume, volume, 1e-12);
        }
    }
}

/// No open loop and no panic at any pose: random ones, and those of the lattice, where everything
/// is degenerate. docs/VALIDATION.md has a long run.
#[test]
fn any_pose() {
    let count = cases(2000) as u64;
    let mut solids = solids();
    let mut random = SplitMix64::new(11);
    solids.extend((0..5).map(|_| random_cubes(&mut random).1));
    solids.extend(small_rocks());
    let mut kernels = [MeshMesh::new(), MeshMesh::new().with_separate_regions(true)];
    let (mut crossing, mut degenerate) = (0, 0);
    for i in 0..count {
        let [a, b] = [(); 2].map(|()| &solids[random.below(solids.len())]);
        let mut pose = || match i % 4 {
            0 => random_pose(&mut random, 1.0),
            _ => lattice_pose(&mut random, [1.0, 0.5, 0.35][(i / 4 % 3) as usize]),
        };
        let (a, b) = (at(a, pose()), at(b, pose()));
        let (contacts, curve) = run(&mut kernels[(i / 5 % 2) as usize], &a, &b);
        assert_closed(&curve);
        volume::swap_negates(&mut MeshMesh::new(), &a, &b).unwrap();
        let least = a.shape.volume().min(b.shape.volume());
        let shared: f64 = contacts.iter().map(|c| c.volume).sum();
        assert!(
            (0.0..=least * (1.0 + 1e-12)).contains(&shared),
            "{shared} {least}"
        );
        let is_finite = |c: &Contact| c.point.is_finite() && c.moment_vector.is_finite();
        assert!(contacts.iter().all(is_finite));
        crossing += usize::from(!curve.is_empty());
        degenerate += usize::from(i % 4 != 0 && !curve.is_empty());
    }
    println!(
        "{count} poses, {crossing} with a curve, {degenerate} of them on the lattice: all closed"
    );
    assert!(crossing as u64 > count / 5 && degenerate as u64 > count / 8);
}

/// A cube with a vertex in the middle of each edge, so that each edge has a triangle without area.
fn cube_with_flat_faces() -> SolidMesh {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let mut vertices = cube.surface().vertices().to_vec();
    let mut triangles = corners(&cube);
    for i in 0..triangles.len() {
        let [a, b, c] = triangles[i];
        // On one side of the edge from a to b, if that is a side of the square.
        let (from, to) = (vertices[a as usize], vertices[b as usize]);
        if a < b && (to - from).length_squared() == 1.0 {
            let middle = vertices.len() as u32;
            vertices.push((from + to) * 0.5);
            triangles[i] = [a, middle, c];
            triangles.extend([[middle, b, c], [a, b, middle]]);
        }
    }
    SolidMesh::new(vertices, triangles).unwrap()
}

/// Triangles without area are crossed if their corners are on both sides, and change nothing.
#[test]
fn faces_without_area() {
    let plain = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let flat = cube_with_flat_faces();
    assert!(flat.surface().facet_count() > 18);
    let mut random = SplitMix64::new(14);
    let mut found = 0;
    for i in 0..300 {
        let mut pose = random_pose(&mut random, 0.9);
        if i % 3 == 0 {
            let shift = [0; 3].map(|_| random.below(4) as f64 * 0.25);
            pose = Pose3::from_translation(DVec3::from_array(shift)).unwrap();
        }
        // The frame is that of the lower body, in which the faces are exactly flat.
        let lower = moved(&flat, DVec3::new(-1.0, 0.0, 0.0));
        let other = at(&flat, Pose3::IDENTITY);
        for (ours, theirs) in [(&lower, &at(&plain, pose)), (&other, &at(&flat, pose))] {
            let expected = only(&at(&plain, ours.pose), &at(&plain, theirs.pose));
            let (forth, back) = (only(ours, theirs), only(theirs, ours));
            assert_eq!(forth.is_some(), expected.is_some());
            assert_eq!(forth.map(|c| c.volume), back.map(|c| c.volume));
            if let (Some(forth), Some(expected)) = (forth, expected) {
                found += 1;
                assert_near(forth.volume, expected.volume, 1e-14);
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// Offsets, and vertices off their places, by so little that products of them underflow: the curve
/// closes and the volume is that of the offset 0.
#[test]
fn offsets_that_underflow() {
    let mut random = SplitMix64::new(17);
    let tiny = |random: &mut SplitMix64| {
        let exponent = 330 + random.below(745) as i32;
        let value = 2.0_f64.powi(-exponent / 2) * 2.0_f64.powi(exponent / 2 - exponent);
        [value, -value, 0.0][random.below(3)]
    };
    let count = cases(150) as u64;
    let mut shared = 0;
    for i in 0..count {
        let mut body = || {
            let (cubes, solid) = random_cubes(&mut random);
            let off = if i % 2 == 0 { 0.0 } else { 1.0 };
            let mut tiny = || DVec3::from_array([0; 3].map(|_| tiny(&mut random)));
            let moved = bent(&solid, |v| v - DVec3::ONE + tiny() * off);
            (cubes, moved)
        };
        let ((cubes_a, a), (cubes_b, b)) = (body(), body());
        let whole = [0; 3].map(|_| [0, 0, 0, -1, 1][random.below(5)]);
        let turn = match i % 3 {
            0 => random_pose(&mut random, 1.0).rotation(),
            _ => DQuat::IDENTITY,
        };
        let shift = DVec3::from_array(whole.map(|x| x as f64));
        let shift = shift + DVec3::from_array([0; 3].map(|_| tiny(&mut random)));
        let p = Pose3::new(turn, DVec3::ZERO).unwrap();
        let q = Pose3::new(turn, turn * shift).unwrap();
        let is_shared = |b: &&LatticePoint| cubes_a.contains(&[0, 1, 2].map(|k| b[k] + whole[k]));
        let expected = cubes_b.iter().filter(is_shared).count() as f64;
        let found = only(&at(&a, p), &at(&b, q)).map_or(0.0, |c| c.volume);
        assert_near(found, expected, 1e-13);
        shared += u64::from(expected > 0.0);
    }
    assert!(shared > count / 2);
}
