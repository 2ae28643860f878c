//! Keeps data with their pairs when pairs are reordered or bodies renumbered.

use super::{BroadPhase, Pair, PairList, Result};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::check_new_indices;

impl<B: BroadPhase, T: Default> PairList<B, T> {
    /// Changes the indices of the bodies, after they were sorted or some of them removed.
    ///
    /// `new_index` maps each old index to the new one, or to `None` for a removed body. The list is empty until the
    /// next update, which rebuilds and carries the data of the remaining pairs over. `reverse` is called for the data
    /// of a pair whose bodies change their order. A force or a spring on the second body then changes its sign.
    ///
    /// Cost: O(p log p) for p pairs; allocates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if two bodies with pairs get the same new index, and [`ErrorKind::TooMany`] if one
    /// is not below [`MAX_COUNT`](crate::math::MAX_COUNT). The list is then unchanged.
    pub fn renumber(
        &mut self,
        new_index: impl Fn(usize) -> Option<usize>,
        mut reverse: impl FnMut(&mut T),
    ) -> Result<()> {
        let state = &mut self.state;
        check_new_indices(state.pairs.iter().flatten().copied(), &new_index)?;
        state.is_stale = true;
        let new_index = |i: u32| new_index(i as usize).map(|i| i as u32);
        let rows = state.pairs.drain(..).zip(state.data.drain(..));
        let renumbered = rows.filter_map(|([i, j], mut data)| {
            let (i, j) = (new_index(i)?, new_index(j)?);
            if i > j {
                reverse(&mut data);
            }
            Some(([i.min(j), i.max(j)], data))
        });
        let mut renumbered: Vec<(Pair, T)> = renumbered.collect();
        renumbered.sort_by_key(|&(pair, _)| pair);
        (state.pairs, state.data) = renumbered.into_iter().unzip();
        Ok(())
    }
}
