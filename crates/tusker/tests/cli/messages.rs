//! What no message may look like, looked for in all that many small commands say.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{err, out, run};

/// Reads a text for people; what is wrong with it.
fn faults(text: &str, is_table: bool) -> Vec<String> {
    let mut found = Vec::new();
    let plurals = [
        "flows",
        "runs",
        "points",
        "replicates",
        "links",
        "seeds",
        "packets",
        "lines",
        "rows",
        "experiments",
        "claims",
        "columns",
        "groups",
        "events",
    ];
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        // `3 of 1 points` counts points of a set, `1.1 points` is no count
        let single = words.windows(2).enumerate().any(|(nth, two)| {
            let of = nth > 0 && ["of", "first"].contains(&words[nth - 1]);
            two[0].trim_start_matches('(') == "1" && plurals.contains(&&*bare(two[1])) && !of
        });
        let twice =
            words.windows(2).any(|two| bare(two[0]) == bare(two[1]) && two[0].ends_with(':'));
        let zeros = words.iter().any(|word| {
            let decimals = word.split_once('.').map_or("", |(_, decimals)| decimals);
            decimals.len() > 6 && decimals.trim_end_matches('%').chars().all(|c| c == '0')
        });
        // comments of commands and indents are meant
        let prose = line.trim_start().split("  #").next().unwrap_or_default();
        let gap = !is_table && prose.contains("  ");
        let wrong = [(single, "1 of many"), (twice, "said twice"), (zeros, "zeros"), (gap, "gap")];
        let wrong = wrong.into_iter().filter(|(is, _)| *is);
        found.extend(wrong.map(|(_, what)| format!("{what}: {line}")));
    }
    found
}

#[test]
fn faults_are_found() {
    for wrong in ["1 flows", "note: note: x", "idle 0.000000000 %", "a note  with a gap"] {
        assert_eq!(faults(wrong, false).len(), 1, "{wrong}");
    }
    for right in ["1 of 1 points", "1.1 points", "21 flows", "  indented", "x  # what", "0.00 %"] {
        assert!(faults(right, false).is_empty(), "{right}");
    }
}

fn files(dir: &Path) {
    let flows = |each: &str| {
        format!(
            "profile = 'linux'\nduration = '2s'\n[dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\n\
             queue = '1bdp'\naccess = {{ rate = '1Gbit', delay = '0s' }}\n{each}"
        )
    };
    let one = "[[flows]]\nname = 'f'\ncc = 'reno'\n";
    let two = "[[flows]]\nname = 'first'\ncc = 'reno'\n[[flows]]\nname = 'second'\ncc = 'reno'\n";
    let short = "[[arrivals]]\nname = 'a'\ncc = 'cubic'\nrate = 20\nsize = '30kB'\n";
    for (name, text) in [("one", one), ("two", two), ("short", short)] {
        fs::write(dir.join(format!("{name}.toml")), flows(text)).unwrap();
    }
    // 14 of 15 opportunities are used: the rest rounds to nothing in each batch
    let trace: String = (1..=1000).map(|ms| format!("{ms}\n")).collect();
    fs::write(dir.join("trace"), trace).unwrap();
}

#[test]
fn messages_have_no_slips() {
    let dir = TempDir::new().unwrap();
    files(dir.path());
    let path = ["compare", "--rate", "10mbit", "--rtt", "20ms", "--duration", "2s", "--cc"];
    let commands: Vec<Vec<&str>> = vec![
        vec!["check", "one.toml"],
        vec!["check", "two.toml"],
        vec!["check", "short.toml"],
        vec!["run", "one.toml", "--out", "one"],
        vec!["run", "two.toml", "--out", "two", "--replicates", "2"],
        vec!["run", "short.toml", "--out", "short"],
        vec!["run", "one.toml", "--no-save", "--set", "tcp.receive_buffer=4KiB"],
        vec!["run", "one.toml", "--no-save", "--set", "dumbbell.rate={ trace = 'trace' }"],
        vec!["sweep", "one.toml", "--over", "cc=reno", "--out", "s1"],
        vec!["sweep", "one.toml", "--over", "cc=reno", "--out", "s1"],
        vec!["sweep", "one.toml", "--over", "dumbbell.queue=1bdp,2bdp", "--out", "s2"],
        vec!["sweep", "one.toml", "--over", "duration=2s,2000ms", "--out", "s3"],
        vec!["sweep", "two.toml", "--over", "cc=reno,cubic", "--replicates", "3", "--out", "s4"],
        vec!["sweep", "one.toml", "--over", "dumbbell.queue=3bdp", "--out", "s2"],
        vec!["report", "s2", "--list"],
        vec!["report", "s2", "--figure", "utilisation-dumbbell-queue", "--svg", "f.svg"],
        vec!["report", "one", "two", "--out", "both.html"],
        [&path[..], &["reno"]].concat(),
        [&path[..], &["reno,bbr3", "--flows", "2", "--replicates", "2"]].concat(),
        [&path[..], &["reno", "--against", "cubic"]].concat(),
        [&path[..], &["dctcp,xcp,bbr1", "--buffer", "5pkt"]].concat(),
        vec!["list", "measure"],
        vec!["explain", "queueing delay"],
    ];
    let mut found = Vec::new();
    for command in commands {
        let output = run(dir.path(), &command);
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", err(&output));
        let told = [faults(&err(&output), false), faults(&out(&output), true)].concat();
        found.extend(told.into_iter().map(|fault| format!("{}: {fault}", command.join(" "))));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Both groups have one flow, but no point has a single one.
#[test]
fn no_note_on_two_flows_speaks_of_a_single_one() {
    let dir = TempDir::new().unwrap();
    files(dir.path());
    let args = ["sweep", "two.toml", "--over", "dumbbell.queue=1bdp,2bdp", "--replicates", "3"];
    let said = err(&run(dir.path(), &[&args[..], &["--out", "s"]].concat()));
    assert!(!said.contains("single flow"), "{said}");
    let args = "sweep one.toml --over dumbbell.queue=1bdp,2bdp --replicates 3";
    let said = err(&run(dir.path(), &format!("{args} --out t")));
    assert!(said.contains("a single flow"), "{said}");
}
