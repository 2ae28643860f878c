//! Contacts among spheres in a periodic box, distributed over several MPI ranks; see README.md.

mod contacts;
mod domain;
#[path = "../../support/random.rs"]
mod random;

use std::error::Error;

use contacts::{Contact, kept, serial};
use domain::{Body, Domain};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use osculate::{HierarchicalGrid, glam::DVec3};
use random::SplitMix64;

const STEPS: usize = 6;

/// Random spheres with any overlaps.
struct Case {
    name: &'static str,
    sides: [f64; 3],
    count: usize,
    /// The number density of radii decreases as radius^-3 between these limits.
    radii: [f64; 2],
    /// The largest displacement in a step, along each axis.
    step: f64,
    /// All lengths are multiples of this, so that images are exact. Otherwise a rank that shifts
    /// one sphere of a pair by a period could disagree, to within rounding, with a serial search
    /// that shifts the other.
    unit: f64,
}

const CASES: [Case; 4] = [
    Case {
        name: "size ratio 10",
        sides: [32.0; 3],
        count: 10_000,
        radii: [0.25, 2.5],
        step: 0.5,
        unit: 1.0 / 1024.0 / 1024.0,
    },
    Case {
        name: "slabs thinner than spheres",
        sides: [4.0, 16.0, 16.0],
        count: 1000,
        radii: [0.25, 1.5],
        step: 1.5,
        unit: 1.0 / 1024.0 / 1024.0,
    },
    Case {
        name: "spheres that touch their images",
        sides: [2.0, 3.0, 2.5],
        count: 20,
        radii: [0.5, 1.75],
        step: 0.5,
        unit: 1.0 / 1024.0 / 1024.0,
    },
    Case {
        name: "equal spheres that just touch",
        sides: [12.0, 10.0, 10.0],
        count: 2000,
        radii: [0.5; 2],
        step: 1.0,
        unit: 0.25,
    },
];

impl Case {
    /// The same on every rank.
    fn bodies(&self) -> Vec<Body> {
        let mut random = SplitMix64::new(1);
        let [least, most] = self.radii;
        let rest = 1.0 - (least / most) * (least / most);
        let round = |x: f64| (x / self.unit).floor() * self.unit;
        let body = |id: u64| Body {
            id,
            radius: round(least / (1.0 - rest * random.unit()).sqrt()),
            center: self.sides.map(|side| round(side * random.unit())),
            velocity: [0; 3].map(|_| round(random.range(-self.step, self.step))),
            ..Body::default()
        };
        (0..self.count as u64).map(body).collect()
    }
}

fn main() {
    let universe = mpi::initialize().expect("MPI does not start");
    let world = universe.world();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => check(&world, None),
        ["--bench"] => bench(&world),
        ["--fail-on", rank] => check(&world, rank.parse().ok()),
        _ => Err("usage: mpi-halo [--bench | --fail-on RANK]".into()),
    };
    if let Err(error) = result {
        eprintln!("rank {}: {error}", world.rank());
        // The other ranks wait for messages that this rank will not send.
        world.abort(1);
    }
}

/// Compares with the serial search in each step. `bad_rank` fails during the run.
fn check(world: &SimpleCommunicator, bad_rank: Option<i32>) -> Result<(), Box<dyn Error>> {
    for case in &CASES {
        let mut all = case.bodies();
        let domain = Domain::new(world, case.sides, case.radii[1])?;
        let mut owned = all.clone();
        owned.retain(|body| domain.owner(body) == domain.rank);
        let mut grid = HierarchicalGrid::new();
        let mut come = 0;
        for step in 0..STEPS {
            come += domain.drift(&mut owned);
            let mut bodies = owned.clone();
            bodies.extend(domain.ghosts(&owned));
            let mut contacts = Vec::new();
            kept(&mut grid, &bodies, owned.len(), |contact| {
                contacts.push(contact);
            })?;
            if step == 2 && bad_rank == Some(domain.rank) {
                return Err("fails as it was told to".into());
            }
            compare(&domain, &mut all, &owned, &contacts)
                .map_err(|error| format!("{}, step {step}: {error}", case.name))?;
            if step + 1 == STEPS {
                let ghost_count = bodies.len() - owned.len();
                report(
                    &domain,
                    case,
                    [owned.len(), ghost_count, contacts.len(), come],
                );
            }
        }
    }
    Ok(())
}

