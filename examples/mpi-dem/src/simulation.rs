//! The time loop of a rank.

use std::time::{Duration, Instant};

use osculate::broad::Workers;
use osculate::{PeriodicBox, Skin, WallList};
use rayon::prelude::*;

use crate::bodies::{Body, Motion, Wrench};
use crate::exchange::{Result, Team};
use crate::ghosts::NO_IMAGE;
use crate::lists::Lists;
use crate::model::Model;

pub const STAGES: [&str; 6] = [
    "drift",
    "rebuild",
    "halo",
    "pairs",
    "walls",
    "forces sent, sums",
];

/// Bodies of one rank, and ghosts of others.
pub struct Simulation<'a, M: Model> {
    pub team: &'a Team<'a>,
    pub model: M,
    pub period: PeriodicBox,
    /// Bodies are pairs if their surfaces are nearer than this at a rebuild.
    pub skin: f64,
    pub step: u64,
    /// The bodies that the rank owns, then the ghosts.
    pub bodies: Vec<Body>,
    pub owned_count: usize,
    /// The owned bodies near the wall.
    pub at_wall: WallList<M::Wall>,
    pub lists: Lists<M::Pair>,
    /// Two of each pair, then those received.
    wrenches: Vec<Wrench>,
    kernels: M::Kernels,
    wall_workers: Workers<M::Kernels, (usize, (Wrench, u32))>,
    pub spent: [Duration; 6],
    pub rebuilds: u64,
}

impl<'a, M: Model> Simulation<'a, M> {
    /// Starts with any records on any ranks: they are sent to where they belong.
    pub fn new(
        team: &'a Team<'a>,
        model: M,
        period: PeriodicBox,
        skin: f64,
        step: u64,
        records: Vec<crate::Record<M>>,
    ) -> Result<Self> {
        let mut simulation = Self {
            team,
            kernels: model.kernels(),
            wall_workers: Workers::new(model.kernels()),
            model,
            period,
            skin,
            step,
            bodies: Vec::new(),
            owned_count: 0,
            at_wall: WallList::new(Skin::Absolute(skin))?,
            lists: Lists::default(),
            wrenches: Vec::new(),
            spent: [Duration::ZERO; 6],
            rebuilds: 0,
        };
        simulation.build(records)?;
        Ok(simulation)
    }

    /// Performs a time step.
    pub fn step(&mut self) -> Result<()> {
        self.step += 1;
        let mut watch = Watch::start(&mut self.spent);
        let (model, limit) = (&self.model, 0.25 * self.skin * self.skin * (1.0 - 1e-9));
        // Not NaN, at which the rebuild fails.
        let is_inside =
            |body: &Body| (body.motion.center - body.reference).length_squared() <= limit;
        let owned = self.bodies[..self.owned_count].par_iter_mut();
        let is_stale = owned.map(|body| {
            model.drift(body);
            !is_inside(body)
        });
        let is_stale = self.team.any(is_stale.reduce(|| false, |a, b| a | b));
        watch.stop(0);
        if is_stale {
            self.rebuild()?;
        } else {
            self.update_ghosts();
        }
        self.compute_pairs();
        self.apply_forces()
    }

    /// Builds the lists anew, from bodies wrapped into the box.
    fn rebuild(&mut self) -> Result<()> {
        let start = Instant::now();
        let mut records = self.records()?;
        for record in &mut records {
            let body = &mut record.body;
            let center = &mut body.motion.center;
            let periods = self.period.image_index(*center);
            body.wraps = std::array::from_fn(|axis| body.wraps[axis] + periods[axis]);
            *center = self.period.wrap(*center);
            body.reference = *center;
        }
        self.build(records)?;
        self.rebuilds += 1;
        self.spent[1] += start.elapsed();
        Ok(())
    }

    fn update_ghosts(&mut self) {
        let watch = &mut Watch::start(&mut self.spent);
        let (owned, ghosts) = self.bodies.split_at_mut(self.owned_count);
        let motion = |i: usize| owned[i].motion.to_numbers();
        let received = self.lists.halo.carry(self.team, motion);
        for (ghost, &numbers) in ghosts.iter_mut().zip(received) {
            ghost.motion = Motion::from_numbers(numbers);
        }
        watch.stop(2);
    }

