//! Decides what the contact volume of two meshes costs by shape and size, how much of it is the
//! search for the faces, and which of three strategies finds them fastest (Feng 2021, section 4.6).

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec2, DVec3};
use osculate::testing::workload;
use osculate::{
    Aabb, Bounded, ContactVolume, MeshMesh, NarrowPhase, Placed, Pose2, Pose3, SolidMesh,
    narrow::PolygonPolygon,
    shape::{BoxTree, Polygon},
};
use support::CpuTime;

type Body<'a> = Placed<&'a SolidMesh, DVec3>;

fn volume(kernel: &mut MeshMesh, a: &Body, b: &Body) -> f64 {
    let mut volume = 0.0;
    let add = |contact: ContactVolume<DVec3>| volume += contact.volume;
    kernel.for_each_contact(a, b, &mut Default::default(), add);
    volume
}

/// 10 pairs of rotated bodies of a shape, which share the given part of one's volume, to 0.1 %.
fn pairs(shape: &SolidMesh, part: f64) -> Vec<[Body<'_>; 2]> {
    let mut random = workload::SplitMix64::new(9);
    let mut kernel = MeshMesh::new();
    let turn = |random: &mut workload::SplitMix64| {
        DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize()
    };
    (0..10)
        .map(|_| {
            let turns = [turn(&mut random), turn(&mut random)];
            let axis = turn(&mut random) * DVec3::X;
            let place = |x: f64| {
                let at =
                    |i: usize, x: f64| Placed::new(shape, Pose3::new(turns[i], axis * x).unwrap());
                [at(0, 0.0), at(1, x)]
            };
            let wanted = part * shape.volume();
            let (mut near, mut far) = (0.0, 2.5 * shape.bounding_sphere().radius);
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                let [a, b] = place(middle);
                let is_more = volume(&mut kernel, &a, &b) > wanted;
                *(if is_more { &mut near } else { &mut far }) = middle;
            }
            let [a, b] = place(near);
            assert!((volume(&mut kernel, &a, &b) / wanted - 1.0).abs() < 1e-3);
            [a, b]
        })
        .collect()
}

fn shapes() -> Vec<(&'static str, SolidMesh, f64)> {
    let shapes = [
        ("rock 1246", workload::rock(625, 0.5, 1), 0.002),
        ("bolt 1968", workload::bolt(24, 41), 0.01),
        ("torus 2000", workload::torus(1.0, 0.3, 50, 20), 0.01),
        ("sphere 320", workload::sphere(2, 1.0), 0.002),
        ("sphere 1280", workload::sphere(3, 1.0), 0.002),
        ("sphere 5120", workload::sphere(4, 1.0), 0.002),
        ("sphere 20480", workload::sphere(5, 1.0), 0.002),
    ];
    let shapes = shapes.into_iter();
    shapes
        .map(|(name, solid, part)| (name, solid.unwrap(), part))
        .collect()
}

/// Microseconds per pair.
fn meshes(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("contact volume");
    for (name, shape, part) in shapes() {
        let pairs = pairs(&shape, part);
        let expected = part * shape.volume() * pairs.len() as f64;
        let mut kernel = MeshMesh::new();
        group.throughput(support::each(pairs.len()));
        group.bench_function(BenchmarkId::new("V, S, G", name), |bench| {
            bench.iter(|| {
                let sum: f64 = pairs.iter().map(|[a, b]| volume(&mut kernel, a, b)).sum();
                assert!((sum / expected - 1.0).abs() < 1e-3);
            });
        });
        group.bench_function(BenchmarkId::new("search alone", name), |bench| {
            bench.iter(|| {
                let mut count = 0;
                for [a, b] in &pairs {
                    let relative = a.pose.inv_mul(&b.pose);
                    a.shape
                        .tree()
                        .for_each_pair(b.shape.tree(), &relative, |_, _| count += 1);
                }
                assert!(count > 100);
            });
        });
    }
    group.finish();
}

