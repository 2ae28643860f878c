//! Polyhedra by pressure fields: how stiff their contacts are, and pictures of bodies at rest.
//!
//! `cargo reproduce pressure_fields -- --out docs/figures`

mod measure;
mod scenes;
mod world;

use std::path::PathBuf;

use reproduce::Result;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => PathBuf::from("docs/figures"),
        (Some("--out"), Some(folder)) => PathBuf::from(folder),
        _ => return Err("usage: pressure_fields [--out FOLDER]".into()),
    };
    measure::print()?;
    for (name, svg) in [
        ("guide-piles.svg", scenes::piles()?),
        ("guide-ridge.svg", scenes::ridge()?),
        ("guide-heap.svg", scenes::heap()?),
    ] {
        let path = folder.join(name);
        // SVG inside rustdoc pages must have no empty line, and should be short.
        let length = svg.len();
        std::fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
        assert!(length < 60_000, "{name}: {length}");
    }
    Ok(())
}
