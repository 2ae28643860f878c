//! Prints how much a ball that rolls and a box that slides feel the cut of a flat floor, with contacts of rapier and of
//! osculate.
//!
//! `cargo run --release --example rolling`, some seconds.

#[path = "../tests/scenes/mod.rs"]
mod scenes;

use scenes::{Body, CUTS, KINDS, run};

fn main() {
    println!("| body, floor | contacts | height | vertical speed | sideways | speed lost |");
    println!("|---|---|---|---|---|---|");
    for body in [Body::Ball, Body::Box] {
        for (cut_name, cut) in CUTS {
            for (name, contacts) in KINDS {
                let bumps = run(contacts, body, cut);
                println!(
                    "| {body:?}, {cut_name} | {name} | {:.0e} m | {:.0e} m/s | {:.0e} m/s | {:.0e} |",
                    bumps.height, bumps.vertical, bumps.sideways, bumps.lost
                );
            }
        }
    }
}
