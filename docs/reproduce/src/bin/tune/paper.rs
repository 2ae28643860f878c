//! The figures of D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid
//! data structure for contact detection in arbitrarily polydisperse particle systems",
//! Computational Particle Mechanics 1 (2014) 357-372, from the model in this crate.

use std::fmt::Write as _;
use std::path::Path;

use osculate::reference::optimal_level_sizes;
use osculate::{
    broad::SearchDirection,
    reference::{GridCost, RadiusDistribution},
};

use crate::Result;
use crate::plot::{self, Panel, Series};
use crate::rule::{Case, Rule};
use reproduce::radii::power_law_radii;

/// The largest density at which the paper's bound of 30 tests per body holds.
const NU: f64 = 0.7;
const COUNT: usize = 100_000;
const DIRECTIONS: [(SearchDirection, &str); 2] = [
    (SearchDirection::TopDown, "Top-Down"),
    (SearchDirection::BottomUp, "Bottom-Up"),
];

pub(crate) fn figures(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for path in [against_omega(folder)?, against_alpha(folder)?] {
        writeln!(text, "written: {}", path.display())?;
    }
    text += &example(folder)?;
    text += &best_levels(folder)?;
    text += &sensitivity(folder)?;
    text += &headline()?;
    Ok(text)
}

/// The least T of a mixture over that of equal bodies.
fn headline() -> Result<String> {
    let least = |radii: &[f64]| -> Result<f64> {
        let radii = RadiusDistribution::new(radii)?;
        let case = Case::new(&radii, 3, NU, SearchDirection::TopDown, GridCost::CELLS)?;
        Ok(case.model.time(&optimal_level_sizes(&case.model, None)))
    };
    let equal = least(&[1.0; 1000])?;
    let mut text =
        format!("\n3D, nu {NU}, Top-Down: least T over that of equal bodies, {equal:.2}\n");
    text += "| omega | alpha 0 | -1 | -2 | -3 |\n|---|---|---|---|---|\n";
    for omega in [2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        write!(text, "| {omega} |")?;
        for alpha in [0.0, -1.0, -2.0, -3.0] {
            let ratio = least(&power_law_radii(COUNT, alpha, omega))? / equal;
            write!(text, " {ratio:.2} |")?;
        }
        text += "\n";
    }
    Ok(text)
}

/// A line for one level and one for each rule.
fn lines() -> Vec<Series> {
    let one = Series {
        name: "one level",
        is_dashed: true,
        ..Series::of(Rule::Optimal)
    };
    [one].into_iter().chain(Rule::ALL.map(Series::of)).collect()
}

fn add(lines: &mut [Series], x: f64, case: &Case) {
    let one = case.model.time(&case.sizes(Rule::Linear, 1));
    let best = Rule::ALL.map(|rule| case.best(rule).0);
    for (line, time) in lines.iter_mut().zip([one].into_iter().chain(best)) {
        line.points.push((x, time));
    }
}

fn against_omega(folder: &Path) -> Result<std::path::PathBuf> {
    let mut panels = Vec::new();
    for (direction, name) in DIRECTIONS {
        for alpha in [0.0, -1.0, -2.0, -3.0] {
            let mut series = lines();
            for i in 0..=24 {
                let omega = 100_f64.powf(f64::from(i) / 24.0);
                let radii = RadiusDistribution::new(&power_law_radii(COUNT, alpha, omega))?;
                let case = Case::new(&radii, 3, NU, direction, GridCost::CELLS)?;
                add(&mut series, omega, &case);
            }
            panels.push(Panel {
                title: format!("{name}, alpha = {alpha}"),
                x: "size ratio omega",
                y: "T per body, in tests",
                is_x_log: true,
                range: Some(8.0..1000.0),
                series,
                ..Panel::default()
            });
        }
    }
    plot::write(folder, "work-omega.svg", (2, 4), &panels)
}

fn against_alpha(folder: &Path) -> Result<std::path::PathBuf> {
    let mut panels = Vec::new();
    for (direction, name) in DIRECTIONS {
        for omega in [10.0, 100.0] {
            let mut series = lines();
            for i in 0..=25 {
                let alpha = -5.0 + 0.2 * f64::from(i);
                let radii = RadiusDistribution::new(&power_law_radii(COUNT, alpha, omega))?;
                let case = Case::new(&radii, 3, NU, direction, GridCost::CELLS)?;
                add(&mut series, alpha, &case);
            }
            panels.push(Panel {
                title: format!("{name}, omega = {omega}"),
                x: "exponent alpha",
                y: "T per body, in tests",
                range: Some(8.0..1000.0),
                series,
                ..Panel::default()
            });
        }
    }
    plot::write(folder, "work-alpha.svg", (2, 2), &panels)
}

