use super::{FromSide, Track, WallList, in_mesh};
#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::{Pose, Vector, check_count, check_position, check_same_count};

/// The contents of a [`WallList`], to stop a run and to restart it with the same bits.
///
/// It can be serialized with the feature `serde`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WallListSnapshot<S, V = glam::DVec3> {
    /// The center of each body at the last update, in the coordinates of the mesh.
    centers: Vec<Option<V>>,
    near: Vec<u32>,
    data: Vec<S>,
}

impl<S, V> WallListSnapshot<S, V> {
    /// Returns for each body its center at the last update, in the coordinates of the mesh, and its state if it is near
    /// the wall.
    ///
    /// Entries of any bodies can be collected into a new snapshot. So bodies take their states along to another rank.
    ///
    /// ```
    /// use osculate::narrow::WallListSnapshot;
    /// use osculate::{Skin, Sphere, SurfaceMesh, Wall, WallList, WallState, glam::DVec3};
    ///
    /// let wall = Wall::new(SurfaceMesh::from_triangles(&[[DVec3::ZERO, DVec3::X, DVec3::Y]])?);
    /// let mut list = WallList::<WallState>::new(Skin::Relative(0.1))?;
    /// list.update(&[9.0, 0.5].map(|z| Sphere::new(DVec3::Z * z, 1.0)), &wall)?;
    /// let mut bodies = list.snapshot().into_bodies();
    /// let (center, state) = bodies.nth(1).unwrap();
    /// assert!(center == Some(DVec3::Z * 0.5) && state.is_some());
    ///
    /// let mut other = WallList::<WallState>::new(Skin::Relative(0.1))?;
    /// other.restore(WallListSnapshot::from_iter([(center, state)]))?;
    /// assert_eq!(other.bodies(), [0]);
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn into_bodies(self) -> impl Iterator<Item = (Option<V>, Option<S>)> {
        let mut states = self.near.into_iter().zip(self.data).peekable();
        let bodies = self.centers.into_iter().enumerate();
        bodies.map(move |(i, center)| {
            let state = states.next_if(|&(body, _)| body as usize == i);
            (center, state.map(|(_, state)| state))
        })
    }
}

impl<S, V> FromIterator<(Option<V>, Option<S>)> for WallListSnapshot<S, V> {
    fn from_iter<I: IntoIterator<Item = (Option<V>, Option<S>)>>(bodies: I) -> Self {
        let (mut centers, mut near, mut data) = (Vec::new(), Vec::new(), Vec::new());
        for (center, state) in bodies {
            near.extend(state.is_some().then_some(centers.len() as u32));
            data.extend(state);
            centers.push(center);
        }
        Self {
            centers,
            near,
            data,
        }
    }
}

impl<S: FromSide<V>, V: Vector> WallList<S, V> {
    /// Returns the bodies near the wall with their states, and the centers of all bodies.
    ///
    /// After [`renumber`](Self::renumber), call it after the next update.
    pub fn snapshot(&self) -> WallListSnapshot<S, V>
    where
        S: Clone,
    {
        WallListSnapshot {
            centers: { self.centers.iter() }
                .map(|&center| in_mesh(center, &self.pose))
                .collect(),
            near: self.near.clone(),
            data: self.data.clone(),
        }
    }

    /// Replaces the contents of the list by a snapshot.
    ///
    /// The contacts are then the same if the list has the same skin, margin, sides and wall, and the bodies have the
    /// same indices. The next update searches the facets around all bodies.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] for a wrong number of states or a body that does not exist. Returns
    /// [`ErrorKind::Parameter`] if the bodies are not in ascending order, and [`ErrorKind::Coordinate`] for the first
    /// center out of range. The list is then unchanged.
    pub fn restore(&mut self, snapshot: WallListSnapshot<S, V>) -> Result<()> {
        let WallListSnapshot {
            centers,
            near,
            data,
        } = snapshot;
        check_count(centers.len())?;
        check_same_count(near.len(), data.len())?;
        if let Some(&last) = near.last() {
            let (index, count) = (last as usize, centers.len());
            if index >= count {
                return Err(Error(Cause::NoSuchBody { index, count }));
            }
        }
        if let Some(place) = near.windows(2).position(|two| two[0] >= two[1]) {
            return Err(Error(Cause::Parameter {
                name: "order of bodies at",
                value: place as f64,
                range: "ascending",
            }));
        }
        for (i, center) in centers.iter().enumerate() {
            if let Some(center) = *center {
                check_position("center", Some(i), center)?;
            }
        }
        self.clear();
        self.tracks.resize(centers.len(), Track::NEW);
        let nowhere = V::splat(f64::NAN);
        let centers = centers.into_iter().map(|center| center.unwrap_or(nowhere));
        self.centers.extend(centers);
        self.pose = Pose::IDENTITY;
        (self.near, self.data) = (near, data);
        Ok(())
    }
}
