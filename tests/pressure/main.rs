//! Pressure fields: polyhedra in pairs and at walls.

#[path = "../support/mod.rs"]
mod support;

mod pairs;
mod walls;
