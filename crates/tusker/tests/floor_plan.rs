//! Which crate of the workspace may depend on which: the floor plan of docs/design.md, checked
//! against the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What a crate of the workspace may depend on.
struct Room {
    name: &'static str,
    may: &'static [&'static str],
    /// In addition, in tests.
    in_tests: &'static [&'static str],
}

/// A crate whose tests may depend on no others than itself.
const fn room(name: &'static str, may: &'static [&'static str]) -> Room {
    Room { name, may, in_tests: &[] }
}

/// A new crate gets its line here, or the test fails.
const PLAN: &[Room] = &[
    room("tusker-core", &[]),
    room("tusker-path", &["tusker-core"]),
    room("tusker-plan", &["tusker-core", "tusker-path"]),
    room("tusker-scenario", &["tusker-core", "tusker-plan"]),
    room("tusker-measure", &["tusker-core", "tusker-plan", "tusker-scenario"]),
    room("tusker-store", &["tusker-core", "tusker-measure", "tusker-plan", "tusker-scenario"]),
    room(
        "tusker-lab",
        &["tusker-core", "tusker-plan", "tusker-measure", "tusker-store", "tusker-scenario"],
    ),
    room(
        "tusker-transfer",
        &[
            "tusker-core",
            "tusker-lab",
            "tusker-plan",
            "tusker-measure",
            "tusker-store",
            "tusker-scenario",
        ],
    ),
    Room {
        name: "tusker-field",
        may: &[
            "tusker-core",
            "tusker-plan",
            "tusker-measure",
            "tusker-scenario",
            "tusker-transfer",
        ],
        in_tests: &["tusker-sim"],
    },
    room(
        "tusker-report",
        &[
            "tusker-core",
            "tusker-field",
            "tusker-lab",
            "tusker-plan",
            "tusker-measure",
            "tusker-store",
            "tusker-scenario",
            "tusker-transfer",
        ],
    ),
    // what browsers load
    room(
        "tusker-page",
        &[
            "tusker-core",
            "tusker-path",
            "tusker-plan",
            "tusker-measure",
            "tusker-scenario",
            "tusker-sim",
        ],
    ),
    // for tests and proofs
    room("tusker-scripts", &["tusker-core"]),
    Room {
        name: "tusker-sim",
        may: &["tusker-core", "tusker-path", "tusker-plan"],
        in_tests: &["tusker-scenario", "tusker-scripts"],
    },
    room("tusker-kernel", &["tusker-core", "tusker-scripts"]),
    Room {
        name: "tusker-testbed",
        may: &["tusker-core", "tusker-path", "tusker-plan"],
        in_tests: &["tusker-scenario"],
    },
    room(
        "tusker-papers",
        &[
            "tusker-core",
            "tusker-lab",
            "tusker-plan",
            "tusker-measure",
            "tusker-report",
            "tusker-store",
            "tusker-scenario",
        ],
    ),
    room(
        "tusker",
        &[
            "tusker-core",
            "tusker-field",
            "tusker-lab",
            "tusker-page",
            "tusker-papers",
            "tusker-path",
            "tusker-plan",
            "tusker-measure",
            "tusker-store",
            "tusker-report",
            "tusker-scenario",
            "tusker-sim",
            "tusker-testbed",
            "tusker-transfer",
        ],
    ),
    // the other face of the command line, which is a library for it
    room(
        "tusker-python",
        &[
            "tusker",
            "tusker-core",
            "tusker-field",
            "tusker-lab",
            "tusker-page",
            "tusker-papers",
            "tusker-path",
            "tusker-plan",
            "tusker-measure",
            "tusker-store",
            "tusker-report",
            "tusker-scenario",
            "tusker-sim",
            "tusker-testbed",
            "tusker-transfer",
        ],
    ),
];

/// What a manifest names.
#[derive(Default)]
struct Names {
    /// Under every `[..dependencies]` table but the next, those of targets included.
    all: Vec<String>,
    /// Under `[dev-dependencies]`.
    in_tests: Vec<String>,
}

/// What each crate's manifest names.
fn manifests() -> BTreeMap<String, Names> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("the workspace has crates") {
        let manifest = entry.expect("a folder can be listed").path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else { continue };
        let manifest: toml_edit::DocumentMut = text.parse().expect("a manifest is TOML");
        let name = manifest["package"]["name"].as_str().expect("a crate has a name").to_owned();
        let mut names = Names::default();
        dependencies(manifest.as_table(), &mut names);
        found.insert(name, names);
    }
    found
}

