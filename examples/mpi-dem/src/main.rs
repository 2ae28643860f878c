mod bisection;
mod bodies;
mod check;
mod exchange;
mod lists;
mod model;
#[path = "../../support/random.rs"]
mod random;
mod simulation;

use mpi::Threading;
use mpi::traits::*;
use exchange::Team;
type Record<M> = bodies::Record<<M as model::Model>::Wall, <M as model::Model>::Pair>;
fn main() {
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).expect("MPI does not start");
    let world = universe.world();
    let team = Team::new(&world);
    if let Err(error) = check::check(&team) {
        eprintln!("rank {}: {error}", world.rank());
        world.abort(1);
    }
}
