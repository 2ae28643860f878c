//! The links of the documents, as files of the repository; `cargo doc` checks those of rustdoc. Dates and words.
//!
//! A page of the guide has two forms. In the file a definition at its end leads to a source file or a page; in rustdoc an
//! earlier one, in `src/guide_links.md` or `docs/figures/embedded`, leads to an item or contains a figure.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns the Markdown files of the repository, except included definitions.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && name != "embedded" && !name.starts_with('.') {
            found.extend(documents(&path));
        } else if name.ends_with(".md") && name != "guide_links.md" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the lines of a document outside of code blocks, without code between backticks.
fn prose(text: &str) -> Vec<(usize, String)> {
    let (mut lines, mut is_code) = (Vec::new(), false);
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((i + 1, line.to_owned()));
        }
    }
    lines
}

/// Returns the definitions `[label]: target` of a document.
fn definitions(text: &str) -> BTreeMap<String, String> {
    let lines = prose(text);
    let parts = lines.iter().filter_map(|(_, line)| {
        let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
        Some((label.to_owned(), target.to_owned()))
    });
    parts.collect()
}

/// A link in brackets: its text, and what follows.
enum Link {
    Inline(String),
    Label(String),
}

/// Returns the links of a line: `[text](target)`, `[text][label]` and `[label]`.
fn links(line: &str) -> Vec<Link> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some(start) = rest.find('[') {
        // What is between backticks is code, unless the brackets are outside of them.
        let is_code = rest[..start].matches('`').count() % 2 == 1;
        rest = &rest[start + 1..];
        if is_code {
            let Some(end) = rest.find('`') else { break };
            rest = &rest[end + 1..];
            continue;
        }
        let Some(end) = rest.find(']') else { break };
        let (text, after) = (&rest[..end], &rest[end + 1..]);
        let until = |open: char, close: char| {
            let inner = after.strip_prefix(open)?;
            Some(inner[..inner.find(close)?].to_owned())
        };
        let is_definition = line.starts_with('[') && found.is_empty() && after.starts_with(':');
        if let Some(target) = until('(', ')') {
            found.push(Link::Inline(target));
        } else if let Some(label) = until('[', ']') {
            found.push(Link::Label(label.clone()));
            rest = &after[label.len() + 2..];
            continue;
        } else if !is_definition && !text.is_empty() {
            found.push(Link::Label(text.to_owned()));
        }
        rest = after;
    }
    found
}

/// Returns the anchors of the headings, by the rule of forges.
fn anchors(text: &str) -> Vec<String> {
    let lines = prose(text);
    let headings = lines.iter().filter(|(_, line)| line.starts_with('#'));
    let anchor = |line: &str| -> String {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.replace(' ', "-");
        kept.chars()
            .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect()
    };
    let mut found: Vec<String> = Vec::new();
    for name in headings.map(|(_, line)| anchor(line)) {
        let again = found.iter().filter(|own| **own == name).count();
        found.push(if again == 0 {
            name
        } else {
            format!("{name}-{again}")
        });
    }
    found
}

/// Returns what is wrong with the target of a link.
fn fault(path: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() {
        path.to_owned()
    } else {
        path.parent().unwrap().join(file)
    };
    if !file.exists() {
        return Some(format!("no file: {target}"));
    }
    let is_found = || {
        anchors(&fs::read_to_string(&file).unwrap())
            .iter()
            .any(|own| own == anchor)
    };
    (!anchor.is_empty() && !is_found()).then(|| format!("no heading: {target}"))
}

/// Returns a fault if a source file lacks the item that a label names.
fn item_fault(path: &Path, label: &str, target: &str) -> Option<String> {
    let name = label
        .strip_prefix('`')?
        .strip_suffix('`')?
        .rsplit(':')
        .next()?;
    let text = fs::read_to_string(path.parent().unwrap().join(target)).ok()?;
    let declarations = ["fn ", "struct ", "enum ", "trait ", "type ", "    "];
    let is_item = declarations
        .iter()
        .any(|kind| text.contains(&format!("{kind}{name}")));
    (!is_item).then(|| format!("{label} is not in {target}"))
}

