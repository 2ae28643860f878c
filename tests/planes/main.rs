//! Signed distances of convex bodies: the common plane, spheres and polyhedra.

#[path = "../support/mod.rs"]
mod support;

mod fast_common_plane;
mod points;
mod residuals;
mod rounded;
mod spheres;
mod states;
