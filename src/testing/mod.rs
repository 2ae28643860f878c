//! Tests for broad and narrow phases, the crate's and your own.
//!
//! Nothing here is fast.
//!
//! - [`properties`]: properties that any implementation must have, one line each.
//! - [`oracle`]: exact or exhaustive reference results.
#![cfg_attr(
    feature = "proptest",
    doc = "- [`strategies`]: generators for property tests, biased to the inputs that break kernels."
)]
//! - [`workload`]: seeded inputs for benchmarks, which reject a kernel with wrong results.
//!
//! The examples `own_kernel` and `own_broad_phase` test and time custom implementations.

pub mod oracle;
pub mod properties;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod workload;
