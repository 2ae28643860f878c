//! Lists of bodies near a wall: the contacts are those of all bodies without a list.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, ConvexWallState, WallHistory};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, ConvexPolyhedron, DoubleHierarchy, ErrorKind, NarrowPhase, PeriodicBox, Placed, Pose3,
    Skin, Sphere, SurfaceMesh, Wall, WallContact, WallList, WallState,
};

/// How a wall changes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    Rest,
    Turning,
    Deforming,
    Periodic,
    /// A period that does not turn with the wall.
    PeriodicTurning,
}

/// A square of hills, 8 wide, around the origin.
fn hills(cells: u32, height: f64) -> SurfaceMesh {
    let side = 8.0 / f64::from(cells);
    let vertex = |i: u32| {
        let (x, y) = (i % (cells + 1), i / (cells + 1));
        let z = if x % cells == 0 || y % cells == 0 {
            0.0
        } else {
            f64::from((7 * x + 5 * y) % 4)
        };
        DVec3::new(
            f64::from(x) * side - 4.0,
            f64::from(y) * side - 4.0,
            z * height,
        )
    };
    let corner = |i: u32| i % cells + i / cells * (cells + 1);
    let facets = (0..cells * cells).map(corner);
    let facets =
        facets.flat_map(|i| [[i, i + 1, i + cells + 2], [i, i + cells + 2, i + cells + 1]]);
    SurfaceMesh::new((0..(cells + 1) * (cells + 1)).map(vertex).collect(), facets).unwrap()
}

struct Scene {
    wall: Wall,
    motion: Motion,
    vertices: Vec<DVec3>,
    spheres: Vec<Sphere<DVec3>>,
    velocities: Vec<DVec3>,
    random: SplitMix64,
}

impl Scene {
    fn new(motion: Motion, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mesh = hills(12, 0.1);
        let vertices = mesh.vertices().to_vec();
        let mut wall = Wall::new(mesh);
        if matches!(motion, Motion::Periodic | Motion::PeriodicTurning) {
            let sides = DVec3::new(8.0, 8.0, 8.0);
            let period = PeriodicBox::orthogonal(sides * -0.5, sides, [true, true, false]);
            wall.set_period(Some(period.unwrap()));
        }
        let sphere = |_| {
            let center = DVec3::from_array([0; 3].map(|_| random.range(-5.0, 5.0)));
            Sphere::new(center, random.range(0.05, 0.4))
        };
        let spheres: Vec<_> = (0..150).map(sphere).collect();
        // Some cross the wall within a step or two.
        let speed = |i: usize| if i.is_multiple_of(5) { 1.5 } else { 0.05 };
        let velocities = (0..spheres.len())
            .map(|i| random.in_ball() * speed(i))
            .collect();
        Self {
            wall,
            motion,
            vertices,
            spheres,
            velocities,
            random,
        }
    }

    fn step(&mut self, step: u32) {
        for (sphere, velocity) in self.spheres.iter_mut().zip(&mut self.velocities) {
            sphere.center += *velocity;
            for axis in 0..3 {
                if sphere.center[axis].abs() > 5.0 {
                    velocity[axis] = -sphere.center[axis].signum() * velocity[axis].abs();
                }
            }
        }
        if self.motion == Motion::Periodic && step.is_multiple_of(3) {
            let period = *self.wall.period().unwrap();
            self.spheres
                .iter_mut()
                .for_each(|s| s.center = period.wrap(s.center));
        }
        if self.motion == Motion::PeriodicTurning {
            let turn = DQuat::from_rotation_z(0.4 * f64::from(step / 10));
            self.wall.set_pose(Pose3::new(turn, DVec3::ZERO).unwrap());
        }
        if self.motion == Motion::Turning {
            let turn = DQuat::from_rotation_y(0.03 * f64::from(step));
            let shift = DVec3::Z * (0.1 * f64::from(step)).sin();
            self.wall.set_pose(Pose3::new(turn, shift).unwrap());
        }
        if self.motion == Motion::Deforming && !step.is_multiple_of(4) {
            for vertex in &mut self.vertices {
                vertex.z += self.random.range(-0.02, 0.02);
            }
            self.wall.set_vertices(&self.vertices).unwrap();
        }
    }
}

type Contacts = Vec<(usize, WallContact)>;

/// The contacts of all bodies, each queried at each step.
fn all_contacts(scene: &Scene, states: &mut [WallState]) -> Contacts {
    let (mut kernel, mut contacts) = (DoubleHierarchy::new(), Vec::new());
    for (i, (sphere, state)) in scene.spheres.iter().zip(states).enumerate() {
        kernel.for_each_contact(sphere, &scene.wall, state, |c| contacts.push((i, c)));
    }
    contacts
}

fn listed_contacts(scene: &Scene, list: &mut WallList<WallState>) -> Contacts {
    let (mut kernel, mut contacts) = (DoubleHierarchy::new(), Vec::new());
    list.for_each_body(|i, state| {
        let sphere = &scene.spheres[i];
        kernel.for_each_contact(sphere, &scene.wall, state, |c| contacts.push((i, c)));
    });
    contacts
}

