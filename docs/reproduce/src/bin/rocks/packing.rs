//! Bodies fall into a box or a drum: pairs, contacts, forces, time steps, and an energy balance.

use std::mem;

use cpu_time::ThreadTime;
use osculate::glam::DVec3;
use osculate::{
    Bounded as _, ContactEnergy, ContactVolume, HierarchicalGrid, MeshMesh, NarrowPhase as _,
    PairList, Placed, Skin, SolidMesh,
};

use crate::Result;
use crate::boundary::Boundary;
use reproduce::rigid::Body;

const GRAVITY: f64 = 1.0;
/// Between bodies.
const FRICTION: f64 = 0.5;
/// Pressure per rate of the volume.
const VISCOSITY: f64 = 30.0;

pub(crate) struct Packing<'a> {
    pub bodies: Vec<Body<'a>>,
    /// Bodies that come in at these times or later, when there is room.
    waiting: Vec<(f64, Body<'a>)>,
    time: f64,
    pub walls: Boundary,
    energy: ContactEnergy,
    list: PairList<HierarchicalGrid>,
    kernel: MeshMesh,
    contacts: Vec<Touch>,
    /// The energy dissipated by damping and friction.
    dissipated: f64,
    /// The work of walls that move.
    work: f64,
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
    pub work: f64,
    /// Their sum minus its initial value and the work, relative to the initial value.
    pub error: f64,
    pub pairs: usize,
    pub contacts: usize,
}

