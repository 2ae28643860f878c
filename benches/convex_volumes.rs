//! Decides which of the three ways of Feng (2021, section 3.1) is the kernel for convex polyhedra, and
//! what a pair costs by size, by overlap, and if it is separated.

#[path = "support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::testing::oracle::{shared_by_dual, shared_by_rays};
use osculate::testing::workload::Random;
use osculate::{
    Bounded, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    SolidTree, convex_hull,
};
use support::CpuTime;

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

fn turn(random: &mut Random) -> DQuat {
    DQuat::from_array([0; 4].map(|_| random.within(-1.0, 1.0))).normalize()
}

/// The hull of points on the unit sphere.
fn round(points: usize) -> ConvexPolyhedron {
    let mut random = Random::new(points as u64);
    let points: Vec<DVec3> = (0..points).map(|_| turn(&mut random) * DVec3::X).collect();
    convex_hull(&points).unwrap()
}

fn shapes() -> [(&'static str, ConvexPolyhedron); 3] {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<DVec3> = (0..8).map(|i| corner(i) - DVec3::splat(0.5)).collect();
    [
        ("cube", convex_hull(&corners).unwrap()),
        ("14 vertices", round(14)),
        ("50 vertices", round(50)),
    ]
}

/// 20 pairs of bodies, turned anyhow, that share the given part of a body's volume; for 0 pairs
/// whose bounding spheres overlap and which have a gap of a fortieth of their radius.
fn pairs(shape: &ConvexPolyhedron, part: f64) -> Vec<[Body<'_>; 2]> {
    let (mut random, mut kernel) = (Random::new(9), ConvexConvex::new());
    let radius = shape.bounding_sphere().radius;
    let make = |_| {
        let (turns, axis) = ([turn(&mut random), turn(&mut random)], turn(&mut random));
        let place = |x: f64| {
            let pose = |i: usize, x: f64| Pose3::new(turns[i], axis * DVec3::X * x).unwrap();
            [pose(0, 0.0), pose(1, x)].map(|pose| Placed { shape, pose })
        };
        let (mut near, mut far) = (0.0, 2.0 * radius);
        for _ in 0..50 {
            let middle = 0.5 * (near + far);
            let [a, b] = place(middle);
            let volume = kernel.contact(&a, &b).map_or(0.0, |c| c.volume);
            let is_more = volume > part * shape.volume();
            *(if is_more { &mut near } else { &mut far }) = middle;
        }
        place(if part > 0.0 {
            near
        } else {
            far + radius / 40.0
        })
    };
    (0..20).map(make).collect()
}

fn tree(solid: &ConvexPolyhedron) -> SolidTree {
    let fans = solid.surface().facets().flat_map(|f| {
        let ids = f.vertices();
        (2..ids.len()).map(move |i| [ids[0], ids[i - 1], ids[i]])
    });
    SolidMesh::new(solid.vertices().to_vec(), fans)
        .unwrap()
        .into()
}

/// Microseconds a pair, with a check of the sum of the volumes.
fn convex(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("convex polyhedra");
    for ((name, shape), part) in shapes()
        .iter()
        .flat_map(|shape| [0.1, 0.01, 0.0].map(|part| (shape, part)))
    {
        let pairs = pairs(shape, part);
        let expected = part * shape.volume() * pairs.len() as f64;
        let check = |sum: f64| assert!((sum - expected).abs() <= 1e-6 * expected);
        group.throughput(support::each(pairs.len()));
        let id = |way: &str| BenchmarkId::new(way, format!("{name}, {} %", 100.0 * part));
        let mut kernel = ConvexConvex::new();
        group.bench_function(id("half-spaces"), |bench| {
            bench.iter(|| {
                let volume = |[a, b]: &[Body; 2]| kernel.contact(a, b).map_or(0.0, |c| c.volume);
                check(pairs.iter().map(volume).sum());
            });
        });
        if part != 0.1 {
            continue;
        }
        for (way, shared) in [
            ("rays", shared_by_rays as fn(&Body, &Body) -> _),
            ("dual", shared_by_dual),
        ] {
            group.bench_function(id(way), |bench| {
                bench.iter(|| check(pairs.iter().map(|[a, b]| shared(a, b).0).sum()));
            });
        }
        let (tree, mut kernel) = (tree(shape), MeshMesh::new());
        group.bench_function(id("closed meshes"), |bench| {
            bench.iter(|| {
                let mut sum = 0.0;
                for pair in &pairs {
                    let [a, b] = [0, 1].map(|i| Placed {
                        shape: &tree,
                        pose: pair[i].pose,
                    });
                    kernel.contacts(&a, &b, &mut (), |c| sum += c.volume);
                }
                check(sum);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = convex
}
criterion_main!(benches);
