//! Properties, reference answers and generators for tests of the crate, and of your kernels.
//!
//! A property is a test on random input. Its functions know nothing about a kernel except its contacts, so
//! they find mistakes in any kernel or broad phase. The crate tests its own with them.
//!
//! - [`properties`]: what every broad and narrow phase must satisfy, as functions that take any implementation,
//!   closures included.
//! - [`oracle`]: reference answers, slow and simple.
#![cfg_attr(
    feature = "proptest",
    doc = "- [`strategies`]: generators of inputs biased to ties, needles and few ulps; some know their answer."
)]
//! - [`workload`]: seeded inputs for benchmarks, which check the answer before they time a kernel.
//!
//! With `osculate = { version = "0.1", features = ["proptest"] }` and `proptest = "1"` among your
//! dev-dependencies, this file is a test of your kernel:
//!
//! ```ignore
#![doc = include_str!("../../tests/own_kernel.rs")]
//! ```
//!
//! It finds wrong gaps, asymmetry and wrong normals. For other mistakes add
//!
//! | mistake | property |
//! |---|---|
//! | wrong witness points | [`witness_points_match`](properties::kernel::witness_points_match) |
//! | absolute tolerance, single precision | [`accurate_at_any_scale`](properties::kernel::accurate_at_any_scale), [`moves_rigidly`](properties::kernel::moves_rigidly), [`workload::sphere_pairs`] |
//! | dependence on state or labels | [`independent_of_state`](properties::kernel::independent_of_state), [`independent_of_labels`](properties::kernel::independent_of_labels) |
//! | walls: mesh, facet order, internal edges | [`properties::wall`] |
//! | volumes: gradient, additivity, energy | [`properties::volume`] |
//! | broad phases | all of [`properties::broad`] |
//!
//! The examples `own_kernel` and `own_broad_phase` test and time kernels and broad phases that are not part of
//! the crate.

pub mod oracle;
pub mod properties;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod workload;
