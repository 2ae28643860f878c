//! Line charts in panels, with a logarithmic y axis, as SVG.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Result;
use crate::rule::Rule;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Points in the order of x.
#[derive(Clone)]
pub(crate) struct Series {
    pub name: &'static str,
    pub color: RGBColor,
    pub is_dashed: bool,
    /// In pixels: curves that coincide are told apart by their width.
    pub width: u32,
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A rule, without points yet.
    pub(crate) fn of(rule: Rule) -> Self {
        // The colors of Okabe and Ito, suitable for color-blind readers.
        let color = match rule {
            Rule::Linear => RGBColor(230, 159, 0),
            Rule::Exponential => RGBColor(86, 180, 233),
            Rule::ConstantCount => RGBColor(0, 158, 115),
            Rule::Optimal => RGBColor(0, 0, 0),
        };
        Self {
            name: rule.name(),
            color,
            is_dashed: rule == Rule::ConstantCount,
            width: if rule == Rule::Exponential { 5 } else { 2 },
            points: Vec::new(),
        }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Panel {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub is_x_log: bool,
    /// The range of the y axis; by default that of the points.
    pub range: Option<Range<f64>>,
    pub series: Vec<Series>,
    /// Highlighted points, each with its label.
    pub marks: Vec<((f64, f64), String)>,
}

/// Drawing units per pixel, because coordinates are integers.
const FINE: u32 = 8;
const PANEL: (u32, u32) = (340 * FINE, 270 * FINE);
const LEGEND: u32 = 34 * FINE;

/// Draws panels in rows and columns, with one legend below.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    (rows, columns): (usize, usize),
    panels: &[Panel],
) -> Result<PathBuf> {
    let path = folder.join(name);
    let at_path = |error: String| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let scale = if panels.len() == 1 { 2 } else { 1 };
    let size = (
        PANEL.0 * scale * columns as u32,
        PANEL.1 * scale * rows as u32 + LEGEND,
    );
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (charts, legend) = root.split_vertically(size.1 - LEGEND);
        for (area, panel) in charts.split_evenly((rows, columns)).iter().zip(panels) {
            draw(area, panel)?;
        }
        draw_legend(&legend, panels.first().map_or(&[], |panel| &panel.series))?;
        root.present()?;
    }
    let [fine, shown] = [1, FINE].map(|unit| {
        let (width, height) = (size.0 / unit, size.1 / unit);
        format!("width=\"{width}\" height=\"{height}\"")
    });
    let svg = svg.replacen(&fine, &shown, 1);
    fs::write(&path, svg).map_err(|error| at_path(error.to_string()))?;
    Ok(path)
}

fn draw(area: &Area, panel: &Panel) -> Result<()> {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let bounds = |value: fn(&(f64, f64)) -> f64| {
        let values = points().map(value);
        values.fold((f64::INFINITY, 0.0_f64), |(min, max), x| {
            (min.min(x), max.max(x))
        })
    };
    let (left, right) = bounds(|p| p.0);
    let (low, high) = bounds(|p| p.1);
    let y = panel.range.clone().unwrap_or(low / 1.4..high * 1.2);
    let mut panel = panel.clone();
    for series in &mut panel.series {
        series.points = clipped(&series.points, y.end);
    }
    let panel = &panel;
    if panel.is_x_log {
        draw_on(area, panel, (left..right).log_scale(), y)
    } else {
        draw_on(area, panel, left..right, y)
    }
}

/// A line up to the point where it leaves the chart at the top. Only lines that do so at their end
/// or start are supported.
fn clipped(points: &[(f64, f64)], top: f64) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    for (i, &(x, y)) in points.iter().enumerate() {
        if let Some(&(x0, y0)) = i.checked_sub(1).map(|i| &points[i])
            && (y0 > top) != (y > top)
        {
            let part = (top / y0).ln() / (y / y0).ln();
            line.push((x0 + (x - x0) * part, top));
        }
        if y <= top {
            line.push((x, y));
        }
    }
    line
}

fn draw_on<X>(area: &Area, panel: &Panel, x: X, y: Range<f64>) -> Result<()>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let title = ("sans-serif", 15 * FINE).into_font().into_text_style(area);
    let title = title.pos(Pos::new(HPos::Center, VPos::Top));
    let center = area.dim_in_pixel().0 as i32 / 2;
    area.draw(&Text::new(
        panel.title.as_str(),
        (center, 6 * FINE as i32),
        title,
    ))?;
    let ticks = (0..6).flat_map(|k| [1.0, 2.0, 5.0].map(|x| x * 10_f64.powi(k)));
    let ticks: Vec<f64> = ticks.filter(|tick| y.contains(tick)).collect();
    let mut chart = ChartBuilder::on(area)
        .margin(8 * FINE)
        .margin_top(28 * FINE)
        .margin_right(18 * FINE)
        .x_label_area_size(36 * FINE)
        .y_label_area_size(52 * FINE)
        .build_cartesian_2d(x, y.log_scale().with_key_points(ticks))?;
    let plain = |x: &f64| {
        let digits = if x.fract().abs() < 1e-9 { 0 } else { 1 };
        format!("{x:.digits$}")
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE))
        .axis_style(BLACK.stroke_width(FINE))
        .set_all_tick_mark_size(4 * FINE)
        .label_style(("sans-serif", 12 * FINE))
        .axis_desc_style(("sans-serif", 13 * FINE))
        .x_labels(8)
        .y_labels(12)
        .x_desc(panel.x)
        .y_desc(panel.y)
        .x_label_formatter(&plain)
        .y_label_formatter(&plain)
        .draw()?;
    for series in &panel.series {
        let style = series.color.stroke_width(series.width * FINE);
        let points = series.points.iter().copied();
        if series.is_dashed {
            chart.draw_series(DashedLineSeries::new(points, 7 * FINE, 4 * FINE, style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    for (point, label) in &panel.marks {
        let unit = FINE as i32;
        let style = ("sans-serif", 13 * FINE).into_font().color(&RED);
        chart.draw_series([EmptyElement::at(*point)
            + Circle::new((0, 0), 4 * unit, RED.filled())
            + Text::new(label.clone(), (0, 9 * unit), style)])?;
    }
    Ok(())
}

fn draw_legend(area: &Area, series: &[Series]) -> Result<()> {
    let unit = FINE as i32;
    let width = area.dim_in_pixel().0 as i32;
    let step = (width / series.len().max(1) as i32).min(150 * unit);
    let left = (width - step * series.len() as i32) / 2;
    for (i, series) in (0..).zip(series) {
        let (x, y) = (left + i * step + 10 * unit, 13 * unit);
        let style = series.color.stroke_width(series.width * FINE);
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
