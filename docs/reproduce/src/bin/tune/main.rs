//! Chooses the cell sizes of a hierarchical grid for a distribution of radii, and shows the cost of
//! other choices.
//!
//! `cargo reproduce tune -- [--radii FILE | --power-law ALPHA OMEGA] ...`

mod options;
mod packing;
mod paper;
mod plot;
mod rule;
mod run;
mod table;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::{env, error};

use options::{Mode, Options, USAGE};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> ExitCode {
    match Options::of(env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // stderr may be closed.
            let _ = writeln!(io::stderr(), "tune: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let text = match options.mode {
        Mode::Help => format!("{USAGE}\n"),
        Mode::Paper => paper::figures(&options.out_or("docs/figures"))?,
        Mode::Packings => packing::table(options.is_short)?,
        Mode::Run if options.is_short => run::report(500, 20)?,
        Mode::Run => run::report(250_000, 500)?,
        Mode::Table => table::report(options)?,
    };
    Ok(io::stdout().write_all(text.as_bytes())?)
}
