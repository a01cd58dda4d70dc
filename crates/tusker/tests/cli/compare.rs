//! `tusker compare`: every flag has an effect, and every mistake is reported as one in a flag.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{err, json, ok, rejected, run};

const PATH: &[&str] = &["compare", "--rate", "10mbit", "--rtt", "20ms", "--duration", "4s"];

pub fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PATH.iter().chain(more).copied().collect()
}

/// Flags that are wrong, and words of the error.
#[test]
fn a_mistake_is_told_as_one_of_its_flag() {
    let dir = TempDir::new().unwrap();
    let wrong: &[(&[&str], &[&str])] = &[
        (&["--cc", "rno"], &["--cc:", "`rno`", "did you mean `reno`"]),
        (&["--cc", "ghstcp:zz=1"], &["--cc:", "unknown key `zz`", "did you mean `z`"]),
        (&["--cc", "ghstcp:z=-1"], &["--cc:", "out of range", "from 0 to 10"]),
        (&["--cc", "reno,reno"], &["--cc:", "`reno` is given twice"]),
        (&["--cc", "reno", "--against", "hstpc"], &["--against:", "did you mean `hstcp`"]),
        (&["--cc", "reno", "--queue", "rde"], &["--queue:", "did you mean `red`"]),
        (&["--cc", "reno", "--queue", "red:min_th=50ms"], &["--queue:", "packets"]),
        (&["--cc", "reno", "--queue", "red:limit=5pkt"], &["--queue:", "--buffer"]),
        (&["--cc", "reno", "--buffer", "10000"], &["--buffer:", "no unit", "`10000pkt`"]),
        (&["--cc", "reno", "--buffer", "0"], &["--buffer:", "zero"]),
        (&["--cc", "reno", "--buffer", "backpressure"], &["--buffer:", "give a limit"]),
        (&["--cc", "reno", "--profile", "lin"], &["--profile:", "did you mean `linux`"]),
        (&["--cc", "reno", "--recovery", "sak"], &["--recovery:", "did you mean `sack`"]),
        (&["--cc", "reno", "--set", "x.y=3"], &["--set", "unknown key `x`"]),
        (&["--cc", "reno", "--seed", "-1"], &["--seed", "-1"]),
        (&["--cc", "reno:z"], &["NAME:PARAM=VALUE"]),
        (&["--cc", "reno", "--flows", "0"], &["--flows"]),
        (&["--cc", "reno", "--ecn"], &["droptail cannot mark"]),
    ];
    for (flags, words) in wrong {
        rejected(&run(dir.path(), &with(flags)), words);
    }
    for (flag, value) in [("--duration", "-5s"), ("--rate", "0mbit"), ("--rtt", "0ms")] {
        let mut args = with(&["--cc", "reno"]);
        let at = args.iter().position(|arg| *arg == flag).unwrap();
        args[at + 1] = value;
        rejected(&run(dir.path(), &args), &[&format!("{flag}:")]);
    }
}

/// What is compared is today's stack; `--recovery` is said only if it was given.
#[test]
fn the_profile_is_linux_and_recovery_follows_it() {
    let dir = TempDir::new().unwrap();
    let printed = |more: &[&str]| {
        ok(&run(dir.path(), &with(&[&["--cc", "reno", "--print-scenario"], more].concat())))
    };
    let expanded = |more: &[&str]| {
        fs::write(dir.path().join("made.toml"), printed(more)).unwrap();
        ok(&run(dir.path(), "check made.toml --expand"))
    };
    assert!(printed(&[]).contains("profile = \"linux\""));
    assert!(!printed(&[]).contains("recovery"));
    assert!(expanded(&[]).contains("recovery = \"rack\""));
    assert!(expanded(&["--profile", "ns2"]).contains("recovery = \"reno\""));
    assert!(expanded(&["--recovery", "sack"]).contains("recovery = \"sack\""));
}

/// A queue without a limit is the bottleneck's queue all the same.
#[test]
fn the_bottleneck_is_measured_even_without_a_limit() {
    let dir = TempDir::new().unwrap();
    let args = with(&["--cc", "reno", "--buffer", "unlimited", "--format", "json"]);
    let summary = json(&ok(&run(dir.path(), &args)));
    let queue = summary[0]["links"][0]["queue_mean_pkt"]["mean"].as_f64().unwrap();
    assert!(queue > 10.0, "{queue}");
    // no RTT is below 20 ms, whatever the buckets of the histogram are
    let rtt = summary[0]["groups"][0]["rtt_p5_s"]["mean"].as_f64().unwrap();
    assert!(rtt >= 0.020, "{rtt}");
}

