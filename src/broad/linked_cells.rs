//! Linked cells: equal cells, at least as wide as the interaction distance. A body touches only bodies in its own and
//! in adjacent cells.
//!
//! R. W. Hockney, J. W. Eastwood, "Computer simulation using particles", 1981, section 8-4. Implemented as a
//! hierarchical grid with one level; that module lists the deviations.

use super::{BroadPhase, HierarchicalGrid, LevelSizes, Pair, Result, Sphere};
#[cfg(doc)]
use crate::ErrorKind;
use crate::math::{Vector, check_positive_length};
use crate::shape::Bounded;

/// Linked cells: neighbor search for spheres of similar size.
///
/// Cost: O(n) to rebuild and to search, if the largest sphere is not much larger than most. Otherwise the
/// spheres are stored in trees, O(n log n). A [`HierarchicalGrid`] needs no such assumption, and is as fast for
/// equal spheres.
///
/// ```
/// use osculate::{BroadPhase, LinkedCells, Sphere, glam::DVec2};
///
/// let discs = [(0.0, 0.0), (1.0, 0.0), (1e9, 0.0)]
///     .map(|(x, y)| Sphere::new(DVec2::new(x, y), 0.5));
/// let mut cells = LinkedCells::new();
/// cells.rebuild(&discs)?;
/// let mut near = Vec::new();
/// cells.for_each_touching(&Sphere::new(DVec2::new(0.5, 2.0), 1.7), |body| near.push(body));
/// assert_eq!(near, [0, 1]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinkedCells<V = glam::DVec3>(HierarchicalGrid<V>);

impl<V: Vector> LinkedCells<V> {
    /// Creates empty cells, as wide as the largest body at each rebuild.
    ///
    /// Cells are wider where bodies are so sparse that their table would exceed two cells per body. A few
    /// bodies far from all others count as in the outermost cells.
    pub fn new() -> Self {
        Self(HierarchicalGrid::with_one_level())
    }

    /// Sets the cell size, at least the diameter of the largest body.
    ///
    /// Cells are widened or replaced as described for [`HierarchicalGrid::with_level_sizes`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Length`] if the size is not within [2^-150, 2^150]. A later rebuild returns
    /// [`ErrorKind::CellSize`] if a body is larger than the cells.
    pub fn with_cell_size(self, cell_size: f64) -> Result<Self> {
        check_positive_length("cell size", cell_size)?;
        let sizes = LevelSizes::new([cell_size])?;
        Ok(Self(self.0.with_level_sizes(sizes)))
    }

    /// Returns the hierarchical grid with one level, for its report and its spatial order.
    pub fn grid(&self) -> &HierarchicalGrid<V> {
        &self.0
    }
}

impl<V: Vector> Default for LinkedCells<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Vector> BroadPhase for LinkedCells<V> {
    type Vector = V;

    fn rebuild_with(&mut self, count: usize, sphere: impl Fn(usize) -> Sphere<V>) -> Result<()> {
        self.0.rebuild_with(count, sphere)
    }
    fn spheres(&self) -> &[Sphere<V>] {
        self.0.spheres()
    }
    fn chunk_count(&self) -> usize {
        self.0.chunk_count()
    }
    #[inline]
    fn for_each_pair_in(&self, chunk: usize, visit: impl FnMut(usize, usize)) {
        self.0.for_each_pair_in(chunk, visit);
    }
    fn append_pairs_in(&self, chunk: usize, pairs: &mut Vec<Pair>) {
        self.0.append_pairs_in(chunk, pairs);
    }
    #[inline]
    fn for_each_touching(&self, query: &impl Bounded<Vector = V>, visit: impl FnMut(usize)) {
        self.0.for_each_touching(query, visit);
    }
    #[cfg(feature = "rayon")]
    fn par_rebuild_with(
        &mut self,
        count: usize,
        sphere: impl Fn(usize) -> Sphere<V> + Sync,
    ) -> Result<()> {
        self.0.par_rebuild_with(count, sphere)
    }
}
