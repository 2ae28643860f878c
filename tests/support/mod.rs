//! Helpers shared by several tests.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod bad;
pub(crate) mod convex;
pub(crate) mod families;
#[cfg(feature = "proptest")]
pub(crate) mod lattice;
pub(crate) mod rational;
pub(crate) mod solids;
pub(crate) mod tets;
pub(crate) mod wall;

/// Returns the number of an environment variable, or a default that suits CI.
pub(crate) fn count_from(variable: &str, default: usize) -> usize {
    let value = std::env::var(variable).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}
