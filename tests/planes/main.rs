//! Signed distances of convex bodies: the common plane, spheres and polyhedra.

#[path = "../support/mod.rs"]
mod support;

mod fast_common_plane;
mod limits;
mod points;
mod residuals;
mod rounded;
mod scale;
mod spheres;
mod states;
