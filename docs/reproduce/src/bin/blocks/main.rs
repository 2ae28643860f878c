//! Blocks of 4, 5, 8 and 14 vertices fall into a box, and flow out when a wall is removed. Measures
//! the common plane by the paper's search, by the exact kernel, and by the conventional search.
//!
//! `cargo reproduce blocks -- [--short | --count N] [--kind 4|5|8|14] [--out DIR]`

mod assembly;
mod figures;
mod measure;
mod picture;
mod shapes;
mod vertices;

use reproduce::progress;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error, fs};

use assembly::Assembly;
use measure::{Costs, Window};
use shapes::KINDS;

const USAGE: &str = "\
Blocks fall into a box and flow out of it.

usage: blocks [--short | --count N ...] [--kind 4|5|8|14] [--seconds S] [--out DIR]
       blocks --paper [--out DIR]
       blocks --vertices [--short | --count N ...] [--out DIR]

--short    60 blocks for 0.1 s a stage
--count    how many blocks; may be given several times  (180 270 360 450 540)
--kind     all blocks with so many vertices             (a quarter of each kind)
--seconds  of each stage                                (0.5)
--step     the time step in seconds; --paper and --vertices have the paper's  (5e-5)
--out      where box.vtp and flow.vtp go                (this folder)
--paper    the figures of docs/VALIDATION.md instead, into docs/figures
--vertices figure 17 of the paper: 162, 243, 324 and 405 blocks of each kind
           fall on the ground, 1.25 s; with --out it is drawn

