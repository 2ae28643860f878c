//! Helpers shared by several tests.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod bad;
pub(crate) mod convex;
pub(crate) mod families;
pub(crate) mod lattice;
pub(crate) mod lattice_scene;
pub(crate) mod oracle;
pub(crate) mod rational;
pub(crate) mod solids;
pub(crate) mod tets;
pub(crate) mod wall;

/// Returns the number of random cases of a test: `OSCULATE_CASES`, or a number that suits CI.
pub(crate) fn cases(usual: usize) -> usize {
    number("OSCULATE_CASES").unwrap_or(usual)
}

/// Returns `OSCULATE_SEED`, or 0: other seeds give other random cases.
pub(crate) fn seed() -> usize {
    number("OSCULATE_SEED").unwrap_or(0)
}

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}
