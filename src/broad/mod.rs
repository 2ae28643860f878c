//! Broad phases: neighbor search, Verlet lists, periodic boxes, domain decomposition.
//!
//! A broad phase finds all pairs of bodies whose bounding spheres touch. It stores a copy of the
//! spheres, and every rebuild replaces them. Bodies are named by their indices.
//!
//! | type | for |
//! |---|---|
//! | [`HierarchicalGrid`] | any sizes and positions; start here |
//! | [`LinkedCells`] | bodies of similar size |
//! | [`HashGrid`] | bodies that change one at a time |
//! | [`BruteForce`] | up to about ten bodies, and as a reference |
//! | [`PairList`] around one of these | pairs that are kept for several steps, with your data |
//! | [`Periodic`] around one of these | a [`PeriodicBox`] |
//! | [`Filtered`] around one of these | pairs to be left out, such as bonded bodies |
//! | [`NeighborLists`] | the neighbors of each body, from a list of pairs |
//! | [`RankBody`], [`rank_owns_pair`] | ranks with ghost particles |
//!
//! The guide explains [neighbor search](crate::guide::neighbors), [tuning](crate::guide::tuning) and [periodic
//! boxes](crate::guide::periodic). Implement [`BroadPhase`] for your own search.

mod brute_force;
mod cells;
mod filtered;
mod hash_grid;
mod hierarchical_grid;
pub(crate) mod levels;
mod linked_cells;
mod neighbor_lists;
mod packed;
mod pair_list;
mod periodic;
mod ranks;
mod simd;
mod source;

#[cfg(feature = "rayon")]
#[doc(inline)]
pub use crate::parallel::Workers;
#[doc(inline)]
pub use crate::shape::{PeriodicBox, Skin};
pub use brute_force::BruteForce;
pub use filtered::Filtered;
pub use hash_grid::HashGrid;
pub use hierarchical_grid::{GridReport, HierarchicalGrid, LevelReport};
pub use levels::{GridWork, LevelSizes, SearchDirection};
pub use linked_cells::LinkedCells;
pub use neighbor_lists::NeighborLists;
pub use pair_list::{ListedPair, PairList, PairListSnapshot};
pub use periodic::Periodic;
pub use ranks::{RankBody, rank_owns_pair};

#[cfg(doc)]
use crate::ErrorKind;
use crate::error::{Cause, Error, Result};
use crate::math::Vector;
#[doc(inline)]
pub use crate::math::check_count;
use crate::shape::{Bounded, Sphere};

/// The indices of two bodies, the lower first.
pub type Pair = [u32; 2];

/// A neighbor search, which finds every pair of bodies whose bounding spheres touch.
///
/// Two spheres touch if the distance of their centers is at most the sum of their radii, decided in
/// exact arithmetic ([`Sphere::touches`]).
///
/// An implementation guarantees, and `testing::properties` checks, that
///
/// - no pair is missed, and none is reported twice;
/// - the order of the pairs depends on the spheres only, not on threads, hashing or earlier contents;
/// - memory is O(n) for any extent, and nothing is allocated once the buffers have grown.
///
/// Five methods are required: [`rebuild_with`](BroadPhase::rebuild_with), [`spheres`](BroadPhase::spheres),
/// [`chunk_count`](BroadPhase::chunk_count), [`for_each_pair_in`](BroadPhase::for_each_pair_in) and
/// [`for_each_touching`](BroadPhase::for_each_touching).
///
/// # Near pairs
/// A kernel with a margin m reports bodies up to m apart. Their bounding spheres may not touch, so a bare
/// grid misses such pairs. Rebuild it from spheres inflated by m/2 ([`Sphere::inflated`]), or use
/// [`PairList::with_margin`], which does this.
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
/// // Gaps of up to 0.5 count as contacts.
/// cells.rebuild(&spheres.map(|sphere| sphere.inflated(0.25)))?;
/// cells.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1], [1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
pub trait BroadPhase {
    /// `DVec2` or `DVec3`.
    type Vector: Vector;

