//! The code shown on the page about adding a law is the actual code.

use std::path::{Path, PathBuf};

use tusker_core::congestion::{ALL, SlowStart};

const PAGE: &str = include_str!("../../../../docs/add-a-law.md");
const RENO: &str = include_str!("../../src/congestion/reno.rs");
const SCALABLE: &str = include_str!("../../src/congestion/scalable.rs");
const REGISTRY: &str = include_str!("../../src/congestion/registry.rs");
const WINDOWED: &str = include_str!("../../src/congestion/windowed.rs");

/// The Rust code blocks of the page.
fn blocks() -> Vec<&'static str> {
    PAGE.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_page_shows_the_code() {
    let blocks = blocks();
    assert!(SCALABLE.contains(blocks[0]), "docs/add-a-law.md shows the parameters of scalable.rs");
    let line = blocks[1].trim();
    assert!(REGISTRY.lines().any(|l| l.trim() == line), "the registry has the line {line}");
}

/// CONTRIBUTING.md builds a law from an empty file, which compiles as shown
/// (`src/congestion/a_new_law.rs`), and says the same about the registry as the
/// page.
#[test]
fn the_walk_shows_a_law_that_compiles() {
    let walk = include_str!("../../../../CONTRIBUTING.md");
    let law = include_str!("gaimd/mod.rs");
    assert!(
        walk.contains(&format!("```rust\n{law}```")),
        "CONTRIBUTING.md shows tests/laws/gaimd whole"
    );
    let like = |line: &str| line.replace("gaimd", "reno").replace("Gaimd", "Reno");
    let lines: Vec<String> = walk.lines().map(like).collect();
    let own = laws().into_iter().find(|(law, _)| law == "reno").expect("Reno is there").1;
    assert!(lines.contains(&own), "{own}");
}

/// The limits that the page gives: for the whole example, and for a law's code
/// without its sheet, comments and tests. Algorithms that are not a `Law` (BBR,
/// Copa, UDT) may be longer.
#[test]
fn a_law_is_a_short_file() {
    assert!(RENO.lines().count() < 60, "the example on the page");
    let laws = laws();
    let sizes = laws.iter().filter(|(_, line)| line.contains("Windowed<"));
    let mut sizes: Vec<_> = sizes.map(|(law, _)| (own_code(law), law)).collect();
    sizes.sort();
    assert!(sizes.len() > 15 && sizes[0].0 > 10, "{sizes:?}");
    assert!(sizes[sizes.len() - 1].0 <= 170, "{sizes:?}");
    assert!(sizes[sizes.len() / 2].0 <= 90, "{sizes:?}");
}

/// Lines of a law's file that are neither its sheet and parameters, nor comments,
/// nor tests.
fn own_code(law: &str) -> usize {
    let file = sources(src()).into_iter().find(|path| is_of(path, law)).expect("one file");
    let text = without_tests(&file);
    let mut within = false;
    let of_code = |line: &&str| {
        within |= line.contains(": Sheet = ") || line.starts_with("params! { ");
        let ends = matches!(*line, "};" | "} }");
        let code = !within && !line.trim().is_empty() && !line.trim().starts_with("//");
        within &= !ends;
        code
    };
    text.lines().filter(of_code).count()
}

/// Each law's module, and its line in the registry.
fn laws() -> Vec<(String, String)> {
    let list = REGISTRY.split("$then! { ($d)\n").nth(1).expect("the list is there");
    let list = list.split("        }\n").next().expect("the list ends");
    let lines = list.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let module = |line: &str| {
        let behind = line.split_once(" = ").unwrap_or_else(|| panic!("`{line}` is not a law's"));
        behind.1.split(',').next().unwrap_or_default().to_owned()
    };
    lines.map(|line| (module(line), line.to_owned())).collect()
}

#[test]
fn the_registry_has_one_line_per_law() {
    let laws = laws();
    assert_eq!(laws.len(), ALL.len(), "one line is one law");
    for (_, line) in laws {
        assert!(line.ends_with(';'), "`{line}` is not a law's line");
    }
}

/// What the page asks for besides the file itself: its line in the registry. Laws may build on
/// each other, and then name each other.
#[test]
fn nothing_else_names_a_law() {
    let laws = laws();
    let is_law = |path: &Path| laws.iter().any(|(law, _)| is_of(path, law));
    let general: Vec<(PathBuf, String)> = sources(src())
        .into_iter()
        // the queue policies for XCP's and VCP's routers have the same names
        .filter(|path| !is_law(path) && !path.iter().any(|part| part == "queue"))
        // tests may name any
        .filter(|path| !path.ends_with("tests.rs"))
        .map(|path| (path.clone(), without_tests(&path)))
        .collect();
    assert!(general.len() > 15, "only {} files", general.len());
    for (law, own_line) in &laws {
        let mut named = Vec::new();
        for (path, text) in &general {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let lines = text.lines().map(str::trim).filter(|line| names(line, law));
            named.extend(lines.map(|line| format!("{file}: {line}")));
        }
        named.retain(|line| !SHARED.contains(&line.as_str()));
        named.sort();
        assert_eq!(named, [format!("registry.rs: {own_line}")], "{law}");
    }
}

