//! Writes the figures of the guide into `docs/figures/embedded`, in the form that rustdoc includes.
//!
//! `cargo reproduce embed`

use std::fs;
use std::path::Path;

fn main() -> reproduce::Result<()> {
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let folder = docs.join("figures/embedded");
    fs::create_dir_all(&folder)?;
    for (name, text) in reproduce::embed::definitions(docs)? {
        fs::write(folder.join(name + ".md"), text)?;
    }
    Ok(())
}
