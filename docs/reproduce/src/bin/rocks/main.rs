//! Random packings: rocks, letters, fruit, or nuts and bolts fall into a box and come to rest. A mill: rocks and bars in a
//! drum with baffles that turns. And a slide: rocks on a terrain.
//!
//! `cargo reproduce rocks -- [--short] [--scene NAME] [--energy linear|3/2|square] ...`

mod boundary;
mod letters;
mod packing;
mod scenes;
mod shapes;
mod terrain;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error, fs};

use osculate::ContactEnergy;
use packing::{Ledger, Packing};
use reproduce::progress;
use reproduce::vtp::{Array, PolyData};
use scenes::{SCENES, Scene};

type Result<T, E = Box<dyn error::Error>> = std::result::Result<T, E>;

const USAGE: &str = "\
Bodies fall into a box, onto a terrain or into a drum: forces from the volumes they share,
friction, damping. Lengths are of the size of a body, gravity and density are 1.

usage: rocks [--short] [--scene NAME] [--count N] [--steps N] [--step T]
             [--energy linear|3/2|square] [--out DIR] [--frames N]

--short   fewer bodies and steps, coarser rocks
--scene   in a box: rocks (and letters), fruit, nuts (and bolts), pile (of rocks), letters;
          in a drum: mill; on a slope: terrain         (rocks)
--energy  w = k V, k V^1.5 or k V^2                    (3/2 for rocks, else linear)
--out     where rocks-0.vtp and so on go               (not written)
--frames  how many of them                             (1, of the end)";

struct Options {
    is_short: bool,
    scene: &'static Scene,
    count: Option<usize>,
    steps: Option<usize>,
    step: Option<f64>,
    energy: Option<ContactEnergy>,
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
        scene: &SCENES[0],
        count: None,
        steps: None,
        step: None,
        energy: None,
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
            "--scene" => {
                let name = value()?;
                let scene = SCENES.iter().find(|scene| scene.name == name);
                options.scene = scene.ok_or_else(|| format!("--scene: {name:?}\n\n{USAGE}"))?;
            }
            "--count" => options.count = Some(number(value()?)?),
            "--steps" => options.steps = Some(number(value()?)?),
            "--step" => {
                let text = value()?;
                let step = text.parse().ok().filter(|s| (1e-5..=0.1).contains(s));
                options.step = Some(step.ok_or_else(|| format!("--step: {text:?}"))?);
            }
            "--frames" => options.frames = number(value()?)?,
            "--out" => options.out = Some(value()?.into()),
            "--energy" => options.energy = Some(energy(&value()?)?),
            "--help" | "-h" => {
                writeln!(io::stdout(), "{USAGE}")?;
                return Ok(None);
            }
            _ => return Err(format!("unknown argument {arg:?}\n\n{USAGE}").into()),
        }
    }
    Ok(Some(options))
}

/// Energies with about the same overlap for a body that falls from ten times its size.
fn energy(name: &str) -> Result<ContactEnergy> {
    match name {
        "linear" => Ok(ContactEnergy::linear(250.0)?),
        "3/2" => Ok(ContactEnergy::power_law(800.0, 1.5)?),
        "square" => Ok(ContactEnergy::power_law(2500.0, 2.0)?),
        other => Err(format!("--energy: {other:?}\n\n{USAGE}").into()),
    }
}

fn run(options: &Options) -> Result<()> {
    /// Between batches.
    const INTERVAL: f64 = 6.0;
    let scene = options.scene;
    let energy = options.energy.map_or_else(|| energy(scene.energy), Ok)?;
    let size = if options.is_short {
        scene.short
    } else {
        scene.full
    };
    let count = options.count.unwrap_or(size[0]);
    let steps = options.steps.unwrap_or(size[1]);
    let step = options.step.unwrap_or(scene.step);
    let shapes = (scene.shapes)(size[2])?;
    let (batches, walls) = (scene.place)(&shapes, scene.mix, count)?;
    let (place, width) = (walls.name, walls.width());
    let bodies = batches.iter().flatten();
    let triangles = bodies.map(|body| body.shape.solid.surface().facets().len());
    let triangles: usize = triangles.sum();
    let mut packing = Packing::new(batches, INTERVAL, walls, energy)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{count} bodies of {triangles} triangles, a {place} {width:.1} wide, {steps} steps of {step}"
    )?;
    let progress = progress::bar(steps as u64);
    let (mut ledger, mut frame) = (Ledger::default(), 0);
    for done in 1..=steps {
        ledger = packing.step(step)?;
        progress.set_message(format!(
            "{} pairs, {} contacts, kinetic {:.3}, ledger {:+.3} %",
            ledger.pairs,
            ledger.contacts,
            ledger.kinetic,
            100.0 * ledger.error
        ));
        progress.inc(1);
        if let Some(folder) = &options.out
            && done * options.frames >= (frame + 1) * steps
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
        work,
        error,
        ..
    } = ledger;
    if packing.walls.rate != 0.0 {
        let turns = packing.walls.angle / std::f64::consts::TAU;
        writeln!(out, "{turns:.2} revolutions, work of the drum {work:.2}")?;
    }
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
    let (escaped, waiting) = (packing.escaped(), packing.waiting());
    let adds_up = counts.worst_ledger < 0.01;
    if escaped + waiting > 0 || !adds_up {
        let words = format!(
            "{escaped} bodies have escaped, {waiting} have not come in, or energy does not add up"
        );
        return Err(words.into());
    }
    let words = format!("all bodies are in the {place}, the energy adds up");
    Ok(writeln!(out, "{words}")?)
}

/// All triangles, with the index and the speed of their bodies; those of walls that do not hide them have the index -1.
fn draw(folder: &Path, frame: usize, packing: &Packing) -> Result<()> {
    let mut data = PolyData::default();
    let (mut ids, mut speeds) = (Vec::new(), Vec::new());
    for (i, body) in (0..).zip(&packing.bodies) {
        let placed = body.placed()?;
        let count = data.add_surface(placed.shape.surface(), &placed.pose);
        ids.resize(count, i);
        speeds.resize(count, body.momentum.length() / body.shape.mass);
    }
    let pose = packing.walls.pose()?;
    for part in packing.walls.visible() {
        let count = data.add_surface(part.surface(), &pose);
        ids.resize(count, -1);
        speeds.resize(count, 0.0);
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
