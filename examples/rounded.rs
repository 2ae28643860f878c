//! Capsules and rounded blocks in a drum that rotates: springs, dashpots and sliding friction.
//!
//! `cargo run --release --example rounded`

#[path = "support/random.rs"]
mod random;

use std::f64::consts::TAU;
use std::sync::Arc;

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::narrow::{CapsuleWall, WallSides};
use osculate::shape::Capsule;
use osculate::{
    CommonPlane, CommonPlaneState, ConvexPolyhedron, Error, HierarchicalGrid, MassProperties,
    NarrowPhase, PairList, Placed, Pose3, PressureField, PressureState, Rounded, Skin, SurfaceMesh,
    Wall,
};
use random::SplitMix64;

/// SI units.
const STEP: f64 = 5e-4;
const STEPS: usize = 4000;
const STIFFNESS: f64 = 1e5;
/// Of a layer of 1 cm: a pressure per depth.
const LAYER: f64 = 1e7;
const FRICTION: f64 = 0.5;
/// Impulse per motion, for the normal and the tangent; over an area a hundred times as much.
const DAMPING: f64 = 200.0;
const SPIN: DVec3 = DVec3::new(0.0, 2.0, 0.0);
const RADIUS: f64 = 0.05;

/// A body about its center of mass.
struct Body {
    placed: Placed<Rounded>,
    /// The core of a block, `None` for a capsule.
    core: Option<Arc<ConvexPolyhedron>>,
    mass: MassProperties,
    velocity: DVec3,
    spin: DVec3,
    force: DVec3,
    torque: DVec3,
}

impl Body {
    fn center(&self) -> DVec3 {
        self.placed.pose.translation()
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center())
    }

    fn push(&mut self, force: DVec3, point: DVec3) {
        self.force += force;
        self.torque += (point - self.center()).cross(force);
    }

    fn step(&mut self) -> Result<(), Error> {
        let turn = DMat3::from_quat(self.placed.pose.rotation());
        let inertia = turn * self.mass.inertia * turn.transpose();
        let gyroscopic = self.spin.cross(inertia * self.spin);
        let gravity = DVec3::Z * -9.81;
        self.velocity += (self.force / self.mass.mass + gravity) * STEP;
        self.spin += inertia.inverse() * (self.torque - gyroscopic) * STEP;
        let rotation = DQuat::from_scaled_axis(self.spin * STEP) * self.placed.pose.rotation();
        let center = self.center() + self.velocity * STEP;
        self.placed.pose = Pose3::new(rotation.normalize(), center)?;
        (self.force, self.torque) = (DVec3::ZERO, DVec3::ZERO);
        Ok(())
    }
}

/// The force on the second body, from the elastic part along the normal, the velocity of the second body relative to the
/// first, and the damping.
fn force(elastic: f64, normal: DVec3, velocity: DVec3, damping: f64) -> DVec3 {
    let approach = -velocity.dot(normal);
    let pressed = (elastic + damping * approach).max(0.0);
    let sliding = velocity + normal * approach;
    normal * pressed - sliding.clamp_length_max(FRICTION * pressed / damping) * damping
}

/// A drum about the y axis, with its fronts inside: 32 sides and two lids.
fn drum() -> Result<Wall, Error> {
    let ring = |y: f64| {
        (0..32).map(move |i| {
            let (sin, cos) = (f64::from(i) * TAU / 32.0).sin_cos();
            DVec3::new(0.8 * sin, y, 0.8 * cos)
        })
    };
    let vertices = ring(-0.4).chain(ring(0.4)).collect();
    let sides = (0..32_u32).map(|i| vec![i, i + 32, (i + 1) % 32 + 32, (i + 1) % 32]);
    let lids = [(0..32).collect(), (32..64).rev().collect()];
    Ok(Wall::new(SurfaceMesh::new(vertices, sides.chain(lids))?))
}

