//! The numbers in the documents against the recorded output of the programs, in docs/results.
//!
//! A comment marks the table, code block or paragraph that follows it:
//! - `<!-- results: FILE ... -->`: every number of the block occurs in one of these files of docs/results, rounded
//!   as printed, on a line with another number or a word of its row or column. `; also: N ...` lists numbers from
//!   elsewhere, such as those of a paper.
//! - `<!-- run: COMMAND -->`: the numbers come from a run that docs/reproduce/run does not repeat. Directly below a
//!   heading it holds for the whole section.
//!
//! Every table of measured numbers has a mark in README, docs/BENCHMARKS.md, docs/VALIDATION.md and the guide. Headers,
//! first columns and signs are not compared.

use std::fs;
use std::path::{Path, PathBuf};

/// A paragraph, a table or a code block.
struct Block<'a> {
    line: usize,
    text: Vec<&'a str>,
    mark: Option<&'a str>,
    /// Whether the section has a mark.
    is_covered: bool,
}

impl Block<'_> {
    fn is_table(&self) -> bool {
        self.text[0].starts_with('|')
    }

    /// Returns the text without the header of a table, its first column and the fence of a code block.
    fn content(&self) -> Vec<String> {
        if self.is_table() {
            let cells = |row: &&str| row.splitn(3, '|').nth(2).unwrap_or_default().to_owned();
            return self.text.iter().skip(2).map(cells).collect();
        }
        let lines = self.text.iter().filter(|line| !line.starts_with("```"));
        lines.map(|line| (*line).to_owned()).collect()
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns whether a document has measurements.
fn measures(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    ["README", "BENCHMARKS", "VALIDATION"].contains(&&*name)
        || path.parent().is_some_and(|p| p.ends_with("guide"))
}

fn documents() -> Vec<PathBuf> {
    let mut paths = vec![root().join("README.md")];
    for folder in ["docs", "docs/guide"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
}

/// Splits a document at empty lines outside of code blocks.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut mark, mut is_covered, mut is_heading_last) = (None, false, false);
    let (mut is_open, mut is_code) = (false, false);
    for (i, line) in text.lines().enumerate() {
        if !is_code && line.starts_with('#') {
            (is_covered, is_heading_last, is_open) = (false, true, false);
        } else if !is_code && line.starts_with("<!--") {
            let is_run = line.starts_with("<!-- run:");
            is_covered |= is_run && is_heading_last;
            (mark, is_open) = (Some(line), false);
        } else if !is_code && line.is_empty() {
            is_open = false;
        } else {
            let is_fence = line.starts_with("```");
            if !is_open || (is_fence && !is_code) {
                let mark = mark.take();
                blocks.push(Block {
                    line: i + 1,
                    text: Vec::new(),
                    mark,
                    is_covered,
                });
            }
            blocks.last_mut().unwrap().text.push(line);
            is_code ^= is_fence;
            is_open = is_code || !is_fence;
            is_heading_last = false;
        }
    }
    blocks
}

/// A number and the place value of its last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    value: f64,
    unit: f64,
}

impl Number {
    /// Returns whether another number, rounded to this one's digits, is this one.
    fn rounds(self, other: Self) -> bool {
        let tolerance = 0.5 * self.unit * (1.0 + 1e-6);
        (self.value - other.value).abs() <= tolerance.max(1e-9 * self.value)
            && other.unit <= self.unit * 1.5
    }
}

/// Returns the numbers of a text, without those that are parts of names (`tet4`, `R2`) or exponents.
fn numbers(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let (mut found, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        let is_part =
            i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || b"_^".contains(&bytes[i - 1]));
        if !digit(i) || is_part {
            i += 1;
            continue;
        }
        let start = i;
        while digit(i)
            || (bytes.get(i) == Some(&b',') && digit(i + 1) && digit(i + 2) && digit(i + 3))
        {
            i += 1;
        }
        let mut decimals = 0;
        if bytes.get(i) == Some(&b'.') && digit(i + 1) {
            let point = i;
            i += 1;
            while digit(i) {
                i += 1;
            }
            decimals = (i - point - 1) as i32;
        }
        let mut exponent = 0;
        if bytes.get(i) == Some(&b'e') {
            let sign = usize::from(matches!(bytes.get(i + 1), Some(b'-' | b'+')));
            let mut end = i + 1 + sign;
            while digit(end) {
                end += 1;
            }
            if digit(i + 1 + sign) {
                exponent = text[i + 1..end].parse().unwrap();
                i = end;
            }
        }
        let value = text[start..i].replace(',', "").parse().unwrap();
        let unit = 10_f64.powi(exponent - decimals);
        let is_name = bytes
            .get(i)
            .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_');
        if !is_name {
            found.push(Number { value, unit });
        }
        while bytes.get(i).is_some_and(u8::is_ascii_alphanumeric) {
            i += 1;
        }
    }
    found
}

/// A number of a block, and what tells that a line of a file is about it.
struct Entry {
    number: Number,
    /// The other numbers of its row and of its column.
    beside: Vec<Number>,
    /// The words of the first cell of its row and of the head of its column.
    words: Vec<String>,
}

/// Returns the words of at least three letters.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphabetic());
    let long = parts.filter(|word| word.len() > 2);
    long.map(str::to_lowercase).collect()
}

