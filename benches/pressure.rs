//! Decides what elastic contacts of convex polyhedra cost: pairs beside common planes and intersection volumes, bodies on
//! floors of few and many triangles, facets that are near and outside or inside, and a large scene, which is bound by
//! memory. Bodies have 8, 14 or 50 vertices: 6, 24 or 96 faces. Depths are 1 % of the size; half of the cubes lie on a face.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::testing::workload::SplitMix64;
use osculate::{
    CommonPlane, ConvexConvex, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, Sphere,
    SurfaceMesh, Wall,
};
use support::{CpuTime, each};

type Body<'a> = Placed<&'a ConvexPolyhedron>;
type Group<'a> = BenchmarkGroup<'a, CpuTime>;

const PAIRS: usize = 256;
const BODIES: usize = 64;
/// Vertices of the bodies.
const VERTICES: [usize; 3] = [8, 14, 50];

fn vector(random: &mut SplitMix64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| random.range(-1.0, 1.0)))
}

/// A cube with side 1, or a hull with all faces triangles.
fn shape(count: usize, random: &mut SplitMix64) -> ConvexPolyhedron {
    let cube = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let points: Vec<_> = if count == 8 {
        (0..8).map(cube).collect()
    } else {
        (0..count)
            .map(|_| vector(random).normalize() * random.range(0.85, 1.0))
            .collect()
    };
    ConvexPolyhedron::from_convex_hull(&points).unwrap()
}

/// Visits pairs or bodies along a path, with their states, and counts what is found.
fn row<X, State: Default>(
    group: &mut Group,
    id: BenchmarkId,
    path: &[Vec<X>],
    mut visit: impl FnMut(&X, &mut State) -> usize,
) {
    let mut states: Vec<State> = path[0].iter().map(|_| State::default()).collect();
    let mut step = 0;
    group.bench_function(id, |b| {
        b.iter(|| {
            step += 1;
            let all = path[step % path.len()].iter().zip(&mut states);
            let found = all.map(|(x, state)| visit(black_box(x), state));
            assert!(found.sum::<usize>() > 0);
        });
    });
}

/// Bodies that move by 0.001 of their size in each of 16 steps, there and back.
fn path<'a>(bodies: &[Body<'a>], random: &mut SplitMix64) -> Vec<Vec<Body<'a>>> {
    let drifts: Vec<_> = bodies
        .iter()
        .map(|_| [0; 2].map(|_| vector(random).normalize() * 1e-3))
        .collect();
    let at = |step: usize| -> Vec<Body> {
        let step = step.min(16 - step) as f64;
        let moved = bodies.iter().zip(&drifts).map(|(body, [along, about])| {
            let turn = DQuat::from_scaled_axis(*about * step) * body.pose.rotation();
            let at = body.pose.translation() + *along * step;
            Placed::new(body.shape, Pose3::new(turn.normalize(), at).unwrap())
        });
        moved.collect()
    };
    (0..16).map(at).collect()
}

/// Two bodies that overlap by 0.01 along the shortest separating translation.
fn pair<'a>(i: usize, [a, b]: [&'a ConvexPolyhedron; 2], random: &mut SplitMix64) -> [Body<'a>; 2] {
    let mut turns = [random.rotation(), random.rotation()];
    let mut direction = vector(random).normalize();
    if a.vertices().len() == 8 && i.is_multiple_of(2) {
        let world = random.rotation();
        turns = [
            world,
            world * DQuat::from_rotation_z(random.range(0.0, 1.0)),
        ];
        direction = world * (DVec3::Z + 0.1 * direction).normalize();
    }
    let at = |s: f64| {
        let pose = |i: usize| Pose3::new(turns[i], direction * (s * i as f64)).unwrap();
        [Placed::new(a, pose(0)), Placed::new(b, pose(1))]
    };
    let mut kernel = CommonPlane::new();
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let [a, b] = at(middle);
        let is_deep = kernel.contact(&a, &b).is_some_and(|c| c.overlap > 0.01);
        *(if is_deep { &mut low } else { &mut high }) = middle;
    }
    at(low)
}