#[test]
fn contacts_are_those_without_a_list() {
    for motion in [
        Motion::Rest,
        Motion::Turning,
        Motion::Deforming,
        Motion::Periodic,
        Motion::PeriodicTurning,
    ] {
        for (seed, skin) in [(1, Skin::Relative(0.2)), (2, Skin::Absolute(0.0))] {
            let mut scene = Scene::new(motion, seed);
            let mut states = vec![WallState::default(); scene.spheres.len()];
            let mut list = WallList::new(skin).unwrap();
            let (mut visits, mut count) = (0, 0);
            for step in 0..200 {
                scene.step(step);
                list.update(&scene.spheres, &scene.wall).unwrap();
                let expected = all_contacts(&scene, &mut states);
                let found = listed_contacts(&scene, &mut list);
                assert_eq!(found, expected, "{motion:?}, step {step}");
                (visits, count) = (visits + list.bodies().len(), count + found.len());
            }
            assert!(count > 800, "{motion:?}: {count} contacts");
            // Of 30,000. A periodic wall is larger.
            let most = if matches!(motion, Motion::Periodic | Motion::PeriodicTurning) {
                15_000
            } else {
                9000
            };
            assert!(visits < most, "{motion:?}: {visits} visits");
        }
    }
}

/// The margin of the kernel reaches bodies that do not touch.
#[test]
fn margins_count() {
    let mut scene = Scene::new(Motion::Turning, 5);
    let mut kernel = DoubleHierarchy::new().with_margin(0.3).unwrap();
    let mut list = WallList::<()>::new(Skin::Relative(0.1)).unwrap();
    list = list.with_margin(0.3).unwrap();
    for step in 0..40 {
        scene.step(step);
        list.update(&scene.spheres, &scene.wall).unwrap();
        for (i, sphere) in scene.spheres.iter().enumerate() {
            let is_near = kernel.contact(sphere, &scene.wall).is_some();
            assert!(!is_near || list.bodies().binary_search(&(i as u32)).is_ok());
        }
    }
}

/// Polyhedra about their centroids.
#[test]
fn polyhedra_at_a_wall() {
    let mut scene = Scene::new(Motion::Turning, 3);
    let sign = |bit: u32| if bit == 0 { -0.2 } else { 0.2 };
    let corner = |i: u32| DVec3::new(sign(i & 1), sign(i >> 1 & 1), sign(i >> 2));
    let corners: Vec<_> = (0..8).map(corner).collect();
    let shape = ConvexPolyhedron::from_convex_hull(&corners).unwrap();
    let mut kernel = ConvexWall::new();
    let mut states = vec![ConvexWallState::default(); scene.spheres.len()];
    let mut list = WallList::<ConvexWallState>::new(Skin::Absolute(0.1)).unwrap();
    let mut count = 0;
    for step in 0..60 {
        scene.step(step);
        let body = |i: usize| {
            let turn = DQuat::from_rotation_x(0.1 * (i as f64 + f64::from(step)));
            Placed::new(&shape, Pose3::new(turn, scene.spheres[i].center).unwrap())
        };
        let wall = &scene.wall;
        let mut expected = Vec::new();
        for (i, state) in states.iter_mut().enumerate() {
            kernel.for_each_contact(&body(i), wall, state, |c| expected.push((i, c)));
        }
        let mut found = Vec::new();
        let sphere = |i: usize| body(i).bounding_sphere();
        list.update_with(states.len(), sphere, wall).unwrap();
        list.for_each_body(|i, state| {
            kernel.for_each_contact(&body(i), wall, state, |c| found.push((i, c)));
        });
        assert_eq!(found, expected, "step {step}");
        count += found.len();
    }
    assert!(count > 300, "{count}");
}

/// Histories follow their bodies when these are shuffled, removed and added.
#[test]
fn histories_follow_renumbered_bodies() {
    let mut scene = Scene::new(Motion::Turning, 9);
    let mut list = WallList::<WallHistory<u32>>::new(Skin::Relative(0.3)).unwrap();
    let mut histories = vec![WallHistory::<u32>::default(); scene.spheres.len()];
    let (mut kernel, mut oldest) = (DoubleHierarchy::new(), 0);
    for step in 0..120 {
        scene.step(step);
        let Scene {
            wall,
            spheres,
            random,
            velocities,
            ..
        } = &mut scene;
        if step % 10 == 9 {
            let mut order: Vec<usize> = (0..spheres.len()).collect();
            for i in 1..order.len() {
                order.swap(i, random.below(i + 1));
            }
            order.truncate(order.len() - 2);
            let place = |old: usize| order.iter().position(|&i| i == old);
            // Two bodies with one new index are refused, also between two calls.
            assert!(list.renumber(|i| Some(i / 2)).is_err());
            list.renumber(place).unwrap();
            assert!(list.renumber(|i| Some(i / 2)).is_err());
            list.renumber(Some).unwrap();
            *spheres = order.iter().map(|&i| spheres[i]).collect();
            *velocities = order.iter().map(|&i| velocities[i]).collect();
            histories = order.iter().map(|&i| histories[i].clone()).collect();
            spheres.push(Sphere::new(DVec3::new(0.3, 0.4, 1.0), 0.2));
            velocities.push(DVec3::Z * -0.02);
            histories.push(WallHistory::default());
        }
        list.update(spheres, wall).unwrap();
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        list.for_each_body(|i, history| {
            history.for_each_contact(&mut kernel, &spheres[i], wall, |c, age| {
                *age += 1;
                found.push((i, *c, *age));
            });
        });
        for (i, history) in histories.iter_mut().enumerate() {
            history.for_each_contact(&mut kernel, &spheres[i], wall, |c, age| {
                *age += 1;
                expected.push((i, *c, *age));
            });
        }
        assert_eq!(found, expected, "step {step}");
        oldest = found.iter().map(|found| found.2).fold(oldest, u32::max);
    }
    assert!(oldest > 20, "{oldest}");
}

