//! Gives bodies near a wall new indices.

use std::mem;

use super::WallList;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_new_indices};

impl<S: Default, V: Vector> WallList<S, V> {
    /// Changes the indices of the bodies, after they were sorted or some of them removed.
    ///
    /// `new_index` maps each old index to the new one, or to `None` for a removed body. The states follow their bodies.
    /// Cost: O(n log n) for n bodies; allocates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if two bodies get the same new index, and [`ErrorKind::TooMany`] if one is not
    /// below [`MAX_COUNT`](crate::math::MAX_COUNT). The list is then unchanged.
    pub fn renumber(&mut self, new_index: impl Fn(usize) -> Option<usize>) -> Result<()> {
        let is_waiting = !self.renumbered.is_empty();
        let waiting = self.renumbered.iter().map(|&(i, _)| i);
        let count = self.tracks.len() as u32;
        // A restored list has no tracks yet.
        let restored = self.near.iter().copied().filter(|&i| i >= count);
        let present = (0..count).chain(restored);
        let bodies = waiting.chain(present.filter(|_| !is_waiting));
        check_new_indices(bodies, &new_index)?;
        let new_index = |i: u32| new_index(i as usize).map(|i| i as u32);
        let mut tracks = mem::take(&mut self.renumbered);
        if !is_waiting {
            tracks.extend((0..).zip(self.tracks.drain(..)));
        }
        let tracks = tracks.into_iter();
        self.renumbered = tracks
            .filter_map(|(i, track)| Some((new_index(i)?, track)))
            .collect();
        let states = self.near.drain(..).zip(self.data.drain(..));
        let states = states.filter_map(|(i, state)| Some((new_index(i)?, state)));
        let mut states: Vec<(u32, S)> = states.collect();
        states.sort_by_key(|&(i, _)| i);
        (self.near, self.data) = states.into_iter().unzip();
        Ok(())
    }
}
