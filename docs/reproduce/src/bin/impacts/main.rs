//! The kinetic energy in the four elastic impacts of the paper on contact volumes.
//!
//! `cargo reproduce impacts -- [--short] [--out DIR]`

mod energy;
mod impact;
mod plot;
mod report;
mod shapes;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

const USAGE: &str = "\
Four elastic impacts: the drift of the kinetic energy against the steps in a contact, for the full
wrench and for a single force at the contact point, and for other energies w(V).

usage: impacts [--short] [--out DIR]

--short  up to 100 steps in a contact instead of 1600; no figures
--out    where the figures go (docs/figures)";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // stderr may be closed.
            let _ = writeln!(io::stderr(), "impacts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let (mut is_short, mut out) = (false, None);
    let mut args = env::args_os().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_string_lossy().as_ref() {
            "--short" => is_short = true,
            "--out" => out = Some(PathBuf::from(args.next().ok_or("--out needs a folder")?)),
            "--help" | "-h" => return Ok(writeln!(io::stdout(), "{USAGE}")?),
            other => return Err(format!("unknown argument {other:?}\n\n{USAGE}").into()),
        }
    }
    let folder = out.unwrap_or(Path::new(env!("CARGO_MANIFEST_DIR")).join("../figures"));
    report::run(is_short, &folder)
}
