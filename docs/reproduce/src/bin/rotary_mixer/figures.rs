//! The figures: facets at the stages of the search (figure 30 of the paper), and slices through the drum.

use std::fs;
use std::path::Path;

use osculate::glam::{DVec2, DVec3};

use crate::walls::Counts;
use crate::{Result, drum, grains};
use reproduce::chart::{self, COLORS, Line, Panel, Series};
use reproduce::svg::{BLUE, DARK, GRAY, ORANGE, Svg};

/// Draws the average counts of a sphere against time.
pub(crate) fn counts(folder: &Path, samples: &[(f64, Counts)]) -> Result<()> {
    let series = (0..4).map(|i| Series {
        name: Counts::NAMES[i].to_owned(),
        color: COLORS[i],
        line: Line::Solid,
        points: samples
            .iter()
            .map(|(time, counts)| (*time, counts.averages(1)[i]))
            .collect(),
    });
    let panel = Panel {
        title: "Facets at each stage of the search".to_owned(),
        x: "time, s",
        y: "average count per sphere",
        is_y_log: true,
        range: 1e-3..1e2,
        series: series.collect(),
    };
    chart::write(folder, "mixer-counts.svg", &[panel])?;
    Ok(())
}

/// Draws the spheres near the plane x = 0, colored by the half in which they started.
pub(crate) fn slices(folder: &Path, pictures: &[(f64, Vec<DVec3>)], halves: &[i32]) -> Result<()> {
    const SCALE: f64 = 1100.0;
    let (width, height) = (SCALE * drum::LENGTH, 2.0 * SCALE * drum::RADIUS + 40.0);
    let count = pictures.len() as f64;
    let mut svg = Svg::new(
        width + 40.0,
        height * count + 36.0,
        "Slices through the drum",
    );
    for (row, (time, centers)) in pictures.iter().enumerate() {
        let middle = height * (row as f64 + 0.5);
        svg.view([0.5 * width + 20.0, middle - 5.0], DVec2::ZERO, SCALE);
        let corner = DVec2::new(0.5 * drum::LENGTH, drum::RADIUS);
        let outline = format!("fill=\"none\" stroke=\"{GRAY}\"");
        svg.rectangle(-corner, corner, &outline);
        for (half, color) in [BLUE, ORANGE].iter().enumerate() {
            let style = format!("fill=\"{color}\"");
            for (center, _) in centers
                .iter()
                .zip(halves)
                .filter(|(_, h)| **h == half as i32)
            {
                let across = (grains::RADIUS.powi(2) - center.x * center.x)
                    .max(0.0)
                    .sqrt();
                if across > 0.9 * grains::RADIUS {
                    svg.circle(DVec2::new(center.y, center.z), across, &style);
                }
            }
        }
        let at = [0.5 * width + 20.0, middle + 0.5 * height - 6.0];
        svg.write(at, "middle", DARK, &format!("{time:.1} s"));
    }
    svg.caption("Blue: spheres that started in the left half. Orange: those of the right half.");
    let path = folder.join("mixer-slices.svg");
    Ok(fs::write(&path, svg.finish()).map_err(|error| format!("{}: {error}", path.display()))?)
}
