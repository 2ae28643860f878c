//! What several programs need. Random numbers, rigid bodies, a contact law and files of polygons are those of `examples`.

pub mod chart;
pub mod embed;
pub mod eye;
pub mod law;
pub mod progress;
pub mod radii;
#[path = "../../../examples/support/random.rs"]
pub mod random;
pub mod rigid;
pub mod rigid_solids;
pub mod solids;
pub mod svg;
#[path = "../../../examples/support/vtp.rs"]
pub mod vtp;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
