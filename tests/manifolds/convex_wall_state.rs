//! What polyhedra at walls keep from step to step: facets, which change no contact.

use crate::support::cases;
use crate::support::convex::{polyhedron, random, vector};
use crate::support::convex_wall::contacts_with;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallState};
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolyhedron, PeriodicBox, Placed, Pose3, SurfaceMesh, Wall};

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
    let mut kernel = ConvexWall::new();
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
            let kept = contacts_with(&mut kernel, &body, &walls[0], &mut state);
            let new = contacts_with(&mut kernel, &body, &walls[0], &mut Default::default());
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
    let mut kernel = ConvexWall::new();
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
            let kept = contacts_with(&mut kernel, &body, &wall, &mut state);
            let new = contacts_with(&mut kernel, &body, &wall, &mut Default::default());
            assert_eq!(kept, new, "{case}: step {i} of {step}, size {size}");
        }
    }
}
