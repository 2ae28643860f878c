//! Gives bodies near a wall new indices.

use std::mem;

use super::{FromSide, Track, WallList};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_new_indices};

impl<S: FromSide<V>, V: Vector> WallList<S, V> {
    /// Changes the indices of the bodies, after they were sorted or some of them removed.
    ///
    /// `new_index` maps each old index to the new one, or to `None` for a removed body. The states follow their bodies.
    /// Cost: O(n log n) for n bodies; allocates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if two bodies get the same new index, and [`ErrorKind::TooMany`] if one is not
    /// below [`MAX_COUNT`](crate::math::MAX_COUNT). The list is then unchanged.
    pub fn renumber(&mut self, new_index: impl Fn(usize) -> Option<usize>) -> Result<()> {
        // After an update that failed, the numbers of tracks and centers may differ.
        let count = self.tracks.len().max(self.centers.len());
        self.tracks.resize(count, Track::NEW);
        self.centers.resize(count, V::splat(f64::NAN));
        let present = 0..count as u32;
        let waiting = self.renumbered.iter().map(|&(i, _, _)| i);
        let is_waiting = !self.renumbered.is_empty();
        let bodies = waiting.chain(present.filter(|_| !is_waiting));
        check_new_indices(bodies, &new_index)?;
        let new_index = |i: u32| new_index(i as usize).map(|i| i as u32);
        if self.renumbered.is_empty() {
            let tracks = self.tracks.drain(..).zip(self.centers.drain(..));
            let tracks = (0..)
                .zip(tracks)
                .map(|(i, (track, center))| (i, track, center));
            self.renumbered = tracks.collect();
        }
        let tracks = mem::take(&mut self.renumbered).into_iter();
        let tracks = tracks.filter_map(|(i, track, center)| Some((new_index(i)?, track, center)));
        self.renumbered = tracks.collect();
        let states = self.near.drain(..).zip(self.data.drain(..));
        let states = states.filter_map(|(i, state)| Some((new_index(i)?, state)));
        let mut states: Vec<(u32, S)> = states.collect();
        states.sort_by_key(|&(i, _)| i);
        (self.near, self.data) = states.into_iter().unzip();
        Ok(())
    }
}
