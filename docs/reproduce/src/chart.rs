//! Line charts in panels, as SVG.
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use crate::Result;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The colors of Okabe and Ito, suitable for color-blind readers, and a gray.
pub const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

#[derive(Clone, Copy, PartialEq)]
pub enum Line {
    Solid,
    Dashed,
    Marks,
}

/// Points in the order of x.
pub struct Series {
    /// The label in the legend; empty for none.
    pub name: String,
    pub color: RGBColor,
    pub line: Line,
    pub points: Vec<(f64, f64)>,
}

pub struct Panel {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub is_y_log: bool,
    /// The range of the y axis.
    pub range: Range<f64>,
    pub series: Vec<Series>,
}

/// Drawing units per pixel, because coordinates are integers.
const FINE: u32 = 8;
const PANEL: (u32, u32) = (460 * FINE, 320 * FINE);

/// Draws panels side by side.
pub fn write(folder: &Path, name: &str, panels: &[Panel]) -> Result<PathBuf> {
    let path = folder.join(name);
    let at_path = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| at_path(folder, error))?;
    let size = (PANEL.0 * panels.len() as u32, PANEL.1);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        for (area, panel) in root.split_evenly((1, panels.len())).iter().zip(panels) {
            if panel.is_y_log {
                draw(area, panel, panel.range.clone().log_scale())?;
            } else {
                draw(area, panel, panel.range.clone())?;
            }
        }
        root.present()?;
    }
    let [fine, shown] = [1, FINE].map(|unit| {
        let (width, height) = (size.0 / unit, size.1 / unit);
        format!("width=\"{width}\" height=\"{height}\"")
    });
    fs::write(&path, svg.replacen(&fine, &shown, 1)).map_err(|error| at_path(&path, error))?;
    Ok(path)
}

fn draw<Y>(area: &Area, panel: &Panel, y: Y) -> Result<()>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let xs = panel.series.iter().flat_map(|s| &s.points).map(|p| p.0);
    let (left, right) = xs.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| {
        (min.min(x), max.max(x))
    });
    // A long legend stands beside the plot, where it hides no line.
    let named: Vec<_> = panel.series.iter().filter(|s| !s.name.is_empty()).collect();
    let is_beside = named.len() > 5;
    let width = area.dim_in_pixel().0;
    let (plot, margin) = area.split_horizontally(width - if is_beside { 92 * FINE } else { 0 });
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, ("sans-serif", 15 * FINE))
        .margin(8 * FINE)
        .margin_right(18 * FINE)
        .x_label_area_size(36 * FINE)
        .y_label_area_size(58 * FINE)
        .build_cartesian_2d(left..right, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
        .axis_style(BLACK.stroke_width(FINE))
        .set_all_tick_mark_size(4 * FINE)
        .label_style(("sans-serif", 12 * FINE))
        .axis_desc_style(("sans-serif", 13 * FINE))
        .x_labels(8)
        .y_labels(8)
        .x_desc(panel.x)
        .y_desc(panel.y)
        .x_label_formatter(&plain)
        .y_label_formatter(&plain)
        .draw()?;
    let unit = FINE as i32;
    let inside = |&&(_, y): &&(f64, f64)| y >= panel.range.start && y <= panel.range.end;
    for series in &panel.series {
        let style = series.color.stroke_width(2 * FINE);
        let points = series.points.iter().filter(inside).copied();
        let drawn = match series.line {
            Line::Solid => chart.draw_series(LineSeries::new(points, style))?,
            Line::Dashed => {
                chart.draw_series(DashedLineSeries::new(points, 7 * FINE, 4 * FINE, style))?
            }
            Line::Marks => {
                chart.draw_series(points.map(|p| Circle::new(p, 3 * unit, style.filled())))?
            }
        };
        if !series.name.is_empty() {
            let right = if series.line == Line::Marks { 4 } else { 20 };
            drawn
                .label(&series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + right * unit, y)], style));
        }
    }
    if is_beside {
        for (i, series) in named.into_iter().enumerate() {
            let y = (48 + 18 * i as i32) * unit;
            let style = series.color.stroke_width(2 * FINE);
            margin.draw(&PathElement::new([(0, y), (16 * unit, y)], style))?;
            let at = (20 * unit, y - 6 * unit);
            margin.draw(&Text::new(&*series.name, at, ("sans-serif", 12 * FINE)))?;
        }
    } else if !named.is_empty() {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .legend_area_size(26 * unit)
            .margin(6 * unit)
            .background_style(WHITE.mix(0.85))
            .label_font(("sans-serif", 12 * FINE))
            .draw()?;
    }
    Ok(())
}

/// Formats a number with the digits it needs.
fn plain(x: &f64) -> String {
    if *x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e6) {
        return format!("{x:.0e}");
    }
    let text = format!("{x:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}
