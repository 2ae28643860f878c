//! Contact volumes of tetrahedral meshes: against the kernel of their surfaces, against integers,
//! and by properties. PAIRS sets the number of random pairs.

use crate::support::cases;
use crate::support::solids::random_pose;

use crate::support::tets::blocks;
use osculate::glam::DVec3;
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    narrow::{IntersectionKind, TetConvex, TetTet},
    shape::TetMesh,
};

type Contact = ContactVolume<DVec3>;

fn shifted(shift: DVec3) -> Pose3 {
    Pose3::from_translation(shift).unwrap()
}

/// A solid that 0 sees all of, as tetrahedra from there.
fn star(solid: &SolidMesh) -> TetMesh {
    let mut vertices = solid.surface().vertices().to_vec();
    let center = vertices.len() as u32;
    vertices.push(DVec3::ZERO);
    let faces = solid.surface().facets().map(|f| f.vertices());
    let tetrahedra = faces.map(|f| [center, f[0], f[1], f[2]]);
    TetMesh::new(vertices, tetrahedra.collect()).unwrap()
}

fn random_cubes(random: &mut SplitMix64) -> Vec<LatticePoint> {
    let mut cubes: Vec<LatticePoint> = vec![[1, 1, 1]];
    for _ in 0..random.below(8) {
        let mut cube = cubes[random.below(cubes.len())];
        let axis = random.below(3);
        cube[axis] = (cube[axis] + if random.unit() < 0.5 { 1 } else { -1 }).clamp(0, 2);
        if !cubes.contains(&cube) {
            cubes.push(cube);
        }
    }
    cubes
}

fn solids() -> [SolidMesh; 3] {
    [
        workload::rock(60, 0.3, 3),
        workload::sphere(1, 0.9),
        workload::cubes(&[[0, 0, 0]], 0.3),
    ]
    .map(Result::unwrap)
}

fn only(a: (&TetMesh, Pose3), b: (&TetMesh, Pose3)) -> Option<Contact> {
    let body = |(shape, pose)| Placed::<&TetMesh, DVec3>::new(shape, pose);
    TetTet::new().contact(&body(a), &body(b))
}

fn by_mesh(a: (&SolidMesh, Pose3), b: (&SolidMesh, Pose3)) -> Option<Contact> {
    let body = |(shape, pose)| Placed::<&SolidMesh, DVec3>::new(shape, pose);
    MeshMesh::new().contact(&body(a), &body(b))
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
}

#[track_caller]
fn assert_near_vector(found: DVec3, expected: DVec3, tolerance: f64) {
    let error = found.distance(expected);
    assert!(
        error <= tolerance,
        "{found} instead of {expected}: {error:e}"
    );
}

#[track_caller]
fn assert_same(found: &Option<Contact>, expected: &Option<Contact>) {
    let (Some(found), Some(expected)) = (found, expected) else {
        return assert!(
            found.is_none() && expected.is_none(),
            "{found:?} {expected:?}"
        );
    };
    assert_eq!(found.kind, expected.kind);
    assert_near(found.volume, expected.volume, 1e-12);
    assert_near_vector(found.area_vector, expected.area_vector, 1e-12);
    let moments = [found, expected].map(|c| c.moment_vector_about(DVec3::ZERO));
    assert_near_vector(moments[0], moments[1], 1e-12);
    if found.area() > 0.1 {
        assert_near_vector(found.point, expected.point, 1e-9);
    }
}

/// Random poses: as the surfaces, and with the bodies swapped the negative.
#[test]
fn against_the_surfaces() {
    let solids = solids();
    // The block is not around 0.
    let mut meshes: Vec<TetMesh> = solids[..2].iter().map(star).collect();
    meshes.push(blocks(&[[0, 0, 0]], DVec3::splat(0.3)));
    let trees: Vec<SolidMesh> = solids.into_iter().collect();
    let mut random = SplitMix64::new(1);
    let mut states = [0; 3];
    for _ in 0..cases(60) {
        let (i, j) = (random.below(3), random.below(3));
        let poses = [random_pose(&mut random, 0.8), random_pose(&mut random, 0.8)];
        let found = only((&meshes[i], poses[0]), (&meshes[j], poses[1]));
        let expected = by_mesh((&trees[i], poses[0]), (&trees[j], poses[1]));
        assert_same(&found, &expected);
        states[found.map_or(0, |c| 1 + usize::from(c.kind == IntersectionKind::Nested))] += 1;
        let back = only((&meshes[j], poses[1]), (&meshes[i], poses[0]));
        if let (Some(forth), Some(back)) = (found, back) {
            assert_eq!(forth.area_vector, -back.area_vector);
            assert_eq!(forth.moment_vector, -back.moment_vector);
            assert_eq!((forth.volume, forth.point), (back.volume, back.point));
        }
    }
    assert!(states.iter().all(|&n| n > 2), "{states:?}");
    for mesh in &meshes {
        let pose = random_pose(&mut random, 2.0);
        let same = only((mesh, pose), (&mesh.clone(), pose)).unwrap();
        assert_eq!(same.kind, IntersectionKind::Nested);
        assert_eq!(
            (same.volume, same.area_vector),
            (mesh.volume(), DVec3::ZERO)
        );
    }
}

