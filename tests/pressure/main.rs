//! Pressure fields: polyhedra in pairs and at walls.

#[path = "../support/mod.rs"]
mod support;

mod faults;
mod laws;
mod meshes;
mod motion;
mod pairs;
mod points;
mod scene;
mod stacks;
mod walls;
