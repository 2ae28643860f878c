//! Decides what a wall contact costs: the whole kernel on a sphere's candidate facets, and the
//! closest point of a single triangle. Also decides whether a grid or a tree finds the candidates.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::math::closest_on_triangle;
use osculate::testing::workload::SplitMix64;
use osculate::{
    BroadPhase, DoubleHierarchy, HierarchicalGrid, LinkedCells, NarrowPhase, Skin, Sphere,
    SurfaceMesh, Wall, WallList, narrow::FacetSubset, shape::Facet,
};
use support::{CpuTime, coherent, each};

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

/// Spheres whose centers are 0.9 radii above the ground.
fn spheres(count: usize, side: f64, radius: f64) -> Vec<Sphere<DVec3>> {
    let mut random = SplitMix64::new(4);
    let mut place = || random.range(radius, side - radius);
    (0..count)
        .map(|_| Sphere::new(DVec3::new(place(), place(), 0.1 + 0.9 * radius), radius))
        .collect()
}

/// A funnel of 20,000 small triangles on two huge ones, mixed with 100 long needles.
fn funnel() -> SurfaceMesh {
    const AROUND: u32 = 200;
    const UP: u32 = 50;
    let vertex = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i % AROUND) / f64::from(AROUND);
        let up = f64::from(i / AROUND) / f64::from(UP);
        let radius = 0.2 + 0.8 * up;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.2 + up)
    };
    let mut vertices: Vec<_> = (0..AROUND * (UP + 1)).map(vertex).collect();
    let cell = |i: u32| (i, i / AROUND * AROUND + (i + 1) % AROUND);
    let mut triangles: Vec<[u32; 3]> = (0..AROUND * UP)
        .map(cell)
        .flat_map(|(a, b)| [[a, b, b + AROUND], [a, b + AROUND, a + AROUND]])
        .collect();
    let mut add = |corners: [DVec3; 3]| {
        let first = vertices.len() as u32;
        vertices.extend(corners);
        triangles.push([first, first + 1, first + 2]);
    };
    let [a, b, c, d] = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        .map(|(x, y)| 100.0 * DVec3::new(f64::from(x), f64::from(y), 0.0));
    add([a, b, c]);
    add([a, c, d]);
    let mut random = SplitMix64::new(6);
    for _ in 0..100 {
        let [x, y, lean] = [1.0, 1.0, 0.3].map(|size| random.range(-size, size));
        let foot = DVec3::new(x, y, -1.0);
        add([
            foot,
            foot + DVec3::X * 0.01,
            foot + DVec3::new(0.0, lean, 4.0),
        ]);
    }
    SurfaceMesh::new(vertices, triangles).unwrap()
}

/// Spheres that just touch the inside of the funnel.
fn spheres_in_funnel(count: usize, radius: f64) -> Vec<Sphere<DVec3>> {
    let mut random = SplitMix64::new(7);
    let mut place = || {
        let (up, angle) = (random.unit(), random.range(0.0, std::f64::consts::TAU));
        let from_axis = 0.2 + 0.8 * up - 1.2 * radius;
        DVec3::new(from_axis * angle.cos(), from_axis * angle.sin(), 0.2 + up)
    };
    (0..count).map(|_| Sphere::new(place(), radius)).collect()
}

/// Queries the facets near each sphere; `for_each_touching` is that of a broad phase or a tree.
fn ask(
    group: &mut BenchmarkGroup<CpuTime>,
    name: &str,
    spheres: &[Sphere<DVec3>],
    expected: usize,
    search: impl Fn(&Sphere<DVec3>, &mut Vec<u32>),
) {
    let mut near = Vec::new();
    group.bench_function(name, |b| {
        b.iter(|| {
            let mut count = 0;
            for sphere in spheres {
                near.clear();
                search(black_box(sphere), &mut near);
                count += near.len();
            }
            assert_eq!(count, expected);
        });
    });
}

