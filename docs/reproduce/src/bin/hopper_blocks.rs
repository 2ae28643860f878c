//! Blocks and rocks in a conical hopper of triangles, as from an STL file: they settle on a lid, the lid opens, and they
//! flow out at a steady rate.
//!
//! `cargo reproduce hopper_blocks -- [--out DIR]`

use std::f64::consts::{PI, TAU};
use std::{env, error, fs, path::Path};

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{PressureField, PressureState};
use osculate::{
    ConvexPolyhedron, Error, HierarchicalGrid, NarrowPhase, PairList, Pose3, Skin, SurfaceMesh,
    Wall,
};
use reproduce::law::Law;
use reproduce::random::SplitMix64;
use reproduce::rigid;
use reproduce::vtp::{Array, PolyData};

type Shape = rigid::Shape<ConvexPolyhedron>;
type Body<'a> = rigid::Body<'a, ConvexPolyhedron>;

const COUNT: usize = 180;
const DENSITY: f64 = 2500.0;
const GRAVITY: f64 = 9.81;
/// Radii of the outlet at z = 0 and of the cylinder, m.
const OUTLET: f64 = 0.2;
const RADIUS: f64 = 0.4;
/// Where the cone ends and the cylinder begins, and its upper end, m.
const CONE: f64 = 0.4;
const TOP: f64 = 2.0;

/// The triangles of the hopper, with coordinates in single precision, as STL files have them.
fn hopper() -> Result<SurfaceMesh, Error> {
    const AROUND: u32 = 48;
    let rings = [
        (OUTLET, 0.0),
        (0.3, 0.25),
        (RADIUS, CONE),
        (RADIUS, 1.2),
        (RADIUS, TOP),
    ];
    let corner = |(radius, z): (f64, f64), k: u32| {
        let (sin, cos) = (TAU * f64::from(k % AROUND) / f64::from(AROUND)).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
            .as_vec3()
            .as_dvec3()
    };
    let cells = rings
        .windows(2)
        .flat_map(|pair| (0..AROUND).map(move |k| (pair[0], pair[1], k)));
    let triangles = cells.flat_map(|(low, high, k)| {
        let [a, b, c, d] =
            [(low, k), (low, k + 1), (high, k + 1), (high, k)].map(|(ring, k)| corner(ring, k));
        [[a, c, b], [a, d, c]]
    });
    SurfaceMesh::from_triangles(&triangles.collect::<Vec<_>>())
}

/// A square that closes the outlet.
fn lid() -> Result<SurfaceMesh, Error> {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    SurfaceMesh::new(corners, [[0, 1, 2, 3]])
}

/// Cubes, bricks and rocks of about 0.1 m.
fn shapes() -> Result<Vec<Shape>, Error> {
    let mut random = SplitMix64::new(3);
    let boxes = [DVec3::splat(0.09), DVec3::new(0.12, 0.09, 0.06)];
    let mut shapes = boxes
        .map(|sides| Shape::cuboid(sides, DENSITY))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    for _ in 0..4 {
        let corners = (0..14).map(|_| random.in_ball().normalize() * 0.055);
        shapes.push(Shape::hull(&corners.collect::<Vec<_>>(), DENSITY)?);
    }
    Ok(shapes)
}

/// What a pair, or a body at a wall, keeps: the state, and the springs of its shares.
type Memory = (PressureState, Vec<DVec3>);

/// A wall, and what each body keeps at it.
struct Boundary {
    wall: Wall,
    memories: Vec<Memory>,
}

impl Boundary {
    fn new(mesh: SurfaceMesh) -> Self {
        let memories = (0..COUNT).map(|_| Memory::default()).collect();
        Self {
            wall: Wall::new(mesh),
            memories,
        }
    }
}

struct Simulation<'a> {
    bodies: Vec<Body<'a>>,
    boundaries: Vec<Boundary>,
    law: Law,
    time_step: f64,
    list: PairList<HierarchicalGrid, Memory>,
    kernel: PressureField,
}