/// Visits pairs with a kernel and its states.
fn pair_row<'a, K: NarrowPhase<Body<'a>>>(
    group: &mut Group,
    id: BenchmarkId,
    path: &[Vec<[Body<'a>; 2]>],
    mut kernel: K,
) {
    row(group, id, path, |[a, b], state: &mut K::State| {
        usize::from(kernel.contact_with(a, b, state).is_some())
    });
}

fn pairs(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("pairs");
    group.throughput(each(PAIRS));
    for count in VERTICES {
        let mut random = SplitMix64::new(7);
        let shapes: Vec<_> = (0..2 * PAIRS).map(|_| shape(count, &mut random)).collect();
        let mut place = |i| pair(i, [&shapes[2 * i], &shapes[2 * i + 1]], &mut random);
        let [first, second]: [Vec<_>; 2] = {
            let pairs: Vec<_> = (0..PAIRS).map(&mut place).collect();
            [0, 1].map(|k| pairs.iter().map(|pair| pair[k]).collect())
        };
        let moving = path(&second, &mut random).into_iter().map(|second| {
            let pairs = first.iter().zip(second);
            pairs.map(|(&a, b)| [a, b]).collect::<Vec<_>>()
        });
        let moving: Vec<_> = moving.collect();
        let new = PressureField::new;
        let kernels = [
            ("both fields", new()),
            ("one field", new().with_weight_of_first(1.0).unwrap()),
            ("with points", new().with_points()),
            ("with volume", new().with_volume()),
            ("with a margin", new().with_margin(0.01).unwrap()),
        ];
        for (name, kernel) in kernels {
            pair_row(&mut group, BenchmarkId::new(name, count), &moving, kernel);
        }
        let id = |name| BenchmarkId::new(name, count);
        pair_row(&mut group, id("at rest"), &moving[..1], new().with_points());
        pair_row(&mut group, id("common plane"), &moving, CommonPlane::new());
        pair_row(&mut group, id("volume"), &moving, ConvexConvex::new());
    }
    group.finish();
}

/// A square floor around the origin, `side` x `side` cells of two triangles each, with bumps.
fn floor(side: u32, width: f64, bumps: f64) -> Wall {
    let mut random = SplitMix64::new(3);
    let row = side + 1;
    let along = |i: u32| width * (f64::from(i) / f64::from(side) - 0.5);
    let vertex = |i: u32| {
        // Not the smallest numbers: they are slow.
        let bump = bumps * random.range(-1.0, 1.0);
        DVec3::new(along(i % row), along(i / row), bump)
    };
    let vertices = (0..row * row).map(vertex).collect();
    let cells = (0..side * side).map(|c| c / side * row + c % side);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]);
    Wall::new(SurfaceMesh::new(vertices, triangles).unwrap())
}

/// Returns the pose at which a body, rotated at random, is `depth` below the height 0. Every other cube lies on a face.
fn resting(shape: &ConvexPolyhedron, at: [f64; 2], depth: f64, random: &mut SplitMix64) -> Pose3 {
    let is_flush = shape.vertices().len() == 8 && random.below(2) == 0;
    let turn = if is_flush {
        DQuat::from_rotation_z(random.range(0.0, 1.0))
    } else {
        random.rotation()
    };
    let heights = shape.vertices().iter().map(|&x| (turn * x).z);
    let low = heights.fold(f64::INFINITY, f64::min);
    Pose3::new(turn, DVec3::new(at[0], at[1], -low - depth)).unwrap()
}

/// Facets whose boxes are near the body. None enters it.
fn outside(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("facets near a body and outside");
    for count in VERTICES {
        let mut random = SplitMix64::new(5);
        let shape = shape(count, &mut random);
        let body = Placed::new(&shape, Pose3::new(random.rotation(), DVec3::ZERO).unwrap());
        let far = shape.vertices().iter().map(|x| x.length());
        let reach = far.fold(0.0, f64::max);
        let mut kernel = PressureField::new();
        let mut triangles = Vec::new();
        while triangles.len() < 2000 {
            let at = vector(&mut random) * reach;
            let triangle = [0; 3].map(|_| at + vector(&mut random) * (0.15 * reach));
            let wall = Wall::new(SurfaceMesh::from_triangles(&[triangle]).unwrap());
            let mut is_near = false;
            wall.for_each_facet_near(&Sphere::new(DVec3::ZERO, reach), |_| is_near = true);
            if is_near && kernel.contact(&body, &wall).is_none() {
                triangles.push(triangle);
            }
        }
        group.throughput(each(triangles.len()));
        let wall = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
        group.bench_function(BenchmarkId::new("contacts", count), |b| {
            b.iter(|| assert!(kernel.contact(black_box(&body), &wall).is_none()));
        });
    }
    group.finish();
}

