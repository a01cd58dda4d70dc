//! `tusker compare`: every flag has an effect, and every mistake is reported as one in a flag.

use std::fs;

use tempfile::TempDir;

use super::{err, ok, rejected, run};

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

/// What is printed is what would be run, flags and overrides included.
#[test]
fn every_flag_is_in_the_scenario() {
    let dir = TempDir::new().unwrap();
    let text = ok(&run(
        dir.path(),
        &with(&[
            "--cc",
            "ghstcp,z=2,w_low=30",
            "--queue",
            "red,min_th=7pkt,gentle=true",
            "--buffer",
            "50pkt",
            "--flows",
            "3",
            "--against",
            "hstcp",
            "--profile",
            "linux",
            "--recovery",
            "newreno",
            "--seed",
            "5",
            "--replicates",
            "2",
            "--set",
            "dumbbell.loss=0.01",
            "--print-scenario",
        ]),
    ));
    for line in [
        "profile = \"linux\"",
        "duration = \"4s\"",
        "seed = 5",
        "replicates = 2",
        "rate = \"10Mbit\"",
        "delay = \"10ms\"",
        "loss = 0.01",
        "limit = \"50pkt\"",
        "policy = \"red\"",
        "min_th = 7",
        "gentle = 1",
        "count = 3",
        "cc = { name = \"ghstcp\", z = 2, w_low = 30 }",
        "cc = \"hstcp\"",
        "recovery = \"newreno\"",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let demo =
        ok(&run(dir.path(), &["demo", "--duration", "20s", "--seed", "9", "--print-scenario"]));
    assert_eq!(demo.matches("duration = \"20s\"").count(), 2, "{demo}");
    assert_eq!(demo.matches("seed = 9").count(), 2, "{demo}");
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
        ok(&run(dir.path(), &["check", "made.toml", "--expand"]))
    };
    assert!(printed(&[]).contains("profile = \"linux\""));
    assert!(!printed(&[]).contains("recovery"));
    assert!(expanded(&[]).contains("recovery = \"rack\""));
    assert!(expanded(&["--profile", "ns2"]).contains("recovery = \"reno\""));
    assert!(expanded(&["--recovery", "sack"]).contains("recovery = \"sack\""));
}

/// RFC 8257, section 4.1: K above C RTT / 7 keeps the link busy; 10 Mbit/s and 20 ms
/// are 16.7 packets, K = 10 is enough. Without marks DCTCP is Reno that halves.
#[test]
fn dctcp_behind_step_is_marked() {
    let dir = TempDir::new().unwrap();
    let flags = ["--cc", "dctcp", "--queue", "step:k=10", "--format", "json"];
    let output = run(dir.path(), &with(&flags));
    let summary: serde_json::Value = serde_json::from_str(&ok(&output)).unwrap();
    let number = |value: &serde_json::Value| value["mean"].as_f64().unwrap();
    assert!(number(&summary[0]["total"]["utilisation"]) > 0.99, "{summary}");
    assert_eq!(number(&summary[0]["groups"][0]["retransmissions"]), 0.0);
    assert!(!err(&output).contains("dctcp"), "{}", err(&output));
    for queue in ["droptail", "red", "step:ecn=false"] {
        let output = run(dir.path(), &with(&["--cc", "dctcp,reno", "--queue", queue]));
        let text = err(&output);
        assert_eq!(text.matches("note: dctcp is made for queues that mark").count(), 1, "{text}");
    }
    let quiet = run(dir.path(), &with(&["--cc", "dctcp", "--quiet"]));
    assert!(err(&quiet).starts_with("note: dctcp"), "{}", err(&quiet));
}

/// XCP without an XCP router is the Reno that it keeps for that case.
#[test]
fn a_law_that_works_with_routers_is_told_if_none_takes_part() {
    let dir = TempDir::new().unwrap();
    let droptail = run(dir.path(), &with(&["--cc", "xcp,reno"]));
    ok(&droptail);
    let text = err(&droptail);
    assert_eq!(text.matches("note: xcp works with routers, but no queue").count(), 1, "{text}");
    assert!(!text.contains("note: reno works"), "{text}");
    let router = run(dir.path(), &with(&["--cc", "xcp", "--queue", "xcp"]));
    ok(&router);
    assert!(!err(&router).contains("works with routers"), "{}", err(&router));
}

/// ECN takes two: half of it is told of, both are one flag.
#[test]
fn half_of_ecn_is_noted_and_all_of_it_is_one_flag() {
    let dir = TempDir::new().unwrap();
    let marked = |flags: &[&str]| {
        let output =
            run(dir.path(), &with(&[&["--cc", "reno", "--format", "json"], flags].concat()));
        let summary: serde_json::Value = serde_json::from_str(&ok(&output)).unwrap();
        (summary[0]["links"][0]["marked"]["mean"].as_f64().unwrap(), err(&output))
    };
    let (none, told) = marked(&["--queue", "red", "--set", "tcp.ecn=true"]);
    assert!(none == 0.0 && told.contains("no queue on their way marks"), "{told}");
    let (none, told) = marked(&["--queue", "red:ecn=true", "--quiet"]);
    assert!(none == 0.0 && told.contains("no flow through it asks for ECN"), "{told}");
    // VCP's routers write into packets, and mark none
    let (none, told) = marked(&["--queue", "vcp:ecn=true", "--set", "tcp.ecn=true"]);
    assert!(none == 0.0 && told.contains("no queue on their way marks"), "{told}");
    let (some, told) = marked(&["--queue", "red", "--ecn"]);
    assert!(some > 0.0 && !told.contains("ECN"), "{some}: {told}");
    assert_eq!(marked(&["--queue", "red:ecn=true", "--set", "tcp.ecn=true"]).0, some);
    rejected(&run(dir.path(), &with(&["--cc", "reno", "--ecn"])), &["droptail cannot mark"]);
}

