//! Cells of several sizes: bodies of about one size share a level, whose cells suit them.
//!
//! D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data structure
//! for contact detection in arbitrarily polydisperse particle systems", Computational Particle
//! Mechanics 1 (2014) 357-372.
//!
//! A body is on the lowest level whose cells are as wide as the body. It is tested against the
//! bodies of its own level in half of the cells around its own, and against those of the finer
//! levels (top-down; of the coarser ones bottom-up) in the cells that a box around it meets.
//!
//! Deviations:
//! - No lists: bodies are sorted by level and cell (a counting sort), so that the bodies of cells
//!   that are neighbours along x lie together in memory, and half the neighbourhood of a cell is
//!   2 runs of bodies in 2D and 5 in 3D. What costs is rows of cells, not cells.
//! - Bodies are tested eight (or four) at a time, in single precision; the few cases that this does
//!   not decide are decided exactly.
//! - Cells are a little wider than the interaction distance: with equality, rounding puts touching
//!   bodies two cells apart.
//! - Cells are no finer than there may be tables of, some two cells a body, whatever the extent. Where
//!   that would make them too wide, the cells of a level lie over the bulk of its own bodies.
//! - Where cells then hold too many bodies, because most are in a small part of the extent, the bodies
//!   of each octave of radii are in a tree of boxes instead: O(n log n) for any places and radii.
//! - The sizes of levels come from the radii there are, not from an assumed distribution.

mod given;
mod histogram;
mod layout;
mod links;
mod pack;
#[cfg(feature = "rayon")]
mod parallel;
mod plan;
mod report;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod trees;