/// Two polygons: overlapping discs, and stars that cross everywhere.
fn polygons(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("contact area");
    let mut random = workload::SplitMix64::new(4);
    for (count, least) in [(6, 1.0), (50, 1.0), (50, 0.3), (2000, 1.0)] {
        let corner = |i: u32| {
            let angle = 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(count);
            DVec2::from_angle(angle) * random.range(least, 1.0 + 1e-9)
        };
        let shape = Polygon::new((0..count).map(corner).collect()).unwrap();
        let pairs: Vec<_> = (0..10)
            .map(|_| {
                let mut pose = |distance: f64| {
                    let turn = DVec2::from_angle(random.range(0.0, 6.0));
                    let shift = DVec2::from_angle(random.range(0.0, 6.0)) * distance;
                    let pose = Pose2::new(turn, shift).unwrap();
                    let shape = &shape;
                    Placed::new(shape, pose)
                };
                let distance = if least == 1.0 { 1.7 } else { 0.2 };
                [pose(0.0), pose(distance)]
            })
            .collect();
        let mut kernel = PolygonPolygon::new();
        let mut sum = move || {
            let mut sum = 0.0;
            for [a, b] in &pairs {
                let add = |contact: ContactVolume<DVec2>| sum += contact.volume;
                kernel.for_each_contact(a, b, &mut Default::default(), add);
            }
            sum
        };
        let (expected, kind) = (sum(), if least == 1.0 { "disc" } else { "star" });
        assert!(expected > 0.1);
        group.throughput(support::each(10));
        let id = BenchmarkId::new(kind, format!("{count} corners"));
        group.bench_function(id, |bench| bench.iter(|| assert_eq!(sum(), expected)));
    }
    group.finish();
}

/// The boxes of a body's triangles at its pose.
fn boxes(body: &Body) -> Vec<Aabb<DVec3>> {
    let surface = body.shape.surface();
    let place = |&v: &DVec3| body.pose.transform_point(v);
    let vertices: Vec<DVec3> = surface.vertices().iter().map(place).collect();
    let corners = surface
        .facets()
        .map(|f| f.vertices().iter().map(|&id| vertices[id as usize]));
    corners.filter_map(Aabb::from_points).collect()
}

/// Pairs of triangles whose boxes touch: by one box per body and then the boxes of all triangles;
/// by a box per triangle, refitted at each pose; by a tree of boxes, built once.
fn strategies(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("strategies of section 4.6");
    for (name, shape, part) in shapes().into_iter().filter(|s| s.0 != "sphere 20480") {
        let pairs = pairs(&shape, part);
        group.throughput(support::each(pairs.len()));
        group.bench_function(BenchmarkId::new("1: one box a body", name), |bench| {
            bench.iter(|| {
                for [a, b] in &pairs {
                    let both = [boxes(a), boxes(b)];
                    let all = |i: usize| both[i].iter().copied().reduce(|a, b| a.union(&b));
                    let (Some(box_a), Some(box_b)) = (all(0), all(1)) else {
                        continue;
                    };
                    let near = |i: usize, other: Aabb<DVec3>| -> Vec<Aabb<DVec3>> {
                        both[i]
                            .iter()
                            .copied()
                            .filter(|b| b.touches(&other))
                            .collect()
                    };
                    let (ours, theirs) = (near(0, box_b), near(1, box_a));
                    let of = |a: &Aabb<DVec3>| theirs.iter().filter(|b| a.touches(b)).count();
                    assert!(black_box(ours.iter().map(of).sum::<usize>()) > 0);
                }
            });
        });
        let mut trees = [
            BoxTree::new(&boxes(&pairs[0][0])),
            BoxTree::new(&boxes(&pairs[0][1])),
        ]
        .map(Result::unwrap);
        group.bench_function(BenchmarkId::new("2: one box a triangle", name), |bench| {
            bench.iter(|| {
                for [a, b] in &pairs {
                    trees[0].refit(&boxes(a)).unwrap();
                    trees[1].refit(&boxes(b)).unwrap();
                    let mut count = 0;
                    trees[0].for_each_pair(&trees[1], &Pose3::IDENTITY, |_, _| count += 1);
                    assert!(count > 0);
                }
            });
        });
        group.bench_function(BenchmarkId::new("3: a tree of boxes", name), |bench| {
            bench.iter(|| {
                for [a, b] in &pairs {
                    let (relative, mut count) = (a.pose.inv_mul(&b.pose), 0);
                    a.shape
                        .tree()
                        .for_each_pair(b.shape.tree(), &relative, |_, _| count += 1);
                    assert!(count > 0);
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = meshes, polygons, strategies
}
criterion_main!(benches);
