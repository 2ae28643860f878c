//! A random packing of rocks and letters: they fall into a box and come to rest.
//!
//! `cargo run --release --example rocks -- [--short] [--energy linear|3/2|square] ...`

mod packing;
#[path = "../support/progress.rs"]
mod progress;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/rigid.rs"]
mod rigid;
mod shapes;
#[path = "../support/solids.rs"]
mod solids;
#[path = "../support/vtp.rs"]
mod vtp;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error, fs};

use osculate::ContactEnergy;
use packing::{Ledger, Packing};
use vtp::{Array, PolyData};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

const USAGE: &str = "\
Rocks and the letters D, E and M fall into a box: forces from the volumes they share, friction,
damping. Lengths are of the size of a body, gravity and density are 1.

usage: rocks [--short] [--count N] [--steps N] [--energy linear|3/2|square]
             [--out DIR] [--frames N]

--short   40 bodies and 7000 steps instead of 200 and 8000, coarser rocks
--energy  w = k V, k V^1.5 or k V^2                    (3/2)
--out     where rocks-0.vtp and so on go               (not written)
--frames  how many of them                             (1, of the end)";

struct Options {
    is_short: bool,
    count: Option<usize>,
    steps: Option<usize>,
    energy: ContactEnergy,
    out: Option<PathBuf>,
    frames: usize,
}

fn main() -> ExitCode {
    match options(env::args_os().skip(1)).and_then(|options| options.map_or(Ok(()), |o| run(&o))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // stderr may be closed.
            let _ = writeln!(io::stderr(), "rocks: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `None` if only help is requested.
fn options(mut args: impl Iterator<Item = OsString>) -> Result<Option<Options>> {
    let mut options = Options {
        is_short: false,
        count: None,
        steps: None,
        energy: ContactEnergy::power_law(800.0, 1.5)?,
        out: None,
        frames: 1,
    };
    while let Some(arg) = args.next() {
        let arg = arg.to_string_lossy().into_owned();
        let mut value = || {
            let value = args
                .next()
                .map(|value| value.to_string_lossy().into_owned());
            value.ok_or_else(|| format!("{arg} needs a value\n\n{USAGE}"))
        };
        let number = |text: String| {
            let number = text.parse().ok().filter(|n| (1..=1_000_000).contains(n));
            number.ok_or_else(|| format!("{arg}: {text:?} is not a number from 1 to 1000000"))
        };
        match arg.as_str() {
            "--short" => options.is_short = true,
            "--count" => options.count = Some(number(value()?)?),
            "--steps" => options.steps = Some(number(value()?)?),
            "--frames" => options.frames = number(value()?)?,
            "--out" => options.out = Some(value()?.into()),
            "--energy" => {
                // About the same overlap for a body that falls from ten times its size.
                options.energy = match value()?.as_str() {
                    "linear" => ContactEnergy::linear(250.0)?,
                    "3/2" => ContactEnergy::power_law(800.0, 1.5)?,
                    "square" => ContactEnergy::power_law(2500.0, 2.0)?,
                    other => return Err(format!("--energy: {other:?}\n\n{USAGE}").into()),
                }
            }
            "--help" | "-h" => {
                writeln!(io::stdout(), "{USAGE}")?;
                return Ok(None);
            }
            _ => return Err(format!("unknown argument {arg:?}\n\n{USAGE}").into()),
        }
    }
    Ok(Some(options))
}

fn run(options: &Options) -> Result<()> {
    const STEP: f64 = 0.002;
    let [count, steps, rock_vertices] = if options.is_short {
        [40, 7000, 60]
    } else {
        [200, 8000, 200]
    };
    let count = options.count.unwrap_or(count);
    let steps = options.steps.unwrap_or(steps);
    let shapes = shapes::all(rock_vertices)?;
    // Wide enough for a lattice of bodies in any orientation, two or three times as high as wide.
    let row = (count as f64 / 2.5).cbrt().ceil();
    let side = row * shapes::cell(&shapes);
    let walls = shapes::walls(side, 1e3)?;
    let mut packing = Packing::new(&shapes, &walls, side, count, options.energy)?;
    let triangles = packing.bodies.iter().map(|body| body.shape.solid.surface());
    let triangles: usize = triangles.map(|surface| surface.facets().len()).sum();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{count} bodies of {triangles} triangles, a box {side:.1} wide, {steps} steps of {STEP}"
    )?;
    let progress = progress::bar(steps as u64);
    let (mut ledger, mut frame) = (Ledger::default(), 0);
    for step in 1..=steps {
        ledger = packing.step(STEP)?;
        progress.set_message(format!(
            "{} pairs, {} contacts, kinetic {:.3}, ledger {:+.3} %",
            ledger.pairs,
            ledger.contacts,
            ledger.kinetic,
            100.0 * ledger.error
        ));
        progress.inc(1);
        if let Some(folder) = &options.out
            && step * options.frames >= (frame + 1) * steps
        {
            draw(folder, frame, &packing)?;
            frame += 1;
        }
    }
    progress.finish_and_clear();
    let counts = &packing.counts;
    let per = |sum: u64| sum as f64 / steps as f64;
    let [pairs, contacts] = [counts.pairs, counts.contacts].map(per);
    let micros = 1e6 * counts.kernel_seconds / counts.pairs.max(1) as f64;
    writeln!(
        out,
        "pairs {pairs:.1} and contacts {contacts:.1} a step\ntime of a pair: {micros:.2} us"
    )?;
    let Ledger {
        kinetic,
        potential,
        elastic,
        dissipated,
        error,
        ..
    } = ledger;
    writeln!(
        out,
        "energy: potential {potential:.2}, kinetic {kinetic:.4}, in contacts {elastic:.3}, \
         dissipated {dissipated:.2}; error {:.3} %, at most {:.3} %",
        100.0 * error,
        100.0 * counts.worst_ledger
    )?;
    let deepest = 100.0 * counts.worst_overlap;
    writeln!(
        out,
        "at most {deepest:.1} % of a body inside another or a wall"
    )?;
    let escaped = packing.escaped();
    let adds_up = counts.worst_ledger < 0.01;
    if escaped > 0 || !adds_up {
        return Err(format!("{escaped} bodies have escaped, or energy does not add up").into());
    }
    Ok(writeln!(
        out,
        "all bodies are in the box, the energy adds up"
    )?)
}

/// All triangles, with the index and the speed of their bodies.
fn draw(folder: &Path, frame: usize, packing: &Packing) -> Result<()> {
    let mut data = PolyData::default();
    let (mut ids, mut speeds) = (Vec::new(), Vec::new());
    for (i, body) in (0..).zip(&packing.bodies) {
        let placed = body.placed()?;
        let solid = placed.shape;
        let first = data.points.len() as u32;
        let vertices = solid.surface().vertices().iter();
        data.points
            .extend(vertices.map(|&v| placed.pose.transform_point(v).to_array()));
        for corners in rigid::triangles(solid) {
            data.polys.push(corners.map(|id| first + id).to_vec());
            ids.push(i);
            speeds.push(body.momentum.length() / body.shape.mass);
        }
    }
    data.cell_data = vec![
        ("body", Array::Integers(ids)),
        ("speed", Array::Scalars(speeds)),
    ];
    let path = folder.join(format!("rocks-{frame}.vtp"));
    let at_path = |error: io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(at_path)?;
    Ok(data.write(&path).map_err(at_path)?)
}
