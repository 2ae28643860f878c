//! Contact volumes: against integers, against bodies cut by each other, and by properties.

use crate::support::solids::*;
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes, intersection_volume};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{Pose3, SolidMesh, narrow::IntersectionKind};

/// All kinds of ties: V, S and G equal those in integers after the translation.
#[test]
fn cubes_against_integers() {
    let mut random = SplitMix64::new(1);
    let (mut touching, mut nested) = (0, 0);
    for _ in 0..2000 {
        let (cubes_a, a) = random_cubes(&mut random);
        let (cubes_b, b) = random_cubes(&mut random);
        let shift: LatticePoint = [
            1 + random.below(3) as i64,
            random.below(5) as i64 - 2,
            random.below(5) as i64 - 2,
        ];
        let there: Vec<LatticePoint> = cubes_b
            .iter()
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        let (volume, area, moment) = intersection_of_cubes(&cubes_a, &there);
        let vector = |p: LatticePoint| DVec3::from_array(p.map(|x| x as f64));
        let (a, b) = (a, b);
        let (a, b) = (moved(&a, DVec3::ZERO), moved(&b, vector(shift)));
        let found = only(&a, &b);
        let Some(contact) = found else {
            assert_eq!((volume, area, moment), (0, [0; 3], [0; 3]));
            continue;
        };
        touching += usize::from(contact.kind == IntersectionKind::Touching);
        nested += usize::from(contact.kind == IntersectionKind::Nested);
        assert_eq!(
            contact.kind == IntersectionKind::Touching,
            volume == 0,
            "{contact:?}"
        );
        assert_near(contact.volume, volume as f64, 1e-12);
        assert_near_vector(contact.area_vector, vector(area), 1e-12);
        assert_near_vector(
            contact.moment_vector_about(DVec3::ZERO),
            vector(moment) * 0.5,
            1e-12,
        );
    }
    assert!(touching > 100 && nested < touching, "{touching} {nested}");
}

