//! `--memory`: a run that is expected to take too much is refused before it begins, and one
//! that grows too large is ended cleanly.

use std::fs;

use tempfile::TempDir;

use super::{SMALL, err, flat, in_shell, ok, out, rejected, run, small};

/// Of a thousand million objects at once.
const PAGES: &str = "[[web]]\nname = 'web'\ncc = 'reno'\nsessions = 1\nobjects = 1e9\n\
    object_interval = '0s'\nobject_size = '10kB'\npage_interval = '1s'\n\
    servers = { count = 1, rate = '1Gbit' }\nclients = { count = 1, rate = '1Gbit' }\n";

#[test]
fn what_is_expected_to_be_too_much_is_not_begun() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("web.toml"), format!("{SMALL}{PAGES}")).unwrap();
    let output = run(dir.path(), "check web.toml");
    ok(&output);
    // 10^9 objects of at least 16 bytes
    assert!(flat(&err(&output)).contains("a run about 48 GB of memory"), "{}", err(&output));
    rejected(
        &run(dir.path(), "run web.toml --memory 2GB"),
        &["web: a run would take", "2.0 GB that --memory allows", "ask for fewer objects"],
    );
    assert!(!dir.path().join("results").exists(), "nothing was begun");
    rejected(&run(dir.path(), "run web.toml --memory 2"), &["--memory"]);
}

/// Vegas keeps a few packets in the queue; Reno's slow start never ends where
/// nothing is lost: 5 s of 1 Gbit/s are 400,000 packets.
#[test]
fn a_run_that_grows_too_much_ends_and_the_others_are_kept() {
    let dir = TempDir::new().unwrap();
    let flags = "compare --rate 1gbit --rtt 20ms --duration 5s --buffer unlimited --cc vegas,reno \
                 --jobs 1 --memory 40MB --out both";
    let output = run(dir.path(), &flags.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = flat(&err(&output));
    for word in ["reno, replicate 1: would need", "the limit is 40 MB", "give queues a limit"] {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
    assert!(out(&output).contains("vegas"), "what finished is shown");
    assert!(dir.path().join("both/vegas/replicates/0001/measures.json").is_file());
    assert!(!dir.path().join("both/reno/replicates/0001").exists());
}

/// Four replicates at a time take 40 MB, with the program: some of them do not.
#[test]
fn fewer_runs_at_a_time_where_memory_does_not_suffice_for_all() {
    let dir = small();
    let args = "run small.toml --no-save --replicates 4 --jobs 4";
    let (all, few) = (run(dir.path(), args), run(dir.path(), &format!("{args} --memory 40MB")));
    assert_eq!(ok(&few), ok(&all));
    for (output, fewer) in [(&all, false), (&few, true)] {
        let said = flat(&err(output));
        assert_eq!(said.contains("of 4 runs at a time"), fewer, "{said}");
    }
}

/// Whatever is allowed: what the limit of the address space leaves is all there is.
#[test]
#[cfg(target_os = "linux")]
fn a_limit_of_the_system_holds_whatever_is_allowed() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("web.toml"), format!("{SMALL}{PAGES}")).unwrap();
    let output = in_shell(dir.path(), "ulimit -v 3000000", "run web.toml --memory 2500GB");
    let told = ["GB that a limit of the system leaves", "raise the limit", "ask for fewer"];
    rejected(&output, &told);
}

#[test]
fn more_than_the_machine_has_is_said_once() {
    let dir = small();
    let args = "run small.toml --no-save --memory 2500TB";
    let output = run(dir.path(), args);
    ok(&output);
    // of the machine, or of a limit that is set for these tests
    let said = flat(&err(&output));
    assert_eq!(said.matches("note: --memory allows 2.5 PB, but").count(), 1, "{said}");
    let quiet = run(dir.path(), &format!("{args} --quiet"));
    assert_eq!(err(&quiet), "");
}
