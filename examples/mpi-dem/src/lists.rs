//! The pairs that a rank computes, their histories, and where their forces go.

use std::collections::HashMap;

use osculate::broad::rank_owns_pair;
use osculate::glam::DVec3;
use osculate::{BroadPhase, HierarchicalGrid, Sphere};
use serde::{Deserialize, Serialize};

use crate::bisection::Bisection;
use crate::bodies::Body;
use crate::exchange::{Result, Route};
use crate::ghosts::{Ghost, NO_IMAGE};
use crate::model::Model;
use crate::simulation::Simulation;

/// What stays the same until the next rebuild. `P` is the history of a pair.
#[derive(Default)]
pub struct Lists<P> {
    pub parts: Option<Bisection>,
    /// How often space was divided.
    pub divisions: u64,
    grid: HierarchicalGrid<DVec3>,
    /// In the order of the bodies.
    pub ghosts: Vec<Ghost>,
    pub pairs: Vec<Pair>,
    /// One of each pair.
    pub histories: Vec<P>,
    /// The forces on each owned body.
    pub rows: Rows,
    /// Motions to ghosts, and forces back to owners.
    pub halo: Route,
    pub returns: Route,
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
pub type Key = ([u64; 2], [i32; 3]);

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
    /// Finds the pairs that this rank computes, and hands their histories on.
    pub fn find_pairs(&mut self, mut held: HashMap<Key, M::Pair>) -> Result<()> {
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
                pairs.push(pair);
            } else if first.is_owned
                && let Some(history) = held.remove(&self.key(&pair))
            {
                outboxes[self.home(bodies[1]).0].push((self.key(&pair), history));
            }
        }
        held.extend(self.team.swap(outboxes)?.into_iter().flatten());
        let history = |pair| held.remove(&self.key(pair)).unwrap_or_default();
        let histories = pairs.iter().map(history).collect();
        (self.lists.pairs, self.lists.histories) = (pairs, histories);
        self.lists.grid = grid;
        Ok(())
    }

    /// Finds the forces on each owned body among those of the pairs, and those that other ranks will send.
    pub fn arrange_forces(&mut self) -> Result<()> {
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

    /// Returns what a pair is known by on any rank.
    pub fn key(&self, pair: &Pair) -> Key {
        let [a, b]: [&Body; 2] = pair.bodies.map(|i| &self.bodies[i as usize]);
        ([a.id, b.id], minus(pair.image, minus(b.wraps, a.wraps)))
    }
}
