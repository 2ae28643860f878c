//! Decides which of the three methods of Feng (2021, section 3.1) is the kernel for convex
//! polyhedra, and what a pair costs by size, by overlap, and if it is separated.

#[path = "support/mod.rs"]
mod support;

#[path = "../tests/support/oracle/shared_convex.rs"]
mod shared_convex;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, SolidMesh,
    VolumeState,
};
use shared_convex::{intersection_by_dual, intersection_by_rays};
use support::CpuTime;

type Body<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

fn turn(random: &mut SplitMix64) -> DQuat {
    DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize()
}

/// The hull of points on the unit sphere.
fn round(points: usize) -> ConvexPolyhedron {
    let mut random = SplitMix64::new(points as u64);
    let points: Vec<DVec3> = (0..points).map(|_| turn(&mut random) * DVec3::X).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn shapes() -> [(&'static str, ConvexPolyhedron); 3] {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
    let corners: Vec<DVec3> = (0..8).map(|i| corner(i) - DVec3::splat(0.5)).collect();
    [
        (
            "cube",
            ConvexPolyhedron::from_convex_hull(&corners).unwrap(),
        ),
        ("14 vertices", round(14)),
        ("50 vertices", round(50)),
    ]
}

/// 20 pairs of poses in random orientation, at which two bodies share the given part of their
/// volume. For 0 they have a gap of a fortieth of their radius, and their bounding spheres overlap.
fn poses(
    radius: f64,
    total: f64,
    part: f64,
    mut volume: impl FnMut([Pose3; 2]) -> f64,
) -> Vec<[Pose3; 2]> {
    let mut random = SplitMix64::new(9);
    let make = |_| {
        let (turns, axis) = ([turn(&mut random), turn(&mut random)], turn(&mut random));
        let pose = |i: usize, x: f64| Pose3::new(turns[i], axis * DVec3::X * x).unwrap();
        let place = |x: f64| [pose(0, 0.0), pose(1, x)];
        let (mut near, mut far) = (0.0, 2.0 * radius);
        for _ in 0..50 {
            let middle = 0.5 * (near + far);
            let is_more = volume(place(middle)) > part * total;
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

fn pairs(shape: &ConvexPolyhedron, part: f64) -> Vec<[Body<'_>; 2]> {
    let mut kernel = ConvexConvex::new();
    let place = |poses: [Pose3; 2]| poses.map(|pose| Placed::new(shape, pose));
    let volume = |poses: [Pose3; 2]| {
        let [a, b] = place(poses);
        kernel.contact(&a, &b).map_or(0.0, |c| c.volume)
    };
    let radius = shape.bounding_sphere().radius;
    let poses = poses(radius, shape.volume(), part, volume);
    poses.into_iter().map(place).collect()
}

fn tree(solid: &ConvexPolyhedron) -> SolidMesh {
    let fans = solid.surface().facets().flat_map(|f| {
        let ids = f.vertices();
        (2..ids.len()).map(move |i| [ids[0], ids[i - 1], ids[i]])
    });
    SolidMesh::new(solid.vertices().to_vec(), fans).unwrap()
}

/// Microseconds per pair; checks the sum of the volumes.
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
        let mut states = vec![VolumeState::default(); pairs.len()];
        group.bench_function(id("at rest"), |bench| {
            bench.iter(|| {
                let bodies = pairs.iter().zip(&mut states);
                let volumes = bodies.map(|([a, b], state)| kernel.contact_with(a, b, state));
                check(volumes.map(|found| found.map_or(0.0, |c| c.volume)).sum());
            });
        });
        if part != 0.1 {
            continue;
        }
        for (way, shared) in [
            ("rays", intersection_by_rays as fn(&Body, &Body) -> _),
            ("dual", intersection_by_dual),
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
                    let [a, b] = [0, 1].map(|i| Placed::new(&tree, pair[i].pose));
                    kernel.for_each_contact(&a, &b, &mut Default::default(), |c| sum += c.volume);
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
