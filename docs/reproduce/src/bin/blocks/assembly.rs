//! Rigid blocks in a box, with penalty contacts: spring, dashpot and friction.

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::PressureField;
use osculate::{
    Bounded, CommonPlane, CommonPlaneState, ConvexPolyhedron, HierarchicalGrid, NarrowPhase,
    PairList, Placed, Skin,
};

use crate::Result;
use crate::shapes::{KINDS, SIZES};
use reproduce::random::SplitMix64;
use reproduce::rigid;

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Steps per period of a contact.
const STEPS_A_PERIOD: f64 = 30.0;
/// Fraction of critical damping.
const DAMPING: f64 = 0.3;
const FRICTION: f64 = 0.2;

pub(crate) type Shape = rigid::Shape<ConvexPolyhedron>;
pub(crate) type Body<'a> = rigid::Body<'a, ConvexPolyhedron>;
pub(crate) type Block<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

pub(crate) struct Assembly<'a> {
    pub bodies: Vec<Body<'a>>,
    /// The time step in seconds.
    step: f64,
    /// The bodies where the last step looked for contacts.
    pub blocks: Vec<Block<'a>>,
    /// Half-spaces `normal . x >= offset` that contain the bodies.
    walls: Vec<(DVec3, f64)>,
    list: PairList<HierarchicalGrid, CommonPlaneState>,
    kernel: CommonPlane,
    pressure: PressureField,
}

impl<'a> Assembly<'a> {
    /// Blocks on a lattice above the floor of a box; all kinds in turn, or one.
    pub(crate) fn new(
        shapes: &'a [Shape],
        count: usize,
        kind: Option<usize>,
        [side, step]: [f64; 2],
    ) -> Result<Self> {
        let mut random = SplitMix64::new(count as u64);
        // A vertex is up to 0.0237 from the center.
        let spacing = 0.048;
        let row = (side / spacing) as usize;
        let mut body = |i: usize| {
            let place = [i % row, i / row % row, i / (row * row)];
            let place = DVec3::from_array(place.map(|k| (k as f64 + 0.5) * spacing));
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize();
            let kind = kind.unwrap_or(i % KINDS.len());
            let mut body = Body::new(&shapes[kind * SIZES + random.below(SIZES)], turn, place);
            let velocity = DVec3::from_array([0; 3].map(|_| random.range(-0.2, 0.2)));
            body.momentum = velocity * body.shape.mass;
            body
        };
        Ok(Self {
            bodies: (0..count).map(&mut body).collect(),
            step,
            blocks: Vec::new(),
            walls: vec![
                (DVec3::Z, 0.0),
                (DVec3::X, 0.0),
                (DVec3::Y, 0.0),
                (-DVec3::Y, -side),
                (-DVec3::X, -side),
            ],
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.004))?,
            kernel: CommonPlane::new(),
            pressure: PressureField::new(),
        })
    }

    /// Blocks of one kind above the ground, which is the last body and fixed.
    pub(crate) fn on_ground(
        shapes: &'a [Shape],
        ground: &'a Shape,
        count: usize,
        kind: usize,
        step: f64,
    ) -> Result<Self> {
        let mut assembly = Self::new(shapes, count, Some(kind), [0.3, step])?;
        assembly.walls.clear();
        let place = DVec3::new(0.15, 0.15, -0.15);
        let ground = Body::new(ground, DQuat::IDENTITY, place);
        assembly.bodies.push(ground);
        Ok(assembly)
    }

    /// The kinetic energy.
    pub(crate) fn kinetic(&self) -> f64 {
        self.bodies.iter().flat_map(Body::kinetic).sum()
    }

    /// Removes the wall on the right.
    pub(crate) fn open(&mut self) {
        self.walls.pop();
    }

    /// Performs a step; `visit` gets each pair whose bounding spheres touch.
    pub(crate) fn step(&mut self, mut visit: impl FnMut(usize, usize)) -> Result<()> {
        let time = self.step;
        let Self {
            bodies,
            blocks,
            list,
            kernel,
            pressure,
            ..
        } = self;
        blocks.clear();
        for body in bodies.iter() {
            blocks.push(body.placed()?);
        }
        list.update(blocks)?;
        list.for_each_touching_pair(|i, j, state| {
            visit(i, j);
            let (a, b) = (&blocks[i], &blocks[j]);
            let Some(contact) = kernel.contact_with(a, b, state) else {
                return;
            };
            // The force acts at the center of pressure.
            let center = pressure
                .contact(a, b)
                .map_or(contact.point, |found| found.point);
            let mass = 1.0 / (1.0 / bodies[i].shape.mass + 1.0 / bodies[j].shape.mass);
            let slip = bodies[j].velocity_at(center) - bodies[i].velocity_at(center);
            let impulse = penalty(contact.overlap, contact.normal, slip, mass, time) * time;
            bodies[j].push(impulse, center);
            bodies[i].push(-impulse, center);
        });
        self.push_off_walls();
        for body in self.bodies.iter_mut() {
            if body.shape.mass.is_finite() {
                body.kick(GRAVITY * (body.shape.mass * time), DVec3::ZERO);
                body.drift(time);
            }
        }
        Ok(())
    }

    /// A force at each vertex beyond a wall.
    fn push_off_walls(&mut self) {
        for (body, block) in self.bodies.iter_mut().zip(&self.blocks) {
            let sphere = block.bounding_sphere();
            for &(normal, offset) in &self.walls {
                if normal.dot(sphere.center) - offset > sphere.radius {
                    continue;
                }
                for vertex in block.shape.vertices() {
                    let point = block.pose.transform_point(*vertex);
                    let overlap = offset - normal.dot(point);
                    if overlap > 0.0 {
                        let (slip, mass) = (body.velocity_at(point), 0.5 * body.shape.mass);
                        let force = penalty(overlap, normal, slip, mass, self.step);
                        body.push(force * self.step, point);
                    }
                }
            }
        }
    }
}

/// The force on the second body, whose velocity relative to the first is `slip`.
fn penalty(overlap: f64, normal: DVec3, slip: DVec3, mass: f64, step: f64) -> DVec3 {
    let rate = std::f64::consts::TAU / (STEPS_A_PERIOD * step);
    let apart = slip.dot(normal);
    let push = (mass * rate * (rate * overlap - 2.0 * DAMPING * apart)).max(0.0);
    let across = (slip - normal * apart) * (-mass * rate * DAMPING);
    normal * push + across.clamp_length_max(FRICTION * push)
}
