//! Rigid blocks in a box, with penalty contacts: spring, dashpot and friction.

use osculate::glam::{DQuat, DVec3};
use osculate::{
    Bounded, CommonPlane, CommonPlaneState, ConvexPolyhedron, ElasticBed, HierarchicalGrid,
    NarrowPhase, PairList, Placed, Pose3, Skin,
};

use crate::Result;
use crate::random::SplitMix64;
use crate::shapes::{KINDS, SIZES, library};

/// The time step in seconds.
pub(crate) const STEP: f64 = 5e-5;
const DENSITY: f64 = 2500.0;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
/// Steps per period of a contact.
const STEPS_A_PERIOD: f64 = 30.0;
/// Fraction of critical damping.
const DAMPING: f64 = 0.3;
const FRICTION: f64 = 0.2;

pub(crate) type Block<'a> = Placed<&'a ConvexPolyhedron, DVec3>;

#[derive(Clone, Copy, Default)]
pub(crate) struct Motion {
    pub velocity: DVec3,
    /// Radians per second.
    pub spin: DVec3,
    force: DVec3,
    torque: DVec3,
}

/// A half-space `normal . x >= offset` that contains the bodies.
struct Wall {
    normal: DVec3,
    offset: f64,
}

pub(crate) struct Assembly {
    pub shapes: Vec<ConvexPolyhedron>,
    /// Mass, and mean moment of inertia about the centroid, which is nearly the shape's origin.
    inertia: Vec<(f64, f64)>,
    pub kinds: Vec<usize>,
    pub poses: Vec<Pose3>,
    pub motions: Vec<Motion>,
    walls: Vec<Wall>,
    list: PairList<HierarchicalGrid, CommonPlaneState>,
    kernel: CommonPlane,
    bed: ElasticBed,
}

