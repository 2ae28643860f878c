use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies an immutable shape: clones share a stamp, no other two shapes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// The stamp of no shape.
    pub(crate) const NONE: Self = Self(0);

    /// A stamp that was never given out before.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
