//! Broad phases and what is built on them: grids, pair lists, periodic boxes.

#[path = "../support/mod.rs"]
mod support;

mod growth;
#[cfg(feature = "proptest")]
mod lists;
#[cfg(feature = "proptest")]
mod long;
mod parallel_lists;
#[cfg(feature = "proptest")]
mod periodic;
#[cfg(feature = "proptest")]
mod properties;
mod report;