/// Section 5.4.2, with enough radii for five digits.
fn example(folder: &Path) -> Result<String> {
    let radii = RadiusDistribution::new(&power_law_radii(1_000_000, -3.0, 20.0))?;
    let case = Case::new(&radii, 2, 0.4, SearchDirection::TopDown, GridCost::CELLS)?;
    let best = optimal_level_sizes(&case.model, None);
    let [one, least] = [case.sizes(Rule::Linear, 1), best.clone()].map(|s| case.model.time(&s));
    let mut series: Vec<Series> = Rule::ALL.map(Series::of).into();
    for (rule, line) in Rule::ALL.into_iter().zip(&mut series) {
        let point = |levels: usize| {
            let time = case.model.time(&case.sizes(rule, levels));
            (levels as f64, time)
        };
        line.points.extend((1..=16).map(point));
    }
    let levels = best.as_slice().len();
    let panel = Panel {
        title: "2D, omega = 20, alpha = -3, nu = 0.4, K = 0.2, Top-Down".to_owned(),
        x: "levels",
        y: "T per body, in tests",
        series,
        marks: vec![(
            (levels as f64, least),
            format!("least T: {levels} levels, {least:.2}"),
        )],
        ..Panel::default()
    };
    let path = plot::write(folder, "work-levels-2d.svg", (1, 1), &[panel])?;
    let mut text = format!("written: {}\n\n", path.display());
    writeln!(
        text,
        "2D, omega 20, alpha -3, nu 0.4, Top-Down      here       paper"
    )?;
    let paper = ["4.0", "7.9", "15.1", "27.2", "40"].into_iter();
    let mut paper = paper.chain(std::iter::repeat(""));
    for (level, size) in (1..).zip(best.as_slice()) {
        let paper = paper.next().unwrap_or_default();
        writeln!(text, "size of level {level:<26}{size:>10.4}{paper:>12}")?;
    }
    for (what, value, paper) in [
        ("T with one level", one, ""),
        ("T with these", least, ""),
        ("speed-up", one / least, "35"),
    ] {
        writeln!(text, "{what:<40}{value:>10.3}{paper:>12}")?;
    }
    Ok(text)
}

const ALPHAS: [f64; 4] = [0.0, -1.0, -2.0, -3.0];
const OMEGAS: [f64; 7] = [1.5, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// Figure 7: the numbers of levels of least T.
fn best_levels(folder: &Path) -> Result<String> {
    let mut text = format!(
        "\nlevels of least T, optimal sizes; constant count: 3D, nu {NU}, Top-Down\n\
         | omega | alpha 0 | -1 | -2 | -3 |\n|---|---|---|---|---|\n"
    );
    let rules = [Rule::Optimal, Rule::ConstantCount];
    let colors = [
        Rule::Linear,
        Rule::Exponential,
        Rule::ConstantCount,
        Rule::Optimal,
    ];
    let names = ["alpha 0", "alpha -1", "alpha -2", "alpha -3"];
    let line = |(rule, name)| Series {
        name,
        is_dashed: false,
        width: 2,
        ..Series::of(rule)
    };
    let lines: Vec<Series> = colors.into_iter().zip(names).map(line).collect();
    let mut series = [lines.clone(), lines];
    for omega in OMEGAS {
        write!(text, "| {omega} ")?;
        for (i, alpha) in ALPHAS.into_iter().enumerate() {
            let radii = RadiusDistribution::new(&power_law_radii(COUNT, alpha, omega))?;
            let case = Case::new(&radii, 3, NU, SearchDirection::TopDown, GridCost::CELLS)?;
            let levels = rules.map(|rule| case.best(rule).1);
            write!(text, "| {}; {} ", levels[0], levels[1])?;
            for (series, levels) in series.iter_mut().zip(levels) {
                series[i].points.push((omega, levels as f64));
            }
        }
        text += "|\n";
    }
    let panels: Vec<Panel> = rules
        .into_iter()
        .zip(series)
        .map(|(rule, series)| Panel {
            title: format!("levels of least T: {}", rule.name()),
            x: "size ratio omega",
            y: "levels",
            is_x_log: true,
            range: Some(0.9..30.0),
            series,
            ..Panel::default()
        })
        .collect();
    let path = plot::write(folder, "work-best-levels.svg", (1, 2), &panels)?;
    writeln!(text, "written: {}", path.display())?;
    Ok(text)
}

/// The sensitivity of T to the number of levels, in 3D.
fn sensitivity(folder: &Path) -> Result<String> {
    const MOST: usize = 24;
    let mut text = format!(
        "\n3D, omega 20, nu {NU}, Top-Down, up to {MOST} levels: least T; levels that reach it within 20 %\n\
         | alpha | linear | exponential | constant count | optimal |\n|---|---|---|---|---|\n"
    );
    let mut panels = Vec::new();
    for alpha in [-1.0, -2.0, -3.0] {
        write!(text, "| {alpha} ")?;
        let radii = RadiusDistribution::new(&power_law_radii(COUNT, alpha, 20.0))?;
        let case = Case::new(&radii, 3, NU, SearchDirection::TopDown, GridCost::CELLS)?;
        let mut series: Vec<Series> = Rule::ALL.map(Series::of).into();
        for (rule, line) in Rule::ALL.into_iter().zip(&mut series) {
            let time = |levels| case.model.time(&case.sizes(rule, levels));
            let points: Vec<_> = (1..=MOST)
                .map(|levels| (levels as f64, time(levels)))
                .collect();
            let least = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
            let good = || points.iter().filter(|p| p.1 <= 1.2 * least).map(|p| p.0);
            let (from, to) = (good().fold(f64::MAX, f64::min), good().fold(0.0, f64::max));
            write!(text, "| {least:.1}; {from} to {to} ")?;
            line.points = points;
        }
        text += "|\n";
        panels.push(Panel {
            title: format!("3D, omega = 20, alpha = {alpha}"),
            x: "levels",
            y: "T per body, in tests",
            range: Some(8.0..1000.0),
            series,
            ..Panel::default()
        });
    }
    let path = plot::write(folder, "work-levels-3d.svg", (1, 3), &panels)?;
    writeln!(text, "written: {}", path.display())?;
    Ok(text)
}