/// Random poses, concave and of genus 1 too, against tetrahedra cut by each other.
#[test]
fn solids_against_tetrahedra() {
    let solids = solids();
    let mut random = SplitMix64::new(2);
    let mut found = 0;
    for i in 0..40 {
        let (a, b) = (
            &solids[i % solids.len()],
            &solids[i / solids.len() % solids.len()],
        );
        let (a, b) = (
            at(a, random_pose(&mut random, 0.5)),
            at(b, random_pose(&mut random, 0.5)),
        );
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

/// The gradient of the volume, by differences, for translations and rotations of both bodies.
#[test]
fn gradient_identities() {
    let solids = solids();
    let mut random = SplitMix64::new(5);
    let h = 1e-5;
    for i in 0..25 {
        let (a, b) = (&solids[i % 5], &solids[i / 5]);
        let poses = [random_pose(&mut random, 0.3), random_pose(&mut random, 0.3)];
        let volume =
            |poses: [Pose3; 2]| only(&at(a, poses[0]), &at(b, poses[1])).map_or(0.0, |c| c.volume);
        let Some(contact) = only(&at(a, poses[0]), &at(b, poses[1])) else {
            continue;
        };
        let moment = contact.moment_vector_about(DVec3::ZERO);
        for axis in 0..3 {
            for (body, sign) in [(0, 1.0), (1, -1.0)] {
                let slope = |motion: &dyn Fn(f64) -> Pose3| {
                    let at = |step: f64| {
                        let mut poses = poses;
                        poses[body] = motion(step) * poses[body];
                        volume(poses)
                    };
                    // Fourth order: the volume is smooth except where a vertex passes a face.
                    (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
                };
                let unit = DVec3::AXES[axis];
                let shift = slope(&|x| Pose3::from_translation(unit * x).unwrap());
                assert_near(shift, sign * contact.area_vector[axis], 1e-8);
                let turn = slope(&|x| {
                    Pose3::new_normalize(DQuat::from_scaled_axis(unit * x), DVec3::ZERO).unwrap()
                });
                assert_near(turn, sign * moment[axis], 1e-8);
            }
        }
    }
}

/// Swapping negates, a large translation changes little, a power of two scales exactly.
#[test]
fn swap_origin_and_scale() {
    let solids = solids();
    let mut random = SplitMix64::new(6);
    for i in 0..100 {
        let (a, b) = (&solids[i % 5], &solids[i / 5 % 5]);
        let mut poses = [random_pose(&mut random, 0.4), random_pose(&mut random, 0.4)];
        if i % 4 == 0 {
            poses = [
                Pose3::IDENTITY,
                Pose3::from_translation(DVec3::X * 0.7).unwrap(),
            ];
        }
        if i % 8 == 0 {
            poses[1] = poses[0];
        }
        let forth = only(&at(a, poses[0]), &at(b, poses[1]));
        let back = only(&at(b, poses[1]), &at(a, poses[0]));
        let (Some(forth), Some(back)) = (forth, back) else {
            assert_eq!(forth.is_some(), back.is_some());
            continue;
        };
        assert_eq!(forth.area_vector, -back.area_vector);
        assert_eq!(forth.moment_vector, -back.moment_vector);
        assert_eq!(
            (forth.volume, forth.point, forth.kind),
            (back.volume, back.point, back.kind)
        );

        let far = DVec3::new(1e3, -2e3, 5e2);
        let shifted = poses.map(|p| Pose3::new(p.rotation(), p.translation() + far).unwrap());
        let there = only(&at(a, shifted[0]), &at(b, shifted[1])).unwrap();
        if i % 4 != 0 {
            assert_near(there.volume, forth.volume, 1e-11);
            assert_near_vector(there.area_vector, forth.area_vector, 1e-10);
            assert_near_vector(there.point, forth.point + far, 1e-8);
        }

        let exponent = [-120, 40, 120][i % 3];
        let scale = 2.0_f64.powi(exponent);
        let scaled = |tree: &SolidMesh| {
            let surface = tree.surface();
            let vertices = surface.vertices().iter().map(|&v| v * scale).collect();
            let corners = surface.facets().map(|f| [0, 1, 2].map(|k| f.vertices()[k]));
            SolidMesh::new(vertices, corners).unwrap()
        };
        let (a, b) = (scaled(a), scaled(b));
        let poses = poses.map(|p| Pose3::new(p.rotation(), p.translation() * scale).unwrap());
        let large = only(&at(&a, poses[0]), &at(&b, poses[1])).unwrap();
        assert_eq!(large.volume, forth.volume * scale.powi(3));
        assert_eq!(large.area_vector, forth.area_vector * scale * scale);
        assert_eq!(large.moment_vector, forth.moment_vector * scale.powi(3));
        assert_eq!(large.point, forth.point * scale, "{i} {forth:?}");
    }
}

/// A solid with itself, and cut in two by a box whose face goes through it: the parts add up.
#[test]
fn whole_and_parts() {
    let block: Vec<LatticePoint> = vec![[0, 0, 0], [-1, 0, 0]];
    let [right, left] = [0, 1].map(|i| workload::cubes(&block[i..=i], 16.0).unwrap());
    let mut random = SplitMix64::new(7);
    for solid in &solids() {
        let volume = solid.volume();
        let same = only(
            &moved(solid, DVec3::ZERO),
            &moved(&solid.clone(), DVec3::ZERO),
        )
        .unwrap();
        assert_eq!(
            (same.volume, same.area_vector, same.kind),
            (volume, DVec3::ZERO, IntersectionKind::Nested)
        );
        for _ in 0..10 {
            // Inside 0..16 for y and z, on both sides of x = 0; sometimes on the lattice.
            let mut pose = random_pose(&mut random, 0.3);
            if random.unit() < 0.3 {
                pose = Pose3::IDENTITY;
            }
            let middle = DVec3::new(0.0, 8.0, 8.0);
            let pose = Pose3::new(pose.rotation(), pose.translation() + middle).unwrap();
            let body = at(solid, pose);
            let parts = [&right, &left].map(|half| only(&body, &moved(half, DVec3::ZERO)));
            let sum: f64 = parts.iter().flatten().map(|c| c.volume).sum();
            assert_near(sum, volume, 1e-12);
            if let [Some(right), Some(left)] = parts {
                let areas = right.area_vector + left.area_vector;
                assert_near_vector(areas, DVec3::ZERO, 1e-12);
            }
        }
    }
}

/// A corner that is hardly inside: the volume is right to the rounding of positions, and it never
/// counts as touching.
#[test]
fn shallow_corner() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let table = workload::cubes(&[[0, 0, 0]], 4.0).unwrap();
    let mut random = SplitMix64::new(13);
    let down = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
    for i in 0..300 {
        let depth = [1e-2, 1e-4, 1e-6, 1e-13][i % 4];
        let spin = DQuat::from_rotation_z(random.range(0.0, 6.0));
        let turn = (spin * down).normalize();
        let corner = DVec3::new(random.range(1.0, 3.0), random.range(1.0, 3.0), 4.0 - depth);
        let body = at(&cube, Pose3::new(turn, corner - turn * DVec3::ONE).unwrap());
        let rest = moved(&table, DVec3::ZERO);
        let contact = only(&body, &rest).unwrap();
        let expected = (depth * 3.0_f64.sqrt()).powi(3) / 6.0;
        // Positions are rounded, and with them the depth.
        let rounding = 4.0 * f64::EPSILON / depth;
        assert_near(contact.volume, expected, 20.0 * rounding * expected);
        assert_eq!(contact.kind, IntersectionKind::Crossing);
        assert_eq!(contact.kind, only(&rest, &body).unwrap().kind);
        assert!(contact.volume > 0.0);
    }
}

/// The lowest corner of a rock, hardly inside: sums over all of it cancel to the corner's.
#[test]
fn shallow_corner_of_a_rock() {
    let rock = workload::rock(60, 0.3, 2).unwrap();
    let table = workload::cubes(&[[0, 0, 0]], 4.0).unwrap();
    let rest = moved(&table, DVec3::ZERO);
    let mut random = SplitMix64::new(16);
    for _ in 0..100 {
        let turn = random_pose(&mut random, 1.0).rotation();
        let vertices = rock.surface().vertices();
        let low = |v: &&DVec3| (turn * **v).z;
        let lowest = *vertices
            .iter()
            .min_by(|a, b| low(a).total_cmp(&low(b)))
            .unwrap();
        let depth = 1e-5;
        let corner = DVec3::new(2.1, 1.9, 4.0 - depth);
        let body = at(&rock, Pose3::new(turn, corner - turn * lowest).unwrap());
        let tip = body.pose.transform_point(lowest);
        // Where an edge from the tip crosses the plane, relative to the projection of the tip.
        let crossing =
            |p: DVec3| (p - tip) * ((4.0 - tip.z) / (p.z - tip.z)) - DVec3::Z * (4.0 - tip.z);
        let mut expected = 0.0;
        for t in triangles(&body) {
            if let Some(k) = (0..3).find(|&k| t[k] == tip) {
                let (p, q) = (crossing(t[(k + 1) % 3]), crossing(t[(k + 2) % 3]));
                expected += p.cross(q).z * (tip.z - 4.0) / 6.0;
            }
        }
        let contact = only(&body, &rest).unwrap();
        assert!(expected > 1e-17, "{expected}");
        assert_near(
            contact.volume,
            expected,
            20.0 * 4.0 * f64::EPSILON / depth * expected,
        );
    }
}

/// Each tie there is between two boxes: volumes to the last bits.
#[test]
fn ties_of_two_boxes() {
    let cube = workload::cubes(&[[0, 0, 0]], 1.0).unwrap();
    let volume = |x: f64, y: f64, z: f64| (1.0 - x.abs()) * (1.0 - y.abs()) * (1.0 - z.abs());
    let steps = [-1.0, -0.5, 0.0, 0.5, 1.0];
    for (x, y, z) in steps
        .iter()
        .flat_map(|&x| steps.iter().flat_map(move |&y| steps.map(|z| (x, y, z))))
    {
        let found = only(
            &moved(&cube, DVec3::ZERO),
            &moved(&cube, DVec3::new(x, y, z)),
        );
        assert_near(found.map_or(0.0, |c| c.volume), volume(x, y, z), 1e-12);
    }
    // Quarter turns, and an eighth: edges on faces.
    let eighth = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
    let turned = at(
        &cube,
        Pose3::new(eighth, DVec3::new(0.5, 0.0, 0.0)).unwrap(),
    );
    let contact = only(&moved(&cube, DVec3::ZERO), &turned).unwrap();
    // The lower corner of the rotated square is in the middle of the lower side; its sides leave
    // through x = 0, 1. Its upper ones cut off the rest of the upper corners.
    let cut = 1.5 - 2.0_f64.sqrt();
    assert_near(contact.volume, 0.75 - cut * cut, 1e-12);
}

/// Spheres: equations 47 to 51 and the lens, from which meshes err as they are coarse.
#[test]
fn spheres_against_the_closed_form() {
    let (r, d): (f64, f64) = (1.0, 1.95);
    let lens = std::f64::consts::PI * (2.0 * r - d).powi(2) * (d * d + 4.0 * d * r) / (12.0 * d);
    let area = std::f64::consts::PI * (r * r - d * d / 4.0);
    let mut errors = Vec::new();
    for subdivisions in 2..=5 {
        let sphere = workload::sphere(subdivisions, r).unwrap();
        let turn = Pose3::new_normalize(DQuat::from_xyzw(0.3, 0.1, 0.5, 0.8), DVec3::ZERO).unwrap();
        let there =
            Pose3::new_normalize(DQuat::from_xyzw(0.1, 0.7, 0.2, 0.4), DVec3::X * d).unwrap();
        let contact = only(&at(&sphere, turn), &at(&sphere, there)).unwrap();
        errors.push((contact.volume / lens - 1.0, contact.area() / area - 1.0));
        if subdivisions == 5 {
            assert!(contact.normal().unwrap().distance(DVec3::X) < 0.01);
            assert!((contact.point - DVec3::X * (d / 2.0)).length() < 0.01);
            assert!(contact.pitch().abs() < 1e-3);
        }
    }
    // A quarter with each refinement.
    for pair in errors.windows(2) {
        assert!(pair[1].0 < 0.0 && pair[1].0 > 0.4 * pair[0].0, "{errors:?}");
    }
    assert!(
        errors[3].0.abs() < 0.02 && errors[3].1.abs() < 0.01,
        "{errors:?}"
    );
}