/// The same with a convex polyhedron, around it and inside it too.
#[test]
fn against_a_convex_body() {
    let rock = workload::rock(60, 0.3, 3).unwrap();
    let (mesh, tree) = (star(&rock), rock);
    let balls = [0.1, 0.8, 3.0].map(|radius| workload::sphere(1, radius).unwrap());
    let mut random = SplitMix64::new(2);
    let mut states = [0; 3];
    for i in 0..cases(60) {
        let ball = &balls[i % 3];
        let convex = ConvexPolyhedron::try_from(ball.surface().clone()).unwrap();
        let poses = [random_pose(&mut random, 0.8), random_pose(&mut random, 0.8)];
        let a = Placed::new(&mesh, poses[0]);
        let b = Placed::new(&convex, poses[1]);
        let found = TetConvex::new().contact(&a, &b);
        let expected = by_mesh((&tree, poses[0]), (&ball.clone(), poses[1]));
        assert_same(&found, &expected);
        states[found.map_or(0, |c| 1 + usize::from(c.kind == IntersectionKind::Nested))] += 1;
    }
    assert!(states.iter().all(|&n| n > 2), "{states:?}");
}

/// Of three cubes one is inside a large body, the others outside: the intersection is that one, not
/// all of either body.
#[test]
fn some_parts_are_nested() {
    let three = blocks(&[[1, 1, 1], [6, 0, 0], [8, 0, 0]], DVec3::splat(0.5));
    let large = blocks(&[[0, 0, 0]], DVec3::splat(2.0));
    let apart = shifted(DVec3::new(0.0, 0.125, 0.25));
    for (a, b) in [
        ((&three, apart), (&large, Pose3::IDENTITY)),
        ((&large, Pose3::IDENTITY), (&three, apart)),
    ] {
        let contact = only(a, b).unwrap();
        assert_eq!(
            (contact.kind, contact.area_vector),
            (IntersectionKind::Nested, DVec3::ZERO)
        );
        assert_near(contact.volume, 0.125, 1e-15);
    }
    let one = blocks(&[[1, 1, 1]], DVec3::splat(0.5));
    let whole = only((&one, apart), (&large, Pose3::IDENTITY)).unwrap();
    assert_eq!(
        (whole.kind, whole.volume),
        (IntersectionKind::Nested, one.volume())
    );
}

/// Cubes on the lattice, all faces of all tetrahedra coplanar: against integers.
#[test]
fn cubes_against_integers() {
    let mut random = SplitMix64::new(3);
    let vector = |p: LatticePoint| DVec3::from_array(p.map(|x| x as f64));
    let mut found = 0;
    for _ in 0..cases(300) {
        let (a, b) = (random_cubes(&mut random), random_cubes(&mut random));
        let shift = [1, 0, 0].map(|low| low + random.below(4) as i64 - 2 * (1 - low));
        let there: Vec<LatticePoint> = b
            .iter()
            .map(|c| [0, 1, 2].map(|i| c[i] + shift[i]))
            .collect();
        let (volume, area, moment) = intersection_of_cubes(&a, &there);
        let (a, b) = (blocks(&a, DVec3::splat(1.0)), blocks(&b, DVec3::splat(1.0)));
        let contact = only((&a, Pose3::IDENTITY), (&b, shifted(vector(shift))));
        assert_near(contact.map_or(0.0, |c| c.volume), volume as f64, 1e-13);
        if let Some(contact) = contact.filter(|c| c.kind != IntersectionKind::Nested) {
            found += 1;
            assert_near_vector(contact.area_vector, vector(area), 1e-12);
            let about_origin = contact.moment_vector_about(DVec3::ZERO);
            assert_near_vector(about_origin, vector(moment) * 0.5, 1e-12);
        }
    }
    assert!(found > 50, "{found}");
}

