//! Random packings: rocks and letters, or nuts and bolts, fall into a box and come to rest. And a mill: rocks and bars in a
//! drum with baffles that turns.
//!
//! `cargo run --release --example rocks -- [--short] [--scene rocks|nuts|mill] [--energy linear|3/2|square] ...`

mod boundary;
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

use boundary::Boundary;
use osculate::ContactEnergy;
use osculate::glam::{DQuat, DVec3};
use packing::{Ledger, Packing};
use random::SplitMix64;
use rigid::{Body, Shape};
use vtp::{Array, PolyData};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

const USAGE: &str = "\
Rocks and the letters D, E and M fall into a box: forces from the volumes they share, friction,
damping. Lengths are of the size of a body, gravity and density are 1.

usage: rocks [--short] [--scene rocks|nuts|mill] [--count N] [--steps N]
             [--energy linear|3/2|square] [--out DIR] [--frames N]

--short   40 bodies and 7000 steps instead of 200 and 8000, coarser rocks
--scene   rocks and letters, or 409 nuts and bolts, in a box;
          or 240 rocks and bars in a drum                      (rocks)
--energy  w = k V, k V^1.5 or k V^2                    (3/2)
--out     where rocks-0.vtp and so on go               (not written)
--frames  how many of them                             (1, of the end)";

#[derive(Clone, Copy, PartialEq)]
enum Scene {
    Rocks,
    Nuts,
    Mill,
}

struct Options {
    is_short: bool,
    scene: Scene,
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
        scene: Scene::Rocks,
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
            "--scene" => {
                options.scene = match value()?.as_str() {
                    "rocks" => Scene::Rocks,
                    "nuts" => Scene::Nuts,
                    "mill" => Scene::Mill,
                    other => return Err(format!("--scene: {other:?}\n\n{USAGE}").into()),
                }
            }
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
    /// Between batches.
    const INTERVAL: f64 = 6.0;
    let [count, steps, rock_vertices] = match (options.scene, options.is_short) {
        (Scene::Rocks, true) => [40, 7000, 60],
        (Scene::Rocks, false) => [200, 8000, 200],
        (Scene::Nuts, true) => [30, 4000, 0],
        (Scene::Nuts, false) => [409, 9000, 0],
        (Scene::Mill, true) => [48, 4000, 60],
        (Scene::Mill, false) => [240, 45_000, 200],
    };
    let count = options.count.unwrap_or(count);
    let steps = options.steps.unwrap_or(steps);
    let shapes = match options.scene {
        Scene::Rocks => shapes::all(rock_vertices)?,
        Scene::Nuts => shapes::nuts_and_bolts()?,
        Scene::Mill => shapes::rocks_and_bars(rock_vertices)?,
    };
    let (batches, walls, place) = match options.scene {
        Scene::Mill => mill(&shapes, count)?,
        _ => fall(&shapes, count)?,
    };
    let bodies = batches.iter().flatten();
    let triangles = bodies.map(|body| body.shape.solid.surface().facets().len());
    let triangles: usize = triangles.sum();
    let mut packing = Packing::new(batches, INTERVAL, walls, options.energy)?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{count} bodies of {triangles} triangles, {place}, {steps} steps of {STEP}"
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
    let escaped = packing.escaped();
    let adds_up = counts.worst_ledger < 0.01;
    if escaped > 0 || !adds_up {
        return Err(format!("{escaped} bodies have escaped, or energy does not add up").into());
    }
    let what = match options.scene {
        Scene::Mill => "drum",
        _ => "box",
    };
    let words = format!("all bodies are in the {what}, the energy adds up");
    Ok(writeln!(out, "{words}")?)
}

/// The bodies in batches, the walls and their description.
type Start<'a> = (Vec<Vec<Body<'a>>>, Boundary, String);

/// Bodies at rest in random orientations, on a lattice above the floor of a box.
fn fall(shapes: &[Shape], count: usize) -> Result<Start<'_>> {
    let mut random = SplitMix64::new(1);
    let cell = shapes::cell(shapes);
    // Wide enough for a lattice of bodies in any orientation, two or three times as high as wide.
    let row = (count as f64 / 2.5).cbrt().ceil() as usize;
    let side = row as f64 * cell;
    let bodies = (0..count).map(|i| {
        let place = [i % row, i / row % row, i / (row * row)].map(|k| k as f64 + 0.5);
        let step = DVec3::new(side / row as f64, side / row as f64, cell);
        let turn = random_turn(&mut random);
        let shape = &shapes[random.below(shapes.len())];
        Body::new(shape, turn, DVec3::from_array(place) * step)
    });
    let bodies = vec![bodies.collect()];
    Ok((
        bodies,
        Boundary::pit(side)?,
        format!("a box {side:.1} wide"),
    ))
}

fn random_turn(random: &mut SplitMix64) -> DQuat {
    DQuat::from_array([0; 4].map(|_| random.range(-1.0, 1.0))).normalize()
}

/// Batches of 8 bars and 40 rocks above them, around the axis of a drum.
fn mill(shapes: &[Shape], count: usize) -> Result<Start<'_>> {
    let mut random = SplitMix64::new(5);
    let (bar, rocks) = shapes.split_last().ok_or("no shapes")?;
    let cell = shapes::cell(rocks);
    let mut batch = || {
        let row = |i: usize| {
            DVec3::new(
                [-1.65, -0.55, 0.55, 1.65][i / 2],
                [-2.75, 2.75][i % 2],
                -0.5,
            )
        };
        let mut bodies: Vec<_> = (0..8)
            .map(|i| Body::new(bar, DQuat::IDENTITY, row(i)))
            .collect();
        for i in 0..40 {
            // Layers of 4, 4 and 2 columns, each of 4 rocks.
            let (column, y) = (i / 4, (i % 4) as f64 - 1.5);
            let x = if column < 8 { column % 4 } else { column - 7 } as f64 - 1.5;
            let place = DVec3::new(x, y, (column / 4) as f64 + 0.5) * cell;
            let shape = &rocks[random.below(rocks.len())];
            bodies.push(Body::new(shape, random_turn(&mut random), place));
        }
        bodies
    };
    let batches = (0..count.div_ceil(48)).map(|_| batch()).collect();
    let walls = Boundary::drum(4.0 * cell, 12.0)?;
    Ok((batches, walls, format!("a drum {:.1} wide", 8.0 * cell)))
}

/// All triangles, with the index and the speed of their bodies; those of a drum without its ends have the index -1.
fn draw(folder: &Path, frame: usize, packing: &Packing) -> Result<()> {
    let mut data = PolyData::default();
    let (mut ids, mut speeds) = (Vec::new(), Vec::new());
    for (i, body) in (0..).zip(&packing.bodies) {
        let placed = body.placed()?;
        let count = data.add_surface(placed.shape.surface(), &placed.pose);
        ids.resize(count, i);
        speeds.resize(count, body.momentum.length() / body.shape.mass);
    }
    if packing.walls.rate != 0.0 {
        let pose = packing.walls.pose()?;
        for part in &packing.walls.parts[..packing.walls.parts.len() - 2] {
            let count = data.add_surface(part.surface(), &pose);
            ids.resize(count, -1);
            speeds.resize(count, 0.0);
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
