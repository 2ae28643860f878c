use super::rows::{NEW, Rows};
use super::{BroadPhase, Pair, PairList, PeriodicBox, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::broad::neighbor_lists::check_pairs;
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
    spheres: Vec<Sphere<V>>,
    inflated: Vec<Sphere<V>>,
    periods: Option<[PeriodicBox<V>; 2]>,
    pairs: Vec<Pair>,
    data: Vec<T>,
    is_stale: bool,
}

impl<B: BroadPhase, T: Default> PairList<B, T> {
    /// Returns the pairs with their data, and the spheres that decide on the next rebuild.
    pub fn snapshot(&self) -> PairListSnapshot<T, B::Vector>
    where
        T: Clone,
    {
        let rows = if self.is_stale {
            &self.before
        } else {
            &self.kept
        };
        PairListSnapshot {
            spheres: self.spheres.clone(),
            inflated: self.inflated.clone(),
            periods: self.periods,
            pairs: rows.pairs.clone(),
            data: rows.data.clone(),
            is_stale: self.is_stale,
        }
    }

    /// Replaces the contents of the list by a snapshot.
    ///
    /// Updates then give the same results if the list has the same skin, margin and periodic box, and the bodies have
    /// the same indices. With another skin or margin no pair is lost, but the list is rebuilt at other steps.
    /// [`carry_over`](Self::carry_over) continues from the pairs of the snapshot. The broad phase holds no bodies until
    /// the next rebuild.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] for a pair of bodies that do not exist, and for wrong numbers of spheres or data.
    /// Returns [`ErrorKind::Parameter`] if the pairs are not in ascending order, and [`ErrorKind::Coordinate`] or
    /// [`ErrorKind::Radius`] for the first invalid sphere. The list is then unchanged.
    pub fn restore(&mut self, snapshot: PairListSnapshot<T, B::Vector>) -> Result<()> {
        let PairListSnapshot {
            spheres,
            inflated,
            periods,
            pairs,
            data,
            is_stale,
        } = snapshot;
        check_count(spheres.len())?;
        check_same_count(pairs.len(), data.len())?;
        if !is_stale {
            check_same_count(spheres.len(), inflated.len())?;
            check_pairs(spheres.len(), &pairs)?;
            for spheres in [&spheres, &inflated] {
                (0..)
                    .zip(spheres)
                    .try_for_each(|(i, sphere)| sphere.validate(i))?;
            }
        }
        let is_above = |i: usize| i == 0 || pairs[i - 1] < pairs[i];
        if let Some(index) = (0..pairs.len()).find(|&i| pairs[i][0] >= pairs[i][1] || !is_above(i))
        {
            return Err(Error(Cause::NotAscending {
                name: "pair",
                index,
            }));
        }
        let rows = Rows {
            origins: vec![NEW; pairs.len()],
            pairs,
            data,
        };
        self.clear();
        (self.spheres, self.inflated, self.periods) = (spheres, inflated, periods);
        self.count_before = rows.pairs.len();
        self.is_renumbered = false;
        self.is_stale = is_stale;
        *(if is_stale {
            &mut self.before
        } else {
            &mut self.kept
        }) = rows;
        Ok(())
    }
}