pub use report::{GridAdvice, GridReport, LevelReport};

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::levels::GridCost;
use super::packed::{Packed, Scale};
use super::{
    BroadPhase, GridWork, IncrementalBroadPhase, LevelSizes, Result, SearchDirection, Sphere,
    check_index, resize, simd,
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Cause;
use crate::math::{Vector, check_count};
use crate::shape::Bounded;
use links::Links;
use plan::{Sizing, Survey, Tuning};
use search::{CHUNK, Near, Pairs, TreeNear, TreePairs};
use table::{Level, Limit, Table};
use trees::Trees;

/// How many bodies the cell of a body holds on average before cells do not suit them.
const CROWDED: f64 = 32.0;

/// A hierarchical grid: for bodies of any mixture of sizes.
///
/// **Time.** Rebuild and search take O(n + pairs), some 30 to 60 ns a body, of equal size or not
/// (docs/BENCHMARKS.md). Where most bodies are in a small part of the extent (lumps far from each
/// other, lumps in lumps), no cells suit them. A rebuild then puts the bodies of each octave of radii
/// into a tree: O(n log n), some 0.3 to 0.5 us a body, for any places and sizes. Bodies that lie in
/// memory as they do in space are found faster (see [`spatial_order`](HierarchicalGrid::spatial_order)). Pairs come in
/// the order of the cells, or of the leaves.
///
/// **Memory.** At most 64 bytes a body (72 with given sizes), 8 more in trees, for any extent; and 30
/// kilobytes, and 3 for each octave between the smallest radius and the largest. Buffers keep the length that the most bodies have needed. Nothing is allocated
/// once they have grown, except with more than 64 octaves of radii.
///
/// **Updates.** Single bodies can be updated in O(1): see [`IncrementalBroadPhase`]. The first update after a
/// rebuild takes O(n) time, since it links all bodies into lists; the lists take 24 to 40 bytes a body
/// more. Until the next rebuild, queries are somewhat slower and a search of all pairs takes 15 to 40
/// times as long. A query takes the time of the cells that it reaches, O(n) at most.
/// When updates double the number of bodies, or how many share a cell, levels are planned again and all
/// bodies linked, O(n). Plans depend on the updates since the last rebuild, and on nothing else.
/// Points (radius 0) in lumps of lumps can crowd the cells of these lists, never those of a rebuild.
///
/// ```
/// use osculate::{BroadPhase, HierarchicalGrid, Sphere, glam::DVec3};
///
/// let sphere = |x: f64, radius: f64| Sphere::new(DVec3::X * x, radius);
/// let mut grid = HierarchicalGrid::new();
/// grid.rebuild(&[sphere(0.0, 100.0), sphere(101.0, 1.0), sphere(103.0, 1.0)])?;
/// let mut pairs = Vec::new();
/// grid.collect_pairs(&mut pairs);
/// pairs.sort_unstable();
/// assert_eq!(pairs, [[0, 1], [1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HierarchicalGrid<V = glam::DVec3> {
    sizing: Sizing,
    /// That of given levels.
    given_direction: SearchDirection,
    /// That of the current levels.
    direction: SearchDirection,
    tuning: Tuning,
    /// By index.
    spheres: Vec<Sphere<V>>,
    levels: Vec<Level<V>>,
    table: Table,
    trees: Trees<V>,
    scale: Scale<V>,
    /// By slot.
    packed: Packed,
    links: Links,
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Levels that suit the bodies: each rebuild looks at their radii and how close they lie, and
    /// takes the sizes of least predicted time.
    ///
    /// Cells are as wide as there may be tables of, two cells a body, if that is more than the sizes.
    /// A few bodies far from all others count to the outermost cells.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the sizes of the levels, instead of choosing them at each rebuild.
    ///
    /// Cells are 2^-19 wider, which makes the search safe against rounding, and wider still where tables would
    /// exceed four cells a body. With 1024 bodies or more, sizes are replaced by the grid's own choice if they
    /// crowd the cells or are predicted to take 1.5 times as long. [`report`](HierarchicalGrid::report) tells
    /// which levels were used.
    ///
    /// A rebuild or an update then also fails with [`ErrorKind::CellSize`] if a body is larger than the last size.
    #[must_use]
    pub fn with_level_sizes(mut self, sizes: LevelSizes) -> Self {
        self.sizing = Sizing::Given(sizes);
        self
    }

    /// Sets the direction in which given levels are searched; the grid's own levels are searched
    /// [`TopDown`](SearchDirection::TopDown).
    #[must_use]
    pub fn with_direction(mut self, direction: SearchDirection) -> Self {
        self.given_direction = direction;
        self
    }

    /// One level, as wide as the largest body.
    pub(super) fn with_one_level() -> Self {
        Self {
            sizing: Sizing::One,
            ..Self::default()
        }
    }

    /// The indices of the bodies in the order of levels and cells: to sort the caller's bodies by
    /// now and then, since neighbours that lie together in memory are found faster. After single
    /// updates the order is that of the indices.
    pub fn spatial_order(&self) -> impl Iterator<Item = usize> {
        (0..self.spheres.len()).map(|slot| {
            if self.links.are_used {
                slot
            } else {
                self.table.slots().id(slot) as usize
            }
        })
    }

    /// The levels with bodies that those of a level are tested against beside it.
    fn levels_beside(&self, level: usize) -> impl Iterator<Item = &Level<V>> + Clone {
        let beside = self.levels[self.range_beside(level)].iter();
        beside.filter(|level| !level.slots.is_empty())
    }

    fn range_beside(&self, level: usize) -> Range<usize> {
        match self.direction {
            SearchDirection::TopDown => 0..level,
            SearchDirection::BottomUp => level + 1..self.levels.len(),
        }
    }

    /// Looks at the bodies, or refuses them; a grid that tunes itself also at their radii.
    fn survey(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<Survey<V>> {
        if !matches!(self.sizing, Sizing::Tuned) {
            return Survey::of(0..count, sphere, |_, _| ());
        }
        let histogram = &mut self.tuning.histogram;
        histogram.clear();
        Survey::of(0..count, sphere, |index, radius| {
            histogram.add(index, radius)
        })
    }

    /// Decides on the levels, or refuses; then `survey` holds for the bodies.
    fn plan(&mut self, survey: &Survey<V>, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        self.sizing.check(survey, &sphere)?;
        self.links.are_used = false;
        self.direction = SearchDirection::TopDown;
        let sizes: SmallVec<[f64; 64]> = match &self.sizing {
            Sizing::Given(sizes) => {
                self.direction = self.given_direction;
                SmallVec::from_slice(sizes.as_slice())
            }
            _ if survey.largest == 0.0 => smallvec![plan::size_for_points(survey, &sphere)],
            Sizing::One => smallvec![2.0 * survey.largest],
            Sizing::Tuned => {
                self.tune(survey, sphere);
                return Ok(());
            }
        };
        self.make_levels(&sizes, survey, &sphere);
        Ok(())
    }

    /// Makes levels of the sizes of least predicted time for the radii of the histogram.
    ///
    /// The first prediction takes finer bodies to be as dense around the larger ones as around each
    /// other, and makes cells wide for the sake of the rows that the larger ones would look into. If
    /// they look into far fewer, because finer bodies lie in a small part of the extent, sizes are
    /// found once more.
    fn tune(&mut self, survey: &Survey<V>, sphere: impl Fn(usize) -> Sphere<V>) {
        let mut near = 1.0;
        for _ in 0..2 {
            let sizes = self.tuning.sizes(survey, &sphere, near);
            let sizes = SmallVec::<[f64; 64]>::from_slice(sizes);
            let is_over_all = self.make_levels(&sizes, survey, &sphere);
            let own = if V::DIM == 2 { 2.0 } else { 5.0 };
            let expected = self.tuning.work().rows - own;
            if is_over_all || near < 1.0 || expected < own {
                break;
            }
            let rows = layout::rows_beside(&self.levels, survey, &sphere);
            if rows > 0.5 * expected {
                break;
            }
            near = plan::round_to_octave(rows / expected);
        }
    }

    /// Makes levels of these sizes; returns whether their cells lie over all bodies.
    fn make_levels(
        &mut self,
        sizes: &[f64],
        survey: &Survey<V>,
        sphere: impl Fn(usize) -> Sphere<V>,
    ) -> bool {
        let limit = self.limit(survey.count);
        let (levels, table) = (&mut self.levels, &mut self.table);
        let bounds = layout::make_levels(levels, table, sizes, limit, survey, &sphere);
        let middle = plan::middle(survey, &sphere);
        self.scale = Scale::new(middle, &bounds.unwrap_or(survey.bounds), survey.largest);
        bounds.is_none()
    }

    /// Puts the bodies that were taken in into trees, if they have no table or if its cells hold too
    /// many: the density is then so uneven that no cells suit all.
    fn plant_if_crowded(&mut self, survey: &Survey<V>) {
        self.replace_slow_levels(survey);
        if self.trees.are_used || self.table.crowding() > CROWDED {
            self.plant();
        }
    }

    fn plant(&mut self) {
        let spheres = &self.spheres;
        let sizes = plan::octaves(spheres.iter().map(|sphere| sphere.radius));
        plan::resize_levels(&mut self.levels, &sizes);
        let sizes = level_sizes(&self.levels);
        let level_of = |id: usize| level_of(spheres[id].radius, &sizes);
        let count = spheres.len();
        self.table.sort_by_level(&mut self.levels, count, level_of);
        self.trees.build(&self.levels, spheres, &mut self.table);
    }

    fn limit(&self, count: usize) -> Limit {
        Limit::new(count, matches!(self.sizing, Sizing::Given(..)))
    }

    /// Leaves no bodies if one of them is bad: what was asked for twice has answered well only
    /// once.
    fn check_again(&mut self) -> Result<()> {
        let mut bodies = (0..).zip(&self.spheres);
        let result = bodies.try_for_each(|(index, sphere)| sphere.validate(index));
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn clear(&mut self) {
        self.spheres.clear();
        self.levels.clear();
        self.links.are_used = false;
    }
}

impl<V: Vector> BroadPhase for HierarchicalGrid<V> {
    type Vector = V;

    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        check_count(count)?;
        let survey = self.survey(count, &sphere)?;
        if count == 0 {
            self.clear();
            return Ok(());
        }
        self.plan(&survey, &sphere)?;
        resize(&mut self.spheres, count);
        let limit = self.limit(count);
        let spheres = &mut self.spheres[..count];
        let sizes = level_sizes(&self.levels);
        let sizes = &sizes[..];
        let mut take = |id: usize| {
            let sphere = sphere(id);
            spheres[id] = sphere;
            (level_of(sphere.radius, sizes), sphere.center)
        };
        self.trees.are_used = !self.table.start(&mut self.levels, count, limit);
        if self.trees.are_used {
            (0..count).for_each(|id| _ = take(id));
        } else {
            self.table.sort(&mut self.levels, take);
        }
        self.plant_if_crowded(&survey);
        self.packed.resize(count);
        let are_good = (0..self.levels.len()).fold(true, |good, level| good & self.pack(level));
        if are_good { Ok(()) } else { self.check_again() }
    }

    fn spheres(&self) -> &[Sphere<V>] {
        &self.spheres
    }

    fn chunk_count(&self) -> usize {
        self.spheres.len().div_ceil(CHUNK)
    }

    #[inline]
    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        let grid = self;
        let visit = |i: u32, j: u32| visit(i as usize, j as usize);
        if self.links.are_used {
            self.for_each_pair_linked(chunk, visit);
        } else if self.trees.are_used {
            simd::run(TreePairs { grid, chunk, visit });
        } else {
            simd::run(Pairs { grid, chunk, visit });
        }
    }

    #[inline]
    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, mut visit: impl FnMut(usize)) {
        let (grid, query) = (self, query.bounding_sphere());
        let visit = |i: u32| visit(i as usize);
        if self.spheres.is_empty() || query.validate(0).is_err() {
            return;
        }
        if self.links.are_used {
            self.for_each_near_linked(&query, visit);
        } else if self.trees.are_used {
            simd::run(TreeNear { grid, query, visit });
        } else {
            simd::run(Near { grid, query, visit });
        }
    }

    /// Trees, for bodies of very uneven density, are built by one thread. Allocates a little.
    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
    ) -> Result<()> {
        self.rebuild_in_parallel(count, sphere)
    }
}