/// On rank 0, whether all ranks together have all spheres and all contacts, each once.
fn compare(
    domain: &Domain,
    all: &mut [Body],
    owned: &[Body],
    contacts: &[Contact],
) -> Result<(), String> {
    let mut bodies = domain.gather(owned);
    let mut contacts = domain.gather(contacts);
    if domain.rank != 0 {
        return Ok(());
    }
    for body in &mut *all {
        let moved = DVec3::from(body.center) + DVec3::from(body.velocity);
        body.center = domain.period.wrap(moved).into();
        body.owner = domain.owner(body);
    }
    bodies.sort_unstable_by_key(|body| body.id);
    if bodies != all {
        return Err("not the spheres of the serial run".into());
    }
    contacts.sort_unstable();
    let expected = serial(&domain.period, all);
    if contacts != expected {
        let counts = [contacts.len(), expected.len()];
        return Err(format!("not the serial set: {counts:?} contacts"));
    }
    Ok(())
}

fn report(domain: &Domain, case: &Case, counts: [usize; 4]) {
    let table = domain.gather(&counts.map(|count| count as u64));
    if domain.rank == 0 {
        println!("{}: {} spheres in {:?}", case.name, case.count, case.sides);
        for (rank, row) in table.chunks(4).enumerate() {
            println!(
                "  rank {rank}: {} spheres, {} ghosts, {} contacts; {} came from other ranks",
                row[0], row[1], row[2], row[3]
            );
        }
        println!("  {STEPS} steps equal to the serial set");
    }
}

/// Weak scaling: the same number of spheres for each rank.
fn bench(world: &SimpleCommunicator) -> Result<(), Box<dyn Error>> {
    const STEPS: usize = 21;
    let count = 200_000;
    let case = Case {
        name: "weak scaling",
        sides: [96.0 * f64::from(world.size()), 96.0, 96.0],
        count: count * world.size() as usize,
        radii: [0.25, 2.5],
        step: 0.05,
        unit: 1.0 / 1024.0 / 1024.0,
    };
    let domain = Domain::new(world, case.sides, case.radii[1])?;
    let mut owned = case.bodies();
    owned.retain(|body| domain.owner(body) == domain.rank);
    let mut grid = HierarchicalGrid::new();
    let mut bodies = Vec::new();
    let mut times = [const { Vec::new() }; 2];
    let mut contact_count = 0;
    for _ in 0..STEPS {
        let start = now(world);
        domain.drift(&mut owned);
        bodies.clear();
        bodies.extend_from_slice(&owned);
        bodies.extend(domain.ghosts(&owned));
        let middle = now(world);
        contact_count = 0;
        kept(&mut grid, &bodies, owned.len(), |_| contact_count += 1)?;
        let end = now(world);
        times[0].push(middle - start);
        times[1].push(end - middle);
    }
    let [exchange, search] = times.map(|mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[STEPS / 2] * 1e9 / count as f64
    });
    let counts = [owned.len(), bodies.len() - owned.len(), contact_count];
    let table = domain.gather(&counts.map(|count| count as u64));
    if domain.rank == 0 {
        let total = |column| table.chunks(3).map(|row| row[column]).sum::<u64>();
        let [owned, ghosts, contacts] = [0, 1, 2].map(total);
        println!("| ranks | spheres | ghosts | contacts | exchange, ns | rebuild and pairs, ns |");
        println!(
            "| {} | {owned} | {ghosts} | {contacts} | {exchange:.0} | {search:.0} |",
            world.size()
        );
    }
    Ok(())
}

/// The time when all ranks have arrived here.
fn now(world: &SimpleCommunicator) -> f64 {
    world.barrier();
    mpi::time()
}
