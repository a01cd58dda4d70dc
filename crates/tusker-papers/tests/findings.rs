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
        let paper = Paper::load(&folder).expect("it can be read");
        assert_eq!(paper.published.rows(), 0, "{}", paper.about.key);
    }
}