/// A wall that turns about a body: in the coordinates of the mesh the body rests, but not its images.
#[test]
fn periodic_walls_that_turn_about_a_body() {
    let corners = [(7.0, 1.0), (9.0, 1.0), (9.0, 3.0), (7.0, 3.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    let mut wall = Wall::new(SurfaceMesh::new(corners, [[0, 1, 2, 3]]).unwrap());
    let sides = DVec3::splat(8.0);
    wall.set_period(Some(
        PeriodicBox::orthogonal(sides * -0.5, sides, [true; 3]).unwrap(),
    ));
    let sphere = [Sphere::new(DVec3::Z * 0.1, 0.4)];
    let mut list = WallList::<WallState>::new(Skin::Relative(0.2)).unwrap();
    let mut kernel = DoubleHierarchy::new();
    let mut touching = Vec::new();
    for step in 0..4 {
        let turn = DQuat::from_rotation_z(-0.08 * f64::from(step));
        wall.set_pose(Pose3::new(turn, DVec3::ZERO).unwrap());
        list.update(&sphere, &wall).unwrap();
        let is_touching = kernel.contact(&sphere[0], &wall).is_some();
        assert!(!is_touching || list.bodies() == [0], "step {step}");
        touching.push(is_touching);
    }
    assert_eq!(touching, [false, true, true, true]);
}

/// Errors name the lowest bad body, and the list goes on afterwards.
#[test]
fn bad_bodies_are_named() {
    let mut scene = Scene::new(Motion::Rest, 4);
    let mut list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
    let mut states = vec![WallState::default(); scene.spheres.len()];
    for step in 0..30 {
        scene.step(step);
        let mut bad = scene.spheres.clone();
        bad[7].radius = [f64::NAN, -1.0, 1e-300][step as usize % 3];
        bad[40].center.y = f64::NAN;
        let before = list.bodies().to_vec();
        if let Some(&near) = before.first().filter(|&&near| near < 7) {
            // A body that rests near the wall.
            let mut large = scene.spheres.clone();
            large[near as usize].radius = f64::INFINITY;
            let error = list.update(&large, &scene.wall).unwrap_err();
            assert_eq!(error.index(), Some(near as usize));
        }
        let error = list.update(&bad, &scene.wall).unwrap_err();
        assert_eq!((error.kind(), error.index()), (ErrorKind::Radius, Some(7)));
        bad[7] = scene.spheres[7];
        let error = list.update(&bad, &scene.wall).unwrap_err();
        assert_eq!(
            (error.kind(), error.index()),
            (ErrorKind::Coordinate, Some(40))
        );
        assert_eq!(list.bodies(), before);
        list.update(&scene.spheres, &scene.wall).unwrap();
        let found = listed_contacts(&scene, &mut list);
        assert_eq!(found, all_contacts(&scene, &mut states), "step {step}");
    }
    let skin = WallList::<WallState>::new(Skin::Relative(f64::NAN));
    assert_eq!(skin.unwrap_err().kind(), ErrorKind::Length);
}

/// One body leaves and one comes in an update that fails: the next one must still notice both.
#[test]
fn bodies_that_come_in_a_failed_update() {
    let floor = Wall::new(hills(4, 0.0));
    let at = |z: f64| Sphere::new(floor.mesh().bounding_sphere().center + DVec3::Z * z, 0.25);
    let mut list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
    list.update(&[at(0.2), at(9.0), at(9.0)], &floor).unwrap();
    assert_eq!(list.bodies(), [0]);
    let mut bodies = [at(9.0), at(0.2), at(f64::NAN)];
    assert!(list.update(&bodies, &floor).is_err());
    assert_eq!(list.bodies(), [0]);
    bodies[2] = at(9.0);
    assert!(list.update(&bodies, &floor).unwrap());
    assert_eq!(list.bodies(), [1]);
}

/// An update that fails because of a body counts as one for a wall that deforms: the list does not start anew.
#[test]
fn walls_that_deform_in_a_failed_update() {
    let (mut wall, spheres) = (floor(), [0.4, 5.0].map(at_height));
    let mut vertices = wall.mesh().vertices().to_vec();
    let mut list = WallList::<((), u32)>::new(Skin::Relative(0.1)).unwrap();
    list.update(&spheres, &wall).unwrap();
    list.for_each_body(|_, state| state.1 = 7);
    for (step, is_failing) in [true, false, true, false].into_iter().enumerate() {
        vertices[4].z = 0.01 * step as f64;
        wall.set_vertices(&vertices).unwrap();
        let bad = [spheres[0], at_height(f64::NAN)];
        let bodies = if is_failing { &bad } else { &spheres };
        assert_eq!(list.update(bodies, &wall).is_err(), is_failing);
        assert_eq!(list.data(), [((), 7)], "step {step}");
    }
    for _ in 0..2 {
        wall.set_vertices(&vertices).unwrap();
    }
    list.update(&spheres, &wall).unwrap();
    assert_eq!(list.data(), [((), 0)]);
}

/// The list of one wall, updated with another, starts anew.
#[test]
fn another_wall() {
    let mut list = WallList::<WallHistory<u32>>::new(Skin::Relative(0.1)).unwrap();
    let walls = [0.0, -3.0].map(|z| {
        let mut wall = Wall::new(hills(2, 0.0));
        wall.set_pose(Pose3::from_translation(DVec3::Z * z).unwrap());
        wall
    });
    let spheres = [0.4, -2.6].map(|z| Sphere::new(DVec3::new(0.1, 0.2, z), 0.5));
    let mut kernel = DoubleHierarchy::new();
    for round in 0..6 {
        let wall = &walls[round / 3];
        list.update(&spheres, wall).unwrap();
        assert_eq!(list.bodies(), [round as u32 / 3]);
        list.for_each_body(|i, history| {
            history.for_each_contact(&mut kernel, &spheres[i], wall, |_, age| {
                *age += 1;
                assert_eq!(*age as usize, round % 3 + 1);
            });
        });
    }
}

/// A flat floor of one square, 8 wide.
fn floor() -> Wall {
    Wall::new(hills(2, 0.0))
}

fn at_height(z: f64) -> Sphere<DVec3> {
    Sphere::new(DVec3::new(0.3, 0.2, z), 0.5)
}

/// Bodies at rest: what comes near is the wall.
#[test]
fn walls_that_come_near_bodies_at_rest() {
    let spheres = [at_height(3.2), at_height(-2.0)];
    let new = || WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();

    // One vertex of many moves, a little each step.
    let (mut wall, mut list) = (floor(), new());
    let mut vertices = wall.mesh().vertices().to_vec();
    for step in 0..40 {
        vertices[4].z = 0.1 * f64::from(step);
        wall.set_vertices(&vertices).unwrap();
        list.update(&spheres, &wall).unwrap();
        let mut kernel = DoubleHierarchy::new();
        let is_touched = kernel.contact(&spheres[0], &wall).is_some();
        assert!(!is_touched || list.bodies() == [0], "{step}");
    }
    assert_eq!(list.bodies(), [0]);

    // The vertices move twice between two updates.
    let (mut wall, mut list) = (floor(), new());
    assert!(!list.update(&spheres, &wall).unwrap());
    let vertices: Vec<_> = { wall.mesh().vertices().iter() }
        .map(|v| v.with_z(3.0))
        .collect();
    wall.set_vertices(&vertices).unwrap();
    wall.set_vertices(&vertices).unwrap();
    assert!(list.update(&spheres, &wall).unwrap());
    assert_eq!(list.bodies(), [0]);

    // Another wall, here at the same place of its mesh.
    let mut list = new();
    list.update(&spheres, &floor()).unwrap();
    list.update(&spheres, &wall).unwrap();
    assert_eq!(list.bodies(), [0]);

    // The wall begins to repeat.
    let (mut wall, mut list) = (floor(), new());
    list.update(&spheres, &wall).unwrap();
    let sides = DVec3::new(8.0, 8.0, 3.0);
    let period = PeriodicBox::orthogonal(sides * -0.5, sides, [true; 3]).unwrap();
    wall.set_period(Some(period));
    assert!(list.update(&spheres, &wall).unwrap());
    assert_eq!(list.bodies(), [0]);
    wall.set_period(None);
    assert!(list.update(&spheres, &wall).unwrap());
    assert!(list.bodies().is_empty());

    // A margin that is set later.
    let (wall, mut list) = (floor(), new());
    list.update(&spheres, &wall).unwrap();
    list = list.with_margin(2.8).unwrap();
    assert!(list.update(&spheres, &wall).unwrap());
    assert_eq!(list.bodies(), [0, 1]);
}

/// Bodies are near a wall where its pose and its vertices are now, in a periodic box too.
#[test]
fn bodies_near_a_wall_that_moves() {
    let spheres = [0.0, 20.0, 40.0].map(at_height);
    let near = |wall: &Wall| {
        let mut found = Vec::new();
        wall.for_each_body_near(&spheres, 0.0, &mut Vec::new(), |i, _| found.push(i));
        let touching = |sphere| DoubleHierarchy::new().contact(sphere, wall).is_some();
        let touching = (0..3).filter(|&i| touching(&spheres[i]));
        assert_eq!(touching.collect::<Vec<_>>(), found);
        found
    };
    let sides = DVec3::splat(100.0);
    let period = PeriodicBox::orthogonal(sides * -0.5, sides, [true; 3]).unwrap();
    for period in [None, Some(period)] {
        let mut wall = floor();
        wall.set_period(period);
        assert_eq!(near(&wall), [0]);
        wall.set_pose(Pose3::from_translation(DVec3::Z * 20.0).unwrap());
        assert_eq!(near(&wall), [1]);
        let vertices = wall.mesh().vertices().iter().map(|v| v.with_z(20.0));
        wall.set_vertices(&vertices.collect::<Vec<_>>()).unwrap();
        assert_eq!(near(&wall), [2]);
    }
}

/// Poses and meshes 1e12 away, where bodies are as close to touching as rounding: 1e-4. Rotations move them by as much, and
/// so do the images of a periodic wall.
#[test]
fn walls_far_away() {
    /// Between coordinates 1e12 away, so that images round to the other side of touching.
    const RADIUS: f64 = 0.30005;
    let mut random = SplitMix64::new(14);
    let mut touching = [0; 3];
    let period = DVec3::splat(8.3);
    for trial in 0..6000 {
        let kind = trial % 3;
        let [is_mesh_far, is_periodic] = [kind == 1, kind == 2];
        let far = (random.in_ball().normalize() * 1e12).round();
        let mut floor = floor();
        let mut from = DVec3::new(0.3, 0.2, RADIUS);
        if is_mesh_far {
            let vertices = floor.mesh().vertices().iter().map(|&v| v + far);
            floor.set_vertices(&vertices.collect::<Vec<_>>()).unwrap();
            from += far;
        }
        if is_periodic {
            let period = PeriodicBox::orthogonal(DVec3::ZERO, period, [true; 3]);
            floor.set_period(Some(period.unwrap()));
            from.z += 8.3;
        }
        let mut list = WallList::<WallState>::new(Skin::Absolute(0.0)).unwrap();
        for step in 0..3 {
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            let turn = if is_periodic { DQuat::IDENTITY } else { turn };
            // The first search is near the origin.
            let is_near = is_mesh_far || step == 0;
            let shift = if is_near { DVec3::ZERO } else { far };
            let pose = Pose3::new_normalize(turn, shift).unwrap();
            floor.set_pose(pose);
            let at = from + DVec3::Z * random.range(-1e-4, 3e-4);
            let sphere = [Sphere::new(pose.transform_point(at), RADIUS)];
            list.update(&sphere, &floor).unwrap();
            if DoubleHierarchy::new().contact(&sphere[0], &floor).is_some() {
                assert_eq!(list.bodies(), [0], "{trial}");
                touching[kind] += 1;
            }
        }
    }
    assert!(touching.iter().all(|&count| count > 500), "{touching:?}");
}

/// A list of fewer bodies has no others, and says whether it has changed.
#[test]
fn fewer_bodies() {
    let mut list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
    let (wall, spheres) = (floor(), [0.4, 5.0, 0.3].map(at_height));
    assert!(list.update(&spheres, &wall).unwrap());
    assert!(!list.update(&spheres, &wall).unwrap());
    assert!(list.update(&spheres[..0], &wall).unwrap());
    assert!(list.bodies().is_empty() && list.data().is_empty());
    assert!(list.update(&spheres, &wall).unwrap());
    assert_eq!(list.bodies(), [0, 2]);
    assert!(list.update(&spheres[..2], &wall).unwrap());
    assert_eq!((list.bodies(), list.data().len()), (&[0][..], 1));
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::*;
    use osculate::broad::Workers;

    /// Lists, states and the order of the contacts are the serial ones.
    #[test]
    fn any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                for motion in [Motion::Turning, Motion::Deforming, Motion::Periodic] {
                    let mut scene = Scene::new(motion, 6);
                    // More than one part.
                    for _ in 0..7 {
                        scene.spheres.extend_from_within(..);
                        scene.velocities.extend_from_within(..);
                    }
                    let mut serial =
                        WallList::<WallHistory<u32>>::new(Skin::Relative(0.2)).unwrap();
                    let mut parallel = serial.clone();
                    let mut kernel = DoubleHierarchy::new();
                    let mut workers = Workers::new(DoubleHierarchy::new());
                    for step in 0..5 {
                        scene.step(step);
                        let Scene { wall, spheres, .. } = &scene;
                        let changed = serial.update(spheres, wall).unwrap();
                        assert_eq!(parallel.par_update(spheres, wall).unwrap(), changed);
                        assert_eq!(parallel.bodies(), serial.bodies());
                        let mut expected = Vec::new();
                        serial.for_each_body(|i, history| {
                            history.for_each_contact(&mut kernel, &spheres[i], wall, |c, age| {
                                *age += 1;
                                expected.push((i, *c, *age));
                            });
                        });
                        parallel.par_for_each_body(&mut workers, |kernel, i, history, results| {
                            history.for_each_contact(kernel, &spheres[i], wall, |c, age| {
                                *age += 1;
                                results.push((i, *c, *age));
                            });
                        });
                        assert!(
                            workers.results().eq(&expected),
                            "{threads} threads, step {step}"
                        );
                        assert!(expected.len() > 100);
                    }
                    let mut bad = scene.spheres.clone();
                    bad[9000].radius = -1.0;
                    bad[17_000].radius = -1.0;
                    let error = parallel.par_update(&bad, &scene.wall).unwrap_err();
                    assert_eq!(error.index(), Some(9000));
                }
            });
        }
    }

    #[test]
    fn facets_near_bodies() {
        let scene = Scene::new(Motion::Rest, 8);
        let mut expected = Vec::new();
        scene
            .wall
            .for_each_body_near(&scene.spheres, 0.1, &mut Vec::new(), |i, facets| {
                expected.push((i, facets.to_vec()));
            });
        assert!(expected.len() > 10);
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut workers = Workers::new(());
                scene.wall.par_for_each_body_near(
                    &scene.spheres,
                    0.1,
                    &mut workers,
                    |(), i, facets, found| {
                        found.push((i, facets.to_vec()));
                    },
                );
                assert!(workers.results().eq(&expected));
                // Fewer tasks than before.
                let few = &scene.spheres[..10];
                let visit = |(): &mut (), i, _: &[u32], found: &mut Vec<_>| found.push((i, vec![]));
                scene
                    .wall
                    .par_for_each_body_near(few, 0.1, &mut workers, visit);
                let count = expected.iter().filter(|found| found.0 < 10).count();
                assert_eq!(workers.results().count(), count);
            });
        }
    }
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;
    use osculate::narrow::WallListSnapshot;

    type Aged = ((), u8);

    /// A run that is stopped and started again from a file has the same contacts and values.
    #[test]
    fn restart_changes_nothing() {
        for motion in [Motion::Rest, Motion::Turning, Motion::Periodic] {
            let mut scene = Scene::new(motion, 12);
            let mut list = WallList::<WallHistory<f64>>::new(Skin::Relative(0.2)).unwrap();
            let mut restarted = list.clone();
            let (mut kernel, mut count) = (DoubleHierarchy::new(), 0);
            for step in 0..120 {
                scene.step(step);
                if step % 13 == 5 {
                    let text = serde_json::to_string(&list.snapshot()).unwrap();
                    let snapshot = serde_json::from_str(&text).unwrap();
                    restarted = WallList::new(Skin::Relative(0.2)).unwrap();
                    restarted.restore(snapshot).unwrap();
                    // A new wall from the same file.
                    let mut wall = Wall::new(scene.wall.mesh().clone());
                    wall.set_pose(*scene.wall.pose());
                    wall.set_period(scene.wall.period().copied());
                    check(
                        &mut kernel,
                        &mut restarted.clone(),
                        &wall,
                        &scene,
                        &mut list.clone(),
                    );
                }
                if step >= 5 {
                    restarted.update(&scene.spheres, &scene.wall).unwrap();
                }
                list.update(&scene.spheres, &scene.wall).unwrap();
                if step >= 5 {
                    let wall = scene.wall.clone();
                    count += check(&mut kernel, &mut restarted, &wall, &scene, &mut list);
                }
            }
            assert!(count > 500, "{count}");
        }
    }

    fn check(
        kernel: &mut DoubleHierarchy,
        restarted: &mut WallList<WallHistory<f64>>,
        wall: &Wall,
        scene: &Scene,
        list: &mut WallList<WallHistory<f64>>,
    ) -> usize {
        list.update(&scene.spheres, &scene.wall).unwrap();
        restarted.update(&scene.spheres, wall).unwrap();
        let [found, expected] = [(restarted, wall), (list, &scene.wall)].map(|(list, wall)| {
            let mut contacts = Vec::new();
            list.for_each_body(|i, history| {
                history.for_each_contact(kernel, &scene.spheres[i], wall, |c, value| {
                    *value += c.overlap;
                    contacts.push((i, *c, *value));
                });
            });
            contacts
        });
        assert_eq!(found, expected);
        found.len()
    }

    /// A list that was used at another place takes a snapshot as a new one does.
    #[test]
    fn a_used_list_is_restored() {
        let [before, after] = [0.8, 0.1].map(at_height);
        let wall = floor();
        let mut list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
        list.update(&[before, at_height(0.4)], &wall).unwrap();
        let snapshot = list.snapshot();
        let mut other = floor();
        other.set_pose(Pose3::from_translation(DVec3::Z * 5.0).unwrap());
        let mut used = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
        used.update(&[5.4, 5.4, 5.4].map(at_height), &other)
            .unwrap();
        used.restore(snapshot).unwrap();
        assert_eq!((used.bodies(), used.data().len()), (&[1][..], 1));
        let spheres = [after, at_height(0.4)];
        let [found, expected] = [&mut used, &mut list].map(|list| {
            list.update(&spheres, &wall).unwrap();
            let (mut kernel, mut contacts) = (DoubleHierarchy::new(), Vec::new());
            list.for_each_body(|i, state| {
                kernel.for_each_contact(&spheres[i], &wall, state, |c| contacts.push((i, c)));
            });
            contacts
        });
        assert_eq!(found, expected);
        assert!(found[0].0 == 0 && found[0].1.overlap == 0.4);
    }

    /// Bodies that change places among two lists take their states along.
    #[test]
    fn bodies_move_to_another_list() {
        let mut scene = Scene::new(Motion::Turning, 12);
        let new = || WallList::<WallHistory<f64>>::new(Skin::Relative(0.2)).unwrap();
        let (mut whole, mut halves) = (new(), [new(), new()]);
        let mut places: Vec<usize> = (0..scene.spheres.len()).map(|i| i % 2).collect();
        let (mut kernel, mut count) = (DoubleHierarchy::new(), 0);
        for step in 0..120 {
            scene.step(step);
            if step % 7 == 3 {
                // The states in the order of the bodies.
                let mut states = vec![None; places.len()];
                for (k, list) in halves.iter().enumerate() {
                    let mine: Vec<usize> = (0..places.len()).filter(|&i| places[i] == k).collect();
                    for (i, state) in list.snapshot().into_bodies() {
                        states[mine[i as usize]] = Some(state);
                    }
                }
                assert!(states.iter().any(Option::is_some));
                places = (0..states.len()).map(|_| scene.random.below(2)).collect();
                for (k, list) in halves.iter_mut().enumerate() {
                    let mine = states.iter().zip(&places).filter(|(_, place)| **place == k);
                    let mine = (0..)
                        .zip(mine)
                        .filter_map(|(i, (state, _))| Some((i, state.clone()?)));
                    list.restore(mine.collect()).unwrap();
                }
            }
            let (wall, spheres) = (&scene.wall, &scene.spheres);
            let mut contacts_of = |list: &mut WallList<WallHistory<f64>>, bodies: &[usize]| {
                let mut contacts = Vec::new();
                list.update_with(bodies.len(), |i| spheres[bodies[i]], wall)
                    .unwrap();
                list.for_each_body(|i, history| {
                    let body = bodies[i];
                    history.for_each_contact(&mut kernel, &spheres[body], wall, |c, value| {
                        *value += c.overlap;
                        contacts.push((body, *c, *value));
                    });
                });
                contacts
            };
            let all: Vec<usize> = (0..spheres.len()).collect();
            let expected = contacts_of(&mut whole, &all);
            let mut found = Vec::new();
            for (k, list) in halves.iter_mut().enumerate() {
                let mine = all.iter().copied().filter(|&i| places[i] == k);
                found.extend(contacts_of(list, &mine.collect::<Vec<_>>()));
            }
            found.sort_by_key(|contact| contact.0);
            assert_eq!(found, expected, "step {step}");
            count += found.len();
        }
        assert!(count > 300, "{count}");
    }

    /// A plate moves through a center at rest: the side counts on which the center is now, in a run that goes on as after
    /// a restart.
    #[test]
    fn plates_that_deform_after_a_restart() {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let at = |z: f64| corners.map(|(x, y)| DVec3::new(x, y, z)).to_vec();
        let mut plate = Wall::new(SurfaceMesh::new(at(0.0), [[0, 1, 2], [0, 2, 3]]).unwrap());
        let sphere = [Sphere::new(DVec3::Z * 0.1, 0.5)];
        let new = || WallList::<WallState>::new(Skin::Relative(0.2)).unwrap();
        let (mut kernel, mut state, mut list) =
            (DoubleHierarchy::new(), WallState::default(), new());
        for (z, normal) in [(0.0, -DVec3::Z), (0.2, DVec3::Z), (0.0, -DVec3::Z)] {
            let text = serde_json::to_string(&(&state, list.snapshot())).unwrap();
            plate.set_vertices(&at(z)).unwrap();
            let (mut stored, snapshot) = serde_json::from_str(&text).unwrap();
            let mut restarted = new();
            restarted.restore(snapshot).unwrap();
            let mut check = |state: &mut WallState| {
                let contact = kernel.contact_with(&sphere[0], &plate, state).unwrap();
                assert_eq!(contact.normal, normal, "{z}");
                assert!((contact.overlap - 0.4).abs() < 1e-15, "{z} {contact:?}");
            };
            check(&mut WallState::default());
            check(&mut state);
            check(&mut stored);
            for list in [&mut list, &mut restarted] {
                list.update(&sphere, &plate).unwrap();
                assert_eq!(list.bodies(), [0]);
                list.for_each_body(|_, state| check(state));
            }
        }
    }

    #[test]
    fn bad_snapshots_are_refused() {
        let mut list = WallList::<Aged>::new(Skin::Relative(0.2)).unwrap();
        for text in [
            r#"{"bodies":[[1,[null,1]],[1,[null,1]]]}"#,
            r#"{"bodies":[[1,[null,1]],[0,[null,1]]]}"#,
        ] {
            let snapshot: WallListSnapshot<Aged> = serde_json::from_str(text).unwrap();
            let error = list.restore(snapshot).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Parameter, "{text}");
            assert_eq!(error.to_string(), "entry 1: not in ascending order");
        }
    }

    /// A body that does not exist loses its state, and two bodies get no common index before the first update.
    #[test]
    fn restored_bodies_that_do_not_exist() {
        let snapshot = || WallListSnapshot::from_iter([(0, ((), 4)), (7, ((), 5))]);
        let mut list = WallList::<Aged>::new(Skin::Relative(0.2)).unwrap();
        list.restore(snapshot()).unwrap();
        assert_eq!(
            list.renumber(|_| Some(3)).unwrap_err().kind(),
            ErrorKind::Index
        );
        assert_eq!(list.bodies(), [0, 7]);
        assert!(list.update(&[at_height(0.4)], &floor()).unwrap());
        assert_eq!((list.bodies(), list.data()), (&[0][..], &[((), 4)][..]));
    }
}

