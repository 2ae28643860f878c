//! Data that belong to contacts and persist from step to step.

use smallvec::SmallVec;

use super::double_hierarchy::{DoubleHierarchy, Wall, WallContact, WallMesh, match_contacts};
use super::{NarrowPhase, PressureShare};
use crate::math::Vector;
use crate::shape::Sphere;

/// The contacts of two bodies at the last step, each with your own value, such as a tangential spring.
///
/// [`follow`](Self::follow), or for shares of a pressure field [`follow_shares`](Self::follow_shares), takes the contacts of the next step. A contact that continues an earlier
/// one inherits its value, and a new contact gets the default. The values of ended contacts are dropped.
///
/// - `C` = [`WallContact`]: a sphere or a capsule at a wall. A contact continues on the same feature or moves on to an adjacent
///   facet ([`match_contacts`]). Among the images of a periodic wall, the most similar normal decides. Use a
///   history for each sphere of a cluster, and one for each wall.
/// - `C` = [`PressureShare`]: a pair of polyhedra, or a polyhedron at a wall. The kernel has matched the shares
///   ([`PressureShare::previous`]). Two contacts may continue the same one: the shares of both then get its values.
///
/// A history does not refer to its bodies. Store it as the data of a [`PairList`] or a [`WallList`], which keep it with
/// them through rebuilds and renumbering. With the feature `serde` it can be serialized.
///
/// [`PairList`]: crate::PairList
/// [`WallList`]: crate::WallList
///
/// ```
/// use osculate::narrow::{ContactHistory, PressureField};
/// use osculate::{ConvexPolyhedron, NarrowPhase, Placed, Pose3, glam::DVec3};
///
/// let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
/// let cube = ConvexPolyhedron::from_convex_hull(&(0..8).map(corner).collect::<Vec<_>>())?;
/// let at = |x: f64, z: f64| Pose3::from_translation(DVec3::new(x, 0.1, z)).map(|pose| Placed::new(&cube, pose));
///
/// let (mut kernel, mut state) = (PressureField::new().with_points(), Default::default());
/// let mut springs = ContactHistory::<_, f64>::default();
/// for step in 0..3 {
///     let x = 0.01 * f64::from(step);
///     let contact = kernel.contact_with(&at(0.0, 0.0)?, &at(x, 0.99)?, &mut state).unwrap();
///     for (_share, spring) in springs.follow_shares(&contact.points.unwrap().shares) {
///         *spring += 0.01;
///     }
/// }
/// assert!(springs.iter().all(|(_, spring)| (spring - 0.03).abs() < 1e-12));
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactHistory<C, T> {
    entries: SmallVec<[(C, T); 1]>,
}

impl<C, T> Default for ContactHistory<C, T> {
    fn default() -> Self {
        Self {
            entries: SmallVec::new(),
        }
    }
}

impl<C, T> ContactHistory<C, T> {
    /// Returns the contacts of the last step with their values, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(C, T)> {
        self.entries.iter()
    }

    /// Returns the contacts of the last step with mutable references to their values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&C, &mut T)> {
        self.entries
            .iter_mut()
            .map(|(contact, value)| (&*contact, value))
    }

    /// Returns the number of contacts of the last step.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there were no contacts at the last step.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<V: Vector, T: Default> ContactHistory<WallContact<V>, T> {
    /// Replaces the contacts by those of the next step, and returns them with their inherited values.
    ///
    /// Call [`clear`](Self::clear) first if the wall has a new mesh with other facets.
    ///
    /// Cost: O(n^3) for n contacts, few in practice.
    pub fn follow<M: WallMesh<Vector = V>>(
        &mut self,
        wall: &Wall<M>,
        contacts: impl IntoIterator<Item = WallContact<V>>,
    ) -> impl ExactSizeIterator<Item = (&WallContact<V>, &mut T)> {
        let mut contacts = contacts.into_iter();
        let first = contacts.next();
        if let (Some(contact), [(old, _)], (0, Some(0))) =
            (first, &mut self.entries[..], contacts.size_hint())
            && contact.key(0) == old.key(0)
        {
            // The common case: a single contact that stays on its feature.
            *old = contact;
            return self.iter_mut();
        }
        // The old contacts stay in front of the new ones until these have their values.
        let old_count = self.entries.len();
        let new = first.into_iter().chain(contacts);
        (self.entries).extend(new.map(|contact| (contact, T::default())));
        let (before, now) = self.entries.split_at_mut(old_count);
        let mut matches: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        let are_adjacent = |_, facet, other| wall.are_adjacent(facet, other);
        let of = |entry: &(WallContact<V>, T)| (0, entry.0);
        match_contacts(now, before, of, are_adjacent, |i, j| matches.push((i, j)));
        for (i, j) in matches {
            now[i].1 = std::mem::take(&mut before[j].1);
        }
        self.entries.drain(..old_count);
        self.iter_mut()
    }
}

