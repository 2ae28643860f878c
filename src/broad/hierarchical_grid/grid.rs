use std::ops::Range;

use super::level::Level;
use super::table::Table;
use super::trees::Trees;
use super::tuning::{Sizing, Tuning};
use crate::broad::levels::{LevelSizes, SearchDirection};
use crate::broad::packed::{PackedSpheres, Scale};
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::math::Vector;
use crate::shape::Sphere;

/// Neighbor search for spheres of any size distribution.
///
/// Each sphere is stored on the finest level whose cells are at least as wide as its diameter. It is tested against
/// that level and all finer ones. Every rebuild chooses cell sizes that minimize a cost model (Krijgsman et al.
/// 2014). Pairs come in the order of the cells.
///
/// Cost: O(n + pairs) for a rebuild and a search, about 30 to 60 ns per sphere for any mixture of sizes
/// (docs/BENCHMARKS.md). The search is faster if the spheres are sorted in memory as they are in space; see
/// [`spatial_order`](HierarchicalGrid::spatial_order).
///
/// **Uneven density.** If most spheres are in a small part of the extent (separate lumps, lumps within lumps), no
/// cell size suits all. A rebuild then stores the spheres of each octave of radii in a tree: O(n log n), about
/// 0.3 to 0.5 µs per sphere, for any positions and sizes.
///
/// **Memory.** At most 64 bytes per sphere (72 with given sizes), and 8 more in trees, for any extent. Tuning adds
/// 30 kilobytes, and 3 for each octave between the smallest and the largest radius. Buffers keep their largest
/// size. Nothing is allocated once they have grown, except with more than 64 octaves of radii.
///
/// Only a rebuild changes the spheres. To change single spheres, use a [`HashGrid`](crate::broad::HashGrid).
///
/// ```
/// use osculate::{BroadPhase, HierarchicalGrid, Sphere, glam::DVec3};
///
/// let sphere = |x: f64, radius: f64| Sphere::new(DVec3::X * x, radius);
/// let mut grid = HierarchicalGrid::new();
/// grid.rebuild(&[sphere(0.0, 100.0), sphere(101.0, 1.0), sphere(103.0, 1.0)])?;
/// let mut pairs = Vec::new();
/// grid.collect_pairs(&mut pairs);
/// pairs.sort_unstable();
/// assert_eq!(pairs, [[0, 1], [1, 2]]);
/// # Ok::<(), osculate::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HierarchicalGrid<V = glam::DVec3> {
    pub(super) sizing: Sizing,
    /// The search direction for given levels.
    pub(super) given_direction: SearchDirection,
    /// The search direction of the current levels.
    pub(super) direction: SearchDirection,
    pub(super) tuning: Tuning,
    /// By index.
    pub(super) spheres: Vec<Sphere<V>>,
    pub(super) levels: Vec<Level<V>>,
    pub(super) table: Table,
    pub(super) trees: Trees<V>,
    /// Whether the bodies are in the leaves of the trees. Otherwise they are in the cells of the table.
    pub(super) has_trees: bool,
    pub(super) scale: Scale<V>,
    /// By slot.
    pub(super) packed: PackedSpheres,
}

impl<V: Vector> HierarchicalGrid<V> {
    /// Creates an empty grid that chooses its levels at each rebuild, from the radii and the density.
    ///
    /// Cells are wider than the chosen sizes where their tables would exceed two cells per body. A few bodies far
    /// from all others count as in the outermost cells.
    ///
    /// The dimension follows from the bodies of a rebuild. Without them, name the type: Rust does not
    /// apply the default of a type parameter in `HierarchicalGrid::new()`, only where a type is written.
    ///
    /// ```
    /// use osculate::{BroadPhase, HierarchicalGrid, Sphere, glam::DVec2};
    ///
    /// let mut discs = HierarchicalGrid::new(); // in 2D, because of the next line
    /// discs.rebuild(&[Sphere::new(DVec2::ZERO, 1.0)])?;
    /// assert!(<HierarchicalGrid>::new().is_empty()); // in 3D, the default
    /// assert!(HierarchicalGrid::<DVec2>::new().is_empty());
    /// # Ok::<(), osculate::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the sizes of the levels, instead of choosing them at each rebuild.
    ///
    /// They are used as given, however slow; [`optimal_level_sizes`](crate::reference::optimal_level_sizes) finds good
    /// ones. Cells are 2^-19 wider, which makes the search safe against rounding, and wider still where tables would
    /// exceed four cells per body. Cells that hold more than 32 other bodies on average are replaced by trees.
    ///
    /// A rebuild then also fails with [`ErrorKind::CellSize`] if a body is larger than the last size.
    #[must_use]
    pub fn with_level_sizes(mut self, sizes: LevelSizes) -> Self {
        self.sizing = Sizing::Given(sizes);
        self
    }

    /// Sets the direction in which given levels are searched; the grid's own levels are searched
    /// [`TopDown`](SearchDirection::TopDown).
    #[must_use]
    pub fn with_direction(mut self, direction: SearchDirection) -> Self {
        self.given_direction = direction;
        self
    }

    /// Creates an empty grid with one level, as wide as the largest body.
    pub(in crate::broad) fn with_one_level() -> Self {
        Self {
            sizing: Sizing::OneLevel,
            ..Self::default()
        }
    }

    /// Returns the indices of the bodies in the order of levels and cells.
    ///
    /// Sort your bodies in this order from time to time: neighbors that are close in memory are found faster.
    pub fn spatial_order(&self) -> impl Iterator<Item = usize> {
        (0..self.spheres.len()).map(|slot| self.table.ids[slot] as usize)
    }

    /// Returns the other levels that the bodies of a level are tested against, without empty ones.
    pub(super) fn levels_beside(&self, level: usize) -> impl Iterator<Item = &Level<V>> + Clone {
        let beside = self.levels[self.range_beside(level)].iter();
        beside.filter(|level| !level.slots.is_empty())
    }

    /// Returns the indices of the other levels that the bodies of a level are tested against.
    pub(super) fn range_beside(&self, level: usize) -> Range<usize> {
        match self.direction {
            SearchDirection::TopDown => 0..level,
            SearchDirection::BottomUp => level + 1..self.levels.len(),
        }
    }
}
