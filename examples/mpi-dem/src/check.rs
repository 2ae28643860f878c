//! Compares distributed runs with serial ones in which every image of every body meets every other.
//!
//! Spheres without forces move through each other and through a wall in small periodic boxes. The history of a contact is
//! the number of steps for which it has lasted, and the force of a pair is the name of the partner. Half way, all ranks begin anew from records that other ranks have stored.

use std::collections::BTreeMap;

use osculate::glam::{DQuat, DVec3};
use osculate::narrow::WallHistory;
use osculate::{DoubleHierarchy, Feature, PeriodicBox, Pose3, Sphere, SurfaceMesh, Wall};

use crate::bodies::{Body, Motion, Record, Wrench};
use crate::exchange::{Result, Team};
use crate::model::Model;
use crate::random::SplitMix64;
use crate::simulation::Simulation;

const STEPS: u64 = 16;
/// All lengths are multiples of this, so that images are exact. Otherwise the serial search could disagree to within
/// rounding.
const UNIT: f64 = 1.0 / 1024.0 / 1024.0;

/// Random spheres with any overlaps.
struct Case {
    name: &'static str,
    sides: [f64; 3],
    count: u64,
    /// The number density of radii decreases as radius^-3 between these limits.
    radii: [f64; 2],
    /// The largest displacement in a step, along each axis.
    step: f64,
    skin: f64,
    unit: f64,
}

const CASES: [Case; 5] = [
    Case::new("size ratio 10", [27.0; 3], 2500, [0.25, 2.5], 0.125, 1.0),
    Case::new(
        "parts thinner than spheres",
        [2.0, 16.0, 16.0],
        500,
        [0.25, 1.5],
        0.25,
        1.0,
    ),
    Case::new(
        "spheres that touch their images",
        [2.0, 3.0, 2.5],
        20,
        [0.5, 1.75],
        0.0625,
        0.5,
    ),
    Case {
        unit: 0.25,
        ..Case::new(
            "equal spheres that just touch",
            [12.0, 10.0, 10.0],
            1000,
            [0.5; 2],
            0.5,
            3.0,
        )
    },
    Case::new(
        "no skin, fewer spheres than ranks",
        [4.0; 3],
        3,
        [1.0, 2.0],
        0.5,
        0.0,
    ),
];

impl Case {
    const fn new(
        name: &'static str,
        sides: [f64; 3],
        count: u64,
        radii: [f64; 2],
        step: f64,
        skin: f64,
    ) -> Self {
        Self {
            name,
            sides,
            count,
            radii,
            step,
            skin,
            unit: UNIT,
        }
    }

    fn period(&self) -> Result<PeriodicBox> {
        Ok(PeriodicBox::orthogonal(
            DVec3::ZERO,
            self.sides.into(),
            [true; 3],
        )?)
    }

    /// Hills at half of the height. They move by 3/32 in a step.
    fn model(&self) -> Result<Free> {
        const CELLS: u32 = 4;
        let place = |i: u32| {
            let (x, y) = (i % (CELLS + 1), i / (CELLS + 1));
            let height = 0.5 + f64::from((x % CELLS * 3 + y % CELLS * 5) % 4) / 32.0;
            let [x, y] = [x, y].map(|i| f64::from(i) / f64::from(CELLS));
            DVec3::new(x, y, height) * DVec3::from(self.sides)
        };
        let corner = (0..CELLS * CELLS).map(|i| i % CELLS + i / CELLS * (CELLS + 1));
        let facets = corner.flat_map(|i| {
            let above = i + CELLS + 1;
            [[i, i + 1, above + 1], [i, above + 1, above]]
        });
        let vertices = (0..(CELLS + 1) * (CELLS + 1)).map(place);
        let mesh = SurfaceMesh::new(vertices.collect(), facets)?;
        let wall = Wall::periodic(mesh, self.period()?, 2.0 * self.radii[1])?;
        Ok(Free { wall })
    }

    /// The same on every rank.
    fn bodies(&self) -> Vec<Body> {
        let mut random = SplitMix64::new(1);
        let [least, most] = self.radii;
        let rest = 1.0 - (least / most) * (least / most);
        let round = |x: f64| (x / self.unit).floor() * self.unit;
        let body = |id: u64| {
            let radius = round(least / (1.0 - rest * random.unit()).sqrt());
            let center = self.sides.map(|side| round(side * random.unit()));
            let velocity = [0; 3].map(|_| round(random.range(-self.step, self.step)));
            let motion = Motion {
                center: center.into(),
                rotation: DQuat::IDENTITY,
                velocity: velocity.into(),
                spin: DVec3::ZERO,
            };
            Body::new(id, radius, 0, motion)
        };
        (0..self.count).map(body).collect()
    }
}

