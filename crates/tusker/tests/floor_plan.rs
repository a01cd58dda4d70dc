//! Which crate of the workspace may know which: the floor plan of
//! docs/design.md, held against the manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every crate of the workspace and what it may depend on, in tests too. A new
/// crate gets its line here, or the test fails.
const PLAN: &[(&str, &[&str])] = &[
    ("tusker-core", &[]),
    ("tusker-path", &["tusker-core"]),
    ("tusker-record", &["tusker-core"]),
    ("tusker-report", &["tusker-core", "tusker-record"]),
    ("tusker-sim", &["tusker-core", "tusker-path", "tusker-record"]),
    ("tusker-papers", &["tusker-core", "tusker-record"]),
    (
        "tusker",
        &[
            "tusker-core",
            "tusker-papers",
            "tusker-path",
            "tusker-record",
            "tusker-report",
            "tusker-sim",
        ],
    ),
];

/// What each crate's manifest names of the workspace.
fn manifests() -> BTreeMap<String, Vec<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("the workspace has crates") {
        let manifest = entry.expect("a folder can be listed").path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else { continue };
        let manifest: toml_edit::DocumentMut = text.parse().expect("a manifest is TOML");
        let name = manifest["package"]["name"].as_str().expect("a crate has a name").to_owned();
        found.insert(name, dependencies(manifest.as_table()));
    }
    found
}

/// The names under every `[..dependencies]` table, those of targets included.
fn dependencies(table: &toml_edit::Table) -> Vec<String> {
    let mut names = Vec::new();
    for (key, item) in table {
        let Some(inner) = item.as_table_like() else { continue };
        if key.ends_with("dependencies") {
            names.extend(inner.iter().map(|(name, item)| {
                let renamed = item.get("package").and_then(|package| package.as_str());
                renamed.unwrap_or(name).to_owned()
            }));
        } else if let Some(table) = item.as_table() {
            names.extend(dependencies(table));
        }
    }
    names
}

#[test]
fn every_crate_stands_where_the_floor_plan_has_it() {
    let plan: BTreeMap<&str, &[&str]> = PLAN.iter().copied().collect();
    let found = manifests();
    for (name, dependencies) in &found {
        let allowed = plan.get(name.as_str());
        let allowed = allowed.unwrap_or_else(|| panic!("{name} is not in the floor plan"));
        for dependency in dependencies.iter().filter(|dependency| found.contains_key(*dependency)) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} may not know {dependency}, only {allowed:?}"
            );
        }
    }
    for name in plan.keys() {
        assert!(found.contains_key(*name), "{name} is in the floor plan and nowhere else");
    }
}

#[test]
fn the_core_needs_little() {
    let found = manifests();
    let core = &found["tusker-core"];
    let known = ["libm", "rand_core", "rand_pcg", "proptest"];
    for dependency in core {
        assert!(known.contains(&dependency.as_str()), "tusker-core came to need {dependency}");
    }
}
