//! Decides whether a pair list is worth its memory: a step with it against a rebuild, with and
//! without a periodic box. Decides which skin suits a stream, and whether its common motion is subtracted.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::testing::workload;
use osculate::{
    BroadPhase, HierarchicalGrid, LinkedCells, NeighborLists, PairList, Periodic, PeriodicBox,
    Skin, Sphere,
};
use support::{CpuTime, coherent, each};

const COUNT: usize = 100_000;

fn bodies() -> Vec<Sphere<DVec3>> {
    coherent(&workload::random_spheres::<DVec3>(COUNT, 0.3, 1.0, 1))
}

/// Moves the bodies a little, inside their skins.
fn moved(spheres: &[Sphere<DVec3>]) -> Vec<Sphere<DVec3>> {
    let mut random = workload::SplitMix64::new(2);
    let mut aside = |s: &Sphere<DVec3>| {
        let offset = DVec3::from_array([0; 3].map(|_| random.range(-0.05, 0.05)));
        Sphere::new(s.center + offset, s.radius)
    };
    spheres.iter().map(&mut aside).collect()
}

/// A step without rebuild; asserts the number of pairs.
fn kept_step<B: BroadPhase<Vector = DVec3>>(
    list: &mut PairList<B>,
    spheres: &[Sphere],
    expected: usize,
) {
    let spheres = black_box(spheres);
    let is_rebuilt = list.update(spheres).unwrap();
    let (mut count, mut sum) = (0, 0);
    list.for_each_touching_pair(|i, j, _| {
        sum += i ^ j;
        count += 1;
    });
    black_box(sum);
    assert_eq!((is_rebuilt, count), (false, expected));
}

fn kept(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("kept list");
    group.throughput(each(COUNT));
    let spheres = bodies();
    let moved = moved(&spheres);

    let mut list = PairList::new(LinkedCells::new(), Skin::Relative(0.1)).unwrap();
    list.update(&spheres).unwrap();
    assert_eq!(list.pairs().len(), 156_496);
    group.bench_function("update and pairs", |b| {
        b.iter(|| kept_step(&mut list, &moved, 117_908));
    });
    group.bench_function("update", |b| {
        b.iter(|| assert!(!list.update(&moved).unwrap()));
    });
    // Of counts of steps in contact; those of separated pairs are reset in the same pass.
    let mut resets = PairList::<_, u32>::new(LinkedCells::new(), Skin::Relative(0.1)).unwrap();
    for (name, is_reset) in [("counts", false), ("counts, reset", true)] {
        resets = if is_reset {
            resets.with_reset()
        } else {
            resets
        };
        resets.update(&spheres).unwrap();
        group.bench_function(format!("update and pairs, {name}"), |b| {
            b.iter(|| {
                assert!(!resets.update(black_box(&moved)).unwrap());
                let mut pairs = 0;
                resets.for_each_touching_pair(|_, _, count| {
                    *count += 1;
                    pairs += 1;
                });
                assert_eq!(pairs, 117_908);
            });
        });
    }
    group.bench_function("rebuild", |b| {
        b.iter(|| {
            list.clear();
            list.update(&spheres).unwrap()
        });
    });

    let side = spheres
        .iter()
        .fold(0.0, |max: f64, s| max.max(s.center.max_element()));
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(side.next_up()), [true; 3]);
    let cells = Periodic::new(LinkedCells::new(), period.unwrap());
    let mut list = PairList::new(cells, Skin::Relative(0.1)).unwrap();
    list.update(&spheres).unwrap();
    group.bench_function("update and pairs, periodic", |b| {
        b.iter(|| kept_step(&mut list, &moved, 120_410));
    });
    group.finish();
}