/// Above this crate, what depends on a law asks its sheet: no code lists laws. A list is four
/// names of laws within twelve lines.
#[test]
fn no_other_crate_or_script_lists_laws() {
    // queues for the few pictures that need another one than DropTail
    let special = ["book/pictures.py"];
    let root = src().join("../../..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).expect("the crates are there") {
        let folder = entry.expect("readable").path();
        let own = folder.ends_with("tusker-core");
        let parts = ["src", "build"].map(|part| folder.join(part));
        files.extend(parts.into_iter().filter(|part| !own && part.is_dir()).flat_map(sources));
    }
    let scripts = ["book", "python/tusker"].map(|folder| root.join(folder));
    files.extend(scripts.into_iter().flat_map(|folder| files_of(folder, "py")));
    assert!(files.len() > 300, "only {} files", files.len());
    let registry = laws();
    let variant = |line: &str| line.split('(').next().unwrap_or_default().to_owned();
    let variants: Vec<String> = registry.iter().map(|(_, line)| variant(line)).collect();
    let mut lists = Vec::new();
    for path in files.iter().filter(|path| !is_test(path)) {
        if special.iter().any(|known| path.ends_with(known)) {
            continue;
        }
        let text = without_tests(path);
        let lines: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap_or("")).collect();
        let found = lines.windows(12.min(lines.len()).max(1)).find(|lines| {
            let code = lines.join(" ");
            let has = |(sheet, variant): (&tusker_core::Sheet, &String)| {
                code.contains(&format!("\"{}\"", sheet.name))
                    || code.contains(&format!("Kind::{variant}"))
            };
            ALL.iter().zip(&variants).filter(|law| has(*law)).count() >= 4
        });
        lists.extend(found.map(|_| path));
    }
    assert!(lists.is_empty(), "ask the sheet (tusker_core::Sheet) instead: {lists:#?}");
}

/// Whether a file has only tests.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.iter().any(|part| part == "tests")
}

/// Items of one law that others may use.
const SHARED: &[&str] = &[
    "mod.rs: pub use hstcp::HighSpeedAt;",
    "gentle.rs: use super::hstcp::{HighSpeed, HighSpeedParams};",
];

/// Whether the file belongs to a law, or is in its folder.
fn is_of(path: &Path, law: &str) -> bool {
    let Ok(below) = path.strip_prefix(src().join("congestion")) else { return false };
    below.starts_with(law) || below == Path::new(law).with_extension("rs")
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Whether a line of code contains this word.
fn names(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word)
}

/// "Where this differs" names a test or a script that exists.
#[test]
fn every_difference_names_a_test_that_exists() {
    let root = src().join("../..");
    let mut tests = std::collections::BTreeSet::new();
    for folder in ["tusker-core/src", "tusker-core/tests", "tusker-sim/src", "tusker-sim/tests"] {
        for path in sources(root.join(folder)) {
            tests.extend(tests_of(&std::fs::read_to_string(path).expect("readable")));
        }
    }
    let scripts = ["tusker-scripts/scripts", "tusker-sim/tests/scripts"];
    let is_script = |name: &str| {
        scripts.iter().any(|folder| root.join(folder).join(format!("{name}.script")).exists())
    };
    for sheet in ALL {
        let cited = cited(sheet.differs);
        assert!(sheet.differs.is_empty() || !cited.is_empty(), "{} names no test", sheet.name);
        for (name, script) in cited {
            let exists = if script { is_script(&name) } else { tests.contains(&name) };
            let kind = if script { "script" } else { "test" };
            assert!(exists, "{}: no {kind} is called `{name}`", sheet.name);
        }
    }
    for sheet in SlowStart::ALL {
        assert!(cited(sheet.differs).iter().all(|(name, _)| tests.contains(name)));
    }
}

/// The names after `Test:`, `Tests:` and `Script:`, up to the end of the sentence,
/// each with whether it is a script.
fn cited(differs: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for (mark, script) in [("Test: ", false), ("Tests: ", false), ("Script: ", true)] {
        for rest in differs.split(mark).skip(1) {
            let sentence = rest.split(['.', '\n']).next().unwrap_or_default();
            for one in sentence.split(", ") {
                let (name, of) = one.split_once(' ').unwrap_or((one, ""));
                found.push((name.to_owned(), script || of == "(script)"));
            }
        }
    }
    found
}

#[test]
fn what_a_difference_names_is_found() {
    let text = "It is so. Test: a_b (script).\nAnd so. Tests: c_d (e), f_g. Script: h_i.";
    let found = cited(text);
    let wanted = [("a_b", true), ("c_d", false), ("f_g", false), ("h_i", true)];
    assert_eq!(found, wanted.map(|(name, script)| (name.to_owned(), script)));
    let text = "#[test]\nfn a() {}\n#[test]\n#[expect(x)]\n    fn b() {}\nfn c() {}";
    assert_eq!(tests_of(text), ["a", "b"]);
}

/// The tests in a file.
fn tests_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut begun = false;
    for line in text.lines().map(str::trim) {
        begun |= line == "#[test]";
        if let Some(name) = line.strip_prefix("fn ").filter(|_| begun) {
            found.push(name.split('(').next().unwrap_or_default().to_owned());
            begun = false;
        }
    }
    found
}

/// The part of a file before its tests.
fn without_tests(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

fn sources(folder: PathBuf) -> Vec<PathBuf> {
    files_of(folder, "rs")
}

fn files_of(folder: PathBuf, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files_of(path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
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
    assert_eq!(count, 13, "the hooks of the trait were not found");
}

#[test]
fn the_script_on_the_page_is_one_of_ours() {
    let script = include_str!("../../../tusker-scripts/scripts/reno.script");
    let block = PAGE.split("```text\n").nth(1).and_then(|b| b.split("```").next());
    for line in block.expect("the page has a script").lines().filter(|l| !l.trim().is_empty()) {
        let command = line.split('#').next().unwrap_or_default().trim();
        assert!(script.contains(command), "reno.script has no `{command}`");
    }
}
