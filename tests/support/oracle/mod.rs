//! Reference results for the kernels of this crate: slow and by definition.

pub(crate) mod shared_convex;
