//! Invalid input, and inputs at a limit that decides.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod degenerate;
mod limits;
mod numbers;
mod shapes;
mod table;
