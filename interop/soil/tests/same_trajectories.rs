//! Trajectories of soil_core with its own search and with osculate's: the same bits.

mod scenes;

use std::collections::HashMap;

use grass_scheduler::prelude::*;
use scenes::{Scene, Search};
use soil_core::*;

/// Returns position and velocity of each body at the end, in the order of tags.
fn end(scene: &Scene, search: Search) -> (Vec<[[u64; 3]; 2]>, Report) {
    let mut app = scene.app(search);
    app.add_resource(Report::default());
    app.add_update_system(
        sort_neighbors.run_if(is_new),
        ParticleSimScheduleSet::PreForce,
    );
    app.start();
    let atoms = app.get_resource_ref::<Atom>().unwrap();
    let mut bodies: Vec<_> = (0..atoms.nlocal() as usize)
        .map(|i| {
            let bits = [atoms.pos[i], atoms.vel[i]].map(|v| v.map(f64::to_bits));
            (atoms.tag[i], bits)
        })
        .collect();
    bodies.sort_unstable();
    let report = *app.get_resource_ref::<Report>().unwrap();
    (bodies.into_iter().map(|(_, bits)| bits).collect(), report)
}

#[derive(Clone, Copy, Debug, Default)]
struct Report {
    rebuilds: usize,
    /// Pairs that a list had twice. soil_core has such pairs where a body has crossed a periodic side.
    twice: usize,
}

fn is_new(neighbor: Res<Neighbor>) -> bool {
    neighbor.steps_since_build == 0
}

/// Sorts the rows of both searches, since sums of forces depend on the order. Of a pair across a periodic side, each
/// search may list the one image or the other; here it becomes the one of osculate. Double pairs become one.
fn sort_neighbors(
    atoms: Res<Atom>,
    mut neighbor: ResMut<Neighbor>,
    domain: Res<Domain>,
    mut report: ResMut<Report>,
) {
    report.rebuilds += 1;
    let count = atoms.nlocal() as usize;
    let mut owners = HashMap::new();
    (0..count).for_each(|i| _ = owners.insert(atoms.tag[i], i));
    let sides = domain.size;
    let owner = |i: usize| owners[&atoms.tag[i]];
    let image = |i: usize| -> [i32; 3] {
        let period = |x: usize| (atoms.pos[i][x] - atoms.pos[owner(i)][x]) / sides[x];
        [0, 1, 2].map(|axis| period(axis).round() as i32)
    };
    let ghosts: HashMap<_, _> = (count..atoms.len())
        .map(|i| ((atoms.tag[i], image(i)), i))
        .collect();
    let mut rows = vec![Vec::new(); count];
    for (i, j) in neighbor.pairs(count) {
        let is_even = (atoms.tag[i] ^ atoms.tag[j]).is_multiple_of(2);
        let (i, j) = if j < count && neighbor.newton {
            (i.min(j), i.max(j))
        } else if neighbor.newton && is_even != (atoms.tag[i] < atoms.tag[j]) {
            let image = image(j).map(|x| -x);
            (owner(j), ghosts[&(atoms.tag[i], image)])
        } else {
            (i, j)
        };
        rows[i].push(j as u32);
    }
    neighbor.neighbor_offsets = vec![0];
    neighbor.neighbor_indices.clear();
    for mut row in rows {
        row.sort_unstable();
        let listed = row.len();
        row.dedup();
        report.twice += listed - row.len();
        neighbor.neighbor_indices.extend(row);
        let end = neighbor.neighbor_indices.len() as u32;
        neighbor.neighbor_offsets.push(end);
    }
}

fn compare(scene: &Scene) {
    let (theirs, report) = end(scene, Search::Soil);
    let (ours, our_report) = end(scene, Search::Osculate);
    println!("{} bodies, soil_core: {report:?}", theirs.len());
    assert!(theirs.len() > 100 && report.rebuilds > 5);
    assert!(theirs == ours, "the trajectories differ");
    assert_eq!(report.rebuilds, our_report.rebuilds);
    assert_eq!(our_report.twice, 0);
}

#[test]
fn hopper() {
    compare(&Scene::hopper(8, 6000));
}

#[test]
fn gas() {
    compare(&Scene::gas(8, 4000));
}

#[test]
fn full_lists() {
    let scene = Scene::gas(8, 1000);
    compare(&Scene {
        newton: false,
        ..scene
    });
}

#[test]
fn size_ratio_5() {
    let scene = Scene::gas(16, 500);
    compare(&Scene {
        ratio: 5.0,
        ..scene
    });
}
