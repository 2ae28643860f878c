//! A step of the mixer, with its stages timed.

use std::time::{Duration, Instant};

use osculate::broad::Workers;
use osculate::glam::DVec3;
use osculate::{
    DoubleHierarchy, Error, HierarchicalGrid, NarrowPhase, PairList, Skin, Sphere, SphereSphere,
    WallList,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::drum;
use crate::grains::{Force, Grains, Law, ON_GRAINS, ON_WALLS, RADIUS};
use crate::walls::Walls;

pub(crate) const DT: f64 = 5e-5;

/// Half the distance that a sphere may move until lists are rebuilt.
const SKIN: Skin = Skin::Absolute(0.25 * RADIUS);

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
    /// The spheres near each wall.
    near: [WallList<()>; 2],
    between: Workers<SphereSphere, ([usize; 2], Force, f64)>,
    at_walls: Workers<DoubleHierarchy, (usize, Force, f64)>,
    pool: ThreadPool,
}

impl Mixer {
    pub(crate) fn new(
        grains: Grains,
        time: f64,
        threads: usize,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self {
            grains,
            walls: Walls::new()?,
            time,
            spent: Default::default(),
            rebuilds: 0,
            contacts: [0; 2],
            deepest: 0.0,
            list: PairList::new(HierarchicalGrid::new(), SKIN)?,
            near: [WallList::new(SKIN)?, WallList::new(SKIN)?],
            between: Workers::new(SphereSphere::new()),
            at_walls: Workers::new(DoubleHierarchy::new()),
            pool: ThreadPoolBuilder::new().num_threads(threads).build()?,
        })
    }

    pub(crate) fn step(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let start = Instant::now();
        self.walls.turn_to(self.time)?;
        let centers = &self.grains.centers;
        let sphere = |i: usize| Sphere::new(centers[i], RADIUS);
        let list = &mut self.list;
        if self
            .pool
            .install(|| list.par_update_with(centers.len(), sphere))?
        {
            self.rebuilds += 1;
            self.check_inside()?;
        }
        let listed = Instant::now();
        self.touch_walls()?;
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

    /// The number of contacts between spheres of different halves, over that of a random mixture.
    pub(crate) fn mixing(&self) -> f64 {
        let halves = &self.grains.halves;
        let is_unlike = |&&([a, b], ..): &&([usize; 2], Force, f64)| halves[a] != halves[b];
        let unlike = self.between.results().filter(is_unlike).count();
        let share = unlike as f64 / self.contacts[0].max(1) as f64;
        let first = halves.iter().sum::<i32>() as f64 / halves.len() as f64;
        share / (2.0 * first * (1.0 - first))
    }

    fn check_inside(&self) -> Result<(), String> {
        let is_out = |c: &DVec3| !(c.x.hypot(c.z) < drum::RADIUS && c.y.abs() < drum::LENGTH / 2.0);
        match self.grains.centers.iter().position(is_out) {
            None => Ok(()),
            Some(i) => Err(format!("sphere {i} is out of the drum at {} s", self.time)),
        }
    }

    /// Sets the forces to those of the walls.
    fn touch_walls(&mut self) -> Result<(), Error> {
        let Grains {
            centers,
            velocities,
            spins,
            forces,
            ..
        } = &mut self.grains;
        let (velocities, spins, walls) = (&*velocities, &*spins, &self.walls);
        let law = Law::new(ON_WALLS, 1.0);
        let sphere = |i: usize| Sphere::new(centers[i], RADIUS);
        forces.fill(Force::default());
        self.contacts[1] = 0;
        for (which, near) in self.near.iter_mut().enumerate() {
            let wall = walls.all()[which];
            let workers = &mut self.at_walls;
            self.pool.install(|| -> Result<(), Error> {
                near.par_update_with(centers.len(), sphere, wall)?;
                near.par_for_each_body(wall, workers, |kernel, i, near, state, found| {
                    kernel.for_each_contact(&sphere(i), near, state, |contact| {
                        let arm = RADIUS - contact.overlap;
                        let velocity = velocities[i] + spins[i].cross(arm * contact.normal);
                        let motion = [
                            velocity - walls.velocity_at(which, contact.point),
                            spins[i] - walls.spin(which),
                        ];
                        let force = law.force(contact.overlap, contact.normal, arm, motion);
                        found.push((i, force, contact.overlap));
                    });
                });
                Ok(())
            })?;
            for &(i, force, overlap) in self.at_walls.results() {
                forces[i].push -= force.push;
                forces[i].torque += force.torque - force.rolling;
                self.contacts[1] += 1;
                self.deepest = self.deepest.max(overlap / RADIUS);
            }
        }
        Ok(())
    }

    /// Adds the forces between spheres, in the order of the pairs.
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
        let (list, workers) = (&mut self.list, &mut self.between);
        self.pool.install(|| {
            list.par_for_each_touching_image(workers, |kernel, pair, (), found| {
                let [a, b] = [pair.i, pair.j];
                let [first, second] = [a, b].map(|i| Sphere::new(centers[i], RADIUS));
                kernel.for_each_contact(&first, &second, &mut (), |contact| {
                    let arm = RADIUS - 0.5 * contact.overlap;
                    let turning = (spins[a] + spins[b]).cross(arm * contact.normal);
                    let motion = [velocities[a] - velocities[b] + turning, spins[a] - spins[b]];
                    let force = law.force(contact.overlap, contact.normal, arm, motion);
                    found.push(([a, b], force, contact.overlap));
                });
            });
        });
        self.contacts[0] = 0;
        for &([a, b], force, overlap) in self.between.results() {
            forces[a].push -= force.push;
            forces[b].push += force.push;
            forces[a].torque += force.torque - force.rolling;
            forces[b].torque += force.torque + force.rolling;
            self.contacts[0] += 1;
            self.deepest = self.deepest.max(overlap / RADIUS);
        }
    }
}
