//! Parallel updates of the list, with the same contents as serial ones.

use rayon::prelude::*;

use super::WallList;
use crate::error::Result;
use crate::math::Vector;
use crate::narrow::{FacetSubset, Wall, WallMesh};
use crate::parallel::{PART, Worker, Workers};
use crate::shape::{Bounded, Sphere};

impl<S: Default + Send + Sync, V: Vector> WallList<S, V> {
    /// Does the same as [`update`](Self::update) on rayon's current thread pool, with the same result for any number
    /// of threads.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn par_update<M, X>(&mut self, bodies: &[X], wall: &Wall<M>) -> Result<bool>
    where
        M: WallMesh<Vector = V>,
        X: Bounded<Vector = V> + Sync,
    {
        self.par_update_with(bodies.len(), |i| bodies[i].bounding_sphere(), wall)
    }

    /// Does the same as [`update_with`](Self::update_with) on rayon's current thread pool, with the same result for
    /// any number of threads.
    ///
    /// # Errors
    /// As for [`update_with`](Self::update_with).
    pub fn par_update_with<M: WallMesh<Vector = V>>(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
        wall: &Wall<M>,
    ) -> Result<bool> {
        self.update_parts(count, count.div_ceil(PART), wall, |list, tracks, parts| {
            let tasks = tracks.par_chunks_mut(PART).zip(parts).enumerate();
            let scan = |(i, (tracks, part))| list.scan(i * PART, tracks, &sphere, wall, part);
            // The error of the first part counts.
            tasks.map(scan).reduce(|| Ok(false), |a, b| Ok(a? | b?))
        })
    }

    /// Visits each body near the wall, as [`for_each_body`](Self::for_each_body), on rayon's current thread pool.
    ///
    /// `visit` gets the kernel of its task, the body, the facets near it, its data, and the results of the task to append
    /// to. Each body is visited once. [`Workers::results`] are in the order of the bodies for any number of threads.
    pub fn par_for_each_body<M: WallMesh<Vector = V>, K: Clone + Send, C: Send>(
        &mut self,
        wall: &Wall<M>,
        workers: &mut Workers<K, C>,
        visit: impl Fn(&mut K, usize, &FacetSubset<'_, M>, &mut S, &mut Vec<C>) + Sync,
    ) {
        let count = self.count_at(wall);
        let (near, data) = (&self.near, &mut self.data[..count]);
        workers.run(
            &near.bodies[..count],
            data,
            |Worker { kernel, results }, first, bodies, data| {
                for (k, (&body, data)) in bodies.iter().zip(data).enumerate() {
                    near.prefetch(first + k + 1, wall);
                    let near = FacetSubset::within(wall, near.of(first + k));
                    visit(kernel, body as usize, &near, data, results);
                }
            },
        );
    }
}
