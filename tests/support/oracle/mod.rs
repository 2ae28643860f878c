//! Reference results for the kernels of this crate: slow and by definition.

pub(crate) mod convex_wall;
pub(crate) mod elastic_bed;
pub(crate) mod shared_convex;
