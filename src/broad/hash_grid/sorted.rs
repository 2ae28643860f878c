//! A sorted copy of bodies that change one at a time.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::broad::{BroadPhase, HierarchicalGrid, Sphere};
use crate::math::Vector;

/// A hierarchical grid of some bodies, rebuilt if it is used after they have changed.
#[derive(Debug)]
pub(super) struct SortedCopy<V> {
    /// Empty after a change.
    grid: OnceLock<HierarchicalGrid<V>>,
    /// An outdated grid, whose buffers the next one takes over.
    outdated: Mutex<Option<HierarchicalGrid<V>>>,
}

impl<V: Vector> SortedCopy<V> {
    /// Returns the grid of the bodies, which are valid and have not changed since the last call of `outdate`.
    pub(super) fn of(&self, spheres: &[Sphere<V>]) -> &HierarchicalGrid<V> {
        self.grid.get_or_init(|| {
            let mut outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner);
            let mut grid = outdated.take().unwrap_or_default();
            let result = grid.rebuild(spheres);
            debug_assert!(
                result.is_ok(),
                "the grid chooses levels that suit all bodies"
            );
            grid
        })
    }

    /// Notes that the bodies change.
    pub(super) fn outdate(&mut self) {
        if let Some(grid) = self.grid.take() {
            self.outdated = Mutex::new(Some(grid));
        }
    }
}

impl<V> Default for SortedCopy<V> {
    fn default() -> Self {
        Self {
            grid: OnceLock::new(),
            outdated: Mutex::new(None),
        }
    }
}

/// Returns an outdated copy, because a lock cannot be cloned.
impl<V> Clone for SortedCopy<V> {
    fn clone(&self) -> Self {
        Self::default()
    }
}
