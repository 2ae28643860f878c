//! Contact volumes: against integers, against bodies taken apart, and by what must hold.

use std::collections::HashMap;

use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{Point, shared_cubes, shared_volume};
use osculate::testing::workload::{self, Random};
use osculate::{
    ContactVolume, CurveNode, CurveSegment, Energy, MeshMesh, Overlap, Placed, Pose3, SolidMesh,
    SolidTree,
};

type Contact = ContactVolume<DVec3>;
type Body<'a> = Placed<&'a SolidTree, DVec3>;

fn run(kernel: &mut MeshMesh, a: &Body, b: &Body) -> (Vec<Contact>, Vec<CurveSegment>) {
    let (mut contacts, mut curve) = (Vec::new(), Vec::new());
    kernel.contacts_and_curve(a, b, |c| contacts.push(c), |s| curve.push(s));
    (contacts, curve)
}

fn only(a: &Body, b: &Body) -> Option<Contact> {
    let (contacts, curve) = run(&mut MeshMesh::new(), a, b);
    assert_closed(&curve);
    assert!(contacts.len() <= 1);
    contacts.first().copied()
}

/// Every node is the start of one segment and the end of one, the same bits.
fn assert_closed(curve: &[CurveSegment]) {
    let mut nodes: HashMap<_, (i32, Option<DVec3>)> = HashMap::new();
    let mut visit = |node: &CurveNode, step: i32| {
        let key = (node.is_edge_of_first, node.edge, node.facet);
        let entry = nodes.entry(key).or_default();
        entry.0 += step;
        let position = *entry.1.get_or_insert(node.position);
        assert_eq!(position, node.position);
    };
    for segment in curve {
        visit(&segment.ends[0], 1);
        visit(&segment.ends[1], -1);
    }
    assert!(nodes.values().all(|node| node.0 == 0), "an open curve");
    assert_eq!(nodes.len(), curve.len());
}

fn at(shape: &SolidTree, pose: Pose3) -> Body<'_> {
    Placed { shape, pose }
}

fn moved(shape: &SolidTree, translation: DVec3) -> Body<'_> {
    at(shape, Pose3::from_translation(translation).unwrap())
}

fn random_pose(random: &mut Random, reach: f64) -> Pose3 {
    let turn = DQuat::from_array([0; 4].map(|_| random.within(-1.0, 1.0)));
    let shift = DVec3::from_array([0; 3].map(|_| random.within(-reach, reach)));
    Pose3::normalizing(turn, shift).unwrap()
}

/// The triangles in the world.
fn triangles(body: &Body) -> Vec<[DVec3; 3]> {
    let facets = body.shape.solid().surface().facets();
    let corners = facets.map(|f| f.corners().collect::<Vec<_>>());
    corners
        .map(|c| [c[0], c[1], c[2]].map(|p| body.pose.point(p)))
        .collect()
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
}

fn assert_near_vector(found: DVec3, expected: DVec3, tolerance: f64) {
    let error = found.distance(expected);
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
}

