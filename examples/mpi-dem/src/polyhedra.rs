//! Convex polyhedra: pressure fields between two bodies and at the wall, with a tangential spring for each share.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::{ConvexPolyhedron, Error, NarrowPhase, Placed, Pose3, Wall};

use crate::bodies::{Body, Motion, Wrench};
use crate::drum::Drum;
use crate::law::Law;
use crate::model::{Model, Shares};
use crate::random::SplitMix64;
use crate::rigid::{self, Shape};

/// SI units.
const DENSITY: f64 = 2500.0;
const SIZE: f64 = 0.008;
/// Pressure per depth.
const STIFFNESS: f64 = 2.5e7;

pub struct Polyhedra {
    pub drum: Drum,
    pub shapes: Vec<Shape<ConvexPolyhedron>>,
    law: Law,
}

impl Polyhedra {
    pub fn new(drum: Drum) -> Result<Self, Error> {
        let mut random = SplitMix64::new(3);
        let hull: Vec<DVec3> = (0..12)
            .map(|_| random.in_ball().normalize() * (0.6 * SIZE))
            .collect();
        let wedge = [
            (-1, -1, -1),
            (1, -1, -1),
            (1, 1, -1),
            (-1, 1, -1),
            (-1, 0, 1),
            (1, 0, 1),
        ];
        let wedge = wedge.map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()) * (0.5 * SIZE));
        let shapes = vec![
            Shape::cuboid(DVec3::splat(SIZE), DENSITY)?,
            Shape::cuboid(DVec3::new(1.4, 1.0, 0.7) * SIZE, DENSITY)?,
            Shape::hull(&wedge, DENSITY)?,
            Shape::hull(&hull, DENSITY)?,
        ];
        let law = Law::new(STIFFNESS, DENSITY * SIZE);
        Ok(Self { drum, shapes, law })
    }

    /// Returns the radius of a shape around its center of mass.
    pub fn radius(&self, shape: usize) -> f64 {
        let vertices = self.shapes[shape].solid.vertices().iter();
        vertices.map(|v| v.length()).fold(0.0, f64::max) * (1.0 + 1e-12)
    }

    fn rigid(&self, body: &Body) -> rigid::Body<'_, ConvexPolyhedron> {
        let shape = &self.shapes[body.shape as usize];
        let Motion {
            center,
            rotation,
            velocity,
            spin,
        } = body.motion;
        let mut rigid = rigid::Body::new(shape, DQuat::IDENTITY, center);
        (rigid.rotation, rigid.momentum, rigid.spin) = (rotation, velocity * shape.mass, spin);
        rigid
    }

    pub fn placed(&self, body: &Body) -> Option<Placed<&ConvexPolyhedron>> {
        let pose = Pose3::new_normalize(body.motion.rotation, body.motion.center).ok()?;
        Some(Placed::new(&self.shapes[body.shape as usize].solid, pose))
    }
}

impl Model for Polyhedra {
    type Kernels = PressureField;
    /// `None` if the bodies do not touch.
    type Pair = Option<Box<Shares>>;
    type Wall = Shares;

    fn kernels(&self) -> Self::Kernels {
        PressureField::new().with_points()
    }

    fn time_step(&self) -> f64 {
        self.law.time_step()
    }

    fn wall(&self) -> &Wall {
        &self.drum.wall
    }

    fn set_time(&mut self, time: f64) -> Result<(), Box<dyn std::error::Error>> {
        Ok(self.drum.set_time(time)?)
    }

    fn drift(&self, body: &mut Body) {
        let mut rigid = self.rigid(body);
        rigid.drift(self.time_step());
        body.motion.rotation = rigid.rotation;
        body.motion.center += body.motion.velocity * self.time_step();
    }

    fn kick(&self, body: &mut Body, wrench: &Wrench) {
        let mass = self.shapes[body.shape as usize].mass;
        body.motion.kick(wrench, mass, self.time_step());
    }

    fn between(
        &self,
        kernels: &mut Self::Kernels,
        [a, b]: [&Body; 2],
        history: &mut Self::Pair,
    ) -> Option<[Wrench; 2]> {
        let reach = a.radius + b.radius;
        if a.motion.center.distance_squared(b.motion.center) > reach * reach {
            return None;
        }
        let (first, second) = (self.placed(a)?, self.placed(b)?);
        let (state, springs) = &mut **history.get_or_insert_default();
        let contact = kernels.contact_with(&first, &second, state)?;
        let [first, second] = [self.rigid(a), self.rigid(b)];
        let mut wrenches = [Wrench::default(); 2];
        self.law.for_each_force(
            &[contact],
            springs,
            |point| second.velocity_at(point) - first.velocity_at(point),
            self.time_step(),
            |force, couple, point| {
                wrenches[0].push_and_turn(-force, -couple, point - first.position);
                wrenches[1].push_and_turn(force, couple, point - second.position);
            },
        );
        Some(wrenches)
    }

    fn at_wall(
        &self,
        kernels: &mut Self::Kernels,
        body: &Body,
        (state, springs): &mut Self::Wall,
    ) -> (Wrench, u32) {
        let (mut sum, rigid) = (Wrench::default(), self.rigid(body));
        let mut contacts = Vec::new();
        if let Some(placed) = self.placed(body) {
            let keep = |contact| contacts.push(contact);
            kernels.for_each_contact(&placed, self.wall(), state, keep);
        }
        self.law.for_each_force(
            &contacts,
            springs,
            |point| Drum::velocity(point) - rigid.velocity_at(point),
            self.time_step(),
            |force, couple, point| sum.push_and_turn(-force, -couple, point - rigid.position),
        );
        (sum, contacts.len() as u32)
    }
}
