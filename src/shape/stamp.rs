use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies an immutable shape, or a state of a wall. Only clones share a stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// The default stamp, which belongs to no object.
    pub(crate) const NONE: Self = Self(0);

    /// Creates a stamp that differs from all earlier ones.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
