//! Decides what a sphere at a convex body or a closed mesh costs by distance, with and without a state, and what capsules
//! and rounded bodies cost.

#[path = "support/mod.rs"]
mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::DVec3;
use osculate::narrow::WallSides;
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    Bounded, CommonPlane, CommonPlaneState, ConvexPolyhedron, DoubleHierarchy, NarrowPhase, Placed,
    Pose3, Rounded, Skin, SolidMesh, Sphere, SurfaceMesh, Wall, WallList,
};
use support::CpuTime;

const PAIRS: usize = 256;

fn hull(count: usize) -> ConvexPolyhedron {
    let mut random = SplitMix64::new(1);
    let points: Vec<_> = (0..count).map(|_| random.in_ball().normalize()).collect();
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

fn cube() -> ConvexPolyhedron {
    workload::cubes(&[[0, 0, 0]], 1.0)
        .map(|cube| {
            let vertices = cube.surface().vertices().iter();
            let points: Vec<_> = vertices.map(|v| *v - DVec3::splat(0.5)).collect();
            ConvexPolyhedron::from_convex_hull(&points).unwrap()
        })
        .unwrap()
}

/// Placed bodies, each with a sphere in a random direction whose overlap is a part of its radius.
fn convex_pairs(body: &ConvexPolyhedron, part: f64) -> Vec<(Sphere, Placed<&ConvexPolyhedron>)> {
    let mut random = SplitMix64::new(2);
    let pair = |_| {
        let place = Pose3::new_normalize(random.rotation(), random.in_ball()).unwrap();
        let body = Placed::new(body, place);
        let direction = random.in_ball().normalize();
        let (mut near, mut far) = (0.0, 4.0);
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            let ball = Sphere::new(place.translation() + direction * middle, 0.5);
            let found = CommonPlane::new().contact(&ball, &body);
            let is_deep = found.is_some_and(|c| c.overlap > 0.5 * part);
            *(if is_deep { &mut near } else { &mut far }) = middle;
        }
        (
            Sphere::new(place.translation() + direction * near, 0.5),
            body,
        )
    };
    (0..PAIRS).map(pair).collect()
}

/// Nanoseconds per pair.
fn convex(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("sphere and convex body");
    group.throughput(support::each(PAIRS));
    for (name, body) in [
        ("cube", cube()),
        ("14 vertices", hull(14)),
        ("50 vertices", hull(50)),
    ] {
        let pairs = convex_pairs(&body, 0.02);
        let expected = 0.01 * PAIRS as f64;
        let mut states = [CommonPlaneState::default(); PAIRS];
        let mut kernel = CommonPlane::new();
        group.bench_function(BenchmarkId::new("distance, with a state", name), |bench| {
            bench.iter(|| {
                let all = pairs.iter().zip(&mut states);
                let contacts = all.map(|((a, b), state)| kernel.contact_with(a, b, state));
                let sum: f64 = contacts.flatten().map(|contact| contact.overlap).sum();
                assert!((sum / expected - 1.0).abs() < 1e-9);
            });
        });
        group.bench_function(BenchmarkId::new("distance, cold", name), |bench| {
            bench.iter(|| {
                let contacts = pairs.iter().map(|(a, b)| kernel.contact(a, b));
                let sum: f64 = contacts.flatten().map(|contact| contact.overlap).sum();
                assert!((sum / expected - 1.0).abs() < 1e-9);
            });
        });
    }
    group.finish();
}

/// Nanoseconds per pair of two kinds of bodies in random poses, with an overlap of at most 0.1.
fn rounded(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("bodies with a radius");
    group.throughput(support::each(PAIRS));
    let ball = Rounded::ball(0.5).unwrap();
    let rod = Rounded::capsule([-DVec3::Z, DVec3::Z], 0.25).unwrap();
    let block = Rounded::polyhedron(cube(), 0.1).unwrap();
    let sharp = Rounded::polyhedron(cube(), 0.0).unwrap();
    for (name, [a, b]) in [
        ("ball, ball", [&ball, &ball]),
        ("ball, capsule", [&ball, &rod]),
        ("ball, cube", [&ball, &sharp]),
        ("capsule, capsule", [&rod, &rod]),
        ("capsule, cube", [&rod, &sharp]),
        ("rounded cubes", [&block, &block]),
    ] {
        let mut random = SplitMix64::new(9);
        let mut pairs = Vec::new();
        while pairs.len() < PAIRS {
            let [at, away] = [random.in_ball(), random.in_ball() * 3.0];
            let mut place = |at| Pose3::new_normalize(random.rotation(), at).unwrap();
            let [a, b] = [Placed::new(a, place(at)), Placed::new(b, place(at + away))];
            let found = CommonPlane::new().contact(&a, &b);
            if found.is_some_and(|contact| contact.overlap < 0.1) {
                pairs.push((a, b));
            }
        }
        let mut kernel = CommonPlane::new();
        let mut run = |states: &mut [CommonPlaneState], is_warm: bool| {
            let mut sum = 0.0;
            for ((a, b), state) in pairs.iter().zip(states) {
                if !is_warm {
                    *state = CommonPlaneState::default();
                }
                sum += kernel.contact_with(a, b, state).unwrap().overlap;
            }
            sum
        };
        let mut states = vec![CommonPlaneState::default(); PAIRS];
        let expected = run(&mut states, false);
        for (how, is_warm) in [("with a state", true), ("cold", false)] {
            group.bench_function(BenchmarkId::new(how, name), |bench| {
                bench.iter(|| assert_eq!(run(&mut states, is_warm), expected));
            });
        }
    }
    group.finish();
}

/// Spheres around points of a mesh's surface.
fn at_surface(solid: &SolidMesh, radius: f64) -> Vec<Sphere> {
    let mut random = SplitMix64::new(3);
    let vertices = solid.surface().vertices();
    let ball = |_| {
        let vertex = vertices[random.below(vertices.len())];
        Sphere::new(vertex + vertex.normalize() * (0.9 * radius), radius)
    };
    (0..PAIRS).map(ball).collect()
}

/// Nanoseconds per pair. Finer meshes with smaller spheres: as many triangles within each.
fn meshes(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("sphere and mesh");
    group.throughput(support::each(PAIRS));
    let rock = workload::rock(625, 0.5, 1).unwrap();
    let reach = rock.bounding_sphere().radius;
    let shapes = [
        ("rock 1246", rock, 0.25 * reach),
        ("sphere 1280", workload::sphere(3, 1.0).unwrap(), 0.4),
        ("sphere 5120", workload::sphere(4, 1.0).unwrap(), 0.2),
        ("sphere 20480", workload::sphere(5, 1.0).unwrap(), 0.1),
        (
            "sphere 20480, large",
            workload::sphere(5, 1.0).unwrap(),
            0.4,
        ),
    ];
    for (name, solid, radius) in shapes {
        let balls = at_surface(&solid, radius);
        let wall = Wall::new(SurfaceMesh::from(solid.clone()));
        let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Front);
        let mut list = WallList::<()>::new(Skin::Relative(0.1)).unwrap();
        group.bench_function(BenchmarkId::new("distance", name), |bench| {
            bench.iter(|| {
                let mut sum = 0.0;
                list.update(&balls, &wall).unwrap();
                list.for_each_body(&wall, |i, near, ()| {
                    sum += kernel.contact(&balls[i], near).map_or(0.0, |c| c.overlap);
                });
                assert!(sum > 0.0);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = convex, rounded, meshes
}
criterion_main!(benches);
