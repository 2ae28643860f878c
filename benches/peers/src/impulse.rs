//! Rigid bodies with impulses: this crate below the engine of the example `impulse`, and rapier, with the same bodies,
//! friction, steps and substeps.
//!
//! Time: of contact generation, the median of all steps. rapier keeps the contacts of pairs that have moved by less than
//! 0.05; in a second row it computes them in each step.
//!
//! Results: how far a body has moved at most across gravity, the height of the last body, and the largest speed at the end.

#[path = "../../../examples/impulse/engine.rs"]
mod engine;
#[path = "../../../examples/impulse/scenes.rs"]
mod scenes;

use engine::{DENSITY, FRICTION, GRAVITY, STEP, SUBSTEPS, World};
use osculate::glam::DVec3;
use osculate::{ConvexPolyhedron, SurfaceMesh, Wall};
use rapier3d_f64::dynamics::RigidBodyBuilder;
use rapier3d_f64::geometry::{ColliderBuilder, SharedShape};
use rapier3d_f64::pipeline::PhysicsWorld;
use scenes::Solid;

use crate::convex_walls::{parry_body, parry_pose};
use crate::report::{OURS, Report, median};
use crate::walls::{KINDS, parry_mesh, vector};

/// A scene: its name, the bodies and their velocity, the ground, and the seconds.
struct Scene<'a> {
    name: &'static str,
    solids: Vec<Solid<'a>>,
    velocity: DVec3,
    ground: SurfaceMesh,
    seconds: f64,
}

/// Positions and velocities of the bodies.
type Motions = Vec<[DVec3; 2]>;

impl Scene<'_> {
    /// Makes the steps, prints a line, and returns the time of contact generation. A step returns its time and the motions.
    fn run(&self, who: &str, mut step: impl FnMut() -> (f64, Motions)) -> f64 {
        let (mut times, mut motions) = (Vec::new(), Motions::new());
        for _ in 0..(self.seconds / STEP).round() as u32 {
            let (time, moved) = step();
            times.push(time);
            motions = moved;
        }
        let (mut drift, mut speed, mut last) = (0.0_f64, 0.0_f64, 0.0);
        for (solid, [position, velocity]) in self.solids.iter().zip(motions) {
            let start = solid.pose.transform_point(solid.shape.centroid());
            drift = drift.max((position - start).truncate().length());
            speed = speed.max(velocity.length());
            last = position.z;
        }
        let time = median(&mut times);
        println!(
            "    {who:20} drift {drift:9.3e} m, last body at {last:7.4} m, speed {speed:9.3e} m/s, contacts {:8.1} us",
            time * 1e6
        );
        time
    }

    fn ours(&self) -> f64 {
        let mut world = World::new(&self.solids, Wall::new(self.ground.clone())).unwrap();
        let bodies = &mut world.bodies[..self.solids.len()];
        bodies
            .iter_mut()
            .for_each(|body| body.velocity = self.velocity);
        self.run(OURS, || {
            world.step().unwrap();
            let motions = world
                .bodies
                .iter()
                .map(|body| [body.position, body.velocity]);
            (world.time, motions.collect())
        })
    }

    fn rapier(&self, who: &str, is_recycling: bool) -> f64 {
        let mut world = PhysicsWorld {
            gravity: vector(DVec3::Z * -GRAVITY),
            ..PhysicsWorld::default()
        };
        world.integration_parameters.dt = STEP;
        world.integration_parameters.num_solver_iterations = SUBSTEPS;
        world.integration_parameters.contact_recycling = is_recycling;
        world.physics_pipeline.counters.enable();
        let collider = |shape| {
            ColliderBuilder::new(shape)
                .density(DENSITY)
                .friction(FRICTION)
        };
        let ground = SharedShape::new(parry_mesh(&self.ground, KINDS[1].1));
        world.insert(RigidBodyBuilder::fixed(), collider(ground));
        let bodies = self.solids.iter().map(|solid| {
            let body = RigidBodyBuilder::dynamic().can_sleep(false);
            let body = body
                .pose(parry_pose(&solid.pose))
                .linvel(vector(self.velocity));
            let shape = SharedShape::new(parry_body(solid.shape));
            world.insert(body, collider(shape)).0
        });
        let bodies: Vec<_> = bodies.collect();
        self.run(who, || {
            world.step();
            let motions = bodies.iter().map(|&body| {
                let body = &world.bodies[body];
                [body.center_of_mass(), body.linvel()].map(|v| DVec3::new(v.x, v.y, v.z))
            });
            let time = world
                .physics_pipeline
                .counters
                .stages
                .collision_detection_time;
            (time.time().as_secs_f64(), motions.collect())
        })
    }
}

pub fn run(report: &mut Report) {
    let cube: ConvexPolyhedron = scenes::cuboid(DVec3::ONE).unwrap();
    let rocks = scenes::rocks().unwrap();
    let floor = |cells, size, bumps| scenes::floor(cells, size, bumps).unwrap();
    let seconds = report.either(5.0, 0.5);
    let scene = |name, solids: Result<Vec<_>, _>, velocity, ground, seconds| Scene {
        name,
        solids: solids.unwrap(),
        velocity,
        ground,
        seconds,
    };
    let (rest, slide) = (DVec3::ZERO, DVec3::X * 8.0);
    let two = || floor([1, 1], [40.0; 2], 0.0);
    let cells = floor([56, 8], [0.25, 0.5], 0.0);
    let rough = floor([40, 40], [0.5; 2], 0.1);
    for scene in [
        scene("stack", scenes::stack(&cube), rest, two(), seconds),
        scene("pyramid", scenes::pyramid(&cube), rest, two(), seconds),
        scene(
            "slide-2-triangles",
            scenes::slider(&cube),
            slide,
            two(),
            1.0,
        ),
        scene("slide-56-cells", scenes::slider(&cube), slide, cells, 1.0),
        scene("rocks", scenes::heap(&rocks), rest, rough, seconds),
    ] {
        let case = format!("impulse/{}", scene.name);
        println!("{case}: {} bodies", scene.solids.len());
        let ours = scene.ours();
        for (who, is_recycling) in [("rapier", true), ("rapier-each-step", false)] {
            report.ratio(&case, who, scene.rapier(who, is_recycling) / ours);
        }
    }
}
