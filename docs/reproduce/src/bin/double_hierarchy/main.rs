//! Reproduces the benchmarks of the paper on the double hierarchy method, and its statements about
//! concave walls. Prints a table of the paper's, the exact and the crate's numbers, and draws
//! figures.
//!
//! `cargo reproduce double_hierarchy -- [--out FOLDER]`

mod ball;
mod bounce;
mod concave;
mod corner;
mod curved;
mod figures;
mod ground;
mod holes;
mod sliding;
mod tangential;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error};

use osculate::narrow::ContactSelection;

use ball::Law;
use ground::Facets;

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

/// A row of the table: name, paper, exact, this crate.
type Row = [String; 4];

fn row(what: &str, paper: &str, exact: impl ToString, ours: impl ToString) -> Row {
    [
        what.to_owned(),
        paper.to_owned(),
        exact.to_string(),
        ours.to_string(),
    ]
}

fn main() -> ExitCode {
    match folder().and_then(|folder| run(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("double_hierarchy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn folder() -> Result<PathBuf> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [] => Ok("docs/figures".into()),
        [option, folder] if option == "--out" => Ok(folder.into()),
        _ => Err("usage: double_hierarchy [--out FOLDER]".into()),
    }
}

fn run(folder: &Path) -> Result<()> {
    let mut rows = Vec::new();
    let paths = [
        bounces(folder, &mut rows)?,
        convex(folder, &mut rows)?,
        rests(folder, &mut rows)?,
        slides(folder, &mut rows)?,
        jumps(folder, &mut rows)?,
        drifts(folder, &mut rows)?,
        means(folder, &mut rows)?,
    ];
    springs(&mut rows);
    println!("| benchmark | paper | exact | ours |\n|---|---|---|---|");
    for row in rows {
        println!("| {} |", row.join(" | "));
    }
    println!();
    for path in paths {
        println!("written: {}", path.display());
    }
    Ok(())
}

fn bounces(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let bounces = bounce::run();
    for (name, bounce) in bounce::NAMES.iter().zip(&bounces) {
        let ours = format!(
            "{:.1} % R; {:.1e}; {}; {}",
            100.0 * bounce.gamma,
            bounce.drift,
            bounce.contacts,
            bounce.sideways
        );
        let what = format!(
            "bounce on {name}: indentation; change of the energy; contacts; sideways force"
        );
        rows.push(row(&what, "> 30 % R; none; 1; 0", "; 0; 1; 0", ours));
    }
    let differs = |course: &[[f64; 3]]| {
        let pairs = course.iter().zip(&bounces[0].course);
        pairs.map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max)
    };
    let most = bounces
        .iter()
        .map(|b| differs(&b.course))
        .fold(0.0, f64::max);
    let what = "difference of the three trajectories, m";
    rows.push(row(what, "\"exactly the same\"", 0, most));
    let soft = bounce::on_equal_stiffness();
    for (on, law, peak) in [
        (
            "a rigid wall",
            Law::on_rigid(bounce::YOUNG),
            bounces[0].peaks[0].1,
        ),
        (
            "a wall as stiff as the sphere",
            Law::on_same(bounce::YOUNG),
            soft.peaks[0].1,
        ),
    ] {
        let what = format!("bounce on {on}: largest force, N");
        let exact = format!("{:.1}", bounce::exact_force(&law));
        rows.push(row(
            &what,
            "below 2500, the end of the axis of figure 19",
            exact,
            format!("{peak:.1}"),
        ));
    }
    figures::bounces(folder, &bounces)
}

fn convex(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let (course, exact) = (corner::around(), corner::exact_force());
    let off = course.iter().map(|&(_, force)| (force / exact - 1.0).abs());
    let ours = format!("{:.4}; {:.1e}", course[1500].1, off.fold(0.0, f64::max));
    let what = "force around a convex corner, N; relative deviation on the way";
    rows.push(row(
        what,
        "76.063; constant",
        format!("{exact:.4}; 0"),
        ours,
    ));
    let steps = [4e-5, 2e-5, 1e-5];
    let ridges = steps.map(corner::ridge);
    if !ridges.iter().all(|ridge| ridge.has_crossed) {
        return Err("the ball has not crossed the ridge".into());
    }
    let jumps = ridges.each_ref().map(|ridge| format!("{:.2e}", ridge.jump));
    let what = "rolling over a ridge of 20 degrees: largest change of the force in a step of 40, 20, 10 us, \
                in weights";
    rows.push(row(
        what,
        "continuous",
        "in proportion to the step",
        jumps.join(", "),
    ));
    figures::corner(folder, &course, exact)
}

fn rests(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let rests = holes::run();
    for rest in &rests {
        let what = format!(
            "at rest in a hole on {}: contacts; speed, m/s; height, m",
            rest.name
        );
        let exact = format!("; 0; {:.5}", rest.exact);
        let ours = format!(
            "{} edges, {} vertices; {:.1e}; {:.5}",
            rest.edges, rest.vertices, rest.speed, rest.height
        );
        rows.push(row(&what, "\"close to 0\"", exact, ours));
    }
    figures::rests(folder, &rests)
}

fn slides(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let paper = [
        ["3.9021; 3.5410; 11.9788", "3.9022; 3.5410; 11.9788"],
        ["3.9182; 3.5714; 11.9048"; 2],
    ];
    let show = |[x, v, omega]: sliding::End| format!("{x:.6}; {v:.6}; {omega:.6}");
    for (is_point, paper) in [false, true].into_iter().zip(paper) {
        for (facets, paper) in [Facets::Quads, Facets::Triangles].into_iter().zip(paper) {
            let (end, _) = sliding::run(facets, is_point);
            let on = if facets == Facets::Quads {
                "one quad"
            } else {
                "80 triangles"
            };
            let lever = if is_point {
                "R (the paper's \"analytical\")"
            } else {
                "R - delta"
            };
            let what = format!("Table 8, {on}, lever arm {lever}: x, v, omega");
            rows.push(row(&what, paper, show(sliding::exact(is_point)), show(end)));
        }
    }
    let (end, _) = sliding::run_from(Facets::Triangles, false, 1.3);
    let what =
        "Table 8, 80 triangles, 1.3 times the indentation of equilibrium at the start: x, v, omega";
    rows.push(row(what, paper[0][1], "", show(end)));
    figures::slide(folder, &sliding::run(Facets::Triangles, false).1)
}

fn jumps(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let alpha = 10_f64.to_radians();
    let [exact, found] = [concave::exact(alpha, 0.033), concave::found(alpha, 0.033)]
        .map(|jump| format!("{jump:.4}, {:.4}", jump.powf(1.5)));
    let what = "jump at a concave edge (eq. 42), alpha 10 degrees, gamma 0.033: linear, Hertz";
    rows.push(row(what, "0.55, 0.41", exact, found));
    let (mut off, mut beyond) = (0.0_f64, 0.0_f64);
    for gamma in figures::GAMMAS {
        for degrees in 1..90 {
            let alpha = f64::from(degrees).to_radians();
            let (exact, found) = (concave::exact(alpha, gamma), concave::found(alpha, gamma));
            off = off.max((exact - found).abs());
            if alpha >= (1.0 - gamma).acos() {
                beyond = beyond.max(found);
            }
        }
    }
    let what = "eq. 42, 89 angles, 8 indentations: difference; jump at alpha >= acos(1 - gamma)";
    rows.push(row(what, "", "0; 0", format!("{off:.0e}; {beyond:.0e}")));
    figures::jumps(folder)
}

/// Eq. 43. The paper's value is its approximation, 0.525 of the indentation over the length of a facet.
fn springs(rows: &mut Vec<Row>) {
    for indentation in [0.01, 0.1, 0.5] {
        let [anew, kept] = tangential::found(indentation);
        let what = format!(
            "work of friction lost (eq. 43), indentation {indentation} of a facet: spring anew on each facet; kept"
        );
        let paper = format!("{:.5}", 0.525 * indentation);
        let exact = format!("{:.5}; 0", tangential::exact(indentation));
        rows.push(row(&what, &paper, exact, format!("{anew:.5}; {kept}")));
    }
}

fn drifts(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let every = ContactSelection::merge_angle(0.0)?;
    let merged = ContactSelection::merge_for_indentation(0.25)?;
    let mut courses = Vec::new();
    let mut add = |what: String, run: &dyn Fn(ContactSelection) -> curved::Drift| {
        let [all, one] = [every, merged].map(run);
        let ours = format!(
            "{:.1e} (gamma up to {:.3}); {:.1e} (gamma up to {:.3})",
            all.largest, all.gamma, one.largest, one.gamma
        );
        rows.push(row(&what, "", "0; 0", ours));
        courses.push([all, one]);
    };
    for (degrees, young) in [(10.0_f64, 1e6), (10.0, 1e5), (20.0, 1e5)] {
        let what = format!(
            "sliding in a groove of {degrees} degrees, E {young:e}: change of the energy over the first \
             kinetic energy (all minima; merged)"
        );
        add(what, &|policy| {
            curved::groove(degrees.to_radians(), young, policy, 5.0)
        });
    }
    for (width, young) in [(1.0, 1e5), (0.4, 1e5), (0.1, 1e5), (0.4, 1e6), (0.1, 1e6)] {
        let what = format!("in a drum of 5 R, facets {width} R, E {young:e}");
        add(what, &|policy| curved::drum(width, young, policy));
    }
    figures::drifts(folder, &courses[2], &courses[7])
}

fn means(folder: &Path, rows: &mut Vec<Row>) -> Result<PathBuf> {
    let merged = ContactSelection::merge_for_indentation(0.02)?;
    let mut lines: [Vec<(f64, f64)>; 4] = Default::default();
    for width in [0.4, 0.2, 0.1, 0.05] {
        let means = [
            curved::mean_force(width, ContactSelection::merge_angle(0.0)?),
            curved::mean_force(width, merged),
            curved::mean_force_of_paper(width, false),
            curved::mean_force_of_paper(width, true),
        ];
        let show = |mean: &curved::Mean| format!("{:.3}, {:.3}", mean.contacts, mean.force);
        let [all, one, ordered, shuffled] = means.each_ref().map(show);
        let what = format!(
            "drum of 5 R, facets {width} R: contacts, force over that of the deepest (paper: Tables 3 \
             and 4, facets in order; shuffled. Ours: all minima; merged)"
        );
        rows.push(row(
            &what,
            &format!("{ordered}; {shuffled}"),
            "1.25; 1",
            format!("{all}; {one}"),
        ));
        for (line, mean) in lines.iter_mut().zip(&means) {
            line.push((width, mean.force));
        }
    }
    figures::means(folder, lines)
}
