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

/// The short options are axes, and names are found in any case and as Linux has them.
#[test]
fn paths_and_names_are_given_as_for_compare() {
    let dir = TempDir::new().unwrap();
    let path = ["--rate", "10mbit", "--rtt", "20ms", "--duration", "4s"];
    let csv = ["--measure", "utilisation", "--format", "csv", "--quiet"];
    let with = |more: &[&str]| run(dir.path(), &[&["sweep"], &path[..], more, &csv].concat());
    let over = ["--over", "cc=ghstcp,hstcp", "--over", "dumbbell.queue=0.5bdp,1bdp"];
    let long = ok(&with(&[&over[..], &["--over", "dumbbell.loss=1e-3"]].concat()));
    let own = ["--cc", "gHSTCP,highspeed", "--buffer", "0.5bdp,1bdp", "--loss", "1e-3"];
    let short = ok(&with(&own));
    assert_eq!(short.replace("gHSTCP", "ghstcp").replace("highspeed", "hstcp"), long);
    for (more, told) in [
        (&["--cc", "bbr"][..], "which one: `bbr1`, that of Linux, or `bbr3`?"),
        (&["--over", "buffer=1bdp"], "dumbbell.queue"),
        (&["--cc", "reno", "--over", "cc=cubic"], "varied twice"),
    ] {
        let output = with(more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(err(&output).contains(told), "{more:?}: {}", err(&output));
    }
}

/// Without access links nothing but the bottleneck limits, as with very fast ones.
#[test]
fn a_dumbbell_needs_no_access_links() {
    let dir = TempDir::new().unwrap();
    let line = "access = { rate = \"100Mbit\", delay = \"1ms\" }\n";
    let bare = super::SMALL.replace(line, "");
    assert_ne!(bare, super::SMALL);
    let fast = super::SMALL.replace(line, "access = { rate = \"1Tbit\", delay = \"0s\" }\n");
    let told = [bare, fast].map(|text| {
        std::fs::write(dir.path().join("own.toml"), text).unwrap();
        ok(&run(dir.path(), &["run", "own.toml", "--no-save", "--format", "csv", "--quiet"]))
    });
    assert_eq!(told[0], told[1]);
}
