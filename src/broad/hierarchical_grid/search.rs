//! The search of pairs and of the bodies that touch a query.

use std::iter;
use std::ops::Range;

use super::finder::Finder;
use super::grid::HierarchicalGrid;
use super::level::Level;
use super::pack::gather;
use crate::broad::Pair;
use crate::broad::simd::{GROUP, Task, Width};
use crate::broad::source::BATCH;
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// The number of bodies in a chunk, in the order of slots.
pub(super) const CHUNK: usize = 1024;

/// Passes the pairs of a chunk on in blocks, from the table or, with `TREES`, from the trees.
///
/// Tables and trees have separate searches, because a common one took up to 2.5 times as long.
pub(super) struct PairSearch<'a, V, const TREES: bool> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) chunk: usize,
    pub(super) sink: &'a mut dyn FnMut(&[Pair]),
}

impl<V: Vector, const TREES: bool> Task for PairSearch<'_, V, TREES> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let grid = self.grid;
        let mut finder = Finder::<_, 64>::new(
            grid.packed.lanes(),
            &grid.table.ids,
            |id, group, bits| grid.resolve(&grid.spheres[id as usize], group, bits),
            self.sink,
        );
        for (h, level) in grid.levels.iter().enumerate() {
            let slots = grid.slots_in(level, self.chunk);
            if TREES {
                finder.search_leaves::<W, V>(grid, h, slots);
            } else {
                finder.search_own_level::<W, V>(grid, level, slots.clone());
                finder.search_other_levels::<W, V>(grid, h, slots);
            }
        }
        finder.flush::<W>();
    }
}

/// Passes the bodies that touch a query on in blocks, from the table or, with `TREES`, from the trees. Each is the first of a
/// pair.
pub(super) struct TouchSearch<'a, V, const TREES: bool> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) query: Sphere<V>,
    pub(super) sink: &'a mut dyn FnMut(&[Pair]),
}

impl<V: Vector, const TREES: bool> Task for TouchSearch<'_, V, TREES> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let grid = self.grid;
        let table = &grid.table;
        let packed = grid.scale.pack(&self.query);
        // Few hits: a larger buffer would take longer to clear.
        let mut finder = Finder::<_, 8>::new(
            grid.packed.lanes(),
            &grid.table.ids,
            |_, group, bits| grid.resolve(&self.query, group, bits),
            self.sink,
        );
        let levels = grid.levels.iter().enumerate();
        for (h, level) in levels.filter(|(_, level)| !level.slots.is_empty()) {
            let max_radius = grid.scale.radius(level.max_radius);
            let queries = [grid.scale.query(packed, max_radius)];
            // The query has the largest index.
            let mut search = |run| finder.search::<W, V, 1, false>(&queries, [u32::MAX], run);
            if TREES {
                let bounds = Aabb::from(self.query);
                for leaf in grid.trees.leaves(h, level.slots.len(), &bounds, 0) {
                    let slots = grid.leaf_slots(h, leaf);
                    search([slots.start as u32, slots.end as u32]);
                }
            } else {
                let near = level.cells.range_near(&self.query, level.max_radius);
                table.for_each_run(level, near, search);
            }
        }
        finder.flush::<W>();
    }
}

