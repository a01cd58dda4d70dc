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
