//! The size of the crate: a budget for code lines, tests, examples and documents; names at the root, long functions
//! and files.
//!
//! `cargo test --test library layout:: -- --nocapture` prints the figures. A code line is neither blank nor a comment;
//! modules under `#[cfg(test)]` in `src` do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT_NAMES: usize = 45;
const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 60;

/// One kernel for polyhedra in pairs and at walls.
const PRESSURE_FIELD: &str = "src/narrow/pressure_field";

/// What is counted, and the most of it.
const BUDGET: [(&str, usize); 13] = [
    ("src without testing", 21_835),
    (PRESSURE_FIELD, 1_438),
    ("src/narrow", 8_810),
    ("src/broad", 4_344),
    ("src/shape", 5_704),
    ("src/math", 1_681),
    ("src/testing", 3_153),
    ("tests", 17_738),
    ("test programs", 8),
    ("examples without mpi-dem", 2_300),
    ("example programs", 10),
    ("words of docs without guide", 23_082),
    ("tolerances in math/tolerance.rs", 18),
];

/// A file of the library.
struct Source {
    /// Relative to `src`.
    path: PathBuf,
    /// The number of lines with comments and tests.
    length: usize,
    /// The lines without test modules.
    lines: Vec<String>,
}

#[test]
fn sizes_are_within_limits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    read_folder(&root, &root, &mut sources);
    assert!(sources.len() > 50);

    let names = root_names(&fs::read_to_string(root.join("lib.rs")).unwrap());
    println!("{} names at the root: {}", names.len(), names.join(" "));

    let mut functions: Vec<_> = sources.iter().flat_map(functions).collect();
    functions.sort_by(|a, b| b.cmp(a));
    println!("longest functions, in code lines");
    for (count, name) in functions.iter().take(10) {
        println!("{count:6} {name}");
    }

    let mut files: Vec<_> = sources.iter().map(|s| (s.length, &s.path)).collect();
    files.sort_by(|a, b| b.cmp(a));
    println!("longest files, in lines");
    for (count, path) in files.iter().take(10) {
        println!("{count:6} {}", path.display());
    }

    assert!(names.len() <= ROOT_NAMES);
    assert!(files[0].0 <= FILE_LINES);
    assert!(functions[0].0 <= FUNCTION_LINES);
}

#[test]
fn budget_is_kept() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    read_folder(&root.join("src"), &root.join("src"), &mut sources);
    let mut modules: BTreeMap<String, usize> = BTreeMap::new();
    for source in &sources {
        *modules.entry(source.module()).or_default() += code_lines(&source.lines);
    }
    for (module, count) in &modules {
        println!("{count:6} {module}");
    }
    let pressure_field = modules.get("narrow/pressure_field").copied().unwrap_or(0);
    let of = |module: &str| -> usize {
        let own = modules
            .iter()
            .filter(|(name, _)| name.split('/').next() == Some(module));
        own.map(|(_, count)| count).sum()
    };

    let mpi_dem = root.join("examples/mpi-dem");
    let examples = files_of(&root.join("examples"), "rs");
    let examples = examples.iter().filter(|path| !path.starts_with(&mpi_dem));
    let is_program = |path: &&PathBuf| {
        let folder = path.parent().unwrap();
        path.ends_with("main.rs") || folder.ends_with("examples")
    };
    let counts = [
        modules.values().sum(),
        pressure_field,
        of("narrow"),
        of("broad"),
        of("shape"),
        of("math"),
        lines_of(&files_of(&root.join("src/testing"), "rs")),
        lines_of(&files_of(&root.join("tests"), "rs")),
        fs::read_dir(root.join("tests"))
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().join("main.rs").exists())
            .count(),
        lines_of(&examples.clone().cloned().collect::<Vec<_>>()),
        examples.filter(is_program).count(),
        words_of_docs(&root.join("docs")),
        fs::read_to_string(root.join("src/math/tolerance.rs"))
            .unwrap()
            .matches(" const ")
            .count(),
    ];
    println!("{:34} {:>7} {:>7}", "budget", "is", "limit");
    for ((what, limit), count) in BUDGET.iter().zip(counts) {
        println!("{what:34} {count:7} {limit:7}");
    }
    for ((what, limit), count) in BUDGET.iter().zip(counts) {
        assert!(count <= *limit, "{what}: {count}");
    }
}

