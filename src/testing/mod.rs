//! What must hold of broad and narrow phases, and slow answers to compare them with: for the crate's
//! own tests and for kernels of one's own. Nothing here is fast.
//!
//! - [`properties`]: a law is one line, on one's own type or closure.
//! - [`oracle`]: reference answers, slow and obvious.
#![cfg_attr(
    feature = "proptest",
    doc = "- [`strategies`]: nasty inputs for property tests; some know their answer."
)]
//! - [`workload`]: seeded inputs for benches, which refuse to time a wrong kernel.
//!
//! The examples `own_kernel` and `own_broad_phase` test and time kernels that are not the crate's.

pub mod oracle;
pub mod properties;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod workload;
