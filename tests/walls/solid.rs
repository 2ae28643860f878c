//! Spheres at closed walls with a solid inside: pushed out by the nearest point, at any depth.

use std::sync::Arc;

use crate::support::solids::{random_cubes, random_pose, solids};
use osculate::glam::{DVec2, DVec3};
use osculate::math::Vector;
use osculate::math::{closest_on_segment, closest_on_triangle};
use osculate::narrow::{WallMesh, WallSides};
use osculate::shape::{Polygon, SegmentMesh};
use osculate::testing::workload::{self, SplitMix64};
use osculate::{
    Bounded, DoubleHierarchy, NarrowPhase, PeriodicBox, Pose2, Skin, SolidMesh, Sphere,
    SurfaceMesh, Wall, WallContact, WallList, WallState,
};

fn solid() -> DoubleHierarchy {
    DoubleHierarchy::new().with_sides(WallSides::Solid)
}

fn all(kernel: &mut DoubleHierarchy, ball: &Sphere, wall: &Wall) -> Vec<WallContact> {
    let mut contacts = Vec::new();
    let mut state = WallState::default();
    kernel.for_each_contact(ball, wall, &mut state, |c| contacts.push(c));
    contacts
}

fn triangles(solid: &SolidMesh) -> Vec<[DVec3; 3]> {
    let facets = solid.surface().facets();
    let corners = facets.map(|f| f.corners().collect::<Vec<_>>());
    corners.map(|c| [c[0], c[1], c[2]]).collect()
}

/// The distance to the nearest triangle, and whether solid angles add up to a point inside.
fn by_all_triangles(triangles: &[[DVec3; 3]], point: DVec3) -> (f64, bool) {
    let distance = |t: &[DVec3; 3]| closest_on_triangle(point, *t).distance_squared;
    let nearest = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
    let angle = |t: &[DVec3; 3]| {
        let [a, b, c] = t.map(|p| (p - point).normalize());
        2.0 * a
            .dot(b.cross(c))
            .atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    let angles: f64 = triangles.iter().map(angle).sum();
    (nearest.sqrt(), angles > 6.0)
}

#[test]
fn nearest_triangle_of_any_solid() {
    let mut random = SplitMix64::new(1);
    let mut inside_count = 0;
    for mesh in solids() {
        let flat = triangles(&mesh);
        let mut wall = Wall::new(SurfaceMesh::from(mesh));
        for round in 0..100 {
            let pose = random_pose(&mut random, 1.0);
            wall.set_pose(pose);
            let local = random.in_ball() * 1.2;
            // From much smaller than its depth to larger than the body.
            let radius = [0.001, 0.05, 0.3, 2.0][round % 4];
            let (distance, is_inside) = by_all_triangles(&flat, local);
            let ball = Sphere::new(pose.transform_point(local), radius);
            let found = all(&mut solid(), &ball, &wall);
            if !is_inside {
                let front = DoubleHierarchy::new().with_sides(WallSides::Front);
                assert_eq!(found, all(&mut front.clone(), &ball, &wall));
                assert!(found.iter().all(|c| c.overlap <= radius - distance + 1e-14));
                continue;
            }
            inside_count += 1;
            assert_eq!(found.len(), 1, "{ball:?}");
            let contact = found[0];
            assert!((contact.overlap - (radius + distance)).abs() < 1e-14);
            let out = contact.point - ball.center;
            assert!((out + contact.normal * distance).length() < 1e-9);
            // Pushed out by as much, it touches nothing.
            let out = ball.center - contact.normal * contact.overlap * (1.0 + 1e-9);
            let (gap, is_inside) = by_all_triangles(&flat, pose.inverse_transform_point(out));
            assert!(!is_inside || gap < 1e-9 || radius > 0.01);
        }
    }
    assert!(inside_count > 50);
}

/// Centers on lattice points in and on polyominoes, where rays meet edges and vertices.
#[test]
fn lattice_of_cubes() {
    let mut random = SplitMix64::new(2);
    for _ in 0..100 {
        let (cubes, mesh) = random_cubes(&mut random);
        let flat = triangles(&mesh);
        let wall = Wall::new(SurfaceMesh::from(mesh));
        for _ in 0..10 {
            let at = DVec3::from_array([0; 3].map(|_| random.below(13) as f64 * 0.25));
            let found = all(&mut solid(), &Sphere::new(at, 0.125), &wall);
            let (distance, _) = by_all_triangles(&flat, at);
            let is_in = |&cube: &[i64; 3]| {
                let from = DVec3::from_array(cube.map(|x| x as f64));
                at.cmpge(from).all() && at.cmple(from + DVec3::ONE).all()
            };
            if cubes.iter().any(is_in) {
                assert_eq!(found.len(), 1, "{at} {cubes:?}");
                assert!((found[0].overlap - (0.125 + distance)).abs() < 1e-15);
            } else {
                assert!(found.iter().all(|c| c.overlap < 0.125));
            }
        }
    }
}

/// Through a face and on to the far side: the overlap is continuous, and the state has no influence.
#[test]
fn path_through_a_plate() {
    let plate = workload::cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], 1.0).unwrap();
    let wall = Wall::new(SurfaceMesh::from(plate));
    let mut state = WallState::default();
    for step in 0..=256 {
        let z = 1.5 - f64::from(step) / 128.0;
        let ball = Sphere::new(DVec3::new(0.8, 0.9, z), 0.25);
        let found = solid().contact_with(&ball, &wall, &mut state);
        assert_eq!(found, solid().contact(&ball, &wall));
        // The top, the sides inside, the bottom.
        let depth = (1.0 - z).min(z);
        let expected = 0.25 + depth.min(0.8);
        if expected > 0.0 {
            let found = found.unwrap();
            assert_eq!(found.overlap, expected, "{z}");
            let side = if z > 0.5 { DVec3::NEG_Z } else { DVec3::Z };
            assert_eq!(found.normal, side);
        } else {
            assert_eq!(found, None);
        }
    }
}

