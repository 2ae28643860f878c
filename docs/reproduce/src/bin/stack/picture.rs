//! Piles, drawn from the back to the front.

use std::path::Path;
use std::{error, fs, io};

use osculate::glam::{DVec2, DVec3};

use crate::pile::Block;
use reproduce::eye::Eye;
use reproduce::svg::{DARK, Svg};

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 340.0;
/// Pixels a meter.
const SCALE: f64 = 24.0;

/// Blocks, the position of their origin on the page, and a line below them.
pub(crate) struct Panel<'a> {
    pub blocks: Vec<Block<'a>>,
    pub words: &'a str,
    pub left_px: f64,
}

/// Towards the eye.
const EYE: Eye = Eye(DVec3::new(0.35, -0.85, 0.4));

/// Writes panels side by side.
pub(crate) fn write(path: &Path, panels: &[Panel]) -> Result<(), Box<dyn error::Error>> {
    let title = "Stacked cubes, a wall of bricks, and a tower that falls";
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    for panel in panels {
        svg.view([panel.left_px, HEIGHT - 70.0], DVec2::ZERO, SCALE);
        let centers = panel.blocks[1..].iter().map(|block| block.position.x);
        let [low, high] = centers.fold([0.0, 0.0], |[low, high], x| [x.min(low), x.max(high)]);
        let ground = [(low, -1.0), (high, -1.0), (high, 1.0), (low, 1.0)].map(|(x, y)| {
            let beyond = if x == low { -1.0 } else { 1.0 };
            EYE.flat(DVec3::new(x + beyond, y, 0.0))
        });
        svg.polygon(&ground, "fill=\"#e9e9e2\"");
        let placed = panel.blocks[1..].iter().map(Block::placed);
        let placed = placed.collect::<Result<Vec<_>, _>>()?;
        EYE.bodies(&mut svg, &placed, |_| [225.0, 190.0, 150.0], 1.0)?;
        svg.write([panel.left_px, HEIGHT - 14.0], "middle", DARK, panel.words);
    }
    let text = svg.finish();
    // SVG inside rustdoc pages should be short.
    assert!(text.len() < 60_000, "{}", text.len());
    let at_path = |error: io::Error| format!("{}: {error}", path.display());
    Ok(fs::write(path, text).map_err(at_path)?)
}
