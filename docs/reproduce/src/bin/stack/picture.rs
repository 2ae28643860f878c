//! Piles, drawn from the back to the front.

use std::path::Path;
use std::{error, fs, io};

use osculate::glam::{DVec2, DVec3};
use osculate::{
    CommonPlane, ConvexPolygon, ConvexPolyhedron, Error, NarrowPhase as _, Placed, Pose2,
};

use crate::pile::Block;
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
const EYE: DVec3 = DVec3::new(0.35, -0.85, 0.4);

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
            flat(DVec3::new(x + beyond, y, 0.0))
        });
        svg.polygon(&ground, "fill=\"#e9e9e2\"");
        for i in from_back_to_front(&panel.blocks[1..])? {
            draw(&mut svg, &panel.blocks[1 + i])?;
        }
        svg.write([panel.left_px, HEIGHT - 14.0], "middle", DARK, panel.words);
    }
    let text = svg.finish();
    // SVG inside rustdoc pages should be short.
    assert!(text.len() < 60_000, "{}", text.len());
    let at_path = |error: io::Error| format!("{}: {error}", path.display());
    Ok(fs::write(path, text).map_err(at_path)?)
}

/// Returns the position on the page.
fn flat(x: DVec3) -> DVec2 {
    let eye = EYE.normalize();
    let right = DVec3::Z.cross(eye).normalize();
    DVec2::new(right.dot(x), eye.cross(right).dot(x))
}

fn draw(svg: &mut Svg, block: &Block) -> Result<(), Error> {
    let Placed { shape, pose, .. } = block.placed()?;
    for face in shape.surface().facets() {
        let corners: Vec<_> = face.corners().map(|x| pose.transform_point(x)).collect();
        let [along, across] = [1, 2].map(|i| corners[i] - corners[0]);
        let normal = along.cross(across).normalize();
        if normal.dot(EYE) > 0.0 {
            let light = 0.6 + 0.4 * normal.dot(DVec3::new(-0.3, -0.5, 0.8)).max(0.0);
            let [r, g, b] = [225.0, 190.0, 150.0].map(|part| (part * light) as u8);
            let style =
                format!("fill=\"#{r:02x}{g:02x}{b:02x}\" stroke=\"{DARK}\" stroke-width=\"0.6\"");
            svg.polygon(&corners.into_iter().map(flat).collect::<Vec<_>>(), &style);
        }
    }
    Ok(())
}

/// Orders blocks so that no block hides a later one.
///
/// The common plane of two blocks tells which one is in front, that of their outlines whether they overlap
/// on the page.
fn from_back_to_front(blocks: &[Block]) -> Result<Vec<usize>, Error> {
    let placed: Vec<_> = blocks.iter().map(Block::placed).collect::<Result<_, _>>()?;
    let outline = |block: &Placed<&ConvexPolyhedron>| {
        let corners = block.shape.vertices().iter();
        let corners: Vec<_> = corners
            .map(|&x| flat(block.pose.transform_point(x)))
            .collect();
        Ok(Placed::new(
            ConvexPolygon::from_convex_hull(&corners)?,
            Pose2::IDENTITY,
        ))
    };
    let outlines: Vec<_> = placed.iter().map(outline).collect::<Result<_, Error>>()?;
    let mut kernel = CommonPlane::new().with_margin(100.0)?;
    let mut hides = |i: usize, j: usize| {
        let apart = CommonPlane::new()
            .contact(&outlines[i], &outlines[j])
            .is_none();
        let plane = kernel.contact(&placed[j], &placed[i]);
        i != j && !apart && plane.is_some_and(|plane| plane.normal.dot(EYE) > 0.0)
    };
    let mut rest: Vec<usize> = (0..blocks.len()).collect();
    let mut order = Vec::new();
    while !rest.is_empty() {
        let is_last = |&k: &usize| !rest.iter().any(|&i| hides(rest[k], i));
        let last = (0..rest.len()).find(is_last).unwrap_or(0);
        order.push(rest.swap_remove(last));
    }
    Ok(order)
}
