//! The state of a list, which is also its snapshot.

use super::listed_pair::Bodies;
use super::{BroadPhase, Pair, PairList, PeriodicBox, Result, Sphere, Spine};
#[cfg(doc)]
use crate::ErrorKind;
use crate::broad::neighbor_lists::check_pairs;
use crate::broad::validate;
use crate::error::{Cause, Error};
use crate::math::{check_count, check_same_count};

/// The contents of a [`PairList`], to stop a run and to restart it with the same bits.
///
/// It can be serialized with the feature `serde`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "V: crate::Vector + serde::Serialize, T: serde::Serialize",
        deserialize = "V: crate::Vector + serde::de::DeserializeOwned, T: serde::Deserialize<'de>",
    ))
)]
pub struct PairListSnapshot<T, V: crate::Vector = glam::DVec3> {
    pub(super) body_count: usize,
    /// The spheres of the last update, with half the margin. If there are long bodies, then a sphere at the first end of
    /// each body is followed by as many at the second ends.
    pub(super) spheres: Vec<Sphere<V>>,
    /// The spheres at the last rebuild, with the skin; wrapped in a periodic box.
    pub(super) inflated: Vec<Sphere<V>>,
    /// The boxes of the last rebuild and of the last update.
    pub(super) periods: Option<[PeriodicBox<V>; 2]>,
    /// The pairs in ascending order, and the data of each.
    pub(super) pairs: Vec<Pair>,
    pub(super) data: Vec<T>,
    /// Whether the next update must rebuild. The list then shows no pairs; the rebuild takes their data.
    pub(super) is_stale: bool,
}

impl<T, V: crate::Vector> PairListSnapshot<T, V> {
    /// The state of an empty list.
    pub(super) const fn new() -> Self {
        Self {
            body_count: 0,
            spheres: Vec::new(),
            inflated: Vec::new(),
            periods: None,
            pairs: Vec::new(),
            data: Vec::new(),
            is_stale: true,
        }
    }

    /// Returns the number of pairs that the list shows.
    pub(super) const fn count(&self) -> usize {
        if self.is_stale { 0 } else { self.pairs.len() }
    }

    /// Returns the bodies of the last update, given their capsules, and the pairs that the list shows with their data.
    pub(super) fn bodies_and_rows<'a>(
        &'a mut self,
        spines: &'a [Spine<V>],
    ) -> (Bodies<'a, V>, (&'a [Pair], &'a mut [T])) {
        let count = self.count();
        let bodies = Bodies {
            count: self.body_count,
            spheres: &self.spheres,
            inflated: &self.inflated,
            spines,
            period: self.periods.as_ref().map(|[_, now]| now),
        };
        (bodies, (&self.pairs[..count], &mut self.data[..count]))
    }

    /// Checks the numbers of spheres and data, the spheres, and the order of the pairs.
    fn check(&self) -> Result<()> {
        let (spheres, pairs) = (&self.spheres, &self.pairs);
        check_count(self.body_count)?;
        check_same_count(pairs.len(), self.data.len())?;
        if !self.is_stale {
            let is_long = spheres.len() > self.body_count;
            check_same_count(spheres.len(), self.body_count << u32::from(is_long))?;
            check_same_count(spheres.len(), self.inflated.len())?;
            check_pairs(self.body_count, pairs)?;
            validate(spheres)?;
            validate(&self.inflated)?;
        }
        let follows = |i: usize| i == 0 || pairs[i - 1] < pairs[i];
        match (0..pairs.len()).find(|&i| pairs[i][0] >= pairs[i][1] || !follows(i)) {
            None => Ok(()),
            Some(index) => Err(Error(Cause::NotAscending {
                name: "pair",
                index,
            })),
        }
    }
}

impl<B: BroadPhase, T: Default> PairList<B, T> {
    /// Returns the pairs with their data, and the spheres that decide on the next rebuild.
    pub fn snapshot(&self) -> PairListSnapshot<T, B::Vector>
    where
        T: Clone,
    {
        self.state.clone()
    }

    /// Replaces the contents of the list by a snapshot.
    ///
    /// Updates then give the same results if the list has the same skin, margin and periodic box, and the bodies have
    /// the same indices. With another skin or margin no pair is lost, but the list is rebuilt at other steps. The broad
    /// phase holds no bodies until the next rebuild.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] for a pair of bodies that do not exist, and for wrong numbers of spheres or data.
    /// Returns [`ErrorKind::Parameter`] if the pairs are not in ascending order, and [`ErrorKind::Coordinate`] or
    /// [`ErrorKind::Radius`] for the first invalid sphere. The list is then unchanged.
    pub fn restore(&mut self, snapshot: PairListSnapshot<T, B::Vector>) -> Result<()> {
        snapshot.check()?;
        self.state = snapshot;
        self.set_spines();
        Ok(())
    }
}
