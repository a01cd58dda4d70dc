//! There are no circular imports among the modules of a crate, so that whoever reads them can
//! begin at the bottom.
//!
//! A file imports another if it names it through `crate::`, `super::` or `self::`. A module and
//! the files in its folder count as one, because the module is their public face; within the
//! folder, its files are compared with each other. Tests are ignored.

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

/// Who imports whom among the modules of one folder.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The imports of a crate by folder. Each module stands for its own folder, too.
fn folders(imports: &Graph) -> BTreeMap<Module, Graph> {
    let mut folders: BTreeMap<Module, Graph> = BTreeMap::new();
    for (own, others) in imports {
        for other in others {
            let common = own.iter().zip(other).take_while(|(a, b)| a == b).count();
            if common < own.len() && common < other.len() {
                let graph = folders.entry(own[..common].to_vec()).or_default();
                let edges = graph.entry(own[..=common].to_vec()).or_default();
                edges.insert(other[..=common].to_vec());
            }
        }
    }
    folders
}

/// Everything that a module imports, and what that imports, and so on.
fn reach(from: &Module, graph: &Graph) -> BTreeSet<Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// The largest sets of modules in which each imports each other, directly or not.
fn circles(imports: &Graph) -> BTreeSet<Vec<Module>> {
    let mut found = BTreeSet::new();
    for graph in folders(imports).values() {
        for own in graph.keys() {
            let all = reach(own, graph);
            if all.contains(own) {
                found.insert(all.into_iter().filter(|to| reach(to, graph).contains(own)).collect());
            }
        }
    }
    found
}

/// Crates and modules that import each other. They are to become fewer, never more.
const KNOWN: &[(&str, &[&str])] = &[
    // laws and policies that are written elsewhere
    ("tusker-core", &["congestion", "foreign", "params", "queue", "spec", "table"]),
    ("tusker-papers", &["conclusions", "reproduction"]),
    (
        "tusker",
        &[
            "commands::earlier",
            "commands::evaluate",
            "commands::report",
            "commands::reproduce",
            "commands::run",
            "commands::sweep",
            "commands::testbed",
        ],
    ),
];

#[test]
fn no_module_imports_one_that_imports_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut edges) = (Vec::new(), 0);
    for entry in fs::read_dir(crates).expect("the workspace has crates") {
        let folder = entry.expect("a folder can be listed").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all = modules(&folder.join("src"));
        let graph: Graph =
            all.iter().map(|(own, code)| (own.clone(), imports(own, code, &all))).collect();
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        for circle in circles(&graph) {
            let circle: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            found.push((name.clone(), circle));
        }
    }
    assert!(edges > 100, "only {edges} imports were found: this test is blind");
    let within = |(name, circle): &(String, Vec<String>), (in_crate, known): &(&str, &[&str])| {
        name == in_crate && circle.iter().all(|module| known.contains(&module.as_str()))
    };
    let new = found.iter().filter(|circle| !KNOWN.iter().any(|known| within(circle, known)));
    let new: Vec<_> = new.collect();
    assert!(new.is_empty(), "modules that import each other: {new:#?}");
    for known in KNOWN {
        let exists = found.iter().any(|circle| within(circle, known));
        assert!(exists, "take it off the list, it is gone: {known:?}");
    }
}

#[test]
fn a_circle_through_a_folder_is_found() {
    let module = |path: &str| -> Module { path.split("::").map(str::to_owned).collect() };
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry(module(from)).or_default().insert(module(to));
        }
        graph
    };
    // a module and its own folder
    let face = [("a", "a::b"), ("a::b", "a"), ("a::b", "c")];
    assert_eq!(circles(&graph(&face)), BTreeSet::new());
    // c names the front of the folder, one of whose files names c
    let through = [("a::b", "c"), ("c", "a")];
    assert_eq!(circles(&graph(&through)), BTreeSet::from([vec![module("a"), module("c")]]));
    let within = [("a::b", "a::c::d"), ("a::c::e", "a::b")];
    assert_eq!(circles(&graph(&within)), BTreeSet::from([vec![module("a::b"), module("a::c")]]));
}

#[test]
fn paths_of_an_import_are_taken_apart() {
    assert_eq!(paths("a::{b, c::{d, E}, f::g as h};"), ["a::b", "a::c::d", "a::c::E", "a::f::g"]);
    assert_eq!(paths("{self, x::Y}"), ["self", "x::Y"]);
    assert_eq!(paths("a::b::C;"), ["a::b::C"]);
    assert_eq!(code("use a; // super::b\n#[cfg(test)]\nmod tests {\nuse c;"), "use a; ");
}