/// Bodies, states, and both together are the same lists, and a state is kept with its body.
#[test]
fn states_stay_with_their_bodies() {
    let mut scene = Scene::new(Motion::Rest, 11);
    let mut list = WallList::<WallHistory<u32>>::new(Skin::Relative(0.1)).unwrap();
    let mut kernel = DoubleHierarchy::new();
    // A contact's datum is the number of steps that it has lasted; its body has been listed for at least as long.
    let mut listed = vec![0_u32; scene.spheres.len()];
    let mut longest = 0;
    for step in 0..40 {
        scene.step(step);
        list.update(&scene.spheres, &scene.wall).unwrap();
        let expected = list.bodies().to_vec();
        let (bodies, data) = list.bodies_and_data_mut();
        assert_eq!((bodies, data.len()), (&expected[..], expected.len()));
        for (body, steps) in (0..).zip(&mut listed) {
            let is_listed = bodies.binary_search(&body).is_ok();
            *steps = if is_listed { *steps + 1 } else { 0 };
        }
        for (&body, history) in bodies.iter().zip(data) {
            let body = body as usize;
            history.for_each_contact(
                &mut kernel,
                &scene.spheres[body],
                &scene.wall,
                |_, steps| {
                    *steps += 1;
                    assert!(*steps <= listed[body]);
                    longest = longest.max(*steps);
                },
            );
        }
    }
    assert!(longest > 2, "{longest}");
}

