//! A small engine for rigid bodies: contacts by pressure fields, and impulses at their corners.
//!
//! Contacts are found once a step. Each substep solves them one after another as soft springs with much damping, moves
//! the bodies, and solves them again without springs. The first guess are the impulses of the last step, found by the
//! names of the shares.
//!
//! M. Macklin et al., "Small steps in physics simulation", SCA 2019; E. Catto, "Soft constraints", GDC 2011.

#![allow(unreachable_pub, reason = "another program includes this file")]

use std::f64::consts::TAU;
use std::time::Instant;

use osculate::glam::{DMat3, DQuat, DVec3};
use osculate::narrow::{PressureContact, PressureField, PressureState};
use osculate::{
    ConvexPolyhedron, Error, HierarchicalGrid, NarrowPhase, PairList, Placed, Pose3, Skin, Wall,
    WallList,
};

/// SI units.
pub const STEP: f64 = 1.0 / 60.0;
pub const SUBSTEPS: usize = 4;
pub const GRAVITY: f64 = 9.81;
pub const FRICTION: f64 = 0.5;
pub const DENSITY: f64 = 1000.0;
/// The gap at which contacts begin.
const MARGIN: f64 = 0.01;
/// Angular frequency and damping ratio of the springs.
const RATE: f64 = TAU * 45.0;
const DAMPING: f64 = 10.0;

type Solid<'a> = Placed<&'a ConvexPolyhedron>;

/// A body. The default is one that nothing moves.
#[derive(Default)]
pub struct Body {
    /// The center of mass.
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
    inverse_mass: f64,
    /// The mass times the inverse inertia, in the axes of the body and in the world.
    gyration: [DMat3; 2],
}

impl Body {
    fn new(solid: &Solid) -> Self {
        let properties = solid.shape.mass_properties(DENSITY);
        let mut body = Self {
            position: solid.pose.transform_point(properties.center_of_mass),
            rotation: solid.pose.rotation(),
            inverse_mass: 1.0 / properties.mass,
            gyration: [properties.inertia.inverse() * properties.mass; 2],
            ..Self::default()
        };
        body.drift(0.0);
        body
    }

    fn drift(&mut self, time: f64) {
        self.position += self.velocity * time;
        self.rotation = (DQuat::from_scaled_axis(self.spin * time) * self.rotation).normalize();
        let axes = DMat3::from_quat(self.rotation);
        self.gyration[1] = axes * self.gyration[0] * axes.transpose();
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.gyration[1] * arm.cross(impulse) * self.inverse_mass;
    }

    /// Returns the change of velocity at an arm by a unit impulse there, along it.
    fn response(&self, along: DVec3, arm: DVec3) -> f64 {
        let moment = arm.cross(along);
        self.inverse_mass * (1.0 + moment.dot(self.gyration[1] * moment))
    }
}

/// What a pair, or a body at the wall, keeps: the state, and the index of its first impulse.
type Memory = (PressureState, usize);

/// A contact, the indices of its bodies, and that of the first impulse of the last step.
type Found = (PressureContact, [usize; 2], usize);

/// A corner of a contact.
struct Point {
    bodies: [usize; 2],
    /// From the centers of mass, in the axes of the bodies.
    places: [DVec3; 2],
    normal: DVec3,
    overlap: f64,
    /// On the second body.
    impulse: DVec3,
    /// The index of the impulse.
    slot: usize,
}

impl Point {
    fn arms(&self, bodies: &[Body]) -> [DVec3; 2] {
        [0, 1].map(|k| bodies[self.bodies[k]].rotation * self.places[k])
    }

    fn push(&self, bodies: &mut [Body], impulse: DVec3) {
        let [first, second] = self.arms(bodies);
        bodies[self.bodies[0]].push(-impulse, first);
        bodies[self.bodies[1]].push(impulse, second);
    }

    /// Changes the impulse so that the bodies do not approach, or pushes them back as a soft spring does.
    fn solve(&mut self, bodies: &mut [Body], time: f64, is_soft: bool) {
        let ([a, b], arms, normal) = (self.bodies, self.arms(bodies), self.normal);
        let apart = bodies[b].position + arms[1] - bodies[a].position - arms[0];
        let gap = normal.dot(apart) - self.overlap;
        let damping = 2.0 * DAMPING + time * RATE;
        let stiff = time * RATE * damping;
        // A gap may close.
        let (target, part) = match gap > 0.0 {
            true => (gap / time, 1.0),
            false if is_soft => ((gap * RATE / damping).max(-3.0), stiff / (1.0 + stiff)),
            false => (0.0, 1.0),
        };
        let velocity = |bodies: &[Body]| {
            let [a, b] = [&bodies[a], &bodies[b]];
            b.velocity + b.spin.cross(arms[1]) - a.velocity - a.spin.cross(arms[0])
        };
        let response = |bodies: &[Body], along| {
            bodies[a].response(along, arms[0]) + bodies[b].response(along, arms[1])
        };
        let last = self.impulse.dot(normal);
        let change = (velocity(bodies).dot(normal) + target) / response(bodies, normal);
        let push = (part * (last - change)).max(0.0);
        self.push(bodies, normal * (push - last));

        let across = self.impulse.reject_from_normalized(normal);
        let slip = velocity(bodies).reject_from_normalized(normal);
        let along = slip.normalize_or(normal);
        let hold = across - slip / response(bodies, along);
        let hold = hold.clamp_length_max(FRICTION * push);
        self.push(bodies, hold - across);
        self.impulse = normal * push + hold;
    }
}

