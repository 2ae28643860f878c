//! Broad phases: every pair of bodies whose bounding spheres touch, and the facets of a wall near
//! spheres.

mod brute_force;
mod cells;
mod filtered;
mod hierarchical_grid;
mod levels;
mod linked_cells;
mod neighbor_lists;
mod packed;
mod pair_list;
#[cfg(feature = "rayon")]
mod parallel;
mod periodic;
mod ranks;
mod simd;

pub use crate::shape::PeriodicBox;
pub use brute_force::BruteForce;
pub use filtered::Filtered;
pub use hierarchical_grid::{GridAdvice, GridReport, HierarchicalGrid, LevelReport};
pub use levels::{
    GridCost, GridCostModel, GridWork, LevelSizes, LevelWork, RadiusDistribution, SearchDirection,
};
pub use linked_cells::LinkedCells;
pub use neighbor_lists::NeighborLists;
pub use pair_list::{PairList, Skin};
#[cfg(feature = "rayon")]
pub use parallel::par_collect_pairs;
pub use periodic::Periodic;
pub use ranks::{RankBody, rank_owns_pair};

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Result};
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
/// Only [`rebuild_with`](BroadPhase::rebuild_with), [`spheres`](BroadPhase::spheres),
/// [`chunk_count`](BroadPhase::chunk_count), [`for_each_pair_in`](BroadPhase::for_each_pair_in)
/// and [`for_each_touching`](BroadPhase::for_each_touching) are to be written; the rest is provided.
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
    /// before.
    ///
    /// This is the primitive: the caller's data may have any layout and any vector type. `sphere`
    /// may be asked several times for an index, first to check and at last to take: a second copy
    /// of all spheres would cost more than asking again.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`]; for the lowest bad body [`ErrorKind::Coordinate`] or
    /// [`ErrorKind::Radius`]; and what the implementation adds. The bodies are then those of before
    /// (or none, if `sphere` answered well at first and badly at last).
    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()>;

    /// Takes in the bodies of a slice, by their bounding spheres, in place of those before.
    ///
    /// # Errors
    /// As for [`rebuild_with`](BroadPhase::rebuild_with).
    fn rebuild<B: Bounded<V>>(&mut self, bodies: &[B]) -> Result<()> {
        self.rebuild_with(bodies.len(), |i| bodies[i].bounding_sphere())
    }

    /// The bounding spheres of the bodies as they were taken in, by index.
    fn spheres(&self) -> &[Sphere<V>];

    /// How many bodies there are.
    fn len(&self) -> usize {
        self.spheres().len()
    }

    /// Whether there are no bodies.
    fn is_empty(&self) -> bool {
        self.spheres().is_empty()
    }

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
    /// nothing. A grid takes the time of the cells that the query reaches.
    fn for_each_touching(&self, query: &impl Bounded<V>, visit: impl FnMut(u32));

    /// All pairs into a buffer, in the order of [`for_each_pair`](BroadPhase::for_each_pair); what
    /// was in it is dropped, its capacity kept.
    fn collect_pairs(&self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        self.for_each_pair(|i, j| pairs.push([i, j]));
    }

    /// The box that the bodies of the next rebuild repeat in, if they do.
    fn periodic_box(&self) -> Option<&PeriodicBox<V>> {
        None
    }

    /// Whether two bodies that touch, the lower index first, may be a pair: not if a
    /// [`Filtered`] says no.
    fn accepts_pair(&self, _i: u32, _j: u32) -> bool {
        true
    }
}

/// A broad phase whose bodies can be changed one at a time, as Monte Carlo moves and the insertion
/// of grains want it: as if the caller's list of bodies had been changed the same way and then
/// taken in anew, but for the order of the pairs.
///
/// ```
/// use osculate::{BroadPhase, BruteForce, Sphere, IncrementalBroadPhase, glam::DVec2};
///
/// let disc = |x: f64| Sphere::new(DVec2::new(x, 0.0), 0.5);
/// let mut broad = BruteForce::new();
/// broad.rebuild(&[disc(0.0), disc(1.0), disc(8.0)])?;
/// assert_eq!(broad.insert(disc(9.0))?, 3);
/// broad.relocate(1, disc(7.0))?;
/// broad.remove(0)?; // body 3 is now body 0
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2], [1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
pub trait IncrementalBroadPhase<V: Vector>: BroadPhase<V> {
    /// Adds a body at the end, as `Vec::push` does, and gives its index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`]; [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] with the
    /// index the body would have; and what the implementation adds. After an error of any update
    /// nothing has changed.
    fn insert(&mut self, sphere: Sphere<V>) -> Result<u32>;

    /// Takes a body out, and gives its index to the last one, as `Vec::swap_remove` does.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the body does not exist.
    fn remove(&mut self, body: u32) -> Result<()>;

    /// Gives a body another sphere.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the body does not exist; [`ErrorKind::Coordinate`] or
    /// [`ErrorKind::Radius`] with its index; and what the implementation adds.
    fn relocate(&mut self, body: u32, sphere: Sphere<V>) -> Result<()>;
}

/// Refuses an index beyond the bodies.
fn check_body(body: u32, count: usize) -> Result<()> {
    let index = body as usize;
    if index < count {
        Ok(())
    } else {
        Err(Cause::NoSuchBody { index, count }.into())
    }
}

/// Takes spheres in, or leaves those of before if one of them is bad.
fn gather<V: Vector>(
    count: usize,
    sphere: impl Fn(usize) -> Sphere<V>,
    into: &mut Vec<Sphere<V>>,
) -> Result<()> {
    check_count(count)?;
    (0..count).try_for_each(|index| sphere(index).check(index))?;
    into.clear();
    into.reserve_exact(count);
    into.extend((0..count).map(sphere));
    let checked = (0..).zip(&*into).try_for_each(|(index, s)| s.check(index));
    checked.inspect_err(|_| into.clear())
}

/// Sets the length of a buffer that is to be filled; it grows to no more than that.
fn resize<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) {
    buffer.reserve_exact(length.saturating_sub(buffer.len()));
    buffer.resize(length, T::default());
}
