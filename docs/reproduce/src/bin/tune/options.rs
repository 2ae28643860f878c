//! The options on the command line, and radii from a file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use osculate::{
    broad::SearchDirection,
    reference::{GridCost, RadiusDistribution},
};

use crate::Result;
use reproduce::radii::power_law_radii;

pub(crate) const USAGE: &str = "\
Chooses the cell sizes of a hierarchical grid for a distribution of radii.

usage: tune [--radii FILE | --power-law ALPHA OMEGA] [--count N] [--nu NU] [--dim 2|3]
            [--direction top-down|bottom-up] [--cost rows|cells] [--out DIR]
       tune --paper [--out DIR]
       tune --packings [--short]
       tune --run [--short]

--radii      a file with a radius in each line; # starts a comment
--power-law  radii of number density r^ALPHA on [1, OMEGA]  (-3 20)
--count      how many of them                               (100000)
--nu         packing fraction                               (0.4)
--dim        2 or 3 dimensions                              (3)
--direction  large bodies look for small ones, or small ones for large  (top-down)
--cost       what counts beside tests: rows of cells, as in this crate, or cells at 0.2 of a
             test, as in the paper                          (rows)
--out        where tune.svg goes, the cost against the number of levels (not written)
--paper      the figures of the 2014 paper instead, into docs/figures
--packings   the work in packings without overlaps instead, up to 10^6 bodies (section 5.4.1)
--run        10^4 discs for 250,000 steps instead, with its own, one and five levels (section 5.4.2)
--short      packings of 10^4 bodies; 500 steps";

/// The maximum number of radii, which bounds the memory of their table.
const MAX_COUNT: usize = 100_000_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    File(PathBuf),
    PowerLaw { alpha: f64, omega: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Table,
    Paper,
    Packings,
    Run,
    Help,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub source: Source,
    pub count: usize,
    pub nu: f64,
    pub dim: usize,
    pub direction: SearchDirection,
    pub cost: GridCost,
    pub out: Option<PathBuf>,
    pub mode: Mode,
    pub is_short: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: Source::PowerLaw {
                alpha: -3.0,
                omega: 20.0,
            },
            count: 100_000,
            nu: 0.4,
            dim: 3,
            direction: SearchDirection::TopDown,
            cost: GridCost::ROWS,
            out: None,
            mode: Mode::Table,
            is_short: false,
        }
    }
}

impl Options {
    pub(crate) fn of(mut args: impl Iterator<Item = OsString>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let arg = arg.to_string_lossy().into_owned();
            let mut value = |what: &str| {
                let value = args.next();
                value.ok_or_else(|| format!("{arg} needs {what}\n\n{USAGE}"))
            };
            match arg.as_str() {
                "--radii" => options.source = Source::File(value("a file")?.into()),
                "--power-law" => {
                    let what = "an exponent and a size ratio";
                    let alpha = number(&arg, &value(what)?, -20.0, 20.0)?;
                    let omega = number(&arg, &value(what)?, 1.0, 1e12)?;
                    options.source = Source::PowerLaw { alpha, omega };
                }
                "--count" => {
                    let text = value("a number of bodies")?;
                    let text = text.to_string_lossy();
                    let count = text.parse().ok();
                    let count = count.filter(|count| (1..=MAX_COUNT).contains(count));
                    let range = || format!("--count {text:?} is not a number from 1 to 1e8");
                    options.count = count.ok_or_else(range)?;
                }
                "--nu" => options.nu = number(&arg, &value("a packing fraction")?, 1e-12, 10.0)?,
                "--dim" => options.dim = choice(&arg, &value("2 or 3")?, [("2", 2), ("3", 3)])?,
                "--direction" => {
                    let directions = [
                        ("top-down", SearchDirection::TopDown),
                        ("bottom-up", SearchDirection::BottomUp),
                    ];
                    options.direction = choice(&arg, &value("a direction")?, directions)?;
                }
                "--cost" => {
                    let costs = [("rows", GridCost::ROWS), ("cells", GridCost::CELLS)];
                    options.cost = choice(&arg, &value("rows or cells")?, costs)?;
                }
                "--out" => options.out = Some(value("a folder")?.into()),
                "--paper" => options.mode = Mode::Paper,
                "--packings" => options.mode = Mode::Packings,
                "--run" => options.mode = Mode::Run,
                "--short" => options.is_short = true,
                "--help" | "-h" => options.mode = Mode::Help,
                _ => return Err(format!("unknown argument {arg:?}\n\n{USAGE}").into()),
            }
        }
        Ok(options)
    }

    pub(crate) fn out_or(&self, default: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        self.out.clone().unwrap_or_else(|| root.join(default))
    }

    /// Valid radii, and a name for them.
    pub(crate) fn radii(&self) -> Result<(Vec<f64>, String)> {
        match &self.source {
            Source::PowerLaw { alpha, omega } => Ok((
                power_law_radii(self.count, *alpha, *omega),
                format!("radii of density r^{alpha} on [1, {omega}]"),
            )),
            Source::File(path) => {
                let text = fs::read_to_string(path);
                let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
                let radii = parse(&text).map_err(|fault| format!("{}{fault}", path.display()))?;
                Ok((radii, format!("radii of {}", path.display())))
            }
        }
    }
}

