//! Decides whether the grids are fast enough for everything built on them: rebuild and all pairs,
//! for equal spheres and mixtures of sizes. Also decides whether the levels that they choose are
//! the right ones, and from how many bodies on they beat brute force.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DVec2, DVec3};
use osculate::reference::{
    constant_count_level_sizes, exponential_level_sizes, optimal_level_sizes,
};
use osculate::testing::workload;
use osculate::{
    BroadPhase, BruteForce, HierarchicalGrid, LinkedCells, Sphere, Vector,
    broad::{HashGrid, IncrementalBroadPhase, SearchDirection},
    reference::{GridCost, GridCostModel, RadiusDistribution},
};
use support::{CpuTime, coherent, each};

/// Rebuilds and returns the number of pairs.
fn step<V: Vector>(broad: &mut impl BroadPhase<Vector = V>, spheres: &[Sphere<V>]) -> usize {
    broad.rebuild(black_box(spheres)).unwrap();
    let (mut count, mut sum) = (0, 0);
    broad.for_each_pair(|i, j| {
        sum ^= i.wrapping_mul(j);
        count += 1;
    });
    black_box(sum);
    count
}

/// Required: 60 ns per body; target: 25.
fn equal_spheres(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("equal spheres");
    let cases = [
        (0.3, 100_000, 117_966),
        (0.6, 100_000, 234_342),
        (0.3, 1_000_000, 1_188_950),
        (0.6, 1_000_000, 2_371_145),
    ];
    for (packing_fraction, count, expected) in cases {
        group.throughput(each(count));
        let random = workload::random_spheres::<DVec3>(count, packing_fraction, 1.0, 1);
        let spheres = coherent(&random);
        let mut bench = |name: &str, spheres: &[Sphere<DVec3>], broad: &mut HierarchicalGrid<_>| {
            let id = BenchmarkId::new(format!("{name}, nu {packing_fraction}"), count);
            group.bench_function(id, |b| {
                b.iter(|| assert_eq!(step(broad, spheres), expected));
            });
        };
        bench("grid", &spheres, &mut HierarchicalGrid::new());
        bench("grid, random order", &random, &mut HierarchicalGrid::new());
        let mut cells = LinkedCells::new();
        let id = BenchmarkId::new(format!("linked cells, nu {packing_fraction}"), count);
        group.bench_function(id, |b| {
            b.iter(|| assert_eq!(step(&mut cells, &spheres), expected));
        });
    }
    group.finish();
}

/// Required: 60 ns per body; target: 30, and 1.2 times the time of equal spheres. For size ratio
/// 10^4, 1.5 times the time of 100.
fn power_law(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("power law");
    let cases = [
        (-2.0, 10.0, [70_149, 709_516]),
        (-2.0, 50.0, [42_585, 433_659]),
        (-2.0, 100.0, [36_570, 375_641]),
        (-3.0, 10.0, [70_155, 708_924]),
        (-3.0, 50.0, [41_015, 430_411]),
        (-3.0, 100.0, [33_994, 370_100]),
        (-3.0, 10_000.0, [19_435, 177_808]),
    ];
    for (exponent, size_ratio, expected) in cases {
        for (count, expected) in [100_000, 1_000_000].into_iter().zip(expected) {
            group.throughput(each(count));
            let spheres = workload::power_law_spheres(count, 0.3, exponent, size_ratio, 1);
            let spheres = coherent::<DVec3>(&spheres);
            let mut grid = HierarchicalGrid::new();
            let id = BenchmarkId::new(format!("r^{exponent}, size ratio {size_ratio}"), count);
            group.bench_function(id, |b| {
                b.iter(|| assert_eq!(step(&mut grid, &spheres), expected));
            });
        }
    }
    group.finish();
}

/// The sizes that the grid chooses, against many alternatives; they should be within 5 % of the
/// best.
fn level_sizes(c: &mut Criterion<CpuTime>) {
    for (exponent, size_ratio, expected) in [(-2.0, 10.0, 70_149), (-3.0, 50.0, 41_015)] {
        let mut group = c.benchmark_group(format!("level sizes, r^{exponent}, to {size_ratio}"));
        let spheres = workload::power_law_spheres(100_000, 0.3, exponent, size_ratio, 1);
        let spheres = coherent::<DVec3>(&spheres);
        group.throughput(each(spheres.len()));
        let values: Vec<f64> = spheres.iter().map(|s| s.radius).collect();
        let radii = RadiusDistribution::new(&values).unwrap();
        let density = radii.density::<DVec3>(0.3);
        let mut bench = |name: String, mut grid: HierarchicalGrid<DVec3>| {
            group.bench_function(name, |b| {
                b.iter(|| assert_eq!(step(&mut grid, &spheres), expected));
            });
        };
        bench("chosen by itself".into(), HierarchicalGrid::new());
        let top_down = |sizes| HierarchicalGrid::new().with_level_sizes(sizes);
        for row in [2.0, 6.0, 12.0, 20.0, 30.0, 40.0, 60.0] {
            let cost = GridCost {
                row,
                ..GridCost::ROWS
            };
            let model =
                GridCostModel::new::<DVec3>(&radii, density, SearchDirection::TopDown, cost)
                    .unwrap();
            let sizes = optimal_level_sizes(&model, None);
            bench(format!("optimal for a row of {row} tests"), top_down(sizes));
        }
        let paper = GridCost::CELLS;
        let model =
            GridCostModel::new::<DVec3>(&radii, density, SearchDirection::TopDown, paper).unwrap();
        bench(
            "optimal for the paper's cost".into(),
            top_down(optimal_level_sizes(&model, None)),
        );
        for levels in 2..=6 {
            let sizes = constant_count_level_sizes::<DVec3>(&radii, levels);
            bench(format!("constant count, {levels} levels"), top_down(sizes));
            let sizes = exponential_level_sizes(&radii, levels);
            bench(format!("exponential, {levels} levels"), top_down(sizes));
        }
        let model =
            GridCostModel::new::<DVec3>(&radii, density, SearchDirection::BottomUp, GridCost::ROWS);
        let sizes = optimal_level_sizes(&model.unwrap(), None);
        let grid = HierarchicalGrid::new()
            .with_level_sizes(sizes)
            .with_direction(SearchDirection::BottomUp);
        bench("optimal, bottom-up".into(), grid);
        group.finish();
    }
}

