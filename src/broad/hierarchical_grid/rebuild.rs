//! The rebuild: chooses levels, sorts the bodies into a table or trees, and packs them.

use smallvec::{SmallVec, smallvec};

use super::grid::HierarchicalGrid;
use super::layout;
use super::level::{Level, find_cells, size_limits};
use super::sample::{self, Sample};
use super::search::{CHUNK, PairSearch, TouchSearch};
use super::summary::Summary;
use super::tuning::Sizing;
use crate::broad::levels::SearchDirection;
use crate::broad::packed::Scale;
#[cfg(feature = "rayon")]
use crate::broad::source::SyncSource;
use crate::broad::source::{BATCH, Source, body, copies};
use crate::broad::{BroadPhase, Pair, resize, simd, validate};
use crate::error::Result;
use crate::math::{Vector, check_count};
use crate::shape::{Bounded, Sphere};

/// The number of cells that the tables may have in addition to those per body.
const SPARE_CELLS: usize = 1024;

/// The largest mean number of bodies in the cell of a body for which cells are used.
const MAX_CROWDING: f64 = 32.0;

impl<V: Vector> BroadPhase for HierarchicalGrid<V> {
    type Vector = V;

    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        self.rebuild_from(count, &copies(sphere))
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    #[inline]
    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        self.for_each_block_in(chunk, &mut |pairs| {
            for &[i, j] in pairs {
                visit(i as usize, j as usize);
            }
        });
    }

    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        self.for_each_block_in(chunk, &mut |block| pairs.extend_from_slice(block));
    }

    #[inline]
    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        self.for_each_block_touching(query.bounding_sphere(), &mut |bodies| {
            for &[i, _] in bodies {
                visit(i as usize);
            }
        });
    }

    /// Rebuilds on the current thread pool, with the result of `rebuild_with`. Trees, for bodies of very uneven density, are
    /// built by one thread.
    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
    ) -> Result<()> {
        self.par_rebuild_from(count, &copies(sphere))
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Passes the pairs of a chunk to `sink` in blocks.
    fn for_each_block_in(&self, chunk: usize, sink: &mut dyn FnMut(&[Pair])) {
        let grid = self;
        match self.has_trees {
            true => simd::run(PairSearch::<_, true> { grid, chunk, sink }),
            false => simd::run(PairSearch::<_, false> { grid, chunk, sink }),
        }
    }

    /// Passes the bodies that touch a query to `sink` in blocks, as the first of each pair.
    fn for_each_block_touching(&self, query: Sphere<V>, sink: &mut dyn FnMut(&[Pair])) {
        let grid = self;
        if self.spheres.is_empty() || query.validate(0).is_err() {
            return;
        }
        match self.has_trees {
            true => simd::run(TouchSearch::<_, true> { grid, query, sink }),
            false => simd::run(TouchSearch::<_, false> { grid, query, sink }),
        }
    }

    fn rebuild_from(&mut self, count: usize, source: &Source<'_, V>) -> Result<()> {
        check_count(count)?;
        let summary = self.summarize(count, source)?;
        self.rebuild_summarized(&summary, source, |grid| grid.fill(source), Self::pack)
    }

    #[cfg(feature = "rayon")]
    fn par_rebuild_from(&mut self, count: usize, source: &SyncSource<'_, V>) -> Result<()> {
        check_count(count)?;
        let summary = self.par_summarize(count, source)?;
        self.rebuild_summarized(
            &summary,
            source,
            |grid| grid.par_fill(source),
            Self::par_pack,
        )
    }

    /// Validates and summarizes the bodies. A grid that tunes itself also counts their radii.
    fn summarize(&mut self, count: usize, source: &Source<'_, V>) -> Result<Summary<V>> {
        let is_tuned = matches!(self.sizing, Sizing::Tuned);
        let histogram = &mut self.tuning.histogram;
        histogram.clear();
        Summary::validated(0..count, source, is_tuned.then_some(histogram))
    }

    /// Rebuilds from summarized bodies. `fill` copies them, into the table if there is one; `pack` packs a level.
    fn rebuild_summarized(
        &mut self,
        summary: &Summary<V>,
        source: &Source<'_, V>,
        fill: impl FnOnce(&mut Self),
        pack: impl Fn(&mut Self, usize) -> bool,
    ) -> Result<()> {
        if summary.count == 0 {
            self.clear();
            return Ok(());
        }
        self.choose_levels(summary, source)?;
        resize(&mut self.spheres, summary.count);
        self.resize_table(summary.count);
        fill(self);
        self.retry_if_crowded(summary);
        if self.has_trees || self.table.crowding() > MAX_CROWDING {
            self.build_trees();
        }
        self.packed.resize(summary.count);
        let levels = 0..self.levels.len();
        let are_valid = levels.fold(true, |are_valid, level| are_valid & pack(self, level));
        if are_valid {
            return Ok(());
        }
        // A sphere that passed validation may be invalid when copied.
        validate(&self.spheres).inspect_err(|_| self.clear())
    }

    /// Makes room in the table, or decides for trees if it would be too large.
    fn resize_table(&mut self, count: usize) {
        let limit = self.table_limit(count);
        self.has_trees = !self.table.resize(&mut self.levels, count, limit);
    }

    /// Copies the bodies and sorts them into the table, if there is one.
    fn fill(&mut self, source: &Source<'_, V>) {
        let (spheres, cells) = (&mut self.spheres, &mut self.table.cells);
        let limits = size_limits(&self.levels);
        copy_into_cells(&self.levels, &limits, 0, spheres, cells, source);
        // Trees sort the bodies by cells of their own.
        if !self.has_trees {
            self.table.sort(&mut self.levels);
        }
    }

    /// Sorts the copied bodies into the table.
    fn sort(&mut self) {
        let limits = size_limits(&self.levels);
        find_cells(&self.levels, &limits, &self.spheres, &mut self.table.cells);
        self.table.sort(&mut self.levels);
    }

    /// Chooses the levels for the bodies.
    ///
    /// # Errors
    /// Returns [`ErrorKind::CellSize`](crate::ErrorKind::CellSize) for the first body that is larger than the last
    /// given size.
    fn choose_levels(&mut self, summary: &Summary<V>, source: &Source<'_, V>) -> Result<()> {
        if let Err(error) = self.sizing.check_radius(0, summary.max_radius) {
            (0..summary.count)
                .try_for_each(|i| self.sizing.check_radius(i, body(source, i).radius))?;
            return Err(error);
        }
        let limit = self.table_limit(summary.count);
        self.direction = SearchDirection::TopDown;
        let sizes: SmallVec<[f64; 64]> = match &self.sizing {
            Sizing::Given(sizes) => {
                self.direction = self.given_direction;
                SmallVec::from_slice(sizes.as_slice())
            }
            _ if summary.max_radius == 0.0 => {
                smallvec![layout::size_for_points(summary, source, limit)]
            }
            Sizing::OneLevel => smallvec![2.0 * summary.max_radius],
            Sizing::Tuned => SmallVec::from_slice(self.tuning.sizes(summary, source, 1.0)),
        };
        self.make_levels(&sizes, summary, source);
        Ok(())
    }

    /// Creates levels of the given sizes: over the box of all bodies, or over the bulk if this box makes the cells more
    /// than twice as wide as the finest size.
    fn make_levels(&mut self, sizes: &[f64], summary: &Summary<V>, source: &Source<'_, V>) {
        let limit = self.table_limit(summary.count);
        let mut bounds = summary.bounds;
        let width = layout::make_levels(&mut self.levels, sizes, limit, &bounds);
        if width > 2.0 * sizes[0] {
            bounds = Sample::new(summary.count, source).inner_box(summary);
            layout::make_levels(&mut self.levels, sizes, limit, &bounds);
        }
        let middle = sample::middle(summary, source);
        self.scale = Scale::new(middle, &bounds, summary.max_radius);
    }

    /// Chooses the levels again if the cells hold more than twice as many bodies as the density of the sample predicts,
    /// and sorts the copied bodies into them.
    fn retry_if_crowded(&mut self, summary: &Summary<V>) {
        let is_tuned = matches!(self.sizing, Sizing::Tuned) && summary.max_radius > 0.0;
        if !is_tuned || self.has_trees {
            return;
        }
        let others = self.expected_others();
        let measured = self.table.crowding() - 1.0;
        if measured < 2.0 * others + 1.0 {
            return;
        }
        let spheres = std::mem::take(&mut self.spheres);
        {
            let source = copies(|i| spheres[i]);
            let sizes = self.tuning.sizes(summary, &source, measured / others);
            let sizes = SmallVec::<[f64; 64]>::from_slice(sizes);
            self.make_levels(&sizes, summary, &source);
        }
        self.spheres = spheres;
        self.resize_table(summary.count);
        if !self.has_trees {
            self.sort();
        }
    }

    /// Returns how many other bodies the cell of a body holds at the density of the sample, on average.
    fn expected_others(&self) -> f64 {
        let count = self.spheres.len() as f64;
        let others = self.levels.iter().map(|level| {
            let part = level.slots.len() as f64 / count;
            let volume = (0..V::DIM).map(|_| level.cells.width()).product::<f64>();
            part * part * self.tuning.density() * volume
        });
        others.sum()
    }

    /// Returns the largest number of cells of the tables of all levels: two per body (64 bytes per body in total), or
    /// four with given sizes, and some spare ones.
    fn table_limit(&self, count: usize) -> usize {
        let is_given = matches!(self.sizing, Sizing::Given(..));
        (if is_given { 4 } else { 2 }) * count + SPARE_CELLS
    }

    /// Sorts the copied bodies into trees, one for each octave of radii.
    pub(super) fn build_trees(&mut self) {
        self.has_trees = true;
        let spheres = &self.spheres;
        let sizes = layout::octaves(spheres.iter().map(|sphere| sphere.radius));
        self.levels.clear();
        self.levels
            .extend(sizes.into_iter().map(Level::with_one_cell));
        self.table
            .resize(&mut self.levels, spheres.len(), usize::MAX);
        self.sort();
        self.trees
            .build(&self.levels, &self.spheres, &mut self.table);
    }

    fn clear(&mut self) {
        self.spheres.clear();
        self.levels.clear();
    }
}

/// Copies the bodies from an index on, and finds their cells.
pub(super) fn copy_into_cells<V: Vector>(
    levels: &[Level<V>],
    size_limits: &[f64],
    first: usize,
    spheres: &mut [Sphere<V>],
    cells: &mut [u32],
    source: &Source<'_, V>,
) {
    let batches = spheres.chunks_mut(BATCH).zip(cells.chunks_mut(BATCH));
    for (first, (spheres, cells)) in (first..).step_by(BATCH).zip(batches) {
        source(first, spheres);
        find_cells(levels, size_limits, spheres, cells);
    }
}