#[test]
fn links_lead_to_files() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for path in documents(root()) {
        let text = fs::read_to_string(&path).unwrap();
        let defined = definitions(&text);
        let mut used = Vec::new();
        let mut fail = |line: usize, what: String| {
            let place = path.strip_prefix(root()).unwrap().display();
            faults.push(format!("{place}:{line}: {what}"));
        };
        for (number, line) in prose(&text) {
            for link in links(&line) {
                count += 1;
                match link {
                    Link::Inline(target) => {
                        fault(&path, &target)
                            .into_iter()
                            .for_each(|what| fail(number, what));
                    }
                    Link::Label(label) if defined.contains_key(&label) => used.push(label),
                    // Other brackets are text, except in pages with definitions.
                    Link::Label(label) if !defined.is_empty() => {
                        fail(number, format!("not defined: [{label}]"));
                    }
                    Link::Label(_) => {}
                }
            }
        }
        for (label, target) in &defined {
            let faults = [fault(&path, target), item_fault(&path, label, target)];
            faults.into_iter().flatten().for_each(|what| fail(0, what));
            if !used.contains(label) {
                fail(0, format!("not used: [{label}]"));
            }
        }
    }
    println!("{count} links");
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(count > 300, "{count}");
}

#[test]
fn guide_has_two_forms() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let items = definitions(&read("src/guide_links.md"));
    let pages = read("src/guide.rs");
    let embedded = reproduce::embed::definitions(&root().join("docs")).unwrap();
    let mut used = Vec::new();
    for path in documents(&root().join("docs/guide")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_page = name == "README" || pages.contains(&format!("page!({name}"));
        assert!(is_page, "src/guide.rs lacks {name}");
        for label in definitions(&fs::read_to_string(&path).unwrap()).into_keys() {
            let is_figure = embedded.contains_key(&label);
            assert!(items.contains_key(&label) != is_figure, "{name}: [{label}]");
            assert!(
                !is_figure || pages.contains(&format!("\"{label}\"")),
                "{label}"
            );
            used.push(label);
        }
    }
    for label in items.keys() {
        assert!(
            used.contains(label),
            "src/guide_links.md: no page uses [{label}]"
        );
    }
    for (name, text) in &embedded {
        let file = read(&format!("docs/figures/embedded/{name}.md"));
        assert!(file == *text, "{name} has changed: cargo reproduce embed");
    }
    let count = fs::read_dir(root().join("docs/figures/embedded"))
        .unwrap()
        .count();
    assert_eq!(count, embedded.len(), "files in docs/figures/embedded");
}

#[test]
fn documents_have_no_dates() {
    let mut faults = Vec::new();
    for path in documents(root()) {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            let is_date = |i: usize| {
                let shape = |(c, of): (char, char)| {
                    if of == '0' {
                        c.is_ascii_digit()
                    } else {
                        c == of
                    }
                };
                line[i..].len() >= 10 && line[i..].chars().zip("2000-00-00".chars()).all(shape)
            };
            if line.match_indices("20").any(|(i, _)| is_date(i)) {
                let place = path.strip_prefix(root()).unwrap().display();
                faults.push(format!("{place}:{}: {line}", number + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn documents_are_short() {
    for path in documents(root()) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let limit = match &*name {
            "README.md" => 1050,
            _ if name.starts_with("docs/guide/") => 2800,
            _ => 8500,
        };
        let text = fs::read_to_string(&path).unwrap();
        let count = text.split_whitespace().count();
        println!("{count:6} {name}");
        assert!(count <= limit, "{name}: {count} words");
    }
}

#[test]
fn links_of_a_line() {
    let text = "[a](b) of `c[0]`, [`D`] and [e][`F::g`]; ![h][i]";
    let found: Vec<_> = links(text)
        .into_iter()
        .map(|link| match link {
            Link::Inline(target) => format!("({target})"),
            Link::Label(label) => label,
        })
        .collect();
    assert_eq!(found, ["(b)", "`D`", "`F::g`", "i"]);
    assert_eq!(anchors("# A b, `c`\n```\n# d\n```\n"), ["a-b-c"]);
    assert_eq!(definitions("[a]: b\n[`C`]: d\n").len(), 2);
}
