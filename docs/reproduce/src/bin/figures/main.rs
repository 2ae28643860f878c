//! Draws the figures of the guide from results of the crate.
//!
//! `cargo reproduce figures -- --out docs/figures`

mod bodies;
mod grids;
mod lists;
mod pressure;
mod walls;

use std::error::Error;
use std::path::PathBuf;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => PathBuf::from("docs/figures"),
        (Some("--out"), Some(folder)) => PathBuf::from(folder),
        _ => return Err("usage: figures [--out FOLDER]".into()),
    };
    let figures = [
        ("guide-grid.svg", grids::levels()?),
        ("guide-walls.svg", walls::minima()?),
        ("guide-common-plane.svg", bodies::common_planes()?),
        ("guide-pressure.svg", pressure::points()?),
        ("guide-contact-area.svg", bodies::areas()?),
        ("guide-contact-curve.svg", bodies::curve()?),
        ("guide-periodic.svg", lists::images()?),
        ("guide-skin.svg", lists::skin()?),
    ];
    for (name, svg) in &figures {
        let path = folder.join(name);
        // SVG inside rustdoc pages must have no empty line, and should be short.
        assert!(svg.len() < 60_000 && !svg.contains("\n\n"), "{name}");
        std::fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    println!("{} figures in {}", figures.len(), folder.display());
    Ok(())
}
