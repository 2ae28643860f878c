//! Decides what a wall contact costs: the whole of the kernel on a sphere's candidate facets, and
//! the closest point of a single triangle.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::math::closest_on_triangle;
use osculate::testing::workload::Random;
use osculate::{
    BroadPhase, DoubleHierarchy, FacetSet, LinkedCells, NarrowPhase, Sphere, SurfaceMesh,
};
use support::{CpuTime, each};

/// A square of `side` x `side` unit cells, two triangles each, with gentle hills.
fn landscape(side: u32) -> SurfaceMesh {
    let mut random = Random::new(3);
    let (row, count) = (side + 1, (side + 1) * (side + 1));
    let vertex = |i: u32| DVec3::new((i % row).into(), (i / row).into(), random.within(0.0, 0.2));
    let vertices = (0..count).map(vertex).collect();
    let cells = (0..side * side).map(|c| c / side * row + c % side);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new(vertices, triangles).unwrap()
}

/// Spheres whose centres are 0.9 radii above the ground.
fn spheres(count: usize, side: f64, radius: f64) -> Vec<Sphere<DVec3>> {
    let mut random = Random::new(4);
    let mut place = || random.within(radius, side - radius);
    (0..count)
        .map(|_| Sphere::new(DVec3::new(place(), place(), 0.1 + 0.9 * radius), radius))
        .collect()
}

fn contacts(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("sphere on 2048 triangles");
    let mesh = landscape(32);
    let facets: Vec<_> = mesh.facets().collect();
    let mut search = LinkedCells::new();
    search.rebuild(&facets).unwrap();
    for (radius, expected) in [(0.5, 929), (2.0, 1_370)] {
        let spheres = spheres(1000, 32.0, radius);
        group.throughput(each(spheres.len()));
        let candidates: Vec<Vec<u32>> = spheres
            .iter()
            .map(|sphere| {
                let mut near = Vec::new();
                search.for_each_near(sphere, |facet| near.push(facet));
                near
            })
            .collect();
        let mut kernel = DoubleHierarchy::new();
        let mut count = |sphere: &Sphere<DVec3>, near: &[u32]| {
            let mut count = 0;
            let near = FacetSet::new(&mesh, near).unwrap();
            kernel.contacts(sphere, &near, &mut (), |_| count += 1);
            count
        };
        group.bench_function(BenchmarkId::new("contacts", radius), |b| {
            b.iter(|| {
                let all = spheres.iter().zip(&candidates);
                let found: usize = all.map(|(s, near)| count(black_box(s), near)).sum();
                assert_eq!(found, expected);
            });
        });
        let mut near = Vec::new();
        group.bench_function(BenchmarkId::new("search and contacts", radius), |b| {
            b.iter(|| {
                let found: usize = spheres
                    .iter()
                    .map(|sphere| {
                        near.clear();
                        search.for_each_near(sphere, |facet| near.push(facet));
                        count(black_box(sphere), &near)
                    })
                    .sum();
                assert_eq!(found, expected);
            });
        });
    }
    group.finish();
}

fn triangles(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("triangle");
    let mut random = Random::new(5);
    let mut point = || DVec3::from_array([0; 3].map(|_| random.within(-1.0, 1.0)));
    let cases: Vec<_> = (0..1000)
        .map(|_| (point(), [point(), point(), point()]))
        .collect();
    group.throughput(each(cases.len()));
    group.bench_function("closest point", |b| {
        b.iter(|| {
            let all = cases
                .iter()
                .map(|&(p, t)| closest_on_triangle(black_box(p), t));
            let sum: f64 = all.map(|closest| closest.distance_squared).sum();
            assert_eq!(sum, 801.8576962376567);
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = contacts, triangles
}
criterion_main!(benches);