impl<'a> Simulation<'a> {
    /// Bodies above each other in the cylinder, in random orientations, over a closed outlet.
    fn new(shapes: &'a [Shape]) -> Result<Self, Error> {
        let mut random = SplitMix64::new(7);
        let places = (0..).flat_map(|layer| {
            (0..25).map(move |k| DVec3::from_array([k % 5 - 2, k / 5 - 2, layer].map(f64::from)))
        });
        let inside = places
            .map(|place| place * 0.14 + DVec3::Z * 0.6)
            .filter(|place| place.truncate().length() < 0.33);
        let bodies = (0..).zip(inside.take(COUNT));
        let bodies = bodies.map(|(i, place)| {
            Body::new(
                &shapes[i % shapes.len()],
                random_rotation(&mut random),
                place,
            )
        });
        let law = Law {
            friction: 0.4,
            ..Law::new(1e7, DENSITY * 0.09)
        };
        Ok(Self {
            bodies: bodies.collect(),
            boundaries: vec![Boundary::new(hopper()?), Boundary::new(lid()?)],
            law,
            time_step: law.time_step(),
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.02))?,
            kernel: PressureField::new().with_points(),
        })
    }

    /// Performs half a drift, a kick, half a drift.
    fn step(&mut self) -> Result<(), Error> {
        let time = self.time_step;
        let bodies = &mut self.bodies;
        bodies.iter_mut().for_each(|body| body.drift(0.5 * time));
        let placed = bodies
            .iter()
            .map(Body::placed)
            .collect::<Result<Vec<_>, _>>()?;
        // On the second body of a pair, or on the wall: the bodies, force, couple, and point.
        let mut forces = Vec::new();
        self.list.update(&placed)?;
        self.list.for_each_touching_pair(|i, j, (state, springs)| {
            let contact = self.kernel.contact_with(&placed[i], &placed[j], state);
            let velocity = |x| bodies[j].velocity_at(x) - bodies[i].velocity_at(x);
            let visit =
                |force, couple, point| forces.push(([Some(j), Some(i)], force, couple, point));
            (self.law).for_each_force(contact.as_slice(), springs, velocity, time, visit);
        });
        let mut contacts = Vec::new();
        for Boundary { wall, memories } in &mut self.boundaries {
            for (i, (body, (state, springs))) in placed.iter().zip(memories).enumerate() {
                contacts.clear();
                let keep = |contact| contacts.push(contact);
                self.kernel.for_each_contact(body, wall, state, keep);
                let velocity = |x| -bodies[i].velocity_at(x);
                let visit =
                    |force, couple, point| forces.push(([None, Some(i)], force, couple, point));
                (self.law).for_each_force(&contacts, springs, velocity, time, visit);
            }
        }
        for (pair, force, couple, point) in forces {
            for (i, time) in pair.into_iter().zip([time, -time]) {
                if let Some(i) = i {
                    bodies[i].push_and_turn(force * time, couple * time, point);
                }
            }
        }
        for body in bodies {
            body.kick(DVec3::Z * (-GRAVITY * body.shape.mass * time), DVec3::ZERO);
            body.drift(0.5 * time);
        }
        Ok(())
    }

    /// Returns the mass below a height.
    fn mass_below(&self, z: f64) -> f64 {
        let below = self.bodies.iter().filter(|body| body.position.z < z);
        below.map(|body| body.shape.mass).sum()
    }

    /// Writes the bodies, colored by their speed, and the hopper.
    fn write(&self, path: &Path) -> Result<(), Box<dyn error::Error>> {
        let (mut data, mut speeds) = (PolyData::default(), Vec::new());
        for body in self.bodies.iter().filter(|body| body.position.z > -2.0) {
            let placed = body.placed()?;
            let count = data.add_surface(placed.shape.surface(), &placed.pose);
            speeds.resize(count, (body.momentum / body.shape.mass).length());
        }
        let count = data.add_surface(self.boundaries[0].wall.mesh(), &Pose3::IDENTITY);
        speeds.resize(count, -1.0);
        data.cell_data = vec![("speed", Array::Scalars(speeds))];
        Ok(data.write(path)?)
    }
}

/// Uniform on the rotations: K. Shoemake, "Uniform random rotations", Graphics Gems III (1992).
fn random_rotation(random: &mut SplitMix64) -> DQuat {
    let (u, [v, w]) = (random.unit(), [0; 2].map(|_| random.range(0.0, TAU)));
    let [a, b] = [(1.0 - u).sqrt(), u.sqrt()];
    DQuat::from_xyzw(a * v.sin(), a * v.cos(), b * w.sin(), b * w.cos())
}

fn main() -> Result<(), Box<dyn error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let folder = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--out", folder] => Some(Path::new(folder)),
        _ => return Err("usage: hopper_blocks [--out DIR]".into()),
    };
    let shapes = shapes()?;
    let mut simulation = Simulation::new(&shapes)?;
    let mass: f64 = simulation.bodies.iter().map(|body| body.shape.mass).sum();
    let steps = |seconds: f64| (seconds / simulation.time_step) as usize;
    let (settling, sample) = (steps(1.6), steps(0.02));
    for _ in 0..settling {
        simulation.step()?;
    }
    let kinetic =
        |simulation: &Simulation| -> f64 { simulation.bodies.iter().flat_map(Body::kinetic).sum() };
    println!(
        "{COUNT} bodies of {mass:.0} kg have settled to {:.1e} J",
        kinetic(&simulation)
    );
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
        simulation.write(&folder.join("hopper-full.vtp"))?;
    }

    simulation.boundaries.truncate(1);
    let mut discharged = Vec::new();
    while simulation.mass_below(0.0) < 0.75 * mass {
        for _ in 0..sample {
            simulation.step()?;
        }
        discharged.push(simulation.mass_below(0.0));
        if let (Some(folder), true) = (folder, discharged.len() == 25) {
            simulation.write(&folder.join("hopper-flow.vtp"))?;
        }
        if discharged.len() > 500 {
            return Err("the outlet is blocked".into());
        }
    }
    // The rates while the first, second and third quarter of the mass flow out.
    let time_of = |part: f64| discharged.partition_point(|&m| m < part * mass) as f64 * 0.02;
    let rate = |from: f64| 0.25 * mass / (time_of(from + 0.25) - time_of(from));
    let rates = [0.0, 0.25, 0.5].map(rate);
    println!(
        "discharge of {:.0}, {:.0} and {:.0} kg/s",
        rates[0], rates[1], rates[2]
    );
    let lost = simulation.bodies.iter().filter(|body| {
        let DVec3 { x, y, z } = body.position;
        z > 0.0 && x.hypot(y) > RADIUS * (1.0 - (PI / 48.0).powi(2))
    });
    assert_eq!(lost.count(), 0);
    assert!(rates[2] > 0.7 * rates[1] && rates[2] < 1.3 * rates[1]);
    Ok(())
}
