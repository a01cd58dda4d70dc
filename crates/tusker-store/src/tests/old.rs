//! Folders that an earlier build wrote (`tusker run` and `tusker sweep` with `--tables csv`): they
//! are read as they were meant, and written again with the same bytes.

use super::*;
use crate::folder::{self, Kind};
use crate::sweep::{Journal, SweepSummary};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/stored").join(name)
}

/// `new` without the measures that `old` does not have: they came later, and have no value.
fn kept(old: &serde_json::Value, mut new: serde_json::Value) -> serde_json::Value {
    match (old, &mut new) {
        (serde_json::Value::Object(old), serde_json::Value::Object(own)) => {
            own.retain(|key, value| old.contains_key(key) || !value.is_null());
            for (key, value) in own {
                *value = kept(&old[key], value.take());
            }
        }
        (serde_json::Value::Array(old), serde_json::Value::Array(own)) => {
            for (old, value) in old.iter().zip(own) {
                *value = kept(old, value.take());
            }
        }
        _ => {}
    }
    new
}

#[test]
fn an_old_folder_of_results_is_read() {
    let dir = stored("run");
    let read = Stored::read(&dir, None).unwrap();
    let text = fs::read_to_string(dir.join(SUMMARY)).unwrap();
    let [old, new] = [&text, &read.summary.to_json()]
        .map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(kept(&old, new), old);
    let (number, trace) = read.series.unwrap();
    // every half second from 0 to 2 s
    assert_eq!((number, trace.times.len()), (1, 5));
    assert!(read.distributions.iter().any(|own| own.quantity == Quantity::Rtt));
    // the manifest has the same bytes when it is written again
    let temp = TempDir::new().unwrap();
    Manifest::parse(&fs::read(dir.join(MANIFEST)).unwrap(), &dir)
        .unwrap()
        .write(temp.path())
        .unwrap();
    let [old, new] = [&dir, temp.path()].map(|dir| fs::read(dir.join(MANIFEST)).unwrap());
    assert_eq!(old, new);
}

#[test]
fn an_old_folder_of_a_sweep_is_read_and_continued() {
    let dir = stored("sweep");
    let summary = SweepSummary::read(&dir).unwrap();
    assert_eq!(summary.points.iter().map(|own| own.replicates).collect::<Vec<_>>(), [1, 1]);
    folder::check(&dir, Kind::Sweep).unwrap();
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("runs")).unwrap();
    for name in ["manifest.json", "base.toml", "sweep.json", "runs.csv", "runs/1.jsonl"] {
        fs::copy(dir.join(name), temp.path().join(name)).unwrap();
    }
    let (_, found) = Journal::open(temp.path(), Kind::Sweep).unwrap();
    assert_eq!((found.runs, found.damaged), (2, 0));
}

/// A temporary file would be only for the user, unlike any other file.
#[cfg(unix)]
#[test]
fn files_may_be_read_by_whom_the_user_lets_read_all_others() {
    use std::os::unix::fs::PermissionsExt;
    let temp = TempDir::new().unwrap();
    let [other, own] = ["other", "own"].map(|name| temp.path().join(name));
    fs::write(&other, b"").unwrap();
    files::write_whole(&own, b"").unwrap();
    let [other, own] = [other, own].map(|path| fs::metadata(path).unwrap().permissions().mode());
    assert_eq!(other, own);
}
