//! Which rank owns which body: parts of equal load, and migration with all histories.

use std::collections::HashMap;

use osculate::glam::DVec3;

use crate::bisection::Bisection;
use crate::bodies::Held;
use crate::exchange::Result;
use crate::model::Model;
use crate::simulation::Simulation;

/// Space is divided anew if the largest load of a rank exceeds the mean by this factor.
const IMBALANCE: f64 = 1.05;

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
        self.lists.divisions += 1;
    }
}
