//! How to use the crate: a page for each method and for what goes across them. Text only.
//!
//! The examples `quickstart`, `walls`, `polyhedra`, `meshes`, `soa` and `history` of the repository are
//! whole programs of a hundred lines and less; each ends with an answer that physics gives.

/// Neighbour search: every pair of bodies that touch, of any mixture of sizes.
///
#[doc = include_str!("../docs/figures/guide-grid.svg")]
///
#[doc = include_str!("../docs/guide/neighbours.md")]
pub mod neighbours {}

/// Spheres at walls: contacts that do not depend on the mesh.
///
#[doc = include_str!("../docs/figures/guide-walls.svg")]
///
#[doc = include_str!("../docs/guide/walls.md")]
pub mod walls {}

/// Convex bodies: the common plane, gap or overlap with witness points.
///
#[doc = include_str!("../docs/figures/guide-common-plane.svg")]
///
#[doc = include_str!("../docs/guide/common_plane.md")]
pub mod common_plane {}

/// Bodies of any shape: contact volumes and forces that conserve energy.
///
#[doc = include_str!("../docs/figures/guide-contact-area.svg")]
#[doc = include_str!("../docs/figures/guide-contact-curve.svg")]
///
#[doc = include_str!("../docs/guide/contact_volume.md")]
pub mod contact_volume {}

/// Periodic boxes, ghosts and ranks.
///
#[doc = include_str!("../docs/figures/guide-periodic.svg")]
///
#[doc = include_str!("../docs/guide/periodic.md")]
pub mod periodic {}

/// Contact history: what lives as long as a contact.
///
#[doc = include_str!("../docs/figures/guide-skin.svg")]
///
#[doc = include_str!("../docs/guide/history.md")]
pub mod history {}

/// Degenerate input: what is refused, what is borderline, what any scale means.
///
#[doc = include_str!("../docs/guide/degenerate.md")]
pub mod degenerate {}

/// Tuning: what to do first where time matters, and what does not pay.
///
#[doc = include_str!("../docs/guide/tuning.md")]
pub mod tuning {}
