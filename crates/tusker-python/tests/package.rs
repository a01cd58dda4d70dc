//! The package matches this crate. Building this test also builds the crate's library, as
//! `cargo test --workspace` does, and `make python` uses that library.

use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_package_has_the_version_of_the_workspace() {
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(read("python/pyproject.toml").lines().any(|line| line == version), "{version}");
}

/// Type checkers see everything: each name that the module exports has its stub.
#[test]
fn everything_that_the_module_exports_has_a_stub() {
    let module = read("crates/tusker-python/src/lib.rs");
    let stubs = read("python/tusker/_tusker.pyi");
    let exports: Vec<&str> =
        module.lines().filter_map(|line| line.trim().strip_prefix("use super::")).collect();
    assert!(exports.len() > 1, "the exports were not found: {exports:?}");
    let names = exports.iter().flat_map(|path| {
        let (_, names) = path.split_once("::").expect("a path within the crate");
        names.trim_matches(|c| "{};".contains(c)).split(", ")
    });
    for name in names {
        let is = |line: &str| {
            let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "));
            rest.is_some_and(|rest| {
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next() == Some(name)
            })
        };
        assert!(stubs.lines().any(is), "{name} has no stub");
    }
}

/// `tusker` is another program on the package indexes of Python and of Rust: no message and no
/// document may have it installed in place of ours.
#[test]
fn nothing_names_a_package_that_is_not_ours() {
    let name = |line: &str| line == "name = \"tusker-cc\"";
    assert!(read("python/pyproject.toml").lines().any(name), "the name that is free");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let skipped = ["target", ".venv", ".git", "node_modules", "__pycache__"];
    let (mut folders, mut files) = (vec![root], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let own = entry.file_name();
            let own = own.to_string_lossy();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !skipped.contains(&&*own) {
                    folders.push(path);
                }
                continue;
            }
            let texts = ["md", "rs", "py", "pyi", "toml", "ipynb", "sh", "html", "ts", "js"];
            let end = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if !texts.contains(&&*end) && own != "Makefile" {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if let Some(line) = text.lines().find(|line| names_another(line)) {
                panic!("{}: {line}", path.display());
            }
        }
    }
    assert!(files > 100, "the project was not found: {files} files");
}

/// Whether `install` is followed by the bare name.
fn names_another(line: &str) -> bool {
    let bare = |word: &str| {
        let word = word.trim_matches(|c| "'\"`,.;:)(".contains(c));
        word.strip_prefix("tusker")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '=', '<', '>', '~', '@']))
    };
    let commands = ["pip install", "pip3 install", "pipx install", "uv add", "cargo install"];
    let mut after = commands.iter().filter_map(|command| line.split_once(command));
    let option = |word: &&str| !word.starts_with("--path");
    let extra = ["'tusker", "\"tusker", "`tusker"].iter().any(|quoted| {
        line.split(quoted).skip(1).any(|rest| rest.starts_with("[plot") || rest.starts_with("[ray"))
    });
    extra
        || after.any(|(_, rest)| {
            let mut words = rest.split_whitespace().take_while(option);
            words.next().is_some_and(|first| {
                bare(first) || first.starts_with('-') && words.next().is_some_and(bare)
            })
        })
}

#[test]
fn a_bare_name_is_found_and_a_path_is_not() {
    // not written as one text: this file is searched as well
    for (command, what) in [
        ("pip", "tusker"),
        ("pip", concat!("'tusker", "[plot]'")),
        ("pip", "-U tusker"),
        ("cargo", "tusker`"),
        ("cargo", "--locked tusker"),
    ] {
        assert!(names_another(&format!("{command} install {what}")), "{what}");
    }
    for (command, what) in [
        ("pip", "./python"),
        ("pip", "'./python[plot]'"),
        ("pip", "tusker-cc"),
        ("cargo", "--locked --path crates/tusker"),
        ("pip", "duckdb"),
    ] {
        assert!(!names_another(&format!("{command} install {what}")), "{what}");
    }
}
