//! A folder of results can be trusted: it belongs to one process at a time, is checked when it
//! is read, and nothing in it is overwritten unasked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use super::{err, flat, noted, ok, out, run, small, tusker};

/// It was refused as a mistake of the user, with these words in the message.
#[track_caller]
fn refused(dir: &Path, args: &[&str], words: &[&str]) {
    let output = run(dir, args);
    let told: String = flat(&err(&output));
    assert_eq!(output.status.code(), Some(2), "{told}");
    // long lines are broken, also within paths
    let squeezed = |text: &str| text.replace([' ', '│'], "");
    for word in words {
        assert!(squeezed(&told).contains(&squeezed(word)), "`{word}` is not in: {told}");
    }
}

/// Every file of a folder's replicates, and what is in it.
fn stored(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for replicate in fs::read_dir(dir.join("replicates")).unwrap() {
        for file in fs::read_dir(replicate.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let mut content = fs::read(&path).unwrap();
            if path.ends_with("measures.json") {
                // how long it took is another time each time
                let mut value: serde_json::Value = serde_json::from_slice(&content).unwrap();
                value["wall_s"] = 0.into();
                content = value.to_string().into_bytes();
            }
            found.push((path.strip_prefix(dir).unwrap().to_owned(), content));
        }
    }
    found.sort();
    found
}

#[test]
fn runs_that_start_together_never_share_a_folder() {
    let temp = small();
    let laws = ["reno", "hstcp", "scalable", "cubic"];
    let started = laws.map(|cc| {
        let set = format!("flows.a.cc={cc}");
        let args = ["run", "small.toml", "--set", &set, "--quiet"];
        tusker(temp.path()).args(args).stdout(Stdio::null()).spawn().unwrap()
    });
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let mut seen = Vec::new();
    for entry in fs::read_dir(temp.path().join("results")).unwrap() {
        let dir = entry.unwrap().path();
        let text = fs::read_to_string(dir.join("scenario.toml")).unwrap();
        let law = laws.into_iter().find(|cc| text.contains(&format!("cc = \"{cc}\"")));
        let law = law.or_else(|| laws.into_iter().find(|cc| text.contains(cc))).unwrap();
        // what is stored is what this scenario gives
        ok(&run(temp.path(), &["run", &format!("{}/scenario.toml", dir.display()), "--out", law]));
        assert_eq!(stored(&dir), stored(&temp.path().join(law)), "{law}");
        seen.push(law);
    }
    seen.sort_unstable();
    assert_eq!(seen, ["cubic", "hstcp", "reno", "scalable"]);
}

#[test]
#[cfg(unix)]
fn a_folder_in_use_is_refused_until_its_process_is_gone() {
    let temp = small();
    let dir = temp.path().join("used");
    let long = ["--set", "duration=2000s", "--replicates", "500", "--jobs", "2"];
    let args = [&["run", "small.toml", "--out", "used"][..], &long].concat();
    let mut child = tusker(temp.path())
        .args(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !dir.join("replicates/0001").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it runs for long");
        sleep(Duration::from_millis(5));
    }
    for how in ["--force", "--resume"] {
        refused(temp.path(), &[&args[..], &[how]].concat(), &["used is in use by another tusker"]);
    }
    // reading needs no lock
    ok(&run(temp.path(), "report used --out page.html"));
    child.kill().unwrap();
    child.wait().unwrap();
    // the lock went with the process; what is missing gives what it always gives
    let found = fs::read_dir(dir.join("replicates")).unwrap().count().max(2).to_string();
    let args: Vec<&str> = args.iter().map(|&arg| if arg == "500" { &found } else { arg }).collect();
    ok(&run(temp.path(), &[&args[..], &["--resume"]].concat()));
    let whole: Vec<&str> =
        args.iter().map(|&arg| if arg == "used" { "whole" } else { arg }).collect();
    ok(&run(temp.path(), &whole));
    assert_eq!(stored(&dir), stored(&temp.path().join("whole")));
}

#[test]
fn results_of_another_build_are_not_gone_on_with() {
    let temp = small();
    let here = temp.path();
    ok(&run(here, "run small.toml --out old"));
    pretend_another_build(&here.join("old/manifest.json"));
    let args = ["run", "small.toml", "--out", "old", "--replicates", "2", "--resume"];
    refused(here, &args, &["made by another build of tusker", "--force"]);
    // what is there can still be read
    ok(&run(here, "report old"));
}

