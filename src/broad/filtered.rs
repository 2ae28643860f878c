use super::{BroadPhase, IncrementalBroadPhase, PeriodicBox, Result, Sphere};
use crate::math::Vector;
use crate::shape::Bounded;

/// Any broad phase without the pairs that a filter says no to: bonds, parts of one clump, groups
/// that do not interact.
///
/// The filter is asked with the lower index first, for pairs that touch only. It can be put inside
/// or around a [`Periodic`](super::Periodic), and under a [`PairList`](super::PairList), which
/// keeps its answers until the list is rebuilt. Queries
/// ([`for_each_touching`](BroadPhase::for_each_touching)) are no pairs, and are not filtered.
///
/// ```
/// use osculate::{BroadPhase, BruteForce, Filtered, Sphere, glam::DVec2};
///
/// let clump = [0, 0, 1];
/// let apart = |i: u32, j: u32| clump[i as usize] != clump[j as usize];
/// let mut broad = Filtered::new(BruteForce::new(), apart);
/// broad.rebuild(&[0.0, 1.0, 2.0].map(|x| Sphere::new(DVec2::X * x, 0.5)))?;
/// let mut pairs = Vec::new();
/// broad.collect_pairs(&mut pairs);
/// assert_eq!(pairs, [[1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filtered<B, F> {
    inner: B,
    filter: F,
}

impl<B, F: Fn(u32, u32) -> bool> Filtered<B, F> {
    /// Keeps the pairs for which the filter says yes.
    pub const fn new(inner: B, filter: F) -> Self {
        Self { inner, filter }
    }

    /// The broad phase inside.
    pub const fn inner(&self) -> &B {
        &self.inner
    }

    /// The broad phase inside, to change what the filter does not concern.
    pub const fn inner_mut(&mut self) -> &mut B {
        &mut self.inner
    }
}

impl<V: Vector, B: BroadPhase<V>, F: Fn(u32, u32) -> bool> BroadPhase<V> for Filtered<B, F> {
    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        self.inner.rebuild_with(count, sphere)
    }

    fn spheres(&self) -> &[Sphere<V>] {
        self.inner.spheres()
    }

    fn chunk_count(&self) -> usize {
        self.inner.chunk_count()
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(u32, u32)) {
        self.inner.for_each_pair_in(chunk, |i, j| {
            if (self.filter)(i, j) {
                visit(i, j);
            }
        });
    }

    fn for_each_touching(&self, query: &impl Bounded<V>, visit: impl FnMut(u32)) {
        self.inner.for_each_touching(query, visit);
    }

    fn periodic_box(&self) -> Option<&PeriodicBox<V>> {
        self.inner.periodic_box()
    }

    fn accepts_pair(&self, i: u32, j: u32) -> bool {
        (self.filter)(i, j) && self.inner.accepts_pair(i, j)
    }
}

impl<V, B, F> IncrementalBroadPhase<V> for Filtered<B, F>
where
    V: Vector,
    B: IncrementalBroadPhase<V>,
    F: Fn(u32, u32) -> bool,
{
    fn insert(&mut self, sphere: Sphere<V>) -> Result<u32> {
        self.inner.insert(sphere)
    }

    fn remove(&mut self, body: u32) -> Result<()> {
        self.inner.remove(body)
    }

    fn relocate(&mut self, body: u32, sphere: Sphere<V>) -> Result<()> {
        self.inner.relocate(body, sphere)
    }
}
