//! A crisp, and copies of any size.

use osculate::glam::DVec3;
use osculate::{Error, SolidMesh};

use reproduce::solids::{bend, rock};

/// A thin, saddle-shaped disc of 1018 triangles.
pub(crate) fn crisp() -> Result<SolidMesh, Error> {
    // A rock without roughness is an ellipsoid.
    bend(&rock(511, 0.0, 1)?, |_, v| {
        let v = v / DVec3::new(1.0, 0.85, 0.7);
        let height = 0.03 * v.z + 0.5 * (v.x * v.x - v.y * v.y);
        DVec3::new(v.x, 0.8 * v.y, height)
    })
}

pub(crate) fn scaled(solid: &SolidMesh, factor: f64) -> Result<SolidMesh, Error> {
    bend(solid, |_, vertex| vertex * factor)
}