/// The facets near spheres: by their bounding spheres in cells, by their boxes in a tree.
fn search(c: &mut Criterion<CpuTime>) {
    let (even, uneven) = (landscape(32), funnel());
    let on_ground = |radius| spheres(1000, 32.0, radius);
    let inside = |radius| spheres_in_funnel(1000, radius);
    let cases = [
        ("even, radius 0.5", &even, on_ground(0.5), [7_847, 4_679]),
        ("even, radius 2", &even, on_ground(2.0), [25_809, 15_543]),
        (
            "uneven, radius 0.01",
            &uneven,
            inside(0.01),
            [111_070, 6_277],
        ),
        (
            "uneven, radius 0.05",
            &uneven,
            inside(0.05),
            [137_370, 28_931],
        ),
    ];
    for (name, mesh, spheres, [by_spheres, by_boxes]) in &cases {
        let mut group = c.benchmark_group(format!("search: {name}"));
        group.throughput(each(spheres.len()));
        let facets: Vec<Facet> = mesh.facets().collect();
        let mut cells = LinkedCells::new();
        cells.rebuild(&facets).unwrap();
        let by_cells =
            |s: &_, near: &mut Vec<u32>| cells.for_each_touching(s, |f| near.push(f as u32));
        ask(&mut group, "linked cells", spheres, *by_spheres, by_cells);
        let mut grid = HierarchicalGrid::new();
        grid.rebuild(&facets).unwrap();
        let by_grid =
            |s: &_, near: &mut Vec<u32>| grid.for_each_touching(s, |f| near.push(f as u32));
        ask(&mut group, "grid", spheres, *by_spheres, by_grid);
        let wall = Wall::new(SurfaceMesh::clone(mesh));
        let by_tree = |s: &_, near: &mut Vec<u32>| wall.for_each_facet_near(s, |f| near.push(f));
        ask(&mut group, "tree", spheres, *by_boxes, by_tree);
        group.finish();
    }
}

/// The additional cost of a step of a deforming wall, per facet.
fn update(c: &mut Criterion<CpuTime>) {
    for (name, mesh) in [("even", landscape(32)), ("uneven", funnel())] {
        let mut group = c.benchmark_group(format!("update: {name}"));
        let facets: Vec<Facet> = mesh.facets().collect();
        group.throughput(each(facets.len()));
        let mut cells = LinkedCells::new();
        group.bench_function("linked cells: rebuild", |b| {
            b.iter(|| {
                cells.rebuild(black_box(&facets)).unwrap();
                assert_eq!(cells.len(), facets.len());
            });
        });
        let mesh = Arc::new(mesh.clone());
        group.bench_function("wall: build", |b| {
            b.iter(|| Wall::from(black_box(mesh.clone())));
        });
        let mut wall = Wall::from(mesh.clone());
        group.bench_function("wall: set_vertices", |b| {
            b.iter(|| wall.set_vertices(black_box(mesh.vertices())).unwrap());
        });
        group.finish();
    }
}

/// All bodies at once: inside the wall's box, and outside.
fn bodies(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("bodies near 2048 even facets");
    let wall = Wall::new(landscape(32));
    let inside = spheres(10_000, 32.0, 0.5);
    let up = |s: &Sphere<DVec3>| Sphere::new(s.center + DVec3::Z * 100.0, s.radius);
    let outside: Vec<_> = inside.iter().map(up).collect();
    let mut near = Vec::new();
    for (name, spheres, expected) in [("inside", inside, 47_815), ("outside", outside, 0)] {
        group.throughput(each(spheres.len()));
        group.bench_function(name, |b| {
            b.iter(|| {
                let (spheres, mut count) = (black_box(&spheres), 0);
                wall.for_each_body_near(spheres, 0.0, &mut near, |_, facets| {
                    count += facets.len();
                });
                assert_eq!(count, expected);
            });
        });
    }
    group.finish();
}

