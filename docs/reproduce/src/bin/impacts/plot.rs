//! Line charts in panels as SVG.

use std::fs;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Result;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(crate) struct Series {
    pub name: &'static str,
    pub color: RGBColor,
    pub is_dashed: bool,
    pub points: Vec<(f64, f64)>,
}

pub(crate) struct Panel {
    pub title: String,
    pub series: Vec<Series>,
}

pub(crate) struct Axes {
    pub x: &'static str,
    pub y: &'static str,
    pub x_range: Range<f64>,
    pub y_range: Range<f64>,
    /// Both.
    pub is_log: bool,
}

/// Drawing units per pixel, because coordinates are integers.
const FINE: u32 = 8;
const PANEL: (u32, u32) = (380 * FINE, 270 * FINE);
const LEGEND: u32 = 34 * FINE;

/// Draws panels in two columns, with one legend below.
pub(crate) fn write(path: &Path, axes: &Axes, panels: &[Panel]) -> Result<()> {
    let rows = panels.len().div_ceil(2);
    let size = (PANEL.0 * 2, PANEL.1 * rows as u32 + LEGEND);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_vertically(size.1 - LEGEND);
        let (x, y) = (axes.x_range.clone(), axes.y_range.clone());
        for (area, panel) in charts.split_evenly((rows, 2)).iter().zip(panels) {
            if axes.is_log {
                let ticks = [25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0];
                let x = x.clone().log_scale().with_key_points(ticks.to_vec());
                draw(area, panel, axes, x, y.clone().log_scale())?;
            } else {
                draw(area, panel, axes, x.clone(), y.clone())?;
            }
        }
        draw_legend(&legend, panels.first().map_or(&[], |panel| &panel.series))?;
        root.present()?;
    }
    let [fine, shown] = [1, FINE].map(|unit| {
        let (width, height) = (size.0 / unit, size.1 / unit);
        format!("width=\"{width}\" height=\"{height}\"")
    });
    let written = fs::write(path, svg.replacen(&fine, &shown, 1));
    Ok(written.map_err(|error| format!("{}: {error}", path.display()))?)
}

fn draw<X, Y>(area: &Area, panel: &Panel, axes: &Axes, x: X, y: Y) -> Result<()>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let title = ("sans-serif", 15 * FINE).into_font().into_text_style(area);
    let title = title.pos(Pos::new(HPos::Center, VPos::Top));
    let place = (area.dim_in_pixel().0 as i32 / 2, 6 * FINE as i32);
    area.draw(&Text::new(panel.title.as_str(), place, title))?;
    let mut chart = ChartBuilder::on(area)
        .margin(8 * FINE)
        .margin_top(28 * FINE)
        .margin_right(18 * FINE)
        .x_label_area_size(36 * FINE)
        .y_label_area_size(56 * FINE)
        .build_cartesian_2d(x, y)?;
    let plain = |x: &f64| {
        if axes.is_log {
            format!("{x:.0}")
        } else {
            format!("{x:.1}")
        }
    };
    let power = |y: &f64| {
        if axes.is_log {
            format!("{y:.0e}")
        } else {
            format!("{y:.1}")
        }
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
        .axis_style(BLACK.stroke_width(FINE))
        .set_all_tick_mark_size(4 * FINE)
        .label_style(("sans-serif", 12 * FINE))
        .axis_desc_style(("sans-serif", 13 * FINE))
        .x_desc(axes.x)
        .y_desc(axes.y)
        .x_labels(8)
        .y_labels(8)
        .x_label_formatter(&plain)
        .y_label_formatter(&power)
        .draw()?;
    for series in &panel.series {
        let style = series.color.stroke_width(2 * FINE);
        let points = series.points.iter().copied();
        if series.is_dashed {
            chart.draw_series(DashedLineSeries::new(points, 7 * FINE, 4 * FINE, style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    Ok(())
}

fn draw_legend(area: &Area, series: &[Series]) -> Result<()> {
    let unit = FINE as i32;
    let width = area.dim_in_pixel().0 as i32;
    let step = (width / series.len().max(1) as i32).min(190 * unit);
    let left = (width - step * series.len() as i32) / 2;
    for (i, series) in (0..).zip(series) {
        let (x, y) = (left + i * step + 10 * unit, 13 * unit);
        let style = series.color.stroke_width(2 * FINE);
        // Two dashes, or one line.
        let parts: &[(i32, i32)] = if series.is_dashed {
            &[(0, 10), (16, 26)]
        } else {
            &[(0, 26)]
        };
        for (from, to) in parts {
            let ends = vec![(x + from * unit, y), (x + to * unit, y)];
            area.draw(&PathElement::new(ends, style))?;
        }
        let place = (x + 32 * unit, y - 7 * unit);
        area.draw(&Text::new(series.name, place, ("sans-serif", 14 * FINE)))?;
    }
    Ok(())
}