/// Two flows of which one has eight connections: as connections nine, as
/// application flows two.
#[test]
fn parallel_connections_count_as_one_and_as_many() {
    let dir = TempDir::new().unwrap();
    let both = |args: &[&str]| {
        json(&ok(&run(dir.path(), &[&with(args)[..], &["--format", "json"]].concat())))
    };
    let said = both(&["--cc", "8xreno", "--against", "reno"]);
    let flag = both(&["--cc", "reno", "--parallel", "8", "--against", "2xreno"]);
    let group =
        |summary: &Value, g: usize, key: &str| summary[0]["groups"][g][key].as_f64().unwrap();
    assert_eq!(said[0]["groups"][0]["name"], "8xreno");
    for (summary, g, flows) in [(&said, 0, 8.0), (&said, 1, 1.0), (&flag, 0, 8.0), (&flag, 1, 2.0)]
    {
        assert_eq!(group(summary, g, "flows"), flows);
        assert_eq!(group(summary, g, "applications"), 1.0);
        assert_eq!(group(summary, g, "applications_fair_bps"), 5e6);
        // nine or ten connections share 10 Mbit/s
        let all = group(summary, 0, "flows") + group(summary, 1, "flows");
        assert!((group(summary, g, "fair_bps") - 10e6 * flows / all).abs() < 1e-3);
    }
    for (flags, words) in [
        (["--cc", "0xreno"], "from 1 to 100000"),
        (["--cc", "8xrno"], "did you mean `reno`"),
        (["--parallel", "0"], "--parallel"),
    ] {
        let args = [&with(&flags)[..], &["--cc", "hstcp"]].concat();
        rejected(&run(dir.path(), &args), &[words]);
    }
}

/// Lists and ranges of paths: every combination, each as if it were compared alone.
#[test]
fn several_paths_are_compared_at_once() {
    let dir = TempDir::new().unwrap();
    let several = "compare --rate 10mbit --rtt 10ms..20ms:2 --buffer 10pkt,1bdp --cc reno,hstcp \
                   --duration 4s --format json";
    let all = json(&ok(&run(dir.path(), several)));
    let alone = with(&["--cc", "hstcp", "--buffer", "1bdp", "--format", "json"]);
    let alone = json(&ok(&run(dir.path(), &alone)));
    assert_eq!(all.as_array().unwrap().len(), 8);
    assert_eq!(all[0]["scenario"], "reno-10ms-10pkt");
    assert_eq!(all[7]["scenario"], "hstcp-20ms-1bdp");
    assert_eq!(all[7]["total"], alone[0]["total"]);
    let lossy = ok(&run(dir.path(), &with(&["--cc", "reno", "--loss", ".01", "--print-scenario"])));
    assert!(lossy.contains("loss = 0.01"), "{lossy}");
    // W = sqrt(1.5 / 0.01) = 12 segments, 200 round trips: 2,400, of which 24 +- 5
    let lossy =
        json(&ok(&run(dir.path(), &with(&["--cc", "reno", "--loss", ".01", "--format", "json"]))));
    let rate = lossy[0]["total"]["wire_loss_rate"]["mean"].as_f64().unwrap();
    assert!((rate - 0.01).abs() < 0.0087, "{rate}");
    assert_eq!(lossy[0]["links"][0]["wire_loss_rate"], lossy[0]["total"]["wire_loss_rate"]);
    for (flag, value, word) in [
        ("--buffer", "1bdp..2bdp", "--buffer: the range `1bdp..2bdp` has no count"),
        ("--buffer", "1bdp,1bdp", "--buffer: `1bdp` is given twice"),
        ("--loss", "0.1,2", "--loss:"),
    ] {
        rejected(&run(dir.path(), &with(&["--cc", "reno", flag, value])), &[word]);
    }
}

