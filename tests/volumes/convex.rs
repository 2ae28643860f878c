//! Contact volumes of convex polyhedra and tetrahedral meshes: against two other constructions of
//! the intersection, against the kernel of their surfaces, and by properties. PAIRS sets the number
//! of random pairs (`OSCULATE_CASES=1000000 cargo test --release --test volumes convex:: -- --nocapture`).

use crate::support::cases;
use crate::support::oracle::shared_convex::{intersection_by_dual, intersection_by_rays};
use crate::support::solids::random_pose;

use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{LatticePoint, intersection_of_cubes};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    narrow::IntersectionKind,
};

type Contact = ContactVolume<DVec3>;
type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

fn only(a: &Body, b: &Body) -> Option<Contact> {
    ConvexConvex::new().contact(a, b)
}

fn at(shape: &ConvexPolyhedron, pose: Pose3) -> Body<'_> {
    Placed::new(shape, pose)
}

fn shifted(shift: DVec3) -> Pose3 {
    Pose3::from_translation(shift).unwrap()
}

fn vector(random: &mut SplitMix64, reach: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-reach, reach)))
}

/// The hull of points on the unit sphere.
fn round(points: usize, seed: u64) -> ConvexPolyhedron {
    let mut random = SplitMix64::new(seed);
    let points: Vec<DVec3> = (0..points)
        .map(|_| {
            loop {
                let p = vector(&mut random, 1.0);
                if (0.1..1.0).contains(&p.length()) {
                    break p.normalize();
                }
            }
        })
        .collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn block(size: DVec3) -> ConvexPolyhedron {
    let corner = |i: i32| {
        let sign = |bit: i32| f64::from(2 * (i >> bit & 1) - 1);
        DVec3::new(sign(0), sign(1), sign(2)) * size * 0.5
    };
    ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).unwrap()
}

fn octahedron(size: f64) -> ConvexPolyhedron {
    let corners = DVec3::AXES
        .iter()
        .flat_map(|&axis| [axis * size, axis * -size]);
    ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap()
}

fn solids() -> Vec<ConvexPolyhedron> {
    vec![
        block(DVec3::ONE),
        round(4, 1),
        round(14, 2),
        round(50, 3),
        block(DVec3::new(2.0, 0.3, 1.0)),
        octahedron(0.25),
    ]
}

