//! Decides what contacts of a convex polyhedron with a wall cost: facets that are near and outside, facets
//! inside, whole contacts, manifolds, pressure fields and volumes on floors of few and many triangles, and a large scene, which is bound by
//! memory. Bodies have 8, 14 or 50 vertices: 6, 24 or 96 faces.

#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, PressureField};
use osculate::testing::workload::SplitMix64;
use osculate::{
    ContactVolume, ConvexPolyhedron, MeshMesh, NarrowPhase, Placed, Pose3, Sphere, SurfaceMesh,
    Wall,
};
use support::{CpuTime, each};

type Body<'a> = Placed<&'a ConvexPolyhedron>;

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

/// Returns the pose at which a body, rotated at random, is `depth` below the height 0. Every other cube lies on a
/// face.
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
        let mut kernel = ConvexWall::new();
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
        let sphere = Sphere::new(DVec3::ZERO, reach);
        group.bench_function(BenchmarkId::new("search alone", count), |b| {
            b.iter(|| {
                let mut near = 0;
                wall.for_each_facet_near(black_box(&sphere), |_| near += 1);
                assert!(near >= 2000);
            });
        });
    }
    group.finish();
}

/// Facets that a body just reaches, in two workloads of the study behind the method: 72 facets beside a body of
/// which none enters it, and a bumpy floor of 72 facets under it. The unit of the second is a facet that is not in
/// front of one face of the body.
fn studied(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("72 facets, of the study");
    for count in VERTICES {
        let mut random = SplitMix64::new(9);
        let shape = shape(count, &mut random);
        let unit = |random: &mut SplitMix64| vector(random).normalize();
        let triangles: Vec<_> = (0..72)
            .map(|_| {
                let at = DVec3::new(0.0, 0.0, -1.3) + 0.3 * unit(&mut random);
                [
                    at,
                    at + 0.3 * unit(&mut random),
                    at + 0.3 * unit(&mut random),
                ]
            })
            .collect();
        let beside = Wall::new(SurfaceMesh::from_triangles(&triangles).unwrap());
        let body = Placed::new(&shape, Pose3::new(random.rotation(), DVec3::ZERO).unwrap());
        let mut kernel = ConvexWall::new();
        if kernel.contact(&body, &beside).is_none() {
            group.throughput(each(triangles.len()));
            group.bench_function(BenchmarkId::new("beside the body", count), |b| {
                b.iter(|| assert!(kernel.contact(black_box(&body), &beside).is_none()));
            });
        }

        let wall = floor(6, 1.2, 0.02);
        let bodies: Vec<Body> = (0..BODIES)
            .map(|_| Placed::new(&shape, resting(&shape, [0.0; 2], 0.02, &mut random)))
            .collect();
        let entered = bodies.iter().map(|body| {
            let faces = shape.surface().facets();
            let planes = faces.map(|face| {
                let normal = body.pose.transform_vector(face.normal());
                let corner = face.corners().next().unwrap_or_default();
                (normal, normal.dot(body.pose.transform_point(corner)))
            });
            let planes: Vec<_> = planes.collect();
            let is_ahead = |facet: osculate::shape::Facet| {
                planes
                    .iter()
                    .any(|(normal, offset)| facet.corners().all(|x| normal.dot(x) > *offset))
            };
            wall.mesh().facets().filter(|&f| !is_ahead(f)).count()
        });
        group.throughput(each(entered.sum()));
        group.bench_function(BenchmarkId::new("under the body", count), |b| {
            b.iter(|| {
                let found = bodies
                    .iter()
                    .filter_map(|body| kernel.contact(black_box(body), &wall));
                assert!(found.count() > 0);
            });
        });
        let path = path(&bodies, &mut random);
        row(
            &mut group,
            BenchmarkId::new("under the body, moving", count),
            &path,
            |body, state| {
                let mut found = 0;
                kernel.for_each_contact(body, &wall, state, |_| found += 1);
                found
            },
        );
    }
    group.finish();
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

/// Visits the bodies along a path, with their states, and counts what is found.
fn row<State: Default>(
    group: &mut BenchmarkGroup<CpuTime>,
    id: BenchmarkId,
    path: &[Vec<Body>],
    mut visit: impl FnMut(&Body, &mut State) -> usize,
) {
    let mut states: Vec<State> = path[0].iter().map(|_| State::default()).collect();
    let mut step = 0;
    group.bench_function(id, |b| {
        b.iter(|| {
            step += 1;
            let bodies = path[step % path.len()].iter().zip(&mut states);
            let found = bodies.map(|(body, state)| visit(black_box(body), state));
            assert!(found.sum::<usize>() > 0);
        });
    });
}

/// All facets are inside the body. One contact or few; most minima are on borders.
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
        let mut kernel = ConvexWall::new();
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

/// Contacts and manifolds beside pressure fields.
fn rows(
    group: &mut BenchmarkGroup<CpuTime>,
    how: &str,
    count: usize,
    path: &[Vec<Body>],
    wall: &Wall,
) {
    let id = |name: &str| BenchmarkId::new(format!("{name}{how}"), count);
    let mut kernel = ConvexWall::new();
    row(group, id("contacts"), path, |body, state| {
        let mut found = 0;
        kernel.for_each_contact(body, wall, state, |_| found += 1);
        found
    });
    row(group, id("manifolds"), path, |body, state| {
        let mut found = 0;
        kernel.for_each_manifold(body, wall, state, |_, m| found += m.points().len());
        found
    });
    let plain = PressureField::new();
    let with_points = plain.clone().with_points();
    for (name, mut kernel) in [("pressures", plain), ("pressures with points", with_points)] {
        row(group, id(name), path, |body, state| {
            let mut found = 0;
            kernel.for_each_contact(body, wall, state, |_| found += 1);
            found
        });
    }
}

/// Bodies with a depth of 0.01 in floors of large and of small facets, moving and at rest.
fn on_floors(c: &mut Criterion<CpuTime>) {
    let floors = [
        ("2 triangles", 1, 0.0),
        ("200 triangles", 10, 0.0),
        ("facets of 0.1", 60, 0.0),
        ("bumpy facets of 0.1", 60, 0.005),
    ];
    for (name, side, bumps) in floors {
        let wall = floor(side, 6.0, bumps);
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
            let moving = path(&bodies, &mut random);
            rows(&mut group, "", count, &moving, &wall);
            rows(&mut group, ", at rest", count, &moving[..1], &wall);
        }
        group.finish();
    }
}

