//! What must hold of broad and narrow phases, and slow answers to compare them with.
//!
//! The crate tests itself with these; they are public so that users can test kernels of their
//! own. Nothing here is fast.

pub mod laws;
pub mod oracle;
pub mod sequential_h2;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod workload;
