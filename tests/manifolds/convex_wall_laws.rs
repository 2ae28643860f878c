//! Properties of convex polyhedra at walls, on scenes of all families: periodic and one-sided walls too.
//! OSCULATE_CASES sets the number of random cases.

use crate::support::cases;
use crate::support::convex::random;
use crate::support::convex_wall::{self, WallManifolds, contacts_with};
use crate::support::lattice_scene::{self, LatticeScene, WallFamily};
use osculate::glam::DVec3;
use osculate::narrow::{ConvexWall, ConvexWallContact};
use osculate::testing::properties::{MapContact, kernel, manifold};
use osculate::testing::workload::SplitMix64;
use osculate::{Contact, ConvexPolyhedron, PeriodicBox, Placed, Pose3, SurfaceMesh, Wall};

/// All coordinates of scenes are smaller.
const SIZE: f64 = 2e3;

fn scene(case: usize, random: &mut SplitMix64) -> LatticeScene {
    LatticeScene::new(WallFamily::ALL[case % 9], random.next_u64())
}

/// Returns the body and the wall of a scene, in two units of length.
fn in_two_units(scene: &LatticeScene, exponent: i32) -> [(ConvexPolyhedron, Wall); 2] {
    [1.0, 2.0_f64.powi(exponent)].map(|unit| {
        let wall = Wall::new(scene.mesh(unit).unwrap());
        (scene.body(unit).unwrap(), wall)
    })
}

/// Where a face lies on the wall, the point is one of many.
fn without_point(contact: ConvexWallContact) -> Contact {
    Contact {
        point: DVec3::ZERO,
        ..contact.into()
    }
}

#[test]
fn contacts_of_scenes() {
    let mut random = random(41);
    for case in 0..cases(300) {
        let scene = scene(case, &mut random);
        let kernel = &mut ConvexWall::new();
        let exponent = random.below(80) as i32 - 40;
        let units = in_two_units(&scene, exponent);
        let (shape, wall) = &units[0];
        let body = Placed::new(shape, Pose3::IDENTITY);
        let motion = Pose3::new(random.rotation(), random.in_ball() * SIZE).unwrap();
        let moved = |motion: &Pose3| {
            let mut wall = wall.clone();
            wall.set_pose(*motion);
            (Placed::new(shape, *motion), wall)
        };
        let scaled = |factor: f64| {
            let (shape, wall) = &units[usize::from(factor != 1.0)];
            (Placed::new(shape, Pose3::IDENTITY), wall.clone())
        };
        convex_wall::points_in_both(kernel, &body, wall, SIZE).unwrap();
        lattice_scene::finds_lattice_contacts(kernel, &scene, 1.0).unwrap();
        kernel::scales_exactly(kernel, scaled, exponent).unwrap();
        let without_points = &mut MapContact(kernel.clone(), without_point);
        kernel::moves_rigidly(without_points, moved, &motion, 2.0 * SIZE).unwrap();
        let seed = random.next_u64();
        convex_wall::independent_of_mesh(kernel, &body, wall.mesh(), SIZE, seed).unwrap();
    }
}

/// One state for many bodies, in any order.
#[test]
fn states_of_other_bodies_change_nothing() {
    let mut random = random(42);
    for case in 0..cases(300) / 10 {
        let scenes: Vec<_> = (0..3).map(|i| scene(case + i, &mut random)).collect();
        let shapes: Vec<_> = scenes.iter().map(|s| s.body(1.0).unwrap()).collect();
        let walls: Vec<_> = scenes
            .iter()
            .map(|s| Wall::new(s.mesh(1.0).unwrap()))
            .collect();
        let path: Vec<_> = (0..30)
            .map(|_| {
                let at = Pose3::from_translation(random.in_ball() * 12.0).unwrap();
                let i = random.below(3);
                (Placed::new(&shapes[i], at), walls[i].clone())
            })
            .collect();
        let kernel = &mut ConvexWall::new();
        kernel::independent_of_state(kernel, path).unwrap();
    }
}

/// On the lattice facets may be as near to one contact as to another, so shares are compared in any pose.
#[test]
fn manifolds_of_scenes() {
    let mut random = random(43);
    let (count, mut points, mut jumps) = (cases(300), 0, 0);
    for case in 0..count {
        let scene = scene(case, &mut random);
        let kernel = &mut WallManifolds(ConvexWall::new());
        let exponent = random.below(80) as i32 - 40;
        let units = in_two_units(&scene, exponent);
        let (shape, wall) = &units[0];
        let body = Placed::new(shape, Pose3::IDENTITY);
        let scaled = |factor: f64| {
            let (shape, wall) = &units[usize::from(factor != 1.0)];
            (Placed::new(shape, Pose3::IDENTITY), wall.clone())
        };
        manifold::shares_add_up(kernel, &body, wall, 0.0, SIZE).unwrap();
        manifold::names_scale_exactly(kernel, scaled, exponent).unwrap();
        let (center, turn) = (shape.centroid(), random.rotation());
        let pose = Pose3::new(turn, center - turn * center).unwrap();
        let step = Pose3::from_translation(random.in_ball() * 1e-6).unwrap();
        let [before, after] = [pose, step * pose].map(|at| (Placed::new(shape, at), wall.clone()));
        let seed = random.next_u64();
        // Of more than eight points some at one place may be folded in any order.
        let result =
            convex_wall::shares_independent_of_mesh(kernel, &before.0, wall.mesh(), 1e-6, seed);
        jumps += usize::from(result.is_err());
        // Contacts come and go with shares of their own.
        let [old, new] = [&before, &after]
            .map(|(body, wall)| contacts_with(&mut kernel.0, body, wall, &mut Default::default()));
        let is_same =
            |(a, b): (&ConvexWallContact, &ConvexWallContact)| a.normal.distance(b.normal) < 1e-3;
        if old.len() == new.len() && old.iter().zip(&new).all(is_same) {
            // Where facets go from one contact to another, shares jump.
            let result = manifold::shares_follow_motion(kernel, &before, &after, 1e-4);
            jumps += usize::from(result.is_err());
            points += old.len();
        }
    }
    println!("{points} contacts along steps, {jumps} jumps");
    assert!(points > count / 2 && 1000 * jumps < count);
}