fn dependencies(table: &toml_edit::Table, found: &mut Names) {
    for (key, item) in table {
        let Some(inner) = item.as_table_like() else { continue };
        if key.ends_with("dependencies") {
            let names = inner.iter().map(|(name, item)| {
                let renamed = item.get("package").and_then(|package| package.as_str());
                renamed.unwrap_or(name).to_owned()
            });
            if key == "dev-dependencies" { &mut found.in_tests } else { &mut found.all }
                .extend(names);
        } else if let Some(table) = item.as_table() {
            dependencies(table, found);
        }
    }
}

#[test]
fn every_crate_stands_where_the_floor_plan_has_it() {
    let found = manifests();
    for (name, names) in &found {
        let room = PLAN.iter().find(|room| room.name == name);
        let room = room.unwrap_or_else(|| panic!("{name} is not in the floor plan"));
        let in_tests = [room.may, room.in_tests].concat();
        for (names, may) in [(&names.all, room.may), (&names.in_tests, &*in_tests)] {
            for other in names.iter().filter(|other| found.contains_key(*other)) {
                assert!(may.contains(&other.as_str()), "{name} may not know {other}, only {may:?}");
            }
        }
    }
    for Room { name, .. } in PLAN {
        assert!(found.contains_key(*name), "{name} is in the floor plan and nowhere else");
    }
}

#[test]
fn what_only_tests_need_is_told_apart() {
    let found = manifests();
    let named = |names: &[String]| names.iter().any(|name| name == "tusker-scenario");
    for name in ["tusker-sim", "tusker-testbed"] {
        assert!(named(&found[name].in_tests) && !named(&found[name].all), "{name}");
    }
    assert!(named(&found["tusker-lab"].all), "its code needs scenarios");
}

#[test]
fn the_core_needs_little() {
    let found = manifests();
    let core = &found["tusker-core"];
    let known = ["libm", "rand_core", "rand_pcg"];
    for dependency in &core.all {
        assert!(known.contains(&dependency.as_str()), "tusker-core came to need {dependency}");
    }
    assert_eq!(core.in_tests, ["proptest"]);
}

/// What decides results obeys the same rules, by clippy.
#[test]
fn the_core_the_path_and_the_simulator_have_the_same_rules() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rules = |name: &str| fs::read_to_string(crates.join(name).join("clippy.toml"));
    let core = rules("tusker-core").expect("the core has rules");
    assert!(core.contains("std::time::Instant::now") && core.contains("f64::powf"), "{core}");
    for name in ["tusker-path", "tusker-sim"] {
        assert_eq!(rules(name).ok().as_deref(), Some(&*core), "{name}/clippy.toml");
    }
}

/// Everything that `name` is built of, itself included: what its manifest names,
/// and what the lock file has below that.
fn tree(name: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &Path| -> toml_edit::DocumentMut {
        fs::read_to_string(path).expect("the file is there").parse().expect("it is TOML")
    };
    let lock = read(&root.join("Cargo.lock"));
    let packages = lock["package"].as_array_of_tables().expect("a lock file lists packages");
    let locked = |name: &str| -> Vec<String> {
        let of_this_name = packages.iter().filter(|p| p["name"].as_str() == Some(name));
        let needs = of_this_name.filter_map(|p| p.get("dependencies")?.as_array());
        // `syn 2.0.119` where there are two of the name
        let first = |need: &str| need.split(' ').next().unwrap_or_default().to_owned();
        needs.flatten().filter_map(|need| need.as_str().map(first)).collect()
    };
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        let manifest = root.join("crates").join(&name).join("Cargo.toml");
        open.extend(match manifest.exists() {
            // the lock file does not tell what only tests need
            true => read(&manifest)["dependencies"]
                .as_table()
                .map(|table| table.iter().map(|(name, _)| name.to_owned()).collect())
                .unwrap_or_default(),
            false => locked(&name),
        });
        open.retain(|name| !found.contains(name));
        found.insert(name);
    }
    found
}

#[test]
fn the_simulator_builds_with_few_crates() {
    let tree = tree("tusker-sim");
    assert!(tree.contains("libm"), "the tree is not walked: {tree:?}");
    assert!(tree.len() <= 15, "{} crates: {tree:?}", tree.len());
    for above in
        ["tusker-scenario", "tusker-scripts", "tusker-measure", "tusker-store", "tusker-report"]
    {
        assert!(!tree.contains(above), "the simulator came to need {above}");
    }
}
