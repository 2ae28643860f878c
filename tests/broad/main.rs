//! Broad phases and what is built on them: grids, pair lists, periodic boxes.

#[path = "../support/mod.rs"]
mod support;

mod elongated;
mod growth;
mod lists;
mod long;
mod parallel_lists;
mod periodic;
mod properties;
mod report;
