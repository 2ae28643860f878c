//! Contact points with loads: polyhedra in pairs and at walls.

#[path = "../support/mod.rs"]
mod support;

mod convex_wall;
mod convex_wall_closed;
mod convex_wall_exact;
mod convex_wall_laws;
mod convex_wall_state;
mod elastic_bed;
mod pressure_field;
mod pressure_wall;
mod properties;
mod slivers;
mod stack_on_walls;
mod states;
mod table_rim;
mod ties;
