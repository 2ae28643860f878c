//! Finding the pairs.

use std::ops::Range;

use super::HierarchicalGrid;
use super::pack::{GATHERED, Gathered};
use super::table::Cursor;
use crate::broad::packed::{Lanes, Query};
use crate::broad::simd::{GROUP, Task, Width};
use crate::math::Vector;
use crate::shape::{Aabb, Sphere};

/// How many bodies a chunk has, in the order of cells.
pub(super) const CHUNK: usize = 1024;

/// How many groups with hits are kept before they are visited.
const BUFFER: usize = 256;

/// Visits the pairs of a chunk.
pub(super) struct Pairs<'a, V, F> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) chunk: usize,
    pub(super) visit: F,
}

impl<V: Vector, F: FnMut(u32, u32)> Task for Pairs<'_, V, F> {
    #[inline(always)]
    fn run<W: Width>(mut self) {
        let grid = self.grid;
        let (table, scale) = (grid.table.slots(), grid.scale);
        let lanes = grid.packed.lanes();
        let start = self.chunk.saturating_mul(CHUNK);
        let end = start.saturating_add(CHUNK).min(grid.spheres.len());
        let id = |slot: usize| table.id(slot);
        let mut finder = Finder::new(
            lanes,
            |slot, group, bits| grid.ask(&grid.spheres[id(slot) as usize], group, bits),
            |slot, other| {
                let (i, j) = (id(slot), id(other));
                (self.visit)(i.min(j), i.max(j));
            },
        );
        let mut gathered = Gathered::new();
        for (h, level) in grid.levels.iter().enumerate() {
            let slots = level.slots.start.max(start)..level.slots.end.min(end);
            let largest = scale.radius(level.largest);
            let mut cursor = Cursor::default();
            // A copy is at hand, whatever the visitor may do.
            let level = &level.clone();
            let rows = if V::DIM == 2 { 2 } else { 5 };
            let mut slot = slots.start;
            while slot < slots.end {
                let (count, runs) = table.next(level, slot..slots.end, &mut cursor);
                let query = |slot: usize| scale.query(lanes.get(slot), largest);
                if count == 2 {
                    let queries = [query(slot), query(slot + 1)];
                    finder.search::<W, V, 2, true>(&queries, runs[0], slot);
                    for &run in &runs[1..rows] {
                        finder.search::<W, V, 2, false>(&queries, run, slot);
                    }
                } else {
                    let queries = [query(slot)];
                    for &run in &runs[..rows] {
                        finder.search::<W, V, 1, false>(&queries, run, slot);
                    }
                }
                slot += count;
            }
            let beside = grid.levels_beside(h);
            if beside.clone().next().is_none() {
                continue;
            }
            for first in slots.clone().step_by(GATHERED) {
                let some = first..slots.end.min(first + GATHERED);
                let spheres = gathered.gather(&grid.spheres, some.clone().map(&id));
                for (slot, sphere) in some.zip(spheres) {
                    for other in beside.clone() {
                        let largest = scale.radius(other.largest);
                        let queries = [scale.query(lanes.get(slot), largest)];
                        let near = other.cells.near(sphere, other.largest);
                        for run in table.runs_in(other, near) {
                            finder.search::<W, V, 1, false>(&queries, run, slot);
                        }
                    }
                }
            }
        }
        finder.flush();
    }
}

/// Visits the pairs of a chunk, where the bodies are in trees.
pub(super) struct TreePairs<'a, V, F> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) chunk: usize,
    pub(super) visit: F,
}

