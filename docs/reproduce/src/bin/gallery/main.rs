//! Two scenes of docs/guide/gallery.md: capsules and rounded blocks in a drum, and piles of polyhedra.
//!
//! `cargo reproduce gallery -- drum|piles FOLDER`

mod drum;
#[allow(dead_code, reason = "the gallery takes no measurements")]
#[path = "../stack/pile.rs"]
mod pile;
mod piles;

use std::path::Path;

use reproduce::Result;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (scene, folder) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [scene, folder] => (scene, Path::new(folder)),
        _ => return Err("usage: gallery drum|piles FOLDER".into()),
    };
    std::fs::create_dir_all(folder)?;
    match scene {
        "drum" => drum::run(&folder.join("drum.vtp")),
        "piles" => piles::run(&folder.join("piles.vtp")),
        _ => Err(format!("unknown scene: {scene}").into()),
    }
}