/// Spheres that move at constant velocities.
struct Free {
    wall: Wall,
}

impl Model for Free {
    type Kernels = DoubleHierarchy;
    type Pair = u32;
    type Wall = WallHistory<u32>;

    fn kernels(&self) -> Self::Kernels {
        DoubleHierarchy::new()
    }

    fn wall(&self) -> &Wall {
        &self.wall
    }

    fn set_time(&mut self, time: f64) -> Result<()> {
        let shift = DVec3::new(1.0, 0.0, 2.0) / 32.0 * time;
        self.wall.set_pose(Pose3::from_translation(shift)?);
        Ok(())
    }

    fn time_step(&self) -> f64 {
        1.0
    }

    fn drift(&self, body: &mut Body) {
        body.motion.center += body.motion.velocity;
    }

    /// The sum of the partners' names.
    fn kick(&self, body: &mut Body, wrench: &Wrench) {
        body.motion.spin = wrench.force;
    }

    fn between(
        &self,
        _: &mut DoubleHierarchy,
        [a, b]: [&Body; 2],
        age: &mut u32,
    ) -> Option<[Wrench; 2]> {
        a.sphere().touches(&b.sphere()).then(|| {
            *age += 1;
            let named = |body: &Body| Wrench {
                force: DVec3::new(body.id as f64, 1.0, 0.0),
                torque: DVec3::ZERO,
            };
            [named(b), named(a)]
        })
    }

    fn at_wall(
        &self,
        kernel: &mut DoubleHierarchy,
        body: &Body,
        history: &mut WallHistory<u32>,
    ) -> (Wrench, u32) {
        history.for_each_contact(kernel, &body.sphere(), &self.wall, |_, age| *age += 1);
        (Wrench::default(), history.len() as u32)
    }
}

/// The names of two bodies, the lower first, and the shift of the second in periods.
type Contact = (u64, u64, [i32; 3]);

/// Returns the contacts among all images: those of two bodies, and of a body and its own image the lexicographically
/// positive one. Bodies are never wrapped.
fn serial(period: &PeriodicBox, bodies: &[Body]) -> Vec<Contact> {
    let sides = period.lengths();
    let mut contacts = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        let sphere = a.sphere();
        for b in &bodies[i..] {
            // All images that may touch, and some more along each axis.
            let [xs, ys, zs] = [0, 1, 2].map(|axis| {
                let reach = a.radius + b.radius + 1e-9 * sides[axis];
                let delta = a.motion.center[axis] - b.motion.center[axis];
                let first = ((delta - reach) / sides[axis]).ceil() as i32;
                first..=((delta + reach) / sides[axis]).floor() as i32
            });
            for x in xs {
                for y in ys.clone() {
                    for image in zs.clone().map(|z| [x, y, z]) {
                        let center = b.motion.center + period.lattice_vector(image);
                        let is_pair = a.id != b.id || image > [0; 3];
                        if is_pair && sphere.touches(&Sphere::new(center, b.radius)) {
                            contacts.push((a.id, b.id, image));
                        }
                    }
                }
            }
        }
    }
    contacts
}

/// A run without ranks, lists and images.
struct Serial {
    model: Free,
    bodies: Vec<Body>,
    /// How long contacts have lasted.
    ages: BTreeMap<Contact, u32>,
    at_wall: Vec<WallHistory<u32>>,
}

impl Serial {
    fn step(&mut self, period: &PeriodicBox, step: u64) -> Result<()> {
        self.model.set_time(step as f64)?;
        let mut kernel = self.model.kernels();
        for (body, history) in self.bodies.iter_mut().zip(&mut self.at_wall) {
            self.model.drift(body);
            self.model.at_wall(&mut kernel, body, history);
        }
        let contacts = serial(period, &self.bodies).into_iter();
        let before = &self.ages;
        let ages = contacts.map(|c| (c, before.get(&c).map_or(1, |age| age + 1)));
        self.ages = ages.collect();
        Ok(())
    }

    fn count_at_wall(&self) -> usize {
        self.at_wall.iter().map(|history| history.len()).sum()
    }
}