/// Single updates of a hash grid, and queries and all pairs after them, beside the grid that is rebuilt.
///
/// Required: all pairs after updates take at most 8 times a rebuild and a search.
fn updates(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("updates");
    let equal = |count| workload::random_spheres::<DVec3>(count, 0.3, 1.0, 1);
    let mixed = |count| workload::power_law_spheres::<DVec3>(count, 0.3, -3.0, 50.0, 1);
    for (name, spheres, expected) in [
        ("equal", equal(10_000), 11_536),
        ("equal", equal(100_000), 117_966),
        ("equal", equal(320_000), 378_739),
        ("to 50", mixed(100_000), 41_015),
    ] {
        let spheres = coherent(&spheres);
        let count = spheres.len();
        group.throughput(each(count));
        let id = |what: &str| BenchmarkId::new(format!("{name}, {what}"), count);
        let mut rebuilt = HierarchicalGrid::new();
        rebuilt.rebuild(&spheres).unwrap();
        group.bench_function(id("rebuild and all pairs"), |b| {
            b.iter(|| assert_eq!(step(&mut rebuilt, &spheres), expected));
        });
        let mut grid = HashGrid::new();
        for &sphere in &spheres {
            grid.insert(sphere).unwrap();
        }
        let mut pairs = Vec::new();
        group.bench_function(id("all pairs after updates"), |b| {
            b.iter(|| {
                grid.replace(0, spheres[0]).unwrap();
                grid.collect_pairs(&mut pairs);
                assert_eq!(pairs.len(), expected);
            });
        });
        group.bench_function(id("touching, after a rebuild"), |b| {
            b.iter(|| assert_eq!(touching(&rebuilt, &spheres), count + 2 * expected));
        });
        group.bench_function(id("touching, after updates"), |b| {
            b.iter(|| assert_eq!(touching(&grid, &spheres), count + 2 * expected));
        });
        let mut random = workload::SplitMix64::new(1);
        group.bench_function(id("replace"), |b| {
            b.iter(|| {
                for body in 0..count {
                    let mut sphere = grid.spheres()[body];
                    sphere.center.x += random.range(-1.0, 1.0);
                    grid.replace(body, sphere).unwrap();
                }
            });
        });
    }
    group.finish();
}

/// Returns how often one of some bodies touches a body.
fn touching(broad: &impl BroadPhase<Vector = DVec3>, spheres: &[Sphere<DVec3>]) -> usize {
    let mut count = 0;
    for sphere in spheres {
        broad.for_each_touching(sphere, |_| count += 1);
    }
    count
}

fn discs(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("discs");
    let discs = coherent(&workload::random_spheres::<DVec2>(100_000, 0.5, 2.0, 1));
    group.throughput(each(discs.len()));
    let mut grid = HierarchicalGrid::new();
    group.bench_function("size ratio 2", |b| {
        b.iter(|| assert_eq!(step(&mut grid, &discs), 98_026));
    });
    group.finish();
}

fn few(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("few spheres");
    for (count, expected) in [(16, 10), (64, 52), (256, 263)] {
        let spheres = workload::random_spheres::<DVec3>(count, 0.3, 1.0, 1);
        group.throughput(each(count));
        let mut grid = HierarchicalGrid::new();
        group.bench_function(BenchmarkId::new("grid", count), |b| {
            b.iter(|| assert_eq!(step(&mut grid, &spheres), expected));
        });
        let mut cells = LinkedCells::new();
        group.bench_function(BenchmarkId::new("linked cells", count), |b| {
            b.iter(|| assert_eq!(step(&mut cells, &spheres), expected));
        });
        let mut brute = BruteForce::new();
        group.bench_function(BenchmarkId::new("brute force", count), |b| {
            b.iter(|| assert_eq!(step(&mut brute, &spheres), expected));
        });
    }
    group.finish();
}

/// Bodies far from each other in memory: each is a cache miss.
fn ten_million(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("ten million equal spheres");
    let random = workload::random_spheres::<DVec3>(10_000_000, 0.3, 1.0, 1);
    group.throughput(each(random.len())).sample_size(10);
    let mut grid = HierarchicalGrid::new();
    group.bench_function("random order", |b| {
        b.iter(|| assert_eq!(step(&mut grid, &random), 11_946_599));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = equal_spheres, power_law, level_sizes, updates, discs, few, ten_million
}
criterion_main!(benches);