/// Walls share one mesh, each with its own pose; a mesh repeats in a periodic box.
#[test]
fn shared_and_periodic() {
    let mesh = Arc::new(SurfaceMesh::from(
        workload::cubes(&[[0, 0, 0]], 1.0).unwrap(),
    ));
    let first = Wall::from(mesh.clone());
    let walls = vec![first; 10];
    assert_eq!(Arc::strong_count(&mesh), 2);
    let ball = Sphere::new(DVec3::new(0.5, 0.5, 0.75), 0.125);
    assert_eq!(solid().contact(&ball, &walls[9]).unwrap().overlap, 0.375);
    let mut wall = walls[0].clone();
    let period = PeriodicBox::orthogonal(DVec3::ZERO, DVec3::splat(4.0), [true; 3]).unwrap();
    wall.set_period(Some(period));
    for shift in [-4.0, 0.0, 400.0] {
        let ball = Sphere::new(ball.center + DVec3::X * shift, 0.125);
        let found = solid().contact(&ball, &wall).unwrap();
        assert_eq!((found.overlap, found.normal), (0.375, DVec3::NEG_Z));
    }
}

#[test]
fn polygons_in_the_plane() {
    let crown = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)].map(DVec2::from);
    let polygon = Polygon::new(crown.to_vec()).unwrap();
    let sides = (0..5).map(|i| [i, (i + 1) % 5]).collect();
    let wall = Wall::new(SegmentMesh::new(polygon.vertices().to_vec(), sides).unwrap());
    let mut random = SplitMix64::new(3);
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Solid);
    let mut inside_count = 0;
    for round in 0..1000 {
        let at = |x: f64| {
            if round % 2 == 0 {
                (2.0 * x).round() * 0.5
            } else {
                x
            }
        };
        let center = DVec2::new(at(random.range(-1.0, 5.0)), at(random.range(-1.0, 5.0)));
        let side = |i: usize| closest_on_segment(center, crown[i], crown[(i + 1) % 5]);
        let distance = (0..5)
            .map(|i| side(i).distance_squared)
            .fold(f64::INFINITY, f64::min)
            .sqrt();
        let angle: f64 = (0..5)
            .map(|i| (crown[i] - center).angle_to(crown[(i + 1) % 5] - center))
            .sum();
        if distance == 0.0 {
            continue;
        }
        let disc = Sphere::new(center, 0.125);
        let mut found = Vec::new();
        kernel.for_each_contact(&disc, &wall, &mut WallState::default(), |c| found.push(c));
        if angle > 3.0 {
            inside_count += 1;
            assert_eq!(found.len(), 1);
            assert!((found[0].overlap - (0.125 + distance)).abs() < 1e-14);
        } else {
            assert!(found.iter().all(|c| c.overlap < 0.125));
        }
    }
    assert!(inside_count > 100);
}