fn solids() -> Vec<SolidTree> {
    let solids = [
        workload::rock(60, 0.6, 3),
        workload::sphere(1, 0.9),
        workload::torus(0.8, 0.3, 9, 7),
        workload::cubes(&[[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], 0.7),
        workload::bolt(8, 8),
    ];
    solids.into_iter().map(|s| s.unwrap().into()).collect()
}

/// A polyomino that makes a manifold, within 3 x 3 x 3.
fn random_cubes(random: &mut Random) -> (Vec<Point>, SolidMesh) {
    loop {
        let mut cubes: Vec<Point> = vec![[1, 1, 1]];
        for _ in 0..random.below(8) {
            let mut cube = cubes[random.below(cubes.len())];
            let axis = random.below(3);
            cube[axis] = (cube[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(0, 2);
            if !cubes.contains(&cube) {
                cubes.push(cube);
            }
        }
        if let Ok(solid) = workload::cubes(&cubes, 1.0) {
            return (cubes, solid);
        }
    }
}

/// Everything lies on everything: V, S and G are what integers say, after the translation.
#[test]
fn cubes_against_integers() {
    let mut random = Random::new(1);
    let (mut touching, mut nested) = (0, 0);
    for _ in 0..2000 {
        let (cubes_a, a) = random_cubes(&mut random);
        let (cubes_b, b) = random_cubes(&mut random);
        let shift: Point = [
            1 + random.below(3) as i64,
            random.below(5) as i64 - 2,
            random.below(5) as i64 - 2,
        ];
        let there: Vec<Point> = cubes_b
            .iter()
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        let (volume, area, moment) = shared_cubes(&cubes_a, &there);
        let vector = |p: Point| DVec3::from_array(p.map(|x| x as f64));
        let (a, b) = (SolidTree::from(a), SolidTree::from(b));
        let (a, b) = (moved(&a, DVec3::ZERO), moved(&b, vector(shift)));
        let found = only(&a, &b);
        let Some(contact) = found else {
            assert_eq!((volume, area, moment), (0, [0; 3], [0; 3]));
            continue;
        };
        touching += usize::from(contact.overlap == Overlap::Touching);
        nested += usize::from(contact.overlap == Overlap::Nested);
        assert_eq!(
            contact.overlap == Overlap::Touching,
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
    let mut random = Random::new(2);
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
        let (volume, area, moment) = shared_volume(&triangles(&a), &triangles(&b));
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
    let mut random = Random::new(5);
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
                        poses[body] = motion(step).compose(&poses[body]);
                        volume(poses)
                    };
                    // Fourth order: the volume is smooth but where a vertex passes a face.
                    (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
                };
                let unit = DVec3::AXES[axis];
                let shift = slope(&|x| Pose3::from_translation(unit * x).unwrap());
                assert_near(shift, sign * contact.area_vector[axis], 1e-8);
                let turn = slope(&|x| {
                    Pose3::normalizing(DQuat::from_scaled_axis(unit * x), DVec3::ZERO).unwrap()
                });
                assert_near(turn, sign * moment[axis], 1e-8);
            }
        }
    }
}

/// Swapping negates, moving far away changes little, a power of two changes nothing else.
#[test]
fn swap_origin_and_scale() {
    let solids = solids();
    let mut random = Random::new(6);
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
            (forth.volume, forth.point, forth.overlap),
            (back.volume, back.point, back.overlap)
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
        let scaled = |tree: &SolidTree| {
            let surface = tree.solid().surface();
            let vertices = surface.vertices().iter().map(|&v| v * scale).collect();
            let corners = surface.facets().map(|f| [0, 1, 2].map(|k| f.vertices()[k]));
            SolidTree::from(SolidMesh::new(vertices, corners).unwrap())
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
    let block: Vec<Point> = vec![[0, 0, 0], [-1, 0, 0]];
    let [right, left] =
        [0, 1].map(|i| SolidTree::from(workload::cubes(&block[i..=i], 16.0).unwrap()));
    let mut random = Random::new(7);
    for solid in &solids() {
        let volume = solid.solid().volume();
        let same = only(
            &moved(solid, DVec3::ZERO),
            &moved(&solid.clone(), DVec3::ZERO),
        )
        .unwrap();
        assert_eq!(
            (same.volume, same.area_vector, same.overlap),
            (volume, DVec3::ZERO, Overlap::Nested)
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

/// The corners of a solid, and its triangles cut otherwise: across each diagonal that joins two
/// coplanar triangles in a convex corner of a polycube.
fn cut_otherwise(solid: &SolidMesh) -> SolidTree {
    let surface = solid.surface();
    let vertices = surface.vertices().to_vec();
    let mut corners: Vec<[u32; 3]> = surface
        .facets()
        .map(|f| [0, 1, 2].map(|k| f.vertices()[k]))
        .collect();
    let place = |id: u32| vertices[id as usize];
    let (mut i, mut flips) = (0, 0);
    while i < corners.len() {
        // Two triangles (a, b, c) and (c, d, a) of a square become (b, d, a) and (d, b, c).
        let found = (i + 1..corners.len()).find_map(|j| {
            (0..9).find_map(|k| {
                let [a, b, c] = [0, 1, 2].map(|n| corners[i][(n + k % 3) % 3]);
                let [e, d, f] = [0, 1, 2].map(|n| corners[j][(n + k / 3) % 3]);
                let is_square = place(a) + place(c) == place(b) + place(d);
                (e == c && f == a && is_square).then_some((j, [a, b, c, d]))
            })
        });
        if let Some((j, [a, b, c, d])) = found {
            corners[i] = [b, d, a];
            corners[j] = [d, b, c];
            corners.swap(i + 1, j);
            (i, flips) = (i + 1, flips + 1);
        }
        i += 1;
    }
    assert!(flips >= 6, "{flips}");
    SolidMesh::new(vertices, corners).unwrap().into()
}

/// A solid and the same cut otherwise: all faces lie on faces, and some edges cross.
#[test]
fn same_surface_cut_otherwise() {
    let mut random = Random::new(12);
    for i in 0..50 {
        let (cubes, solid) = random_cubes(&mut random);
        let other = cut_otherwise(&solid);
        let solid = SolidTree::from(solid);
        let pose = match i % 2 {
            0 => Pose3::IDENTITY,
            _ => random_pose(&mut random, 2.0),
        };
        let volume = cubes.len() as f64;
        for (a, b) in [(&solid, &other), (&other, &solid)] {
            let contact = only(&at(a, pose), &at(b, pose)).unwrap();
            assert_near(contact.volume, volume, 1e-12);
            assert_ne!(contact.overlap, Overlap::Touching);
        }
    }
}

/// A corner that is hardly inside: the volume is right to what rounding leaves of its depth, and
/// never counts as touching.
#[test]
fn shallow_corner() {
    let cube = SolidTree::from(workload::cubes(&[[0, 0, 0]], 1.0).unwrap());
    let table = SolidTree::from(workload::cubes(&[[0, 0, 0]], 4.0).unwrap());
    let mut random = Random::new(13);
    let down = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
    let mut is_rounded_to_nothing = false;
    for i in 0..300 {
        let depth = [1e-2, 1e-4, 1e-6, 1e-13][i % 4];
        let spin = DQuat::from_rotation_z(random.within(0.0, 6.0));
        let turn = (spin * down).normalize();
        let corner = DVec3::new(
            random.within(1.0, 3.0),
            random.within(1.0, 3.0),
            4.0 - depth,
        );
        let body = at(&cube, Pose3::new(turn, corner - turn * DVec3::ONE).unwrap());
        let rest = moved(&table, DVec3::ZERO);
        let contact = only(&body, &rest).unwrap();
        let expected = (depth * 3.0_f64.sqrt()).powi(3) / 6.0;
        // Positions are rounded to 4e-16 or so, lie apart by the depth, and arms are of length 5.
        assert_near(contact.volume, expected, 1e-14 * depth);
        assert_eq!(contact.overlap, Overlap::Partial);
        assert_eq!(contact.overlap, only(&rest, &body).unwrap().overlap);
        is_rounded_to_nothing |= contact.volume == 0.0;
    }
    assert!(is_rounded_to_nothing);
}

/// Each tie there is between two boxes: volumes to the last bits.
#[test]
fn ties_of_two_boxes() {
    let cube = SolidTree::from(workload::cubes(&[[0, 0, 0]], 1.0).unwrap());
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
    // The turned square's lower corner is amid the lower side; its sides leave through x = 0, 1.
    // Its upper ones cut off what is left of the upper corners.
    let cut = 1.5 - 2.0_f64.sqrt();
    assert_near(contact.volume, 0.75 - cut * cut, 1e-12);
}

/// One body inside another, in a cavity, around it.
#[test]
fn nested_and_hollow() {
    let inner = SolidTree::from(workload::sphere(1, 0.5).unwrap());
    let outer = SolidTree::from(workload::sphere(2, 2.0).unwrap());
    let contact = only(&moved(&outer, DVec3::ZERO), &moved(&inner, DVec3::X)).unwrap();
    assert_eq!(
        (contact.overlap, contact.volume),
        (Overlap::Nested, inner.solid().volume())
    );
    let energy = Energy::linear(3.0).unwrap();
    assert_eq!(contact.force(&energy), DVec3::ZERO);
    assert_eq!(contact.normal(), None);
    assert!(only(&moved(&outer, DVec3::ZERO), &moved(&inner, DVec3::X * 3.0)).is_none());

    // A hollow ball.
    let cavity = workload::sphere(1, 1.5).unwrap();
    let count = outer.solid().surface().vertices().len() as u32;
    let mut vertices = outer.solid().surface().vertices().to_vec();
    vertices.extend(cavity.surface().vertices());
    let corners = |solid: &SolidMesh| -> Vec<[u32; 3]> {
        let facets = solid.surface().facets();
        facets.map(|f| [0, 1, 2].map(|k| f.vertices()[k])).collect()
    };
    let mut faces = corners(outer.solid());
    faces.extend(
        corners(&cavity)
            .iter()
            .map(|&[a, b, c]| [a + count, c + count, b + count]),
    );
    let hollow = SolidTree::from(SolidMesh::new(vertices, faces).unwrap());
    assert!(only(&moved(&hollow, DVec3::ZERO), &moved(&inner, DVec3::X * 0.2)).is_none());
    let large = SolidTree::from(workload::sphere(1, 5.0).unwrap());
    let contact = only(&moved(&hollow, DVec3::ZERO), &moved(&large, DVec3::X * 0.2)).unwrap();
    assert_eq!(contact.overlap, Overlap::Nested);
    assert_near(contact.volume, hollow.solid().volume(), 1e-12);
    // The curve runs through the cavity too, or not.
    for x in [3.6, 3.2] {
        let (a, b) = (moved(&hollow, DVec3::ZERO), moved(&large, DVec3::X * x));
        let (volume, _, _) = shared_volume(&triangles(&a), &triangles(&b));
        assert_near(only(&a, &b).unwrap().volume, volume, 1e-11);
        let (parts, _) = run(&mut MeshMesh::separate(), &a, &b);
        assert_eq!(parts.len(), 1);
        assert_near(parts[0].volume, volume, 1e-11);
    }
}

/// Two fists on one table: two contacts, which add up to the one.
#[test]
fn separate_contacts() {
    let fists = vec![[0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [2, 0, 0]];
    let hands = SolidTree::from(workload::cubes(&fists, 1.0).unwrap());
    let table = SolidTree::from(workload::cubes(&[[0, 0, 0]], 8.0).unwrap());
    let turn = DQuat::from_xyzw(0.01, 0.02, -0.015, 1.0).normalize();
    let a = at(&hands, Pose3::new(turn, DVec3::new(2.3, 7.7, 2.4)).unwrap());
    let b = moved(&table, DVec3::ZERO);
    for (a, b) in [(&a, &b), (&b, &a)] {
        let whole = only(a, b).unwrap();
        let (parts, curve) = run(&mut MeshMesh::separate(), a, b);
        assert_closed(&curve);
        assert_eq!(parts.len(), 2);
        assert!(
            parts
                .iter()
                .all(|c| c.volume > 0.1 && c.overlap == Overlap::Partial)
        );
        assert_near(parts[0].volume + parts[1].volume, whole.volume, 1e-13);
        assert_near_vector(
            parts[0].area_vector + parts[1].area_vector,
            whole.area_vector,
            1e-13,
        );
        assert!(curve.iter().any(|s| s.contact == 0) && curve.iter().any(|s| s.contact == 1));
        assert!(parts[0].point.distance(parts[1].point) > 1.5);
    }
    // A ring pierced by a rod: two loops, but one part.
    let ring = SolidTree::from(workload::torus(1.0, 0.3, 24, 12).unwrap());
    let rod = SolidTree::from(workload::cubes(&[[0, 0, 0]], 0.1).unwrap());
    let rod = moved(&rod, DVec3::new(0.97, 0.03, 0.25));
    assert_eq!(
        run(&mut MeshMesh::separate(), &moved(&ring, DVec3::ZERO), &rod)
            .0
            .len(),
        1
    );
}

/// Spheres: equations 47 to 51 and the lens, from which meshes err as they are coarse.
#[test]
fn spheres_against_the_closed_form() {
    let (r, d): (f64, f64) = (1.0, 1.95);
    let lens = std::f64::consts::PI * (2.0 * r - d).powi(2) * (d * d + 4.0 * d * r) / (12.0 * d);
    let area = std::f64::consts::PI * (r * r - d * d / 4.0);
    let mut errors = Vec::new();
    for subdivisions in 2..=5 {
        let sphere = SolidTree::from(workload::sphere(subdivisions, r).unwrap());
        let turn = Pose3::normalizing(DQuat::from_xyzw(0.3, 0.1, 0.5, 0.8), DVec3::ZERO).unwrap();
        let there = Pose3::normalizing(DQuat::from_xyzw(0.1, 0.7, 0.2, 0.4), DVec3::X * d).unwrap();
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

/// No open loop and no panic at any pose: random ones, and those of the lattice, where all is
/// degenerate. POSES says how many (docs/VALIDATION.md has a long run).
#[test]
fn loops_close_at_any_pose() {
    let count: u64 = std::env::var("POSES").map_or(2000, |n| n.parse().unwrap());
    let mut solids = solids();
    let mut random = Random::new(11);
    solids.extend((0..5).map(|_| SolidTree::from(random_cubes(&mut random).1)));
    let mut kernels = [MeshMesh::new(), MeshMesh::separate()];
    let (mut crossing, mut degenerate) = (0, 0);
    for i in 0..count {
        let (a, b) = (
            &solids[random.below(solids.len())],
            &solids[random.below(solids.len())],
        );
        let mut pose = || match i % 4 {
            0 => random_pose(&mut random, 1.0),
            _ => {
                let part = [1.0, 0.5, 0.35][(i / 4 % 3) as usize];
                let turns = [
                    DQuat::IDENTITY,
                    DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                    DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
                    DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8),
                ];
                let shift = [0; 3].map(|_| random.below(5) as f64 * part - 2.0 * part);
                Pose3::new(turns[random.below(4)], DVec3::from_array(shift)).unwrap()
            }
        };
        let (a, b) = (at(a, pose()), at(b, pose()));
        let (contacts, curve) = run(&mut kernels[(i / 5 % 2) as usize], &a, &b);
        assert_closed(&curve);
        let least = a.shape.solid().volume().min(b.shape.solid().volume());
        let volume: f64 = contacts.iter().map(|c| c.volume).sum();
        assert!(
            (0.0..=least * (1.0 + 1e-12)).contains(&volume),
            "{volume} {least}"
        );
        assert!(
            contacts
                .iter()
                .all(|c| c.point.is_finite() && c.moment_vector.is_finite())
        );
        crossing += usize::from(!curve.is_empty());
        degenerate += usize::from(i % 4 != 0 && !curve.is_empty());
    }
    println!(
        "{count} poses, {crossing} with a curve, {degenerate} of them on the lattice: all closed"
    );
    assert!(crossing as u64 > count / 5 && degenerate as u64 > count / 8);
}
