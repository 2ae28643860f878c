//! Bodies at walls that deform under them: the side on which a body belongs moves along with the wall.

use crate::support::cases;
use crate::support::convex::{cube_times, random, vector};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallState};
use osculate::shape::SegmentMesh;
use osculate::testing::workload::SplitMix64;
use osculate::{ConvexPolygon, NarrowPhase, PeriodicBox, Placed, Pose2, Pose3, SurfaceMesh, Wall};

/// Returns the contacts with the state, and with a new one.
macro_rules! kept_and_new {
    ($body:expr, $wall:expr, $state:expr) => {{
        let (mut kept, mut new) = (Vec::new(), Vec::new());
        let mut kernel = ConvexWall::new();
        kernel.for_each_contact($body, $wall, $state, |c| kept.push(c));
        kernel.for_each_contact($body, $wall, &mut Default::default(), |c| new.push(c));
        (kept, new)
    }};
}

/// The vertices of a strip of squares along x, 0.5 wide and 2 long, from `start` on.
fn strip_vertices(start: f64, count: u32, height: impl Fn(f64) -> f64) -> Vec<DVec3> {
    let at = |i| start + 0.5 * f64::from(i);
    let row = |x| [-1.0, 1.0].map(|y| DVec3::new(x, y, height(x)));
    (0..=count).flat_map(|i| row(at(i))).collect()
}

fn strip(start: f64, count: u32) -> Wall {
    let squares = (0..count).map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
    let vertices = strip_vertices(start, count, |_| 0.0);
    Wall::new(SurfaceMesh::new(vertices, squares).unwrap())
}

/// Facets far from the centroid rotate, by angles that would take the centroid through the wall.
#[test]
fn a_floor_that_bends_under_a_plank() {
    let (plank, mut wall) = (cube_times(DVec3::new(4.0, 0.5, 0.2)), strip(-4.0, 16));
    let body = Placed::new(&plank, Pose3::from_translation(DVec3::Z * 0.09).unwrap());
    let mut state = ConvexWallState::default();
    kept_and_new!(&body, &wall, &mut state);
    let bent = |x: f64| if x.abs() == 1.5 { -0.05 } else { 0.0 };
    wall.set_vertices(&strip_vertices(-4.0, 16, bent)).unwrap();
    let (kept, new) = kept_and_new!(&body, &wall, &mut state);
    assert_eq!(kept, new);
    assert_eq!(
        (kept[0].normal, kept[0].overlap),
        (-DVec3::Z, 0.010000000000000009)
    );
}

/// The body is many periods away from the mesh.
#[test]
fn a_periodic_floor_with_waves() {
    let cube = cube_times(DVec3::ONE);
    let at = DVec3::new(1235.2, 0.0, 0.49);
    let body = Placed::new(&cube, Pose3::from_translation(at).unwrap());
    for amplitude in [0.001, -0.001] {
        let mut wall = strip(0.0, 20);
        let sides = DVec3::X * 10.0;
        let period = PeriodicBox::orthogonal(DVec3::ZERO, sides, [true, false, false]);
        wall.set_period(Some(period.unwrap()));
        let mut state = ConvexWallState::default();
        kept_and_new!(&body, &wall, &mut state);
        let wave = |x: f64| amplitude * (std::f64::consts::TAU * x / 10.0).sin();
        wall.set_vertices(&strip_vertices(0.0, 20, wave)).unwrap();
        let (kept, new) = kept_and_new!(&body, &wall, &mut state);
        assert_eq!(kept, new);
    }
}

/// A random height at each of `count` places, the last as the first.
fn heights(random: &mut SplitMix64, count: usize, amplitude: f64) -> Vec<f64> {
    let mut heights: Vec<_> = (1..count)
        .map(|_| random.range(-amplitude, amplitude))
        .collect();
    heights.push(heights[0]);
    heights
}

