//! `tusker sweep` without a scenario file, and the copy of the scenario in its folder.

use tempfile::TempDir;

use super::{noted, ok, rejected, run};

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
        (&["--rate", "1gbit", "--rtt", "20ms", "--queue", "rde"], "--queue: unknown queue policy"),
        (&["--rate", "1gbit"], "--rtt <LIST>"),
        (&["--rtt", "20ms"], "--rate <LIST>"),
        (&["a.toml", "--rate", "1gbit", "--rtt", "20ms"], "cannot be used with"),
        (&["a.toml", "--flows", "2"], "--rate <LIST>"),
        (&[], "<FILE.toml>"),
    ] {
        rejected(&run(dir.path(), &[&["sweep"], words, &over[..]].concat()), &[told]);
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
    let long = long.replacen("dumbbell.queue_bdp,dumbbell.loss", "buffer_bdp,loss", 1);
    assert_eq!(short.replace("gHSTCP", "ghstcp").replace("highspeed", "hstcp"), long);
    for (more, told) in [
        (&["--cc", "bbr"][..], "which one: `bbr1`, that of Linux, or `bbr3`?"),
        (&["--over", "buffer=1bdp"], "dumbbell.queue"),
        (&["--cc", "reno", "--over", "cc=cubic"], "varied twice"),
        (&["--buffer", "1bpd"], "--buffer:1:1"),
        (&["--buffer", "1bdp", "--set", "dumbbell.queue=red"], "--buffer"),
    ] {
        rejected(&with(more), &[told]);
    }
}

fn csv(text: &str, name: &str) -> Vec<String> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|own| own == name);
    let at = at.unwrap_or_else(|| panic!("no {name} in {text}"));
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

/// Points in the order of the options, the last one fastest; each is the path that `tusker
/// compare` runs.
#[test]
fn every_option_of_the_path_takes_a_range_and_gives_its_name() {
    let dir = TempDir::new().unwrap();
    let path = ["--rate", "10mbit..30mbit:2", "--rtt", "20ms,40ms", "--buffer", "0.5..1bdp:2"];
    let more = ["--cc", "reno", "--duration", "4s", "--format", "csv", "--quiet"];
    let swept = ["--measure", "groups.flow.throughput_bps", "--out", "own"];
    let swept = ok(&run(dir.path(), &[&["sweep"], &path[..], &more, &swept].concat()));
    let compared = ["--set", "flows.0.name=flow"];
    let compared = ok(&run(dir.path(), &[&["compare"], &path[..], &more, &compared].concat()));
    assert_eq!(csv(&swept, "groups.flow.throughput_bps"), csv(&compared, "throughput_bps"));
    let each = |values: [&str; 2], times: usize| -> Vec<String> {
        (0..8).map(|point| values[point / times % 2].to_owned()).collect()
    };
    assert_eq!(csv(&swept, "rate_bps"), each(["10000000", "30000000"], 4));
    assert_eq!(csv(&swept, "rtt_s"), each(["0.02", "0.04"], 2));
    assert_eq!(csv(&swept, "buffer_bdp"), each(["0.5", "1"], 1));
    let folder = dir.path().join("own");
    let stored = std::fs::read_to_string(folder.join("sweep.json")).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&stored).unwrap();
    let axes = stored["axes"].as_array().unwrap().iter();
    let axes: Vec<_> = axes.map(|axis| [axis["key"].as_str(), axis["option"].as_str()]).collect();
    let expected = [
        ["cc", ""],
        ["dumbbell.rate", "rate"],
        ["dumbbell.delay", "rtt"],
        ["dumbbell.queue.limit", "buffer"],
    ];
    assert_eq!(axes, expected.map(|axis| axis.map(|text| Some(text).filter(|t| !t.is_empty()))));
    let list = ok(&run(dir.path(), "report own --list"));
    for (figure, title) in [
        ("goodput-bps-rate ", "Goodput against rate"),
        ("goodput-bps-rtt ", "Goodput against RTT"),
        ("goodput-bps-buffer ", "Goodput against buffer"),
    ] {
        let line = list.lines().find(|line| line.starts_with(figure)).expect(&list);
        assert!(line.contains(title) && !line.contains("dumbbell"), "{line}");
    }
}

/// An RTT is twice the delay of the link, also where it is read back.
#[test]
fn another_rtt_keeps_the_points_of_earlier_ones() {
    let dir = TempDir::new().unwrap();
    let with = |rtt: &str| {
        let path = ["--rate", "10mbit,20mbit", "--cc", "reno", "--duration", "4s", "--out", "own"];
        run(dir.path(), &[&["sweep", "--tables", "csv", "--rtt", rtt], &path[..]].concat())
    };
    let first = ok(&with("20ms,40ms"));
    assert!(first.lines().any(|line| line.starts_with("cc      rate   rtt  runs")), "{first}");
    let runs = || std::fs::read_to_string(dir.path().join("own/runs.csv")).unwrap();
    let before = csv(&runs(), "goodput_bps");
    noted(&with("40ms,60ms"), &["2 runs, 2 done already"]);
    let after = runs();
    assert_eq!(csv(&after, "rtt_s"), ["0.04", "0.06", "0.04", "0.06", "0.02", "0.02"]);
    let goodput = csv(&after, "goodput_bps");
    assert_eq!(
        [&goodput[4], &goodput[0], &goodput[5], &goodput[2]],
        [0, 1, 2, 3].map(|n| &before[n])
    );
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
        ok(&run(dir.path(), "run own.toml --no-save --format csv --quiet"))
    });
    assert_eq!(told[0], told[1]);
}
