//! What polyhedra at walls keep from step to step: the side on which they belong, and nothing else.

use crate::support::cases;
use crate::support::convex::{Body, cube_times, polyhedron, random, vector};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallContact, ConvexWallState, WallSides};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, NarrowPhase, PeriodicBox, Placed, Pose3, SurfaceMesh, Wall};

/// A square at z = 0 of side `2 half`, in `2 count^2` triangles.
fn plate(half: f64, count: usize) -> Wall {
    let width = 2.0 * half / count as f64;
    let at = |i: usize, j: usize| {
        DVec3::new(i as f64, j as f64, 0.0) * width - DVec3::new(half, half, 0.0)
    };
    let mut triangles = Vec::new();
    for i in 0..count {
        for j in 0..count {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap())
}

fn contacts(
    kernel: &mut ConvexWall,
    body: &Body,
    wall: &Wall,
    state: &mut ConvexWallState,
) -> Vec<ConvexWallContact> {
    let mut found = Vec::new();
    kernel.for_each_contact(body, wall, state, |c| found.push(c));
    found
}

/// Pushed through a plate, along behind it, and back: the contact keeps its side, whatever the triangles.
#[test]
fn a_body_through_a_plate_belongs_where_it_came_from() {
    let cube = cube_times(DVec3::ONE);
    for (count, turn) in [(1, DQuat::IDENTITY), (7, DQuat::from_rotation_x(0.3))] {
        let wall = plate(4.0, count);
        let lowest =
            (0..8).map(|i| (turn * (crate::support::convex::corner(i) - DVec3::splat(0.5))).z);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let (mut kernel, mut state) = (ConvexWall::new(), ConvexWallState::default());
        // Down to 0.3 behind the plate, along it, up again.
        let down = (0..=9).map(|i| DVec3::new(-3.0, 0.1, 0.55 - 0.1 * f64::from(i)));
        let along = (0..60).map(|i| DVec3::new(-3.0 + 0.1 * f64::from(i), 0.1, -0.35));
        let up = (0..=9).map(|i| DVec3::new(2.9, 0.1, -0.35 + 0.1 * f64::from(i)));
        for (i, at) in down.chain(along).chain(up).enumerate() {
            let body = Placed::new(&cube, Pose3::new(turn, at).unwrap());
            let found = contacts(&mut kernel, &body, &wall, &mut state);
            let depth = -(at.z + lowest);
            let expected = usize::from(depth > 0.0);
            assert_eq!(found.len(), expected, "{i} {at}: {found:?}");
            for contact in found {
                assert!(
                    contact.normal.distance(-DVec3::Z) < 1e-12,
                    "{i} {contact:?}"
                );
                assert!((contact.overlap - depth).abs() < 1e-12, "{i} {contact:?}");
            }
        }
    }
}

/// A plate that moves through a resting body, as a pose and by its vertices.
#[test]
fn moving_walls_keep_the_side() {
    let cube = cube_times(DVec3::ONE);
    let body = Placed::new(&cube, Pose3::IDENTITY);
    let [mut by_pose, mut by_vertices] = [plate(4.0, 3), plate(4.0, 3)];
    let rest = by_vertices.mesh().vertices().to_vec();
    let mut kernel = ConvexWall::new();
    let [mut first, mut second] = [ConvexWallState::default(), ConvexWallState::default()];
    for i in 0..8 {
        let height = -0.45 + 0.1 * f64::from(i);
        let lift = DVec3::Z * height;
        by_pose.set_pose(Pose3::from_translation(lift).unwrap());
        let moved: Vec<_> = rest.iter().map(|&x| x + lift).collect();
        by_vertices.set_vertices(&moved).unwrap();
        let a = contacts(&mut kernel, &body, &by_pose, &mut first);
        let b = contacts(&mut kernel, &body, &by_vertices, &mut second);
        for found in [a, b] {
            let [only] = found[..] else {
                panic!("{height}: {found:?}")
            };
            assert!(only.normal.distance(-DVec3::Z) < 1e-12, "{height} {only:?}");
            assert!((only.overlap - (0.5 + height)).abs() < 1e-12, "{only:?}");
        }
    }
}

/// `from_side` and `forget_side`, the front, and the state of another shape.
#[test]
fn sides_can_be_given() {
    let [cube, other] = [cube_times(DVec3::ONE), cube_times(DVec3::splat(1.25))];
    let wall = plate(4.0, 2);
    let at = |z: f64| Pose3::from_translation(DVec3::Z * z).unwrap();
    let behind = Placed::new(&cube, at(-0.25));
    let mut kernel = ConvexWall::new();
    let mut state = ConvexWallState::from_side(DVec3::Z);
    let mut normal = |body: &Body, state: &mut ConvexWallState| {
        contacts(&mut kernel, body, &wall, state)[0].normal
    };
    assert_eq!(normal(&behind, &mut state), -DVec3::Z);
    assert_eq!(normal(&behind, &mut state), -DVec3::Z);
    assert_eq!(
        normal(&Placed::new(&other, at(-0.25)), &mut state),
        DVec3::Z
    );
    let mut state = ConvexWallState::from_side(DVec3::Z);
    state.forget_side();
    assert_eq!(normal(&behind, &mut state), DVec3::Z);
    // The triangles are counter-clockwise seen from above.
    let mut front = ConvexWall::new().with_sides(WallSides::Front);
    for z in [0.25, 0.0, -0.25] {
        let body = Placed::new(&cube, at(z));
        let contact = front.contact(&body, &wall).unwrap();
        assert_eq!((contact.normal, contact.overlap), (-DVec3::Z, 0.5 - z));
    }
}

/// A body whose centroid stays above the wall has the contacts of a new state, bit for bit.
#[test]
fn a_state_changes_no_contact() {
    let mut random = random(31);
    let (mut kernel, mut total) = (ConvexWall::new(), 0);
    for _ in 0..cases(100) {
        let shape = polyhedron(&mut random, 1.0);
        let mut triangle = || {
            let middle = vector(&mut random) * DVec3::new(2.0, 2.0, 0.1);
            [0; 3].map(|_| middle + vector(&mut random) * DVec3::new(1.0, 1.0, 0.1))
        };
        let triangles: Vec<_> = (0..40).map(|_| triangle()).collect();
        let wall = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
        let mut at = DVec3::new(0.0, 0.0, random.range(0.3, 1.5));
        let (mut turn, mut state) = (random.rotation(), ConvexWallState::default());
        for _ in 0..20 {
            at += vector(&mut random) * 0.1;
            turn = (DQuat::from_scaled_axis(vector(&mut random) * 0.1) * turn).normalize();
            let body = Placed::new(&shape, Pose3::new(turn, at).unwrap());
            if body.pose.transform_point(shape.centroid()).z < 0.21 {
                break;
            }
            let kept = contacts(&mut kernel, &body, &wall, &mut state);
            let new = contacts(&mut kernel, &body, &wall, &mut Default::default());
            total += new.len();
            assert_eq!(kept, new);
        }
    }
    println!("{total} contacts");
    assert!(total > 100);
}

/// A wall of facets of any size: flat with triangles and quads, or bumpy.
fn ground(random: &mut SplitMix64) -> Wall {
    let size = [0.6, 3.0, 3.0, 90.0][random.below(4)];
    let side = [1, 3, 8, [8, 24][random.below(8) / 7]][random.below(4)];
    let bumps = [0.0, 0.05, 0.05][random.below(3)];
    let row = side + 1;
    let vertices = (0..row * row).map(|i| {
        let at = DVec3::new((i % row) as f64, (i / row) as f64, 0.0) / side as f64 - 0.5;
        at.with_z(bumps * random.range(-1.0, 1.0)) * size
    });
    let vertices = vertices.collect();
    let cells = (0..side * side).map(|c| c / side * row + c % side);
    let facets = cells.flat_map(|a| {
        let [a, b, c, d] = [a, a + 1, a + row + 1, a + row].map(|i| i as u32);
        if bumps == 0.0 && a % 3 == 0 {
            vec![vec![a, b, c, d]]
        } else {
            vec![vec![a, b, c], vec![a, c, d]]
        }
    });
    Wall::new(SurfaceMesh::new(vertices, facets).unwrap())
}

/// Facets and faces are kept while a body moves little. At steps of any length and on facets of any size, contacts are
/// those of a new state, bit for bit; also when the wall moves, deforms, or is another one.
#[test]
fn kept_facets_change_no_contact() {
    let mut random = random(32);
    let mut kernel = ConvexWall::new().with_sides(WallSides::Front);
    let (mut total, mut changes) = (0, 0);
    let count = cases(400);
    for _ in 0..count {
        let shape = polyhedron(&mut random, 1.0);
        let mut walls = [ground(&mut random), ground(&mut random)];
        let step = 10.0_f64.powf(random.range(-4.0, -0.5));
        let mut at = vector(&mut random) * DVec3::new(0.3, 0.3, 0.2) + DVec3::Z * 0.4;
        let (mut turn, mut state) = (random.rotation(), ConvexWallState::default());
        let (mut drift, mut before) = ([vector(&mut random), vector(&mut random)], 0);
        for i in 0..24 {
            let [along, about] = drift;
            at += along * step * random.range(-0.2, 1.0);
            let about = about * step * [0.0, 1.0, 3.0][random.below(3)];
            turn = (DQuat::from_scaled_axis(about) * turn).normalize();
            match random.below(24) {
                0 => drift = [vector(&mut random), vector(&mut random)],
                1 => at.z = random.range(0.0, 1.0),
                2 | 3 => {
                    let mut vertices = walls[0].mesh().vertices().to_vec();
                    let lift = DVec3::Z * random.range(-0.3, 0.3);
                    vertices.iter_mut().for_each(|x| *x += lift);
                    walls[0].set_vertices(&vertices).unwrap();
                }
                4 => {
                    let pose = Pose3::new(DQuat::IDENTITY, vector(&mut random) * step);
                    walls[0].set_pose(pose.unwrap());
                }
                5 | 6 => walls.swap(0, 1),
                7 => {
                    let far = walls[0].mesh().vertices()[0].x.abs().max(1.5);
                    let (min, sides) = (DVec3::splat(-far), DVec3::splat(2.0 * far));
                    let period = PeriodicBox::orthogonal(min, sides, [true, true, false]);
                    walls[0].set_period((random.below(3) > 0).then_some(period.unwrap()));
                }
                _ => {}
            }
            let body = Placed::new(&shape, Pose3::new(turn, at).unwrap());
            let kept = contacts(&mut kernel, &body, &walls[0], &mut state);
            let new = contacts(&mut kernel, &body, &walls[0], &mut Default::default());
            assert_eq!(kept, new, "step {i} of {step}");
            total += new.len();
            changes += usize::from(i > 0 && new.len() != before);
            before = new.len();
        }
    }
    println!("{total} contacts, {changes} changes of their number");
    assert!(total > 4 * count && changes > count / 2);
}

/// On facets much larger than the body faces matter that are far from it.
#[test]
fn kept_faces_on_huge_facets() {
    let mut random = random(33);
    let mut kernel = ConvexWall::new().with_sides(WallSides::Front);
    for case in 0..cases(200) {
        let points: Vec<_> = (0..40).map(|_| vector(&mut random).normalize()).collect();
        let shape = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let size = 10.0_f64.powf(random.range(0.5, 3.0));
        let corners = [0; 3].map(|_| vector(&mut random) * DVec3::new(size, size, 0.3));
        let wall = Wall::new(SurfaceMesh::from_triangles(&[corners]).unwrap());
        let weights = [0; 3].map(|_| random.unit());
        let sum: f64 = weights.iter().sum();
        let at: DVec3 = corners
            .iter()
            .zip(weights)
            .map(|(x, w)| *x * (w / sum))
            .sum();
        let step = 10.0_f64.powf(random.range(-4.0, -1.0));
        let drift = [vector(&mut random), vector(&mut random)].map(|x| x * step);
        let (mut pose, mut state) = (random.rotation(), ConvexWallState::default());
        let lift = DVec3::Z * random.range(-0.5, 1.0);
        for i in 0..12 {
            pose = (DQuat::from_scaled_axis(drift[1]) * pose).normalize();
            let at = at + lift + drift[0] * f64::from(i);
            let body = Placed::new(&shape, Pose3::new(pose, at).unwrap());
            let kept = contacts(&mut kernel, &body, &wall, &mut state);
            let new = contacts(&mut kernel, &body, &wall, &mut Default::default());
            assert_eq!(kept, new, "{case}: step {i} of {step}, size {size}");
        }
    }
}
