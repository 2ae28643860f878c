//! Convex polyhedra: an elastic bed between two bodies and at the wall, with a tangential spring at each point.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::{ConvexWall, PointFeature, WallSides};
use osculate::{ContactManifold, ConvexPolyhedron, ElasticBed, Error, NarrowPhase, Placed, Pose3};
use serde::{Deserialize, Serialize};

use crate::bed_law::Law;
use crate::bodies::{Body, Motion, Wrench};
use crate::drum::Drum;
use crate::model::{GRAVITY, Model};
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

/// A spring at a point with a name.
///
/// It does what the states of the kernels do with `ManifoldPoint::previous`, but can be sent and saved. The kernels
/// get a new state in each step: then their points depend on the bodies only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    feature: PointFeature,
    normal: DVec3,
    /// From the center of the first body.
    arm: DVec3,
    /// How far the second body has moved along the first.
    slip: DVec3,
}

/// Returns the slip of the point that a point continues: the one of the same name, otherwise the nearest one. Normals
/// that differ by more than 60 degrees belong to other contacts.
fn continued(before: &[Spring], feature: PointFeature, normal: DVec3, arm: DVec3) -> DVec3 {
    let is_near = |spring: &&Spring| spring.normal.dot(normal) > 0.5;
    let near = || before.iter().filter(is_near);
    let distance = |spring: &Spring| spring.arm.distance_squared(arm);
    let nearest = || near().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let named = near().find(|spring| spring.feature == feature);
    named
        .or_else(nearest)
        .map_or(DVec3::ZERO, |spring| spring.slip)
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

    /// Visits the points of a manifold with their forces on the second body, whose velocity there is given relative to
    /// the first. Appends the springs.
    fn for_each_force(
        &self,
        center: DVec3,
        manifold: &ContactManifold,
        before: &[Spring],
        springs: &mut Vec<Spring>,
        velocity: impl Fn(DVec3) -> DVec3,
        mut visit: impl FnMut(DVec3, DVec3),
    ) {
        let normal = manifold.normal;
        for point in manifold.points() {
            let (feature, arm) = (point.feature, point.point - center);
            let slip = continued(before, feature, normal, arm);
            let mut slip = slip.reject_from_normalized(normal);
            let rate = velocity(point.point);
            let force = self
                .law
                .force(point, normal, rate, &mut slip, self.time_step());
            springs.push(Spring {
                feature,
                normal,
                arm,
                slip,
            });
            visit(force, point.point);
        }
    }
}

impl Model for Polyhedra {
    type Kernels = (ElasticBed, ConvexWall);
    type Pair = Vec<Spring>;
    type Wall = Vec<Spring>;

    fn kernels(&self) -> Self::Kernels {
        (
            ElasticBed::new(),
            ConvexWall::new().with_sides(WallSides::Front),
        )
    }

    fn time_step(&self) -> f64 {
        self.law.time_step()
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
        let (time, mass) = (self.time_step(), self.shapes[body.shape as usize].mass);
        body.motion.velocity += time * (wrench.force / mass + GRAVITY);
        body.motion.spin += time * wrench.torque;
    }

    fn between(
        &self,
        kernels: &mut Self::Kernels,
        [a, b]: [&Body; 2],
        springs: &mut Vec<Spring>,
    ) -> Option<[Wrench; 2]> {
        let reach = a.radius + b.radius;
        if a.motion.center.distance_squared(b.motion.center) > reach * reach {
            return None;
        }
        let manifold = kernels.0.contact(&self.placed(a)?, &self.placed(b)?)?;
        let [first, second] = [self.rigid(a), self.rigid(b)];
        let (before, mut wrenches) = (std::mem::take(springs), [Wrench::default(); 2]);
        self.for_each_force(
            first.position,
            &manifold,
            &before,
            springs,
            |point| second.velocity_at(point) - first.velocity_at(point),
            |force, point| {
                wrenches[0].push(-force, point - first.position);
                wrenches[1].push(force, point - second.position);
            },
        );
        Some(wrenches)
    }

    fn at_wall(
        &self,
        kernels: &mut Self::Kernels,
        body: &Body,
        springs: &mut Vec<Spring>,
    ) -> (Wrench, u32) {
        let (rigid, before) = (self.rigid(body), std::mem::take(springs));
        let (mut sum, mut contacts) = (Wrench::default(), 0);
        let Some(placed) = self.placed(body) else {
            return (sum, 0);
        };
        let visit = |_, manifold: ContactManifold| {
            contacts += 1;
            self.for_each_force(
                rigid.position,
                &manifold,
                &before,
                springs,
                |point| Drum::velocity(point) - rigid.velocity_at(point),
                |force, point| sum.push(-force, point - rigid.position),
            );
        };
        kernels
            .1
            .for_each_manifold(&placed, &self.drum.wall, &mut Default::default(), visit);
        (sum, contacts)
    }
}
