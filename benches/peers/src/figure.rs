//! Draws the ratios as bars on a logarithmic axis: a panel per category, a group of bars per case.
//! The figure has its own background, so that it is readable on a dark page.

use std::fmt::Write;

use crate::report::{OURS, Ratio};

/// Height of bars in pixels; groups are separated by half of it.
const BAR: f64 = 9.0;
const LABELS: f64 = 190.0;
const PLOT: f64 = 300.0;
const HEADER: f64 = 46.0;
/// The range of the axis, in powers of ten.
const LOW: f64 = -0.3;
const HIGH: f64 = 3.1;
/// The colors of Okabe and Ito, suitable for color-blind readers.
const COLORS: [&str; 7] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c",
];

fn along(value: f64) -> f64 {
    (value.log10().clamp(LOW, HIGH) - LOW) / (HIGH - LOW) * PLOT
}

fn unique<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    all.for_each(|item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
    });
    seen
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(
        svg,
        r#"<text x="{x:.0}" y="{y:.1}" text-anchor="{anchor}">{words}</text>"#
    );
}

fn rectangle(svg: &mut String, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str) {
    let _ = writeln!(
        svg,
        r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
    );
}

/// The number of rows of a panel: its bars, half a row per gap, and the legend.
fn height(ratios: &[&Ratio]) -> f64 {
    let cases = unique(ratios.iter().map(|r| r.0.as_str())).len();
    let peers = unique(ratios.iter().map(|r| r.1.as_str())).len();
    HEADER
        + 14.0 * peers.div_ceil(3) as f64
        + BAR * (ratios.len() as f64 + 0.5 * cases as f64)
        + 24.0
}

/// Draws a category with its upper left corner at `(left, top)`.
fn panel(svg: &mut String, left: f64, top: f64, name: &str, ratios: &[&Ratio]) {
    let zero = left + LABELS;
    let _ = writeln!(
        svg,
        r#"<text x="{left}" y="{:.0}" font-weight="bold">{name}</text>"#,
        top + 14.0
    );
    let peers = unique(ratios.iter().map(|r| r.1.as_str()));
    for (i, peer) in peers.iter().enumerate() {
        let (x, y) = (
            left + 164.0 * (i % 3) as f64,
            top + 24.0 + 14.0 * (i / 3) as f64,
        );
        rectangle(svg, [x, y], [9.0, 9.0], COLORS[i % COLORS.len()]);
        text(svg, x + 13.0, y + 8.5, "start", peer);
    }
    let first = top + HEADER + 14.0 * peers.len().div_ceil(3) as f64;
    let last = top + height(ratios) - 24.0;
    for value in [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0] {
        let x = zero + along(value);
        let color = if value == 1.0 { "#222222" } else { "#cccccc" };
        let _ = writeln!(
            svg,
            r#"<line x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{last:.1}" stroke="{color}"/>"#,
            first - 4.0
        );
        text(svg, x, first - 8.0, "middle", &value.to_string());
    }
    let (mut y, mut last_case) = (first, "");
    for (case, peer, ratio) in ratios {
        if case != last_case {
            let bars = ratios.iter().filter(|r| r.0 == *case).count() as f64;
            y += if y > first { 0.5 * BAR } else { 0.0 };
            let words = case.split_once('/').map_or("", |c| c.1);
            text(svg, zero - 6.0, y + 0.5 * BAR * bars + 4.0, "end", words);
            last_case = case;
        }
        let place = peers.iter().position(|p| p == peer).unwrap_or(0);
        // A ratio below 1 extends to the left.
        let (one, end) = (along(1.0), along(*ratio));
        let size = [(end - one).abs().max(1.0), BAR - 1.5];
        rectangle(
            svg,
            [zero + one.min(end), y],
            size,
            COLORS[place % COLORS.len()],
        );
        let digits = usize::from(*ratio < 10.0) + usize::from(*ratio < 2.0);
        let (x, y_text) = (zero + one.max(end) + 3.0, y + BAR - 2.0);
        let _ = writeln!(
            svg,
            r##"<text x="{x:.0}" y="{y_text:.1}" font-size="8" fill="#444444">{ratio:.digits$}</text>"##
        );
        y += BAR;
    }
}

/// Draws all ratios, with the categories in two columns.
pub fn svg(ratios: &[Ratio]) -> String {
    let category = |r: &Ratio| r.0.split('/').next().unwrap_or_default().to_owned();
    let mut panels: Vec<(String, Vec<&Ratio>)> = Vec::new();
    for ratio in ratios {
        match panels.iter_mut().find(|p| p.0 == category(ratio)) {
            Some(panel) => panel.1.push(ratio),
            None => panels.push((category(ratio), vec![ratio])),
        }
    }
    let (mut body, mut bottoms) = (String::new(), [36.0; 2]);
    // The longest panels first, each into the column with the most space.
    panels.sort_by(|a, b| height(&b.1).total_cmp(&height(&a.1)));
    for (name, ratios) in &panels {
        let column = usize::from(bottoms[1] < bottoms[0]);
        let left = 16.0 + (LABELS + PLOT + 50.0) * column as f64;
        panel(&mut body, left, bottoms[column], name, ratios);
        bottoms[column] += height(ratios);
    }
    let (width, height) = (
        2.0 * (LABELS + PLOT + 50.0) + 16.0,
        bottoms[0].max(bottoms[1]),
    );
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" font-family="sans-serif" font-size="11" fill="#222222">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="16" y="22" font-size="14">Time of the peers, in times of that of {OURS}</text>
{body}</svg>
"##
    )
}
