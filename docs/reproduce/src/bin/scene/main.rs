//! Convex blocks and concave bodies in a room. Their contacts are intersection volumes, and the forces of an
//! energy w(V) conserve energy for all kinds of pairs together. First a table with each kernel of the crate.
//!
//! `cargo reproduce scene -- [--out DIR]`

mod bodies;
mod table;

use std::{env, error, fs, path::Path};

use bodies::{Form, Kernels, Room};
use osculate::glam::{DQuat, DVec3};
use osculate::{ContactEnergy, Error, HierarchicalGrid, PairList, Skin, SolidMesh};
use reproduce::random::SplitMix64;
use reproduce::rigid;
use reproduce::rigid_solids;
use reproduce::solids;
use reproduce::vtp::{Array, PolyData};

type Shape = rigid::Shape<Form>;
type Body<'a> = rigid::Body<'a, Form>;
type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

/// Steps, and their length in s. A contact lasts some 0.2 s.
const STEPS: usize = 3000;
const TIME_STEP: f64 = 1e-3;

/// Of each kind two shapes, about 1 m large and of 1 kg a cubic meter.
fn shapes() -> std::result::Result<[Vec<Shape>; 2], Error> {
    let mut random = SplitMix64::new(2);
    let corners: Vec<_> = (0..14)
        .map(|_| random.in_ball().normalize() * 0.5)
        .collect();
    let blocks = [
        rigid::Shape::cuboid(DVec3::new(0.9, 0.7, 0.5), 1.0)?,
        rigid::Shape::hull(&corners, 1.0)?,
    ];
    let rock = solids::rock(80, 0.4, 5)?;
    let vertices = rock.surface().vertices().iter().map(|&x| 0.5 * x);
    let rock = SolidMesh::new(vertices.collect(), rigid_solids::triangles(&rock))?;
    let ring = solids::torus(0.4, 0.15, 24, 12)?;
    let concave = [
        rigid::Shape::new(&ring, 1.0)?,
        rigid::Shape::new(&rock, 1.0)?,
    ];
    Ok([
        blocks.map(|shape| shape.map(Form::Block)).into(),
        concave.map(|shape| shape.map(Form::Concave)).into(),
    ])
}

struct Scene<'a> {
    bodies: Vec<Body<'a>>,
    room: Room,
    kernels: Kernels,
    list: PairList<HierarchicalGrid>,
    /// w(V) for each contact.
    law: ContactEnergy,
    contacts: usize,
}

impl<'a> Scene<'a> {
    /// Twenty-seven bodies that fly apart, in a room of 5 m.
    fn new(shapes: &[&'a Shape]) -> Result<Self> {
        let mut random = SplitMix64::new(4);
        let places =
            (0..27).map(|i| DVec3::from_array([i % 3, i / 3 % 3, i / 9].map(f64::from)) - 1.0);
        let bodies = places.zip(shapes.iter().cycle()).map(|(place, shape)| {
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize();
            let mut body = Body::new(shape, turn, place * 1.5);
            body.momentum = random.in_ball() * shape.mass;
            body
        });
        Ok(Self {
            bodies: bodies.collect(),
            room: Room::new(DVec3::splat(2.5))?,
            kernels: Kernels::default(),
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.1))?,
            law: ContactEnergy::power_law(1e3, 1.5)?,
            contacts: 0,
        })
    }

    /// Performs half a drift, a kick, half a drift. Returns the energy in the middle of the kick.
    fn step(&mut self) -> Result<f64> {
        let Self {
            bodies,
            room,
            kernels,
            law,
            ..
        } = self;
        bodies
            .iter_mut()
            .for_each(|body| body.drift(0.5 * TIME_STEP));
        let placed = bodies
            .iter()
            .map(Body::placed)
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut forces = vec![[DVec3::ZERO; 2]; bodies.len()];
        let mut energy = 0.0;
        let mut add = |i: usize, sign: f64, contact: &osculate::ContactVolume<DVec3>| {
            let center = placed[i].pose.translation();
            forces[i][0] += sign * contact.force(law);
            forces[i][1] += sign * contact.moment_about(law, center);
        };
        self.list.update(&placed)?;
        self.list.for_each_touching_pair(|i, j, ()| {
            if let Some(contact) = kernels.between(&placed[i], &placed[j]) {
                add(i, 1.0, &contact);
                add(j, -1.0, &contact);
                energy += law.energy(contact.volume);
                self.contacts += 1;
            }
        });
        for (i, body) in placed.iter().enumerate() {
            if let Some(contact) = kernels.in_walls(body, room) {
                add(i, 1.0, &contact);
                energy += law.energy(contact.volume);
                self.contacts += 1;
            }
        }
        for (body, [force, moment]) in bodies.iter_mut().zip(forces) {
            let half = 0.5 * TIME_STEP;
            body.kick(force * half, moment * half);
            energy += body.kinetic().iter().sum::<f64>();
            body.kick(force * half, moment * half);
            body.drift(half);
        }
        Ok(energy)
    }

    fn write(&self, path: &Path) -> Result<()> {
        let (mut data, mut kinds) = (PolyData::default(), Vec::new());
        for body in &self.bodies {
            let place = body.placed()?;
            let (surface, kind) = match place.shape {
                Form::Block(block) => (block.surface(), 0),
                Form::Concave(solid) => (solid.surface(), 1),
            };
            kinds.resize(data.add_surface(surface, &place.pose), kind);
        }
        data.cell_data = vec![("kind", Array::Integers(kinds))];
        Ok(data.write(path)?)
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let folder = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--out", folder] => Some(Path::new(folder)),
        _ => return Err("usage: scene [--out DIR]".into()),
    };
    table::print()?;
    let shapes = shapes()?;
    let kinds = ["convex blocks", "concave bodies"];
    let alone = kinds
        .iter()
        .zip(&shapes)
        .map(|(name, kind)| (*name, kind.iter().collect(), 5e-5));
    let together = ("all together", shapes.iter().flatten().collect(), 1e-4);
    for (name, shapes, allowed) in alone.chain([together]) {
        let shapes: Vec<&Shape> = shapes;
        let mut scene = Scene::new(&shapes)?;
        let start = scene.step()?;
        let mut error: f64 = 0.0;
        for _ in 1..STEPS {
            error = error.max((scene.step()? - start).abs() / start);
        }
        println!(
            "{name:16} {:6.2} contacts a step, energy kept to {error:.1e}",
            scene.contacts as f64 / STEPS as f64
        );
        assert!(
            error < allowed && scene.contacts > STEPS,
            "{name}: {error:e}"
        );
        if let (Some(folder), "all together") = (folder, name) {
            fs::create_dir_all(folder)?;
            scene.write(&folder.join("scene.vtp"))?;
        }
    }
    Ok(())
}
