//! Spheres at walls: the double hierarchy, lists, periodic and deforming walls.

#[path = "../support/mod.rs"]
mod support;

mod capsules;
mod deforming;
mod degenerate;
mod exact;
mod families;
mod families_2d;
mod faults;
mod history;
mod list;
mod list_calls;
mod noise;
mod periodic;
mod rounding;
mod scales;
mod thin;
mod ties;
mod trees;