    /// Replaces the bodies by `count` others; body `i` has the bounding sphere `sphere(i)`.
    ///
    /// The caller's data may have any layout and any vector type. `sphere` is called several times for an
    /// index, to validate and to copy: a second copy of all spheres would cost more.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`] if there are more than [`MAX_COUNT`](crate::math::MAX_COUNT) bodies;
    /// [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] for the lowest body out of range; and other errors of the
    /// implementation. The previous bodies are kept. There are none if a sphere that passed validation is invalid when
    /// copied.
    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<Self::Vector>,
    ) -> Result<()>;

    /// Replaces the bodies by those of a slice, given by their bounding spheres.
    ///
    /// # Errors
    /// As for [`rebuild_with`](BroadPhase::rebuild_with).
    fn rebuild<B: Bounded<Vector = Self::Vector>>(&mut self, bodies: &[B]) -> Result<()> {
        self.rebuild_with(bodies.len(), |i| bodies[i].bounding_sphere())
    }

    /// Returns the bounding spheres of the bodies as stored, by index.
    fn spheres(&self) -> &[Sphere<Self::Vector>];

    /// Returns the number of bodies.
    fn len(&self) -> usize {
        self.spheres().len()
    }

    /// Returns whether there are no bodies.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.spheres().is_empty()
    }

    /// Returns the number of chunks that the pairs are divided into. It depends on the spheres only, so a
    /// thread pool can distribute the chunks and still restore the serial order.
    fn chunk_count(&self) -> usize;

    /// Visits the pairs of one chunk, the lower index first. There are no pairs beyond the last chunk.
    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(usize, usize));

    /// Visits all pairs, chunk after chunk, the lower index first.
    fn for_each_pair(&self, mut visit: impl FnMut(usize, usize)) {
        for chunk in 0..self.chunk_count() {
            self.for_each_pair_in(chunk, &mut visit);
        }
    }

    /// Visits each body whose bounding sphere touches that of `query`, once.
    ///
    /// The query may have any size. A query out of range (NaN, a negative radius) touches nothing. Cost: in a grid,
    /// proportional to the number of cells that the query overlaps.
    fn for_each_touching(
        &self,
        query: &impl Bounded<Vector = Self::Vector>,
        visit: impl FnMut(usize),
    );

    /// Replaces the contents of `pairs` by all pairs, in the order of
    /// [`for_each_pair`](BroadPhase::for_each_pair). The capacity is kept.
    fn collect_pairs(&self, pairs: &mut Vec<Pair>) {
        pairs.clear();
        for chunk in 0..self.chunk_count() {
            self.append_pairs_in(chunk, pairs);
        }
    }

    /// Appends the pairs of one chunk, in the order of [`for_each_pair_in`](BroadPhase::for_each_pair_in).
    ///
    /// The grids override it, because they find pairs in blocks.
    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        self.for_each_pair_in(chunk, |i, j| pairs.push([i as u32, j as u32]));
    }

    /// Returns the periodic box of the next rebuild, if there is one.
    fn periodic_box(&self) -> Option<&PeriodicBox<Self::Vector>> {
        None
    }

    /// Returns whether two touching bodies, the lower index first, may be a pair. [`Filtered`] overrides it.
    #[must_use]
    fn accepts_pair(&self, _i: usize, _j: usize) -> bool {
        true
    }

    /// Does the same as [`rebuild_with`](BroadPhase::rebuild_with) on rayon's current thread pool, with the
    /// same result for any number of threads. Serial unless an implementation overrides it.
    ///
    /// # Errors
    /// As for [`rebuild_with`](BroadPhase::rebuild_with).
    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<Self::Vector> + Sync,
    ) -> Result<()> {
        self.rebuild_with(count, sphere)
    }

    /// Does the same as [`rebuild`](BroadPhase::rebuild) on rayon's current thread pool, with the same result
    /// for any number of threads.
    ///
    /// # Errors
    /// As for [`rebuild_with`](BroadPhase::rebuild_with).
    #[cfg(feature = "rayon")]
    fn par_rebuild<B: Bounded<Vector = Self::Vector> + Sync>(
        &mut self,
        bodies: &[B],
    ) -> Result<()> {
        self.par_rebuild_with(bodies.len(), |i| bodies[i].bounding_sphere())
    }

    /// Does the same as [`collect_pairs`](BroadPhase::collect_pairs) on rayon's current thread pool: the same
    /// pairs in the same order for any number of threads. Allocates some buffers for each thread; a
    /// [`PairList`] keeps them.
    #[cfg(feature = "rayon")]
    fn par_collect_pairs(&self, pairs: &mut Vec<Pair>)
    where
        Self: Sync,
    {
        let fill = |chunk: usize, pairs: &mut Vec<Pair>| self.append_pairs_in(chunk, pairs);
        crate::parallel::collect_chunks(self.chunk_count(), &fill, &mut Vec::new(), pairs);
    }
}

