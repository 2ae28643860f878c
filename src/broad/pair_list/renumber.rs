//! Keeps data with their pairs when pairs are reordered or bodies renumbered.

use std::mem;

use super::rows::{NEW, Rows};
use super::{BroadPhase, Pair, PairList, Result};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{check_new_indices, check_same_count};

impl<B: BroadPhase, T: Default> PairList<B, T> {
    /// Reorders your own array, with one value per pair, as the last rebuild has reordered the pairs.
    ///
    /// Call it once after each [`update`](Self::update) that returns true. Values of removed pairs are dropped, and new
    /// pairs get the default. A [`renumber`](Self::renumber) in between is taken into account.
    ///
    /// ```
    /// use osculate::{BruteForce, PairList, Skin, Sphere, glam::DVec2};
    ///
    /// let mut discs = [0.0, 0.9, 1.8].map(|x| Sphere::new(DVec2::X * x, 0.5));
    /// let mut list = PairList::<_>::new(BruteForce::new(), Skin::Absolute(0.0))?;
    /// list.update(&discs)?;
    /// let mut ages = vec![1, 2]; // of the pairs [0, 1] and [1, 2]
    /// discs[0].center.y = 7.0;
    /// if list.update(&discs)? {
    ///     list.carry_over(&mut ages)?;
    /// }
    /// assert_eq!((list.pairs(), &ages[..]), (&[[1, 2]][..], &[2][..]));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if there are not as many values as pairs before the rebuild. They are then
    /// unchanged.
    pub fn carry_over<U: Default>(&self, values: &mut Vec<U>) -> Result<()> {
        check_same_count(self.count_before, values.len())?;
        let old_count = values.len();
        values.reserve(self.kept.origins.len());
        for &origin in &self.kept.origins {
            let value = values[..old_count].get_mut(origin as usize);
            let value = value.map_or_else(U::default, mem::take);
            values.push(value);
        }
        values.drain(..old_count);
        Ok(())
    }

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
        let rows = [&self.kept, &self.before][usize::from(self.is_stale)];
        check_new_indices(rows.pairs.iter().flatten().copied(), &new_index)?;
        self.mark_stale();
        let mut before = mem::replace(&mut self.before, Rows::new());
        if !mem::replace(&mut self.is_renumbered, true) {
            before.origins = (0..before.pairs.len() as u32).collect();
        }
        let new_index = |i: u32| new_index(i as usize).map(|i| i as u32);
        let rows = before
            .pairs
            .into_iter()
            .zip(before.data)
            .zip(before.origins);
        let renumbered = rows.filter_map(|(([i, j], mut data), origin)| {
            let (i, j) = (new_index(i)?, new_index(j)?);
            if i > j {
                reverse(&mut data);
            }
            Some(([i.min(j), i.max(j)], (data, origin)))
        });
        let mut renumbered: Vec<(Pair, (T, u32))> = renumbered.collect();
        renumbered.sort_by_key(|&(pair, _)| pair);
        let (pairs, rest): (_, Vec<_>) = renumbered.into_iter().unzip();
        let (data, origins) = rest.into_iter().unzip();
        self.before = Rows {
            pairs,
            data,
            origins,
        };
        Ok(())
    }

    /// Ends a rebuild: origins become places in the last list.
    pub(super) fn end_rebuild(&mut self) {
        if mem::replace(&mut self.is_renumbered, false) {
            for origin in &mut self.kept.origins {
                let place = self.before.origins.get(*origin as usize);
                *origin = place.copied().unwrap_or(NEW);
            }
        }
    }
}
