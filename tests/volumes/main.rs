//! Intersection volumes of solids, convex bodies, polygons and spheres.

#[path = "../support/mod.rs"]
mod support;

mod area;
mod closed_paths;
mod convex;
mod convex_mesh;
mod errata;
mod faults;
mod holes;
mod laws;
mod lenses;
mod loops;
mod meshes;
mod parts;
mod shells;
mod small;
mod sphere_energy;
mod tetrahedra;
mod ties;
mod validation;
