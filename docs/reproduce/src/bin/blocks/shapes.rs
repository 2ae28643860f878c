//! The four shapes of the paper's figure 15, in five sizes.

use osculate::glam::DVec3;

use crate::Result;
use crate::assembly::Shape;

/// Vertices of the four kinds.
pub(crate) const KINDS: [usize; 4] = [4, 5, 8, 14];
pub(crate) const SIZES: usize = 5;
const DENSITY: f64 = 2500.0;

/// All kinds in all sizes, 2 to 4 cm across; shape `kind * SIZES + size`.
pub(crate) fn library() -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for kind in KINDS {
        for size in 0..SIZES {
            let radius = 0.01 + 0.01 * size as f64 / (SIZES - 1) as f64;
            let points: Vec<_> = unit(kind).into_iter().map(|v| v * radius).collect();
            shapes.push(Shape::hull(&points, DENSITY)?);
        }
    }
    Ok(shapes)
}

/// A tetrahedron, a pyramid, a cube or a rhombic dodecahedron, with vertices in the unit ball.
fn unit(vertex_count: usize) -> Vec<DVec3> {
    let corner = |i: u32| {
        let v = DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into());
        (v * 2.0 - DVec3::ONE).normalize()
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    match vertex_count {
        4 => [0, 3, 5, 6].map(corner).to_vec(),
        5 => [0, 1, 2, 3]
            .map(corner)
            .into_iter()
            .chain([DVec3::Z])
            .collect(),
        8 => (0..8).map(corner).collect(),
        _ => {
            let cube = (0..8).map(|i| corner(i) * 0.75_f64.sqrt());
            cube.chain(axes.map(|v| [v, -v]).concat()).collect()
        }
    }
}
