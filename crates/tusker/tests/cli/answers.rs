//! What `run`, `compare` and `sweep` print, compared with the files in `answers`: which lines
//! and columns there are, and in which order. Numbers are left out (`0`), because other tests
//! look at them in JSON; `TUSKER_BLESS=1` writes the files anew.

use std::env;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{SMALL, ok, run, tusker};

/// A long flow, transfers and pages.
const TRAFFIC: &str = r#"
title = "traffic"
profile = "ns2"
duration = "15s"
measure = { from = "2s" }

[dumbbell]
rate = "10Mbit"
delay = "5ms"
queue = "20pkt"

[[flows]]
name = "long"
cc = "reno"

[[arrivals]]
name = "short"
cc = "reno"
rate = 3
size = { list = ["4kB", "40kB"] }
connections = 50
"#;

/// Without numbers, and with two blanks between columns.
fn form(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let (mut form, mut before) = (String::new(), ' ');
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            if c.is_ascii_digit() && !before.is_alphanumeric() {
                while rest.next_if(|&c| c.is_ascii_digit() || ".,e-".contains(c)).is_some() {}
                form.push('0');
            } else if !(c == ' ' && form.ends_with("  ")) {
                form.push(c);
            }
            before = c;
        }
        all += form.trim_end();
        all.push('\n');
    }
    all
}

#[track_caller]
fn prints(name: &str, scenario: &str, args: &str) {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("small.toml"), scenario).unwrap();
    let args = args.split_whitespace();
    let output = tusker(temp.path()).args(args).env("COLUMNS", "100").output().unwrap();
    is_in(name, &form(&ok(&output)));
}

/// It is what the file has.
#[track_caller]
fn is_in(name: &str, printed: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/answers/{name}.txt"));
    if env::var_os("TUSKER_BLESS").is_some() {
        fs::write(&file, printed).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(printed, expected, "{} has another text", file.display());
}

/// Printed as it stands: flags and overrides are in the scenario.
#[test]
fn a_scenario_is_printed_with_every_flag() {
    let flags = "--cc ghstcp,z=2,w_low=30 --queue red,min_th=7pkt,gentle=true --buffer 50pkt \
                 --flows 3 --against hstcp --profile linux --recovery newreno --seed 5 \
                 --replicates 2 --set dumbbell.loss=0.01";
    let rates = "compare --rate 10mbit --rtt 20ms --duration 4s --print-scenario";
    for (name, args) in [
        ("scenario-compare", format!("{rates} {flags}")),
        ("scenario-demo", "demo --duration 20s --seed 9 --print-scenario".to_owned()),
    ] {
        let temp = TempDir::new().unwrap();
        is_in(name, &ok(&run(temp.path(), &args)));
    }
}

const PATH: &str = "compare --rate 10mbit --rtt 20ms --duration 4s --cc";

#[test]
fn a_run_begins_with_its_bottleneck() {
    prints("run", SMALL, "run small.toml --no-save --replicates 2");
    prints("run-quiet", SMALL, "run small.toml --no-save --quiet");
    prints("run-traffic", TRAFFIC, "run small.toml --no-save");
    prints("run-traffic-wide", TRAFFIC, "run small.toml --no-save --wide --explain");
}

#[test]
fn a_comparison_begins_with_the_best() {
    prints("compare", "", &format!("{PATH} reno,hstcp"));
    prints("compare-against", "", &format!("{PATH} 8xreno,reno --against reno"));
    prints("demo", "", "demo --duration 2s --replicates 2 --color never");
    prints("compare-loss", "", &format!("{PATH} reno,bbr1 --loss 0.01"));
    prints("compare-paths", "", &format!("{PATH} reno,hstcp --buffer 10pkt,1bdp"));
}

#[test]
fn a_sweep_begins_with_ranges() {
    let over = "sweep small.toml --over cc=reno,cubic --over dumbbell.queue=10pkt,20pkt";
    prints("sweep", SMALL, &format!("{over} --replicates 2"));
    prints("sweep-measures", SMALL, &format!("{over} --measure jain,convergence_s,converged"));
}