/// All facets are inside the body.
fn inside(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("facets inside a body");
    for count in VERTICES {
        let mut random = SplitMix64::new(6);
        let shape = shape(count, &mut random);
        let radius = shape.vertices()[0].length();
        let wall = floor(10, 0.5 * radius, 0.01 * radius);
        let poses: Vec<_> = (0..BODIES)
            .map(|_| Pose3::new(random.rotation(), DVec3::Z * (0.2 * radius)).unwrap())
            .collect();
        let mut kernel = PressureField::new();
        group.throughput(each(BODIES * wall.mesh().facet_count() as usize));
        group.bench_function(BenchmarkId::new("contacts", count), |b| {
            b.iter(|| {
                let bodies = poses.iter().map(|&pose| Placed::new(&shape, pose));
                let found = bodies.filter_map(|body| kernel.contact(black_box(&body), &wall));
                assert_eq!(found.count(), BODIES);
            });
        });
    }
    group.finish();
}

/// Bodies at a wall, moving and at rest.
fn wall_rows(group: &mut Group, count: usize, path: &[Vec<Body>], wall: &Wall) {
    let new = PressureField::new;
    let kernels = [
        ("contacts", new(), path),
        ("with points", new().with_points(), path),
        ("with volume", new().with_volume(), path),
        ("at rest", new().with_points(), &path[..1]),
    ];
    for (name, mut kernel, path) in kernels {
        row(group, BenchmarkId::new(name, count), path, |body, state| {
            let mut found = 0;
            kernel.for_each_contact(body, wall, state, |_| found += 1);
            found
        });
    }
}

/// Bodies with a depth of 0.01 in floors of large and of small facets, and their volumes in the thickened floor.
fn on_floors(c: &mut Criterion<CpuTime>) {
    let floors = [
        ("2 triangles", 1, 0.0),
        ("200 triangles", 10, 0.0),
        ("facets of 0.1", 60, 0.0),
        ("bumpy facets of 0.1", 60, 0.005),
    ];
    for (name, side, bumps) in floors {
        let wall = floor(side, 6.0, bumps);
        let solid = wall.mesh().thickened(0.5).unwrap();
        let solid = Placed::new(&solid, Pose3::IDENTITY);
        let mut group = c.benchmark_group(format!("body on {name}"));
        group.throughput(each(BODIES));
        for count in VERTICES {
            let mut random = SplitMix64::new(7);
            let shapes: Vec<_> = (0..BODIES).map(|_| shape(count, &mut random)).collect();
            let mut place = |shape| {
                let at = [0; 2].map(|_| random.range(-1.0, 1.0));
                Placed::new(shape, resting(shape, at, 0.01, &mut random))
            };
            let bodies: Vec<Body> = shapes.iter().map(&mut place).collect();
            let path = path(&bodies, &mut random);
            wall_rows(&mut group, count, &path, &wall);
            let mut mesh = MeshMesh::new();
            let id = BenchmarkId::new("volume", count);
            row(&mut group, id, &path, |body, state| {
                usize::from(mesh.contact_with(body, &solid, state).is_some())
            });
        }
        group.finish();
    }
}

/// Many bodies on 200,000 triangles, in random order; each touches some ten facets.
fn scene(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("bodies on 199,712 triangles");
    let wall = floor(316, 316.0, 0.05);
    for (count, bodies) in [(8, 50_000), (14, 10_000)] {
        let mut random = SplitMix64::new(8);
        let shapes: Vec<_> = (0..BODIES).map(|_| shape(count, &mut random)).collect();
        let mut place = |i: usize| {
            let at = [0; 2].map(|_| random.range(-150.0, 150.0));
            let shape = &shapes[i % BODIES];
            Placed::new(shape, resting(shape, at, 0.02, &mut random))
        };
        let bodies: Vec<Body> = (0..bodies).map(&mut place).collect();
        group.throughput(each(bodies.len()));
        wall_rows(&mut group, count, &path(&bodies, &mut random)[..2], &wall);
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = pairs, outside, inside, on_floors, scene
}
criterion_main!(benches);