/// As if a program of other sources had written it.
fn pretend_another_build(manifest: &Path) {
    let text = fs::read_to_string(manifest).unwrap();
    let (build, check) = (line(&text, "build"), line(&text, "check"));
    let bare = text
        .replace(build, &format!("  \"build\": \"{}\",", "0".repeat(64)))
        .replace(check, "  \"check\": \"\"");
    let own = blake3::hash(bare.as_bytes()).to_hex();
    fs::write(manifest, bare.replace("\"check\": \"\"", &format!("\"check\": \"{own}\""))).unwrap();
}

fn line<'a>(text: &'a str, key: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(&format!("  \"{key}\":"))).unwrap()
}

#[test]
fn threads_that_cannot_be_made_are_done_without() {
    let temp = small();
    // no address space has room for such a stack
    noted(
        &tusker(temp.path())
            .env("RUST_MIN_STACK", (1_u64 << 48).to_string())
            .args(["run", "small.toml", "--replicates", "3", "--jobs", "3", "--no-save"])
            .output()
            .unwrap(),
        &["1 of 3 runs at the same time"],
    );
}

#[test]
fn a_scenario_of_dots_overwrites_nothing() {
    let temp = small();
    fs::copy(temp.path().join("small.toml"), temp.path().join("...toml")).unwrap();
    fs::write(temp.path().join("scenario.toml"), "mine").unwrap();
    ok(&run(temp.path(), "run ...toml"));
    assert_eq!(fs::read_to_string(temp.path().join("scenario.toml")).unwrap(), "mine");
    assert!(temp.path().join("results/scenario/summary.json").is_file());
}

#[test]
fn a_run_in_which_nothing_arrives_says_so() {
    let temp = small();
    // a packet takes 10 ms and two times 1 ms to a receiver
    noted(
        &run(temp.path(), "run small.toml --set duration=11ms --no-save"),
        &["nothing reached a receiver"],
    );
    let long = run(temp.path(), "run small.toml --no-save");
    assert!(!err(&long).contains("nothing reached"), "{}", err(&long));
    // UDP alone arrives, too, though it is no flow
    let udp = "profile = \"ns2\"\nduration = \"2s\"\ndumbbell = { rate = \"10Mbit\", delay = \"5ms\", queue = \"50pkt\" }\n\
        [[background]]\nname = \"udp\"\nrate = \"5Mbit\"\npacket = \"1500B\"\n";
    fs::write(temp.path().join("udp.toml"), udp).unwrap();
    let udp = run(temp.path(), "run udp.toml --no-save");
    ok(&udp);
    assert!(!err(&udp).contains("nothing reached"), "{}", err(&udp));
}

#[test]
#[cfg(unix)]
fn a_terminated_comparison_leaves_no_temporary_folder() {
    let temp = small();
    let scratch = temp.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    let long = ["--duration", "2000s", "--replicates", "50", "--jobs", "1", "--report", "r.html"];
    let child = tusker(temp.path())
        .env("TMPDIR", &scratch)
        .args(["compare", "--rate", "10mbit", "--rtt", "20ms", "--cc", "reno"])
        .args(long)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let there = || fs::read_dir(&scratch).unwrap().next().map(|entry| entry.unwrap().path());
    while !there().is_some_and(|dir| dir.join("reno/replicates/0001").exists()) {
        sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").arg(pid).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", err(&output));
    assert_eq!(there(), None);
}

/// A stored result with a number that cannot be, in a folder that says it is whole:
/// more is delivered than sent.
#[test]
fn an_impossible_number_ends_with_an_error_and_keeps_what_was_finished() {
    let temp = small();
    let args = "run small.toml --out odd";
    ok(&run(temp.path(), args));
    let dir = temp.path().join("odd");
    let replace = |path: &Path, from: &str, to: &str| {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    let measures = dir.join("replicates/0001/measures.json");
    let before = hash(&fs::read(&measures).unwrap());
    replace(&measures, "\"utilisation\":{\"value\":", "\"utilisation\":{\"value\":7");
    let manifest = dir.join("manifest.json");
    replace(&manifest, &before, &hash(&fs::read(&measures).unwrap()));
    // its own check: of itself with an empty one
    let text = fs::read_to_string(&manifest).unwrap();
    let check = text.split("\"check\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    replace(&manifest, &check, "");
    let own = hash(&fs::read(&manifest).unwrap());
    replace(&manifest, "\"check\": \"\"", &format!("\"check\": \"{own}\""));
    let output = run(temp.path(), &format!("{args} --resume --replicates 2"));
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = err(&output).replace('│', " ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["an impossible result of `small`", "seed 1", "utilisation", "please report it"] {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
    assert!(out(&output).contains("R1->R2"), "what there is is shown");
    for number in ["0001", "0002"] {
        assert!(dir.join("replicates").join(number).join("measures.json").is_file());
    }
}