impl Assembly {
    /// Blocks on a lattice above the floor of a box; all kinds in turn, or one.
    pub(crate) fn new(count: usize, kind: Option<usize>, side: f64) -> Result<Self> {
        let shapes = library()?
            .into_iter()
            .map(centered)
            .collect::<Result<Vec<_>>>()?;
        let mut random = SplitMix64::new(count as u64);
        let spacing = 0.042;
        let row = (side / spacing) as usize;
        let (mut poses, mut kinds) = (Vec::new(), Vec::new());
        for i in 0..count {
            let place = [i % row, i / row % row, i / (row * row)];
            let place = DVec3::from_array(place.map(|k| (k as f64 + 0.5) * spacing));
            let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
            poses.push(Pose3::new_normalize(turn, place)?);
            let kind = kind.unwrap_or(i % KINDS.len());
            kinds.push(kind * SIZES + random.below(SIZES));
        }
        let jitter = |_| Motion {
            velocity: DVec3::from_array([0; 3].map(|_| random.range(-0.2, 0.2))),
            spin: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        };
        let wall = |normal: DVec3, offset| Wall { normal, offset };
        Ok(Self {
            inertia: shapes.iter().map(inertia).collect(),
            shapes,
            kinds,
            poses,
            motions: (0..count).map(jitter).collect(),
            walls: vec![
                wall(DVec3::Z, 0.0),
                wall(DVec3::X, 0.0),
                wall(DVec3::Y, 0.0),
                wall(-DVec3::Y, -side),
                wall(-DVec3::X, -side),
            ],
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.004))?,
            kernel: CommonPlane::new(),
            bed: ElasticBed::new(),
        })
    }

    /// Blocks of one kind above the ground, which is the last body and fixed.
    pub(crate) fn on_ground(count: usize, kind: usize) -> Result<Self> {
        let mut assembly = Self::new(count, Some(kind), 0.3)?;
        assembly.walls.clear();
        let corner = |i: usize| {
            DVec3::new(
                [-1.0, 1.3][i & 1],
                [-1.0, 1.3][i >> 1 & 1],
                [-0.3, 0.0][i >> 2],
            )
        };
        let ground = (0..8).map(corner).collect::<Vec<_>>();
        assembly.kinds.push(assembly.shapes.len());
        assembly
            .shapes
            .push(ConvexPolyhedron::from_convex_hull(&ground)?);
        assembly.inertia.push((f64::INFINITY, f64::INFINITY));
        assembly.poses.push(Pose3::IDENTITY);
        assembly.motions.push(Motion::default());
        Ok(assembly)
    }

    /// The kinetic energy.
    pub(crate) fn kinetic(&self) -> f64 {
        let bodies = self
            .motions
            .iter()
            .zip(&self.kinds)
            .map(|(motion, &kind)| (motion, self.inertia[kind]));
        let moving = bodies.filter(|(_, (mass, _))| mass.is_finite());
        moving
            .map(|(motion, (mass, moment))| {
                0.5 * (mass * motion.velocity.length_squared()
                    + moment * motion.spin.length_squared())
            })
            .sum()
    }

    /// Removes the wall on the right.
    pub(crate) fn open(&mut self) {
        self.walls.pop();
    }

    pub(crate) fn block(&self, i: usize) -> Block<'_> {
        Placed::new(&self.shapes[self.kinds[i]], self.poses[i])
    }

    /// Performs a step; `visit` gets each pair whose bounding spheres touch.
    pub(crate) fn step(&mut self, mut visit: impl FnMut(usize, usize)) -> Result<()> {
        let Self {
            shapes,
            inertia,
            kinds,
            poses,
            motions,
            list,
            kernel,
            bed,
            ..
        } = self;
        let block = |i: usize| Placed::new(&shapes[kinds[i]], poses[i]);
        list.update_with(kinds.len(), |i| block(i).bounding_sphere())?;
        list.for_each_touching_pair(|i, j, state| {
            visit(i, j);
            let (a, b) = (block(i), block(j));
            let Some(contact) = kernel.contact_with(&a, &b, state) else {
                return;
            };
            // The force acts at the center of pressure.
            let manifold = bed.manifold(&a, &b, contact.normal, &mut Default::default());
            let center = manifold.map_or(contact.point, |manifold| manifold.point);
            let masses = [i, j].map(|i| inertia[kinds[i]].0);
            let mass = if masses[1].is_finite() {
                masses[0] * masses[1] / (masses[0] + masses[1])
            } else {
                masses[0]
            };
            let arms = [a, b].map(|block| center - block.pose.translation());
            let slip = motions[j].velocity_at(arms[1]) - motions[i].velocity_at(arms[0]);
            let force = penalty(contact.overlap, contact.normal, slip, mass);
            motions[j].push(force, arms[1]);
            motions[i].push(-force, arms[0]);
        });
        self.push_off_walls();
        self.integrate()
    }

    /// A force at each vertex beyond a wall.
    fn push_off_walls(&mut self) {
        for i in 0..self.poses.len() {
            let (shape, pose) = (&self.shapes[self.kinds[i]], self.poses[i]);
            let (center, radius) = (pose.translation(), 0.021);
            for Wall { normal, offset } in &self.walls {
                if normal.dot(center) - offset > radius {
                    continue;
                }
                for vertex in shape.vertices() {
                    let arm = pose.transform_vector(*vertex);
                    let overlap = offset - normal.dot(center + arm);
                    if overlap > 0.0 {
                        let slip = self.motions[i].velocity_at(arm);
                        let mass = 0.5 * self.inertia[self.kinds[i]].0;
                        self.motions[i].push(penalty(overlap, *normal, slip, mass), arm);
                    }
                }
            }
        }
    }

    fn integrate(&mut self) -> Result<()> {
        for i in 0..self.poses.len() {
            let (mass, moment) = self.inertia[self.kinds[i]];
            if mass.is_infinite() {
                continue;
            }
            let motion = &mut self.motions[i];
            motion.velocity += (motion.force / mass + GRAVITY) * STEP;
            motion.spin += motion.torque / moment * STEP;
            (motion.force, motion.torque) = (DVec3::ZERO, DVec3::ZERO);
            let pose = self.poses[i];
            let half = motion.spin * (0.5 * STEP);
            let turn = DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * pose.rotation();
            self.poses[i] =
                Pose3::new_normalize(turn, pose.translation() + motion.velocity * STEP)?;
        }
        Ok(())
    }
}

impl Motion {
    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }

    fn push(&mut self, force: DVec3, arm: DVec3) {
        self.force += force;
        self.torque += arm.cross(force);
    }
}

/// The force on the second body, whose velocity relative to the first is `slip`.
fn penalty(overlap: f64, normal: DVec3, slip: DVec3, mass: f64) -> DVec3 {
    let rate = std::f64::consts::TAU / (STEPS_A_PERIOD * STEP);
    let apart = slip.dot(normal);
    let push = (mass * rate * (rate * overlap - 2.0 * DAMPING * apart)).max(0.0);
    let across = (slip - normal * apart) * (-mass * rate * DAMPING);
    normal * push + across.clamp_length_max(FRICTION * push)
}

/// Moves the centroid to the origin.
fn centered(shape: ConvexPolyhedron) -> Result<ConvexPolyhedron> {
    let points: Vec<_> = shape
        .vertices()
        .iter()
        .map(|&v| v - shape.centroid())
        .collect();
    Ok(osculate::ConvexPolyhedron::from_convex_hull(&points)?)
}

/// Mass and mean moment.
fn inertia(shape: &ConvexPolyhedron) -> (f64, f64) {
    let body = shape.mass_properties(DENSITY);
    (body.mass, body.principal().0.element_sum() / 3.0)
}
