//! Pressure fields: polyhedra in pairs and at walls.

#[path = "../support/mod.rs"]
mod support;

mod laws;
mod meshes;
mod pairs;
mod scene;
mod walls;
