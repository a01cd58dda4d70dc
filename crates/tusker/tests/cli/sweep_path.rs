//! `tusker sweep` without a scenario file, and the copy of the scenario in its folder.

use tempfile::TempDir;

use super::{err, ok, run};

/// `tusker compare` has the same path with the same numbers, and the copy of the scenario makes
/// the same table again.
#[test]
fn a_path_needs_no_file_and_its_copy_gives_the_same() {
    let dir = TempDir::new().unwrap();
    let path = ["--rate", "10mbit", "--rtt", "20ms", "--duration", "4s"];
    let over = ["--over", "cc=reno,cubic", "--over", "dumbbell.queue=0.5bdp,2bdp"];
    let csv = ["--measure", "utilisation", "--format", "csv", "--quiet"];
    let first = ok(&run(dir.path(), &[&["sweep"], &path[..], &over, &csv].concat()));
    assert_eq!(first.lines().count(), 1 + 4, "{first}");
    let folder = dir.path().join("results/10mbit-20ms-sweep");
    assert!(folder.join("sweep.json").is_file(), "{first}");
    let copy = folder.join("base.toml");
    let copy = copy.to_str().unwrap();
    let again = ok(&run(dir.path(), &[&["sweep", copy], &over[..], &csv].concat()));
    assert_eq!(again, first);
    // the duration of a file can be set in the same way
    let longer = [&["sweep", copy, "--duration", "6s"], &over[..], &csv].concat();
    assert_ne!(ok(&run(dir.path(), &longer)), first);
    // when a flow starts depends on the name of its group
    let compare = ["--cc", "reno", "--buffer", "0.5bdp,2bdp", "--set", "flows.0.name=flow"];
    let csv = ["--format", "csv", "--quiet"];
    let compared = ok(&run(dir.path(), &[&["compare"], &path[..], &compare, &csv].concat()));
    let column = |text: &str| -> Vec<f64> {
        let mut lines = text.lines();
        let mut head = lines.next().unwrap().split(',');
        let at = head.position(|name| name.ends_with("utilisation")).expect(text);
        lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    assert_eq!(column(&first)[..2], column(&compared)[..2], "{first}\n{compared}");
}

#[test]
fn a_path_is_whole_and_takes_the_place_of_a_file() {
    let dir = TempDir::new().unwrap();
    let over = ["--over", "cc=reno"];
    for (words, told) in [
        (&["--rate", "1gbt", "--rtt", "20ms"][..], "--rate: unknown unit `gbt`"),
        (&["--rate", "1gbit", "--rtt", "0s"], "--rtt: the round-trip time is zero"),
        (&["--rate", "1gbit"], "--rtt <RTT>"),
        (&["--rtt", "20ms"], "--rate <RATE>"),
        (&["a.toml", "--rate", "1gbit", "--rtt", "20ms"], "cannot be used with"),
        (&["a.toml", "--flows", "2"], "--rate <RATE>"),
        (&[], "<FILE.toml>"),
    ] {
        let output = run(dir.path(), &[&["sweep"], words, &over[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(err(&output).contains(told), "{words:?}: {}", err(&output));
    }
}