/// Spheres that wander through a wall, for lists of it.
struct Wanderers<V> {
    spheres: Vec<Sphere<V>>,
    velocities: Vec<V>,
    reach: f64,
}

impl<V: Vector> Wanderers<V> {
    fn new(count: usize, reach: f64, random: &mut SplitMix64) -> Self {
        let mut any = |reach: f64| V::from_fn(|_| random.range(-reach, reach));
        // Some rest inside, some cross the wall within a few steps.
        let velocity = |i: usize| [0.0, 0.01, 0.1][i % 3];
        let velocities = (0..count).map(|i| any(velocity(i))).collect();
        let centers: Vec<V> = (0..count).map(|_| any(reach)).collect();
        let radii = [0.001, 0.02, 0.1];
        let spheres = (0..)
            .zip(centers)
            .map(|(i, at)| Sphere::new(at, radii[i / 3 % 3]));
        Self {
            spheres: spheres.collect(),
            velocities,
            reach,
        }
    }

    fn step(&mut self) {
        for (sphere, velocity) in self.spheres.iter_mut().zip(&mut self.velocities) {
            sphere.center = sphere.center + *velocity;
            if sphere.center.length() > 2.0 * self.reach {
                *velocity = sphere.center * (-velocity.length() / sphere.center.length());
            }
        }
    }
}

type Found<V> = Vec<(usize, WallContact<V>)>;

/// The contacts of the bodies of a list, and those of all bodies.
fn with_and_without<M: WallMesh>(
    list: &mut WallList<WallState<M::Vector>, M::Vector>,
    spheres: &[Sphere<M::Vector>],
    wall: &Wall<M>,
) -> [Found<M::Vector>; 2] {
    let mut kernel = DoubleHierarchy::new().with_sides(WallSides::Solid);
    let [mut found, mut expected] = [Vec::new(), Vec::new()];
    list.for_each_body(|i, state| {
        kernel.for_each_contact(&spheres[i], wall, state, |c| found.push((i, c)));
    });
    for (i, sphere) in spheres.iter().enumerate() {
        let mut state = WallState::default();
        kernel.for_each_contact(sphere, wall, &mut state, |c| expected.push((i, c)));
    }
    [found, expected]
}

/// How often the center of a body is far inside: deeper than all that a list of other sides finds.
fn count_deep<V: Vector>(found: &Found<V>, spheres: &[Sphere<V>]) -> usize {
    let is_deep = |(i, c): &&(usize, WallContact<V>)| c.overlap > 3.0 * spheres[*i].radius;
    found.iter().filter(is_deep).count()
}

fn solid_list<V: Vector>() -> WallList<WallState<V>, V> {
    let list = WallList::new(Skin::Relative(0.2)).unwrap();
    list.with_sides(WallSides::Solid)
}

/// Bodies deep inside closed meshes that rest, move, deform or repeat: contacts are those without a list.
#[test]
fn lists_of_bodies_deep_inside() {
    let mut random = SplitMix64::new(4);
    let polyominoes: Vec<_> = (0..6).map(|_| random_cubes(&mut random).1).collect();
    let mut visits = 0;
    for (i, mesh) in solids().into_iter().chain(polyominoes).enumerate() {
        let bounds = mesh.bounding_sphere();
        let (middle, reach) = (bounds.center, bounds.radius * 0.7);
        let mut vertices = mesh.surface().vertices().to_vec();
        let mut wall = Wall::new(SurfaceMesh::from(mesh));
        if i % 4 == 3 {
            let sides = DVec3::splat(2.5 * reach);
            let period = PeriodicBox::orthogonal(DVec3::ZERO, sides, [true, true, false]);
            wall.set_period(Some(period.unwrap()));
        }
        let mut bodies = Wanderers::new(60, reach, &mut random);
        for sphere in &mut bodies.spheres {
            sphere.center += middle;
        }
        let (mut list, mut deep) = (solid_list(), 0);
        for step in 0..60 {
            bodies.step();
            if i % 4 == 1 || i % 4 == 3 && step % 20 == 0 {
                wall.set_pose(random_pose(&mut random, 0.02));
            }
            if i % 4 == 2 && step % 3 == 0 {
                let scale = 1.0 + random.range(-0.01, 0.01);
                vertices.iter_mut().for_each(|vertex| *vertex *= scale);
                wall.set_vertices(&vertices).unwrap();
            }
            list.update(&bodies.spheres, &wall).unwrap();
            let [found, expected] = with_and_without(&mut list, &bodies.spheres, &wall);
            assert_eq!(found, expected, "solid {i}, step {step}");
            deep += count_deep(&found, &bodies.spheres);
            visits += list.bodies().len();
        }
        assert!(deep > 50, "solid {i}: {deep}");
    }
    // Of 39,600.
    assert!(visits < 20_000, "{visits}");
}