fn periodic(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("rebuild and pairs");
    group.throughput(each(COUNT));
    let spheres = bodies();
    let side = spheres
        .iter()
        .fold(0.0, |max: f64, s| max.max(s.center.max_element()));
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(side.next_up()), [true; 3]);
    let mut pairs = Vec::new();
    let mut open = LinkedCells::new();
    group.bench_function("open", |b| {
        b.iter(|| {
            open.rebuild(black_box(&spheres)).unwrap();
            open.collect_pairs(&mut pairs);
            assert_eq!(pairs.len(), 117_966);
        });
    });
    let mut closed = Periodic::new(LinkedCells::new(), period.unwrap());
    group.bench_function("periodic", |b| {
        b.iter(|| {
            closed.rebuild(black_box(&spheres)).unwrap();
            closed.collect_pairs(&mut pairs);
            assert_eq!(pairs.len(), 120_445);
        });
    });
    let mut lists = NeighborLists::new();
    group.bench_function("half list from pairs", |b| {
        b.iter(|| {
            lists.fill_half(COUNT, black_box(&pairs)).unwrap();
            assert_eq!(lists.indices().len(), pairs.len());
        });
    });
    group.bench_function("full list from pairs", |b| {
        b.iter(|| {
            lists.fill_full(COUNT, black_box(&pairs)).unwrap();
            assert_eq!(lists.indices().len(), 2 * pairs.len());
        });
    });
    group.finish();
}

/// Rebuilds of the grid alone, and of a list of it in a periodic box.
fn recommended(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("grid and periodic list");
    group.throughput(each(COUNT));
    let wide = workload::power_law_spheres::<DVec3>(COUNT, 0.3, -3.0, 50.0, 1);
    for (name, spheres) in [("equal", bodies()), ("r^-3, ratio 50", coherent(&wide))] {
        let side = spheres.iter().map(|s| s.center.max_element());
        let side = DVec3::splat(side.fold(0.0, f64::max).next_up());
        let mut pairs = Vec::new();
        let mut grid = HierarchicalGrid::new();
        group.bench_function(format!("{name}, grid"), |b| {
            b.iter(|| {
                grid.rebuild(black_box(&spheres)).unwrap();
                grid.collect_pairs(&mut pairs);
            });
        });
        let period = PeriodicBox::orthogonal(DVec3::ZERO, side, [true; 3]).unwrap();
        let grid = Periodic::new(HierarchicalGrid::new(), period);
        let mut list = PairList::<_>::new(grid, Skin::Relative(0.1)).unwrap();
        group.bench_function(format!("{name}, list"), |b| {
            b.iter(|| {
                list.clear();
                list.update(black_box(&spheres)).unwrap()
            });
        });
        assert!(pairs.len() < list.pairs().len());
    }
    group.finish();
}

/// Steps of a stream.
const STEPS: usize = 48;

/// A stream falls by 0.03 radii a step and spreads by up to 0.002.
fn stream(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("stream");
    group.throughput(each(STEPS * COUNT));
    let mut random = workload::SplitMix64::new(3);
    let spheres = bodies();
    let spread = |_: &Sphere<DVec3>| DVec3::from_array([0; 3].map(|_| random.range(-0.001, 0.001)));
    let velocities: Vec<_> = spheres.iter().map(spread).collect();
    let mut run = |name: &str, skin: f64, subtracted: DVec3, rebuilds: usize| {
        let mut list = PairList::<_>::new(HierarchicalGrid::new(), Skin::Relative(skin)).unwrap();
        group.bench_function(name, |b| {
            b.iter(|| {
                list.clear();
                let (mut rebuilt, mut count) = (0, 0);
                for step in 0..STEPS {
                    let at = |i: usize| {
                        let velocity = velocities[i] - DVec3::Z * 0.03 - subtracted;
                        let center = spheres[i].center + velocity * step as f64;
                        Sphere::new(center, spheres[i].radius)
                    };
                    rebuilt += usize::from(list.update_with(COUNT, at).unwrap());
                    list.for_each_touching_pair(|_, _, _| count += 1);
                }
                assert!(black_box(count) > STEPS * COUNT);
                assert_eq!(rebuilt, rebuilds);
            });
        });
    };
    for (skin, rebuilds) in [(0.1, 12), (0.2, 7), (0.3, 5), (0.5, 3)] {
        run(&format!("skin {skin}"), skin, DVec3::ZERO, rebuilds);
    }
    run(
        "skin 0.1, without the common motion",
        0.1,
        -DVec3::Z * 0.03,
        1,
    );
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = kept, periodic, recommended, stream
}
criterion_main!(benches);