fn entries(block: &Block) -> Vec<Entry> {
    // A paragraph or a code block is a table with one column.
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(str::to_owned).collect()
    };
    let (head, rows) = if block.is_table() {
        let rows = block.text[2..].iter().map(|row| cells(row)).collect();
        (cells(block.text[0]), rows)
    } else {
        let rows: Vec<_> = block
            .content()
            .into_iter()
            .map(|line| vec![line.clone(), line])
            .collect();
        (Vec::new(), rows)
    };
    let mut places = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        for (k, cell) in row.iter().enumerate().skip(1) {
            places.extend(numbers(cell).into_iter().map(|number| (i, k, number)));
        }
    }
    let entry = |(own, &(i, k, number)): (usize, &(usize, usize, Number))| {
        let others = places.iter().enumerate();
        let others = others.filter(|(other, (j, l, _))| *other != own && (*j == i || *l == k));
        let mut beside: Vec<_> = others.map(|(_, place)| place.2).collect();
        let names = [&rows[i][0], head.get(k).unwrap_or(&rows[i][0])];
        beside.extend(names.iter().flat_map(|name| numbers(name)));
        Entry {
            number,
            beside,
            words: names.iter().flat_map(|name| words(name)).collect(),
        }
    };
    places.iter().enumerate().map(entry).collect()
}

/// Returns numbers and words of each line of a file, together with those of the indented lines below it; a file of a few
/// lines is one record.
fn records(text: &str) -> Vec<(Vec<Number>, Vec<String>)> {
    let mut records: Vec<(Vec<Number>, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let (found, names) = (numbers(line), words(line));
        match records.last_mut() {
            Some((above, above_names)) if line.starts_with(' ') => {
                above.extend(found);
                above_names.extend(names);
            }
            _ => records.push((found, names)),
        }
    }
    if text.lines().count() < 10 {
        let all = records.into_iter();
        let (found, names): (Vec<_>, Vec<_>) = all.unzip();
        return vec![(found.concat(), names.concat())];
    }
    records
}

/// Returns the numbers of a marked block that its files lack.
///
/// A number counts if a line of a file has it together with another number of its row or column, or with a word that
/// names its row or column. A number alone could stand anywhere.
fn missing(block: &Block, mark: &str) -> Vec<Number> {
    let (files, also) = mark.split_once("; also:").unwrap_or((mark, ""));
    let also = numbers(also);
    let mut lines = Vec::new();
    for file in files.split_whitespace() {
        let path = root().join("docs/results").join(file);
        // Without the file all numbers are missing.
        let text = fs::read_to_string(path).unwrap_or_default();
        lines.extend(records(&text));
    }
    let is_missing = |entry: &Entry| {
        let Entry {
            number,
            beside,
            words,
        } = entry;
        let is_about = |(found, names): &(Vec<Number>, Vec<String>)| {
            let Some(own) = found.iter().position(|&n| number.rounds(n)) else {
                return false;
            };
            let mut others = found.iter().enumerate().filter(|(i, _)| *i != own);
            beside.is_empty() && words.is_empty()
                || others.any(|(_, &other)| beside.iter().any(|n| n.rounds(other)))
                || words.iter().any(|word| {
                    names
                        .iter()
                        .any(|n| n.starts_with(word) || word.starts_with(n))
                })
        };
        !also.iter().any(|&n| number.rounds(n)) && !lines.iter().any(is_about)
    };
    let entries = entries(block).into_iter();
    entries
        .filter(is_missing)
        .map(|entry| entry.number)
        .collect()
}

#[test]
fn numbers_of_the_documents_are_those_of_the_results() {
    let mut faults = Vec::new();
    let mut compared = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for block in blocks(&text) {
            let place = format!(
                "{}:{}",
                path.strip_prefix(root()).unwrap().display(),
                block.line
            );
            let mark = block.mark.and_then(|mark| mark.strip_prefix("<!-- "));
            let mark = mark.and_then(|mark| mark.strip_suffix(" -->"));
            if let Some(mark) = mark.and_then(|mark| mark.strip_prefix("results: ")) {
                compared += 1;
                let missing: Vec<_> = missing(&block, mark).iter().map(|n| n.value).collect();
                if !missing.is_empty() {
                    faults.push(format!("{place}: not in {mark}: {missing:?}"));
                }
            } else if mark.is_none_or(|mark| !mark.starts_with("run: ")) && !block.is_covered {
                let has_numbers = block.content().iter().any(|line| !numbers(line).is_empty());
                if block.is_table() && has_numbers && measures(&path) {
                    faults.push(format!("{place}: a table without a mark"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared >= 8);
}

#[test]
fn numbers_are_found_and_rounded() {
    let values = |text: &str| numbers(text).iter().map(|n| n.value).collect::<Vec<_>>();
    assert_eq!(
        values("1,246 of -0.5 (2e-3) x2 10^6 3D 7.9, 40."),
        [1246.0, 0.5, 2e-3, 10.0, 7.9, 40.0]
    );
    let rounds = |a: &str, b: &str| numbers(a)[0].rounds(numbers(b)[0]);
    assert!(rounds("4.0", "4.0116") && rounds("1.06e9", "1061836283") && rounds("25", "24.6"));
    assert!(!rounds("4.0", "4.06") && !rounds("4.00", "4.0") && !rounds("25", "25.6"));
}

#[test]
fn marks_hold_for_a_block_or_a_section() {
    let text = "# A\n<!-- run: 2026 -->\n\nx 1\n\n| a | b |\n|---|---|\n| c | 1 |\n\n## B\n\n<!-- results: f -->\n```text\n2\n\n3\n```\ny 4\n";
    let found = blocks(text);
    let summary: Vec<_> = found
        .iter()
        .map(|b| (b.line, b.mark.is_some(), b.is_covered))
        .collect();
    let expected = [
        (4, true, true),
        (6, false, true),
        (13, true, false),
        (18, false, false),
    ];
    assert_eq!(summary, expected);
    assert_eq!(found[1].content(), [" 1 |"]);
    assert_eq!(found[2].content(), ["2", "", "3"]);
}
