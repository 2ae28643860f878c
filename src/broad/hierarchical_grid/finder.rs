//! Tests of queries against runs of packed spheres.

use crate::broad::packed::{Lanes, Query};
use crate::broad::simd::{GROUP, Width};
use crate::math::Vector;

/// The number of groups with hits that are collected before they are visited.
const BUFFER: usize = 256;

/// Tests queries against runs of slots, and collects the hits.
///
/// Hits are visited in batches: a loop of its own, whose branches the processor predicts well.
pub(super) struct Finder<'a, R, F> {
    pub(super) lanes: Lanes<'a>,
    hits: Hits,
    count: usize,
    resolve: R,
    visit: F,
}

/// Groups of slots with hits.
struct Hits {
    /// The slot of the query.
    query: [u32; BUFFER],
    /// The first slot of the group, and in the 8 lowest bits its hits.
    group: [u64; BUFFER],
}

impl<'a, R, F> Finder<'a, R, F>
where
    R: FnMut(usize, usize, u32) -> u32,
    F: FnMut(usize, usize),
{
    /// Creates a finder.
    ///
    /// `resolve(query slot, first slot, bits)` decides the selected tests of a group exactly. `visit(query slot,
    /// slot)` is called for each hit.
    #[inline(always)]
    pub(super) fn new(lanes: Lanes<'a>, resolve: R, visit: F) -> Self {
        let hits = Hits {
            query: [0; BUFFER],
            group: [0; BUFFER],
        };
        Self {
            lanes,
            hits,
            count: 0,
            resolve,
            visit,
        }
    }

    /// Tests a run of slots against the queries of `slot` and, with `N` = 2, of the next slot.
    ///
    /// On their own row (`OWN`) the run starts with the next slot, which is not tested against itself.
    #[inline(always)]
    pub(super) fn search<W: Width, V: Vector, const N: usize, const OWN: bool>(
        &mut self,
        queries: &[Query; N],
        [start, end]: [u32; 2],
        slot: usize,
    ) {
        let (mut group, end) = (start as usize, end as usize);
        let mut count = self.count;
        let mut skip = if OWN { 1 } else { 0 };
        // At least once, even if the run is empty: a loop that always starts needs no prediction.
        while let Some(spheres) = W::load(&self.lanes, group) {
            // All queries before anything is written, so that the spheres stay in registers.
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
            for (i, [possible, certain]) in results.into_iter().enumerate() {
                if OWN && i == 1 {
                    valid &= !skip;
                    skip = 0;
                }
                let mut bits = certain & valid;
                if possible & valid != bits {
                    bits = (self.resolve)(slot + i, group, possible & valid);
                }
                // Written always, counted only if there are hits: no branch.
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

    /// Visits the remaining hits.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
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
