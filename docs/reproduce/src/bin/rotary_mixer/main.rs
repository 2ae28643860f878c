//! Spheres in a horizontal drum with rotating helices: the industrial case of the paper on the
//! double hierarchy method (section 6.2). Its sizes are those that the paper gives: 29,559 spheres
//! of 3.5 mm, 848 triangles and 1600 quadrilaterals, 18.85 rad/s.
//!
//! `cargo reproduce rotary_mixer -- [--short] [--duration S] [--threads N] [--out
//! FOLDER] [--figures FOLDER]`

mod drum;
mod figures;
mod grains;
mod mixer;
mod walls;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, error, fs};

use osculate::{DoubleHierarchy, NarrowPhase, Sphere, narrow::FacetSubset};

use grains::Grains;
use mixer::{DT, Mixer, STAGES};
use reproduce::progress;
use reproduce::vtp::{Array, PolyData};
use walls::{Census, Counts, Walls};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

struct Options {
    steps: u32,
    threads: usize,
    out: PathBuf,
    figures: Option<PathBuf>,
}

impl Options {
    fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            steps: steps(0.5),
            threads: 1,
            out: "mixer".into(),
            figures: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--short" => options.steps = steps(0.01),
                "--duration" => options.steps = steps(value()?.parse()?),
                "--threads" => options.threads = value()?.parse()?,
                "--out" => options.out = value()?.into(),
                "--figures" => options.figures = Some(value()?.into()),
                _ => {
                    let usage =
                        "[--short] [--duration S] [--threads N] [--out FOLDER] [--figures FOLDER]";
                    return Err(format!("{argument} is not one of {usage}").into());
                }
            }
        }
        Ok(options)
    }
}

/// At least one.
fn steps(duration: f64) -> u32 {
    (duration / DT).round().max(1.0) as u32
}

