//! The figures.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::bounce::{self, Bounce};
use crate::concave;
use crate::curved::Drift;
use crate::holes::Rest;
use crate::sliding::{self, End};
use reproduce::chart::{self, COLORS, Line, Panel, Series};

fn line(name: &str, color: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    Series {
        name: name.to_owned(),
        color: COLORS[color % COLORS.len()],
        line: Line::Solid,
        points: points.into_iter().collect(),
    }
}

fn as_line(line: Line, series: Series) -> Series {
    Series { line, ..series }
}

fn panel(
    title: &str,
    [x, y]: [&'static str; 2],
    range: std::ops::Range<f64>,
    series: Vec<Series>,
) -> Panel {
    Panel {
        title: title.to_owned(),
        x,
        y,
        is_y_log: false,
        range,
        series,
    }
}

/// Figure 19.
pub(crate) fn bounces(folder: &Path, bounces: &[Bounce; 3]) -> Result<PathBuf> {
    // The curves coincide: one is a line, one dashed, one a few markers.
    let kinds = [(Line::Solid, 1), (Line::Dashed, 1), (Line::Marks, 25)];
    let of = |value: usize| {
        let lines = bounces.iter().zip(bounce::NAMES).zip(kinds).enumerate();
        let lines = lines.map(|(color, ((bounce, name), (kind, each)))| {
            let points = bounce
                .course
                .iter()
                .step_by(each)
                .map(|now| (now[0], now[value]));
            as_line(kind, line(name, color, points))
        });
        lines.collect::<Vec<_>>()
    };
    let mut forces = of(2);
    let marks = bounces.iter().flat_map(|bounce| bounce.peaks);
    let [(first, peak), (second, _)] = bounces[0].peaks;
    let name = format!("{peak:.0} N at {first:.3} and {second:.3} s");
    forces.push(as_line(Line::Marks, line(&name, 6, marks)));
    let panels = [
        panel("Height of the center", ["time, s", "m"], 0.0..1.8, of(1)),
        panel("Force of the wall", ["time, s", "N"], 0.0..4000.0, forces),
    ];
    chart::write(folder, "wall-bounce.svg", &panels)
}

/// Figure 21.
pub(crate) fn corner(folder: &Path, course: &[(f64, f64)], exact: f64) -> Result<PathBuf> {
    let place = |i: usize| i as f64 / 1000.0;
    let angles = course.iter().enumerate().map(|(i, now)| (place(i), now.0));
    let part = |of: fn(f64) -> f64| {
        let parts = course.iter().enumerate();
        parts.map(move |(i, now)| (place(i), now.1 * of(now.0.to_radians())))
    };
    let x = "1st facet: 0 to 1, edge: 1 to 2, 2nd facet: 2 to 3";
    let panels = [
        panel(
            "Direction of the force",
            [x, "degrees from the vertical"],
            -10.0..100.0,
            vec![line("", 0, angles)],
        ),
        panel(
            "Size of the force, and its parts",
            [x, "N"],
            -10.0..110.0,
            vec![
                line("size", 6, part(|_| 1.0)),
                line("vertical", 0, part(f64::cos)),
                line("horizontal", 1, part(f64::sin)),
                as_line(
                    Line::Marks,
                    line(
                        "Hertz's law",
                        6,
                        (0..7).map(|i| (0.5 * f64::from(i), exact)),
                    ),
                ),
            ],
        ),
    ];
    chart::write(folder, "wall-corner.svg", &panels)
}

/// Figure 23.
pub(crate) fn rests(folder: &Path, rests: &[Rest; 3]) -> Result<PathBuf> {
    let lines = rests.iter().enumerate();
    let lines = lines.map(|(i, rest)| line(rest.name, i, rest.course.iter().copied()));
    let mut panel = panel(
        "Balls that come to rest in holes",
        ["time, s", "speed, m/s"],
        1e-5..5.0,
        lines.collect(),
    );
    panel.is_y_log = true;
    chart::write(folder, "wall-holes.svg", &[panel])
}

/// Figure 25.
pub(crate) fn slide(folder: &Path, course: &[(f64, End)]) -> Result<PathBuf> {
    let of = |value: usize| course.iter().map(move |(t, now)| (*t, now[value]));
    let end = sliding::exact(false);
    let at_end = |value: usize| as_line(Line::Marks, line("exact at 1 s", 6, [(1.0, end[value])]));
    let panels = [
        panel(
            "80 triangles: x and v",
            ["time, s", "m, m/s"],
            0.0..6.5,
            vec![
                line("x", 0, of(0)),
                line("v", 1, of(1)),
                at_end(0),
                as_line(Line::Marks, line("", 6, [(1.0, end[1])])),
            ],
        ),
        panel(
            "80 triangles: omega",
            ["time, s", "1/s"],
            0.0..16.0,
            vec![line("omega", 2, of(2)), at_end(2)],
        ),
    ];
    chart::write(folder, "wall-sliding.svg", &panels)
}

/// The panels of figure 32.
pub(crate) const GAMMAS: [f64; 8] = [0.001, 0.01, 0.033, 0.1, 0.25, 0.5, 0.75, 0.98];

/// Figure 32.
pub(crate) fn jumps(folder: &Path) -> Result<PathBuf> {
    let panels = [("linear", 1.0), ("Hertz", 1.5)].map(|(law, power)| {
        let mut series = Vec::new();
        for (i, gamma) in GAMMAS.into_iter().enumerate() {
            let at = |degrees: f64| (degrees.to_radians(), degrees);
            let exact = (0..450).map(|i| at(f64::from(i) / 5.0));
            let exact = exact.map(|(alpha, x)| (x, concave::exact(alpha, gamma).powf(power)));
            series.push(line(&format!("gamma {gamma}"), i, exact));
            let found = (1..=17).map(|i| at(5.0 * f64::from(i)));
            let found = found.map(|(alpha, x)| (x, concave::found(alpha, gamma).powf(power)));
            series.push(as_line(Line::Marks, line("", i, found)));
        }
        let title = format!("Jump of the force, {law} law: eq. 42 and kernel (marks)");
        panel(
            &title,
            [
                "angle alpha between the planes, degrees",
                "force of the new contact / old",
            ],
            0.0..1.1,
            series,
        )
    });
    chart::write(folder, "wall-concave.svg", &panels)
}

/// The energy in a groove and in a drum, with all local minima and with merged ones.
pub(crate) fn drifts(folder: &Path, groove: &[Drift; 2], drum: &[Drift; 2]) -> Result<PathBuf> {
    let panels = [
        ("Groove of 20 degrees, E = 1e5", groove),
        ("Drum of 5 R, facets 0.1 R, E = 1e6", drum),
    ]
    .map(|(title, runs)| {
        let names = ["all local minima", "merge_angle"];
        let lines = runs.iter().zip(names).enumerate();
        let lines = lines.map(|(i, (run, name))| line(name, 1 - i, run.course.iter().copied()));
        panel(
            title,
            ["time, s", "change of the energy / kinetic energy at start"],
            -0.1..0.35,
            lines.collect(),
        )
    });
    chart::write(folder, "wall-drift.svg", &panels)
}

/// The mean force in a drum against the width of the facets.
pub(crate) fn means(folder: &Path, lines: [Vec<(f64, f64)>; 4]) -> Result<PathBuf> {
    let names = [
        "all local minima",
        "merge_angle",
        "Tables 3, 4, in order",
        "Tables 3, 4, random order",
    ];
    let series = lines.into_iter().zip(names).enumerate();
    let mut series: Vec<Series> = series
        .map(|(i, (points, name))| line(name, i, points))
        .collect();
    series.push(as_line(
        Line::Dashed,
        line("rho / (rho - R)", 6, [(0.05, 1.25), (0.4, 1.25)]),
    ));
    let panel = panel(
        "Mean force in a drum of 5 R",
        [
            "width of the facets, R",
            "force / that of the deepest contact",
        ],
        0.8..5.0,
        series,
    );
    chart::write(folder, "wall-drum.svg", &[panel])
}
