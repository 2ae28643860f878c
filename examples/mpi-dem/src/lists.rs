//! The decomposition and the lists of a rank, built anew when a body has moved by half the skin.

use std::collections::HashMap;

use osculate::broad::{RankBody, rank_owns_pair};
use osculate::glam::DVec3;
use osculate::{BroadPhase, HierarchicalGrid, Sphere};
use serde::{Deserialize, Serialize};

use crate::bisection::Bisection;
use crate::bodies::{Body, Held};
use crate::exchange::{Result, Route};
use crate::model::Model;
use crate::simulation::Simulation;

pub const NO_IMAGE: [i32; 3] = [0; 3];
/// Space is divided anew if the largest load of a rank exceeds the mean by this factor.
const IMBALANCE: f64 = 1.05;

/// What stays the same until the next rebuild.
pub struct Lists<M: Model> {
    parts: Option<Bisection>,
    grid: HierarchicalGrid<DVec3>,
    /// Of each ghost, in the order of the bodies.
    ghosts: Vec<Ghost>,
    /// In ascending order of their keys.
    pub pairs: Vec<Pair>,
    pub histories: Vec<M::Pair>,
    /// The forces on each owned body.
    pub rows: Rows,
    /// Motions to ghosts, and forces back to owners.
    pub halo: Route,
    pub returns: Route,
    pub balanced: u64,
}

impl<M: Model> Default for Lists<M> {
    fn default() -> Self {
        Self {
            parts: None,
            grid: HierarchicalGrid::new(),
            ghosts: Vec::new(),
            pairs: Vec::new(),
            histories: Vec::new(),
            rows: Rows::default(),
            halo: Route::default(),
            returns: Route::default(),
            balanced: 0,
        }
    }
}

/// Where a ghost comes from.
#[derive(Clone, Copy)]
struct Ghost {
    owner: usize,
    /// The index of the body among those of its owner.
    home: u32,
    /// The periods by which it is shifted from its owner's copy.
    image: [i32; 3],
}

/// A pair that this rank computes.
pub struct Pair {
    /// Indices, the lower name first.
    pub bodies: [u32; 2],
    /// The periods by which the second body is shifted, as the owners have placed both.
    pub image: [i32; 3],
}

/// The names of two bodies, the lower first, and the shift of the second in periods, as if neither had ever been
/// wrapped.
type Key = ([u64; 2], [i32; 3]);

/// A force on a body that another rank owns: its index there, and what it is sorted by.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Claim {
    home: u32,
    partner: u64,
    image: [i32; 3],
}

/// For each body the places of its forces, in ascending order of partner and image.
#[derive(Default)]
pub struct Rows {
    ends: Vec<u32>,
    slots: Vec<u32>,
}

