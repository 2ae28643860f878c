//! The rebuild: chooses levels, sorts the bodies into a table or trees, and packs them.

use smallvec::{SmallVec, smallvec};

use super::grid::HierarchicalGrid;
use super::layout;
use super::level::{Level, level_of, size_limits};
use super::sample::{self, Sample};
use super::search::{CHUNK, PairSearch, TouchSearch};
use super::summary::Summary;
use super::tuning::Sizing;
use crate::broad::levels::SearchDirection;
use crate::broad::packed::Scale;
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
        check_count(count)?;
        let summary = self.summarize(count, &sphere)?;
        self.rebuild_from(
            &summary,
            &sphere,
            |grid| grid.fill(count, &sphere),
            Self::pack,
        )
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    #[inline]
    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        self.for_each_block_in(chunk, |pairs| {
            for &[i, j] in pairs {
                visit(i as usize, j as usize);
            }
        });
    }

    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        self.for_each_block_in(chunk, |block| pairs.extend_from_slice(block));
    }

    #[inline]
    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        let (grid, query) = (self, query.bounding_sphere());
        let visit = |i: u32| visit(i as usize);
        if self.spheres.is_empty() || query.validate(0).is_err() {
            return;
        }
        match self.has_trees {
            true => simd::run(TouchSearch::<_, _, true> { grid, query, visit }),
            false => simd::run(TouchSearch::<_, _, false> { grid, query, visit }),
        }
    }

    /// Rebuilds on the current thread pool, with the result of `rebuild_with`. Trees, for bodies of very uneven density, are
    /// built by one thread.
    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
    ) -> Result<()> {
        check_count(count)?;
        let summary = self.par_summarize(count, &sphere)?;
        self.rebuild_from(
            &summary,
            &sphere,
            |grid| grid.par_fill(&sphere),
            Self::par_pack,
        )
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Passes the pairs of a chunk to `sink` in blocks.
    #[inline]
    fn for_each_block_in(&self, chunk: usize, sink: impl FnMut(&[Pair])) {
        let grid = self;
        match self.has_trees {
            true => simd::run(PairSearch::<_, _, true> { grid, chunk, sink }),
            false => simd::run(PairSearch::<_, _, false> { grid, chunk, sink }),
        }
    }

    /// Validates and summarizes the bodies. A grid that tunes itself also counts their radii.
    pub(super) fn summarize(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> Result<Summary<V>> {
        if !matches!(self.sizing, Sizing::Tuned) {
            return Summary::validated(0..count, sphere, |_, _| ());
        }
        let histogram = &mut self.tuning.histogram;
        histogram.clear();
        Summary::validated(0..count, sphere, |index, radius| {
            histogram.add(index, radius);
        })
    }

    /// Rebuilds from summarized bodies. `fill` copies them, into the table if there is one; `pack` packs a level.
    pub(super) fn rebuild_from(
        &mut self,
        summary: &Summary<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
        fill: impl FnOnce(&mut Self),
        pack: impl Fn(&mut Self, usize) -> bool,
    ) -> Result<()> {
        if summary.count == 0 {
            self.clear();
            return Ok(());
        }
        self.choose_levels(summary, &sphere)?;
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
    fn fill(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) {
        let spheres = &mut self.spheres[..count];
        let limits = size_limits(&self.levels);
        let limits = &limits[..];
        let mut copy = |id: usize| {
            let sphere = sphere(id);
            spheres[id] = sphere;
            (level_of(sphere.radius, limits), sphere.center)
        };
        match self.has_trees {
            true => (0..count).for_each(|id| _ = copy(id)),
            false => self.table.sort(&mut self.levels, copy),
        }
    }

    /// Chooses the levels for the bodies.
    ///
    /// # Errors
    /// Returns [`ErrorKind::CellSize`](crate::ErrorKind::CellSize) for the first body that is larger than the last
    /// given size.
    pub(super) fn choose_levels(
        &mut self,
        summary: &Summary<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> Result<()> {
        if let Err(error) = self.sizing.check_radius(0, summary.max_radius) {
            (0..summary.count).try_for_each(|i| self.sizing.check_radius(i, sphere(i).radius))?;
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
                smallvec![layout::size_for_points(summary, &sphere, limit)]
            }
            Sizing::OneLevel => smallvec![2.0 * summary.max_radius],
            Sizing::Tuned => SmallVec::from_slice(self.tuning.sizes(summary, &sphere, 1.0)),
        };
        self.make_levels(&sizes, summary, &sphere);
        Ok(())
    }

    /// Creates levels of the given sizes: over the box of all bodies, or over the bulk if this box makes the cells more
    /// than twice as wide as the finest size.
    fn make_levels(
        &mut self,
        sizes: &[f64],
        summary: &Summary<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) {
        let limit = self.table_limit(summary.count);
        let mut bounds = summary.bounds;
        let width = layout::make_levels(&mut self.levels, sizes, limit, &bounds);
        if width > 2.0 * sizes[0] {
            bounds = Sample::new(summary.count, &sphere).inner_box(summary);
            layout::make_levels(&mut self.levels, sizes, limit, &bounds);
        }
        let middle = sample::middle(summary, &sphere);
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
        let sphere = |id: usize| spheres[id];
        let sizes = self.tuning.sizes(summary, sphere, measured / others);
        let sizes = SmallVec::<[f64; 64]>::from_slice(sizes);
        self.make_levels(&sizes, summary, sphere);
        self.resize_table(summary.count);
        if !self.has_trees {
            let limits = size_limits(&self.levels);
            let body = |id: usize| (level_of(spheres[id].radius, &limits), spheres[id].center);
            self.table.sort(&mut self.levels, body);
        }
        self.spheres = spheres;
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
        let limits = size_limits(&self.levels);
        let body = |id: usize| (level_of(spheres[id].radius, &limits), spheres[id].center);
        self.table.sort(&mut self.levels, body);
        self.trees.build(&self.levels, spheres, &mut self.table);
    }

    fn clear(&mut self) {
        self.spheres.clear();
        self.levels.clear();
    }
}
