//! No crate in our lock files has a known vulnerability, as far as the `RustSec` database knew
//! on the date given in `advisories.toml`.
//!
//! That file has only the part of the database that concerns our crates, so that no network is
//! needed; `make advisories` writes it anew. `make audit` consults today's database, and also
//! asks whether a version was withdrawn by its authors.

use std::fs;
use std::path::Path;

use semver::{Version, VersionReq};
use toml_edit::{DocumentMut, Item, Value};

/// The lock files that are committed. Fuzzing locks what is newest when it runs.
const LOCKS: &[&str] =
    &["Cargo.lock", "crates/tusker-core/bare/Cargo.lock", "crates/tusker-page/texts/Cargo.lock"];

/// What is known of one crate.
struct Advisory {
    id: String,
    name: String,
    kind: String,
    /// Versions without the fault: those that mend it, and those before it.
    fine: Vec<VersionReq>,
    patched: Vec<String>,
}

impl Advisory {
    /// A preliminary version is in none of the ranges unless they name it, so that
    /// it counts as concerned.
    fn concerns(&self, (name, version): &(String, Version)) -> bool {
        *name == self.name && !self.fine.iter().any(|range| range.matches(version))
    }

    fn remedy(&self) -> String {
        match &*self.patched {
            [] => "no version is patched: do without the crate".to_owned(),
            ranges => format!("cargo update {} to {}", self.name, ranges.join(" or ")),
        }
    }
}

/// Everything that is wrong with locked crates.
fn wrong(
    locked: &[(String, Version)],
    looked_up: &[String],
    advisories: &[Advisory],
    accepted: &[String],
) -> Vec<String> {
    let unknown = locked.iter().filter(|(name, _)| !looked_up.contains(name)).map(|(name, _)| {
        format!("{name} was never looked up: run `make advisories` and commit what it wrote")
    });
    let hits = advisories.iter().flat_map(|advisory| {
        let concerned = locked.iter().filter(|one| advisory.concerns(one));
        concerned.filter_map(|(name, version)| {
            let Advisory { id, kind, .. } = advisory;
            let hit = format!("{name} {version}: {id}, {kind}");
            let told = accepted.contains(id);
            match &**kind {
                "unmaintained" | "notice" if told => None,
                "unmaintained" | "notice" => Some(format!(
                    "{hit}; {}, or tell in deny.toml why it may stay",
                    advisory.remedy()
                )),
                _ => Some(format!("{hit}; {}", advisory.remedy())),
            }
        })
    });
    let idle = accepted.iter().filter(|&id| {
        let mut known = advisories.iter().filter(|advisory| advisory.id == *id);
        !known.any(|advisory| locked.iter().any(|one| advisory.concerns(one)))
    });
    let idle = idle.map(|id| {
        format!(
            "deny.toml ignores {id}, which concerns nothing: take it off the list, or run \
             `make advisories` if it is newer than what is stored"
        )
    });
    unknown.chain(hits).chain(idle).collect()
}