fn contacts(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("sphere on 2048 triangles");
    let wall = Wall::new(landscape(32));
    for (radius, expected) in [(0.5, 926), (2.0, 1_364)] {
        let spheres = spheres(1000, 32.0, radius);
        group.throughput(each(spheres.len()));
        let candidates: Vec<Vec<u32>> = spheres
            .iter()
            .map(|sphere| {
                let mut near = Vec::new();
                wall.for_each_facet_near(sphere, |facet| near.push(facet));
                near
            })
            .collect();
        let mut kernel = DoubleHierarchy::new();
        let mut count = |sphere: &Sphere<DVec3>, near: &[u32]| {
            let mut count = 0;
            let near = FacetSubset::new(&wall, near).unwrap();
            kernel.for_each_contact(sphere, &near, &mut Default::default(), |_| count += 1);
            count
        };
        group.bench_function(BenchmarkId::new("contacts", radius), |b| {
            b.iter(|| {
                let all = spheres.iter().zip(&candidates);
                let found: usize = all.map(|(s, near)| count(black_box(s), near)).sum();
                assert_eq!(found, expected);
            });
        });
        let mut kernel = DoubleHierarchy::new();
        group.bench_function(BenchmarkId::new("wall", radius), |b| {
            b.iter(|| {
                let mut found = 0;
                for sphere in &spheres {
                    kernel.for_each_contact(black_box(sphere), &wall, &mut (), |_| found += 1);
                }
                assert_eq!(found, expected);
            });
        });
        // Spheres that move by 1e-4 of their radius per step.
        let mut list = WallList::<()>::new(Skin::Relative(0.1)).unwrap();
        let mut step = 0;
        group.bench_function(BenchmarkId::new("list", radius), |b| {
            b.iter(|| {
                let mut found = 0;
                let moved = DVec3::splat(1e-4 * radius * f64::from(step % 8));
                step += 1;
                let sphere = |i: usize| Sphere::new(spheres[i].center + moved, radius);
                list.update_with(spheres.len(), sphere, &wall).unwrap();
                list.for_each_body(&wall, |i, near, ()| {
                    kernel.for_each_contact(black_box(&sphere(i)), near, &mut (), |_| found += 1);
                });
                assert!(20 * usize::abs_diff(found, expected) < expected);
            });
        });
        let mut near = Vec::new();
        group.bench_function(BenchmarkId::new("search and contacts", radius), |b| {
            b.iter(|| {
                let found: usize = spheres
                    .iter()
                    .map(|sphere| {
                        near.clear();
                        wall.for_each_facet_near(sphere, |facet| near.push(facet));
                        count(black_box(sphere), &near)
                    })
                    .sum();
                assert_eq!(found, expected);
            });
        });
    }
    group.finish();
}

/// How the time of a sphere grows with the wall, from the caches to memory: candidates and contacts, of spheres in the
/// order of space and in random order.
fn sizes(c: &mut Criterion<CpuTime>) {
    for (side, radii) in [
        (32, &[0.5, 2.0, 8.0][..]),
        (224, &[0.5, 2.0, 8.0]),
        (700, &[0.5, 2.0]),
    ] {
        let wall = Wall::new(landscape(side));
        for &radius in radii {
            let count = (50_000.0 / (1.0 + radius * radius)) as usize;
            let random = spheres(count, side.into(), radius);
            let sorted = coherent(&random);
            let facets = 2 * side * side;
            let mut counts = Vec::new();
            for (order, spheres) in [("sorted", sorted), ("random", random)] {
                let name = format!("sizes: {facets} facets, radius {radius}, {order}");
                let mut group = c.benchmark_group(name);
                group.throughput(each(count));
                counts.push(size_rows(&mut group, &wall, &spheres));
                group.finish();
            }
            assert_eq!(counts[0], counts[1]);
        }
    }
}

/// Measures a wall, and returns the number of candidates and contacts.
fn size_rows(
    group: &mut BenchmarkGroup<CpuTime>,
    wall: &Wall,
    spheres: &[Sphere<DVec3>],
) -> [usize; 2] {
    let mut near = Vec::new();
    let mut candidates = || -> usize {
        let mut search = |sphere| {
            near.clear();
            wall.for_each_facet_near(black_box(sphere), |facet| near.push(facet));
            near.len()
        };
        spheres.iter().map(&mut search).sum()
    };
    let mut kernel = DoubleHierarchy::new();
    let mut contacts = || {
        let mut found = 0;
        for sphere in spheres {
            kernel.for_each_contact(black_box(sphere), wall, &mut (), |_| found += 1);
        }
        found
    };
    let counts = [candidates(), contacts()];
    group.bench_function("candidates", |b| {
        b.iter(|| assert_eq!(candidates(), counts[0]))
    });
    group.bench_function("wall", |b| {
        b.iter(|| assert_eq!(contacts(), counts[1]));
    });
    // Spheres that move by 1e-4 of their radius per step.
    let mut list = WallList::<()>::new(Skin::Relative(0.1)).unwrap();
    let mut step = 0;
    group.bench_function("list", |b| {
        b.iter(|| {
            let moved = DVec3::splat(1e-4 * spheres[0].radius * f64::from(step % 8));
            step += 1;
            let mut found = 0;
            let sphere = |i: usize| Sphere::new(spheres[i].center + moved, spheres[i].radius);
            list.update_with(spheres.len(), sphere, wall).unwrap();
            list.for_each_body(wall, |i, near, ()| {
                kernel.for_each_contact(black_box(&sphere(i)), near, &mut (), |_| found += 1);
            });
            assert!(20 * usize::abs_diff(found, counts[1]) < counts[1]);
        });
    });
    counts
}

fn triangles(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("triangle");
    let mut random = SplitMix64::new(5);
    let mut point = || DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)));
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
    targets = search, bodies, update, contacts, sizes, triangles
}
criterion_main!(benches);