/// Compares all cases in each step.
pub fn check(team: &Team) -> Result<()> {
    let mut at_wall = 0;
    for case in &CASES {
        let period = case.period()?;
        let bodies = case.bodies();
        // Any rank may begin with any body.
        let mine = bodies
            .iter()
            .filter(|body| body.id as usize % team.size == team.rank);
        let records = mine.map(|&body| Record::new(body)).collect();
        let start =
            |step, records| Simulation::new(team, case.model()?, period, case.skin, step, records);
        let mut simulation = start(0, records)?;
        let mut serial = Serial {
            model: case.model()?,
            at_wall: vec![WallHistory::default(); bodies.len()],
            bodies,
            ages: BTreeMap::new(),
        };
        for step in 1..=STEPS {
            simulation.step()?;
            if team.rank == 0 {
                serial.step(&period, step)?;
            }
            compare(&simulation, &serial)
                .map_err(|error| format!("{}, step {step}: {error}", case.name))?;
            if step == STEPS / 2 {
                let bytes = postcard::to_stdvec(&simulation.records()?)?;
                let mut outboxes = team.outboxes();
                outboxes[(team.rank + 1) % team.size].push(bytes);
                let stored = team.swap(outboxes)?.concat();
                let records = stored
                    .iter()
                    .map(|bytes| postcard::from_bytes::<Vec<_>>(bytes));
                let records = records
                    .collect::<std::result::Result<Vec<_>, _>>()?
                    .concat();
                let rebuilds = simulation.rebuilds;
                simulation = start(step, records)?;
                simulation.rebuilds = rebuilds;
            }
        }
        report(&simulation, case, serial.ages.len())?;
        at_wall += serial.count_at_wall();
    }
    if team.rank == 0 {
        println!("{at_wall} contacts with walls");
    }
    Ok(())
}

/// On rank 0, whether all ranks together have all bodies, all contacts and their ages, each once.
fn compare(simulation: &Simulation<Free>, serial: &Serial) -> Result<()> {
    let Serial {
        bodies: all, ages, ..
    } = serial;
    let mut records = simulation.team.gather(simulation.records()?)?;
    if simulation.team.rank != 0 {
        return Ok(());
    }
    records.sort_unstable_by_key(|record| record.body.id);
    let place = |body: &Body| {
        (
            body.id,
            body.motion.center + simulation.period.lattice_vector(body.wraps),
        )
    };
    if !records
        .iter()
        .map(|record| place(&record.body))
        .eq(all.iter().map(place))
    {
        return Err("not the spheres of the serial run".into());
    }
    let (mut found, mut sums) = (Vec::new(), vec![DVec3::ZERO; all.len()]);
    for record in &records {
        let id = record.body.id;
        found.extend(
            record
                .held
                .iter()
                .map(|held| ((id, held.partner, held.image), held.history)),
        );
    }
    if !found
        .iter()
        .copied()
        .eq(ages.iter().map(|(&contact, &age)| (contact, age)))
    {
        return Err(format!(
            "not the serial set: {} contacts, expected {}",
            found.len(),
            ages.len()
        )
        .into());
    }
    for (record, expected) in records.iter().zip(&serial.at_wall) {
        let found = record.at_wall.iter().flat_map(|state| at_wall(state));
        if !found.eq(at_wall(expected)) {
            return Err(format!(
                "not the serial contacts of sphere {} with the wall",
                record.body.id
            )
            .into());
        }
    }
    for &(a, b, _) in ages.keys() {
        sums[a as usize] += DVec3::new(b as f64, 1.0, 0.0);
        sums[b as usize] += DVec3::new(a as f64, 1.0, 0.0);
    }
    if !records
        .iter()
        .map(|record| record.body.motion.spin)
        .eq(sums)
    {
        return Err("not the serial sums of forces".into());
    }
    Ok(())
}

/// Returns the contacts of a sphere with the wall, and how long they have lasted.
fn at_wall(history: &WallHistory<u32>) -> impl Iterator<Item = (Feature, DVec3, f64, u32)> {
    let contacts = history.iter();
    contacts.map(|(contact, age)| (contact.feature, contact.offset, contact.overlap, *age))
}

fn report(simulation: &Simulation<Free>, case: &Case, contacts: usize) -> Result<()> {
    let counts = [
        simulation.owned_count,
        simulation.bodies.len() - simulation.owned_count,
        simulation.lists.pairs.len(),
    ];
    let table = simulation.team.gather(vec![counts])?;
    if simulation.team.rank == 0 {
        println!("{}: {} spheres in {:?}", case.name, case.count, case.sides);
        for (rank, [spheres, ghosts, pairs]) in table.iter().enumerate() {
            println!("  rank {rank}: {spheres} spheres, {ghosts} ghosts, {pairs} pairs");
        }
        let rebuilds = simulation.rebuilds;
        println!(
            "  {contacts} contacts, {STEPS} steps with {rebuilds} rebuilds equal to the serial run"
        );
    }
    Ok(())
}
