//! Takes the bodies of a list out and in, and gives them new indices.

use super::WallList;
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{Vector, check_new_indices};

/// The bodies near a wall and their data, to stop a run and to restart it with the same bits.
///
/// It can be serialized with the feature `serde`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallListSnapshot<S> {
    bodies: Vec<(u32, S)>,
}

impl<S> WallListSnapshot<S> {
    /// Returns the bodies near the wall in ascending order, each with its data.
    ///
    /// States of any bodies can be collected into a new snapshot. So bodies take their data along to another rank.
    ///
    /// ```
    /// use osculate::narrow::WallListSnapshot;
    /// use osculate::{Skin, Sphere, SurfaceMesh, Wall, WallList, glam::DVec3};
    ///
    /// let wall = Wall::new(SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?);
    /// let mut list = WallList::<u32>::new(Skin::Relative(0.1))?;
    /// list.update(&[9.0, 0.5].map(|z| Sphere::new(DVec3::Z * z, 1.0)), &wall)?;
    /// let (body, state) = list.snapshot().into_bodies().next().unwrap();
    /// assert_eq!(body, 1);
    ///
    /// let mut other = WallList::<u32>::new(Skin::Relative(0.1))?;
    /// other.restore(WallListSnapshot::from_iter([(0, state)]))?;
    /// assert_eq!(other.bodies(), [0]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn into_bodies(self) -> impl Iterator<Item = (u32, S)> {
        self.bodies.into_iter()
    }
}

impl<S> FromIterator<(u32, S)> for WallListSnapshot<S> {
    fn from_iter<I: IntoIterator<Item = (u32, S)>>(bodies: I) -> Self {
        Self {
            bodies: bodies.into_iter().collect(),
        }
    }
}

impl<S: Default, V: Vector> WallList<S, V> {
    /// Returns the bodies near the wall with their data.
    ///
    /// After [`renumber`](Self::renumber), call it after the next update.
    pub fn snapshot(&self) -> WallListSnapshot<S>
    where
        S: Clone,
    {
        let bodies = self.near.bodies.iter().copied();
        bodies.zip(self.data.iter().cloned()).collect()
    }

    /// Replaces the contents of the list by a snapshot.
    ///
    /// The contacts are then the same if the list has the same skin, margin and wall, and the bodies have the same
    /// indices. The next update searches the facets around all bodies. A body that does not exist then loses its data.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Parameter`] if the bodies are not in ascending order. The list is then unchanged.
    pub fn restore(&mut self, snapshot: WallListSnapshot<S>) -> Result<()> {
        let bodies = snapshot.bodies;
        if let Some(place) = bodies.windows(2).position(|two| two[0].0 >= two[1].0) {
            return Err(Error(Cause::NotAscending {
                name: "entry",
                index: place + 1,
            }));
        }
        self.clear();
        (self.near.bodies, self.data) = bodies.into_iter().unzip();
        Ok(())
    }

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
