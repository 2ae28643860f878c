//! The neighbor lists of soil_core, found by osculate's hierarchical grid; see README.md.

use grass_app::prelude::*;
use grass_scheduler::prelude::*;
use osculate::broad::{Pair, RankBody, rank_owns_pair};
use osculate::{BroadPhase, HierarchicalGrid, NeighborLists, Sphere, glam::DVec3};
use soil_core::{Atom, CommState, Neighbor, ParticleSimScheduleSet, bin_neighbor_list};

/// Replaces the search of [`NeighborPlugin`](soil_core::NeighborPlugin), which must be added before.
///
/// All else of that plugin stays: its settings, the ghosts, the sorting, and when lists are rebuilt.
pub struct OsculatePlugin;

impl Plugin for OsculatePlugin {
    fn build(&self, app: &mut App) {
        app.add_resource(Search::default());
        app.remove_update_system(bin_neighbor_list);
        app.add_update_system(
            find_neighbors.run_if(in_state(CommState::FullRebuild)),
            ParticleSimScheduleSet::Neighbor,
        );
    }
}

/// What is reused from rebuild to rebuild.
#[derive(Default)]
struct Search {
    grid: HierarchicalGrid<DVec3>,
    pairs: Vec<Pair>,
    lists: NeighborLists,
}

/// Fills the rows of the owned atoms, in ascending order.
///
/// A half list has each pair once, in the row of its lower index; ghosts come after all owned atoms.
///
/// # Panics
/// Panics on positions that osculate refuses: NaN, or beyond 2^150. Systems have no errors.
fn find_neighbors(
    atoms: Res<Atom>,
    mut neighbor: ResMut<Neighbor>,
    mut state: ResMut<CurrentState<CommState>>,
    mut search: ResMut<Search>,
) {
    state.0 = CommState::CommunicateOnly;
    remember_positions(&atoms, &mut neighbor);
    let Search { grid, pairs, lists } = &mut *search;
    let sphere = |i: usize| {
        let radius = atoms.cutoff_radius[i] * neighbor.skin_fraction;
        Sphere::new(DVec3::from(atoms.pos[i]), radius)
    };
    grid.rebuild_with(atoms.len(), sphere).expect("positions");

    let count = atoms.nlocal() as usize;
    pairs.clear();
    grid.for_each_pair(|i, j| {
        let is_listed = if neighbor.newton {
            let [i, j] = [i, j].map(|atom| rank_body(&atoms, atom, [i, j]));
            rank_owns_pair(i, j)
        } else {
            i < count
        };
        if is_listed {
            pairs.push([i as u32, j as u32]);
        }
    });
    let filled = if neighbor.newton {
        lists.fill_half(atoms.len(), pairs)
    } else {
        lists.fill_full(atoms.len(), pairs)
    };
    filled.expect("at most 2^31 pairs");
    let offsets = lists.offsets();
    let end = offsets[count] as usize;
    neighbor.neighbor_offsets.clear();
    neighbor.neighbor_offsets.extend(&offsets[..=count]);
    neighbor.neighbor_indices.clear();
    neighbor.neighbor_indices.extend(&lists.indices()[..end]);
}

/// Returns an atom of a pair. Its image matters only if both are images of one atom.
fn rank_body(atoms: &Atom, atom: usize, [i, j]: [usize; 2]) -> RankBody {
    let side = |axis: usize| {
        let other = if atom == i { j } else { i };
        let offset = atoms.pos[atom][axis] - atoms.pos[other][axis];
        i32::from(offset > 0.0) - i32::from(offset < 0.0)
    };
    RankBody {
        id: atoms.tag[atom].into(),
        is_owned: atom < atoms.nlocal() as usize,
        image: [0, 1, 2].map(side),
    }
}

/// Stores what soil_core compares with to decide on the next rebuild.
fn remember_positions(atoms: &Atom, neighbor: &mut Neighbor) {
    let count = atoms.nlocal() as usize;
    neighbor.last_build_pos.clear();
    neighbor.last_build_pos.extend(&atoms.pos[..count]);
    neighbor.last_build_radius.clear();
    neighbor
        .last_build_radius
        .extend(&atoms.cutoff_radius[..count]);
    neighbor.last_build_total = atoms.len();
    neighbor.steps_since_build = 0;
}
