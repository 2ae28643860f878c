//! Bodies fall into a box: pairs, contacts, forces, time steps, and an energy balance.

use cpu_time::ThreadTime;
use osculate::glam::{DQuat, DVec3};
use osculate::{
    Bounded as _, ContactEnergy, ContactVolume, HierarchicalGrid, MeshMesh, NarrowPhase as _,
    PairList, Placed, Pose3, Skin, SolidMesh, Sphere,
};

use crate::Result;
use crate::random::SplitMix64;
use crate::rigid::{Body, Shape};
use crate::shapes;

const GRAVITY: f64 = 1.0;
const FRICTION: f64 = 0.5;
/// Pressure per rate of the volume.
const VISCOSITY: f64 = 30.0;

pub(crate) struct Packing<'a> {
    pub bodies: Vec<Body<'a>>,
    walls: &'a [SolidMesh; 5],
    side: f64,
    energy: ContactEnergy,
    list: PairList<HierarchicalGrid>,
    kernel: MeshMesh,
    contacts: Vec<Touch>,
    /// The energy dissipated by damping and friction.
    dissipated: f64,
    start: f64,
    pub counts: Counts,
}

/// A contact of a body with another one, or with a wall; walls have the indices after the last
/// body.
struct Touch {
    pair: [usize; 2],
    contact: ContactVolume<DVec3>,
}

/// Sums over all steps.
#[derive(Default)]
pub(crate) struct Counts {
    pub pairs: u64,
    pub contacts: u64,
    pub kernel_seconds: f64,
    /// The largest error of the energy balance, and the largest fraction of a body inside another
    /// one or a wall.
    pub worst_ledger: f64,
    pub worst_overlap: f64,
}

/// The energies in the middle of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ledger {
    pub kinetic: f64,
    pub potential: f64,
    pub elastic: f64,
    pub dissipated: f64,
    /// Their sum minus its initial value, relative to that.
    pub error: f64,
    pub pairs: usize,
    pub contacts: usize,
}

