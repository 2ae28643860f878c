//! Properties, reference results and generators for tests of the crate, and of your kernels.
//!
//! A property is a statement that holds for a correct kernel or broad phase on any input. For example, swapping two
//! bodies negates the normal. The properties use an implementation only through its trait or closure. The crate tests
//! its own kernels and grids with them, and you can test yours.
//!
//! The module needs the feature `testing`.
//!
//! - [`properties`]: properties of broad and narrow phases, as functions that take any implementation or closure.
//! - [`oracle`]: reference results, slow and simple.
//! - [`strategies`]: generators of inputs biased to ties, needles and differences of a few ulps; some come with the correct result.
//! - [`workload`]: seeded inputs for benchmarks, which check the result of the kernel that they time.
//!
//! With `osculate = { version = "0.1", features = ["testing"] }` and `proptest = "1"` among your
//! dev-dependencies, this file is a test of your kernel:
//!
//! ```ignore
#![doc = include_str!("../../tests/library/own_kernel.rs")]
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
//! | walls: a contact for each facet, some of them wrong | [`contact_for_each_facet`](properties::wall::contact_for_each_facet) |
//! | forces that are no gradient of an energy, or that jump | [`properties::elastic`] |
//! | volumes: gradient, additivity, energy | [`properties::volume`] |
//! | broad phases | all of [`properties::broad`] |
//!
//! To measure another engine, [`strategies::rate`] counts its failures and panics, and keeps the worst case.
//! [`Workload::map`](workload::Workload::map) converts bodies to its types. An absolute tolerance fails at the first
//! tiny body and hides all else: [`touching_spheres_at`](strategies::touching_spheres_at),
//! [`placed_polyhedra_at`](strategies::placed_polyhedra_at) and
//! [`sphere_and_polyhedron_at`](strategies::sphere_and_polyhedron_at) generate bodies of a given size.
//!
//! The examples `own_kernel` and `own_broad_phase` test and time kernels and broad phases that are not part of
//! the crate.

pub mod oracle;
pub mod properties;
pub mod strategies;
pub mod workload;
