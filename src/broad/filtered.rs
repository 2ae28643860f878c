use super::{BroadPhase, IncrementalBroadPhase, PeriodicBox, Result, Sphere};
use crate::shape::Bounded;

/// A broad phase that drops pairs rejected by a filter, such as bonded bodies, parts of one clump, or groups that do
/// not interact.
///
/// The filter is called for touching pairs, the lower index first. Wrappers nest: a filter may be inside or
/// around a [`Periodic`](super::Periodic) box, and inside a [`PairList`](super::PairList), which keeps the
/// accepted pairs until its next rebuild. Queries ([`for_each_touching`](BroadPhase::for_each_touching)) are not
/// filtered.
///
/// ```
/// use osculate::{BroadPhase, BruteForce, Filtered, Sphere, glam::DVec2};
///
/// let clump = [0, 0, 1];
/// let separate = |i: usize, j: usize| clump[i] != clump[j];
/// let mut broad = Filtered::new(BruteForce::new(), separate);
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

impl<B, F: Fn(usize, usize) -> bool> Filtered<B, F> {
    /// Wraps a broad phase; pairs for which `filter` returns false are dropped.
    pub const fn new(inner: B, filter: F) -> Self {
        Self { inner, filter }
    }

    /// Returns the inner broad phase.
    pub const fn inner(&self) -> &B {
        &self.inner
    }

    /// Returns the inner broad phase, for example to set a periodic box.
    pub const fn inner_mut(&mut self) -> &mut B {
        &mut self.inner
    }
}

impl<B: BroadPhase, F: Fn(usize, usize) -> bool> BroadPhase for Filtered<B, F> {
    type Vector = B::Vector;

    fn rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<B::Vector>,
    ) -> Result<()> {
        self.inner.rebuild_with(count, sphere)
    }

    fn spheres(&self) -> &[Sphere<B::Vector>] {
        self.inner.spheres()
    }

    fn chunk_count(&self) -> usize {
        self.inner.chunk_count()
    }

    fn for_each_pair_in(&self, chunk: usize, mut visit: impl FnMut(usize, usize)) {
        self.inner.for_each_pair_in(chunk, |i, j| {
            if (self.filter)(i, j) {
                visit(i, j);
            }
        });
    }

    fn for_each_touching(
        &self,
        query: &impl Bounded<Vector = B::Vector>,
        visit: impl FnMut(usize),
    ) {
        self.inner.for_each_touching(query, visit);
    }

    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<B::Vector> + Sync,
    ) -> Result<()> {
        self.inner.par_rebuild_with(count, sphere)
    }

    fn periodic_box(&self) -> Option<&PeriodicBox<B::Vector>> {
        self.inner.periodic_box()
    }

    fn accepts_pair(&self, i: usize, j: usize) -> bool {
        (self.filter)(i, j) && self.inner.accepts_pair(i, j)
    }
}

impl<B, F> IncrementalBroadPhase for Filtered<B, F>
where
    B: IncrementalBroadPhase,
    F: Fn(usize, usize) -> bool,
{
    fn insert(&mut self, sphere: Sphere<B::Vector>) -> Result<usize> {
        self.inner.insert(sphere)
    }

    fn swap_remove(&mut self, body: usize) -> Result<()> {
        self.inner.swap_remove(body)
    }

    fn replace(&mut self, body: usize, sphere: Sphere<B::Vector>) -> Result<()> {
        self.inner.replace(body, sphere)
    }
}
