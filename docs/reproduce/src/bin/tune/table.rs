//! The cost of each rule, by the number of levels.

use std::cmp::Ordering;
use std::fmt::Write as _;

use cpu_time::ThreadTime;
use osculate::glam::{DVec2, DVec3};
use osculate::reference::optimal_level_sizes;
use osculate::{
    BroadPhase, HierarchicalGrid, Sphere, Vector,
    broad::{GridWork, LevelSizes, SearchDirection},
    reference::RadiusDistribution,
};

use crate::Result;
use crate::options::Options;
use crate::plot::{self, Panel, Series};
use crate::rule::{Case, Rule};
use reproduce::random::SplitMix64;

/// The table ends here.
const MOST_LEVELS: usize = 16;

/// The output of [`measure`], after the columns of the model: counted work, and time.
const MEASURED: [&str; 4] = ["tests*", "rows*", "cells*", "ns/body"];

/// The maximum number of tests for a measurement, which takes seconds.
const MOST_TESTS: f64 = 2e9;

/// Searches bodies with these sizes. `None` if it would take too long.
fn measure<V: Vector>(
    bodies: &[Sphere<V>],
    sizes: &LevelSizes,
    direction: SearchDirection,
    work: &GridWork,
) -> [Option<f64>; MEASURED.len()] {
    if bodies.is_empty() || work.tests * bodies.len() as f64 > MOST_TESTS {
        return [None; 4];
    }
    let mut grid = HierarchicalGrid::new()
        .with_level_sizes(sizes.clone())
        .with_direction(direction);
    let mut pairs = Vec::new();
    let mut nanoseconds = || {
        let start = ThreadTime::try_now().ok()?;
        grid.rebuild(bodies).ok()?;
        grid.collect_pairs(&mut pairs);
        Some(start.elapsed().as_secs_f64() * 1e9 / bodies.len() as f64)
    };
    let mut times = [0; 5].map(|_| nanoseconds());
    times.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let report = grid.report();
    // The grid has replaced the sizes by its own, because these would take much longer.
    if !report
        .levels
        .iter()
        .map(|level| level.size)
        .eq(sizes.as_slice().iter().copied())
    {
        return [None; 4];
    }
    let GridWork {
        tests, rows, cells, ..
    } = report.counted;
    [Some(tests), Some(rows), Some(cells), times[2]]
}

/// Bodies in spatial order, as in a simulation that sorts from time to time.
fn in_order<V: Vector>(bodies: &[Sphere<V>]) -> Result<Vec<Sphere<V>>> {
    let mut grid = HierarchicalGrid::new();
    grid.rebuild(bodies)?;
    Ok(grid.spatial_order().map(|body| bodies[body]).collect())
}

/// Bodies in random order at random positions in a cube.
fn bodies<V: Vector>(radii: &[f64], density: f64) -> Vec<Sphere<V>> {
    let mut random = SplitMix64::new(1);
    let mut radii = radii.to_vec();
    random.shuffle(&mut radii);
    let side = (radii.len() as f64 / density).powf(1.0 / V::DIM as f64);
    let place = |random: &mut SplitMix64| V::from_fn(|_| random.range(0.0, side));
    let bodies = radii.iter().map(|&r| Sphere::new(place(&mut random), r));
    bodies.collect()
}

pub(crate) fn report(options: &Options) -> Result<String> {
    let (radii, name) = options.radii()?;
    if options.dim == 2 {
        report_of::<DVec2>(options, &radii, &name)
    } else {
        report_of::<DVec3>(options, &radii, &name)
    }
}

