//! Decides whether linked cells are fast enough to stand under everything else, and from how many
//! bodies on they beat brute force.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DVec2, DVec3};
use osculate::testing::workload;
use osculate::{BroadPhase, BruteForce, LinkedCells, Sphere, Vector};
use support::{CpuTime, each};

/// Rebuild and all pairs; the pair count is asserted.
fn step<V: Vector>(broad: &mut impl BroadPhase<V>, spheres: &[Sphere<V>], expected: usize) {
    broad.rebuild(black_box(spheres)).unwrap();
    let mut count = 0;
    broad.for_each_pair(|i, j| {
        black_box((i, j));
        count += 1;
    });
    assert_eq!(count, expected);
}

/// Bodies in the order of their cells, as a simulation that sorts now and then has them.
fn coherent<V: Vector>(mut spheres: Vec<Sphere<V>>) -> Vec<Sphere<V>> {
    let cell = |s: &Sphere<V>| {
        let coordinate = |axis: usize| (s.center[axis] * 0.25) as i64;
        [V::DIM - 1, 1, 0].map(coordinate)
    };
    spheres.sort_by_key(cell);
    spheres
}

fn spheres(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("spheres");
    for (count, expected) in [(100_000, 117_966), (1_000_000, 1_188_950)] {
        group.throughput(each(count));
        let random = workload::random_spheres::<DVec3>(count, 0.3, 1.0, 1);
        let sorted = coherent(random.clone());
        let mut cells = LinkedCells::new();
        for (order, spheres) in [("coherent", sorted), ("random order", random)] {
            group.bench_function(BenchmarkId::new(order, count), |b| {
                b.iter(|| step(&mut cells, &spheres, expected));
            });
        }
    }
    group.finish();
}

fn discs(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("discs");
    let discs = coherent(workload::random_spheres::<DVec2>(100_000, 0.5, 2.0, 1));
    group.throughput(each(discs.len()));
    let mut cells = LinkedCells::new();
    group.bench_function("size ratio 2", |b| {
        b.iter(|| step(&mut cells, &discs, 98_026))
    });
    group.finish();
}

fn few(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("few spheres");
    for (count, expected) in [(16, 10), (64, 52), (256, 263)] {
        let spheres = workload::random_spheres::<DVec3>(count, 0.3, 1.0, 1);
        group.throughput(each(count));
        let mut cells = LinkedCells::new();
        group.bench_function(BenchmarkId::new("linked cells", count), |b| {
            b.iter(|| step(&mut cells, &spheres, expected));
        });
        let mut brute = BruteForce::new();
        group.bench_function(BenchmarkId::new("brute force", count), |b| {
            b.iter(|| step(&mut brute, &spheres, expected));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = spheres, discs, few
}
criterion_main!(benches);
