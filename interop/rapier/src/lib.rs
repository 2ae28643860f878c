//! osculate's contacts of walls and convex bodies for the solver of rapier; see README.md.

mod dispatcher;
mod manifold;
mod twin;

pub use dispatcher::Osculate;
pub use twin::{Ground, Solid, Twin, ground, solid};
