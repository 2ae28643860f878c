//! Decides whether both stages of the double hierarchy are fast enough. The first rules out facets
//! that do not touch; a cell-based search returns thirty facets for each one that touches. The
//! second finds the contacts among the 20 to 25 facets that a sphere touches, compared with the
//! paper's Tables 3 and 4.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::math::closest_on_polygon;
use osculate::reference::sequential_double_hierarchy;
use osculate::testing::workload::SplitMix64;
use osculate::{DoubleHierarchy, NarrowPhase, Sphere, SurfaceMesh, Wall, narrow::FacetSubset};
use support::{CpuTime, each};

/// A square of `side` x `side` unit cells, two triangles each, with gentle hills.
fn landscape(side: u32) -> SurfaceMesh {
    let mut random = SplitMix64::new(3);
    let (row, count) = (side + 1, (side + 1) * (side + 1));
    let vertex = |i: u32| DVec3::new((i % row).into(), (i / row).into(), random.range(0.0, 0.2));
    let vertices = (0..count).map(vertex).collect();
    let cells = (0..side * side).map(|c| c / side * row + c % side);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    SurfaceMesh::new(vertices, triangles).unwrap()
}

/// Spheres 0.9 radii above the ground, each with the facets closer than `reach`, in random order.
fn spheres(mesh: &SurfaceMesh, radius: f64, reach: f64) -> Vec<(Sphere<DVec3>, Vec<u32>)> {
    let mut random = SplitMix64::new(4);
    let corners: Vec<Vec<DVec3>> = mesh.facets().map(|f| f.corners().collect()).collect();
    let mut sphere = || {
        let [x, y] = [0; 2].map(|_| random.range(4.0, 28.0));
        let center = DVec3::new(x, y, 0.1 + 0.9 * radius);
        let is_near = |f: &u32| {
            let closest = closest_on_polygon(center, &corners[*f as usize]);
            closest.distance_squared < reach * reach
        };
        let mut near: Vec<u32> = (0..corners.len() as u32).filter(is_near).collect();
        random.shuffle(&mut near);
        (Sphere::new(center, radius), near)
    };
    (0..500).map(|_| sphere()).collect()
}

fn count(wall: &Wall, all: &[(Sphere<DVec3>, Vec<u32>)]) -> usize {
    let (mut found, mut kernel) = (0, DoubleHierarchy::new());
    for (sphere, near) in all {
        let near = FacetSubset::new(wall, near).unwrap();
        let last = &mut Default::default();
        kernel.for_each_contact(black_box(sphere), &near, last, |_| found += 1);
    }
    found
}

fn stages(c: &mut Criterion<CpuTime>) {
    let mesh = landscape(32);
    let wall = Wall::new(mesh.clone());
    let facets = |all: &[(Sphere<DVec3>, Vec<u32>)]| -> usize {
        all.iter().map(|(_, near)| near.len()).sum()
    };

    let all = spheres(&mesh, 0.125, 1.7);
    let mut group = c.benchmark_group("h2: thirty facets for one that touches, a facet");
    let offered: usize = facets(&all);
    assert!((29..=31).contains(&(offered / all.len())), "{offered}");
    let expected = count(&wall, &all);
    group.throughput(each(offered));
    group.bench_function("all", |b| {
        b.iter(|| assert_eq!(count(&wall, &all), expected))
    });
    // The difference to the touching facets alone is the first stage.
    let touches = |sphere: &Sphere<DVec3>, facet: &u32| {
        let corners: Vec<DVec3> = mesh.facet(*facet).unwrap().corners().collect();
        let closest = closest_on_polygon(sphere.center, &corners);
        closest.distance_squared < sphere.radius * sphere.radius
    };
    let mut few = all.clone();
    for (sphere, near) in &mut few {
        near.retain(|facet| touches(sphere, facet));
    }
    println!("{} of {offered} facets touch", facets(&few));
    group.bench_function("touching", |b| {
        b.iter(|| assert_eq!(count(&wall, &few), expected))
    });
    group.finish();

    let all = spheres(&mesh, 3.2, 3.2);
    let mut group = c.benchmark_group("h2: facets that all touch, a sphere");
    let touching: usize = facets(&all);
    println!("{} facets a sphere", touching as f64 / all.len() as f64);
    group.throughput(each(all.len()));
    let expected = count(&wall, &all);
    group.bench_function("crate", |b| {
        b.iter(|| assert_eq!(count(&wall, &all), expected))
    });
    let mut found = Vec::new();
    let mut sequential = || {
        let mut sum = 0;
        for (sphere, near) in &all {
            sequential_double_hierarchy(&mesh, near, black_box(sphere), &mut found).unwrap();
            sum += found.len();
        }
        sum
    };
    let theirs = sequential();
    assert!(
        theirs > expected,
        "the paper's method finds false contacts: {theirs} {expected}"
    );
    group.bench_function("Tables 3 and 4", |b| {
        b.iter(|| assert_eq!(sequential(), theirs))
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = stages
}
criterion_main!(benches);