impl<'a> Packing<'a> {
    /// Takes bodies in batches, the first one at time 0 and the others after each `interval`. A body of
    /// a later one waits until there is room for it.
    pub(crate) fn new(
        batches: Vec<Vec<Body<'a>>>,
        interval: f64,
        walls: Boundary,
        energy: ContactEnergy,
    ) -> Result<Self> {
        let times = (0..).map(|i| f64::from(i) * interval);
        let batches = times.zip(batches);
        let waiting =
            batches.flat_map(|(time, batch)| batch.into_iter().map(move |body| (time, body)));
        Ok(Self {
            start: 0.0,
            bodies: Vec::new(),
            waiting: waiting.collect(),
            time: 0.0,
            walls,
            work: 0.0,
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
        self.let_in()?;
        self.time += time;
        self.drift(0.5 * time);
        let pairs = self.find_contacts()?;
        let (before, dissipated, work) = (self.kinetic(), self.dissipated, self.work);
        // In the middle of the kick; otherwise the work of one would not match the velocities of
        // the other.
        self.kick(0.5 * time);
        self.damp(time);
        self.kick(0.5 * time);
        let elastic = |touch: &Touch| self.energy.energy(touch.contact.volume);
        let mut ledger = Ledger {
            kinetic: 0.5 * (before + self.kinetic()),
            potential: self.bodies.iter().map(|body| self.weight(body)).sum(),
            elastic: self.contacts.iter().map(elastic).sum(),
            dissipated: 0.5 * (dissipated + self.dissipated),
            work: 0.5 * (work + self.work),
            error: 0.0,
            pairs,
            contacts: self.contacts.len(),
        };
        let sum = ledger.kinetic + ledger.potential + ledger.elastic + ledger.dissipated;
        ledger.error = (sum - ledger.work) / self.start - 1.0;
        self.counts.worst_ledger = self.counts.worst_ledger.max(ledger.error.abs());
        self.drift(0.5 * time);
        Ok(ledger)
    }

    /// Lets in the bodies that are due; those of later batches only where they touch no other one.
    fn let_in(&mut self) -> Result<()> {
        if self.waiting.iter().all(|(start, _)| *start > self.time) {
            return Ok(());
        }
        let inside = self.bodies.iter().map(Body::placed);
        let mut inside: Vec<_> = inside.collect::<std::result::Result<_, _>>()?;
        for (start, body) in mem::take(&mut self.waiting) {
            let placed = body.placed()?;
            let sphere = placed.bounding_sphere();
            let mut is_free = |other: &Placed<&SolidMesh>| {
                !other.bounding_sphere().touches(&sphere)
                    || self.kernel.contact(other, &placed).is_none()
            };
            if start == 0.0 || (start <= self.time && inside.iter().all(&mut is_free)) {
                self.start += self.weight(&body);
                self.bodies.push(body);
                inside.push(placed);
            } else {
                self.waiting.push((start, body));
            }
        }
        Ok(())
    }

    fn drift(&mut self, time: f64) {
        self.bodies.iter_mut().for_each(|body| body.drift(time));
        self.walls.drift(time);
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
        let mut touch = |pair, a: &Placed<&SolidMesh>, b: &Placed<&SolidMesh>| {
            pairs += 1;
            kernel.for_each_contact(a, b, &mut Default::default(), |contact| {
                contacts.push(Touch { pair, contact })
            });
        };
        self.list
            .for_each_touching_pair(|i, j, ()| touch([i, j], &bodies[i], &bodies[j]));
        let pose = self.walls.pose()?;
        for (i, body) in bodies.iter().enumerate() {
            self.walls
                .for_each_near(&pose, &body.bounding_sphere(), |k| {
                    let wall = Placed::new(&self.walls.parts[k], pose);
                    touch([i, bodies.len() + k], body, &wall);
                });
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
            let weight = DVec3::NEG_Z * (body.shape.mass * GRAVITY);
            body.kick(weight * time, DVec3::ZERO);
        }
        for Touch { pair, contact } in &self.contacts {
            let moment = |center| contact.moment_about(&self.energy, center) * time;
            let impulse = contact.force(&self.energy) * time;
            self.work += push(&mut self.bodies, &self.walls, pair, impulse, moment);
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
                let (velocity, turning) = match self.bodies.get(*i) {
                    Some(body) => (body.velocity_at(point), body.rate()),
                    None => (self.walls.turning().cross(point), self.walls.turning()),
                };
                rate +=
                    sign * (contact.area_vector.dot(velocity) + contact.moment_vector.dot(turning));
                slip += sign * velocity;
                mobility += { self.bodies.get(*i) }.map_or(0.0, |body| 1.0 / body.shape.mass);
            }
            let elastic = self.energy.pressure(contact.volume);
            let viscous = (VISCOSITY * rate).max(-elastic);
            slip -= normal * normal.dot(slip);
            let is_wall = pair[1] >= self.bodies.len();
            let coefficient = [FRICTION, self.walls.friction][usize::from(is_wall)];
            let most = coefficient * (elastic + viscous) * contact.area() * time;
            let speed = slip.length();
            let stopping = 0.3 * speed / mobility;
            let friction = if speed > 0.0 {
                slip * (-most.min(stopping) / speed)
            } else {
                DVec3::ZERO
            };
            let pressure = -viscous * time;
            let impulse = contact.area_vector * pressure + friction;
            let moment = |center| {
                contact.moment_vector_about(center) * pressure + (point - center).cross(friction)
            };
            let work = push(&mut self.bodies, &self.walls, pair, impulse, moment);
            self.work += work;
            self.dissipated += work + (before - energy_of(&self.bodies, pair));
        }
    }

    /// The potential energy.
    fn weight(&self, body: &Body) -> f64 {
        body.shape.mass * GRAVITY * (body.position.z - self.walls.bottom())
    }

    fn kinetic(&self) -> f64 {
        let kinetic = |body: &Body| body.kinetic().iter().sum::<f64>();
        self.bodies.iter().map(kinetic).sum()
    }

    /// The number of bodies that have not come in.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The number of centers of mass outside the walls.
    pub(crate) fn escaped(&self) -> usize {
        let is_outside = |body: &&Body| !self.walls.contains(body.position);
        self.bodies.iter().filter(is_outside).count()
    }
}

/// Gives an impulse to the first body of a pair, and its reaction to the second one or to a wall, with a moment about
/// a given center. Returns the work of a wall that turns.
fn push(
    bodies: &mut [Body],
    walls: &Boundary,
    pair: &[usize; 2],
    impulse: DVec3,
    moment: impl Fn(DVec3) -> DVec3,
) -> f64 {
    let mut work = 0.0;
    for (&i, sign) in pair.iter().zip([1.0, -1.0]) {
        match bodies.get_mut(i) {
            Some(body) => body.kick(impulse * sign, moment(body.position) * sign),
            None => work = walls.turning().dot(moment(DVec3::ZERO)),
        }
    }
    work
}

/// The kinetic energy of the bodies of a pair.
fn energy_of(bodies: &[Body], pair: &[usize; 2]) -> f64 {
    let bodies = pair.iter().filter_map(|&i| bodies.get(i));
    bodies.map(|body| body.kinetic().iter().sum::<f64>()).sum()
}
