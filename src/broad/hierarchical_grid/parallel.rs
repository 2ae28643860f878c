//! The parallel rebuild, which gives the same table as the serial one.

use rayon::prelude::*;
use smallvec::SmallVec;

use super::grid::HierarchicalGrid;
use super::histogram::RadiusHistogram;
use super::level::{Level, size_limits};
use super::pack::pack_part;
use super::rebuild::copy_into_cells;
use super::summary::Summary;
use super::table::{Table, accumulate};
use super::tuning::{Sizing, Tuning};
use crate::broad::source::SyncSource;
use crate::error::Result;
use crate::math::Vector;
use crate::parallel::PART;

/// The largest number of parts of a table that are sorted at a time.
const MOST_PARTS: usize = 16;

impl<V: Vector> HierarchicalGrid<V> {
    /// Does the same as [`summarize`](Self::summarize).
    pub(super) fn par_summarize(
        &mut self,
        count: usize,
        source: &SyncSource<'_, V>,
    ) -> Result<Summary<V>> {
        let is_tuned = matches!(self.sizing, Sizing::Tuned);
        let part = count.div_ceil(4 * rayon::current_num_threads()).max(PART);
        let Tuning {
            histogram, parts, ..
        } = &mut self.tuning;
        let part_count = count.div_ceil(part);
        parts.resize_with(part_count.max(parts.len()), RadiusHistogram::default);
        let parts = &mut parts[..part_count];
        let summaries = parts.par_iter_mut().enumerate().map(|(i, histogram)| {
            histogram.clear();
            let range = i * part..count.min((i + 1) * part);
            Summary::validated(range, source, is_tuned.then_some(histogram))
        });
        // In order, so that the error is that of the first invalid body.
        let summary = summaries.reduce(|| Ok(Summary::none()), |a, b| Ok(a?.union(b?)))?;
        histogram.clear();
        parts.iter().for_each(|part| histogram.add_all(part));
        Ok(summary)
    }

    /// Does the same as [`fill`](Self::fill).
    pub(super) fn par_fill(&mut self, source: &SyncSource<'_, V>) {
        let (levels, limits) = (&self.levels, size_limits(&self.levels));
        let cells = self.table.cells.par_chunks_mut(PART);
        let parts = self.spheres.par_chunks_mut(PART).zip(cells).enumerate();
        parts.for_each(|(part, (spheres, cells))| {
            copy_into_cells(levels, &limits, part * PART, spheres, cells, source);
        });
        // Trees sort the bodies by cells of their own.
        if !self.has_trees {
            self.table.par_sort(&mut self.levels);
        }
    }

    /// Does the same as [`pack`](Self::pack).
    pub(super) fn par_pack(&mut self, level: usize) -> bool {
        let level = &mut self.levels[level];
        let slots = level.slots.clone();
        let lanes = self.packed.par_chunks_mut(slots.clone(), PART);
        let Table { cells, ids, .. } = &mut self.table;
        let (spheres, scale) = (&self.spheres[..], self.scale);
        let both = |a: (f64, bool), b: (f64, bool)| (a.0.max(b.0), a.1 & b.1);
        let ids = ids[slots.clone()].par_chunks(PART);
        let (max_radius, are_valid) = lanes
            .zip(ids.zip(cells[slots].par_chunks_mut(PART)))
            .map(|(lanes, (ids, cells))| pack_part(level, spheres, scale, lanes, ids, cells))
            .reduce(|| (0.0, true), both);
        level.max_radius = max_radius;
        are_valid
    }
}

impl Table {
    /// Sorts the bodies by their cells, which `cells` holds by index.
    ///
    /// The counting sort of [`sort`](Self::sort), with each thread responsible for a range of cells. A thread
    /// counts and places only the bodies of its cells, in the same order. Each thread reads the cells of all
    /// bodies twice, which limits the gain to about ten threads: more than [`MOST_PARTS`] are not used.
    fn par_sort<V: Vector>(&mut self, levels: &mut [Level<V>]) {
        let Self {
            starts, cells, ids, ..
        } = self;
        let cells = &*cells;
        let part_count = rayon::current_num_threads().min(MOST_PARTS);
        let width = starts.len().div_ceil(part_count);
        // The index of a cell in a part; beyond the end if the cell is in another part.
        let index = |cell: u32, first_cell: usize| (cell as usize).wrapping_sub(first_cell);
        let mut totals = [0; MOST_PARTS];
        let parts = starts.par_chunks_mut(width).zip(&mut totals).enumerate();
        parts.for_each(|(i, (starts, total))| {
            starts.fill(0);
            for &cell in cells {
                if let Some(count) = starts.get_mut(index(cell, i * width)) {
                    *count += 1;
                }
            }
            *total = starts.iter().sum();
        });
        let mut parts = SmallVec::<[_; MOST_PARTS]>::new();
        let (mut rest, mut first) = (&mut ids[..], 0);
        for (i, (starts, total)) in starts.chunks_mut(width).zip(totals).enumerate() {
            let (ids, others) = rest.split_at_mut(total as usize);
            parts.push((i * width, starts, ids, first));
            (rest, first) = (others, first + total);
        }
        let squares = parts
            .par_iter_mut()
            .map(|(first_cell, starts, ids, first)| {
                let squares = accumulate(starts, *first);
                for (id, &cell) in cells.iter().enumerate().rev() {
                    if let Some(start) = starts.get_mut(index(cell, *first_cell)) {
                        *start -= 1;
                        ids[(*start - *first) as usize] = id as u32;
                    }
                }
                squares
            });
        let squares = squares.sum();
        drop(parts);
        self.squares = squares;
        self.set_slots(levels);
    }
}
