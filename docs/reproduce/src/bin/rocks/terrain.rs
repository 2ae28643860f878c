//! A terrain: a closed block below a height field.

use osculate::glam::{DVec2, DVec3};
use osculate::{Error, SolidMesh};

use crate::letters::extruded;
use reproduce::solids::bend;

/// Builds the block below [-margin, side + margin]^2, of 1680 vertices and 3356 triangles as in the paper.
pub(crate) fn terrain(side: f64, margin: f64) -> Result<SolidMesh, Error> {
    const ROW: u32 = 28;
    const ROWS: u32 = 30;
    let cells = DVec2::new(f64::from(ROW - 1), f64::from(ROWS - 1));
    let point = |i: u32| {
        let place = DVec2::new(f64::from(i % ROW), f64::from(i / ROW)) / cells;
        place * (side + 2.0 * margin) - margin
    };
    let points: Vec<DVec2> = (0..ROW * ROWS).map(point).collect();
    let mut face = Vec::new();
    for a in (0..ROW * (ROWS - 1)).filter(|a| (a + 1) % ROW > 0) {
        let [b, c, d] = [a + 1, a + ROW, a + ROW + 1];
        face.extend([[a, b, d], [a, d, c]]);
    }
    let last = ROW * (ROWS - 1);
    let mut around: Vec<u32> = (0..ROW - 1).collect();
    around.extend((0..ROWS - 1).map(|j| j * ROW + ROW - 1));
    around.extend((1..ROW).rev().map(|i| last + i));
    around.extend((1..ROWS).rev().map(|j| j * ROW));
    bend(&extruded(&points, &face, &[around])?, |_, p| {
        let top = side * height(p.truncate() / side);
        DVec3::new(p.x, p.y, if p.z > 0.0 { top } else { -margin })
    })
}

/// The height above the unit square: a valley from the corner (1, 1) down to (0, 0), with hills.
pub(crate) fn height(p: DVec2) -> f64 {
    let (along, across) = (0.5 * (p.x + p.y), p.x - p.y);
    let hills = (7.0 * p.x + 1.0).sin() * (6.0 * p.y).cos();
    0.4 * along * along + 0.15 * across * across + 0.03 * (1.0 + hills)
}

#[cfg(test)]
mod tests {
    use osculate::Bounded as _;

    use super::*;

    #[test]
    fn the_block_fills_the_space_below_the_heights() {
        let block = terrain(20.0, 2.0).unwrap();
        let surface = block.surface();
        assert_eq!(
            (surface.vertices().len(), surface.facet_count()),
            (1680, 3356)
        );
        let bounds = block.bounding_box();
        assert_eq!(
            (bounds.min.x, bounds.max.y, bounds.min.z),
            (-2.0, 22.0, -2.0)
        );
        let parts = 400;
        let place = |i: i32| (f64::from(i % parts) + 0.5) / f64::from(parts) * 1.2 - 0.1;
        let at = |i: i32| height(DVec2::new(place(i), place(i / parts)));
        let mean = (0..parts * parts).map(at).sum::<f64>() / f64::from(parts * parts);
        let ratio = block.volume() / (24.0 * 24.0 * (20.0 * mean + 2.0));
        assert!((ratio - 1.0).abs() < 2e-3, "{ratio}");
    }
}
