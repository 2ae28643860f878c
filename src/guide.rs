//! How to use the crate: one page for each method, and pages on pairs of shapes, periodic boxes, history, embedding and
//! tuning.
//!
//! The repository has short programs, `quickstart`, `walls`, `meshes`, `soa` and `history`. Each has at most a hundred
//! lines of code and checks a result known from physics. Longer ones are `impulse` (an engine) and, in the package
//! `docs/reproduce`, `scene` (each kernel, and bodies of all shapes in a room), `compound` and `hopper_blocks`.

/// A whole simulation: the time loop with lists, walls, histories and threads.
///
#[doc = include_str!("../docs/guide/simulation.md")]
pub mod simulation {}

/// Neighbor search: all pairs of touching bodies, of any size distribution.
///
#[doc = include_str!("../docs/figures/guide-grid.svg")]
///
#[doc = include_str!("../docs/guide/neighbors.md")]
pub mod neighbors {}

/// Spheres and walls: contacts that do not depend on the mesh.
///
#[doc = include_str!("../docs/figures/guide-walls.svg")]
///
#[doc = include_str!("../docs/guide/walls.md")]
pub mod walls {}

/// Convex bodies: the common plane, signed distance and witness points.
///
#[doc = include_str!("../docs/figures/guide-common-plane.svg")]
///
#[doc = include_str!("../docs/guide/common_plane.md")]
pub mod common_plane {}

/// Polyhedra: stacks and walls.
///
#[doc = include_str!("../docs/figures/guide-pressure.svg")]
#[doc = include_str!("../docs/figures/guide-piles.svg")]
#[doc = include_str!("../docs/figures/guide-ridge.svg")]
#[doc = include_str!("../docs/figures/guide-heap.svg")]
///
#[doc = include_str!("../docs/guide/stacks.md")]
pub mod stacks {}

/// For impulse solvers: positions, normals and depths of contact points.
///
#[doc = include_str!("../docs/guide/impulses.md")]
pub mod impulses {}

/// Bodies of any shape: contact volumes and forces that conserve energy.
///
#[doc = include_str!("../docs/figures/guide-contact-area.svg")]
#[doc = include_str!("../docs/figures/guide-contact-curve.svg")]
///
#[doc = include_str!("../docs/guide/contact_volume.md")]
pub mod contact_volume {}

/// The kernels for each pair of shapes.
///
#[doc = include_str!("../docs/guide/pairs.md")]
pub mod pairs {}

/// Compound bodies: clusters of spheres, and concave bodies of convex parts.
///
#[doc = include_str!("../docs/guide/compound.md")]
pub mod compound {}

/// Periodic boxes, ghosts and ranks.
///
#[doc = include_str!("../docs/figures/guide-periodic.svg")]
///
#[doc = include_str!("../docs/guide/periodic.md")]
pub mod periodic {}

/// Contact history: data that lasts as long as a contact.
///
#[doc = include_str!("../docs/figures/guide-skin.svg")]
///
#[doc = include_str!("../docs/guide/history.md")]
pub mod history {}

/// Embedding in a simulator: adapters, and what a host and the lists must agree on.
///
#[doc = include_str!("../docs/guide/embedding.md")]
pub mod embedding {}

/// Degenerate input: invalid, borderline and extreme.
///
#[doc = include_str!("../docs/guide/degenerate.md")]
pub mod degenerate {}

/// Tuning, ordered by benefit.
///
#[doc = include_str!("../docs/guide/tuning.md")]
pub mod tuning {}
