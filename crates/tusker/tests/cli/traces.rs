//! What is written for other tools, as those tools read it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{SMALL, err, noted, ok, rejected, run};

/// tshark is here; where not, one line says so, or the test fails where that is not
/// allowed.
fn has_tshark(test: &str) -> bool {
    if Command::new("tshark").arg("--version").output().is_ok() {
        return true;
    }
    assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here");
    eprintln!("skipped: {test}: needs tshark, which `make setup-wireshark` installs");
    false
}

/// Fields of the packets of a capture that a filter lets through, a row each.
fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file).args(["-Y", filter, "-T", "fields"]);
    // what is cut off cannot be checked, the IPv4 header is whole
    command.args(["-o", "ip.check_checksum:TRUE"]);
    fields.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    let output = command.output().expect("tshark starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("it prints text");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Whatever tshark calls a segment that it has seen before.
const AGAIN: &str = "tcp.analysis.retransmission || tcp.analysis.fast_retransmission || \
    tcp.analysis.spurious_retransmission || tcp.analysis.out_of_order";

/// A summary of a run, as JSON; the window is the whole run.
fn summary(here: &Path) -> serde_json::Value {
    let text = fs::read_to_string(here.join("results/small/summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The small path, measured from its start, with more in its file.
pub(super) fn small(more: &str) -> TempDir {
    let temp = TempDir::new().unwrap();
    let text = SMALL.replace("duration = \"4s\"", "duration = \"4s\"\nmeasure = { from = \"0s\" }");
    fs::write(temp.path().join("small.toml"), format!("{text}{more}")).unwrap();
    temp
}

#[test]
fn tshark_sees_the_retransmissions_that_were_counted() {
    if !has_tshark("tshark sees the retransmissions that were counted") {
        return;
    }
    // recovery by fast retransmission alone, by SACK, by RACK, and with delayed ACKs
    for settings in ["recovery=newreno", "recovery=sack", "profile=linux"] {
        let temp = small("");
        let here = temp.path();
        let key = if settings.starts_with("profile") { "" } else { "flows.0." };
        let set = format!("{key}{settings}");
        // the last of the window is not counted, so let it end in peace
        let args = format!(
            "run small.toml --set {set} --set flows.0.stop=3s --set flows.0.count=1 --pcap a.0.src"
        );
        let done = run(here, &args);
        ok(&done);
        let summary = summary(here);
        let counted = summary["total"]["retransmissions"]["mean"].as_f64().unwrap() as usize;
        assert!(counted > 20, "{settings}: {counted} are too few to tell");
        let capture = here.join("results/small/captures/a.0.src.pcapng");
        let seen = tshark(&capture, AGAIN, &["tcp.stream"]);
        assert_eq!(seen.len(), counted, "{settings}");
    }
}

#[test]
fn mistakes_are_told() {
    let temp = small("");
    let here = temp.path();
    fs::write(here.join("notes.txt"), "mine").unwrap();
    for (args, message, help) in [
        (&["--pcap", "R1->R3"][..], "no link or node R1->R3", "did you mean R1->R2"),
        (&["--pcap", "R1->R2="], "names no file", "NAME=FILE"),
        (&["--pcap", "R1", "--pcap", "R1=a.pcapng"], "R1 is given twice", "give each once"),
        (&["--pcap", "R1", "--no-save"], "no results are stored", "--pcap 'R1=R1.pcapng'"),
        (&["--pcap", "R1=notes.txt"], "notes.txt exists", "another file"),
    ] {
        rejected(&run(here, &[&["run", "small.toml"], args].concat()), &[message, help]);
    }
    assert_eq!(fs::read_to_string(here.join("notes.txt")).unwrap(), "mine");
    assert!(!here.join("results").exists(), "nothing was run");
}

/// The marks of the bottleneck, seen behind it; SACK, window scale and timestamps of a
/// connection whose opening is put in; IPv4 headers with the right checksum; UDP.
#[test]
fn headers_say_what_was_simulated() {
    if !has_tshark("headers say what was simulated") {
        return;
    }
    let temp = small("tcp.ecn = true\n\n[[background]]\nname = \"u\"\nrate = \"100kbit\"\n");
    let here = temp.path();
    let red = ["--set", "dumbbell.queue={ policy = 'red', limit = '50pkt', ecn = true }"];
    let args = ["run", "small.toml", "--set", "profile=linux", "--pcap", "R2"];
    ok(&run(here, &[&args[..], &red].concat()));
    let capture = here.join("results/small/captures/R2.pcapng");
    let count = |filter: &str| tshark(&capture, filter, &["frame.number"]).len() as f64;
    let summary = summary(here);
    let link = &summary["links"][0];
    assert_eq!(link["name"], "R1->R2");
    let marked = link["marked"]["mean"].as_f64().unwrap();
    let from = "frame.interface_name == \"R1->R2\" && ip.dsfield.ecn == 3";
    // what is on its way at the end was marked and has not arrived: at most the queue
    let seen = count(from);
    assert!(marked >= 10.0 && seen <= marked && seen >= marked - 2.0, "{seen} of {marked}");
    assert!(count("tcp.options.sack.count > 0") > 0.0);
    assert_eq!(count("ip.checksum.status != 1 || _ws.malformed"), 0.0);
    assert!(count("udp && !udp.length.bad") > 0.0);
    let filter = "tcp.flags.syn == 1 && tcp.flags.ack == 0";
    let fields = ["tcp.options.wscale.shift", "tcp.options.sack_perm"];
    let opened: BTreeMap<Vec<String>, usize> =
        tshark(&capture, filter, &fields).into_iter().fold(BTreeMap::new(), |mut all, row| {
            *all.entry(row).or_default() += 1;
            all
        });
    // RFC 7323, section 2.3: 14 is the most; RFC 2018, section 2: kind 4, length 2
    assert_eq!(opened, [(vec!["14".to_owned(), "0402".to_owned()], 2)].into());
    assert_eq!(count("tcp && !tcp.options.timestamp.tsval"), 0.0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_without_room_ends_the_run_and_is_told() {
    let temp = small("");
    let here = temp.path();
    let full = run(here, "run small.toml --no-save --pcap R1=/dev/full");
    assert_eq!(full.status.code(), Some(1), "{}", err(&full));
    assert!(err(&full).contains("cannot write /dev/full: No space left"), "{}", err(&full));
}

#[test]
fn captures_go_where_they_are_to_and_away_with_their_results() {
    let temp = small("");
    let here = temp.path();
    let args = "run small.toml --out out --replicates 2";
    ok(&run(here, &format!("{args} --pcap R1->R2 --pcap R1=own.pcapng")));
    assert!(here.join("out/captures/R1-R2.pcapng").is_file());
    assert!(here.join("own.pcapng").is_file() && !here.join("out/captures/R1.pcapng").exists());
    // nothing is run, nothing captured
    noted(&run(here, &format!("{args} --resume --pcap R1")), &["nothing was captured"]);
    ok(&run(here, &format!("{args} --force")));
    assert!(!here.join("out/captures").exists(), "it was of the results before");
}

/// Every data packet comes to the bottleneck, so all that is sent again is there.
#[test]
#[cfg(all(target_os = "linux", feature = "testbed"))]
fn tshark_sees_what_a_measured_run_sent_again() {
    let name = "tshark sees what a measured run sent again";
    if !has_tshark(name) || !super::testbed::can_make_hosts(name) {
        return;
    }
    let temp = small("");
    let here = temp.path();
    let set = ["--set", "profile=linux", "--set", "flows.0.cc=cubic", "--set", "flows.0.stop=3s"];
    let args = ["testbed", "small.toml", "--force", "--out", "results/small", "--pcap", "R1->R2"];
    super::testbed::left_alone("one of three is whole", || {
        let done = run(here, &[&args[..], &set].concat());
        let whole = !err(&done).contains("no time to write");
        let counted = summary(here)["total"]["retransmissions"]["mean"].as_f64().unwrap();
        let capture = here.join("results/small/captures/R1-R2.pcapng");
        let seen = tshark(&capture, AGAIN, &["tcp.stream"]).len() as f64;
        (whole && counted >= 1.0 && seen == counted).then_some(())
    });
}

/// `-` would be a file of this name.
#[test]
fn a_capture_does_not_go_to_stdout() {
    let dir = super::small();
    for flag in [["--pcap", "R1->R2=-"], ["--qlog", "a=-"]] {
        rejected(
            &run(dir.path(), &[&["run", "small.toml", "--no-save"], &flag[..]].concat()),
            &["cannot go to stdout"],
        );
        assert!(!dir.path().join("-").exists());
    }
}