fn toml(path: &str) -> DocumentMut {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn strings(list: &Item) -> Vec<String> {
    let values = list.as_array().expect("it is a list").iter();
    values.map(|value| value.as_str().expect("it is a text").to_owned()).collect()
}

/// Names and versions of what comes from somewhere else.
fn locked(lock: &str) -> Vec<(String, Version)> {
    let lock = toml(lock);
    let packages = lock["package"].as_array_of_tables().expect("something is locked");
    let foreign = packages.iter().filter(|package| package.contains_key("source"));
    foreign
        .map(|package| {
            let text = |key: &str| package[key].as_str().expect("it is a text");
            let version = Version::parse(text("version")).expect("cargo writes versions");
            (text("name").to_owned(), version)
        })
        .collect()
}

fn advisories(data: &DocumentMut) -> Vec<Advisory> {
    let tables = data["advisory"].as_array_of_tables().expect("there are advisories");
    tables
        .iter()
        .map(|table| {
            let text = |key: &str| table[key].as_str().expect("it is a text").to_owned();
            let ranges = |key: &str| strings(&table[key]);
            let fine = [ranges("patched"), ranges("unaffected")].concat();
            Advisory {
                id: text("id"),
                name: text("crate"),
                kind: text("kind"),
                fine: fine.iter().map(|range| range.parse().expect("it is a range")).collect(),
                patched: ranges("patched"),
            }
        })
        .collect()
}

/// What deny.toml ignores; each with a reason.
fn accepted() -> Vec<String> {
    let deny = toml("deny.toml");
    let list = deny["advisories"]["ignore"].as_array().expect("deny.toml has a list");
    let text = |entry: &Value, key: &str| {
        let text = entry.as_inline_table().and_then(|entry| entry.get(key)?.as_str());
        text.unwrap_or_else(|| panic!("an advisory that deny.toml ignores has no {key}")).to_owned()
    };
    list.iter()
        .map(|entry| {
            assert!(!text(entry, "reason").is_empty(), "a reason in deny.toml is empty");
            text(entry, "id")
        })
        .collect()
}

#[test]
fn no_advisory_concerns_what_is_locked() {
    let data = toml("crates/tusker/tests/advisories.toml");
    let mut locked: Vec<_> = LOCKS.iter().flat_map(|lock| locked(lock)).collect();
    locked.sort();
    locked.dedup();
    assert!(locked.len() > 100, "only {} crates are locked", locked.len());
    let wrong = wrong(&locked, &strings(&data["looked_up"]), &advisories(&data), &accepted());
    let date = data["date"].as_str().expect("the data have a date");
    assert!(wrong.is_empty(), "by the advisories of {date}:\n{}", wrong.join("\n"));
}

/// An advisory for a crate `a`, mended in 1.2.3 and in 0.9.8 and not yet there in 0.5.
fn of_a(kind: &str) -> Advisory {
    let fine = [">=1.2.3", "^0.9.8", "<0.5.0"].map(|range| range.parse().unwrap());
    Advisory {
        id: "R-1".to_owned(),
        name: "a".to_owned(),
        kind: kind.to_owned(),
        fine: fine.to_vec(),
        patched: vec![">=1.2.3".to_owned(), "^0.9.8".to_owned()],
    }
}

/// What is wrong where one version of `a` is locked.
fn with_a(version: &str, kind: &str, accepted: &[&str]) -> Vec<String> {
    let locked = [("a".to_owned(), version.parse().unwrap())];
    let accepted: Vec<String> = accepted.iter().map(|&id| id.to_owned()).collect();
    wrong(&locked, &["a".to_owned()], &[of_a(kind)], &accepted)
}

#[test]
fn versions_are_concerned_that_are_neither_patched_nor_unaffected() {
    for fine in ["1.2.3", "2.0.0", "0.9.8", "0.9.9", "0.4.9", "1.2.3+build"] {
        assert!(with_a(fine, "vulnerability", &[]).is_empty(), "{fine}");
    }
    for hit in ["1.2.2", "1.0.0", "0.9.7", "0.5.0", "0.10.0", "1.2.3-rc.1"] {
        assert_eq!(with_a(hit, "vulnerability", &[]).len(), 1, "{hit}");
    }
}

#[test]
fn a_fault_is_told_with_its_remedy_and_only_neglect_may_be_ignored() {
    let remedy = "cargo update a to >=1.2.3 or ^0.9.8";
    for kind in ["vulnerability", "unsound"] {
        for accepted in [&[][..], &["R-1"]] {
            let told = format!("a 1.0.0: R-1, {kind}; {remedy}");
            assert_eq!(with_a("1.0.0", kind, accepted), [told]);
        }
    }
    for kind in ["unmaintained", "notice"] {
        let told = format!("a 1.0.0: R-1, {kind}; {remedy}, or tell in deny.toml why it may stay");
        assert_eq!(with_a("1.0.0", kind, &[]), [told]);
        assert!(with_a("1.0.0", kind, &["R-1"]).is_empty());
    }
}

#[test]
fn new_crates_are_looked_up_and_old_exceptions_go() {
    let new = [("b".to_owned(), Version::new(1, 0, 0))];
    let told = wrong(&new, &["a".to_owned()], &[of_a("unsound")], &[]);
    assert!(told.len() == 1 && told[0].starts_with("b was never looked up"), "{told:?}");
    let told = with_a("1.2.3", "unmaintained", &["R-1"]);
    assert!(told.len() == 1 && told[0].starts_with("deny.toml ignores R-1"), "{told:?}");
}