impl<'a> Packing<'a> {
    /// Bodies at rest in random orientations, on a lattice above the floor.
    pub(crate) fn new(
        shapes: &'a [Shape],
        walls: &'a [SolidMesh; 5],
        side: f64,
        count: usize,
        energy: ContactEnergy,
    ) -> Result<Self> {
        let mut random = SplitMix64::new(1);
        let cell = shapes::cell(shapes);
        // Rounding must not make it smaller.
        let row = (side / cell + 0.5) as usize;
        if row == 0 {
            return Err("the box is too narrow".into());
        }
        let bodies: Vec<_> = (0..count)
            .map(|i| {
                let place = [i % row, i / row % row, i / (row * row)].map(|k| k as f64 + 0.5);
                let step = DVec3::new(side / row as f64, side / row as f64, cell);
                let turn = DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0)));
                let shape = &shapes[random.below(shapes.len())];
                Body::new(shape, turn.normalize(), DVec3::from_array(place) * step)
            })
            .collect();
        let weight = |body: &Body| body.shape.mass * GRAVITY * body.position.z;
        Ok(Self {
            start: bodies.iter().map(weight).sum(),
            bodies,
            walls,
            side,
            energy,
            list: PairList::new(HierarchicalGrid::new(), Skin::Relative(0.1))?,
            kernel: MeshMesh::new(),
            contacts: Vec::new(),
            dissipated: 0.0,
            counts: Counts::default(),
        })
    }

    /// Half a drift, a kick, half a drift.
    pub(crate) fn step(&mut self, time: f64) -> Result<Ledger> {
        self.bodies
            .iter_mut()
            .for_each(|body| body.drift(0.5 * time));
        let pairs = self.find_contacts()?;
        let (before, dissipated) = (self.kinetic(), self.dissipated);
        // In the middle of the kick; otherwise the work of one would not match the velocities of
        // the other.
        self.kick(0.5 * time);
        self.damp(time);
        self.kick(0.5 * time);
        let elastic = |touch: &Touch| self.energy.energy(touch.contact.volume);
        let weight = |body: &Body| body.shape.mass * GRAVITY * body.position.z;
        let mut ledger = Ledger {
            kinetic: 0.5 * (before + self.kinetic()),
            potential: self.bodies.iter().map(weight).sum(),
            elastic: self.contacts.iter().map(elastic).sum(),
            dissipated: 0.5 * (dissipated + self.dissipated),
            error: 0.0,
            pairs,
            contacts: self.contacts.len(),
        };
        let sum = ledger.kinetic + ledger.potential + ledger.elastic + ledger.dissipated;
        ledger.error = sum / self.start - 1.0;
        self.counts.worst_ledger = self.counts.worst_ledger.max(ledger.error.abs());
        self.bodies
            .iter_mut()
            .for_each(|body| body.drift(0.5 * time));
        Ok(ledger)
    }

    /// Contacts of bodies whose spheres touch, and with walls within reach of a body's sphere. Returns the number of
    /// these pairs.
    fn find_contacts(&mut self) -> Result<usize> {
        let bodies = self.bodies.iter().map(Body::placed);
        let bodies: Vec<_> = bodies.collect::<std::result::Result<_, _>>()?;
        self.list.update(&bodies)?;
        let clock = ThreadTime::now();
        self.contacts.clear();
        let (mut pairs, contacts, kernel) = (0, &mut self.contacts, &mut self.kernel);
        let mut touch = |pair, a: &Placed<_>, b: &Placed<_>| {
            pairs += 1;
            kernel.for_each_contact(a, b, &mut (), |contact| {
                contacts.push(Touch { pair, contact })
            });
        };
        self.list
            .for_each_touching_pair(|i, j, ()| touch([i, j], &bodies[i], &bodies[j]));
        for (i, body) in bodies.iter().enumerate() {
            let Sphere { center, radius } = body.bounding_sphere();
            let high = DVec3::splat(self.side) - center;
            let distances = [center.z, center.x, high.x, center.y, high.y];
            for (k, wall) in self.walls.iter().enumerate() {
                if distances[k] < radius {
                    let wall = Placed::new(wall, Pose3::IDENTITY);
                    touch([i, bodies.len() + k], body, &wall);
                }
            }
        }
        self.counts.kernel_seconds += clock.elapsed().as_secs_f64();
        self.counts.pairs += pairs as u64;
        self.counts.contacts += self.contacts.len() as u64;
        for touch in &self.contacts {
            let volume = self.bodies[touch.pair[0]].shape.solid.volume();
            let share = touch.contact.volume / volume;
            self.counts.worst_overlap = self.counts.worst_overlap.max(share);
        }
        Ok(pairs)
    }

    /// Weight, and the force of the contact energy.
    fn kick(&mut self, time: f64) {
        for body in &mut self.bodies {
            body.kick(
                DVec3::NEG_Z * (body.shape.mass * GRAVITY * time),
                DVec3::ZERO,
            );
        }
        for Touch { pair, contact } in &self.contacts {
            let force = contact.force(&self.energy);
            for (i, time) in pair.iter().zip([time, -time]) {
                if let Some(body) = self.bodies.get_mut(*i) {
                    let moment = contact.moment_about(&self.energy, body.position);
                    body.kick(force * time, moment * time);
                }
            }
        }
    }

    /// A pressure that resists the change of the volume, along S and G, limited so that the sum
    /// does not pull. And friction at the point, which cannot reverse the motion.
    fn damp(&mut self, time: f64) {
        for Touch { pair, contact } in &self.contacts {
            let Some(normal) = contact.normal() else {
                continue;
            };
            let before = energy_of(&self.bodies, pair);
            let point = contact.point;
            let (mut rate, mut slip, mut mobility) = (0.0, DVec3::ZERO, 0.0);
            for (i, sign) in pair.iter().zip([1.0, -1.0]) {
                if let Some(body) = self.bodies.get(*i) {
                    let turning = body.rate();
                    let velocity =
                        body.momentum / body.shape.mass + turning.cross(point - body.position);
                    let rate_of =
                        contact.area_vector.dot(velocity) + contact.moment_vector.dot(turning);
                    rate += sign * rate_of;
                    slip += sign * velocity;
                    mobility += 1.0 / body.shape.mass;
                }
            }
            let elastic = self.energy.pressure(contact.volume);
            let viscous = (VISCOSITY * rate).max(-elastic);
            slip -= normal * normal.dot(slip);
            let most = FRICTION * (elastic + viscous) * contact.area() * time;
            let speed = slip.length();
            let stopping = 0.3 * speed / mobility;
            let friction = if speed > 0.0 {
                slip * (-most.min(stopping) / speed)
            } else {
                DVec3::ZERO
            };
            let pressure = -viscous * time;
            for (i, sign) in pair.iter().zip([1.0, -1.0]) {
                if let Some(body) = self.bodies.get_mut(*i) {
                    let arm = point - body.position;
                    let moment = contact.moment_vector_about(body.position);
                    let impulse = contact.area_vector * pressure + friction;
                    let twist = moment * pressure + arm.cross(friction);
                    body.kick(impulse * sign, twist * sign);
                }
            }
            self.dissipated += before - energy_of(&self.bodies, pair);
        }
    }

    fn kinetic(&self) -> f64 {
        let kinetic = |body: &Body| body.kinetic().iter().sum::<f64>();
        self.bodies.iter().map(kinetic).sum()
    }

    /// The number of centers of mass outside the box.
    pub(crate) fn escaped(&self) -> usize {
        let is_outside = |body: &&Body| {
            let p = body.position;
            !(p.z > 0.0 && p.x.min(p.y) > 0.0 && p.x.max(p.y) < self.side)
        };
        self.bodies.iter().filter(is_outside).count()
    }
}

/// The kinetic energy of the bodies of a pair.
fn energy_of(bodies: &[Body], pair: &[usize; 2]) -> f64 {
    let of = |&i: &usize| {
        bodies
            .get(i)
            .map_or(0.0, |body| body.kinetic().iter().sum())
    };
    pair.iter().map(of).sum()
}
