//! A step of the mixer, with its stages timed.

use std::time::{Duration, Instant};

use osculate::glam::DVec3;
use osculate::{
    DoubleHierarchy, HierarchicalGrid, NarrowPhase, PairList, Skin, Sphere, SphereSphere, WallState,
};

use crate::drum;
use crate::grains::{Force, Grains, Law, ON_GRAINS, ON_WALLS, RADIUS};
use crate::team::Team;
use crate::walls::Walls;

pub(crate) const DT: f64 = 5e-5;

/// Chunks of pairs and of spheres for one thread. Fixed, so that results do not depend on the
/// threads.
const PAIRS: usize = 4096;
const SPHERES: usize = 512;

pub(crate) const STAGES: [&str; 4] = [
    "spheres and spheres: list of pairs",
    "spheres and spheres: contacts and forces",
    "spheres and walls: search, contacts, forces",
    "motion",
];

pub(crate) struct Mixer {
    pub grains: Grains,
    pub walls: Walls,
    pub time: f64,
    /// Time of each stage.
    pub spent: [Duration; 4],
    /// Number of rebuilds of the pair list.
    pub rebuilds: u32,
    /// Contacts in the last step, between spheres and with walls.
    pub contacts: [usize; 2],
    /// The largest overlap so far, relative to the radius.
    pub deepest: f64,
    list: PairList<HierarchicalGrid>,
    team: Team,
    pair_work: Vec<PairWork>,
    wall_work: Vec<WallWork>,
}

#[derive(Default)]
struct PairWork {
    forces: Vec<(u32, u32, Force)>,
    deepest: f64,
}

#[derive(Default)]
struct WallWork {
    kernel: DoubleHierarchy,
    /// The states of each sphere, one per wall.
    memories: Vec<[WallState<DVec3>; 2]>,
    contacts: usize,
    deepest: f64,
}

impl Mixer {
    pub(crate) fn new(grains: Grains, time: f64, team: Team) -> Result<Self, osculate::Error> {
        Ok(Self {
            grains,
            walls: Walls::new()?,
            time,
            spent: Default::default(),
            rebuilds: 0,
            contacts: [0; 2],
            deepest: 0.0,
            list: PairList::new(HierarchicalGrid::new(), Skin::Absolute(0.25 * RADIUS))?,
            team,
            pair_work: Vec::new(),
            wall_work: Vec::new(),
        })
    }

    pub(crate) fn step(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let start = Instant::now();
        self.walls.turn_to(self.time)?;
        let centers = &self.grains.centers;
        let sphere = |i: usize| Sphere::new(centers[i], RADIUS);
        if self.list.update_with(centers.len(), sphere)? {
            self.rebuilds += 1;
            self.check_inside()?;
        }
        let listed = Instant::now();
        self.touch_walls();
        let walled = Instant::now();
        self.touch_each_other();
        let touched = Instant::now();
        self.grains.advance(DT);
        self.time += DT;
        let durations = [
            listed - start,
            touched - walled,
            walled - listed,
            touched.elapsed(),
        ];
        for (sum, duration) in self.spent.iter_mut().zip(durations) {
            *sum += duration;
        }
        Ok(())
    }

    fn check_inside(&self) -> Result<(), String> {
        let is_out = |c: &DVec3| !(c.x.hypot(c.z) < drum::RADIUS && c.y.abs() < drum::LENGTH / 2.0);
        match self.grains.centers.iter().position(is_out) {
            None => Ok(()),
            Some(i) => Err(format!("sphere {i} is out of the drum at {} s", self.time)),
        }
    }

    /// Sets the forces to those of the walls.
    fn touch_walls(&mut self) {
        let Grains {
            centers,
            velocities,
            spins,
            forces,
            ..
        } = &mut self.grains;
        let (centers, velocities, spins, walls) = (&*centers, &*velocities, &*spins, &self.walls);
        let law = Law::new(ON_WALLS, 1.0);
        self.wall_work
            .resize_with(centers.len().div_ceil(SPHERES), WallWork::default);
        let mut parts: Vec<_> = self
            .wall_work
            .iter_mut()
            .zip(forces.chunks_mut(SPHERES))
            .collect();
        self.team.each(&mut parts, |part, (work, forces)| {
            (work.contacts, work.deepest) = (0, 0.0);
            work.memories.resize_with(forces.len(), Default::default);
            let memories = &mut work.memories;
            let spheres = (part * SPHERES..).zip(forces.iter_mut().zip(memories));
            for (i, (force, memories)) in spheres {
                let (mut push, mut torque) = (DVec3::ZERO, DVec3::ZERO);
                let kernel = &mut work.kernel;
                walls.for_each_contact(kernel, centers[i], memories, |contact, wall_velocity| {
                    let arm = RADIUS - contact.overlap;
                    let velocity = velocities[i] + spins[i].cross(arm * contact.normal);
                    let velocity = velocity - wall_velocity;
                    let force = law.force(contact.overlap, contact.normal, arm, velocity);
                    push -= force.push;
                    torque += force.torque;
                    work.contacts += 1;
                    work.deepest = work.deepest.max(contact.overlap);
                });
                *force = Force { push, torque };
            }
        });
        self.contacts[1] = self.wall_work.iter().map(|work| work.contacts).sum();
        let deepest = self
            .wall_work
            .iter()
            .map(|work| work.deepest)
            .fold(0.0, f64::max);
        self.deepest = self.deepest.max(deepest / RADIUS);
    }

    /// Adds the forces between spheres: computed in chunks, summed in order.
    fn touch_each_other(&mut self) {
        let Grains {
            centers,
            velocities,
            spins,
            forces,
            ..
        } = &mut self.grains;
        let (centers, velocities, spins) = (&*centers, &*velocities, &*spins);
        let law = Law::new(ON_GRAINS, 0.5);
        let pairs = self.list.pairs();
        self.pair_work
            .resize_with(pairs.len().div_ceil(PAIRS), PairWork::default);
        self.team.each(&mut self.pair_work, |part, work| {
            work.forces.clear();
            work.deepest = 0.0;
            let end = pairs.len().min((part + 1) * PAIRS);
            for &[i, j] in &pairs[part * PAIRS..end] {
                let [a, b] = [i, j].map(|i| i as usize);
                let [first, second] = [a, b].map(|i| Sphere::new(centers[i], RADIUS));
                SphereSphere::new().for_each_contact(&first, &second, &mut (), |contact| {
                    let arm = RADIUS - 0.5 * contact.overlap;
                    let turning = (spins[a] + spins[b]).cross(arm * contact.normal);
                    let velocity = velocities[a] - velocities[b] + turning;
                    let force = law.force(contact.overlap, contact.normal, arm, velocity);
                    work.forces.push((i, j, force));
                    work.deepest = work.deepest.max(contact.overlap);
                });
            }
        });
        self.contacts[0] = 0;
        for work in &self.pair_work {
            for &(i, j, Force { push, torque }) in &work.forces {
                let [a, b] = [i, j].map(|i| i as usize);
                forces[a].push -= push;
                forces[b].push += push;
                forces[a].torque += torque;
                forces[b].torque += torque;
            }
            self.contacts[0] += work.forces.len();
            self.deepest = self.deepest.max(work.deepest / RADIUS);
        }
    }
}
