//! A stored file that has changed is never read as good: flipped bits, changed digits and cut
//! ends, in every file of every kind of folder. And nothing is read that is no file of the
//! folder, or longer than what is read may be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::reproduce::small_paper;
use super::{SMALL, err, flat, in_shell, ok, rejected, run, run_with_input, small};

/// The next of a fixed row of numbers, below a limit (SplitMix64).
fn next(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) % below as u64) as usize
}

/// The stored files below a folder. Pages and summaries are made of them for people, and each
/// line of a journal has a check sum of its own.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if name != "runs" {
                    folders.push(path);
                }
            } else if !name.starts_with('.') && !name.ends_with(".html") && name != "summary.json" {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The content with one thing changed.
fn changed(whole: &[u8], how: usize, random: &mut u64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
    match how {
        0 if !digits.is_empty() => {
            let at = digits[next(random, digits.len())];
            bytes[at] = if bytes[at] == b'9' { b'1' } else { bytes[at] + 1 };
        }
        1 => bytes.truncate(next(random, whole.len())),
        _ => {
            let bit = next(random, 8 * whole.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    bytes
}

/// How many changes of the files of `x` were tried; each is refused by whatever reads the
/// file, and by each of the commands `again` together.
fn tried(here: &Path, again: &[String], random: &mut u64) -> usize {
    let x = here.join("x");
    let pages = |out: &Output| {
        let mut made = Vec::new();
        if out.status.success() {
            for folder in [x.clone(), x.join("buffer-0.2bdp"), x.join("buffer-1bdp")] {
                made.push(
                    ["report.html", "figures.html"].map(|name| fs::read(folder.join(name)).ok()),
                );
            }
        }
        (out.status.code(), made)
    };
    let page = || pages(&run(here, "report x"));
    ok(&run(here, "report x"));
    let whole_page = page();
    let (nested, mut all): (Vec<PathBuf>, Vec<PathBuf>) =
        files(&x).into_iter().partition(|path| path.strip_prefix(&x).unwrap().iter().count() > 3);
    // of many rows and replicates some stand for all
    all.extend((0..6.min(nested.len())).map(|_| nested[next(random, nested.len())].clone()));
    let mut tried = 0;
    for path in all {
        let whole = fs::read(&path).unwrap();
        for how in 0..5 {
            let bytes = changed(&whole, how, random);
            if bytes == whole {
                continue;
            }
            tried += 1;
            fs::write(&path, &bytes).unwrap();
            let what = format!("change {how} of {}", path.display());
            let (code, made) = page();
            assert!([Some(0), Some(2)].contains(&code), "{what}: report ends with {code:?}");
            assert!(made.is_empty() || made == whole_page.1, "{what}: the page shows it");
            let ended: Vec<_> = again.iter().map(|args| run(here, args)).collect();
            let refused = ended.iter().any(|output| output.status.code() == Some(2));
            let told: String = ended.iter().map(err).collect();
            assert!(refused || again.is_empty(), "{what}: {told}");
            fs::write(&path, &whole).unwrap();
        }
    }
    // as it was
    assert!(page() == whole_page);
    tried
}

#[test]
fn a_changed_file_is_never_read_as_good() {
    let temp = TempDir::new().unwrap();
    let here = temp.path();
    small_paper(here);
    fs::write(here.join("small.toml"), SMALL).unwrap();
    let plan = super::plan::SMALL;
    let mut random = 20_261_128;
    let mut all = 0;
    // made by these commands, and read by the same with these words
    for (made, more) in [
        (&["run small.toml --replicates 2"][..], "--resume"),
        (&["run small.toml --replicates 2 --tables csv"], "--resume"),
        (&["compare --cc reno --against cubic --rate 10mbit --rtt 20ms --duration 4s"], "--resume"),
        (&["sweep small.toml --over cc=reno,hstcp"], ""),
        (&["sweep small.toml --over cc=reno,hstcp --tables csv"], ""),
        (&[plan], ""),
        (&[&format!("{plan} --buffer 0.2bdp,1bdp")], ""),
        (&["reproduce small --figure 1,2", "reproduce small --compare-readings"], ""),
    ] {
        let made = made.iter().map(|args| format!("{args} --out x"));
        made.clone().for_each(|args| drop(ok(&run(here, &args))));
        let again: Vec<String> = made.map(|args| format!("{args} {more}")).collect();
        all += tried(here, &again, &mut random);
        fs::remove_dir_all(here.join("x")).unwrap();
    }
    super::watched::watch(&here.join("x"));
    all += tried(here, &[], &mut random);
    assert!(all > 250, "only {all} changes were tried");
}

/// A recording is given back as it was, and so is what `--recorded` reads.
#[test]
fn recorded_results_that_changed_are_refused() {
    let temp = TempDir::new().unwrap();
    let here = temp.path();
    small_paper(here);
    ok(&run(here, "reproduce small --out x --compare-readings"));
    for (name, more) in [("reproduction.json", None), ("readings.json", Some("--compare-readings"))]
    {
        let path = here.join("x").join(name);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.replacen('9', "8", 1)).unwrap();
        let args = ["reproduce", "small", "--recorded", "x"].into_iter().chain(more);
        rejected(&run(here, &args.clone().collect::<Vec<_>>()), &["is damaged"]);
        fs::write(&path, whole).unwrap();
        ok(&run(here, &args.collect::<Vec<_>>()));
    }
}

/// Whatever is read has a limit, if it comes through a pipe, too.
#[test]
#[cfg(unix)]
fn input_without_an_end_is_refused() {
    let temp = TempDir::new().unwrap();
    let here = temp.path();
    small_paper(here);
    fs::write(here.join("small.toml"), SMALL).unwrap();
    ok(&run(here, "sweep small.toml --over cc=reno --out x"));
    // a comment of 5 MiB
    let long = "#".repeat(5 << 20);
    for args in ["check -", "run - --no-save", "sweep - --over cc=reno"] {
        rejected(&run_with_input(here, args, long.as_bytes()), &["MiB"]);
    }
    fs::create_dir(here.join("p")).unwrap();
    fs::copy(here.join("small.toml"), here.join("p/suite.toml")).unwrap();
    for (file, to) in [("x/link.csv", "/dev/zero"), ("full.csv", "/dev/zero")] {
        std::os::unix::fs::symlink(to, here.join(file)).unwrap();
    }
    // what would be read for ever takes no more memory than this: 600 MB
    let limit = "ulimit -v 1500000; exec timeout 100 \"$0\" \"$@\"";
    let limited = |args: &str| in_shell(here, limit, args);
    for args in [
        "reproduce small --recorded /dev/zero",
        "reproduce small --recorded full.csv",
        "reproduce /dev/zero",
        "check /dev/zero",
    ] {
        rejected(&limited(args), &["help:"]);
    }
    for name in ["manifest.json", "sweep.json", "runs.parquet", "runs/1.jsonl", "runs/claims"] {
        let path = here.join("x").join(name);
        let whole = fs::read(&path).unwrap();
        for pipe in [false, true] {
            fs::remove_file(&path).unwrap();
            match pipe {
                true => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                false => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            }
            let report = limited("report x --out page.html");
            let again = limited("sweep small.toml --over cc=reno --out x");
            assert_eq!(again.status.code(), Some(2), "{name}: {}", err(&again));
            let told = err(&again);
            assert!(told.contains("link") || told.contains("pipe"), "{told}");
            let end = report.status.code();
            assert!([Some(0), Some(1), Some(2)].contains(&end), "{end:?}");
        }
        fs::remove_file(&path).unwrap();
        fs::write(path, whole).unwrap();
    }
    // the target of a link is not cut, nor written to
    fs::write(here.join("mine"), "my own notes").unwrap();
    fs::remove_file(here.join("x/runs/1.jsonl")).unwrap();
    std::os::unix::fs::symlink("../../mine", here.join("x/runs/1.jsonl")).unwrap();
    rejected(&run(here, "sweep small.toml --over cc=reno,cubic --out x"), &[]);
    assert_eq!(fs::read_to_string(here.join("mine")).unwrap(), "my own notes");
}

/// `sweep` and `plan` have no --resume: the same command continues.
#[test]
#[cfg(unix)]
fn a_full_disk_is_told_with_what_to_do_for_this_command() {
    let temp = small();
    for args in ["sweep small.toml --over cc=reno,hstcp", super::plan::SMALL] {
        let args = &format!("{args} --out x");
        let ended = in_shell(temp.path(), "trap '' XFSZ; ulimit -f 2", args);
        assert_eq!(ended.status.code(), Some(1), "{args:?}: {}", err(&ended));
        let told = flat(&err(&ended));
        assert!(told.contains("repeat the command: finished runs are kept"), "{told}");
        assert!(told.contains("--resume if it is `run`"), "{told}");
        // and so it is
        ok(&run(temp.path(), args));
        fs::remove_dir_all(temp.path().join("x")).unwrap();
    }
}

/// The main thread's stack is as small as the user's limit says.
#[test]
#[cfg(target_os = "linux")]
fn a_small_stack_is_enough() {
    let temp = small();
    for args in [
        "--version",
        "run small.toml --out x --quiet",
        "report x --quiet",
        "explain ghstcp",
        "compare --help",
    ] {
        let ended = in_shell(temp.path(), "ulimit -s 64", args);
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {}", err(&ended));
    }
}