/// `update` returns whether bodies were added or removed, also if all bodies are searched anew or the wall is another
/// one.
#[test]
fn changes_are_reported() {
    let triangle = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
    let mut wall = Wall::new(SurfaceMesh::new(triangle.to_vec(), [[0, 1, 2]]).unwrap());
    let body = [Sphere::new(DVec3::new(1.0, 1.0, 0.4), 0.5)];
    let mut list = WallList::<WallState>::new(Skin::Relative(0.1)).unwrap();
    assert!(list.update(&body, &wall).unwrap());
    list = list.with_margin(0.0).unwrap();
    assert!(!list.update(&body, &wall).unwrap());
    // After two deformations the list starts anew.
    let low = triangle.map(|x| x - DVec3::Z * 9.0);
    for _ in 0..2 {
        wall.set_vertices(&low).unwrap();
    }
    assert!(list.update(&body, &wall).unwrap());
    assert!(list.bodies().is_empty());
    assert!(!list.update(&body, &wall).unwrap());
}

/// Without a skin and a radius nothing is within reach of the wall but what touches it.
#[test]
fn points_away_from_a_wall() {
    let mut list = WallList::<()>::new(Skin::Relative(0.2)).unwrap();
    let points = [9.0, 0.0, 1e-3].map(|z| Sphere::new(DVec3::new(0.3, 0.2, z), 0.0));
    list.update(&points, &floor()).unwrap();
    assert_eq!(list.bodies(), [1]);
}

/// A failed update with fewer or more bodies loses no state in a renumbering.
#[test]
fn renumbering_after_a_failed_update() {
    let floor = floor();
    for count in [1, 2, 4, 6] {
        let mut list = WallList::<WallHistory<u8>>::new(Skin::Relative(0.1)).unwrap();
        list.update(&[at_height(0.4); 4], &floor).unwrap();
        let mut bodies = vec![at_height(0.4); count];
        bodies[count - 1].radius = f64::NAN;
        assert!(list.update(&bodies, &floor).is_err());
        assert!(list.renumber(|i| Some(i / 2)).is_err());
        list.renumber(|i| Some(3 - i.min(3))).map_or_else(
            |error| assert_eq!((error.kind(), count), (ErrorKind::Index, 6)),
            |()| assert!(count < 6),
        );
        list.update(&[at_height(0.4); 4], &floor).unwrap();
        assert_eq!(list.bodies(), [0, 1, 2, 3]);
    }
}
