//! Everything that is linked in may be passed on under our own licences: the licence expression
//! of every dependency is checked against a list.
//!
//! `deny.toml` has the same list for `cargo deny`, which also consults today's database of
//! known vulnerabilities; that needs the network, while this test and `advisories.rs` do not.

use std::env;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than to be named.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression leaves a choice that is on the list: of `OR` one
/// side, of `AND` both (which binds more tightly), brackets as usual. The old
/// `/` of older manifests is an `OR`.
fn allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    let fine = any(&mut words);
    fine && words.is_empty()
}

/// `all (OR all)*`; words are taken from the end.
fn any(words: &mut Vec<&str>) -> bool {
    let mut fine = all(words);
    while words.last() == Some(&"OR") {
        words.pop();
        fine |= all(words);
    }
    fine
}

/// `one (AND one)*`
fn all(words: &mut Vec<&str>) -> bool {
    let mut fine = one(words);
    while words.last() == Some(&"AND") {
        words.pop();
        fine &= one(words);
    }
    fine
}

/// `( any )`, or a licence, perhaps `WITH` an exception.
fn one(words: &mut Vec<&str>) -> bool {
    match words.pop() {
        Some("(") => any(words) && words.pop() == Some(")"),
        Some(name) if words.last() == Some(&"WITH") => {
            words.pop();
            words.pop().is_some_and(|with| ALLOWED.contains(&&*format!("{name} WITH {with}")))
        }
        Some(name) => ALLOWED.contains(&name),
        None => false,
    }
}

/// What `cargo metadata` says, without the network.
fn metadata() -> Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ask = |more: &[&str]| {
        Command::new(&cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--offline"])
            .args(more)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo can be run")
    };
    let mut output = ask(&[]);
    if !output.status.success() {
        // crates for other systems alone may never have been fetched
        let version = Command::new("rustc").arg("-vV").output().expect("rustc can be run").stdout;
        let version = String::from_utf8_lossy(&version).into_owned();
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        output = ask(&["--filter-platform", host.expect("rustc knows its host")]);
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

#[test]
fn every_dependency_has_a_licence_on_the_list() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("there are packages");
    let mut wrong = Vec::new();
    let mut dependencies = 0;
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        dependencies += 1;
        let licence = package["license"].as_str().unwrap_or("none named");
        if !allowed(licence) {
            wrong.push(format!("{} {}: {licence}", package["name"], package["version"]));
        }
    }
    assert!(dependencies > 0, "cargo listed no dependency");
    assert!(wrong.is_empty(), "not on the list of licences:\n{}", wrong.join("\n"));
}

#[test]
fn deny_toml_has_the_same_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deny.toml");
    let text = std::fs::read_to_string(path).expect("deny.toml is there");
    let deny: toml_edit::DocumentMut = text.parse().expect("deny.toml is TOML");
    let list = deny["licenses"]["allow"].as_array().expect("deny.toml has a list");
    let list: Vec<&str> = list.iter().filter_map(|value| value.as_str()).collect();
    assert_eq!(list, ALLOWED);
}

#[test]
fn expressions_are_read_as_spdx_has_them() {
    for fine in [
        "MIT",
        "MIT/Apache-2.0",
        "MIT OR GPL-3.0-only",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        "GPL-2.0 AND ISC OR Zlib",
    ] {
        assert!(allowed(fine), "{fine}");
    }
    for refused in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "MIT WITH LLVM-exception",
        "Apache-2.0 WITH",
        "(MIT",
        "MIT Apache-2.0",
        "(MIT OR ISC) AND LGPL-2.1-or-later",
    ] {
        assert!(!allowed(refused), "{refused}");
    }
}