The paper's largest case: --count 30000 --seconds 1.5 (about two hours).";

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> ExitCode {
    match Options::of(env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // stderr may be closed.
            let _ = writeln!(io::stderr(), "blocks: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    counts: Vec<usize>,
    kind: Option<usize>,
    seconds: f64,
    step: Option<f64>,
    out: Option<PathBuf>,
    paper: bool,
    vertices: bool,
    help: bool,
}

impl Options {
    fn of(mut args: impl Iterator<Item = OsString>) -> Result<Self> {
        let mut options = Self {
            counts: Vec::new(),
            kind: None,
            seconds: 0.5,
            step: None,
            out: None,
            paper: false,
            vertices: false,
            help: false,
        };
        while let Some(arg) = args.next() {
            let option = arg.to_string_lossy().into_owned();
            let mut value = || {
                let value = args
                    .next()
                    .ok_or_else(|| format!("{option} needs a value"))?;
                Ok::<_, String>(value.to_string_lossy().into_owned())
            };
            let bad = |text: &str| format!("{option}: {text:?} will not do\n\n{USAGE}");
            match option.as_str() {
                "--short" => (options.counts, options.seconds) = (vec![60], 0.1),
                "--count" => {
                    let text = value()?;
                    let count = text.parse().ok().filter(|n| (1..=1_000_000).contains(n));
                    options.counts.push(count.ok_or_else(|| bad(&text))?);
                }
                "--kind" => {
                    let text = value()?;
                    let kind = KINDS.iter().position(|kind| kind.to_string() == text);
                    options.kind = Some(kind.ok_or_else(|| bad(&text))?);
                }
                "--seconds" => {
                    let text = value()?;
                    let seconds = text.parse().ok().filter(|s| (0.01..=100.0).contains(s));
                    options.seconds = seconds.ok_or_else(|| bad(&text))?;
                }
                "--step" => {
                    let text = value()?;
                    let step = text.parse().ok().filter(|s| (1e-6..=1e-4).contains(s));
                    options.step = Some(step.ok_or_else(|| bad(&text))?);
                }
                "--out" => options.out = Some(value()?.into()),
                "--paper" => options.paper = true,
                "--vertices" => (options.vertices, options.seconds) = (true, vertices::SECONDS),
                "--help" | "-h" => options.help = true,
                _ => return Err(format!("unknown argument {option:?}\n\n{USAGE}").into()),
            }
        }
        if options.vertices && options.counts.is_empty() {
            options.counts = vertices::COUNTS.into();
        }
        if options.counts.is_empty() {
            options.counts = vec![180, 270, 360, 450, 540];
        }
        Ok(options)
    }
}

fn run(options: &Options) -> Result<()> {
    if options.help {
        return Ok(writeln!(io::stdout(), "{USAGE}")?);
    }
    if options.paper {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../figures");
        return figures::write(options.out.as_ref().unwrap_or(&root));
    }
    if options.vertices {
        return vertices::write(options);
    }
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("."));
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let step = options.step.unwrap_or(5e-5);
    let mut runs = Vec::new();
    for &count in &options.counts {
        runs.push((
            count,
            stages(count, options.kind, [options.seconds, step], Some(&out))?,
        ));
    }
    Ok(write!(io::stdout(), "{}", tables(&runs))?)
}

/// Runs both stages: into the box, and out of it.
pub(crate) fn stages(
    count: usize,
    kind: Option<usize>,
    [seconds, step]: [f64; 2],
    out: Option<&Path>,
) -> Result<[Costs; 2]> {
    let side = 0.3 * (count as f64 / 540.0).cbrt().max(1.0);
    let shapes = shapes::library()?;
    let mut assembly = Assembly::new(&shapes, count, kind, [side, step])?;
    let mut costs = [Costs::default(); 2];
    for (stage, name) in ["box", "flow"].iter().enumerate() {
        if stage == 1 {
            assembly.open();
        }
        costs[stage] = follow(
            &mut assembly,
            (seconds / step) as usize,
            format!("{count} blocks, {name}"),
        )?;
        if let Some(out) = out {
            let path = out.join(format!("{name}.vtp"));
            let written = picture::write(&path, &assembly);
            written.map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(costs)
}

/// Steps of a stage; five windows of 20 steps are measured.
fn follow(assembly: &mut Assembly, steps: usize, name: String) -> Result<Costs> {
    const WINDOWS: usize = 5;
    const LENGTH: usize = 20;
    let period = steps / WINDOWS;
    let (mut costs, mut window) = (Costs::default(), Window::default());
    let progress = progress::bar(steps as u64).with_message(name);
    for step in 0..steps {
        let is_kept = step % period >= period - LENGTH;
        assembly.step(|i, j| {
            if is_kept {
                window.pairs.push([i, j]);
            }
        })?;
        if is_kept {
            window.steps.push(assembly.blocks.clone());
        }
        if window.steps.len() == LENGTH {
            window.pairs.sort_unstable();
            window.pairs.dedup();
            costs.add(&window)?;
            window = Window::default();
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(costs)
}

/// The counts, and after an empty line the times.
pub(crate) fn tables(runs: &[(usize, [Costs; 2])]) -> String {
    let (mut counts, mut times) = (COUNTS.to_owned(), TIMES.to_owned());
    for (count, stages) in runs {
        for (stage, costs) in ["box", "flow"].iter().zip(stages) {
            counts += &row_of_counts(*count, stage, costs);
            times += &row_of_times(*count, stage, costs);
        }
    }
    format!("{counts}\n{times}")
}

const COUNTS: &str = "\
passes of the paper's search; contacts more than 0.01 mm too deep by it and by the conventional search
| blocks, stage | queries | passes, mean / largest | too deep, % |
|---|---|---|---|
";

fn row_of_counts(count: usize, stage: &str, costs: &Costs) -> String {
    let share = |n: u64| 100.0 * n as f64 / costs.contacts.max(1) as f64;
    format!(
        "| {count}, {stage} | {} | {:.2} / {} | {:.1}, {:.1} |\n",
        costs.queries,
        costs.passes as f64 / costs.searches.max(1) as f64,
        costs.most_passes,
        share(costs.fast_not_best),
        share(costs.conventional_not_best),
    )
}

const TIMES: &str = "\
times, ns a query: each pair solved to the end / beyond TOL given up, and skipping
| blocks, stage | paper's search | exact kernel | conventional | conventional / paper's |
|---|---|---|---|---|
";

fn row_of_times(count: usize, stage: &str, costs: &Costs) -> String {
    let pair = |cost: measure::GridCost| {
        let [all, some] = [cost.to_the_end, cost.skipping].map(|t| costs.nanoseconds(t));
        format!("{all:.0} / {some:.0}")
    };
    let [all, skipping] = costs.ratios();
    format!(
        "| {count}, {stage} | {} | {} | {} | {all:.1} / {skipping:.1} |\n",
        pair(costs.fast),
        pair(costs.exact),
        pair(costs.conventional),
    )
}
