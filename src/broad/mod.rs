//! Broad phases: every pair of bodies whose bounding spheres touch.

mod brute_force;
mod cell_table;
mod linked_cells;
#[cfg(feature = "rayon")]
mod parallel;

pub use brute_force::BruteForce;
pub use linked_cells::LinkedCells;
#[cfg(feature = "rayon")]
pub use parallel::par_collect_pairs;

use crate::error::{Error, Result};
use crate::math::{Vector, check_count};
use crate::shape::{Bounded, Sphere};

/// Two bodies by their indices, the lower first.
pub type Pair = [u32; 2];

/// Finds every pair of bodies whose bounding spheres touch: distance <= sum of the radii,
/// inclusive, decided without rounding (see [`Sphere::touches`]).
///
/// The contract of an implementation, which [`testing::laws`](crate::testing::laws) checks: no
/// pair is missed and none reported twice; the order of the pairs depends on the spheres only,
/// never on threads, hashing or what was there before; memory is O(n) whatever the extent; nothing
/// is allocated once the buffers have grown.
///
/// Only [`rebuild_with`](BroadPhase::rebuild_with), [`body_count`](BroadPhase::body_count),
/// [`chunk_count`](BroadPhase::chunk_count), [`for_each_pair_in`](BroadPhase::for_each_pair_in)
/// and [`for_each_near`](BroadPhase::for_each_near) are to be written; the rest is provided.
///
/// ```
/// use osculate::{BroadPhase, LinkedCells, Sphere, glam::DVec3};
///
/// let spheres = [0.0, 1.5, 4.0].map(|x| Sphere::new(DVec3::X * x, 1.0));
/// let mut cells = LinkedCells::new();
/// cells.rebuild(&spheres)?;
/// let mut pairs = Vec::new();
/// cells.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), osculate::Error>(())
/// ```
pub trait BroadPhase<V: Vector> {
    /// Takes in `count` bodies, body `i` with the bounding sphere `sphere(i)`, in place of those
    /// before. `sphere` is called once for each index, in ascending order.
    ///
    /// This is the primitive: the caller's data may have any layout and any vector type.
    ///
    /// # Errors
    /// [`Error::TooMany`]; for the lowest bad body [`Error::Coordinate`] or [`Error::Radius`];
    /// what the implementation adds. The bodies are then those of before.
    fn rebuild_with(&mut self, count: usize, sphere: impl FnMut(usize) -> Sphere<V>) -> Result<()>;

    /// Takes in the bodies of a slice in place of those before.
    ///
    /// # Errors
    /// As for [`rebuild_with`](BroadPhase::rebuild_with).
    fn rebuild<B: Bounded<V>>(&mut self, bodies: &[B]) -> Result<()> {
        self.rebuild_with(bodies.len(), |i| bodies[i].bounding_sphere())
    }

    /// How many bodies were taken in.
    fn body_count(&self) -> usize;

    /// Into how many chunks the pairs are divided: a number that the spheres fix, so that any
    /// thread pool can share the chunks out and still put the pairs into the serial order.
    fn chunk_count(&self) -> usize;

    /// Visits the pairs of one chunk, each with the lower index first. No pairs beyond the last
    /// chunk.
    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(u32, u32));

    /// Visits all pairs, chunk after chunk.
    fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        for chunk in 0..self.chunk_count() {
            self.for_each_pair_in(chunk, &mut visit);
        }
    }

    /// Visits each body whose bounding sphere touches that of `query`, once.
    ///
    /// The query may be of any size. One out of the domain (NaN, a negative radius) touches
    /// nothing.
    fn for_each_near(&self, query: &impl Bounded<V>, visit: impl FnMut(u32));

    /// All pairs into a buffer, in the order of [`for_each_pair`](BroadPhase::for_each_pair); what
    /// was in it is dropped, its capacity kept.
    fn collect_pairs(&self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        self.for_each_pair(|i, j| pairs.push([i, j]));
    }
}

/// Spheres as they come in, checked; `into` holds garbage after an error.
fn gather<V: Vector>(
    count: usize,
    mut sphere: impl FnMut(usize) -> Sphere<V>,
    into: &mut Vec<Sphere<V>>,
) -> Result<()> {
    check_count(count)?;
    into.clear();
    for index in 0..count {
        let sphere = sphere(index);
        sphere.check(index)?;
        into.push(sphere);
    }
    Ok(())
}