/// In 2D, through a crown that moves.
#[test]
fn lists_of_discs_deep_inside() {
    let crown = [
        (-2.0, -2.0),
        (2.0, -2.0),
        (2.0, 2.0),
        (0.0, -1.0),
        (-2.0, 2.0),
    ];
    let sides = (0..5).map(|i| [i, (i + 1) % 5]).collect();
    let crown = crown.map(DVec2::from).to_vec();
    let mut wall = Wall::new(SegmentMesh::new(crown, sides).unwrap());
    let mut bodies = Wanderers::<DVec2>::new(60, 2.0, &mut SplitMix64::new(5));
    let (mut list, mut deep) = (solid_list(), 0);
    for step in 0..100 {
        bodies.step();
        let shift = DVec2::new(0.2, 0.1) * (0.1 * f64::from(step)).sin();
        wall.set_pose(Pose2::from_translation(shift).unwrap());
        list.update(&bodies.spheres, &wall).unwrap();
        let [found, expected] = with_and_without(&mut list, &bodies.spheres, &wall);
        assert_eq!(found, expected, "step {step}");
        deep += count_deep(&found, &bodies.spheres);
    }
    assert!(deep > 100, "{deep}");
}

/// The sides may be set late, and a restored list of the same sides finds the same bodies.
#[test]
fn sides_of_lists() {
    let wall = Wall::new(SurfaceMesh::from(workload::sphere(2, 1.0).unwrap()));
    let spheres = [0.0, 0.8, 5.0].map(|x| Sphere::new(DVec3::X * x, 0.01));
    let mut list = WallList::<WallState>::new(Skin::Relative(0.2)).unwrap();
    assert!(!list.update(&spheres, &wall).unwrap());
    list = list.with_sides(WallSides::Solid);
    assert!(list.update(&spheres, &wall).unwrap());
    assert_eq!(list.bodies(), [0, 1]);
    let mut restored = solid_list();
    restored.restore(list.snapshot()).unwrap();
    restored.update(&spheres, &wall).unwrap();
    assert_eq!(restored.bodies(), list.bodies());
    list = list.with_sides(WallSides::Front);
    assert!(list.update(&spheres, &wall).unwrap());
    assert!(list.bodies().is_empty());
}

/// Lists and states are the serial ones for any number of threads.
#[cfg(feature = "rayon")]
#[test]
fn lists_on_threads() {
    let wall = Wall::new(SurfaceMesh::from(workload::torus(0.8, 0.3, 9, 7).unwrap()));
    let mut bodies = Wanderers::<DVec3>::new(10_000, 1.0, &mut SplitMix64::new(6));
    let (mut serial, mut parallel) = (solid_list(), solid_list());
    for step in 0..5 {
        bodies.step();
        let has_changed = serial.update(&bodies.spheres, &wall).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + step);
        let updated =
            (pool.build().unwrap()).install(|| parallel.par_update(&bodies.spheres, &wall));
        assert_eq!(updated.unwrap(), has_changed);
        assert_eq!(parallel.bodies(), serial.bodies());
        let [found, expected] = with_and_without(&mut parallel, &bodies.spheres, &wall);
        assert_eq!(found, expected);
        let [found, _] = with_and_without(&mut serial, &bodies.spheres, &wall);
        assert_eq!(found, expected);
        assert!(count_deep(&found, &bodies.spheres) > 300);
    }
}