impl<T: Default + Clone> ContactHistory<PressureShare, T> {
    /// Replaces the shares by those of the next step, and returns them with their inherited values.
    ///
    /// Pass all shares of the pair at each step, and none if there is no contact. At a wall, pass the shares of all
    /// contacts in order.
    pub fn follow_shares<'a>(
        &mut self,
        shares: impl IntoIterator<Item = &'a PressureShare>,
    ) -> impl ExactSizeIterator<Item = (&PressureShare, &mut T)> {
        let old_count = self.entries.len();
        for share in shares {
            let old = &self.entries[..old_count];
            let previous = share.previous.and_then(|k| old.get(k as usize));
            let value = previous.map_or_else(T::default, |(_, value)| value.clone());
            self.entries.push((*share, value));
        }
        self.entries.drain(..old_count);
        self.iter_mut()
    }
}

/// The contacts of a sphere at a wall, each with your own value.
///
/// Keep one for each sphere and wall, for example as the data of a [`WallList`](crate::WallList).
///
/// ```
/// use osculate::narrow::WallHistory;
/// use osculate::{DoubleHierarchy, Sphere, SurfaceMesh, Wall, glam::DVec3};
///
/// // A sphere slides over the common edge of two facets.
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::ONE.with_z(0.0), DVec3::Y];
/// let floor = Wall::new(SurfaceMesh::new(corners.to_vec(), [[0, 1, 2], [0, 2, 3]])?);
/// let (mut kernel, mut history) = (DoubleHierarchy::new(), WallHistory::<f64>::default());
/// for step in 0..50 {
///     let x = 0.25 + 0.01 * f64::from(step);
///     let sphere = Sphere::new(DVec3::new(x, 0.5, 0.09), 0.1);
///     history.for_each_contact(&mut kernel, &sphere, &floor, |_, slip| *slip += 0.01);
/// }
/// let slips: Vec<_> = history.iter().map(|(_, slip)| *slip).collect();
/// assert!(slips.len() == 1 && (slips[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), osculate::Error>(())
/// ```
pub type WallHistory<T, V = glam::DVec3> = ContactHistory<WallContact<V>, T>;

impl<T: Default, V: Vector> WallHistory<T, V> {
    /// Visits the contacts of this step in ascending order of distance, each with the value it continues.
    ///
    /// `wall` is a [`Wall`], or the facets of it near the sphere.
    pub fn for_each_contact<M: WallMesh<Vector = V>, W: AsRef<Wall<M>>>(
        &mut self,
        kernel: &mut DoubleHierarchy<V>,
        sphere: &Sphere<V>,
        wall: &W,
        mut visit: impl FnMut(&WallContact<V>, &mut T),
    ) where
        DoubleHierarchy<V>: NarrowPhase<Sphere<V>, W, Contact = WallContact<V>, State = ()>,
    {
        let mut now: SmallVec<[WallContact<V>; 2]> = SmallVec::new();
        kernel.for_each_contact(sphere, wall, &mut (), |contact| now.push(contact));
        for (contact, value) in self.follow(wall.as_ref(), now.iter().copied()) {
            visit(contact, value);
        }
    }
}
