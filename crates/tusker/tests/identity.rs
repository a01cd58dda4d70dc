//! Which changes to the code make a stored result another build's: those that can change
//! its numbers.

#[path = "../identity.rs"]
mod identity;

use std::fs;
use std::path::{Path, PathBuf};

use identity::Identity;

/// A copy of the sources that an identity is made of.
fn copied() -> tempfile::TempDir {
    let temp = tempfile::tempdir().expect("a folder");
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(own.parent().expect("crates"), temp.path());
    fs::copy(own.join("../../Cargo.lock"), temp.path().join("Cargo.lock")).expect("copied");
    temp
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            fs::create_dir_all(&target).expect("made");
            copy(&path, &target);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

fn of(temp: &tempfile::TempDir) -> (String, String) {
    let identity = Identity::of(temp.path(), &temp.path().join("Cargo.lock"), "1").expect("read");
    (identity.simulated, identity.measured)
}

fn change(temp: &tempfile::TempDir, file: &str, from: &str, to: &str) -> PathBuf {
    let path = temp.path().join(file);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{file} has no `{from}`");
    fs::write(&path, text.replacen(from, to, 1)).expect("written");
    path
}

#[test]
fn a_comment_or_a_help_text_keeps_stored_results() {
    let temp = copied();
    let before = of(&temp);
    let law = "tusker-core/src/congestion/reno.rs";
    change(&temp, law, "//!", "//! A changed comment.\n//!");
    change(&temp, law, "use ", "// another\nuse ");
    change(&temp, law, "\nuse ", "\n#[cfg(test)]\nmod more { fn more() {} }\nuse ");
    change(&temp, law, "TCP Reno congestion avoidance", "Another title");
    let arguments = temp.path().join("tusker/src/lib.rs");
    fs::write(&arguments, "const HELP: &str = \"another help text\";").expect("written");
    assert_eq!(of(&temp), before);
}

#[test]
fn a_changed_number_does_not() {
    let temp = copied();
    let before = of(&temp);
    change(&temp, "tusker-core/src/congestion/reno.rs", "f64 = 0.5", "f64 = 0.6");
    let after = of(&temp);
    assert_ne!(after.0, before.0);
    assert_ne!(after.1, before.1);
}

#[test]
fn the_testbed_changes_measured_results_alone() {
    let temp = copied();
    let before = of(&temp);
    let file = temp.path().join("tusker-testbed/src/lib.rs");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, text + "\nconst MORE: u8 = 1;\n").expect("written");
    let after = of(&temp);
    assert_eq!(after.0, before.0);
    assert_ne!(after.1, before.1);
}