impl<V: Vector, F: FnMut(u32, u32)> Task for TreePairs<'_, V, F> {
    /// Leaf by leaf: the leaves near a leaf are found once for all its bodies.
    #[inline(always)]
    fn run<W: Width>(mut self) {
        let grid = self.grid;
        let (table, scale) = (grid.table.slots(), grid.scale);
        let lanes = grid.packed.lanes();
        let start = self.chunk.saturating_mul(CHUNK);
        let end = start.saturating_add(CHUNK).min(grid.spheres.len());
        let id = |slot: usize| table.id(slot);
        let mut finder = Finder::new(
            lanes,
            |slot, group, bits| grid.ask(&grid.spheres[id(slot) as usize], group, bits),
            |slot, other| {
                let (i, j) = (id(slot), id(other));
                (self.visit)(i.min(j), i.max(j));
            },
        );
        for (h, level) in grid.levels.iter().enumerate() {
            let slots = level.slots.start.max(start)..level.slots.end.min(end);
            let mut first = slots.start;
            while first < slots.end {
                let leaf = (first - level.slots.start) / GROUP;
                let some = first..grid.leaf_slots(h, leaf).end.min(slots.end);
                let boxes = grid.boxes_of(some.clone());
                let own = grid.trees.leaf(h, leaf);
                for other in std::iter::once(h).chain(grid.range_beside(h)) {
                    let largest = scale.radius(grid.levels[other].largest);
                    let from = if other == h { leaf } else { 0 };
                    let count = grid.levels[other].slots.len();
                    for near in grid.trees.leaves(other, count, own, from) {
                        let run = grid.leaf_slots(other, near);
                        let their_box = grid.trees.leaf(other, near);
                        for (slot, my_box) in some.clone().zip(&boxes) {
                            let from = if other == h { slot + 1 } else { 0 };
                            let run = [run.start.max(from) as u32, run.end as u32];
                            if my_box.touches(their_box) && run[0] < run[1] {
                                let queries = [scale.query(lanes.get(slot), largest)];
                                finder.search::<W, V, 1, false>(&queries, run, slot);
                            }
                        }
                    }
                }
                first = some.end;
            }
        }
        finder.flush();
    }
}

/// Visits the bodies near a query.
pub(super) struct Near<'a, V, F> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) query: Sphere<V>,
    pub(super) visit: F,
}

impl<V: Vector, F: FnMut(u32)> Task for Near<'_, V, F> {
    #[inline(always)]
    fn run<W: Width>(mut self) {
        let grid = self.grid;
        let table = grid.table.slots();
        let packed = grid.scale.pack(&self.query);
        let mut finder = Finder::new(
            grid.packed.lanes(),
            |_, group, bits| grid.ask(&self.query, group, bits),
            |_, slot| (self.visit)(table.id(slot)),
        );
        for level in grid.levels.iter().filter(|level| !level.slots.is_empty()) {
            let queries = [grid.scale.query(packed, grid.scale.radius(level.largest))];
            let near = level.cells.near(&self.query, level.largest);
            for run in table.runs_in(level, near) {
                finder.search::<W, V, 1, false>(&queries, run, usize::MAX);
            }
        }
        finder.flush();
    }
}

/// Visits the bodies near a query, where they are in trees.
pub(super) struct TreeNear<'a, V, F> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) query: Sphere<V>,
    pub(super) visit: F,
}

impl<V: Vector, F: FnMut(u32)> Task for TreeNear<'_, V, F> {
    #[inline(always)]
    fn run<W: Width>(mut self) {
        let grid = self.grid;
        let packed = grid.scale.pack(&self.query);
        let mut finder = Finder::new(
            grid.packed.lanes(),
            |_, group, bits| grid.ask(&self.query, group, bits),
            |_, slot| (self.visit)(grid.table.ids[slot]),
        );
        let bounds = Aabb::from(self.query);
        for (h, level) in grid.levels.iter().enumerate() {
            let queries = [grid.scale.query(packed, grid.scale.radius(level.largest))];
            for leaf in grid.trees.leaves(h, level.slots.len(), &bounds, 0) {
                let slots = grid.leaf_slots(h, leaf);
                let run = [slots.start as u32, slots.end as u32];
                finder.search::<W, V, 1, false>(&queries, run, usize::MAX);
            }
        }
        finder.flush();
    }
}

/// Tests runs of slots, and keeps the hits for a while, so that what is done with them is a loop of
/// its own, which the processor can predict.
struct Finder<'a, A, F> {
    lanes: Lanes<'a>,
    hits: Hits,
    count: usize,
    ask: A,
    visit: F,
}

/// Groups of slots of which some are hit.
struct Hits {
    /// The slot of the query.
    query: [u32; BUFFER],
    /// The first slot of the group, and in the 8 lowest bits which of the group are hit.
    group: [u64; BUFFER],
}