    /// Computes the force of each pair, with the lower name first and as placed by its owner.
    fn compute_pairs(&mut self) {
        let watch = &mut Watch::start(&mut self.spent);
        let (model, bodies, period) = (&self.model, &self.bodies, &self.period);
        let Lists {
            pairs, histories, ..
        } = &mut self.lists;
        self.wrenches.resize(2 * pairs.len(), Wrench::default());
        let both = self.wrenches.as_chunks_mut::<2>().0.par_iter_mut();
        let pairs = pairs.par_iter().zip(histories).zip(both).with_min_len(256);
        pairs.for_each_init(
            || self.kernels.clone(),
            |kernels, ((pair, history), wrenches)| {
                let [a, b] = pair.bodies.map(|i| &bodies[i as usize]);
                let mut second = *b;
                if pair.image != NO_IMAGE {
                    second.motion.center += period.lattice_vector(pair.image);
                }
                let found = model.between(kernels, [a, &second], history);
                if found.is_none() {
                    *history = M::Pair::default();
                }
                *wrenches = found.unwrap_or_default();
            },
        );
        watch.stop(3);
    }

    /// Sends the forces on ghosts to their owners, and adds the forces on each body in the order of its partners.
    fn apply_forces(&mut self) -> Result<()> {
        let mut watch = Watch::start(&mut self.spent);
        let wrenches = &mut self.wrenches;
        let received = {
            let wrench = |slot: usize| wrenches[slot].to_numbers();
            self.lists.returns.carry(self.team, wrench)
        };
        wrenches.extend(
            received
                .iter()
                .map(|&numbers| Wrench::from_numbers(numbers)),
        );
        watch.stop(5);
        let start = Instant::now();
        self.model
            .set_time(self.step as f64 * self.model.time_step())?;
        let at_wall = self.find_forces_at_wall()?;
        let (model, rows, wrenches) = (&self.model, &self.lists.rows, &self.wrenches);
        let owned = self.bodies[..self.owned_count].par_iter_mut();
        let owned = owned.zip(at_wall).enumerate().with_min_len(256);
        owned.for_each(|(i, (body, (at_wall, mut contacts)))| {
            let mut sum = Wrench::default();
            for &slot in rows.row(i) {
                let wrench = &wrenches[slot as usize];
                contacts += u32::from(*wrench != Wrench::default());
                sum.add(wrench);
            }
            sum.add(&at_wall);
            body.contacts = contacts;
            model.kick(body, &sum);
        });
        self.spent[4] += start.elapsed();
        Ok(())
    }

    /// Returns the force of the wall on each owned body, and the number of contacts there.
    fn find_forces_at_wall(&mut self) -> Result<Vec<(Wrench, u32)>> {
        let (model, bodies) = (&self.model, &self.bodies[..self.owned_count]);
        let sphere = |i: usize| bodies[i].sphere();
        self.at_wall
            .par_update_with(bodies.len(), sphere, model.wall())?;
        let workers = &mut self.wall_workers;
        self.at_wall
            .par_for_each_body(model.wall(), workers, |kernels, i, _, state, found| {
                found.push((i, model.at_wall(kernels, &bodies[i], state)));
            });
        let mut forces = vec![Default::default(); bodies.len()];
        for &(i, force) in workers.results() {
            forces[i] = force;
        }
        Ok(forces)
    }

    /// Returns the owned bodies.
    pub fn owned(&self) -> &[Body] {
        &self.bodies[..self.owned_count]
    }
}

/// Adds the time since the last stage to a stage.
struct Watch<'a> {
    since: Instant,
    spent: &'a mut [Duration; 6],
}

impl<'a> Watch<'a> {
    fn start(spent: &'a mut [Duration; 6]) -> Self {
        Self {
            since: Instant::now(),
            spent,
        }
    }

    fn stop(&mut self, stage: usize) {
        self.spent[stage] += self.since.elapsed();
        self.since = Instant::now();
    }
}
