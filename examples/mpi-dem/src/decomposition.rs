//! Which rank owns which body: parts of equal load, and migration with all histories.

use std::collections::HashMap;

use osculate::glam::DVec3;
use osculate::narrow::WallListSnapshot;

use crate::bisection::Bisection;
use crate::bodies::Held;
use crate::exchange::Result;
use crate::model::{AtWall, History, Model};
use crate::simulation::Simulation;

/// Space is divided anew if the largest load of a rank exceeds the mean by this factor.
const IMBALANCE: f64 = 1.05;

impl<M: Model> Simulation<'_, M> {
    /// Returns the owned bodies with their histories. Nothing changes.
    pub fn records(&self) -> Result<Vec<crate::Record<M>>> {
        let records = self
            .owned()
            .iter()
            .map(|&body| crate::Record::<M>::new(body));
        let mut records: Vec<_> = records.collect();
        for (i, state) in self.at_wall.snapshot().into_bodies() {
            // A body may be near or not, as the list was built. Only contacts count.
            if state.has_contacts() {
                records[i as usize].at_wall = Some(Box::new(state));
            }
        }
        let mut outboxes = self.team.outboxes();
        for (pair, history) in self.lists.pairs.iter().zip(&self.lists.histories) {
            if history.is_none() {
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
        let parts = self.divide(&records);
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
        for record in &mut records {
            for pair in record.held.drain(..) {
                held.insert(([record.body.id, pair.partner], pair.image), pair.history);
            }
        }
        let at_wall = (0..).zip(records);
        let at_wall = at_wall.filter_map(|(i, record)| Some((i, *record.at_wall?)));
        let at_wall: WallListSnapshot<_> = at_wall.collect();
        self.at_wall.restore(at_wall)?;
        self.add_ghosts(&parts)?;
        self.lists.parts = Some(parts);
        self.find_pairs(held)?;
        self.arrange_forces()
    }

    /// Returns the parts of space: the present ones, or new ones if the ranks are out of balance.
    fn divide(&mut self, records: &[crate::Record<M>]) -> Bisection {
        // A body costs about as much as four contacts.
        let loads: Vec<u64> = records
            .iter()
            .map(|r| 4 + u64::from(r.body.contacts))
            .collect();
        let ranks = self.team.all(loads.iter().sum::<u64>() as f64);
        let mean = ranks.iter().sum::<f64>() / ranks.len() as f64;
        let most = ranks.into_iter().fold(0.0, f64::max);
        if most <= IMBALANCE * mean
            && let Some(parts) = self.lists.parts.take()
        {
            return parts;
        }
        let points: Vec<DVec3> = records.iter().map(|record| record.body.reference).collect();
        let (bounds, min, sides) = (
            self.bounds(&points),
            self.period.min(),
            self.period.lengths(),
        );
        let mut max = min + sides;
        for (axis, is_periodic) in self.period.is_periodic().into_iter().enumerate() {
            if !is_periodic {
                max[axis] = f64::INFINITY;
            }
        }
        self.lists.divisions += 1;
        let team = self.team;
        let add_up = |counts: &mut [u64]| team.add_up(counts);
        Bisection::new(&points, &loads, team.size, bounds, [min, max], add_up)
    }

    /// Returns the smallest and the largest coordinates of some points, over all ranks.
    fn bounds(&self, points: &[DVec3]) -> [DVec3; 2] {
        let low = |far: DVec3, &point: &DVec3| far.max(-point);
        let high = |far: DVec3, &point: &DVec3| far.max(point);
        let start = DVec3::splat(f64::MIN);
        let own = [
            points.iter().fold(start, low),
            points.iter().fold(start, high),
        ];
        let [a, b, c, d, e, f] = std::array::from_fn(|i| own[i / 3][i % 3]);
        let [a, b, c, d, e, f] = self.team.max([a, b, c, d, e, f]);
        [-DVec3::new(a, b, c), DVec3::new(d, e, f)]
    }
}