pub struct World<'a> {
    /// The last one is the wall.
    pub bodies: Vec<Body>,
    shapes: Vec<&'a ConvexPolyhedron>,
    wall: Wall,
    kernel: PressureField,
    pairs: PairList<HierarchicalGrid, Memory>,
    at_wall: WallList<Memory>,
    /// Of the last step, four for each contact.
    impulses: Vec<DVec3>,
    /// Seconds of contact generation in the last step.
    pub time: f64,
}

impl<'a> World<'a> {
    pub fn new(solids: &[Solid<'a>], wall: Wall) -> Result<Self, Error> {
        let skin = Skin::Absolute(0.1);
        let pairs = PairList::new(HierarchicalGrid::new(), skin)?.with_reset();
        let bodies = solids.iter().map(Body::new);
        Ok(Self {
            bodies: bodies.chain([Body::default()]).collect(),
            shapes: solids.iter().map(|solid| solid.shape).collect(),
            wall,
            kernel: PressureField::new().with_margin(MARGIN)?.with_points(),
            // Moved corners are farther out than moved faces.
            pairs: pairs.with_margin(2.0 * MARGIN)?,
            at_wall: WallList::new(skin)?.with_margin(2.0 * MARGIN)?,
            impulses: Vec::new(),
            time: 0.0,
        })
    }

    pub fn step(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        let found = self.find()?;
        self.time = start.elapsed().as_secs_f64();
        let mut points = self.points(&found);
        let time = STEP / SUBSTEPS as f64;
        let bodies = &mut self.bodies;
        let moving = self.shapes.len();
        for _ in 0..SUBSTEPS {
            (bodies[..moving].iter_mut()).for_each(|b| b.velocity.z -= GRAVITY * time);
            points.iter().for_each(|p| p.push(bodies, p.impulse));
            points.iter_mut().for_each(|p| p.solve(bodies, time, true));
            bodies.iter_mut().for_each(|body| body.drift(time));
            points.iter_mut().for_each(|p| p.solve(bodies, time, false));
        }
        self.impulses = vec![DVec3::ZERO; 4 * found.len()];
        (points.iter()).for_each(|point| self.impulses[point.slot] = point.impulse);
        Ok(())
    }

    fn find(&mut self) -> Result<Vec<Found>, Error> {
        let bodies = self.bodies.iter().zip(&self.shapes);
        let solids = bodies.map(|(body, shape)| {
            let origin = body.position - body.rotation * shape.centroid();
            Pose3::new_normalize(body.rotation, origin).map(|pose| Placed::new(*shape, pose))
        });
        let solids: Vec<_> = solids.collect::<Result<_, _>>()?;
        let (kernel, mut found) = (&mut self.kernel, Vec::new());
        self.pairs.update(&solids)?;
        self.pairs.for_each_touching_pair(|i, j, (state, first)| {
            let last = std::mem::replace(first, 4 * found.len());
            let visit = |contact| found.push((contact, [i, j], last));
            kernel.for_each_contact(&solids[i], &solids[j], state, visit);
        });
        self.at_wall.update(&solids, &self.wall)?;
        self.at_wall
            .for_each_body(&self.wall, |i, near, (state, first)| {
                let last = std::mem::replace(first, 4 * found.len());
                let visit = |contact| found.push((contact, [i, solids.len()], last));
                kernel.for_each_contact(&solids[i], near, state, visit);
            });
        Ok(found)
    }

    /// Returns the corners of the contacts, equal ones once, with the impulses of the last step.
    fn points(&self, found: &[Found]) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        for (i, &(contact, pair, first)) in found.iter().enumerate() {
            let (begin, at) = (points.len(), contact.points.unwrap_or_default());
            for (k, (share, corner)) in at.shares.iter().zip(at.corners).enumerate() {
                let last = share.previous.map(|k| first + k as usize);
                let places = pair.map(|i| {
                    let body = &self.bodies[i];
                    body.rotation.inverse() * (corner.point - body.position)
                });
                let new = Point {
                    bodies: pair,
                    places,
                    normal: contact.normal,
                    overlap: corner.overlap,
                    impulse: last.map_or(DVec3::ZERO, |last| self.impulses[last]),
                    slot: 4 * i + k,
                };
                let mut earlier = points[begin..].iter_mut();
                match earlier.find(|point| point.places == places) {
                    Some(point) => point.impulse += new.impulse,
                    None => points.push(new),
                }
            }
        }
        points
    }
}
