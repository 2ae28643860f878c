//! Decides whether two threads are worthwhile: rebuild and all pairs into a buffer, wall clock.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::testing::workload;
use osculate::{BroadPhase, HierarchicalGrid, Sphere};
use rayon::ThreadPoolBuilder;

fn threads(c: &mut Criterion) {
    let cases = [
        (
            "equal spheres",
            workload::random_spheres(1_000_000, 0.3, 1.0, 1),
        ),
        (
            "size ratio 50",
            workload::power_law_spheres(1_000_000, 0.3, -3.0, 50.0, 1),
        ),
    ];
    for (name, random) in cases {
        let mut group = c.benchmark_group(name);
        let mut grid = HierarchicalGrid::<DVec3>::new();
        grid.rebuild(&random).unwrap();
        let spheres: Vec<Sphere<DVec3>> = grid.spatial_order().map(|i| random[i]).collect();
        group.throughput(Throughput::Elements(spheres.len() as u64));
        let (mut pairs, mut expected) = (Vec::new(), Vec::new());
        group.bench_function("serial", |b| {
            b.iter(|| {
                grid.rebuild(black_box(&spheres)).unwrap();
                grid.collect_pairs(&mut expected);
            });
        });
        for count in [1, 2] {
            let pool = ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            group.bench_function(BenchmarkId::new("threads", count), |b| {
                b.iter(|| {
                    pool.install(|| {
                        grid.par_rebuild(black_box(&spheres)).unwrap();
                        grid.par_collect_pairs(&mut pairs);
                    });
                });
            });
            assert_eq!(pairs, expected);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = threads
}
criterion_main!(benches);
