//! The figures of the guide for rustdoc, whose pages have no files beside them.
//!
//! A page of the guide shows a figure as `![words][NAME]`, and ends with the definition `[NAME]: ../figures/FILE`. In
//! rustdoc an earlier definition wins, by the rules of Markdown: `[NAME]: <data:...>` in `docs/figures/embedded`.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// Returns for each figure that a page of the guide defines the text of its file in `docs/figures/embedded`, by name.
pub fn definitions(docs: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for page in fs::read_dir(docs.join("guide"))? {
        for line in fs::read_to_string(page?.path())?.lines() {
            let parts = line
                .strip_prefix('[')
                .and_then(|l| l.split_once("]: ../figures/"));
            if let Some((name, file)) = parts {
                // Pictures have a smaller form.
                let small = file.replace(".png", ".webp");
                let bytes = fs::read(docs.join("figures").join(&small))?;
                found.insert(
                    name.to_owned(),
                    format!("[{name}]: {}\n", data(&small, &bytes)),
                );
            }
        }
    }
    Ok(found)
}

/// Returns a figure as the destination of a link.
fn data(file: &str, bytes: &[u8]) -> String {
    if file.ends_with(".webp") {
        return format!("data:image/webp;base64,{}", base64(bytes));
    }
    let mut text = String::from("<data:image/svg+xml;charset=utf-8,");
    for c in String::from_utf8_lossy(bytes).trim_end().chars() {
        match c {
            '\n' => text.push(' '),
            // What ends or changes a destination, an entity or a URL.
            '%' | '#' | '<' | '>' | '&' | '\\' => text += &format!("%{:02X}", c as u32),
            _ => text.push(c),
        }
    }
    text + ">"
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let byte = |i: usize| u32::from(part.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= part.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[test]
fn base64_of_the_rfc() {
    for (bytes, text) in [
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(base64(bytes.as_bytes()), text);
    }
}
