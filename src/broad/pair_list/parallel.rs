//! Parallel updates of the list, with the same contents as serial ones.

use std::ops::Range;

use rayon::prelude::*;

use super::listed_pair::{ListedPair, append_near};
use super::rows::{carry, for_each_hit};
use super::travel::{Change, have_stayed};
use super::{PairList, PairListSnapshot, end_spheres, extended, validate, with_skin};
use crate::broad::source::copies;
use crate::broad::{BroadPhase, Pair, Result, Sphere, resize};
use crate::math::{Vector, check_count};
use crate::parallel::{PART, Workers, collect_chunks};
use crate::shape::Bounded;

impl<B: BroadPhase + Sync, T: Default + Send> PairList<B, T> {
    /// Does the same as [`update`](Self::update) on rayon's current thread pool, with the same result for any
    /// number of threads.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn par_update<X: Bounded<Vector = B::Vector> + Sync>(
        &mut self,
        bodies: &[X],
    ) -> Result<bool> {
        self.par_update_with(bodies.len(), |i| &bodies[i])
    }

    /// Does the same as [`update_with`](Self::update_with) on rayon's current thread pool, with the same
    /// result for any number of threads.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn par_update_with<X: Bounded<Vector = B::Vector>>(
        &mut self,
        count: usize,
        body: impl Fn(usize) -> X + Sync,
    ) -> Result<bool> {
        check_count(count).inspect_err(|_| self.state.is_stale = true)?;
        self.begin_update(count);
        let is_long = |i| body(i).bounding_capsule().is_some();
        let are_long = par_any(count, &|mut some| some.any(is_long));
        let (spheres, margin) = (&mut self.state.spheres, self.margin);
        if are_long {
            let end = |i| end_spheres(&body(i % count))[i / count];
            par_copy(2 * count, &copies(|i| extended(end(i), margin)), spheres);
        } else {
            let sphere = |i| extended(body(i).bounding_sphere(), margin);
            par_copy(count, &copies(sphere), spheres);
        }
        if !self.state.is_stale && self.is_kept(par_have_stayed) {
            self.set_spines();
            return Ok(false);
        }
        self.par_rebuild().map_err(|error| {
            self.state.is_stale = true;
            let first = (0..count).find_map(|i| validate(&body(i), i).err());
            first.unwrap_or(error)
        })?;
        Ok(true)
    }

    /// Visits each pair that touched at the last update, as
    /// [`for_each_touching_image`](Self::for_each_touching_image), on rayon's current thread pool.
    ///
    /// `visit` gets the kernel of its task, the pair, its data, and the results of the task to append to. Each pair is
    /// visited once. [`Workers::results`] are in the order of the pairs for any number of threads.
    ///
    /// ```
    /// use osculate::broad::Workers;
    /// use osculate::{Contact, HierarchicalGrid, NarrowPhase, PairList, Skin, Sphere, SphereSphere, glam::DVec3};
    ///
    /// let spheres: Vec<_> = (0..1000).map(|i| Sphere::new(DVec3::X * f64::from(i), 0.75)).collect();
    /// let mut list = PairList::<_>::new(HierarchicalGrid::new(), Skin::Relative(0.1))?;
    /// let mut workers = Workers::<_, ([usize; 2], Contact)>::new(SphereSphere::new());
    /// // Each step:
    /// list.par_update(&spheres)?;
    /// list.par_for_each_touching_image(&mut workers, |kernel, pair, _, contacts| {
    ///     let contact = kernel.contact(&spheres[pair.i], &spheres[pair.j]);
    ///     contacts.extend(contact.map(|contact| ([pair.i, pair.j], contact)));
    /// });
    /// // The serial order: forces are added up with the same bits on any number of threads.
    /// assert!(workers.results().map(|(pair, _)| pair[0]).eq(0..999));
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn par_for_each_touching_image<K: Clone + Send, C: Send>(
        &mut self,
        workers: &mut Workers<K, C>,
        visit: impl Fn(&mut K, ListedPair<B::Vector>, &mut T, &mut Vec<C>) + Sync,
    ) {
        let (resets, (bodies, (pairs, data))) =
            (self.resets, self.state.bodies_and_rows(&self.spines));
        workers.run(pairs, data, |worker, _, pairs, data| {
            for_each_hit(
                (pairs, data),
                |pairs| bodies.hits_of(pairs),
                resets,
                |i, j, data| {
                    let pair = bodies.listed(i, j);
                    visit(&mut worker.kernel, pair, data, &mut worker.results);
                },
            );
        });
    }

    /// Does the same as [`rebuild`](Self::rebuild).
    fn par_rebuild(&mut self) -> Result<()> {
        let (skin, period) = (self.skin, self.broad_phase.periodic_box());
        let PairListSnapshot {
            spheres, inflated, ..
        } = &mut self.state;
        let sphere = |i: usize| with_skin(&spheres[i], skin, period);
        par_copy(spheres.len(), &copies(sphere), inflated);
        let bodies = self.state.bodies_and_rows(&[]).0;
        let (count, capsule) = (bodies.long_count(), |i| bodies.inflated_capsule(i, skin));
        par_copy(count, &copies(|i| capsule(i).0), &mut self.spines);
        par_copy(count, &copies(|i| capsule(i).1), &mut self.bounds);
        self.broad_phase.par_rebuild(bodies.bounds(&self.bounds))?;
        let (broad_phase, spines) = (&self.broad_phase, &self.spines);
        let fill = |chunk, pairs: &mut Vec<Pair>| append_near(broad_phase, chunk, spines, pairs);
        collect_chunks(
            broad_phase.chunk_count(),
            &fill,
            &mut self.parts,
            &mut self.found,
        );
        self.list_found(par_carry)
    }
}

/// Returns whether `has` holds for a part of some indices.
fn par_any(count: usize, has: &(dyn Fn(Range<usize>) -> bool + Sync)) -> bool {
    let parts = (0..count.div_ceil(PART)).into_par_iter();
    parts.any(|part| has(part * PART..count.min((part + 1) * PART)))
}

/// Replaces the contents of `items` by `count` others.
fn par_copy<T: Clone + Default + Send>(
    count: usize,
    source: &(dyn Fn(usize, &mut [T]) + Sync),
    items: &mut Vec<T>,
) {
    resize(items, count);
    let parts = items.par_chunks_mut(PART).enumerate();
    parts.for_each(|(part, items)| source(part * PART, items));
}

/// Does the same as [`carry`], half of the pairs in each task.
fn par_carry<T: Default + Send>([pairs, old_pairs]: [&[Pair]; 2], [data, old_data]: [&mut [T]; 2]) {
    if pairs.len() <= PART {
        return carry([pairs, old_pairs], [data, old_data]);
    }
    let (left, right) = pairs.split_at(pairs.len() / 2);
    let place = old_pairs.partition_point(|pair| *pair < right[0]);
    let data = data.split_at_mut(left.len());
    let (old_pairs, old_data) = (old_pairs.split_at(place), old_data.split_at_mut(place));
    rayon::join(
        || par_carry([left, old_pairs.0], [data.0, old_data.0]),
        || par_carry([right, old_pairs.1], [data.1, old_data.1]),
    );
}

/// Does the same as [`have_stayed`].
fn par_have_stayed<V: Vector>(
    [spheres, inflated]: [&[Sphere<V>]; 2],
    change: Change<'_, V>,
) -> bool {
    let parts = spheres.par_chunks(PART).zip(inflated.par_chunks(PART));
    parts.all(|(spheres, inflated)| have_stayed([spheres, inflated], change))
}