fn main() -> ExitCode {
    match Options::of(env::args().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rotary_mixer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    fs::create_dir_all(&options.out)?;
    let walls = Walls::new()?;
    let [triangles, quads] = drum::counts(walls.all().map(|wall| wall.mesh()));
    assert_eq!([triangles, quads], [drum::TRIANGLES, drum::QUADS]);
    let mut kernel = DoubleHierarchy::new();
    let grains = Grains::on_lattice(|center| walls.is_free(&mut kernel, center));
    assert_eq!(grains.centers.len(), grains::COUNT);
    println!(
        "{} spheres, {triangles} triangles, {quads} quadrilaterals",
        grains::COUNT
    );

    let mut mixer = Mixer::new(grains, 0.0, options.threads)?;
    let census = Census::new(&walls)?;
    let mut samples: Vec<(f64, Counts)> = Vec::new();
    let mut pictures = vec![(mixer.time, mixer.grains.centers.clone())];
    println!("\n| time, s | contacts of unlike halves, over a random mixture |\n|---|---|");
    let progress = progress::bar(options.steps.into());
    for step in 1..=options.steps {
        mixer.step()?;
        let is_in_turn = |parts: u32| step % (options.steps / parts).max(1) == 0;
        if is_in_turn(100) {
            mixer.walls.turn_to(mixer.time)?;
            let counts = census.count(&mixer.walls, &mixer.grains.centers);
            samples.push((mixer.time, counts));
        }
        if is_in_turn(5) {
            println!("| {:.4} | {:.3} |", mixer.time, mixer.mixing());
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    println!();
    pictures.push((mixer.time, mixer.grains.centers.clone()));
    check(&mixer)?;
    report_counts(&samples);
    report_times(&mixer, &census, options);
    split(&mixer, &census)?;
    threads(&mixer)?;
    if let Some(folder) = &options.figures {
        figures::counts(folder, &samples)?;
        figures::slices(folder, &pictures, &mixer.grains.halves)?;
    }
    write(&mixer, &options.out)
}

/// Compares the wall contacts of some spheres with those among all facets.
fn check(mixer: &Mixer) -> Result<()> {
    let mut kernel = DoubleHierarchy::new();
    let mut found = 0;
    for &center in mixer.grains.centers.iter().step_by(13) {
        let (mut some, mut all) = (Vec::new(), Vec::new());
        mixer
            .walls
            .for_each_contact(&mut kernel, center, |contact| {
                some.push((contact.feature, contact.overlap));
            });
        for wall in mixer.walls.all() {
            let facets: Vec<u32> = (0..wall.mesh().facet_count()).collect();
            let facets = FacetSubset::new(wall, &facets)?;
            let sphere = Sphere::new(center, grains::RADIUS);
            let report =
                |contact: osculate::WallContact| all.push((contact.feature, contact.overlap));
            kernel.for_each_contact(&sphere, &facets, &mut Default::default(), report);
        }
        if some != all {
            return Err(format!("at {center}: {some:?}, among all facets {all:?}").into());
        }
        found += some.len();
    }
    println!("{found} contacts with walls equal those among all facets");
    Ok(())
}

fn report_counts(samples: &[(f64, Counts)]) {
    let mut sum = Counts::default();
    samples.iter().for_each(|(_, counts)| sum += *counts);
    let averages = sum.averages(samples.len());
    println!("\n| facets, of a sphere on average | count | for each that touches |\n|---|---|---|");
    for (what, count) in Counts::NAMES.iter().zip(averages) {
        println!("| {what} | {count:.4} | {:.2} |", count / averages[2]);
    }
}

fn report_times(mixer: &Mixer, census: &Census, options: &Options) {
    let total: Duration = mixer.spent.iter().sum();
    let steps = options.steps;
    let [spheres, walls] = mixer.contacts;
    println!(
        "\n{steps} steps, {:.4} s of motion; the list rebuilt every {:.1} steps; in the last step {spheres} \
         contacts of spheres, {walls} with walls; deepest so far {:.1} % R\n",
        mixer.time,
        f64::from(steps) / f64::from(mixer.rebuilds),
        100.0 * mixer.deepest,
    );
    let mean = 1e3 * total.as_secs_f64() / f64::from(steps);
    println!("times, {} thread(s): {mean:.2} ms a step", options.threads);
    println!("| stage | ms a step | share |\n|---|---|---|");
    let show = |stage: &str, spent: Duration| {
        let ms = 1e3 * spent.as_secs_f64() / f64::from(steps);
        let share = 100.0 * spent.as_secs_f64() / total.as_secs_f64();
        println!("| {stage} | {ms:.3} | {share:.1} % |");
    };
    for (stage, spent) in STAGES.into_iter().zip(mixer.spent) {
        show(stage, spent);
    }
    // The search's part of the third stage, from the last state only.
    let (centers, mut kernel) = (&mixer.grains.centers, DoubleHierarchy::new());
    let mut parts = [Duration::MAX; 2];
    let mut sum = 0.0;
    for _ in 0..5 {
        let start = Instant::now();
        sum += census.search(&mixer.walls, centers) as f64;
        parts[0] = parts[0].min(start.elapsed());
        let start = Instant::now();
        for &center in centers {
            (mixer.walls).for_each_contact(&mut kernel, center, |contact| sum += contact.overlap);
        }
        parts[1] = parts[1].min(start.elapsed());
    }
    assert!(sum > 0.0);
    let [search, all] = parts.map(|part| 1e3 * part.as_secs_f64());
    println!(
        "time of walls, in the last state, one thread: {all:.3} ms for search and contacts, {search:.3} ms for \
         a search that only names the facets"
    );
}

/// Table 10: fast intersection test and H2, against H2 on all facets found by linked cells. The best of five.
fn split(mixer: &Mixer, census: &Census) -> Result<()> {
    let mut best = [Duration::MAX; 3];
    let mut count = 0;
    for _ in 0..5 {
        let (times, contacts) = census.split(&mixer.walls, &mixer.grains.centers)?;
        best = [0, 1, 2].map(|i| best[i].min(times[i]));
        count = contacts;
    }
    let [test, tables, direct] = best.map(|time| 1e3 * time.as_secs_f64());
    println!("\n{count} contacts by Tables 3 and 4, with and without the fast intersection test");
    println!(
        "time of the facets of linked cells, ms: test {test:.3}, H2 after it {tables:.3}, direct H2 {direct:.3}; \
         direct / split {:.2}",
        direct / (test + tables)
    );
    Ok(())
}

/// Runs the same steps with one thread and with two, alternately; wall clock.
fn threads(mixer: &Mixer) -> Result<()> {
    const STEPS: u32 = 40;
    let mut spent = [[Duration::MAX; 4]; 2];
    for _ in 0..3 {
        let mut ends = Vec::new();
        for (threads, spent) in [1, 2].into_iter().zip(&mut spent) {
            let mut mixer = Mixer::new(mixer.grains.clone(), mixer.time, threads)?;
            for _ in 0..STEPS {
                mixer.step()?;
            }
            if mixer.spent.iter().sum::<Duration>()
                < spent
                    .iter()
                    .fold(Duration::ZERO, |a, b| a.saturating_add(*b))
            {
                *spent = mixer.spent;
            }
            ends.push(mixer.grains);
        }
        if ends[0] != ends[1] {
            return Err("two threads give another answer than one".into());
        }
    }
    println!(
        "\ntimes, ms a step\n| the best of 3 times {STEPS} steps | 1 thread | 2 threads | speed-up |\n|---|---|---|---|"
    );
    let show = |stage: &str, [one, two]: [Duration; 2]| {
        let [one, two] = [one, two].map(|spent| 1e3 * spent.as_secs_f64() / f64::from(STEPS));
        println!("| {stage} | {one:.3} | {two:.3} | {:.2} |", one / two);
    };
    for (i, stage) in STAGES.into_iter().enumerate() {
        show(stage, [spent[0][i], spent[1][i]]);
    }
    show("all", [spent[0].iter().sum(), spent[1].iter().sum()]);
    println!("\nthe same bits with 1 and 2 threads");
    Ok(())
}

fn write(mixer: &Mixer, folder: &Path) -> Result<()> {
    let Grains {
        centers,
        velocities,
        ..
    } = &mixer.grains;
    let speeds = velocities.iter().map(|v| v.length()).collect();
    PolyData {
        points: centers.iter().map(|c| c.to_array()).collect(),
        verts: (0..centers.len() as u32).map(|i| vec![i]).collect(),
        point_data: vec![
            (
                "radius",
                Array::Scalars(vec![grains::RADIUS; centers.len()]),
            ),
            ("speed", Array::Scalars(speeds)),
            ("half", Array::Integers(mixer.grains.halves.clone())),
        ],
        ..PolyData::default()
    }
    .write(&folder.join("spheres.vtp"))?;
    for (wall, name) in mixer
        .walls
        .all()
        .into_iter()
        .zip(["drum.vtp", "helices.vtp"])
    {
        let mesh = wall.mesh();
        PolyData {
            points: mesh
                .vertices()
                .iter()
                .map(|&v| wall.pose().transform_point(v).to_array())
                .collect(),
            polys: mesh.facets().map(|f| f.vertices().to_vec()).collect(),
            ..PolyData::default()
        }
        .write(&folder.join(name))?;
    }
    println!(
        "\nwritten: spheres.vtp, drum.vtp and helices.vtp in {}",
        folder.display()
    );
    Ok(())
}
