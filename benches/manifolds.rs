//! Decides what contact manifolds of polyhedra cost: the points for a given normal, the whole kernel with
//! a state per pair, and beside them pressure fields and the intersection volume. Penetration depths are 1 % of the size;
//! half of the cubes lie on each other, turned about the common normal.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, ConvexConvex, ConvexPolyhedron, ElasticBed, ElasticBedState, NarrowPhase, Placed,
    Pose3,
};
use support::{CpuTime, each};

type Body<'a> = Placed<&'a ConvexPolyhedron>;

const PAIRS: usize = 256;
/// Vertices of the bodies.
const VERTICES: [usize; 3] = [8, 14, 50];

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

fn shape(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let points: Vec<_> = if count == 8 {
        (0..8).map(cube).collect()
    } else {
        (0..count)
            .map(|_| vector(random).normalize() * random.range(0.85, 1.0))
            .collect()
    };
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

/// Returns the poses of two bodies that overlap by 0.01 along the shortest separating translation.
fn poses(i: usize, shapes: [&ConvexPolyhedron; 2], random: &mut SplitMix64) -> [Pose3; 2] {
    let mut turns = [random.rotation(), random.rotation()];
    let mut direction = vector(random).normalize();
    if shapes[0].vertices().len() == 8 && i.is_multiple_of(2) {
        let world = random.rotation();
        turns = [
            world,
            world * DQuat::from_rotation_z(random.range(0.0, 1.0)),
        ];
        direction = world * (DVec3::Z + 0.1 * direction).normalize();
    }
    let at = |s: f64| [0, 1].map(|i| Pose3::new(turns[i], direction * (s * i as f64)).unwrap());
    let mut kernel = CommonPlane::new();
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let [a, b] = bodies(shapes, &at(middle));
        let is_deep = kernel.contact(&a, &b).is_some_and(|c| c.overlap > 0.01);
        *(if is_deep { &mut low } else { &mut high }) = middle;
    }
    at(low)
}

fn bodies<'a>([a, b]: [&'a ConvexPolyhedron; 2], poses: &[Pose3; 2]) -> [Body<'a>; 2] {
    [Placed::new(a, poses[0]), Placed::new(b, poses[1])]
}

fn manifolds(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("manifolds");
    group.throughput(each(PAIRS));
    for count in VERTICES {
        let mut random = SplitMix64::new(7);
        let shapes: Vec<_> = (0..2 * PAIRS).map(|_| shape(count, &mut random)).collect();
        let pair = |i: usize| [&shapes[2 * i], &shapes[2 * i + 1]];
        let poses: Vec<_> = (0..PAIRS).map(|i| poses(i, pair(i), &mut random)).collect();
        let pairs: Vec<_> = (0..PAIRS).map(|i| bodies(pair(i), &poses[i])).collect();
        let mut volume = ConvexConvex::new();
        let normals: Vec<_> = pairs
            .iter()
            .map(|[a, b]| volume.contact(a, b).and_then(|c| c.normal()).unwrap())
            .collect();
        let mut bed = ElasticBed::new();
        let mut states = vec![ElasticBedState::default(); PAIRS];

        group.bench_function(BenchmarkId::new("points", count), |b| {
            b.iter(|| {
                let mut points = 0;
                for (([a, b], normal), state) in pairs.iter().zip(&normals).zip(&mut states) {
                    let manifold = bed.manifold(black_box(a), b, *normal, state);
                    points += manifold.map_or(0, |m| m.points().len());
                }
                assert!(points >= PAIRS);
            });
        });
        group.bench_function(BenchmarkId::new("kernel", count), |b| {
            b.iter(|| {
                let mut points = 0;
                for ([a, b], state) in pairs.iter().zip(&mut states) {
                    let manifold = bed.contact_with(black_box(a), b, state);
                    points += manifold.map_or(0, |m| m.points().len());
                }
                assert!(points >= PAIRS);
            });
        });
        for (name, weight) in [("two fields", 0.5), ("one field", 1.0)] {
            let mut kernel = PressureField::new().with_weight_of_first(weight).unwrap();
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| {
                    let contacts = pairs.iter().map(|[a, b]| kernel.contact(black_box(a), b));
                    assert!(contacts.flatten().map(|c| c.load).sum::<f64>() > 0.0);
                });
            });
        }
        group.bench_function(BenchmarkId::new("intersection volume", count), |b| {
            b.iter(|| {
                let volumes = pairs.iter().map(|[a, b]| volume.contact(black_box(a), b));
                assert!(volumes.flatten().map(|c| c.volume).sum::<f64>() > 0.0);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = manifolds
}
criterion_main!(benches);