/// On a lossy path CUBIC gets little alone, and no less beside another: that is no harm.
#[test]
fn rivals_are_told_what_they_lose_against_what_they_have_alone() {
    let dir = TempDir::new().unwrap();
    let json = |args: &[&str]| {
        json(&ok(&run(dir.path(), &[&with(args), &["--format", "json"][..]].concat())))
    };
    let rivals = ["--cc", "hstcp,reno", "--against", "reno,cubic"];
    let all = json(&rivals);
    let names: Vec<&str> =
        all.as_array().unwrap().iter().map(|own| own["scenario"].as_str().unwrap()).collect();
    let expected =
        ["hstcp-against-reno", "hstcp-against-cubic", "reno-against-reno", "reno-against-cubic"];
    assert_eq!(names, expected);
    let goodput = |summary: &Value, group: usize| {
        summary["groups"][group]["goodput_bps"]["mean"].as_f64().unwrap()
    };
    // what `alone` is said to be is what comes out alone, and so for its own kind
    let (alone, own) = (json(&["--cc", "cubic"]), json(&["--cc", "cubic", "--against", "cubic"]));
    let harm = &all[1]["groups"][1]["harm"];
    assert_eq!(harm["goodput_alone_bps"], alone[0]["groups"][0]["goodput_bps"]);
    // the mean over both, which are the same but for chance
    let both = f64::midpoint(goodput(&own[0], 0), goodput(&own[0], 1));
    assert_ne!(goodput(&own[0], 0).to_bits(), goodput(&own[0], 1).to_bits());
    let ratio = harm["goodput_own_bps"]["mean"].as_f64().unwrap() / both;
    assert!((ratio - 1.0).abs() < 1e-12, "{harm}");
    let expected = 1.0 - goodput(&all[1], 1) / goodput(&alone[0], 0);
    assert!((harm["harm_goodput"]["mean"].as_f64().unwrap() - expected).abs() < 1e-12, "{harm}");
    // Reno's harm by Reno is that by its own kind
    let same = &all[2]["groups"][1]["harm"];
    assert_eq!(same["harm_goodput"], same["harm_goodput_own"]);
    assert!(all[0]["groups"][0].get("harm").is_none(), "the law under test is no victim");

    // it is kept: for queries, and on the page
    ok(&run(dir.path(), &[&with(&rivals), &["--out", "kept", "--quiet"][..]].concat()));
    let kept = fs::read_to_string(dir.path().join("kept/harm.csv")).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    assert_eq!(lines.len(), 5, "{kept}");
    assert!(lines[0].starts_with("scenario,cc,against,goodput_alone_bps,"), "{kept}");
    let at = lines[0].split(',').position(|name| name == "harm_goodput").unwrap();
    let cell: f64 = lines[2].split(',').nth(at).unwrap().parse().unwrap();
    assert!((cell - expected).abs() < 1e-12, "{kept}");
    ok(&run(dir.path(), "report kept --out page.html"));
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("What rivals lose"), "no harm on the page");

    let fail = |condition: &str| {
        let args = [&with(&rivals), &["--quiet", "--fail-on", condition][..]].concat();
        run(dir.path(), &args)
    };
    // nobody loses more than all
    assert_eq!(fail("harm_goodput > 1").status.code(), Some(0));
    let output = fail("groups.cubic.harm_goodput <= 1");
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let told = err(&output);
    assert!(told.contains(": 2 of 4: hstcp-against-cubic (groups.cubic.harm_goodput = "), "{told}");
    rejected(&run(dir.path(), &with(&["--cc", "reno", "--fail-on", "harm_goodput > 0.5"])), &[]);
    let output = run(dir.path(), &with(&["--cc", "reno", "--against", "cubic,cubic"]));
    assert!(err(&output).contains("--against: `cubic` is given twice"), "{}", err(&output));
}

/// BBR needs no loss to come to its mean; Reno does.
#[test]
fn only_laws_that_need_losses_are_said_to_have_had_too_few() {
    let temp = TempDir::new().unwrap();
    let output = run(temp.path(), "compare --cc reno,bbr1 --rate 10Mbit --rtt 50ms --duration 5s");
    ok(&output);
    let text = err(&output);
    let note = text.lines().find(|line| line.contains("congestion episodes")).expect("a note");
    assert!(note.contains("reno") && !note.contains("bbr1"), "{text}");
}

/// DropTail of one packet for BBR's bursts at a short round trip: more than a tenth is
/// lost, and the note has the number of the table.
#[test]
fn much_loss_is_noted_and_is_per_cent() {
    let temp = TempDir::new().unwrap();
    let args =
        "compare --cc bbr1,reno --rate 10Mbit --rtt 40ms --buffer 1pkt --flows 20 --duration 4s";
    let output = run(temp.path(), args);
    let (table, told) = (ok(&output), err(&output));
    let note = told.lines().find(|line| line.contains(" of the packets")).expect("a note");
    let share = note.split("bbr1 lost ").nth(1).unwrap().split(' ').next().unwrap();
    let cells = table.lines().find(|line| line.starts_with("bbr1 ")).unwrap();
    assert!(share.parse::<f64>().unwrap() > 10.0, "{note}");
    assert!(cells.contains(&format!(" {share} ")), "{share} in\n{cells}");
}