/// Boxes of any shape on rough floors whose vertices all move in each step, also with periods. The floor moves by less
/// than the height of the centroids above it, and rotates by less than 1 rad, so the contacts are those of a new state.
#[test]
fn rough_floors_that_deform() {
    const SIDE: usize = 9;
    let mut random = random(41);
    let mut total = 0;
    for case in 0..cases(300) {
        let half = DVec3::from_array([0; 3].map(|_| 10.0_f64.powf(random.range(-1.0, 0.0))));
        let shape = cube_times(half * 2.0);
        let amplitude = 0.15 * half.z.min(0.5);
        let is_periodic = random.below(2) == 0;
        let columns = |random: &mut SplitMix64| {
            let rows: Vec<_> = (1..SIDE)
                .map(|_| heights(random, SIDE, amplitude))
                .collect();
            let rows = rows.iter().chain(&rows[..1]).flatten().enumerate();
            let at = |i: usize| [i % SIDE, i / SIDE].map(|k| 0.5 * k as f64 - 2.0);
            rows.map(|(i, &z)| DVec3::new(at(i)[0], at(i)[1], z))
                .collect::<Vec<_>>()
        };
        let cells = (0..(SIDE - 1) * (SIDE - 1)).map(|c| c / (SIDE - 1) * SIDE + c % (SIDE - 1));
        let facets = cells.flat_map(|a| {
            let [a, b, c, d] = [a, a + 1, a + SIDE + 1, a + SIDE].map(|i| i as u32);
            [[a, b, c], [a, c, d]]
        });
        let mut wall = Wall::new(SurfaceMesh::new(columns(&mut random), facets).unwrap());
        let mut at = (vector(&mut random) * 0.5).with_z(0.9 * half.z);
        if is_periodic {
            let (min, sides) = (DVec3::splat(-2.0), DVec3::splat(4.0));
            let period = PeriodicBox::orthogonal(min, sides, [true, true, false]);
            wall.set_period(Some(period.unwrap()));
            at += DVec3::new(4.0, -4.0, 0.0) * random.below(1000) as f64;
        }
        let turn = DQuat::from_rotation_z(random.range(0.0, 3.0));
        let body = Placed::new(&shape, Pose3::new(turn, at).unwrap());
        let mut state = ConvexWallState::default();
        for step in 0..8 {
            let (kept, new) = kept_and_new!(&body, &wall, &mut state);
            assert_eq!(kept, new, "case {case}, step {step}");
            total += new.len();
            wall.set_vertices(&columns(&mut random)).unwrap();
        }
    }
    assert!(total > 500, "{total}");
}

/// The same in 2D.
#[test]
fn rough_lines_that_deform() {
    const COUNT: usize = 17;
    let mut random = random(42);
    let mut total = 0;
    for case in 0..cases(1000) {
        let half = DVec2::from_array([0; 2].map(|_| 10.0_f64.powf(random.range(-1.0, 0.0))));
        let corners = [
            -DVec2::ONE,
            DVec2::new(1.0, -1.0),
            DVec2::ONE,
            DVec2::new(-1.0, 1.0),
        ];
        let shape = ConvexPolygon::new(corners.map(|x| x * half).to_vec()).unwrap();
        let vertices = |random: &mut SplitMix64| {
            let heights = heights(random, COUNT, 0.15 * half.y.min(0.25))
                .into_iter()
                .enumerate();
            heights
                .map(|(i, y)| DVec2::new(0.25 * i as f64 - 2.0, y))
                .collect::<Vec<_>>()
        };
        let segments = (0..COUNT as u32 - 1).map(|i| [i + 1, i]).collect();
        let mut wall = Wall::new(SegmentMesh::new(vertices(&mut random), segments).unwrap());
        let mut at = DVec2::new(random.range(-0.5, 0.5), 0.9 * half.y);
        if random.below(2) == 0 {
            let (min, sides) = (DVec2::splat(-2.0), DVec2::splat(4.0));
            let period = PeriodicBox::orthogonal(min, sides, [true, false, false]);
            wall.set_period(Some(period.unwrap()));
            at.x += 4.0 * random.below(1000) as f64;
        }
        let body = Placed::new(&shape, Pose2::from_translation(at).unwrap());
        let mut state = ConvexWallState::default();
        for step in 0..8 {
            let (kept, new) = kept_and_new!(&body, &wall, &mut state);
            assert_eq!(kept, new, "case {case}, step {step}");
            total += new.len();
            wall.set_vertices(&vertices(&mut random)).unwrap();
        }
    }
    assert!(total > 500, "{total}");
}
