//! Curves over the number of ranks.

use osculate::glam::DVec2;

use crate::shares::Shares;
use crate::svg::{BLUE, DARK, GRAY, GREEN, ORANGE, Svg, stroked};

const PANEL: DVec2 = DVec2::new(250.0, 200.0);
/// The lower left corner of the first panel, and the distance of two panels, in pixels.
const CORNER: [f64; 2] = [62.0, 258.0];
const SPACING: f64 = 330.0;

/// A diagram with logarithmic axes, or a linear one upwards.
struct Panel<'a> {
    title: &'a str,
    /// The lower and the upper end of the axis upwards, and where it has numbers.
    range: [f64; 2],
    ticks: &'a [(f64, &'a str)],
    is_log: bool,
    curves: Vec<Curve<'a>>,
}

struct Curve<'a> {
    name: &'a str,
    color: &'a str,
    value: fn(&Shares) -> f64,
}

pub fn draw(shares: &[Shares]) -> String {
    let title = "What a rank holds and sends, over the number of ranks";
    let mut svg = Svg::new(1000.0, 330.0, title);
    let panels = [
        Panel {
            title: "shares of other ranks",
            range: [0.002, 3.0],
            ticks: &[(0.01, "1 %"), (0.1, "10 %"), (1.0, "100 %")],
            is_log: true,
            curves: vec![
                Curve {
                    name: "ghosts over bodies",
                    color: BLUE,
                    value: |share| share.ghosts / share.bodies,
                },
                Curve {
                    name: "shared pairs over pairs",
                    color: ORANGE,
                    value: |share| share.shared,
                },
            ],
        },
        Panel {
            title: "neighbors of a rank",
            range: [0.0, 40.0],
            ticks: &[
                (0.0, "0"),
                (10.0, "10"),
                (20.0, "20"),
                (30.0, "30"),
                (40.0, "40"),
            ],
            is_log: false,
            curves: vec![
                Curve {
                    name: "most",
                    color: ORANGE,
                    value: |share| share.most_neighbors as f64,
                },
                Curve {
                    name: "mean",
                    color: BLUE,
                    value: |share| share.neighbors,
                },
            ],
        },
        Panel {
            title: "time for the bodies over all time (modeled)",
            range: [0.0, 1.05],
            ticks: &[(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")],
            is_log: false,
            curves: vec![Curve {
                name: "efficiency",
                color: GREEN,
                value: Shares::efficiency,
            }],
        },
    ];
    for (i, panel) in (0..).zip(&panels) {
        let [x, y] = CORNER;
        svg.view([x + SPACING * f64::from(i), y], DVec2::ZERO, 1.0);
        panel.draw(&mut svg, shares);
    }
    let bodies = shares.first().map_or(0.0, |share| share.bodies);
    svg.caption(&format!(
        "{:.1} million spheres, size ratio 4, in a rotating drum",
        bodies / 1e6
    ));
    svg.finish()
}

impl Panel<'_> {
    fn draw(&self, svg: &mut Svg, shares: &[Shares]) {
        let last = shares.last().map_or(1, |share| share.ranks) as f64;
        let x = |ranks: f64| PANEL.x * ranks.ln() / last.ln();
        let y = |value: f64| {
            let [low, high] = self.range;
            let part = if self.is_log {
                (value / low).ln() / (high / low).ln()
            } else {
                (value - low) / (high - low)
            };
            PANEL.y * part
        };
        let gray = stroked(GRAY, 0.7);
        for &(value, text) in self.ticks {
            let at = DVec2::new(0.0, y(value));
            svg.line(at, at + DVec2::X * PANEL.x, &gray);
            svg.label(at, [-28.0, 4.0], DARK, text);
        }
        for ranks in [1.0, 8.0, 64.0, 512.0, 4096.0] {
            let at = DVec2::new(x(ranks), 0.0);
            svg.line(at, at + DVec2::Y * PANEL.y, &gray);
            svg.label(at, [0.0, 18.0], DARK, &ranks.to_string());
        }
        svg.label(DVec2::new(0.5 * PANEL.x, 0.0), [0.0, 36.0], DARK, "ranks");
        svg.label(
            DVec2::new(0.5 * PANEL.x, PANEL.y),
            [0.0, -30.0],
            DARK,
            self.title,
        );
        for (row, curve) in (0..).zip(&self.curves) {
            let point = |share: &Shares| DVec2::new(x(share.ranks as f64), y((curve.value)(share)));
            // What is below the panel is not drawn.
            let points = shares.iter().map(point).filter(|point| point.y >= 0.0);
            let points: Vec<DVec2> = points.collect();
            svg.path(&points, &stroked(curve.color, 2.0));
            points.iter().for_each(|&point| svg.dot(point, curve.color));
            let at = DVec2::new(0.5 * PANEL.x, PANEL.y + 10.0);
            let across = 110.0 * (f64::from(row) - 0.5 * (self.curves.len() - 1) as f64);
            svg.label(at, [across * 1.25, 0.0], curve.color, curve.name);
        }
    }
}
