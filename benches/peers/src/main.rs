//! Compares osculate with the Rust crates that one would use instead: the same seeded work in one run
//! on one thread, with the ratios of the times and the numbers of wrong results.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- [CATEGORY ...] [--short] [--wrong] [--svg PATH]
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --svg PATH --from OUTPUT
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --serve FOLDER
//! ```
//! The categories are `neighbors`, `elongated`, `walls`, `convex-walls`, `polyhedra`, `impulse`, `spheres`,
//! `capsules` and `volumes`; all by default. The ratios of this run, or those printed by earlier ones, are also drawn. `--wrong` counts wrong results only.
//! `--serve` works for the script in `others`.
//! The last lines of a run are `ratio CASE PEER TIMES` (the peer's time over ours), `wrong CASE WHO
//! N/OF`, and `ahead CASE PEER ...` if a peer is faster or less often wrong.

mod capsules;
mod convex_walls;
mod elongated;
mod figure;
mod impulse;
mod neighbors;
mod others;
mod polyhedra;
#[path = "../../../examples/support/random.rs"]
mod random;
mod report;
#[allow(dead_code, reason = "the peers need one of two methods")]
#[path = "../../../tests/support/oracle/shared_convex.rs"]
mod shared_convex;
mod spheres;
mod volumes;
mod walls;

use std::process::{Command, ExitCode};

use report::{Ratio, Report};

type Category = (&'static str, fn(&mut Report));

const CATEGORIES: [Category; 9] = [
    ("neighbors", neighbors::run),
    ("elongated", elongated::run),
    ("walls", walls::run),
    ("convex-walls", convex_walls::run),
    ("polyhedra", polyhedra::run),
    ("impulse", impulse::run),
    ("spheres", spheres::run),
    ("capsules", capsules::run),
    ("volumes", volumes::run),
];

/// Prints the machine, the compiler, and the versions of the peers.
fn print_setup() {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1));
    println!(
        "machine: {}, one thread, CPU time",
        model.unwrap_or("unknown")
    );
    let rustc = Command::new("rustc").arg("-V").output();
    let rustc = rustc.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    println!("compiler: {}", rustc.unwrap_or_default().trim());
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap_or_default();
    let names = "osculate zelll kiddo rstar bvh parry3d-f64 rapier3d-f64 phyz-collision manifold-rust boolmesh";
    for name in names.split(' ') {
        let entry = lock
            .split("[[package]]")
            .filter(|e| e.contains(&format!("name = \"{name}\"\n")));
        // The highest version, in case a peer depends on an older version of another.
        let version = entry
            .filter_map(|e| e.split("version = \"").nth(1)?.split('"').next())
            .last();
        println!("{name} {}", version.unwrap_or("unknown"));
    }
    println!();
}

/// Reads the ratios that earlier runs have printed.
fn read(path: &str) -> std::io::Result<Vec<Ratio>> {
    let text = std::fs::read_to_string(path)?;
    let ratio = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        ["ratio", case, peer, value] => Some((case.into(), peer.into(), value.parse().ok()?)),
        _ => None,
    };
    Ok(text.lines().filter_map(ratio).collect())
}

fn draw(path: &str, ratios: &[Ratio]) -> ExitCode {
    match std::fs::write(path, figure::svg(ratios)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(path, &error.to_string()),
    }
}

fn fail(what: &str, why: &str) -> ExitCode {
    eprintln!("{what}: {why}");
    ExitCode::FAILURE
}

fn main() -> ExitCode {
    let (mut chosen, mut is_short, mut has_no_times) = (Vec::new(), false, false);
    let (mut svg, mut from, mut folder) = (None, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--short" => is_short = true,
            "--wrong" => has_no_times = true,
            "--svg" => svg = arguments.next(),
            "--from" => from = arguments.next(),
            "--serve" => folder = arguments.next(),
            name => match CATEGORIES.iter().find(|c| c.0 == name) {
                Some(category) => chosen.push(*category),
                None => return fail(name, "neither a category nor an option"),
            },
        }
    }
    if let (Some(svg), Some(from)) = (&svg, from) {
        return match read(&from) {
            Ok(ratios) => draw(svg, &ratios),
            Err(error) => fail(&from, &error.to_string()),
        };
    }
    if let Some(folder) = folder {
        return match others::serve(&folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&folder, &error.to_string()),
        };
    }
    if chosen.is_empty() {
        chosen = CATEGORIES.to_vec();
    }
    if !has_no_times {
        print_setup();
    }
    // Panics are counted and need not be shown.
    std::panic::set_hook(Box::new(|_| ()));
    let mut report = Report::new(is_short, has_no_times);
    for (_, run) in chosen {
        run(&mut report);
    }
    report.print();
    svg.map_or(ExitCode::SUCCESS, |path| draw(&path, &report.ratios))
}
