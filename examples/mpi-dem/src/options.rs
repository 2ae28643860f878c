//! The command line.

use std::path::PathBuf;

use crate::exchange::Result;

pub const USAGE: &str = "usage: mpi-dem check | spheres | polyhedra [--count N] [--steps N] [--threads N] [--hash] \
    [--out FOLDER] [--frames EVERY] [--checkpoints EVERY] [--restart] [--fail-on RANK]";

pub struct Options {
    pub mode: String,
    pub count: Option<usize>,
    /// The last step.
    pub steps: u64,
    pub threads: usize,
    pub hash: bool,
    pub out: PathBuf,
    /// Steps between two pictures and between two checkpoints; 0 for none.
    pub frames: u64,
    pub checkpoints: u64,
    /// Whether to start from the checkpoint in `out`.
    pub restart: bool,
    /// The rank that fails in the middle of its second checkpoint.
    pub fail_on: Option<usize>,
}

impl Options {
    pub fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            mode: arguments.next().ok_or(USAGE)?,
            count: None,
            steps: 2000,
            threads: 1,
            hash: false,
            out: "mpi-dem-out".into(),
            frames: 0,
            checkpoints: 0,
            restart: false,
            fail_on: None,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--count" => options.count = Some(value()?.parse()?),
                "--steps" => options.steps = value()?.parse()?,
                "--threads" => options.threads = value()?.parse()?,
                "--hash" => options.hash = true,
                "--out" => options.out = value()?.into(),
                "--frames" => options.frames = value()?.parse()?,
                "--checkpoints" => options.checkpoints = value()?.parse()?,
                "--restart" => options.restart = true,
                "--fail-on" => options.fail_on = Some(value()?.parse()?),
                _ => return Err(format!("{argument}: unknown\n{USAGE}").into()),
            }
        }
        Ok(options)
    }
}
