//! Clusters of four spheres settle on a wall: on 2 triangles, on 2048, and on a sheet of springs that deforms and gets
//! the forces at its nodes (Santasusana et al. 2016, section 5.3).
//!
//! `cargo reproduce clusters -- [--out DIR]`

mod heap;
mod picture;
mod sheet;

use reproduce::progress;
use std::{env, error, fs, path::Path};

use heap::{CLUSTERS, GRAVITY, Heap, TIME_STEP, cluster};
use osculate::glam::DVec3;
use sheet::{Sheet, floor};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let folder = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--out", folder] => Some(Path::new(folder)),
        _ => return Err("usage: clusters [--out DIR]".into()),
    };
    let shape = cluster()?;
    let steps = (3.0 / TIME_STEP) as u64;
    let settle = |cells: u32, sheet: Option<Sheet>| -> Result<Heap> {
        let mut heap = Heap::new(&shape, floor(cells)?, sheet)?;
        let progress = progress::bar(steps).with_message(format!("{cells} x {cells} cells"));
        for _ in 0..steps {
            heap.step()?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(heap)
    };
    let weight = CLUSTERS as f64 * shape.mass * GRAVITY;
    println!("{CLUSTERS} clusters of four spheres, weight {weight:.2} N, {steps} steps");

    let [coarse, fine] = [settle(1, None)?, settle(32, None)?];
    for heap in [&coarse, &fine] {
        println!(
            "floor of {} triangles: {} contacts carry {:.2} N, kinetic energy {:.1e} J, highest center {:.4} m",
            heap.wall.mesh().facet_count(),
            heap.support.contacts,
            heap.support.force.z,
            heap.kinetic(),
            heap.highest()
        );
    }
    let place = |heap: &Heap| {
        heap.bodies
            .iter()
            .map(|b| (b.position, b.rotation))
            .collect::<Vec<_>>()
    };
    assert_eq!(place(&coarse), place(&fine));
    println!("the same positions to the bit");

    let sheet = settle(24, Some(Sheet::new(&floor(24)?)))?;
    let springs = sheet.sheet.as_ref().map_or(DVec3::ZERO, Sheet::reaction);
    println!(
        "sheet of {} triangles: {} contacts carry {:.2} N, its springs {:.2} N, kinetic energy {:.1e} J",
        sheet.wall.mesh().facet_count(),
        sheet.support.contacts,
        sheet.support.force.z,
        springs.z,
        sheet.kinetic()
    );
    let [force, moment] = sheet.imbalance;
    println!(
        "forces at the nodes against those of the contacts, over all steps: {force:.0e} of the force, \
         {moment:.0e} of the moment"
    );
    assert!(force < 1e-13 && moment < 1e-13);
    for heap in [&coarse, &fine, &sheet] {
        assert!((heap.support.force.z / weight - 1.0).abs() < 0.01 && heap.kinetic() < 2e-2);
    }
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
        picture::write_vtp(&folder.join("clusters-floor.vtp"), &fine)?;
        picture::write_vtp(&folder.join("clusters-sheet.vtp"), &sheet)?;
        picture::write_svg(&folder.join("clusters.svg"), [&coarse, &sheet])?;
    }
    Ok(())
}
