//! The page that says how to add a law shows the code as it is.

use std::path::{Path, PathBuf};

use tusker_core::congestion::ALL;

const PAGE: &str = include_str!("../../../docs/add-a-law.md");
const RENO: &str = include_str!("../src/congestion/reno.rs");
const REGISTRY: &str = include_str!("../src/congestion/registry.rs");
const WINDOWED: &str = include_str!("../src/congestion/windowed.rs");

/// The Rust blocks of the page.
fn blocks() -> Vec<&'static str> {
    PAGE.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_page_shows_the_code() {
    let blocks = blocks();
    assert_eq!(blocks[0], RENO, "docs/add-a-law.md shows reno.rs whole");
    let line = blocks[2].trim();
    assert!(REGISTRY.lines().any(|l| l.trim() == line), "the registry has the line {line}");
}

#[test]
fn a_law_is_under_60_lines() {
    assert!(RENO.lines().count() < 60);
}

#[test]
fn the_registry_has_one_line_per_law() {
    let list = REGISTRY.split("\nalgorithms! {\n").nth(1).expect("the list is there");
    let list = list.split("\n}\n").next().expect("the list ends");
    let lines: Vec<_> = list.lines().map(str::trim).filter(|l| !l.starts_with("//")).collect();
    assert_eq!(lines.len(), ALL.len(), "one line is one law");
    for line in lines {
        assert!(line.ends_with(';') && line.contains(" = "), "`{line}` is not a law's line");
    }
}

/// What the page asks for beside the file itself: that Rust is told of it, and the
/// line of the registry.
#[test]
fn nothing_else_names_a_law() {
    for (law, file) in [("vegas", "vegas.rs"), ("illinois", "illinois.rs"), ("lp", "lp.rs")] {
        let named: Vec<String> = sources(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
            .into_iter()
            .filter(|path| !path.ends_with(file))
            .flat_map(|path| {
                let text = std::fs::read_to_string(&path).expect("readable");
                let said = text.lines().filter(|l| names(l, law)).map(|l| l.trim().to_owned());
                said.collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(named.len(), 2, "{law}: {named:?}");
        assert!(named.contains(&format!("mod {law};")), "{law}: {named:?}");
        assert!(named.iter().all(|line| PAGE_ASKS.iter().any(|p| line.contains(p))), "{named:?}");
    }
    assert!(PAGE.contains("`mod NAME;`"), "the page tells of the line in mod.rs");
}

/// The two lines: in `congestion/mod.rs` and in the registry's list.
const PAGE_ASKS: &[&str] = &["mod ", "|p, o| "];

/// A line of code that has this word.
fn names(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word)
}

fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(sources(path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_page_names_every_hook() {
    let law = WINDOWED.split("pub trait Law {").nth(1).expect("the trait is there");
    let law = law.split("\n}\n").next().expect("the trait ends");
    let hooks = law.lines().filter_map(|l| l.trim().strip_prefix("fn "));
    let mut count = 0;
    for hook in hooks.filter_map(|l| l.split('(').next()) {
        assert!(PAGE.contains(&format!("| `{hook}` |")), "the page leaves out `{hook}`");
        count += 1;
    }
    assert_eq!(count, 9, "the hooks of the trait were not found");
}

#[test]
fn the_script_on_the_page_is_one_of_ours() {
    let script = include_str!("../../tusker-scripts/scripts/reno.script");
    let block = PAGE.split("```text\n").nth(1).and_then(|b| b.split("```").next());
    for line in block.expect("the page has a script").lines().filter(|l| !l.trim().is_empty()) {
        let command = line.split('#').next().unwrap_or_default().trim();
        assert!(script.contains(command), "reno.script has no `{command}`");
    }
}