impl Rows {
    fn new(body_count: usize, mut claims: Vec<(Claim, u32)>) -> Self {
        claims.sort_unstable_by_key(|(claim, _)| (claim.home, claim.partner, claim.image));
        let mut ends = vec![0; body_count];
        for (claim, _) in &claims {
            ends[claim.home as usize] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        let slots = claims.into_iter().map(|(_, slot)| slot).collect();
        Self { ends, slots }
    }

    pub fn row(&self, body: usize) -> &[u32] {
        let start = if body == 0 { 0 } else { self.ends[body - 1] };
        &self.slots[start as usize..self.ends[body] as usize]
    }
}

fn minus(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

impl<M: Model> Simulation<'_, M> {
    /// Returns the owned bodies with their histories. Nothing changes.
    pub fn records(&self) -> Result<Vec<crate::Record<M>>> {
        let records = self.owned().iter().zip(&self.at_wall);
        let mut records: Vec<_> = records
            .map(|(&body, at_wall)| crate::Record::<M> {
                body,
                at_wall: at_wall.clone(),
                held: Vec::new(),
            })
            .collect();
        let mut outboxes = self.team.outboxes();
        let none = M::Pair::default();
        for (pair, history) in self.lists.pairs.iter().zip(&self.lists.histories) {
            if *history == none {
                continue;
            }
            let ([_, partner], image) = self.key(pair);
            let history = history.clone();
            let held = Held {
                partner,
                image,
                history,
            };
            let (owner, home) = self.home(pair.bodies[0]);
            outboxes[owner].push((home, held));
        }
        for (home, held) in self.team.swap(outboxes)?.into_iter().flatten() {
            records[home as usize].held.push(held);
        }
        for record in &mut records {
            let order = |held: &Held<M::Pair>| (held.partner, held.image);
            record.held.sort_unstable_by_key(order);
        }
        Ok(records)
    }

    /// Sends records to the ranks where they belong, and builds all lists at the reference positions.
    pub fn build(&mut self, records: Vec<crate::Record<M>>) -> Result<()> {
        self.divide(&records);
        let parts = self.lists.parts.take().ok_or("no parts")?;
        let mut outboxes = self.team.outboxes();
        for record in records {
            outboxes[parts.part(record.body.reference)].push(record);
        }
        let records = self.team.swap(outboxes)?.into_iter();
        let mut records: Vec<_> = records.flatten().collect();
        records.sort_unstable_by_key(|record| record.body.id);
        self.bodies = records.iter().map(|record| record.body).collect();
        self.owned_count = records.len();
        let mut held = HashMap::new();
        self.at_wall.clear();
        for record in records {
            for pair in record.held {
                held.insert(([record.body.id, pair.partner], pair.image), pair.history);
            }
            self.at_wall.push(record.at_wall);
        }
        self.add_ghosts(&parts)?;
        self.lists.parts = Some(parts);
        self.find_pairs(held)?;
        self.arrange_forces()
    }

    /// Divides space by the load, if the ranks are out of balance.
    fn divide(&mut self, records: &[crate::Record<M>]) {
        // A body costs about as much as four contacts.
        let loads: Vec<u64> = records
            .iter()
            .map(|r| 4 + u64::from(r.body.contacts))
            .collect();
        let ranks = self.team.all(loads.iter().sum::<u64>() as f64);
        let mean = ranks.iter().sum::<f64>() / ranks.len() as f64;
        let most = ranks.into_iter().fold(0.0, f64::max);
        if self.lists.parts.is_some() && most <= IMBALANCE * mean {
            return;
        }
        let points: Vec<DVec3> = records.iter().map(|record| record.body.reference).collect();
        let bounds = self.bounds(&points);
        let (min, sides) = (self.period.min(), self.period.lengths());
        let is_periodic =
            DVec3::from_array(self.period.is_periodic().map(f64::from)).cmpgt(DVec3::ZERO);
        let last = DVec3::select(is_periodic, min + sides, DVec3::INFINITY);
        let team = self.team;
        let parts = Bisection::new(&points, &loads, team.size, bounds, [min, last], |counts| {
            team.add_up(counts)
        });
        self.lists.parts = Some(parts);
        self.lists.balanced += 1;
    }

    /// Sends each body to all ranks whose bodies may be its partners, once for each image that may.
    fn add_ghosts(&mut self, parts: &Bisection) -> Result<()> {
        let radii = self.owned().iter().map(|body| body.radius);
        let radii = self.team.all(radii.fold(0.0, f64::max));
        let widest = radii.iter().copied().fold(0.0, f64::max);
        let mut lists = self.team.outboxes();
        let mut outboxes = self.team.outboxes();
        for (home, body) in (0..).zip(self.owned()) {
            // A little more, so that rounding loses no ghost.
            let reach = |radius: f64| (body.radius + radius + self.skin) * (1.0 + 1e-9);
            for image in self.images(body.reference, reach(widest)) {
                let center = body.reference + self.period.lattice_vector(image);
                parts.for_each_part_near(center, reach(widest), |rank, distance_squared| {
                    let is_near = distance_squared <= reach(radii[rank]).powi(2);
                    if is_near && (rank != self.team.rank || image != NO_IMAGE) {
                        lists[rank].push(home);
                        outboxes[rank].push((home, image, *body));
                    }
                });
            }
        }
        let inboxes = self.team.swap(outboxes)?;
        self.lists.halo = Route::new(lists, inboxes.iter().map(Vec::len));
        self.lists.ghosts.clear();
        for (owner, inbox) in inboxes.into_iter().enumerate() {
            for (home, image, body) in inbox {
                self.lists.ghosts.push(Ghost { owner, home, image });
                self.bodies.push(body);
            }
        }
        Ok(())
    }

    /// Returns the images of a position that are within reach of the box.
    fn images(&self, position: DVec3, reach: f64) -> impl Iterator<Item = [i32; 3]> {
        let (min, sides) = (self.period.min(), self.period.lengths());
        let is_periodic = self.period.is_periodic();
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            if !is_periodic[axis] {
                return 0..=0;
            }
            let (from, side) = (position[axis] - min[axis], sides[axis]);
            ((-reach - from) / side).ceil() as i32..=(1.0 + (reach - from) / side).floor() as i32
        });
        let plane = ys.flat_map(move |y| zs.clone().map(move |z| (y, z)));
        xs.flat_map(move |x| plane.clone().map(move |(y, z)| [x, y, z]))
    }

    /// Finds the pairs that this rank computes, and hands their histories on.
    fn find_pairs(&mut self, mut held: HashMap<Key, M::Pair>) -> Result<()> {
        let mut grid = std::mem::take(&mut self.lists.grid);
        let inflated = (0..).zip(&self.bodies).map(|(i, body)| {
            let shift = self.period.lattice_vector(self.seen(i).image);
            Sphere::new(body.reference + shift, body.radius + 0.5 * self.skin)
        });
        grid.par_rebuild(&inflated.collect::<Vec<_>>())?;
        let mut found = Vec::new();
        grid.par_collect_pairs(&mut found);
        let (mut pairs, mut outboxes) = (Vec::new(), self.team.outboxes());
        for pair in found {
            let [a, b] = pair.map(|i| self.seen(i));
            // Of a body and its own image, the body itself comes first.
            let bodies = if (a.id, b.is_owned) <= (b.id, a.is_owned) {
                pair
            } else {
                [pair[1], pair[0]]
            };
            let [first, second] = bodies.map(|i| self.seen(i));
            let image = minus(second.image, first.image);
            let pair = Pair { bodies, image };
            if rank_owns_pair(a, b) {
                pairs.push((self.key(&pair), pair));
            } else if first.is_owned
                && let Some(history) = held.remove(&self.key(&pair))
            {
                outboxes[self.home(bodies[1]).0].push((self.key(&pair), history));
            }
        }
        held.extend(self.team.swap(outboxes)?.into_iter().flatten());
        pairs.sort_unstable_by_key(|&(key, _)| key);
        let lists = &mut self.lists;
        lists.grid = grid;
        lists.histories.clear();
        lists.pairs.clear();
        for (key, pair) in pairs {
            lists.histories.push(held.remove(&key).unwrap_or_default());
            lists.pairs.push(pair);
        }
        Ok(())
    }

    /// Finds the forces on each owned body among those of the pairs, and those that other ranks will send.
    fn arrange_forces(&mut self) -> Result<()> {
        let (mut claims, mut outboxes) = (Vec::new(), self.team.outboxes());
        let mut lists = self.team.outboxes();
        for (k, pair) in (0..).zip(&self.lists.pairs) {
            let ([first, second], image) = self.key(pair);
            let back = minus(NO_IMAGE, image);
            for (slot, i, partner, image) in [
                (2 * k, pair.bodies[0], second, image),
                (2 * k + 1, pair.bodies[1], first, back),
            ] {
                let (owner, home) = self.home(i);
                let claim = Claim {
                    home,
                    partner,
                    image,
                };
                if self.seen(i).is_owned {
                    claims.push((claim, slot));
                } else {
                    lists[owner].push(slot);
                    outboxes[owner].push(claim);
                }
            }
        }
        let inboxes = self.team.swap(outboxes)?;
        self.lists.returns = Route::new(lists, inboxes.iter().map(Vec::len));
        let first_slot = 2 * self.lists.pairs.len() as u32;
        claims.extend(inboxes.into_iter().flatten().zip(first_slot..));
        self.lists.rows = Rows::new(self.owned_count, claims);
        Ok(())
    }

    /// Returns the owner of a body or ghost, and its index there.
    fn home(&self, i: u32) -> (usize, u32) {
        match self.ghost(i) {
            Some(ghost) => (ghost.owner, ghost.home),
            None => (self.team.rank, i),
        }
    }

    fn ghost(&self, i: u32) -> Option<&Ghost> {
        let place = (i as usize).checked_sub(self.owned_count)?;
        self.lists.ghosts.get(place)
    }

    fn seen(&self, i: u32) -> RankBody {
        let ghost = self.ghost(i);
        RankBody {
            id: self.bodies[i as usize].id,
            is_owned: ghost.is_none(),
            image: ghost.map_or(NO_IMAGE, |ghost| ghost.image),
        }
    }

    fn key(&self, pair: &Pair) -> Key {
        let [a, b]: [&Body; 2] = pair.bodies.map(|i| &self.bodies[i as usize]);
        ([a.id, b.id], minus(pair.image, minus(b.wraps, a.wraps)))
    }
}