fn number(option: &str, text: &OsString, min: f64, max: f64) -> Result<f64> {
    let text = text.to_string_lossy();
    let value = text.parse().ok().filter(|x| (min..=max).contains(x));
    Ok(value
        .ok_or_else(|| format!("{option}: {text:?} is not a number from {min:?} to {max:?}"))?)
}

fn choice<T: Copy, const N: usize>(
    option: &str,
    text: &OsString,
    choices: [(&str, T); N],
) -> Result<T> {
    let found = choices.iter().find(|(name, _)| text == name);
    let names = || choices.map(|(name, _)| name).join(" or ");
    Ok(found
        .map(|choice| choice.1)
        .ok_or_else(|| format!("{option} is {}, not {text:?}", names()))?)
}

/// The part of a message after the path: the line and its fault.
fn parse(text: &str) -> std::result::Result<Vec<f64>, String> {
    let (mut radii, mut lines) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split_once('#').map_or(text, |(text, _)| text).trim();
        if text.is_empty() {
            continue;
        }
        let radius = text.parse::<f64>().map_err(|_| {
            let start: String = text.chars().take(40).collect();
            format!(":{line}: not a number: {start:?}")
        })?;
        radii.push(radius);
        lines.push(line);
    }
    if radii.is_empty() {
        return Err(": no radius in this file".to_owned());
    }
    match RadiusDistribution::new(&radii) {
        Ok(_) => Ok(radii),
        Err(error) => match error.index() {
            Some(index) => Err(format!(":{}: {error}", lines[index])),
            None => Err(format!(": {error}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &str) -> std::result::Result<Options, String> {
        let args = args.split_whitespace().map(OsString::from);
        Options::of(args).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_read() {
        let args = "--power-law -2 50 --count 7 --nu 0.1 --dim 2 --direction bottom-up \
                    --cost cells --out x";
        let expected = Options {
            source: Source::PowerLaw {
                alpha: -2.0,
                omega: 50.0,
            },
            count: 7,
            nu: 0.1,
            dim: 2,
            direction: SearchDirection::BottomUp,
            cost: GridCost::CELLS,
            out: Some("x".into()),
            mode: Mode::Table,
            is_short: false,
        };
        assert_eq!(of(args), Ok(expected));
    }

    #[test]
    fn bad_options_are_named() {
        for (args, message) in [
            ("--nu", "--nu needs a packing fraction"),
            ("--nu x", "--nu: \"x\" is not a number from 1e-12 to 10.0"),
            ("--nu NaN", "--nu: \"NaN\" is not a number"),
            ("--power-law -3", "--power-law needs an exponent"),
            ("--power-law -3 0.5", "\"0.5\" is not a number from 1.0"),
            ("--dim 4", "--dim is 2 or 3, not \"4\""),
            ("--count 0", "--count \"0\" is not a number from 1"),
            ("--direction up", "--direction is top-down or bottom-up"),
            ("radii.txt", "unknown argument \"radii.txt\""),
        ] {
            let error = of(args).unwrap_err();
            assert!(error.contains(message), "{args}: {error}");
        }
    }

    #[test]
    fn files_are_read_and_bad_lines_named() {
        let radii = parse("# sieved\n1.5\n\n 0.5 # fine\r\n").unwrap();
        assert_eq!(radii, [1.5, 0.5]);
        for (text, message) in [
            ("1\n\n2,5\n", ":3: not a number: \"2,5\""),
            (
                "1\n# x\n-2\n",
                ":3: body 1: radius -2.0 is neither 0 nor within",
            ),
            ("1\nnan\n", ":2: body 1: radius NaN"),
            ("# none\n", ": no radius in this file"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
