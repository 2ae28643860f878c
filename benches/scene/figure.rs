//! The growth of the cost with the number of bodies.

use osculate::glam::DVec2;

use crate::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, RED, Svg};

const COLORS: [&str; 7] = [BLUE, ORANGE, GREEN, RED, "#7a5ba8", "#8a6a3a", "#3a9aa8"];
/// Of the first scenes with these colors, and of the next ones.
const DASHES: [&str; 3] = ["", "7 3", "2 3"];
/// Pixels of a panel.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 270.0;
const TOP: f64 = 46.0;
/// The range of the ratios, as powers of 2.
const LOW: i32 = -1;
const HIGH: i32 = 3;

/// The times of a scene on one thread, in a row of the table.
struct Point<'a> {
    name: &'a str,
    count: f64,
    times: [f64; 3],
}

impl<'a> Point<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, count, "1", _, rebuild, kept, contacts, ..] = cells[..] else {
            return None;
        };
        let time = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        Some(Self {
            name,
            count: count.parse().ok()?,
            times: [rebuild, kept, contacts].map(time),
        })
    }
}

/// Draws the times on one thread relative to those of the smallest size, a panel for each stage.
pub(crate) fn growth(lines: &str) -> String {
    let mut scenes: Vec<Vec<Point>> = Vec::new();
    for point in lines.lines().filter_map(Point::read) {
        match scenes.iter_mut().find(|scene| scene[0].name == point.name) {
            Some(scene) => scene.push(point),
            None => scenes.push(vec![point]),
        }
    }
    // Smaller spheres have fewer of the same facets near them.
    scenes.retain(|scene| !scene[0].name.contains("facets"));
    let page = [3.0 * (WIDTH + 40.0) + 250.0, TOP + HEIGHT + 70.0];
    let title = "Growth of the cost with the number of bodies";
    let mut svg = Svg::new(page[0], page[1], title);
    let titles = [
        "rebuild of the list, a body",
        "kept list, a body",
        "contacts, a pair",
    ];
    for (stage, title) in titles.into_iter().enumerate() {
        let left = 40.0 + stage as f64 * (WIDTH + 40.0);
        svg.write([left + 0.5 * WIDTH, TOP - 12.0], "middle", DARK, title);
        // From 10^4 to 10^6 bodies.
        let at = |count: f64, ratio: f64| {
            let x = left + WIDTH * (count.log10() - 4.0) / 2.0;
            let height = (ratio.log2() - f64::from(LOW)) / f64::from(HIGH - LOW);
            [x, TOP + HEIGHT * (1.0 - height)]
        };
        for ratio in (LOW..=HIGH).map(|power| 2.0_f64.powi(power)) {
            let ends = [1e4, 1e6].map(|count| at(count, ratio));
            line(&mut svg, ends, GRAY, 0.5, "");
            let [x, y] = ends[0];
            svg.write([x - 6.0, y + 4.0], "end", DARK, &format!("{ratio}"));
        }
        for (digits, count) in [
            ("10\u{2074}", 1e4),
            ("10\u{2075}", 1e5),
            ("10\u{2076}", 1e6),
        ] {
            let [x, y] = at(count, 2.0_f64.powi(LOW));
            svg.write([x, y + 18.0], "middle", DARK, digits);
        }
        for (i, scene) in scenes.iter().enumerate() {
            let place = |point: &Point| at(point.count, point.times[stage] / scene[0].times[stage]);
            for ends in scene.windows(2) {
                let ends = [&ends[0], &ends[1]].map(place);
                if ends.as_flattened().iter().all(|x| x.is_finite()) {
                    line(&mut svg, ends, COLORS[i % 7], 2.0, DASHES[i / 7]);
                }
            }
        }
    }
    for (i, scene) in scenes.iter().enumerate() {
        let (x, y) = (3.0 * (WIDTH + 40.0) + 20.0, TOP + 8.0 + 19.0 * i as f64);
        let ends = [[x, y], [x + 26.0, y]];
        line(&mut svg, ends, COLORS[i % 7], 2.0, DASHES[i / 7]);
        svg.write([x + 32.0, y + 4.0], "start", DARK, scene[0].name);
    }
    svg.caption("Bodies; time relative to that of the smallest size, one thread");
    svg.finish()
}

/// A line between two positions of the page.
fn line(svg: &mut Svg, ends: [[f64; 2]; 2], color: &str, width: f64, dashes: &str) {
    let style =
        format!("stroke=\"{color}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\"");
    let [from, to] = ends.map(|[x, y]| DVec2::new(x, -y));
    svg.line(from, to, &style);
}
