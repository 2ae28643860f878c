//! What holds for the crate as a whole: properties of all kernels, determinism, allocation, the test tools, layout.

#[path = "../support/mod.rs"]
mod support;

mod api;
mod broken;
mod broken_elastic;
mod determinism;
mod layout;
mod no_alloc;
mod oracles;
mod own_kernel;
mod properties;
mod testing_faults;
mod tools;