/// Another recovery than the one that a rate-based law needs is run, with a word on
/// what to expect.
#[test]
fn a_recovery_that_does_not_fit_is_noted() {
    let dir = TempDir::new().unwrap();
    let fitting = run(dir.path(), &with(&["--cc", "bbr3,copa", "--profile", "ns2"]));
    assert!(!err(&fitting).contains("recovery"), "{}", err(&fitting));
    let output = run(dir.path(), &with(&["--cc", "bbr3,reno", "--recovery", "sack"]));
    let text = err(&output);
    assert_eq!(text.matches("note: bbr3 keeps sending through losses, but with sack").count(), 1);
    assert!(!text.contains("note: reno"), "{text}");
    fs::write(
        dir.path().join("made.toml"),
        ok(&run(dir.path(), &with(&["--cc", "udt", "--recovery", "newreno", "--print-scenario"]))),
    )
    .unwrap();
    let checked = run(dir.path(), &["check", "made.toml"]);
    assert!(err(&checked).contains("note: udt keeps sending"), "{}", err(&checked));
}

/// What the wire loses is not what the queue drops.
#[test]
fn losses_of_queue_and_wire_are_told_apart() {
    let dir = TempDir::new().unwrap();
    let json = with(&["--cc", "reno", "--set", "dumbbell.loss=0.01", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ok(&run(dir.path(), &json))).unwrap();
    let rate = |name: &str| json[0]["total"][name]["mean"].as_f64().unwrap();
    // W = sqrt(1.5 / 0.01) = 12 segments, 100 round trips: 1,200, of which 12 +- 3.5
    assert!((rate("wire_loss_rate") - 0.01).abs() < 0.0087, "{}", rate("wire_loss_rate"));
    assert_eq!(json[0]["links"][0]["wire_loss_rate"], json[0]["total"]["wire_loss_rate"]);
}

/// A queue without a limit is the bottleneck's queue all the same.
#[test]
fn the_bottleneck_is_measured_even_without_a_limit() {
    let dir = TempDir::new().unwrap();
    let json =
        ok(&run(dir.path(), &with(&["--cc", "reno", "--buffer", "unlimited", "--format", "json"])));
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
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
    let both = |args: &[&str]| -> serde_json::Value {
        let args = [&with(args)[..], &["--format", "json"]].concat();
        serde_json::from_str(&ok(&run(dir.path(), &args))).unwrap()
    };
    let said = both(&["--cc", "8xreno", "--against", "reno"]);
    let flag = both(&["--cc", "reno", "--parallel", "8", "--against", "2xreno"]);
    let group = |summary: &serde_json::Value, g: usize, key: &str| {
        summary[0]["groups"][g][key].as_f64().unwrap()
    };
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
    let several =
        ["compare", "--rate", "10mbit", "--rtt", "10ms..20ms:2", "--buffer", "10pkt,1bdp"];
    let several = [&several[..], &["--cc", "reno,hstcp", "--duration", "4s"]].concat();
    let json = |args: &[&str]| -> serde_json::Value {
        let text = ok(&run(dir.path(), &[args, &["--format", "json"]].concat()));
        serde_json::from_str(&text).unwrap()
    };
    let all = json(&several);
    let alone = json(&with(&["--cc", "hstcp", "--buffer", "1bdp"]));
    assert_eq!(all.as_array().unwrap().len(), 8);
    assert_eq!(all[0]["scenario"], "reno-10ms-10pkt");
    assert_eq!(all[7]["scenario"], "hstcp-20ms-1bdp");
    assert_eq!(all[7]["total"], alone[0]["total"]);
    let lossy = ok(&run(dir.path(), &with(&["--cc", "reno", "--loss", ".01", "--print-scenario"])));
    assert!(lossy.contains("loss = 0.01"), "{lossy}");
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
    let json = |args: &[&str]| -> serde_json::Value {
        let text = ok(&run(dir.path(), &[&with(args), &["--format", "json"][..]].concat()));
        serde_json::from_str(&text).unwrap()
    };
    let rivals = ["--cc", "hstcp,reno", "--against", "reno,cubic"];
    let all = json(&rivals);
    let names: Vec<&str> =
        all.as_array().unwrap().iter().map(|own| own["scenario"].as_str().unwrap()).collect();
    let expected =
        ["hstcp-against-reno", "hstcp-against-cubic", "reno-against-reno", "reno-against-cubic"];
    assert_eq!(names, expected);
    let goodput = |summary: &serde_json::Value, group: usize| {
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
    ok(&run(dir.path(), &["report", "kept", "--out", "page.html"]));
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
    let args = "compare --cc reno,bbr1 --rate 10Mbit --rtt 50ms --duration 5s";
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(temp.path(), &args);
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
    let args: Vec<&str> = args.split(' ').collect();
    let output = run(temp.path(), &args);
    let (table, told) = (ok(&output), err(&output));
    let note = told.lines().find(|line| line.contains(" of the packets")).expect("a note");
    let share = note.split("bbr1 lost ").nth(1).unwrap().split(' ').next().unwrap();
    let cells = table.lines().find(|line| line.starts_with("bbr1 ")).unwrap();
    assert!(share.parse::<f64>().unwrap() > 10.0, "{note}");
    assert!(cells.contains(&format!(" {share} ")), "{share} in\n{cells}");
}