/// The faces as triangles.
fn tree(solid: &ConvexPolyhedron) -> SolidMesh {
    let fans = solid.surface().facets().flat_map(|f| {
        let ids = f.vertices();
        (2..ids.len()).map(move |i| [ids[0], ids[i - 1], ids[i]])
    });
    SolidMesh::new(solid.vertices().to_vec(), fans).unwrap()
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
fn assert_same(found: &Contact, expected: &Contact, tolerance: f64) {
    assert_near(found.volume, expected.volume, tolerance);
    assert_near_vector(found.area_vector, expected.area_vector, tolerance);
    let moments = [found, expected].map(|c| c.moment_vector_about(DVec3::ZERO));
    assert_near_vector(moments[0], moments[1], tolerance);
}

/// Random poses, against the two other methods of the paper. The hulls of the oracles merge faces
/// within the rounding of coordinates, so S agrees with theirs to 1e-9 only where many points are
/// close.
#[test]
fn against_rays_and_the_dual() {
    let solids = solids();
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

/// Random poses, near and far: the same volume, gradient, point and state as of the surfaces.
#[test]
fn against_the_mesh_kernel() {
    let solids = solids();
    let trees: Vec<SolidMesh> = solids.iter().map(tree).collect();
    let mut random = SplitMix64::new(2);
    let mut states = [0; 3];
    for _ in 0..cases(3000) {
        let (i, j) = (random.below(6), random.below(6));
        let reach = [0.2, 0.6, 1.2][random.below(3)];
        let poses = [
            random_pose(&mut random, reach),
            random_pose(&mut random, reach),
        ];
        let found = only(&at(&solids[i], poses[0]), &at(&solids[j], poses[1]));
        let expected = by_mesh((&trees[i], poses[0]), (&trees[j], poses[1]));
        let (Some(found), Some(expected)) = (found, expected) else {
            assert!(
                found.is_none() && expected.is_none(),
                "{found:?} {expected:?}"
            );
            states[0] += 1;
            continue;
        };
        assert_eq!(found.kind, expected.kind);
        assert_same(&found, &expected, 1e-13);
        states[1 + usize::from(found.kind == IntersectionKind::Nested)] += 1;
        if found.area() > 0.1 {
            assert_near_vector(found.point, expected.point, 1e-10);
        }
    }
    assert!(states.iter().all(|&n| n > 20), "{states:?}");
}

/// Blocks on the lattice with all kinds of ties: against integers after the translation, and the
/// kinds of the mesh kernel.
#[test]
fn ties_of_blocks() {
    let sizes = [[1, 1, 1], [2, 1, 3], [3, 3, 1]];
    let unit = |size: [i64; 3]| block(DVec3::from_array(size.map(|x| x as f64)));
    let solids = sizes.map(unit);
    let trees: Vec<SolidMesh> = solids.iter().map(tree).collect();
    let vector = |p: LatticePoint| DVec3::from_array(p.map(|x| x as f64));
    let cubes = |size: LatticePoint, from: LatticePoint| -> Vec<LatticePoint> {
        let all = (0..size[0]).flat_map(|x| (0..size[1]).map(move |y| (x, y)));
        all.flat_map(|(x, y)| (0..size[2]).map(move |z| [x, y, z]))
            .map(|c| [0, 1, 2].map(|i| c[i] + from[i]))
            .collect()
    };
    let mut states = [0; 4];
    for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
        for place in (0..343).map(|k| [k / 49 - 3, k / 7 % 7 - 3, k % 7 - 3]) {
            let own = vector(sizes[i]) * 0.5;
            let poses = [
                shifted(own),
                shifted(vector(place) + vector(sizes[j]) * 0.5),
            ];
            let found = only(&at(&solids[i], poses[0]), &at(&solids[j], poses[1]));
            let mesh = by_mesh((&trees[i], poses[0]), (&trees[j], poses[1]));
            let state = |c: &Option<Contact>| c.map(|c| c.kind);
            // There the volume of bodies that touch may be a rounding above 0.
            let touches = mesh.is_some_and(|c| c.volume < 1e-15);
            let expected = if touches {
                Some(IntersectionKind::Touching)
            } else {
                state(&mesh)
            };
            assert_eq!(state(&found), expected, "{i} {j} {place:?}");
            let (here, there) = (cubes(sizes[i], [0; 3]), cubes(sizes[j], place));
            // The translation is that of the lower body.
            let key = |k: usize| {
                let first = solids[[i, j][k]].vertices()[0];
                (poses[k].translation().to_array(), first.to_array())
            };
            let is_lower = key(0) <= key(1);
            let (volume, area, moment) = if is_lower {
                intersection_of_cubes(&here, &there)
            } else {
                let (volume, area, moment) = intersection_of_cubes(&there, &here);
                (volume, area.map(|x| -x), moment.map(|x| -x))
            };
            states[match state(&found) {
                None => 0,
                Some(IntersectionKind::Crossing) => 1,
                Some(IntersectionKind::Touching) => 2,
                Some(IntersectionKind::Nested) => 3,
            }] += 1;
            let Some(found) = found else {
                assert_eq!((volume, area), (0, [0; 3]));
                continue;
            };
            assert_eq!(found.volume, volume as f64);
            // Nested bodies that touch from inside count as if they did not.
            if found.kind != IntersectionKind::Nested || i != j {
                assert_near_vector(found.area_vector, vector(area), 1e-14);
                let about_origin = found.moment_vector_about(DVec3::ZERO);
                assert_near_vector(about_origin, vector(moment) * 0.5, 1e-13);
            }
        }
    }
    assert!(states.iter().all(|&n| n > 2), "{states:?}");
}

/// Lattice poses of all solids, a quarter or a sixth of a turn: the volume does not mind the ties,
/// and all is finite.
#[test]
fn any_lattice_pose() {
    let solids = solids();
    let trees: Vec<SolidMesh> = solids.iter().map(tree).collect();
    let mut random = SplitMix64::new(4);
    let mut touching = 0;
    for _ in 0..cases(3000) {
        let (i, j) = (random.below(6), random.below(6));
        let part = [1.0, 0.5, 0.3][random.below(3)];
        let mut pose = || {
            let turns = [
                DQuat::IDENTITY,
                DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
                DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
                DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8),
            ];
            let shift = [0; 3].map(|_| random.below(5) as f64 * part - 2.0 * part);
            Pose3::new(turns[random.below(4)], DVec3::from_array(shift)).unwrap()
        };
        let poses = [pose(), pose()];
        let found = only(&at(&solids[i], poses[0]), &at(&solids[j], poses[1]));
        let mesh = by_mesh((&trees[i], poses[0]), (&trees[j], poses[1]));
        let volume = |c: Option<Contact>| c.map_or(0.0, |c| c.volume);
        assert_near(volume(found), volume(mesh), 1e-13);
        if let Some(c) = found {
            touching += usize::from(c.volume < 1e-13);
            assert!(c.point.is_finite() && c.moment_vector.is_finite());
            assert!(c.area() < 4.0);
        }
    }
    assert!(touching > 5, "{touching}");
}

