//! Tests of queries against runs of packed spheres.

use crate::broad::Pair;
use crate::broad::packed::{Lanes, Query};
use crate::broad::simd::{GROUP, Hits, Width};
use crate::math::Vector;

/// Tests queries against runs of slots, and passes touching pairs on in blocks.
///
/// `HITS` hits are converted to pairs together, in a separate loop whose branches the processor predicts well.
pub(super) struct Finder<'a, R, const HITS: usize> {
    pub(super) lanes: Lanes<'a>,
    /// The body of each slot.
    ids: &'a [u32],
    hits: Hits<HITS>,
    pairs: [[Pair; GROUP]; HITS],
    resolve: R,
    sink: &'a mut dyn FnMut(&[Pair]),
}

impl<'a, R, const HITS: usize> Finder<'a, R, HITS>
where
    R: FnMut(u32, usize, u32) -> u32,
{
    /// Creates a finder.
    ///
    /// `resolve(query, first slot, bits)` decides the selected tests of a group exactly. `sink` gets each block of
    /// pairs, the lower index first.
    #[inline(always)]
    pub(super) fn new(
        lanes: Lanes<'a>,
        ids: &'a [u32],
        resolve: R,
        sink: &'a mut dyn FnMut(&[Pair]),
    ) -> Self {
        Self {
            lanes,
            ids,
            hits: Hits::default(),
            pairs: [[[0; 2]; GROUP]; HITS],
            resolve,
            sink,
        }
    }

    /// Tests a run of slots against `N` queries, which have the indices `ids`.
    ///
    /// On their own row (`OWN`) the queries are consecutive slots. The run then starts with the slot after the
    /// first one, and the second one is not tested against itself.
    #[inline(always)]
    pub(super) fn search<W: Width, V: Vector, const N: usize, const OWN: bool>(
        &mut self,
        queries: &[Query; N],
        ids: [u32; N],
        [start, end]: [u32; 2],
    ) {
        let (mut group, end) = (start as usize, end as usize);
        let mut skip = if OWN { 1 } else { 0 };
        // The loop runs at least once, even for an empty run: a loop that always starts needs no prediction.
        while let Some(spheres) = W::load(&self.lanes, group) {
            if self.hits.count > HITS - N {
                self.flush::<W>();
            }
            let count = end as isize - group as isize;
            for (i, (query, id)) in queries.iter().zip(ids).enumerate() {
                let [mut possible, mut certain] = W::test::<V>(query, &spheres, count);
                if OWN && i == 1 {
                    (possible, certain) = (possible & !skip, certain & !skip);
                    skip = 0;
                }
                if possible != certain {
                    certain = (self.resolve)(id, group, possible);
                }
                self.hits.push(id, group, certain);
            }
            group += GROUP;
            if group >= end {
                break;
            }
        }
    }

    /// Passes on the remaining pairs.
    #[inline(never)]
    pub(super) fn flush<W: Width>(&mut self) {
        let count = W::write_pairs(&self.hits, self.ids, &mut self.pairs);
        (self.sink)(&self.pairs.as_flattened()[..count]);
        self.hits.count = 0;
    }
}
