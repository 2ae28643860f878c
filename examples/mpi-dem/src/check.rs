//! Compares distributed runs with serial ones in which every image of every body meets every other.
//!
//! Spheres without forces move through each other in small periodic boxes. The history of a pair is the number of
//! steps for which it has touched, and the force of a contact is the name of the partner.

use std::collections::BTreeMap;

use osculate::glam::{DQuat, DVec3};
use osculate::{PeriodicBox, Sphere};

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
    Case {
        name: "size ratio 10",
        sides: [27.0; 3],
        count: 2500,
        radii: [0.25, 2.5],
        step: 0.125,
        skin: 1.0,
        unit: UNIT,
    },
    Case {
        name: "parts thinner than spheres",
        sides: [2.0, 16.0, 16.0],
        count: 500,
        radii: [0.25, 1.5],
        step: 0.25,
        skin: 1.0,
        unit: UNIT,
    },
    Case {
        name: "spheres that touch their images",
        sides: [2.0, 3.0, 2.5],
        count: 20,
        radii: [0.5, 1.75],
        step: 0.0625,
        skin: 0.5,
        unit: UNIT,
    },
    Case {
        name: "equal spheres that just touch",
        sides: [12.0, 10.0, 10.0],
        count: 1000,
        radii: [0.5; 2],
        step: 0.5,
        skin: 3.0,
        unit: 0.25,
    },
    Case {
        name: "no skin, fewer spheres than ranks",
        sides: [4.0; 3],
        count: 3,
        radii: [1.0, 2.0],
        step: 0.5,
        skin: 0.0,
        unit: UNIT,
    },
];

impl Case {
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
struct Free;

impl Model for Free {
    type Kernels = ();
    type Pair = u32;
    type Wall = ();

    fn kernels(&self) {}

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

    fn between(&self, (): &mut (), [a, b]: [&Body; 2], age: &mut u32) -> Option<[Wrench; 2]> {
        let sphere = |body: &Body| Sphere::new(body.motion.center, body.radius);
        sphere(a).touches(&sphere(b)).then(|| {
            *age += 1;
            let named = |body: &Body| Wrench {
                force: DVec3::new(body.id as f64, 1.0, 0.0),
                torque: DVec3::ZERO,
            };
            [named(b), named(a)]
        })
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
        let sphere = Sphere::new(a.motion.center, a.radius);
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

/// Compares all cases in each step.
pub fn check(team: &Team) -> Result<()> {
    for case in &CASES {
        let period = PeriodicBox::orthogonal(DVec3::ZERO, case.sides.into(), [true; 3])?;
        let mut all = case.bodies();
        // Any rank may begin with any body.
        let mine = all
            .iter()
            .filter(|body| body.id as usize % team.size == team.rank);
        let records = mine.map(|&body| Record::new(body)).collect();
        let mut simulation = Simulation::new(team, Free, period, case.skin, 0, records)?;
        let mut ages = BTreeMap::new();
        for step in 1..=STEPS {
            simulation.step()?;
            for body in &mut all {
                Free.drift(body);
            }
            if team.rank == 0 {
                let contacts = serial(&period, &all).into_iter();
                ages = contacts
                    .map(|c| (c, ages.get(&c).map_or(1, |age| age + 1)))
                    .collect();
            }
            compare(&simulation, &all, &ages)
                .map_err(|error| format!("{}, step {step}: {error}", case.name))?;
        }
        report(&simulation, case, ages.len())?;
    }
    Ok(())
}

/// On rank 0, whether all ranks together have all bodies, all contacts and their ages, each once.
fn compare(
    simulation: &Simulation<Free>,
    all: &[Body],
    ages: &BTreeMap<Contact, u32>,
) -> Result<()> {
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