/// Returns the files with an extension in a folder and those below it, except build outputs.
fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files_of(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

fn lines_of(paths: &[PathBuf]) -> usize {
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let lines = |path| text(path).lines().filter(|line| is_code(line)).count();
    paths.iter().map(lines).sum()
}

fn code_lines(lines: &[String]) -> usize {
    lines.iter().filter(|line| is_code(line)).count()
}

/// Returns the words of the documents in a folder, not of those below it.
fn words_of_docs(folder: &Path) -> usize {
    let texts = fs::read_dir(folder).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        path.extension()
            .is_some_and(|extension| extension == "md")
            .then(|| fs::read_to_string(path).unwrap())
    });
    texts.map(|text| text.split_whitespace().count()).sum()
}

/// Reads the `.rs` files of a folder, except test modules and `testing`.
fn read_folder(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if stem == "testing" || is_test_module(folder, stem) {
            continue;
        }
        if path.is_dir() {
            read_folder(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources.push(Source {
                path: path.strip_prefix(root).unwrap().to_owned(),
                length: text.lines().count(),
                lines: without_test_modules(&text),
            });
        }
    }
}

/// Returns whether the parent of a module declares it under `#[cfg(test)]`.
fn is_test_module(folder: &Path, module: &str) -> bool {
    let parents = [
        folder.join("mod.rs"),
        folder.join("lib.rs"),
        folder.with_extension("rs"),
    ];
    let declaration = format!("#[cfg(test)]\nmod {module};");
    let texts = parents
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    texts.into_iter().any(|text| text.contains(&declaration))
}

/// Returns the lines outside of `#[cfg(test)] mod .. { .. }`, which ends at its own indentation.
fn without_test_modules(text: &str) -> Vec<String> {
    let (mut kept, mut lines) = (Vec::new(), text.lines().peekable());
    while let Some(line) = lines.next() {
        let is_inline = |next: &&str| next.trim_start().starts_with("mod ") && next.ends_with('{');
        if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(is_inline) {
            let end = line.replace("#[cfg(test)]", "}");
            while lines.next().is_some_and(|line| line != end) {}
        } else {
            kept.push(line.to_owned());
        }
    }
    kept
}

impl Source {
    /// Returns the folders of the file, at most two, or the file itself at the root.
    fn module(&self) -> String {
        let parts: Vec<_> = self
            .path
            .iter()
            .map(|part| part.to_string_lossy())
            .collect();
        let last = (parts.len() - 1).clamp(1, 2);
        parts[..last].join("/")
    }
}

fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//")
}

/// Returns each function of a file with its number of code lines.
///
/// Relies on rustfmt: a body ends with a brace at the indentation of its `fn`.
fn functions(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (start, line) in source.lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let indentation = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indentation));
        let semicolon = |line: &String| line.ends_with(';') && !line.contains('{');
        let rest = &source.lines[start..];
        let body = rest
            .iter()
            .position(|line| line.ends_with('{') || semicolon(line));
        if line.ends_with('}') || body.is_none_or(|body| semicolon(&rest[body])) {
            continue;
        }
        let last = rest.iter().position(|line| *line == end).unwrap();
        let count = code_lines(&rest[..=last]);
        found.push((count, format!("{}: {name}", source.path.display())));
    }
    found
}

/// Returns the name of the function whose signature starts on a line.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        let words = ["pub", "const", "unsafe", "async", "extern"];
        words.contains(&word) || word.starts_with("pub(") || word == "super)" || word.ends_with(')')
    };
    let is_signature = before.split_whitespace().all(is_qualifier);
    let name = after.split(['(', '<']).next()?;
    (is_signature && !name.is_empty()).then_some(name)
}

/// Returns the names that `pub use` puts at the root.
fn root_names(text: &str) -> Vec<String> {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let code: String = text.lines().filter(|line| !is_comment(line)).collect();
    let mut names = Vec::new();
    for statement in code.split(';') {
        let Some((_, list)) = statement.split_once("pub use ") else {
            continue;
        };
        let list = list.split_once('{').map_or(list, |(_, list)| list);
        for path in list.trim_end_matches('}').split(',') {
            let name = path.rsplit([' ', ':']).find(|word| !word.is_empty());
            names.extend(name.map(str::to_owned));
        }
    }
    names.sort();
    names
}

#[test]
fn counts_of_a_small_file() {
    let text = "//! Doc.\npub fn one(x: u8) -> u8 {\n    // Why.\n    x\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n    }\n}\n";
    let source = Source {
        path: "broad/grid/a.rs".into(),
        length: text.lines().count(),
        lines: without_test_modules(text),
    };
    assert_eq!(source.module(), "broad/grid");
    assert_eq!(functions(&source), [(3, "broad/grid/a.rs: one".to_owned())]);
    let root =
        "mod a;\npub use a::{\n    B, C,\n};\npub use glam;\n#[cfg(x)]\npub use d::e as F;\n";
    assert_eq!(root_names(root), ["B", "C", "F", "glam"]);
}