/// A post with two sides on interior faces of a block, to rounding, which differs at each corner as
/// both are rotated. No part of them is lost or counted twice, for any split between the
/// tetrahedra.
#[test]
fn sides_on_interior_faces() {
    let all = (0..27).map(|k| [k / 9, k / 3 % 3, k % 3]);
    let block = blocks(&all.collect::<Vec<_>>(), DVec3::splat(0.1));
    let post = blocks(&[[0, 0, 0], [0, 0, 1], [0, 0, 2]], DVec3::splat(0.1));
    let mut random = SplitMix64::new(4);
    for _ in 0..cases(300) {
        let shift = DVec3::new(0.1, random.range(0.0, 0.2), random.range(0.01, 0.29));
        let motion = random_pose(&mut random, 0.1);
        let poses = [motion * shifted(shift), motion];
        let down = motion.transform_vector(DVec3::Z * -0.01);
        for (a, b, sign) in [
            ((&post, poses[0]), (&block, poses[1]), 1.0),
            ((&block, poses[1]), (&post, poses[0]), -1.0),
        ] {
            let contact = only(a, b).unwrap();
            assert_near(contact.volume, 0.01 * (0.3 - shift.z), 1e-16);
            assert_near_vector(contact.area_vector * sign, down, 1e-15);
        }
    }
}

/// A power of two scales exactly.
#[test]
fn scales_exactly() {
    let rock = workload::rock(30, 0.3, 3).unwrap();
    let mut random = SplitMix64::new(5);
    let poses = [random_pose(&mut random, 0.4), random_pose(&mut random, 0.4)];
    let mesh = star(&rock);
    let here = only((&mesh, poses[0]), (&mesh, poses[1])).unwrap();
    for exponent in [-120, 40, 120] {
        let scale = 2.0_f64.powi(exponent);
        let vertices = mesh.vertices().iter().map(|&v| v * scale).collect();
        let large = TetMesh::new(vertices, mesh.tetrahedra().to_vec()).unwrap();
        let poses = poses.map(|p| Pose3::new(p.rotation(), p.translation() * scale).unwrap());
        let there = only((&large, poses[0]), (&large, poses[1])).unwrap();
        assert_eq!(there.volume, here.volume * scale.powi(3));
        assert_eq!(there.area_vector, here.area_vector * scale * scale);
        assert_eq!(there.moment_vector, here.moment_vector * scale.powi(3));
        assert_eq!(there.point, here.point * scale);
    }
}

/// Section 3.2 leaves the interior faces out of the cutting. Then the half-spaces of a tetrahedron
/// do not end where its neighbor begins, and a surface between both is counted twice.
#[test]
fn interior_faces_must_cut() {
    // Two tetrahedra on each other, and a thin slab that comes in from the side between them.
    let ring = [0.0, 2.0, 4.0].map(|third: f64| {
        let (sin, cos) = (third * std::f64::consts::FRAC_PI_3).sin_cos();
        DVec3::new(cos, sin, 0.0)
    });
    let mut vertices = ring.to_vec();
    vertices.extend([DVec3::Z, -DVec3::Z]);
    let double = TetMesh::new(vertices, vec![[0, 1, 2, 3], [1, 0, 2, 4]]).unwrap();
    let half = DVec3::new(0.5, 0.1, 0.005);
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<DVec3> = (0..8)
        .map(|i| (corner(i) * 2.0 - DVec3::ONE) * half + DVec3::X * -0.5)
        .collect();
    let slab = ConvexPolyhedron::from_convex_hull(&corners).unwrap();

    let mut literal = DVec3::ZERO;
    for faces in [
        [[0, 1, 3], [1, 2, 3], [2, 0, 3]],
        [[1, 0, 4], [2, 1, 4], [0, 2, 4]],
    ] {
        for side in slab.surface().facets() {
            let mut part: Vec<DVec3> = side.corners().collect();
            for [p, q, r] in faces.map(|face| face.map(|id| double.vertices()[id])) {
                part = below(&part, (q - p).cross(r - p), p);
            }
            for i in 2..part.len() {
                literal += (part[i - 1] - part[0]).cross(part[i] - part[0]) * 0.5;
            }
        }
    }
    let pose = Pose3::IDENTITY;
    let mesh = Placed::new(&double, pose);
    let contact = TetConvex::new().contact(&mesh, &Placed::new(&slab, pose));
    let right = contact.unwrap().swapped().area_vector;
    assert!(right.x > 0.0015);
    let ratio = literal.dot(right) / right.length_squared();
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}

/// The part of a polygon below a plane.
fn below(corners: &[DVec3], normal: DVec3, point: DVec3) -> Vec<DVec3> {
    let height = |p: DVec3| normal.dot(p - point);
    let mut part = Vec::new();
    for (i, &p) in corners.iter().enumerate() {
        let q = corners[(i + 1) % corners.len()];
        if height(p) <= 0.0 {
            part.push(p);
        }
        if (height(p) <= 0.0) != (height(q) <= 0.0) {
            part.push(p + (q - p) * (height(p) / (height(p) - height(q))));
        }
    }
    part
}
