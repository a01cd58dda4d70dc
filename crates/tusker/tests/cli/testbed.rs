//! `tusker testbed`: what it prints, and what it refuses.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{err, run};

const PATH: &str = "profile = 'linux'\nduration = '8s'\n[dumbbell]\nrate = '10Mbit'\n\
    delay = '40ms'\nqueue = '2bdp'\naccess = { rate = '100Mbit', delay = '1ms' }\n";

fn with(flows: &str) -> TempDir {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("path.toml"), format!("{PATH}{flows}")).unwrap();
    temp
}

/// Hosts can be made here; where not, one line says so, or the test fails where that is
/// not allowed.
pub fn can_make_hosts(test: &str) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let root = status.lines().any(|line| line.starts_with("CapEff:") && line.ends_with("fffff"));
    if root && Path::new("/dev/net/tun").exists() {
        return true;
    }
    assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here");
    eprintln!("skipped: {test}: needs root and /dev/net/tun");
    false
}

#[test]
fn measured_and_simulated_stand_beside_each_other() {
    if !can_make_hosts("measured and simulated stand beside each other") {
        return;
    }
    let temp = with("[[flows]]\nname = 'a'\ncc = 'cubic'\n");
    // a machine that does something else meanwhile gets three chances
    let done = (0..3)
        .map(|_| run(temp.path(), &["testbed", "path.toml", "--compare"]))
        .find(|done| done.status.success())
        .expect("one of three runs is valid");
    let text = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(text.starts_with("path: measured from 4 s to 8 s; one run, seed 1"), "{text}");
    let row = text.lines().last().unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((words[0], words[3]), ("a", "Mbit/s"), "{row}");
    // 10 Mbit/s less headers of 52 in 1500 bytes
    let most = 10.0 * 1448.0 / 1500.0;
    for word in &words[1..3] {
        let goodput: f64 = word.parse().unwrap();
        assert!((0.93 * most..=most * 1.001).contains(&goodput), "{row}");
    }
    assert!(err(&done).contains("emulator: "), "{}", err(&done));
}

#[test]
fn what_it_cannot_do_is_named_with_a_remedy() {
    let udp = "[[flows]]\nname = 'a'\ncc = 'reno'\n[[background]]\nname = 'u'\nfrom = 'R1'\n\
        to = 'R2'\nrate = '1Mbit'\n";
    for (flows, words) in [
        (udp, "leave [[background]] out"),
        ("[[flows]]\nname = 'a'\ncc = 'reno'\ncount = 40\n", "have fewer flows"),
        ("[[flows]]\nname = 'a'\ncc = 'copa'\n", "take one of fast, ghstcp"),
    ] {
        let temp = with(flows);
        for args in [&["testbed", "path.toml"][..], &["check", "path.toml", "--plane", "testbed"]] {
            let refused = run(temp.path(), args);
            assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
            assert!(err(&refused).contains(words), "{}", err(&refused));
            assert!(refused.stdout.is_empty());
        }
        assert!(run(temp.path(), &["check", "path.toml"]).status.success());
    }
    let temp = with("[[flows]]\nname = 'a'\ncc = 'ghstcp'\n");
    assert!(run(temp.path(), &["check", "path.toml", "--plane", "testbed"]).status.success());
}
