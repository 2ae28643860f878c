//! Lists of bodies near a wall: the contacts are those of all bodies without a list.

use crate::support::convex::cuboid;
use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureField, PressureState, WallHistory};
use osculate::testing::workload::SplitMix64;
use osculate::{
    Bounded, DoubleHierarchy, ErrorKind, NarrowPhase, PeriodicBox, Placed, Pose3, Skin, Sphere,
    SurfaceMesh, Wall, WallContact, WallList,
};

use crate::support::all_contacts;
use crate::support::wall::grid;

/// How a wall changes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    Rest,
    Turning,
    Deforming,
    Periodic,
    PeriodicTurning,
}

/// A square of hills, 8 wide, around the origin.
pub(super) fn hills(cells: u32, height: f64) -> SurfaceMesh {
    let side = 8.0 / f64::from(cells);
    grid([cells; 2], |x, y| {
        let is_rim = x % cells == 0 || y % cells == 0;
        let z = if is_rim { 0 } else { (7 * x + 5 * y) % 4 };
        DVec3::new(
            f64::from(x) * side - 4.0,
            f64::from(y) * side - 4.0,
            f64::from(z) * height,
        )
    })
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
        let wall = if matches!(motion, Motion::Periodic | Motion::PeriodicTurning) {
            Self::periodic(mesh)
        } else {
            Wall::new(mesh)
        };
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

    fn periodic(mesh: SurfaceMesh) -> Wall {
        let sides = DVec3::new(8.0, 8.0, 8.0);
        let period = PeriodicBox::orthogonal(sides * -0.5, sides, [true, true, false]);
        Wall::periodic(mesh, period.unwrap(), 0.5).unwrap()
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

/// A body, its contact, and the number of steps that the contact has lasted.
type Aged = (usize, WallContact, u32);
type Histories = WallList<WallHistory<u32>>;

/// Adds the contacts of a body, one step older.
fn grow<W: AsRef<Wall>>(
    kernel: &mut DoubleHierarchy,
    history: &mut WallHistory<u32>,
    (body, sphere): (usize, &Sphere<DVec3>),
    wall: &W,
    found: &mut Vec<Aged>,
) where
    DoubleHierarchy: NarrowPhase<Sphere, W, Contact = WallContact, State = ()>,
{
    history.for_each_contact(kernel, sphere, wall, |contact, age| {
        *age += 1;
        found.push((body, *contact, *age));
    });
}

/// The history of each body, and a list.
struct Run {
    histories: Vec<WallHistory<u32>>,
    list: Histories,
    oldest: u32,
}

impl Run {
    fn new(scene: &Scene, skin: Skin) -> Self {
        Self {
            histories: vec![WallHistory::default(); scene.spheres.len()],
            list: WallList::new(skin).unwrap(),
            oldest: 0,
        }
    }

    /// Checks contacts and their ages against those of all bodies, and returns their number.
    fn check(&mut self, scene: &Scene) -> usize {
        let (mut kernel, mut expected) = (DoubleHierarchy::new(), Vec::new());
        let Scene { wall, spheres, .. } = scene;
        for (i, history) in self.histories.iter_mut().enumerate() {
            grow(&mut kernel, history, (i, &spheres[i]), wall, &mut expected);
        }
        let mut found = Vec::new();
        self.list.update(spheres, wall).unwrap();
        self.list.for_each_body(wall, |i, near, history| {
            let body = (i, &spheres[i]);
            let mut facets = Vec::new();
            near.for_each_facet(|facet| facets.push(facet));
            let is_listed = |facet| assert!(facets.contains(&facet), "{body:?} {facet}");
            wall.for_each_facet_near(body.1, is_listed);
            grow(&mut kernel, history, body, near, &mut found);
        });
        assert_eq!(found, expected, "{:?}", scene.motion);
        self.oldest = found
            .iter()
            .map(|found| found.2)
            .fold(self.oldest, u32::max);
        found.len()
    }

    /// Shuffles the bodies, removes two and adds one.
    fn renumber(&mut self, scene: &mut Scene) {
        let mut order: Vec<usize> = (0..scene.spheres.len()).collect();
        scene.random.shuffle(&mut order);
        order.truncate(order.len() - 2);
        let list = &mut self.list;
        // Two bodies with one new index are refused, also between two calls.
        assert!(list.renumber(|i| Some(i / 2)).is_err());
        list.renumber(|old| order.iter().position(|&i| i == old))
            .unwrap();
        assert!(list.renumber(|i| Some(i / 2)).is_err());
        list.renumber(Some).unwrap();
        scene.spheres = order.iter().map(|&i| scene.spheres[i]).collect();
        scene.velocities = order.iter().map(|&i| scene.velocities[i]).collect();
        self.histories = order.iter().map(|&i| self.histories[i].clone()).collect();
        scene
            .spheres
            .push(Sphere::new(DVec3::new(0.3, 0.4, 1.0), 0.2));
        scene.velocities.push(DVec3::Z * -0.02);
        self.histories.push(WallHistory::default());
    }

    /// Starts again from a file, with a new wall and a list that was used at another place.
    #[cfg(feature = "serde")]
    fn restart(&mut self, scene: &mut Scene) {
        use super::list_calls::{at_height, floor};
        use crate::support::read_back;

        let snapshot = self.list.snapshot();
        let (histories, snapshot) = read_back(&(self.histories.clone(), snapshot));
        let mut other = floor();
        other.set_pose(Pose3::from_translation(DVec3::Z * 5.0).unwrap());
        self.list.update(&[at_height(5.4); 3], &other).unwrap();
        self.list.restore(snapshot).unwrap();
        self.histories = histories;
        let mesh = scene.wall.mesh().clone();
        let mut wall = match scene.wall.period() {
            Some(_) => Scene::periodic(mesh),
            None => Wall::new(mesh),
        };
        wall.set_pose(*scene.wall.pose());
        scene.wall = wall;
    }
}

const MOTIONS: [Motion; 5] = [
    Motion::Rest,
    Motion::Turning,
    Motion::Deforming,
    Motion::Periodic,
    Motion::PeriodicTurning,
];

/// Also if bodies are renumbered, removed and added, and after a restart.
#[test]
fn contacts_and_ages_are_those_without_a_list() {
    for motion in MOTIONS {
        for (seed, skin) in [(1, Skin::Relative(0.2)), (2, Skin::Absolute(0.0))] {
            let mut scene = Scene::new(motion, seed);
            let mut run = Run::new(&scene, skin);
            let (mut visits, mut count) = (0, 0);
            for step in 0..200 {
                scene.step(step);
                match step % 50 {
                    29 => run.renumber(&mut scene),
                    #[cfg(feature = "serde")]
                    49 => run.restart(&mut scene),
                    _ => (),
                }
                count += run.check(&scene);
                visits += run.list.bodies().len();
            }
            assert!(count > 800, "{motion:?}: {count} contacts");
            assert!(run.oldest > 5, "{motion:?}: {}", run.oldest);
            // Of 30,000. A periodic wall is larger.
            let is_periodic = matches!(motion, Motion::Periodic | Motion::PeriodicTurning);
            let most = if is_periodic { 15_000 } else { 9000 };
            assert!(visits < most, "{motion:?}: {visits} visits");
        }
    }
}

/// A kernel that needs more facets than the list has searches the wall.
#[test]
fn kernels_reach_farther_than_lists() {
    let mut list = WallList::<()>::new(Skin::Absolute(0.01)).unwrap();
    let wide = |i: usize| {
        DoubleHierarchy::new()
            .with_margin([0.02, 0.3, 1.0][i % 3])
            .unwrap()
    };
    let (wall, mut random) = (Wall::new(hills(12, 0.6)), SplitMix64::new(8));
    for i in 0..300 {
        let [x, y, z] = [(-3.0, 3.0), (-3.0, 3.0), (0.0, 2.0)].map(|(a, b)| random.range(a, b));
        let center = DVec3::new(x, y, z);
        let sphere = Sphere::new(center, 0.5);
        list.update_with(1, |_| sphere, &wall).unwrap();
        let expected = all_contacts(&mut wide(i), &sphere, &wall);
        let mut found = Vec::new();
        list.for_each_body(&wall, |_, near, ()| {
            found = all_contacts(&mut wide(i), &sphere, near);
        });
        assert_eq!(found, expected);
    }
}

/// Polyhedra about their centroids, also after a restart.
#[test]
fn polyhedra_at_a_wall() {
    let mut scene = Scene::new(Motion::Turning, 3);
    let shape = cuboid(DVec3::splat(-0.2), DVec3::splat(0.2));
    let mut kernel = PressureField::new().with_points();
    let mut states = vec![PressureState::default(); scene.spheres.len()];
    let mut list = WallList::<PressureState>::new(Skin::Absolute(0.1)).unwrap();
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
        #[cfg(feature = "serde")]
        if step == 30 {
            list.restore(crate::support::read_back(&list.snapshot()))
                .unwrap();
            list.update_with(states.len(), sphere, wall).unwrap();
        }
        list.for_each_body(wall, |i, near, state| {
            kernel.for_each_contact(&body(i), near, state, |c| found.push((i, c)));
        });
        assert_eq!(found, expected, "step {step}");
        count += found.len();
    }
    assert!(count > 300, "{count}");
}

/// Errors name the lowest bad body, also one that rests near the wall. The list stays.
#[test]
fn bad_bodies_are_named() {
    let scene = Scene::new(Motion::Rest, 4);
    let mut list = WallList::<()>::new(Skin::Relative(0.1)).unwrap();
    list.update(&scene.spheres, &scene.wall).unwrap();
    let before = list.bodies().to_vec();
    for near in [before[0] as usize, 7] {
        for radius in [f64::INFINITY, f64::NAN, -1.0, 1e-300] {
            let mut bad = scene.spheres.clone();
            bad[near].radius = radius;
            bad[40].center.y = f64::NAN;
            let mut expected = [(near, ErrorKind::Radius), (40, ErrorKind::Coordinate)];
            expected.sort_by_key(|error| error.0);
            let error = list.update(&bad, &scene.wall).unwrap_err();
            let (index, kind) = expected[0];
            assert_eq!((error.index(), error.kind()), (Some(index), kind));
            assert_eq!(list.bodies(), before);
        }
    }
    list.update(&scene.spheres, &scene.wall).unwrap();
    assert_eq!(list.bodies(), before);
}

#[cfg(feature = "rayon")]
mod parallel {
    use super::*;
    use crate::support::on_threads;
    use osculate::broad::Workers;

    /// Lists, states and the order of the contacts are the serial ones.
    #[test]
    fn any_number_of_threads() {
        on_threads(|_| {
            for motion in [Motion::Turning, Motion::Deforming, Motion::Periodic] {
                lists_are_the_serial_ones(Scene::new(motion, 6));
            }
        });
    }

    fn lists_are_the_serial_ones(mut scene: Scene) {
        // More than one part.
        for _ in 0..7 {
            scene.spheres.extend_from_within(..);
            scene.velocities.extend_from_within(..);
        }
        let mut serial = Histories::new(Skin::Relative(0.2)).unwrap();
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
            serial.for_each_body(wall, |i, near, history| {
                grow(&mut kernel, history, (i, &spheres[i]), near, &mut expected);
            });
            parallel.par_for_each_body(wall, &mut workers, |kernel, i, near, history, results| {
                history.for_each_contact(kernel, &spheres[i], near, |c, age| {
                    *age += 1;
                    results.push((i, *c, *age));
                });
            });
            assert!(workers.results().eq(&expected), "step {step}");
            assert!(expected.len() > 100);
        }
        let mut bad = scene.spheres.clone();
        bad[9000].radius = -1.0;
        bad[17_000].radius = -1.0;
        let error = parallel.par_update(&bad, &scene.wall).unwrap_err();
        assert_eq!(error.index(), Some(9000));
    }
}