fn report_of<V: Vector>(options: &Options, all: &[f64], name: &str) -> Result<String> {
    let radii = RadiusDistribution::new(all)?;
    let case = Case::new(
        &radii,
        options.dim,
        options.nu,
        options.direction,
        options.cost,
    )?;
    let density = radii.density::<V>(options.nu);
    let bodies = if density > 0.0 {
        in_order(&bodies::<V>(all, density))?
    } else {
        Vec::new()
    };
    let best = optimal_level_sizes(&case.model, None);
    let best_count = best.as_slice().len();
    let title = format!(
        "{} {name}, {}D, packing fraction {}, {}",
        all.len(),
        options.dim,
        options.nu,
        match options.direction {
            SearchDirection::TopDown => "top-down",
            _ => "bottom-up",
        }
    );
    let mut text = format!("{title}\nper body; T in tests of two spheres; * is counted\n\n");
    let names = ["tests", "rows", "cells", "table", "T"].into_iter();
    let header = names.chain(MEASURED);
    write!(text, "{:>6}  {:<14}", "levels", "sizes")?;
    header.for_each(|name| text += &format!("{name:>9}"));
    text.push('\n');
    let mut lines: Vec<Series> = Rule::ALL.map(Series::of).into();
    let mut measured_lines = lines.clone();
    for levels in 1..=(best_count + 2).min(MOST_LEVELS) {
        for (i, (rule, line)) in Rule::ALL.into_iter().zip(&mut lines).enumerate() {
            let measured_line = &mut measured_lines[i];
            let sizes = case.sizes(rule, levels);
            let time = case.model.time(&sizes);
            // Fewer radii than levels: the same as before.
            if sizes.as_slice().len() < levels {
                continue;
            }
            line.points.push((levels as f64, time));
            if levels == 1 && rule != Rule::Linear {
                continue;
            }
            let rule = if levels == 1 { "one" } else { rule.name() };
            let measured = measure(&bodies, &sizes, options.direction, &case.model.work(&sizes));
            text += &row(rule, &case, &sizes, measured)?;
            if let [.., Some(time)] = measured {
                measured_line.points.push((levels as f64, time));
            }
        }
    }
    let plural = if best_count == 1 { "" } else { "s" };
    writeln!(text, "\nbest: {best_count} level{plural}")?;
    writeln!(
        text,
        "{:>12}{:>12}{:>18}",
        "size", "bodies", "bodies per cell"
    )?;
    for level in case.model.levels(&best) {
        let (size, part) = (number(level.size), number(100.0 * level.part));
        writeln!(
            text,
            "{size:>12}{part:>10} %{:>18.3}",
            level.bodies_per_cell
        )?;
    }
    if let Some(folder) = &options.out {
        let panel = Panel {
            title: name.to_owned(),
            x: "levels",
            y: "T per body, in tests",
            series: lines,
            ..Panel::default()
        };
        let measured = Panel {
            title: format!("{}D, packing fraction {}", options.dim, options.nu),
            x: "levels",
            y: "ns a body",
            series: measured_lines,
            ..Panel::default()
        };
        let has_points = measured.series.iter().any(|line| !line.points.is_empty());
        let path = if has_points {
            plot::write(folder, "tune.svg", (1, 2), &[panel, measured])?
        } else {
            plot::write(folder, "tune.svg", (1, 1), &[panel])?
        };
        writeln!(text, "\nwritten: {}", path.display())?;
    }
    Ok(text)
}

fn row(
    rule: &str,
    case: &Case,
    sizes: &LevelSizes,
    measured: [Option<f64>; MEASURED.len()],
) -> Result<String> {
    let work = case.model.work(sizes);
    let numbers = [
        work.tests,
        work.rows,
        work.cells,
        work.table_cells,
        case.model.time(sizes),
    ];
    let mut text = format!("{:>6}  {rule:<14}", sizes.as_slice().len());
    for value in numbers.into_iter().map(Some).chain(measured) {
        let value = value.map_or_else(|| "-".to_owned(), number);
        write!(text, "{value:>9}")?;
    }
    const SHOWN: usize = 6;
    let all = sizes.as_slice();
    let shown: Vec<_> = all.iter().take(SHOWN).map(|&size| number(size)).collect();
    let more = if all.len() > SHOWN { " ..." } else { "" };
    writeln!(text, "   {}{more}", shown.join(" "))?;
    Ok(text)
}

/// About four digits, in at most nine characters.
fn number(x: f64) -> String {
    match x {
        0.0 => "0".to_owned(),
        0.001..10.0 => format!("{x:.3}"),
        10.0..100.0 => format!("{x:.2}"),
        100.0..100_000.0 => format!("{x:.1}"),
        _ => format!("{x:.2e}"),
    }
}
