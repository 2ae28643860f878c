//! Decides what the common plane of two polyhedra costs: cold and warm starts, separated and
//! overlapping at three depths, for 8, 14 and 50 vertices.
//!
//! In a sequence, the second body moves from step to step by about 0.1 % of the size and rotates by
//! 0.001 rad. The gap or depth varies within the named range. Cubes that meet at edges and corners are ties.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, CommonPlaneContact, CommonPlaneState, ConvexPolyhedron, NarrowPhase, Placed, Pose3,
};
use support::{CpuTime, each};

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

/// Vertices of the bodies; their coordinates are random on the unit sphere.
const VERTICES: [usize; 3] = [8, 14, 50];
/// Gaps relative to the radius; negative ones are depths.
const RANGES: [(&str, [f64; 2]); 4] = [
    ("apart", [0.02, 0.1]),
    ("overlap 0.05-0.5 %", [-0.005, -0.0005]),
    ("overlap 1-5 %", [-0.05, -0.01]),
    ("deep", [-0.4, -0.2]),
];
const PAIRS: usize = 32;
const STEPS: usize = 64;

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

fn shape(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let points: Vec<_> = (0..count).map(|_| vector(random).normalize()).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

/// Poses of the second body in the frame of the first, step by step.
fn sequence(
    random: &mut SplitMix64,
    [a, b]: [&ConvexPolyhedron; 2],
    [low, high]: [f64; 2],
) -> Vec<[Pose3; 2]> {
    let axis = |random: &mut SplitMix64| vector(random).normalize();
    let turn = |random: &mut SplitMix64| DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
    let first = Pose3::new_normalize(turn(random), vector(random)).unwrap();
    let mut rotation = turn(random).normalize();
    let mut offset = vector(random).normalize() * 2.0;
    let (axis, drift) = (axis(random), vector(random) * 0.001);
    let mut kernel = CommonPlane::new().with_margin(10.0).unwrap();
    let mut gap = 0.5 * (low + high);
    let mut poses = Vec::new();
    for _ in 0..STEPS {
        rotation = (DQuat::from_axis_angle(axis, 0.001) * rotation).normalize();
        offset += drift;
        gap = (gap + random.range(-0.1, 0.1) * (high - low)).clamp(low, high);
        let second = |offset| Pose3::new(rotation, first.translation() + offset).unwrap();
        // Restores the wanted gap; along the normal the gap changes as the offset does.
        for _ in 0..4 {
            let [a, b] = bodies([a, b], &[first, second(offset)]);
            let found = contact(&mut kernel, &a, &b, &mut Default::default());
            offset += found.normal * (gap + found.overlap);
        }
        poses.push([first, second(offset)]);
    }
    poses
}

fn bodies<'a>([a, b]: [&'a ConvexPolyhedron; 2], poses: &[Pose3; 2]) -> [Body<'a>; 2] {
    [Placed::new(a, poses[0]), Placed::new(b, poses[1])]
}

fn contact(
    kernel: &mut CommonPlane,
    a: &Body,
    b: &Body,
    memory: &mut CommonPlaneState<DVec3>,
) -> CommonPlaneContact<DVec3> {
    let mut found = None;
    kernel.for_each_contact(a, b, memory, |contact| found = Some(contact));
    found.unwrap()
}

fn polyhedra(c: &mut Criterion<CpuTime>) {
    for (name, range) in RANGES {
        let mut group = c.benchmark_group(format!("polyhedra: {name}"));
        group.throughput(each(PAIRS * STEPS));
        for count in VERTICES {
            let mut random = SplitMix64::new(5);
            let shapes: Vec<_> = (0..2 * PAIRS).map(|_| shape(count, &mut random)).collect();
            let pair = |i: usize| [&shapes[2 * i], &shapes[2 * i + 1]];
            let sequences: Vec<_> = (0..PAIRS)
                .map(|i| sequence(&mut random, pair(i), range))
                .collect();
            let mut kernel = CommonPlane::new().with_margin(10.0).unwrap();
            // All pairs of a step in turn, as in a simulation.
            let mut run = |is_warm: bool| {
                let mut memories = [CommonPlaneState::default(); PAIRS];
                let mut sum = 0.0;
                for step in 0..STEPS {
                    for i in 0..PAIRS {
                        let [a, b] = bodies(pair(i), &sequences[i][step]);
                        if !is_warm {
                            memories[i] = CommonPlaneState::default();
                        }
                        sum += contact(&mut kernel, black_box(&a), &b, &mut memories[i]).overlap;
                    }
                }
                sum
            };
            let expected = run(false);
            assert_eq!(run(true), expected);
            for (memory, is_warm) in [("warm", true), ("cold", false)] {
                group.bench_function(BenchmarkId::new(memory, count), |b| {
                    b.iter(|| assert_eq!(run(is_warm), expected));
                });
            }
        }
        group.finish();
    }
}

/// Cubes of a lattice that meet at an edge or a corner: every pair is a tie.
fn cubes_in_line(c: &mut Criterion<CpuTime>) {
    let corner = |i: usize| DVec3::from_array([0, 1, 2].map(|k| (i >> k & 1) as f64));
    let cube = ConvexPolyhedron::from_convex_hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner)).unwrap();
    let rotation = DQuat::from_rotation_arc(DVec3::Z, DVec3::new(0.3, 0.5, 0.8).normalize());
    let place = |i: usize| Pose3::new(rotation, rotation * corner(i)).unwrap();
    let placed: Vec<_> = (0..8).map(|i| Placed::new(&cube, place(i))).collect();
    let is_tie = |i: usize, j: usize| (i ^ j).count_ones() > 1;
    let pairs = (0..8).flat_map(|j| (0..j).map(move |i| (i, j)));
    let pairs: Vec<_> = pairs.filter(|&(i, j)| is_tie(i, j)).collect();
    let mut kernel = CommonPlane::new().with_margin(10.0).unwrap();
    let mut group = c.benchmark_group("polyhedra: cubes in line");
    group.throughput(each(pairs.len()));
    group.bench_function("edges and corners", |b| {
        b.iter(|| {
            for (i, j) in &pairs {
                let [a, b] = [black_box(&placed[*i]), &placed[*j]];
                black_box(contact(&mut kernel, a, b, &mut Default::default()));
            }
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = polyhedra, cubes_in_line
}
criterion_main!(benches);
