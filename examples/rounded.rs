//! Capsules and rounded blocks in a drum that rotates: springs, dashpots and sliding friction.
//!
//! `cargo run --release --example rounded` takes 0.3 s.

use std::f64::consts::TAU;
use std::sync::Arc;

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::narrow::{CapsuleWall, WallSides};
use osculate::shape::Capsule;
use osculate::{
    CommonPlane, CommonPlaneState, ConvexPolyhedron, Error, HierarchicalGrid, MassProperties,
    NarrowPhase, PairList, Placed, Pose3, PressureField, Rounded, Skin, SurfaceMesh, Wall,
};

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
    /// Force and torque.
    load: [DVec3; 2],
}

impl Body {
    fn center(&self) -> DVec3 {
        self.placed.pose.translation()
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center())
    }

    fn push(&mut self, force: DVec3, point: DVec3) {
        self.load[0] += force;
        self.load[1] += (point - self.center()).cross(force);
    }

    fn step(&mut self) -> Result<(), Error> {
        let turn = DMat3::from_quat(self.placed.pose.rotation());
        let inertia = turn * self.mass.inertia * turn.transpose();
        let [force, torque] = std::mem::take(&mut self.load);
        self.velocity += (force / self.mass.mass - DVec3::Z * 9.81) * STEP;
        self.spin += inertia.inverse() * (torque - self.spin.cross(inertia * self.spin)) * STEP;
        let rotation = DQuat::from_scaled_axis(self.spin * STEP) * self.placed.pose.rotation();
        let center = self.center() + self.velocity * STEP;
        self.placed.pose = Pose3::new(rotation.normalize(), center)?;
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

/// A drum about the y axis, with its fronts inside: a prism of 32 sides.
fn drum() -> Result<Wall, Error> {
    let corner = |i: u32| {
        let (sin, cos) = (f64::from(i / 2) * TAU / 32.0).sin_cos();
        DVec3::new(0.8 * sin, 0.8 * f64::from(i % 2) - 0.4, 0.8 * cos)
    };
    let prism = ConvexPolyhedron::from_convex_hull(&(0..64).map(corner).collect::<Vec<_>>())?;
    Ok(Wall::new(SurfaceMesh::from(prism).reversed()))
}

fn bodies() -> Result<Vec<Body>, Error> {
    let corner = |i: u32| DVec3::from([0, 1, 2].map(|k| 0.1 * f64::from(i >> k & 1) - 0.05));
    let corners: Vec<_> = (0..8).map(corner).collect();
    let core = Arc::new(ConvexPolyhedron::from_convex_hull(&corners)?);
    let block = Rounded::polyhedron(Arc::clone(&core), 0.5 * RADIUS)?;
    let capsule = Rounded::capsule([DVec3::Z * -0.1, DVec3::Z * 0.1], RADIUS)?;
    let mut bodies = Vec::new();
    for i in 0..56_u32 {
        let cell = DVec3::new((i % 4).into(), (i / 4 % 2).into(), (i / 8).into());
        let center = (cell - DVec3::new(1.5, 0.5, 3.0)) * DVec3::new(0.22, 0.35, 0.17);
        let (shape, core) = match i % 2 {
            0 => (&capsule, None),
            _ => (&block, Some(Arc::clone(&core))),
        };
        // Capsules begin almost along the drum.
        let turn = DQuat::from_rotation_x(TAU / 4.0 + 0.1 * f64::from(i).sin());
        bodies.push(Body {
            mass: shape.mass_properties(1000.0),
            placed: Placed::new(shape.clone(), Pose3::new(turn, center)?),
            core,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            load: [DVec3::ZERO; 2],
        });
    }
    Ok(bodies)
}

fn main() -> Result<(), Error> {
    let (mut bodies, mut drum) = (bodies()?, drum()?);
    let skin = Skin::Absolute(0.02);
    let mut list = PairList::<_, CommonPlaneState>::new(HierarchicalGrid::new(), skin)?;
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
        for body in &mut bodies {
            let Body { placed, core, .. } = &*body;
            // Points, normals into the wall, elastic forces and damping.
            let mut points = Vec::new();
            if let Some(core) = core {
                let core = Placed::new(Arc::clone(core), placed.pose);
                blocks.for_each_contact(&core, &drum, &mut Default::default(), |c| {
                    for share in c.points.iter().flat_map(|points| &points.shares) {
                        let damping = 100.0 * DAMPING * share.area;
                        points.push((share.point, c.normal, LAYER * share.load, damping));
                    }
                });
            } else {
                let ends = [0, 1].map(|i| placed.shape.core_vertices()[i]);
                let ends = ends.map(|end| placed.pose.transform_point(end));
                capsules.for_each_contact(&Capsule::new(ends, RADIUS), &drum, &mut (), |c| {
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
    let middle = bodies.iter().map(Body::center).sum::<DVec3>() / bodies.len() as f64;
    let (count, rate) = (bodies.len(), contacts as f64 / STEPS as f64);
    println!("{count} bodies, {rate:.1} contact points a step, centers at {middle:.2} m");
    let is_inside = |c: DVec3| c.x.hypot(c.z) < 0.8 && c.y.abs() < 0.4;
    assert!(bodies.iter().all(|body| is_inside(body.center())));
    assert!(
        deepest < 0.5 * RADIUS && middle.z < -0.2,
        "{deepest} {middle}"
    );
    Ok(())
}