impl<R, const HITS: usize> Finder<'_, R, HITS>
where
    R: FnMut(u32, usize, u32) -> u32,
{
    /// Tests the bodies of some slots of a level against the later bodies of the level, one or two at a time.
    #[inline(always)]
    fn search_own_level<W: Width, V: Vector>(
        &mut self,
        grid: &HierarchicalGrid<V>,
        level: &Level<V>,
        slots: Range<usize>,
    ) {
        let (table, scale, lanes) = (&grid.table, grid.scale, self.lanes);
        let max_radius = scale.radius(level.max_radius);
        // A copy stays in registers, although the visitor is opaque.
        let level = &level.clone();
        let rows = if V::DIM == 2 { 2 } else { 5 };
        let mut row_end = 0;
        let mut slot = slots.start;
        while slot < slots.end {
            let (count, starts, ends) = table.next(level, slot..slots.end, &mut row_end);
            let query = |slot: usize| scale.query(lanes.get(slot), max_radius);
            if count == 2 {
                let queries = [query(slot), query(slot + 1)];
                let ids = [table.ids[slot], table.ids[slot + 1]];
                self.search::<W, V, 2, true>(&queries, ids, [starts[0], ends[0]]);
                for row in 1..rows {
                    self.search::<W, V, 2, false>(&queries, ids, [starts[row], ends[row]]);
                }
            } else {
                let (queries, ids) = ([query(slot)], [table.ids[slot]]);
                for row in 0..rows {
                    self.search::<W, V, 1, false>(&queries, ids, [starts[row], ends[row]]);
                }
            }
            slot += count;
        }
    }

    /// Tests the bodies of some slots of level `h` against the bodies of the levels beside it.
    #[inline(always)]
    fn search_other_levels<W: Width, V: Vector>(
        &mut self,
        grid: &HierarchicalGrid<V>,
        h: usize,
        slots: Range<usize>,
    ) {
        let (table, scale, lanes) = (&grid.table, grid.scale, self.lanes);
        let beside = grid.levels_beside(h);
        if slots.is_empty() || beside.clone().next().is_none() {
            return;
        }
        let mut batch = [Sphere::default(); BATCH];
        for first in slots.clone().step_by(BATCH) {
            let some = first..slots.end.min(first + BATCH);
            let ids = some.clone().map(|slot| table.ids[slot]);
            let spheres = gather(&mut batch, &grid.spheres, ids);
            for (slot, sphere) in some.zip(spheres) {
                for other in beside.clone() {
                    let max_radius = scale.radius(other.max_radius);
                    let queries = [scale.query(lanes.get(slot), max_radius)];
                    let near = other.cells.range_near(sphere, other.max_radius);
                    table.for_each_run(other, near, |run| {
                        self.search::<W, V, 1, false>(&queries, [table.ids[slot]], run);
                    });
                }
            }
        }
    }

    /// Tests the bodies of some slots of level `h` against its later bodies and those of the levels beside it,
    /// in the trees.
    ///
    /// The leaves that touch a leaf are found once for all its bodies.
    #[inline(always)]
    fn search_leaves<W: Width, V: Vector>(
        &mut self,
        grid: &HierarchicalGrid<V>,
        h: usize,
        slots: Range<usize>,
    ) {
        let (table, scale, lanes) = (&grid.table, grid.scale, self.lanes);
        let mut first = slots.start;
        while first < slots.end {
            let leaf = (first - grid.levels[h].slots.start) / GROUP;
            let some = first..grid.leaf_slots(h, leaf).end.min(slots.end);
            let boxes = grid.boxes_of(some.clone());
            let own = grid.trees.leaf(h, leaf);
            for other in iter::once(h).chain(grid.range_beside(h)) {
                let max_radius = scale.radius(grid.levels[other].max_radius);
                let from = if other == h { leaf } else { 0 };
                let count = grid.levels[other].slots.len();
                for near in grid.trees.leaves(other, count, own, from) {
                    let run = grid.leaf_slots(other, near);
                    let near_box = grid.trees.leaf(other, near);
                    for (slot, body_box) in some.clone().zip(&boxes) {
                        let from = if other == h { slot + 1 } else { 0 };
                        let run = [run.start.max(from) as u32, run.end as u32];
                        if body_box.touches(near_box) && run[0] < run[1] {
                            let queries = [scale.query(lanes.get(slot), max_radius)];
                            self.search::<W, V, 1, false>(&queries, [table.ids[slot]], run);
                        }
                    }
                }
            }
            first = some.end;
        }
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Returns the slots of a level that are in a chunk.
    #[inline]
    fn slots_in(&self, level: &Level<V>, chunk: usize) -> Range<usize> {
        let start = chunk.saturating_mul(CHUNK);
        let end = start.saturating_add(CHUNK).min(self.spheres.len());
        level.slots.start.max(start)..level.slots.end.min(end)
    }

    /// Returns the slots of a leaf of a level.
    #[inline]
    pub(super) fn leaf_slots(&self, level: usize, leaf: usize) -> Range<usize> {
        let slots = &self.levels[level].slots;
        let start = slots.start + leaf * GROUP;
        start..(start + GROUP).min(slots.end)
    }

    /// Returns the boxes of the bodies of some slots of a leaf.
    #[inline]
    fn boxes_of(&self, slots: Range<usize>) -> [Aabb<V>; GROUP] {
        std::array::from_fn(|i| {
            let slot = (slots.start + i).min(slots.end - 1);
            Aabb::from(self.spheres[self.table.ids[slot] as usize])
        })
    }

    /// Tests a sphere exactly against the spheres of a group that are selected by bits; returns the hits.
    #[cold]
    #[inline(never)]
    fn resolve(&self, sphere: &Sphere<V>, group: usize, bits: u32) -> u32 {
        let touches = |bit: u32| {
            let other = self.table.ids[group + bit as usize];
            sphere.touches(&self.spheres[other as usize])
        };
        let selected = (0..u32::BITS).filter(|bit| bits >> bit & 1 == 1);
        selected
            .filter(|&bit| touches(bit))
            .fold(0, |hits, bit| hits | 1 << bit)
    }
}