impl<'a, A: FnMut(usize, usize, u32) -> u32, F: FnMut(usize, usize)> Finder<'a, A, F> {
    #[inline(always)]
    fn new(lanes: Lanes<'a>, ask: A, visit: F) -> Self {
        let hits = Hits {
            query: [0; BUFFER],
            group: [0; BUFFER],
        };
        Self {
            lanes,
            hits,
            count: 0,
            ask,
            visit,
        }
    }

    /// Tests a run against the queries of a slot and, if they are two, of the slot after it. If
    /// the run is on their own row, it starts with that second slot.
    #[inline(always)]
    fn search<W: Width, V: Vector, const N: usize, const OWN: bool>(
        &mut self,
        queries: &[Query; N],
        [start, end]: [u32; 2],
        slot: usize,
    ) {
        let (mut group, end) = (start as usize, end as usize);
        let mut count = self.count;
        let mut skip = if OWN { 1 } else { 0 };
        // At least once, even if the run is empty: what is always done needs no prediction.
        while let Some(spheres) = W::load(&self.lanes, group) {
            // Both before anything is written, so that the spheres stay in registers.
            let in_group = end.saturating_sub(group).min(GROUP);
            let mut results = [[0; 2]; N];
            for (query, result) in queries.iter().zip(&mut results) {
                *result = if V::DIM == 2 {
                    W::test::<true>(query, &spheres, in_group)
                } else {
                    W::test::<false>(query, &spheres, in_group)
                };
            }
            let mut valid = (1_u32 << in_group) - 1;
            for (i, [may, surely]) in results.into_iter().enumerate() {
                if OWN && i == 1 {
                    valid &= !skip;
                    skip = 0;
                }
                let mut bits = surely & valid;
                if may & valid != bits {
                    bits = (self.ask)(slot + i, group, may & valid);
                }
                let at = count % BUFFER;
                self.hits.query[at] = (slot + i) as u32;
                self.hits.group[at] = (group as u64) << 8 | u64::from(bits);
                count = at + usize::from(bits != 0);
                if count == BUFFER {
                    visit_hits(&self.hits, count, &mut self.visit);
                    count = 0;
                }
            }
            group += GROUP;
            if group >= end {
                break;
            }
        }
        self.count = count;
    }

    /// Visits the hits.
    #[inline(always)]
    fn flush(&mut self) {
        visit_hits(&self.hits, self.count, &mut self.visit);
        self.count = 0;
    }
}

#[inline(never)]
fn visit_hits(hits: &Hits, count: usize, visit: &mut impl FnMut(usize, usize)) {
    for (&query, &group) in hits.query[..count].iter().zip(&hits.group) {
        let mut bits = group as u32 & 0xFF;
        while bits != 0 {
            visit(
                query as usize,
                (group >> 8) as usize + bits.trailing_zeros() as usize,
            );
            bits &= bits - 1;
        }
    }
}

impl<V: Vector> HierarchicalGrid<V> {
    /// The slots of a leaf of a level.
    #[inline]
    pub(super) fn leaf_slots(&self, level: usize, leaf: usize) -> Range<usize> {
        let slots = &self.levels[level].slots;
        let start = slots.start + leaf * GROUP;
        start..(start + GROUP).min(slots.end)
    }

    /// The boxes of the bodies of some slots of a leaf.
    #[inline]
    fn boxes_of(&self, slots: Range<usize>) -> [Aabb<V>; GROUP] {
        std::array::from_fn(|i| {
            let slot = (slots.start + i).min(slots.end - 1);
            Aabb::from(self.spheres[self.table.ids[slot] as usize])
        })
    }

    /// Which of a group of spheres touch one, of those with a bit.
    #[cold]
    #[inline(never)]
    fn ask(&self, sphere: &Sphere<V>, group: usize, bits: u32) -> u32 {
        let touches = |bit: u32| {
            let other = self.table.slots().id(group + bit as usize);
            sphere.touches(&self.spheres[other as usize])
        };
        let asked = (0..u32::BITS).filter(|bit| bits >> bit & 1 == 1);
        asked
            .filter(|&bit| touches(bit))
            .fold(0, |yes, bit| yes | 1 << bit)
    }
}
