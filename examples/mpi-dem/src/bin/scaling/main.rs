//! Divides a packing of ten million spheres among 1 to 4,096 ranks, and counts what each would hold and send.
//!
//! One process, no messages. `scaling [--tile N] [--out FOLDER]`; see docs/SCALING.md.

mod bed;
#[path = "../../bisection.rs"]
mod bisection;
mod plot;
#[path = "../../../../../docs/reproduce/src/radii.rs"]
mod radii;
#[path = "../../../../support/random.rs"]
mod random;
mod shares;
#[path = "../../../../../docs/reproduce/src/svg.rs"]
mod svg;

use std::path::PathBuf;
use std::{error, fs};

use bed::Bed;
use rayon::prelude::*;
use shares::Shares;

fn main() -> Result<(), Box<dyn error::Error>> {
    let (mut tile, mut out) = (80_000, PathBuf::from("."));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or(format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--tile" => tile = value.parse()?,
            "--out" => out = value.into(),
            _ => return Err(format!("{argument} is not one of [--tile N] [--out FOLDER]").into()),
        }
    }
    let bed = Bed::new(tile)?;
    println!(
        "{} spheres, {:.2} pairs and {:.2} contacts each; mean overlap {:.1e} radii",
        bed.points.len(),
        bed.pairs_each,
        bed.contacts_each,
        bed.overlap
    );
    let ranks: Vec<usize> = (0..=12).map(|i| 1 << i).collect();
    let shares: Vec<Shares> = ranks
        .par_iter()
        .map(|&ranks| Shares::new(&bed, ranks))
        .collect();
    println!("{}", shares::HEADER);
    for share in &shares {
        println!("{share}");
    }
    fs::write(out.join("scaling.svg"), plot::draw(&shares))?;
    Ok(())
}
