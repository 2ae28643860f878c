//! Gives bodies near a wall new indices.

use super::WallList;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::Result;
use crate::math::{Vector, check_new_indices};

impl<S: Default, V: Vector> WallList<S, V> {
    /// Changes the indices of the bodies, after they were sorted or some of them removed.
    ///
    /// `new_index` maps each old index to the new one, or to `None` for a removed body. The data follow their bodies.
    /// The next update searches the facets around all bodies. Cost: O(n log n) for n bodies; allocates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if two bodies get the same new index, and [`ErrorKind::TooMany`] if one is not
    /// below [`MAX_COUNT`](crate::math::MAX_COUNT). The list is then unchanged.
    pub fn renumber(&mut self, new_index: impl Fn(usize) -> Option<usize>) -> Result<()> {
        let count = self.tracks.len() as u32;
        // A restored list has no tracks yet.
        let restored = self.near.bodies.iter().copied().filter(|&i| i >= count);
        check_new_indices((0..count).chain(restored), &new_index)?;
        let bodies = self.near.bodies.drain(..).zip(self.data.drain(..));
        let renumbered = |(i, data): (u32, S)| Some((new_index(i as usize)? as u32, data));
        let mut bodies: Vec<(u32, S)> = bodies.filter_map(renumbered).collect();
        bodies.sort_by_key(|&(i, _)| i);
        self.near.clear();
        (self.near.bodies, self.data) = bodies.into_iter().unzip();
        self.look_again();
        Ok(())
    }
}
