//! Sizes that a caller has chosen are kept unless they make a cliff.

use super::plan::Survey;
use super::{CROWDED, GridCost, GridWork, HierarchicalGrid, Sizing};
use crate::broad::SearchDirection;
use crate::math::Vector;

/// Fewer bodies need no second look.
const FEW: usize = 1024;
/// Levels of about the best sizes take half of this or less, in units of a test per body.
const SLOW: f64 = 220.0;
/// How much more time than the grid's own levels given ones may take, as predicted.
const MOST: f64 = 1.5;

impl<V: Vector> HierarchicalGrid<V> {
    /// Sorts the bodies again, into levels of the grid's own choice, if the given ones are predicted
    /// to take half as much time again.
    pub(super) fn replace_slow_levels(&mut self, survey: &Survey<V>) {
        if !matches!(self.sizing, Sizing::Given(..)) || survey.count < FEW {
            return;
        }
        let time = self.predicted_time();
        if time < SLOW || survey.largest == 0.0 {
            return;
        }
        let spheres = std::mem::take(&mut self.spheres);
        let sphere = |id: usize| spheres[id];
        self.tuning.histogram.clear();
        for (index, sphere) in spheres.iter().enumerate() {
            self.tuning.histogram.add(index, sphere.radius);
        }
        self.tuning.sizes(survey, sphere, 1.0);
        if time > MOST * self.tuning.work().cost(&GridCost::ROWS) {
            self.direction = SearchDirection::TopDown;
            self.tune(survey, sphere);
            let sizes = super::level_sizes(&self.levels);
            let limit = self.limit(survey.count);
            self.trees.are_used = !self.table.start(&mut self.levels, survey.count, limit);
            if !self.trees.are_used {
                let level = |id: usize| super::level_of(spheres[id].radius, &sizes);
                let body = |id: usize| (level(id), spheres[id].center);
                self.table.sort(&mut self.levels, body);
            }
        }
        self.spheres = spheres;
    }

    /// The time of a search in the table, in units of a test per body, if bodies are anywhere in it.
    fn predicted_time(&self) -> f64 {
        if self.trees.are_used || self.table.crowding() > CROWDED {
            return f64::INFINITY;
        }
        let (rows, cells) = if V::DIM == 2 { (2.0, 9.0) } else { (5.0, 27.0) };
        let count = self.table.ids.len() as f64;
        let mut work = GridWork {
            tests: 0.5 * cells * self.table.crowding(),
            rows,
            table_cells: self.table.starts.len() as f64 / count,
            ..GridWork::default()
        };
        for (h, level) in self.levels.iter().enumerate() {
            let below = h.checked_sub(1).map_or(level.size, |h| self.levels[h].size);
            // Its mean radius, and the largest of the others.
            let radius = 0.25 * (level.size + below);
            for other in self.levels_beside(h) {
                let counts = other.cells.counts().map(f64::from);
                let wide = 2.0 * (radius + 0.5 * other.size) / other.cells.width() + 1.0;
                let part = level.slots.len() as f64 / count;
                let [x, y, z] = counts.map(|count| wide.min(count));
                let per_cell = other.slots.len() as f64 / counts.iter().product::<f64>();
                work.rows += part * y * z;
                work.tests += part * x * y * z * per_cell;
            }
        }
        work.cost(&GridCost::ROWS)
    }
}
