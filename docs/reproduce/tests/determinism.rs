//! The hash of `tests/library/determinism.rs` in an optimized build: the same as in the unoptimized one.

#[path = "../../../tests/library/determinism.rs"]
mod determinism;

#[allow(dead_code)]
#[path = "."]
mod support {
    #[path = "../../../tests/support/wall.rs"]
    pub(crate) mod wall;
}