/// The gradient of the volume, by differences, for translations and rotations of both bodies.
#[test]
fn gradient_identities() {
    let solids = solids();
    let mut random = SplitMix64::new(5);
    let h = 1e-5;
    let mut checked = 0;
    for i in 0..cases(36) {
        let (a, b) = (&solids[i % 6], &solids[i / 6 % 6]);
        let poses = [random_pose(&mut random, 0.4), random_pose(&mut random, 0.4)];
        let volume =
            |poses: [Pose3; 2]| only(&at(a, poses[0]), &at(b, poses[1])).map_or(0.0, |c| c.volume);
        let Some(contact) = only(&at(a, poses[0]), &at(b, poses[1])) else {
            continue;
        };
        checked += 1;
        let moment = contact.moment_vector_about(DVec3::ZERO);
        for (axis, (body, sign)) in (0..6).map(|k| (k % 3, [(0, 1.0), (1, -1.0)][k / 3])) {
            let slope = |motion: &dyn Fn(f64) -> Pose3| {
                let at = |step: f64| {
                    let mut poses = poses;
                    poses[body] = motion(step) * poses[body];
                    volume(poses)
                };
                (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
            };
            let unit = DVec3::AXES[axis];
            let shift = slope(&|x| shifted(unit * x));
            assert_near(shift, sign * contact.area_vector[axis], 1e-8);
            let turn = |x| Pose3::new_normalize(DQuat::from_scaled_axis(unit * x), DVec3::ZERO);
            assert_near(slope(&|x| turn(x).unwrap()), sign * moment[axis], 1e-8);
        }
    }
    assert!(checked > 25);
}

/// Swapping negates; a rigid motion of both changes nothing; a power of two scales exactly.
#[test]
fn swap_motion_and_scale() {
    let solids = solids();
    let mut random = SplitMix64::new(6);
    for i in 0..cases(300) {
        let (a, b) = (&solids[i % 6], &solids[i / 6 % 6]);
        let mut poses = [random_pose(&mut random, 0.5), random_pose(&mut random, 0.5)];
        if i % 5 == 0 {
            poses = [Pose3::IDENTITY, shifted(DVec3::X * 0.5)];
        }
        if i % 7 == 0 {
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

        if i % 5 != 0 && i % 7 != 0 {
            let motion = random_pose(&mut random, 1.0);
            let moved = poses.map(|pose| motion * pose);
            let there = only(&at(a, moved[0]), &at(b, moved[1])).unwrap();
            assert_near(there.volume, forth.volume, 1e-13);
            let area = motion.transform_vector(forth.area_vector);
            assert_near_vector(there.area_vector, area, 1e-13);
        }

        let scale = 2.0_f64.powi([-120, 40, 120][i % 3]);
        let scaled = |solid: &ConvexPolyhedron| {
            let vertices = solid.vertices().iter().map(|&v| v * scale).collect();
            let faces = solid.surface().facets().map(|f| f.vertices());
            ConvexPolyhedron::new(vertices, faces).unwrap()
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

/// A solid with itself, and cut in two by a plane: the parts add up.
#[test]
fn whole_and_parts() {
    let half = block(DVec3::splat(16.0));
    let mut random = SplitMix64::new(7);
    for solid in &solids() {
        let volume = solid.volume();
        let pose = random_pose(&mut random, 3.0);
        let same = only(&at(solid, pose), &at(&solid.clone(), pose)).unwrap();
        assert_eq!(
            (same.volume, same.area_vector, same.kind),
            (volume, DVec3::ZERO, IntersectionKind::Nested)
        );
        for i in 0..cases(100) {
            let pose = match i % 3 {
                0 => Pose3::IDENTITY,
                _ => random_pose(&mut random, 0.3),
            };
            let body = at(solid, pose);
            let parts = [8.0, -8.0].map(|x| only(&body, &at(&half, shifted(DVec3::X * x))));
            let sum: f64 = parts.iter().flatten().map(|c| c.volume).sum();
            assert_near(sum, volume, 1e-14);
            if let [Some(right), Some(left)] = parts {
                let areas = right.area_vector + left.area_vector;
                // Coordinates up to 16.
                assert_near_vector(areas, DVec3::ZERO, 1e-13);
            }
        }
    }
}
