//! There are no circular imports among the files of a crate, so that whoever reads them can
//! begin at the bottom.
//!
//! A file imports another if it names it through `crate::`, `super::` or `self::`. A module and
//! the files in its folder may import each other, because the module is their public face.
//! Tests are ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module by its path within the crate; the root is empty.
type Module = Vec<String>;

/// Every module of a crate and what its file says, without comments and tests.
fn modules(src: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![src.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(src).expect("it is in the folder").with_extension("");
            let mut module: Module =
                below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
                module.pop();
            }
            if module.iter().all(|part| part != "tests") {
                let text = fs::read_to_string(&path).expect("a file can be read");
                found.insert(module, code(&text));
            }
        }
    }
    found
}

/// A file up to its tests, without comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that a file names.
fn imports(own: &Module, code: &str, all: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for (at, word) in words(code) {
        let before = &code[..at];
        if before.ends_with("::") || !["crate", "self", "super"].contains(&word) {
            continue;
        }
        let mut base = if word == "crate" { Module::new() } else { own.clone() };
        let mut rest = &code[at..];
        while let Some(behind) = rest.strip_prefix("super::") {
            base.pop();
            rest = behind;
        }
        let start = rest.strip_prefix("crate::").or_else(|| rest.strip_prefix("self::"));
        for path in paths(start.unwrap_or(rest)) {
            let mut module = base.clone();
            for part in path.split("::") {
                module.push(part.to_owned());
                if !all.contains_key(&module) {
                    module.pop();
                    break;
                }
            }
            found.insert(module);
        }
    }
    found.remove(own);
    found
}

/// Every word of a text and where it begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find(is_word)?;
        let end = text[at..].find(|c| !is_word(c)).map_or(text.len(), |length| at + length);
        let word = (at, &text[at..end]);
        at = end;
        Some(word)
    })
}

/// The paths at the begin of a text: `a::{b, c::d}` are `a::b` and `a::c::d`.
fn paths(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c)));
    let (plain, behind) = text.split_at(end.unwrap_or(text.len()));
    let Some(inner) = behind.strip_prefix('{').filter(|_| plain.is_empty() || plain.ends_with(':'))
    else {
        return vec![plain.trim_end_matches(':').to_owned()];
    };
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (i, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let item = inner[begin..i].trim();
                found.extend(paths(item).into_iter().map(|path| format!("{plain}{path}")));
                begin = i + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// One is the other's front: a module and what is in its folder.
fn is_front(a: &Module, b: &Module) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// A way from `from` back to it, if there is one.
fn circle(from: &Module, graph: &BTreeMap<&Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    let mut ways = vec![vec![from.clone()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        let last = way.last().expect("a way has a begin");
        for next in graph.get(last).into_iter().flatten() {
            if next == from {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push(way.iter().cloned().chain([next.clone()]).collect());
            }
        }
    }
    None
}

#[test]
fn no_file_imports_one_that_imports_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut circles, mut edges) = (BTreeSet::new(), 0);
    for entry in fs::read_dir(crates).expect("the workspace has crates") {
        let folder = entry.expect("a folder can be listed").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all = modules(&folder.join("src"));
        let graph: BTreeMap<&Module, BTreeSet<Module>> = all
            .iter()
            .map(|(own, code)| {
                let mut known = imports(own, code, &all);
                known.retain(|other| !is_front(own, other));
                (own, known)
            })
            .collect();
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        for own in all.keys() {
            if let Some(mut way) = circle(own, &graph) {
                way.sort();
                let way: Vec<String> = way.iter().map(|module| module.join("::")).collect();
                circles.insert(format!("{name}: {}", way.join(", ")));
            }
        }
    }
    assert!(edges > 100, "only {edges} imports were found: this test is blind");
    assert!(circles.is_empty(), "files that import each other:\n{circles:#?}");
}

/// More is two things in one file.
const MOST_LINES: usize = 500;

#[test]
fn no_source_file_is_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut long, mut seen) = (Vec::new(), 0);
    let mut folders =
        ["crates", "fuzz", "report", "bench", "python"].map(|name| root.join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be listed") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                // not ours, or made
                if !["node_modules", "vendor", "target"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if name.rsplit('.').next().is_some_and(|end| SOURCES.contains(&end)) {
                seen += 1;
                let lines = fs::read_to_string(&path).expect("source is text").lines().count();
                if lines > MOST_LINES {
                    long.push(format!("{}: {lines}", path.display()));
                }
            }
        }
    }
    assert!(seen > 200, "only {seen} files were found: this test is blind");
    assert!(long.is_empty(), "files above {MOST_LINES} lines:\n{long:#?}");
}

const SOURCES: [&str; 9] = ["rs", "py", "js", "mjs", "css", "cc", "c", "h", "tcl"];

#[test]
fn paths_of_an_import_are_taken_apart() {
    assert_eq!(paths("a::{b, c::{d, E}, f::g as h};"), ["a::b", "a::c::d", "a::c::E", "a::f::g"]);
    assert_eq!(paths("{self, x::Y}"), ["self", "x::Y"]);
    assert_eq!(paths("a::b::C;"), ["a::b::C"]);
    assert_eq!(code("use a; // super::b\n#[cfg(test)]\nmod tests {\nuse c;"), "use a; ");
}
