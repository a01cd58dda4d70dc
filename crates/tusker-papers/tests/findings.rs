//! The questions in `findings/` have folders like those of papers: each folder can be read, and
//! each row has a plan under each reading, both quick and at full length.

use std::path::{Path, PathBuf};

use tusker_papers::Paper;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../findings");
    let entries = std::fs::read_dir(root).expect("there are findings");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    paths.filter(|path| path.is_dir()).collect()
}

#[test]
fn every_row_of_every_finding_has_a_plan() {
    let folders = folders();
    assert!(folders.len() >= 5, "{folders:?}");
    for folder in folders {
        let paper = Paper::load(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        assert!(folder.ends_with(&paper.about.key), "{} is called after its key", folder.display());
        assert!(!paper.claims.is_empty(), "{} states an expectation", paper.about.key);
        let mut readings = vec![Vec::new()];
        readings.extend(paper.readings.iter().map(|reading| vec![reading.name.clone()]));
        for names in readings {
            let taken = paper.take(&names, &[]).expect("its own readings");
            for row in paper.rows() {
                for changes in [&[][..], paper.quick(&row), &paper.about.trace.set] {
                    let scenario = paper.scenario(&row, &taken, changes);
                    let scenario = scenario.unwrap_or_else(|e| panic!("{}: {e}", row.id()));
                    scenario.plan().unwrap_or_else(|e| panic!("{}, {names:?}: {e}", row.id()));
                }
            }
        }
    }
}

/// Nobody printed these numbers: they are compared with what was expected.
#[test]
fn a_finding_prints_no_published_numbers() {
    for folder in folders() {
        assert!(!folder.join("published.csv").exists(), "{}", folder.display());
        assert_eq!(Paper::load(&folder).expect("it can be read").published.rows(), 0);
    }
}

/// A file is left out, or what it lacks is named.
#[test]
fn files_of_a_suite_are_optional_where_nothing_needs_them() {
    let temp = tempfile::TempDir::new().unwrap();
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/small");
    let copy = |without: &str| {
        for entry in std::fs::read_dir(&small).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, temp.path().join(path.file_name().unwrap())).unwrap();
        }
        std::fs::remove_file(temp.path().join(without)).unwrap();
        Paper::load(temp.path()).map_err(|error| error.to_string())
    };
    assert!(copy("readings.toml").unwrap().readings.is_empty());
    assert!(copy("reasons.toml").unwrap().reasons.rows.is_empty());
    assert!(copy("cases.toml").unwrap_err().ends_with("/cases.toml: is missing"));
    assert!(copy("published.csv").unwrap_err().ends_with("/published.csv: is missing"));
    let suite = temp.path().join("suite.toml");
    let text = std::fs::read_to_string(&suite).unwrap();
    let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("published =")).collect();
    std::fs::write(&suite, rest.join("\n")).unwrap();
    assert_eq!(Paper::load(temp.path()).unwrap().published.rows(), 0);
}
