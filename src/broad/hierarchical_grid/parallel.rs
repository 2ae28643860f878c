//! The rebuild on several threads: the same tables as one thread makes.

use std::ops::Range;

use rayon::prelude::*;

use super::histogram::Histogram;
use super::pack::Packer;
use super::plan::{Sizing, Survey};
use super::table::{Level, Table, accumulate};
use super::{HierarchicalGrid, level_of, level_sizes};
use crate::broad::{BroadPhase, resize};
use crate::error::Result;
use crate::math::{Vector, check_count};
use crate::shape::Sphere;

/// How many bodies a thread takes at a time.
const PART: usize = 8192;

impl<V: Vector> HierarchicalGrid<V> {
    /// See [`BroadPhase::par_rebuild_with`]. Trees, for bodies of very uneven density, are built by one thread.
    ///
    /// Each thread reads the cells of all bodies, twice, which limits the gain to about ten threads.
    pub(super) fn rebuild_in_parallel(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
    ) -> Result<()> {
        check_count(count)?;
        if count == 0 {
            return self.rebuild_with(0, sphere);
        }
        let survey = self.par_survey(count, &sphere)?;
        self.plan(&survey, &sphere)?;
        resize(&mut self.spheres, count);
        let limit = self.limit(count);
        self.trees.are_used = !self.table.start(&mut self.levels, count, limit);
        let (levels, sizes) = (&self.levels, level_sizes(&self.levels));
        let sizes = &sizes[..];
        let parts = self.spheres.par_chunks_mut(PART).enumerate();
        if !self.trees.are_used {
            let cells = self.table.cell_of.par_chunks_mut(PART);
            parts.zip(cells).for_each(|((part, spheres), cells)| {
                for (i, (place, cell)) in spheres.iter_mut().zip(cells).enumerate() {
                    let sphere = sphere(part * PART + i);
                    *place = sphere;
                    *cell = levels[level_of(sphere.radius, sizes)].cell_at(sphere.center);
                }
            });
            self.table.par_fill(&mut self.levels);
        } else {
            parts.for_each(|(part, spheres)| {
                let places = spheres.iter_mut().enumerate();
                places.for_each(|(i, place)| *place = sphere(part * PART + i));
            });
        }
        self.plant_if_crowded(&survey);
        self.packed.resize(count);
        let levels = 0..self.levels.len();
        let are_good = levels.fold(true, |good, level| good & self.par_pack(level));
        if are_good { Ok(()) } else { self.check_again() }
    }

    fn par_survey(
        &mut self,
        count: usize,
        sphere: &(impl Fn(usize) -> Sphere<V> + Sync),
    ) -> Result<Survey<V>> {
        let is_tuned = matches!(self.sizing, Sizing::Tuned);
        let part = count.div_ceil(4 * rayon::current_num_threads()).max(PART);
        let parts: Vec<Result<(Survey<V>, Histogram)>> = (0..count.div_ceil(part))
            .into_par_iter()
            .map(|i| {
                let mut histogram = Histogram::default();
                let range = i * part..count.min((i + 1) * part);
                let survey = Survey::of(range, sphere, |index, radius| {
                    if is_tuned {
                        histogram.add(index, radius);
                    }
                })?;
                Ok((survey, histogram))
            })
            .collect();
        let mut parts = parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        self.tuning.histogram.clear();
        let mut sum = Survey::of(0..0, sphere, |_, _| ())?;
        parts.try_for_each(|(survey, histogram)| {
            sum = sum.and(survey);
            self.tuning.histogram.add_all(&histogram);
            Ok(())
        })?;
        Ok(sum)
    }

    /// As [`pack`](Self::pack).
    fn par_pack(&mut self, level: usize) -> bool {
        let level = &mut self.levels[level];
        let slots = level.slots.clone();
        let lanes = self.packed.par_chunks_mut(slots.clone(), PART);
        let Table { cell_of, ids, .. } = &mut self.table;
        let packer = Packer {
            level,
            spheres: &self.spheres,
            scale: self.scale,
        };
        let both = |a: (f64, bool), b: (f64, bool)| (a.0.max(b.0), a.1 & b.1);
        let ids = ids[slots.clone()].par_chunks(PART);
        let (largest, are_good) = if self.trees.are_used {
            let parts = lanes.zip(ids);
            parts
                .map(|(lanes, ids)| packer.bodies(lanes, ids))
                .reduce(|| (0.0, true), both)
        } else {
            let parts = lanes.zip(ids.zip(cell_of[slots].par_chunks_mut(PART)));
            parts
                .map(|(lanes, (ids, cells))| packer.bodies_and_cells(lanes, ids, cells))
                .reduce(|| (0.0, true), both)
        };
        level.largest = largest;
        are_good
    }
}

impl Table {
    /// Fills the table from the cells of the bodies: each thread those of a range of cells.
    fn par_fill<V: Vector>(&mut self, levels: &mut [Level<V>]) {
        let Self {
            starts,
            cell_of,
            ids,
            ..
        } = self;
        let cell_of = &*cell_of;
        let width = starts.len().div_ceil(rayon::current_num_threads());
        let place = |range: &Range<usize>, cell: u32| {
            Some(cell as usize)
                .filter(|cell| range.contains(cell))
                .map(|cell| cell - range.start)
        };
        let parts = starts.par_chunks_mut(width).enumerate();
        let totals: Vec<u32> = parts
            .map(|(i, starts)| {
                let range = i * width..i * width + starts.len();
                starts.fill(0);
                for &cell in cell_of {
                    if let Some(cell) = place(&range, cell) {
                        starts[cell] += 1;
                    }
                }
                starts.iter().sum()
            })
            .collect();
        let mut parts = Vec::with_capacity(totals.len());
        let (mut rest, mut first) = (&mut ids[..], 0);
        for (i, (starts, total)) in starts.chunks_mut(width).zip(totals).enumerate() {
            let (ids, others) = rest.split_at_mut(total as usize);
            parts.push((i * width..i * width + starts.len(), starts, ids, first));
            (rest, first) = (others, first + total);
        }
        let squares = parts.into_par_iter().map(|(range, starts, ids, first)| {
            let squares = accumulate(starts, first);
            for (id, &cell) in cell_of.iter().enumerate().rev() {
                if let Some(cell) = place(&range, cell) {
                    starts[cell] -= 1;
                    ids[(starts[cell] - first) as usize] = id as u32;
                }
            }
            squares
        });
        self.squares = squares.sum();
        self.set_slots(levels);
    }
}
