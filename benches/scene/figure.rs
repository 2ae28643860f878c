//! The growth of the cost with the number of bodies.

use osculate::glam::DVec2;

use crate::measure::Row;
use crate::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, RED, Svg};

const COLORS: [&str; 7] = [BLUE, ORANGE, GREEN, RED, "#7a5ba8", "#8a6a3a", "#3a9aa8"];
/// Pixels of a panel.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 190.0;
const TOP: f64 = 46.0;

/// Draws the times on one thread relative to those of the smallest size, a panel for each stage.
pub(crate) fn growth(rows: &[(&str, Row)]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    names.dedup();
    // Smaller spheres have fewer of the same facets near them.
    names.retain(|name| !name.contains("facets"));
    let page = [3.0 * (WIDTH + 40.0) + 200.0, TOP + HEIGHT + 70.0];
    let mut svg = Svg::new(
        page[0],
        page[1],
        "Growth of the cost with the number of bodies",
    );
    type Stage = (&'static str, fn(&Row) -> f64);
    let stages: [Stage; 3] = [
        ("rebuild of the list, a body", |row| row.rebuild),
        ("kept list, a body", |row| row.kept),
        ("contacts, a pair", |row| row.touch),
    ];
    for (panel, (title, time)) in stages.into_iter().enumerate() {
        let left = 40.0 + panel as f64 * (WIDTH + 40.0);
        svg.write([left + 0.5 * WIDTH, TOP - 12.0], "middle", DARK, title);
        // From 10^4 to 10^6 bodies, and from half to four times the time.
        let at = |count: f64, ratio: f64| {
            let x = left + WIDTH * (count.log10() - 4.0) / 2.0;
            let y = TOP + HEIGHT * (2.0 - ratio.log2()) / 3.0;
            [x, y]
        };
        for ratio in [0.5, 1.0, 2.0, 4.0] {
            let [_, y] = at(1e4, ratio);
            line(&mut svg, [left, y], [left + WIDTH, y], GRAY, 0.5);
            svg.write([left - 6.0, y + 4.0], "end", DARK, &format!("{ratio}"));
        }
        for exponent in 4..=6 {
            let [x, y] = at(10_f64.powi(exponent), 0.5);
            let digits = ["10\u{2074}", "10\u{2075}", "10\u{2076}"];
            svg.write([x, y + 18.0], "middle", DARK, digits[exponent as usize - 4]);
        }
        for (name, color) in names.iter().zip(COLORS) {
            let of_scene = rows.iter().filter(|(n, row)| n == name && row.threads == 1);
            let points: Vec<[f64; 2]> = of_scene
                .map(|(_, row)| [row.count as f64, time(row)])
                .collect();
            let first = points[0][1];
            let places: Vec<_> = points.iter().map(|&[n, t]| at(n, t / first)).collect();
            for ends in places.windows(2) {
                line(&mut svg, ends[0], ends[1], color, 2.0);
            }
        }
    }
    for (i, (name, color)) in names.iter().zip(COLORS).enumerate() {
        let (x, y) = (3.0 * (WIDTH + 40.0) + 20.0, TOP + 8.0 + 22.0 * i as f64);
        line(&mut svg, [x, y], [x + 22.0, y], color, 2.0);
        svg.write([x + 28.0, y + 4.0], "start", DARK, name);
    }
    svg.caption("Bodies; time relative to that of 10,000 bodies, one thread");
    svg.finish()
}

/// A line between two positions of the page.
fn line(svg: &mut Svg, from: [f64; 2], to: [f64; 2], color: &str, width: f64) {
    let style = format!("stroke=\"{color}\" stroke-width=\"{width}\"");
    let [from, to] = [from, to].map(|[x, y]| DVec2::new(x, -y));
    svg.line(from, to, &style);
}