/// A rough floor of `side` x `side` cells of size 2, over several periods.
fn floor(heights: &[f64], side: usize, periods: std::ops::Range<i32>) -> SurfaceMesh {
    let count = side * periods.len();
    let first = f64::from(periods.start) * 2.0 * side as f64;
    let at = |i: usize, j: usize| {
        let height = heights[i % side + side * (j % side)];
        DVec3::new(first + 2.0 * i as f64, first + 2.0 * j as f64, height)
    };
    let cells = (0..count * count).map(|c| (c / count, c % count));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    SurfaceMesh::from_triangles(&triangles.collect::<Vec<_>>()).unwrap()
}

/// The same contacts as with the floor laid out over several periods, anywhere, near the faces of a
/// period too, and for bodies that are larger than half a period.
#[test]
fn periods_are_one_wall() {
    let mut random = random(44);
    let (count, mut total) = (cases(300), 0);
    for case in 0..count {
        let side = 2 + random.below(3);
        let rough = [0.0, 0.25, 1.0][case % 3];
        let heights: Vec<f64> = (0..side * side)
            .map(|_| random.below(4) as f64 * rough)
            .collect();
        let length = 2.0 * side as f64;
        let period = DVec3::new(length, length, 0.0);
        let corner = DVec3::new(random.below(3) as f64 - 1.0, 0.5, 0.0);
        let mut wall = Wall::new(floor(&heights, side, 0..1));
        wall.set_period(Some(
            PeriodicBox::orthogonal(corner, period, [true, true, false]).unwrap(),
        ));
        let laid = Wall::new(floor(&heights, side, -2..3));
        let half =
            0.5 * DVec3::new(1.0, [1.0, 0.7][case % 2], 0.5) * [0.3, 0.8][random.below(2)] * length;
        let corners = (0..8).map(|i| (crate::support::convex::corner(i) * 2.0 - DVec3::ONE) * half);
        let shape = ConvexPolyhedron::from_convex_hull(&corners.collect::<Vec<_>>()).unwrap();
        let mut part = || [0.0, 1e-9, 0.5, random.unit()][random.below(4)] * length;
        let at = DVec3::new(part(), part(), half.z - 0.1 + rough);
        let turn = match case % 2 {
            0 => osculate::glam::DQuat::IDENTITY,
            _ => random.rotation(),
        };
        let mut periods = || random.below(7) as f64 - 3.0;
        let images = DVec3::new(periods(), periods(), 0.0) * period;
        let kernel = &mut ConvexWall::new();
        let [found, expected] = [(at + images, &wall), (at, &laid)].map(|(at, wall)| {
            contacts_with(
                kernel,
                &Placed::new(&shape, Pose3::new(turn, at).unwrap()),
                wall,
                &mut Default::default(),
            )
        });
        let is_in = |c: &ConvexWallContact, list: &[ConvexWallContact]| {
            list.iter()
                .any(|d| c.normal.distance(d.normal) < 1e-9 && (c.overlap - d.overlap).abs() < 1e-9)
        };
        // The centroid may be on the plane of a facet, where its side is a matter of rounding.
        let is_deep = |c: &ConvexWallContact| c.depth > 0.999 * half.min_element();
        let by_rounding = found
            .iter()
            .chain(&expected)
            .any(|c| c.depth < 1e-9 || is_deep(c));
        assert!(
            by_rounding
                || found.len() == expected.len() && found.iter().all(|c| is_in(c, &expected)),
            "{case} {found:#?} {expected:#?}"
        );
        total += found.len();
    }
    println!("{total} contacts");
    assert!(total > count / 2);
}

/// In front of a plate, deep in it and behind it: only the front counts, and both sides by the centroid.
#[test]
fn one_sided_plates() {
    let square = [(-8., -8.), (8., -8.), (8., 8.), (-8., 8.)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let wall = Wall::new(SurfaceMesh::new(square.to_vec(), [[0, 1, 2], [0, 2, 3]]).unwrap());
    let cube = crate::support::convex::cube_times(DVec3::ONE);
    let mut random = random(45);
    for case in 0..cases(300) {
        let turn = match case % 3 {
            0 => osculate::glam::DQuat::IDENTITY,
            _ => random.rotation(),
        };
        let low = cube
            .vertices()
            .iter()
            .map(|&v| (turn * v).z)
            .fold(0.0, f64::min);
        let height = -low * random.range(-1.5, 1.5);
        let at = DVec3::new(random.range(-1., 1.), random.range(-1., 1.), height);
        let body = Placed::new(&cube, Pose3::new_normalize(turn, at).unwrap());
        let found = contacts_with(
            &mut ConvexWall::new(),
            &body,
            &wall,
            &mut Default::default(),
        );
        let overlap = -low - height;
        let is_through = height.abs() < -low;
        assert_eq!(
            found.len(),
            usize::from(is_through),
            "{case} {height} {found:?}"
        );
        for contact in found {
            assert!(
                contact.normal.distance(-DVec3::Z) < 1e-12,
                "{case} {contact:?}"
            );
            assert!(
                (contact.overlap - overlap).abs() < 1e-12,
                "{case} {contact:?}"
            );
        }
    }
}
