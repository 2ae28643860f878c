//! A crisp and a nut.

use std::f64::consts::TAU;

use osculate::glam::DVec3;
use osculate::{Error, SolidMesh};

use crate::rigid::triangles;
use crate::solids::{rock, torus};

/// A thin, saddle-shaped disc of 1018 triangles.
pub(crate) fn crisp() -> Result<SolidMesh, Error> {
    // A rock without roughness is an ellipsoid.
    bend(&rock(511, 0.0, 1)?, |_, v| {
        let v = v / DVec3::new(1.0, 0.85, 0.7);
        let height = 0.05 * v.z + 0.25 * (v.x * v.x - v.y * v.y);
        DVec3::new(v.x, 0.8 * v.y, height)
    })
}

/// A hexagonal nut around z with a thread inside, of 1296 triangles.
pub(crate) fn nut() -> Result<SolidMesh, Error> {
    const AROUND: usize = 36;
    const ACROSS: usize = 18;
    // Around a section: up the outside, inward on the top, down the thread, outward below.
    bend(&torus(1.0, 0.5, AROUND as u32, ACROSS as u32)?, |i, _| {
        let (angle, k) = (TAU * (i / ACROSS) as f64 / AROUND as f64, i % ACROSS);
        let sector = TAU / 6.0;
        let outside = 0.9 / (angle % sector - 0.5 * sector).cos();
        let (up, out) = match k {
            0..4 => (k as f64 / 4.0, 1.0),
            4..7 => (1.0, 1.0 - (k - 4) as f64 / 3.0),
            7..15 => (1.0 - (k - 7) as f64 / 8.0, 0.0),
            _ => (0.0, (k - 15) as f64 / 3.0),
        };
        let turns = 2.0 * up - angle / TAU;
        let inside = 0.5 + 0.1 * (turns - turns.floor() - 0.5).abs();
        let radius = inside + (outside - inside) * out;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), 0.8 * up - 0.4)
    })
}

/// The same triangles with other vertices.
fn bend(solid: &SolidMesh, place: impl Fn(usize, DVec3) -> DVec3) -> Result<SolidMesh, Error> {
    let vertices = solid.surface().vertices().iter().enumerate();
    let moved = vertices.map(|(i, &vertex)| place(i, vertex)).collect();
    SolidMesh::new(moved, triangles(solid))
}

pub(crate) fn scaled(solid: &SolidMesh, factor: f64) -> Result<SolidMesh, Error> {
    bend(solid, |_, vertex| vertex * factor)
}
