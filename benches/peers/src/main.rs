//! The same seeded work done by osculate and by the Rust crates that one would take in its place,
//! in one run on one thread: how many times as long they take, and how often they are wrong.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- [CATEGORY ...] [--short] [--svg PATH]
//! ```
//! The categories are `neighbours`, `walls`, `polyhedra` and `volumes`; all of them unless told.
//! A run ends in lines `ratio CASE PEER TIMES` (the peer's time over ours), `wrong CASE WHO N/OF` and
//! `ahead CASE PEER ...` where a peer is faster or less often wrong.

mod figure;
mod neighbours;
mod polyhedra;
mod report;
mod volumes;
mod walls;

use std::process::{Command, ExitCode};

use report::Report;

type Category = (&'static str, fn(&mut Report));

const CATEGORIES: [Category; 4] = [
    ("neighbours", neighbours::run),
    ("walls", walls::run),
    ("polyhedra", polyhedra::run),
    ("volumes", volumes::run),
];

/// The machine, the compiler, and the versions of the peers that were built.
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
    let names = "osculate zelll kiddo rstar bvh parry3d-f64 phyz-collision manifold-rust boolmesh";
    for name in names.split(' ') {
        let entry = lock
            .split("[[package]]")
            .filter(|e| e.contains(&format!("name = \"{name}\"\n")));
        // The highest, should a peer depend on an older one of another.
        let version = entry
            .filter_map(|e| e.split("version = \"").nth(1)?.split('"').next())
            .last();
        println!("{name} {}", version.unwrap_or("unknown"));
    }
    println!();
}

fn main() -> ExitCode {
    let (mut chosen, mut is_short, mut svg) = (Vec::new(), false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--short" => is_short = true,
            "--svg" => svg = arguments.next(),
            name => match CATEGORIES.iter().find(|c| c.0 == name) {
                Some(category) => chosen.push(*category),
                None => {
                    eprintln!(
                        "{name}: not neighbours, walls, polyhedra, volumes, --short or --svg PATH"
                    );
                    return ExitCode::FAILURE;
                }
            },
        }
    }
    if chosen.is_empty() {
        chosen = CATEGORIES.to_vec();
    }
    print_setup();
    // What panics is counted, and need not be shown.
    std::panic::set_hook(Box::new(|_| ()));
    let mut report = Report::new(is_short);
    for (_, run) in chosen {
        run(&mut report);
    }
    report.print();
    if let Some(path) = svg
        && let Err(error) = std::fs::write(&path, figure::svg(&report.ratios))
    {
        eprintln!("{path}: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
