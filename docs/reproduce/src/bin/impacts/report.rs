//! Runs the impacts, prints their energy drift, and draws it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use plotters::style::RGBColor;

use crate::Result;
use crate::impact::{Case, Integrator, Run, Wrench, cases};
use crate::plot::{Axes, Panel, Series, write};

/// Steps per contact, and the permitted drift of the full wrench.
const ALLOWED: [(u32, f64); 6] = [
    (25, 4.7e-3),
    (50, 1.7e-3),
    (100, 4e-4),
    (200, 4e-5),
    (400, 1e-5),
    (1600, 1e-6),
];

/// The methods compared. The first must meet the permitted drift. It conserves energy for any
/// wrench, up to the square of its error, so the second is the test of the wrench.
const FORMS: [(&str, Wrench, Integrator); 4] = [
    ("full, stored", Wrench::Full, Integrator::Stored),
    ("full, leapfrog", Wrench::Full, Integrator::Leapfrog),
    ("force at point", Wrench::ForceAtPoint, Integrator::Leapfrog),
    ("eq. 6 as printed", Wrench::AsPrinted, Integrator::Leapfrog),
];

// The colors of Okabe and Ito, suitable for color-blind readers.
const BLACK: RGBColor = RGBColor(0, 0, 0);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const RED: RGBColor = RGBColor(213, 94, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const GREY: RGBColor = RGBColor(130, 130, 130);

pub(crate) fn run(is_short: bool, folder: &Path) -> Result<()> {
    let mut out = io::stdout().lock();
    let rows = &ALLOWED[..if is_short { 3 } else { ALLOWED.len() }];
    let mut worst = vec![0.0_f64; rows.len()];
    let (mut momentum, mut angular) = (0.0_f64, 0.0_f64);
    let (mut energies, mut drifts) = (Vec::new(), Vec::new());
    writeln!(out, "drift of the kinetic energy, worst of 4 starts\n")?;
    write!(out, "{:40}", "steps in a contact")?;
    rows.iter().try_for_each(|(n, _)| write!(out, "{n:>9}"))?;
    writeln!(out)?;
    for case in cases()? {
        let (times, fine) = when(&case, 0, if is_short { 400.0 } else { 1600.0 })?;
        energies.push(energy_panel(&case, &fine));
        let mut panel = Panel {
            title: case.name.to_owned(),
            series: Vec::new(),
        };
        let colors = [BLACK, BLUE, ORANGE, RED];
        for ((name, wrench, integrator), color) in FORMS.into_iter().zip(colors) {
            write!(out, "{:13}{name:27}", case.name)?;
            let mut points = Vec::new();
            for (i, &(steps, _)) in rows.iter().enumerate() {
                let mut drift = 0.0_f64;
                for start in 0..4 {
                    let run = at(&case, (0, wrench, integrator), times, steps, start)?;
                    drift = drift.max(run.drift.abs());
                    if wrench == Wrench::Full {
                        momentum = momentum.max(run.momentum);
                        angular = angular.max(run.angular);
                    }
                }
                if (wrench, integrator) == (FORMS[0].1, FORMS[0].2) {
                    worst[i] = worst[i].max(drift);
                }
                points.push((f64::from(steps), drift));
                write!(out, "{drift:9.1e}")?;
                out.flush()?;
            }
            writeln!(out)?;
            panel.series.push(Series {
                name,
                color,
                is_dashed: false,
                points,
            });
        }
        panel.series.push(Series {
            name: "allowed",
            color: GREY,
            is_dashed: true,
            points: rows
                .iter()
                .map(|&(n, drift)| (f64::from(n), drift))
                .collect(),
        });
        drifts.push(panel);
    }
    for case in cases()? {
        other_energies(&mut out, &case, rows, &mut worst)?;
    }
    for case in cases()? {
        let ([start, end], _) = when(&case, 0, 400.0)?;
        let times = start - 0.01..end + 0.01;
        let (counts, deepest) = case.regions((end - start) / 400.0, times)?;
        let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
        let counts = counts.join(" ");
        let name = case.name;
        writeln!(out, "{name:13}regions {counts}, at the deepest {deepest}")?;
    }
    write!(out, "{:40}", "worst, full wrench")?;
    worst.iter().try_for_each(|x| write!(out, "{x:9.1e}"))?;
    write!(out, "\n{:40}", "allowed")?;
    rows.iter().try_for_each(|(_, x)| write!(out, "{x:9.1e}"))?;
    writeln!(
        out,
        "\nmomentum to {momentum:.1e}, angular momentum to {angular:.1e}"
    )?;
    if !is_short {
        draw(folder, &energies, &drifts)?;
    }
    let is_within = worst.iter().zip(rows).all(|(drift, row)| *drift <= row.1);
    if !(is_within && momentum <= 1e-12 && angular <= 1e-12) {
        return Err("more than is allowed".into());
    }
    Ok(writeln!(out, "within what is allowed")?)
}

/// The full wrench with other energies, by both integrators.
fn other_energies(
    out: &mut impl Write,
    case: &Case,
    rows: &[(u32, f64)],
    worst: &mut [f64],
) -> Result<()> {
    for (energy, (name, _)) in case.energies.iter().enumerate().skip(1) {
        let (times, _) = when(case, energy, 400.0)?;
        for (form, _, integrator) in &FORMS[..2] {
            let kind = form.trim_start_matches("full, ");
            let what = format!("{:13}{name}, {kind}", case.name);
            write!(out, "{what:40}")?;
            for ((steps, _), worst) in rows.iter().zip(&mut *worst) {
                let mut drift = 0.0_f64;
                for start in 0..4 {
                    let form = (energy, Wrench::Full, *integrator);
                    drift = drift.max(at(case, form, times, *steps, start)?.drift.abs());
                }
                if *integrator == Integrator::Stored {
                    *worst = worst.max(drift);
                }
                write!(out, "{drift:9.1e}")?;
                out.flush()?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// The times of the first and last contact, from a run with about `steps` steps in the contact.
fn when(case: &Case, energy: usize, steps: f64) -> Result<([f64; 2], Run)> {
    const ROUGH: f64 = 0.004;
    let energy = &case.energies[energy].1;
    let run = |step, times| case.run(energy, Wrench::Full, Integrator::Leapfrog, step, times);
    let rough = run(ROUGH, 0.0..2.5)?;
    let missed = || format!("{}: the bodies miss each other", case.name);
    let [start, end] = rough.contact.ok_or_else(missed)?;
    let length = end - start;
    let fine = run(length / steps, start - 2.0 * ROUGH..end + 0.2 * length)?;
    Ok((fine.contact.ok_or_else(missed)?, fine))
}

/// A run that starts at most two steps before the contact.
fn at(
    case: &Case,
    (energy, wrench, integrator): (usize, Wrench, Integrator),
    [start, end]: [f64; 2],
    steps: u32,
    phase: u32,
) -> Result<Run> {
    let step = (end - start) / f64::from(steps);
    let lead = step * (1.25 + 0.25 * f64::from(phase));
    let times = start - lead..end + 3.0 * step;
    Ok(case.run(&case.energies[energy].1, wrench, integrator, step, times)?)
}

/// Energies relative to the initial one, times relative to the length of the contact.
fn energy_panel(case: &Case, run: &Run) -> Panel {
    let [start, end] = run.contact.unwrap_or([0.0, 1.0]);
    let first = run.samples.first();
    let whole = first.map_or(1.0, |sample| sample.translational + sample.rotational);
    // As many points as are visible.
    let stride = (run.samples.len() / 200).max(1);
    let line = |name, color, is_dashed, value: fn([f64; 3]) -> f64| Series {
        name,
        color,
        is_dashed,
        points: run
            .samples
            .iter()
            .step_by(stride)
            .map(|sample| {
                let time = (sample.time - start) / (end - start);
                let parts = [sample.translational, sample.rotational, sample.elastic];
                (time, value(parts) / whole)
            })
            .filter(|point| (-0.1..=1.2).contains(&point.0))
            .collect(),
    };
    let [a, b] = case.triangles();
    Panel {
        title: format!("{} ({a} and {b} triangles)", case.name),
        series: vec![
            line("translational", BLUE, false, |[t, _, _]| t),
            line("rotational", GREEN, false, |[_, r, _]| r),
            line("kinetic", BLACK, false, |[t, r, _]| t + r),
            line("with the contact's", RED, true, |[t, r, e]| t + r + e),
        ],
    }
}

fn draw(folder: &Path, energies: &[Panel], drifts: &[Panel]) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let axes = Axes {
        x: "time / length of the contact",
        y: "energy / that before",
        x_range: -0.1..1.2,
        y_range: 0.0..1.1,
        is_log: false,
    };
    write(&folder.join("impact-energies.svg"), &axes, energies)?;
    let axes = Axes {
        x: "steps in a contact",
        y: "drift of the kinetic energy",
        x_range: 20.0..2000.0,
        y_range: 1e-10..10.0,
        is_log: true,
    };
    write(&folder.join("impact-drift.svg"), &axes, drifts)
}