/// The volumes of bodies with a depth of 0.01 in a flat floor that is thickened.
fn volumes(c: &mut Criterion<CpuTime>) {
    for side in [1, 9] {
        let wall = floor(side, 6.0, 0.0);
        let solid = wall.mesh().thickened(0.5).unwrap();
        let solid = Placed::new(&solid, Pose3::IDENTITY);
        let mut group = c.benchmark_group(format!("volume at {} triangles", 2 * side * side));
        group.throughput(each(BODIES));
        for count in VERTICES {
            let mut random = SplitMix64::new(7);
            let shapes: Vec<_> = (0..BODIES).map(|_| shape(count, &mut random)).collect();
            let mut place = |shape| {
                let at = [0; 2].map(|_| random.range(-1.0, 1.0));
                Placed::new(shape, resting(shape, at, 0.01, &mut random))
            };
            let bodies: Vec<Body> = shapes.iter().map(&mut place).collect();
            let mut mesh = MeshMesh::new();
            let mut closed = |body| -> f64 {
                let contact: Option<ContactVolume<DVec3>> = mesh.contact(body, &solid);
                contact.map_or(0.0, |c| c.volume)
            };
            let expected: f64 = bodies.iter().map(&mut closed).sum();
            group.bench_function(BenchmarkId::new("thickened", count), |b| {
                b.iter(|| assert_eq!(bodies.iter().map(&mut closed).sum::<f64>(), expected));
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
        rows(
            &mut group,
            "",
            count,
            &path(&bodies, &mut random)[..2],
            &wall,
        );
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = outside, studied, inside, on_floors, volumes, scene
}
criterion_main!(benches);