impl<V: Vector> IncrementalBroadPhase for HierarchicalGrid<V> {
    /// Returns [`ErrorKind::CellSize`] if the sizes are given and the body is larger than the last.
    fn insert(&mut self, sphere: Sphere<V>) -> Result<usize> {
        let body = self.spheres.len();
        check_count(body + 1)?;
        self.check_update(body, &sphere)?;
        if body == 0 {
            self.rebuild(&[sphere])?;
        } else {
            self.start_updates();
            self.push_linked(sphere);
        }
        Ok(body)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        check_index(body, self.spheres.len())?;
        self.start_updates();
        self.swap_remove_linked(body as u32);
        Ok(())
    }

    /// Returns [`ErrorKind::CellSize`] if the sizes are given and the body is larger than the last.
    fn replace(&mut self, body: usize, sphere: Sphere<V>) -> Result<()> {
        check_index(body, self.spheres.len())?;
        self.check_update(body, &sphere)?;
        self.start_updates();
        self.replace_linked(body as u32, sphere);
        Ok(())
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    fn check_update(&self, index: usize, sphere: &Sphere<V>) -> Result<()> {
        sphere.validate(index)?;
        let diameter = 2.0 * sphere.radius;
        match &self.sizing {
            Sizing::Given(sizes) => match sizes.as_slice().last() {
                Some(&cell_size) if diameter > cell_size => Err(Cause::CellTooSmall {
                    index,
                    diameter,
                    cell_size,
                }
                .into()),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// The sizes of all levels but the last, which takes what is left.
fn level_sizes<V>(levels: &[Level<V>]) -> SmallVec<[f64; 64]> {
    let levels = levels.split_last().map_or(levels, |(_, others)| others);
    levels.iter().map(|level| level.size).collect()
}

/// The level of a radius: the lowest that takes it, or the last.
#[inline]
fn level_of(radius: f64, sizes: &[f64]) -> usize {
    sizes.iter().filter(|&&size| 2.0 * radius > size).count()
}