fn bodies() -> Result<Vec<Body>, Error> {
    let corner = |i: u32| DVec3::from([0, 1, 2].map(|k| 0.1 * f64::from(i >> k & 1) - 0.05));
    let corners: Vec<_> = (0..8).map(corner).collect();
    let core = Arc::new(ConvexPolyhedron::from_convex_hull(&corners)?);
    let block = Rounded::polyhedron(Arc::clone(&core), 0.5 * RADIUS)?;
    let capsule = Rounded::capsule([DVec3::Z * -0.1, DVec3::Z * 0.1], RADIUS)?;
    let mut random = SplitMix64::new(44);
    let mut bodies = Vec::new();
    for i in 0..56_u32 {
        let cell = DVec3::new((i % 4).into(), (i / 4 % 2).into(), (i / 8).into());
        let center = (cell - DVec3::new(1.5, 0.5, 3.0)) * DVec3::new(0.22, 0.35, 0.17);
        let (shape, core) = match i % 2 {
            0 => (&capsule, None),
            _ => (&block, Some(Arc::clone(&core))),
        };
        // Capsules begin along the drum.
        let turn = DQuat::from_rotation_x(TAU / 4.0 + random.range(-0.1, 0.1));
        bodies.push(Body {
            mass: shape.mass_properties(1000.0),
            placed: Placed::new(shape.clone(), Pose3::new(turn, center)?),
            core,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        });
    }
    Ok(bodies)
}

fn main() -> Result<(), Error> {
    let (mut bodies, mut drum) = (bodies()?, drum()?);
    let grid = HierarchicalGrid::new();
    let mut list = PairList::<_, CommonPlaneState>::new(grid, Skin::Absolute(0.02))?;
    let mut at_wall: Vec<_> = bodies.iter().map(|_| PressureState::default()).collect();
    let mut plane = CommonPlane::new();
    let mut capsules = CapsuleWall::new().with_sides(WallSides::Front);
    let mut blocks = PressureField::new()
        .with_points()
        .with_margin(0.5 * RADIUS)?;
    let (mut contacts, mut deepest) = (0, 0.0_f64);
    for step in 0..STEPS {
        let turn = DQuat::from_scaled_axis(SPIN * (step as f64 * STEP));
        drum.set_pose(Pose3::new(turn, DVec3::ZERO)?);
        list.update_with(bodies.len(), |i| &bodies[i].placed)?;
        list.for_each_pair(|i, j, state| {
            let [a, b] = [&bodies[i], &bodies[j]];
            if let Some(c) = plane.contact_with(&a.placed, &b.placed, state) {
                let velocity = b.velocity_at(c.point) - a.velocity_at(c.point);
                let force = force(STIFFNESS * c.overlap, c.normal, velocity, DAMPING);
                bodies[i].push(-force, c.point);
                bodies[j].push(force, c.point);
                contacts += 1;
                deepest = deepest.max(c.overlap);
            }
        });
        for (body, state) in bodies.iter_mut().zip(&mut at_wall) {
            let Body { placed, core, .. } = &*body;
            // Points, normals into the wall, elastic forces and damping.
            let mut points = Vec::new();
            if let Some(core) = core {
                let core = Placed::new(Arc::clone(core), placed.pose);
                blocks.for_each_contact(&core, &drum, state, |c| {
                    let shares = c.points.map(|points| points.shares);
                    points.extend(shares.into_iter().flatten().map(|share| {
                        (
                            share.point,
                            c.normal,
                            LAYER * share.load,
                            100.0 * DAMPING * share.area,
                        )
                    }));
                });
            } else {
                let ends = [0, 1].map(|i| placed.shape.core_vertices()[i]);
                let ends = ends.map(|end| placed.pose.transform_point(end));
                let capsule = Capsule::new(ends, RADIUS);
                capsules.for_each_contact(&capsule, &drum, &mut (), |c| {
                    points.push((c.point, c.normal, STIFFNESS * c.overlap, DAMPING));
                });
            }
            for (point, normal, elastic, damping) in points {
                let velocity = body.velocity_at(point) - SPIN.cross(point);
                body.push(force(elastic, -normal, velocity, damping), point);
                contacts += 1;
            }
        }
        bodies.iter_mut().try_for_each(Body::step)?;
    }
    let height = bodies.iter().map(|body| body.center().z).sum::<f64>() / bodies.len() as f64;
    let leaning = bodies.iter().map(|body| body.center().x).sum::<f64>() / bodies.len() as f64;
    println!(
        "{} bodies after {} s: {:.1} contact points a step, centers at x {leaning:.2}, z {height:.2} m",
        bodies.len(),
        STEPS as f64 * STEP,
        contacts as f64 / STEPS as f64
    );
    for body in &bodies {
        let center = body.center();
        assert!(
            center.x.hypot(center.z) < 0.8 && center.y.abs() < 0.4,
            "{center}"
        );
    }
    assert!(
        deepest < 0.5 * RADIUS && height < -0.2,
        "{deepest} {height}"
    );
    Ok(())
}