/// A broad phase whose bodies can be changed one at a time, for Monte Carlo moves or the insertion of grains: use a
/// [`HashGrid`].
///
/// The pairs are those of a rebuild from the changed list of bodies, in the same order. After an error
/// nothing has changed. [`check_index`] and [`check_count`] return the errors that an implementation of these
/// methods needs.
///
/// ```
/// use osculate::{BroadPhase, BruteForce, Sphere, broad::IncrementalBroadPhase, glam::DVec2};
///
/// let disc = |x: f64| Sphere::new(DVec2::new(x, 0.0), 0.5);
/// let mut broad = BruteForce::new();
/// broad.rebuild(&[disc(0.0), disc(1.0), disc(8.0)])?;
/// assert_eq!(broad.insert(disc(9.0))?, 3);
/// broad.replace(1, disc(7.0))?;
/// broad.swap_remove(0)?; // body 3 is now body 0
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 2], [1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
pub trait IncrementalBroadPhase: BroadPhase {
    /// Appends a body and returns its index.
    ///
    /// # Errors
    /// Returns [`ErrorKind::TooMany`]; [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] with the index that the body
    /// would have; and other errors of the implementation.
    fn insert(&mut self, sphere: Sphere<Self::Vector>) -> Result<usize>;

    /// Removes a body; the last body gets its index, as in [`Vec::swap_remove`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the body does not exist.
    fn swap_remove(&mut self, body: usize) -> Result<()>;

    /// Replaces the sphere of a body.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Index`] if the body does not exist; [`ErrorKind::Coordinate`] or [`ErrorKind::Radius`] with
    /// its index; and other errors of the implementation.
    fn replace(&mut self, body: usize, sphere: Sphere<Self::Vector>) -> Result<()>;
}

/// Checks that a body exists.
///
/// # Errors
/// Returns [`ErrorKind::Index`] if `body` is not below `count`.
pub fn check_index(body: usize, count: usize) -> Result<()> {
    if body < count {
        Ok(())
    } else {
        Err(Error(Cause::NoSuchBody { index: body, count }))
    }
}

/// Replaces the spheres of a buffer, or keeps them if a new sphere is invalid.
fn gather<V: Vector>(
    count: usize,
    sphere: impl Fn(usize) -> Sphere<V>,
    into: &mut Vec<Sphere<V>>,
) -> Result<()> {
    check_count(count)?;
    (0..count).try_for_each(|index| sphere(index).validate(index))?;
    into.clear();
    into.reserve_exact(count);
    into.extend((0..count).map(sphere));
    validate(into).inspect_err(|_| into.clear())
}

/// Checks all spheres; an error is that of the first invalid one.
fn validate<V: Vector>(spheres: &[Sphere<V>]) -> Result<()> {
    let mut spheres = spheres.iter().enumerate();
    spheres.try_for_each(|(index, sphere)| sphere.validate(index))
}

/// Sets the length of a buffer without over-allocating.
fn resize<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) {
    buffer.reserve_exact(length.saturating_sub(buffer.len()));
    buffer.resize(length, T::default());
}
