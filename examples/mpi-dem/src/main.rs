//! Distributed simulations with the same bits on any number of ranks and threads; see README.md.

mod bisection;
mod bodies;
mod check;
mod checkpoint;
mod decomposition;
mod drum;
mod exchange;
mod ghosts;
#[path = "../../../docs/reproduce/src/law.rs"]
mod law;
mod lists;
mod model;
mod options;
mod output;
mod packing;
mod polyhedra;
#[path = "../../../docs/reproduce/src/radii.rs"]
mod radii;
#[path = "../../support/random.rs"]
mod random;
#[path = "../../../docs/reproduce/src/rigid.rs"]
mod rigid;
#[path = "../../../docs/reproduce/src/rigid_solids.rs"]
mod rigid_solids;
mod simulation;
mod spheres;
#[path = "../../support/vtp.rs"]
mod vtp;

use mpi::Threading;
use mpi::traits::*;

use bodies::Body;
use checkpoint::Store;
use drum::Drum;
use exchange::{Result, Team};
use model::Model;
use options::{Options, USAGE};
use output::Picture;
use polyhedra::Polyhedra;
use random::SplitMix64;
use simulation::{STAGES, Simulation};
use spheres::Spheres;

type Record<M> = bodies::Record<<M as Model>::Wall, <M as Model>::Pair>;

fn main() {
    // Threads compute, but only the main one sends.
    let (universe, _) =
        mpi::initialize_with_threading(Threading::Funneled).expect("MPI does not start");
    let world = universe.world();
    let options = Options::of(std::env::args().skip(1));
    if let Err(error) = options.and_then(|options| start(&Team::new(&world), &options)) {
        eprintln!("rank {}: {error}", world.rank());
        // The other ranks wait for messages that this rank will not send.
        world.abort(1);
    }
}

fn start(team: &Team, options: &Options) -> Result<()> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(options.threads);
    threads.build_global()?;
    match options.mode.as_str() {
        "check" => check::check(team),
        "spheres" => {
            let count = options.count.unwrap_or(4000);
            let drum = Drum::new(5e-5 * count as f64)?;
            let radii = radii::power_law_radii(count, -3.0, 4.0);
            let kinds = radii.into_iter().map(|r| (0.002 * r, 0));
            let bodies = packing::fill(&drum.period, kinds.collect())?;
            run(team, options, Spheres { drum }, 0.001, bodies)
        }
        "polyhedra" => {
            let count = options.count.unwrap_or(1500);
            let model = Polyhedra::new(Drum::new(2.5e-4 * count as f64)?)?;
            let mut random = SplitMix64::new(5);
            let kinds = (0..count).map(|_| random.below(model.shapes.len()));
            let kinds = kinds.map(|shape| (model.radius(shape), shape as u32));
            let bodies = packing::fill(&model.drum.period, kinds.collect())?;
            run(team, options, model, 0.002, bodies)
        }
        _ => Err(USAGE.into()),
    }
}

fn run<M: Picture>(
    team: &Team,
    options: &Options,
    model: M,
    skin: f64,
    bodies: Vec<Body>,
) -> Result<()> {
    let store = Store {
        team,
        folder: &options.out,
        case: format!("{} {}", options.mode, bodies.len()),
    };
    let (step, records) = if options.restart {
        store.read()?
    } else if options.checkpoints > 0 && store.exists() {
        return Err("--out has a checkpoint: choose --restart or another folder".into());
    } else {
        let mine = bodies.into_iter().skip(team.rank).step_by(team.size);
        (0, mine.map(Record::<M>::new).collect())
    };
    let period = model.drum().period;
    let mut simulation = Simulation::new(team, model, period, skin, step, records)?;
    let is_due = |step: u64, every: u64| every > 0 && step.is_multiple_of(every);
    let started = simulation.step;
    while simulation.step < options.steps {
        simulation.step()?;
        let step = simulation.step;
        if is_due(step, options.frames) {
            output::write(
                team,
                &simulation.model,
                &options.out,
                step,
                simulation.owned(),
            )?;
        }
        if is_due(step, options.checkpoints) {
            let fails = options.fail_on == Some(team.rank) && step >= 2 * options.checkpoints;
            store.write(step, &simulation.records()?, fails)?;
        }
    }
    report(&simulation, simulation.step - started)?;
    if options.hash {
        let mut records = team.gather(simulation.records()?)?;
        if team.rank == 0 {
            records.sort_unstable_by_key(|record| record.body.id);
            let hash = checkpoint::hash(&postcard::to_stdvec(&records)?);
            println!(
                "hash {hash:016x} of {} bodies after {} steps",
                records.len(),
                simulation.step
            );
        }
    }
    Ok(())
}

/// Prints what each rank has, and the time of each stage.
fn report<M: Model>(simulation: &Simulation<M>, steps: u64) -> Result<()> {
    let Simulation {
        team,
        lists,
        bodies,
        owned_count,
        ..
    } = simulation;
    let ghosts = bodies.len() - owned_count;
    let contacts: u32 = simulation.owned().iter().map(|body| body.contacts).sum();
    let [neighbors, sent] = lists.halo.size();
    let [_, returned] = lists.returns.size();
    let spent = simulation
        .spent
        .map(|time| 1e3 * time.as_secs_f64() / steps.max(1) as f64);
    let counts = [
        *owned_count,
        ghosts,
        lists.pairs.len(),
        contacts as usize,
        neighbors,
        sent,
        returned,
    ];
    let rows = team.gather(vec![(team.rank, counts, spent)])?;
    if team.rank == 0 {
        let (rebuilds, divisions) = (simulation.rebuilds, lists.divisions);
        println!("{steps} steps, {rebuilds} rebuilds, space divided {divisions} times");
        println!(
            "rank: bodies, ghosts, pairs, contacts of bodies, neighbors, motions and forces sent; {STAGES:?}, ms a step"
        );
        for (rank, counts, spent) in rows {
            println!("{rank}: {counts:?}; {spent:.3?}");
        }
    }
    Ok(())
}
