//! Finding the pairs.

use smallvec::SmallVec;

use super::HierarchicalGrid;
use super::table::Cursor;
use crate::broad::packed::{Lanes, Query};
use crate::broad::simd::{Task, Width};
use crate::math::Vector;
use crate::shape::Sphere;

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

/// Visits the bodies near a query.
pub(super) struct Near<'a, V, F> {
    pub(super) grid: &'a HierarchicalGrid<V>,
    pub(super) query: Sphere<V>,
    pub(super) visit: F,
}

/// Groups of spheres some of which are hit, gathered so that what is done with them is a loop of
/// its own, which the processor can predict.
struct Hits {
    /// Whose hits.
    first: [u32; BUFFER],
    /// The first slot of the group, and as its lowest bits which of the group.
    group: [u64; BUFFER],
}

impl Hits {
    const NONE: Self = Self {
        first: [0; BUFFER],
        group: [0; BUFFER],
    };

    fn for_each(&self, count: usize, mut visit: impl FnMut(u32, usize)) {
        for (&first, &group) in self.first[..count].iter().zip(&self.group) {
            let mut bits = group as u32 & 0xFF;
            while bits != 0 {
                visit(
                    first,
                    (group >> 8) as usize + bits.trailing_zeros() as usize,
                );
                bits &= bits - 1;
            }
        }
    }
}

impl<V: Vector, F: FnMut(u32, u32)> Task for Pairs<'_, V, F> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self {
            grid,
            chunk,
            mut visit,
        } = self;
        let lanes = grid.packed.lanes();
        let start = chunk.saturating_mul(CHUNK);
        let end = start.saturating_add(CHUNK).min(grid.spheres.len());
        let mut hits = Hits::NONE;
        let mut count = 0;
        let mut flush = |hits: &Hits, count: usize| {
            hits.for_each(count, |first, second| {
                let (i, j) = (grid.table.id(first as usize), grid.table.id(second));
                visit(i.min(j), i.max(j));
            });
        };
        for (h, level) in grid.levels.iter().enumerate() {
            let slots = level.slots.start.max(start)..level.slots.end.min(end);
            let largest = grid.scale.radius(level.largest);
            let mut cursor = Cursor::default();
            let rows = if V::DIM == 2 { 2 } else { 5 };
            let mut next = slots.start;
            while next < slots.end {
                let slot = next;
                let (step, runs) = grid.table.next(level, slot..slots.end, &mut cursor);
                next += step;
                let mut ask = |first: usize, group: usize, bits: u32| {
                    grid.ask(&grid.spheres[grid.table.id(first) as usize], group, bits)
                };
                let a = grid.scale.query(lanes.get(slot), largest);
                let own = runs[0];
                if step == 2 {
                    let b = grid.scale.query(lanes.get(slot + 1), largest);
                    count = search::<W, V, 1>(
                        [&a],
                        &lanes,
                        own,
                        slot,
                        &mut hits,
                        count,
                        &mut ask,
                        &mut flush,
                    );
                    count = search::<W, V, 1>(
                        [&b],
                        &lanes,
                        [own[0] + 1, own[1]],
                        slot + 1,
                        &mut hits,
                        count,
                        &mut ask,
                        &mut flush,
                    );
                    for &run in &runs[1..rows] {
                        count = search::<W, V, 2>(
                            [&a, &b],
                            &lanes,
                            run,
                            slot,
                            &mut hits,
                            count,
                            &mut ask,
                            &mut flush,
                        );
                    }
                } else {
                    for &run in &runs[..rows] {
                        count = search::<W, V, 1>(
                            [&a],
                            &lanes,
                            run,
                            slot,
                            &mut hits,
                            count,
                            &mut ask,
                            &mut flush,
                        );
                    }
                }
            }
            let beside: SmallVec<[_; 16]> = grid.levels_beside(h).collect();
            if beside.is_empty() {
                continue;
            }
            for slot in slots {
                let sphere = &grid.spheres[grid.table.id(slot) as usize];
                let packed = lanes.get(slot);
                let mut ask = |_: usize, group: usize, bits: u32| grid.ask(sphere, group, bits);
                for &other in &beside {
                    let query = grid.scale.query(packed, grid.scale.radius(other.largest));
                    let near = other.cells.near(sphere, other.largest);
                    for run in grid.table.runs_in(other, near) {
                        count = search::<W, V, 1>(
                            [&query],
                            &lanes,
                            run,
                            slot,
                            &mut hits,
                            count,
                            &mut ask,
                            &mut flush,
                        );
                    }
                }
            }
        }
        flush(&hits, count);
    }
}

impl<V: Vector, F: FnMut(u32)> Task for Near<'_, V, F> {
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self {
            grid,
            query: sphere,
            mut visit,
        } = self;
        let lanes = grid.packed.lanes();
        let packed = grid.scale.pack(&sphere);
        let mut hits = Hits::NONE;
        let mut count = 0;
        let mut flush = |hits: &Hits, count: usize| {
            hits.for_each(count, |_, slot| visit(grid.table.id(slot)));
        };
        let mut ask = |_: usize, group: usize, bits: u32| grid.ask(&sphere, group, bits);
        for level in grid.levels.iter().filter(|level| !level.slots.is_empty()) {
            let query = grid.scale.query(packed, grid.scale.radius(level.largest));
            let near = level.cells.near(&sphere, level.largest);
            for run in grid.table.runs_in(level, near) {
                count = search::<W, V, 1>(
                    [&query],
                    &lanes,
                    run,
                    0,
                    &mut hits,
                    count,
                    &mut ask,
                    &mut flush,
                );
            }
        }
        flush(&hits, count);
    }
}

/// Tests a run of slots against one or two that follow each other, and gives the new number of
/// groups with hits.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "parts of one loop")]
fn search<W: Width, V: Vector, const N: usize>(
    queries: [&Query; N],
    lanes: &Lanes<'_>,
    [start, end]: [u32; 2],
    first: usize,
    hits: &mut Hits,
    mut count: usize,
    ask: &mut impl FnMut(usize, usize, u32) -> u32,
    flush: &mut impl FnMut(&Hits, usize),
) -> usize {
    let (mut group, end) = (start as usize, end as usize);
    // At least once, even if the run is empty: what is done always needs no prediction.
    while lanes.have(group, W::WIDTH) {
        let valid = (1_u32 << (end.saturating_sub(group)).min(W::WIDTH)) - 1;
        for (i, query) in queries.into_iter().enumerate() {
            let [may, surely] = if V::DIM == 2 {
                W::test::<true>(query, lanes, group)
            } else {
                W::test::<false>(query, lanes, group)
            };
            let mut bits = surely & valid;
            if may & valid != bits {
                bits = ask(first + i, group, may & valid);
            }
            let at = count % BUFFER;
            hits.first[at] = (first + i) as u32;
            hits.group[at] = (group as u64) << 8 | u64::from(bits);
            count = at + usize::from(bits != 0);
            if count == BUFFER {
                flush(hits, count);
                count = 0;
            }
        }
        group += W::WIDTH;
        if group >= end {
            break;
        }
    }
    count
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Which of a group of spheres touch one, of those with a bit.
    #[cold]
    #[inline(never)]
    fn ask(&self, sphere: &Sphere<V>, group: usize, bits: u32) -> u32 {
        let touches = |bit: u32| {
            let other = self.table.id(group + bit as usize);
            sphere.touches(&self.spheres[other as usize])
        };
        let asked = (0..u32::BITS).filter(|bit| bits >> bit & 1 == 1);
        asked
            .filter(|&bit| touches(bit))
            .fold(0, |yes, bit| yes | 1 << bit)
    }
}
