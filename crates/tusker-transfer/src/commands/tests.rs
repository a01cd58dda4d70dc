use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process;
use std::thread::sleep;
use std::time::Duration;

use super::*;
use crate::{Ask, Words};

/// The commands of one row, and what they are called.
fn row(words: &Words<'_>) -> Vec<Command> {
    let long = Words { size: "200TB", rate: "10gbit", rtt: "160ms", buffer: "64MB", ..*words };
    asked(&long, None)
}

fn asked(words: &Words<'_>, goodput: Option<PlanRate>) -> Vec<Command> {
    let ask = Ask::read(words).expect("a question");
    let way = &ask.ways()[0];
    commands(way, &ask.on, &settings(way, &ask.on), goodput)
}

fn words<'a>(today: &'a str) -> Words<'a> {
    Words { today, laws: "reno", streams: "1", ..Words::default() }
}

/// The lines for a host in these steps, as a shell gets them.
fn pasted(commands: &[Command], on: Host, steps: &[Step]) -> String {
    let own = commands.iter().filter(|c| c.on == on && steps.contains(&c.step));
    own.map(|c| format!("# {}\n{}\n", c.why, c.line)).collect()
}

const ALL: [Step; 4] = [Step::Prepare, Step::Test, Step::Transfer, Step::Undo];

/// Where the commands write on the hosts; here a temporary folder is all of them.
const PLACES: [&str; 4] = ["/etc/", "/var/lib/", "/var/log/", "/run/"];

fn bash(script: &str, more: &[&str]) -> (bool, String) {
    let output =
        process::Command::new("bash").args(more).arg("-c").arg(script).output().expect("bash");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), text)
}

/// 10 Gbit/s x 160 ms are 200 MB, with the buffer 264 MB; `enough` is twice that, and the
/// kernel's bookkeeping doubles it: 1,056 MB, 1,008 MiB rounded up, for one connection.
/// Sixteen share what is in flight, so they need no more: 1,056 MB in pages of 4,096 bytes
/// are 257,812.5.
#[test]
fn socket_buffers_and_memory_are_those_of_the_path() {
    let lines = row(&words("16xcubic-linux"));
    let text = pasted(&lines, Host::Sender, &ALL);
    for part in [
        "sysctl -w net.core.wmem_max=1056964608",
        "sysctl -w net.ipv4.tcp_wmem='4096 16384 1056964608'",
        "528 MB of payload",
        "may use 1.06 GB of RAM",
        "-ge 257813 ||",
        "sysctl -w net.ipv4.tcp_congestion_control=cubic\n",
        "iperf3 -c \"$RECEIVER\" -P 16 -C cubic",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // 16 connections with 4 MB each have 8 MiB of the kernel's: 134,217,728 bytes
    let lines = row(&Words { socket_buffer: "4MB", ..words("16xcubic-linux") });
    let text = pasted(&lines, Host::Receiver, &ALL);
    assert!(text.contains("connection may grow to: 4 MB of payload"), "{text}");
    assert!(text.contains("may use 134 MB of RAM"), "{text}");
}

/// 20 Mbit/s x 40 ms are 100 kB: 800 kB would be enough; at least 6 MiB are set.
#[test]
fn settings_are_not_lowered_where_little_is_enough() {
    let words = Words { size: "1GB", rate: "20mbit", rtt: "40ms", ..words("cubic-linux") };
    let text = pasted(&asked(&words, None), Host::Receiver, &ALL);
    assert!(text.contains("net.core.rmem_max=6291456\n"), "{text}");
    assert!(!text.contains("tcp_mem='"), "{text}");
}

/// What comes of the test is of use only beside what should come.
#[test]
fn the_test_of_the_path_has_an_expected_rate() {
    let words = Words { size: "1TB", rate: "10gbit", rtt: "80ms", ..words("bbr1") };
    let goodput = Some(PlanRate { mean_bps: 2.04e9, ci95_bps: None });
    let text = pasted(&asked(&words, goodput), Host::Sender, &[Step::Test]);
    // 10 Gbit/s x 80 ms
    assert!(text.contains("2.040 Gbit/s") && text.contains("buffer than 100 MB"), "{text}");
}

/// Linux's own module keeps its parameters; ours is loaded with those of the plan.
#[test]
fn parameters_that_linux_does_not_get_are_named() {
    let text = pasted(&row(&words("cubic-linux:beta=800")), Host::Sender, &[Step::Prepare]);
    assert!(text.contains("simulated it with beta=800; these commands do not set that"), "{text}");
    let text = pasted(&row(&words("ghstcp:z=2")), Host::Sender, &[Step::Prepare]);
    assert!(text.contains("load ghstcp --z 2 ") && !text.contains("do not set that"), "{text}");
}

#[test]
fn what_was_loaded_is_unloaded() {
    let lines = row(&words("4xghstcp"));
    let undo = pasted(&lines, Host::Sender, &[Step::Undo]);
    assert!(undo.contains("tusker kernel unload ghstcp"), "{undo}");
    let undo = pasted(&row(&words("bbr1")), Host::Sender, &[Step::Undo]);
    assert!(undo.contains("modprobe -r tcp_bbr"), "{undo}");
}

#[test]
fn a_shell_reads_every_line() {
    for today in ["cubic-linux", "4xbbr1", "16xghstcp-refined", "2xbbr3", "3xcopa"] {
        let lines = row(&words(today));
        for on in [Host::Receiver, Host::Sender] {
            let text = pasted(&lines, on, &ALL);
            let left = text.split('@').any(|part| part.starts_with(|c: char| c.is_uppercase()));
            assert!(!left, "a name is not filled in:\n{text}");
            assert_eq!(bash(&text, &["-n"]), (true, String::new()), "{text}");
            let most = text.lines().filter(|line| !line.starts_with('#')).map(str::len).max();
            assert!(most <= Some(76), "{most:?} columns:\n{text}");
        }
    }
}

/// The programs are functions here that write down what they were asked.
#[test]
fn pasting_twice_keeps_the_settings_and_deals_every_file_once() {
    let temp = tempfile::tempdir().expect("a folder");
    let dir = temp.path();
    fs::create_dir_all(dir.join("out/a b")).expect("a folder");
    for (name, bytes) in [("a b/4", 4), ("a b/3", 3), ("2 ", 2), ("1", 1)] {
        fs::write(dir.join("out").join(name), vec![0; bytes * 1_000]).expect("a file");
    }
    let lines = row(&words("2xcubic-linux"));
    let at = |text: String| -> String {
        let root = dir.display();
        let text = PLACES.iter().fold(text, |text, place| text.replace(place, &format!("{root}/")));
        text.replace("FROM=/data/out", &format!("FROM={root}/out"))
    };
    let functions = format!(
        "cd {}; echo before > state\n\
         sysctl() {{ if [ \"$1\" = -w ]; then echo after > state; else cat state; fi; }}\n\
         iperf3() {{ :; }}\n\
         rsync() {{ for word; do case \"$word\" in\n\
         --files-from=*) tr '\\0' '\\n' < \"${{word#*=}}\" > \"sent.${{word##*.}}\";; esac; done; }}\n",
        dir.display()
    );
    for (host, on) in [(Host::Receiver, "receiver"), (Host::Sender, "sender")] {
        let text = at(pasted(&lines, host, &ALL[..3]));
        let (done, said) = bash(&format!("{functions}{text}{text}"), &[]);
        assert!(done && said.is_empty(), "{on}: {said}\n{text}");
        assert_eq!(read(dir, &format!("tusker-{on}.conf")), "before\n", "{on}");
    }
    assert_eq!(read(dir, "tusker-rsyncd.conf").lines().nth(2), Some("path = /data/in"));
    // the largest to the first, the next to the second, and again: 6 kB and 4 kB
    assert_eq!(read(dir, "sent.aa"), "./a b/4\n./2 \n");
    assert_eq!(read(dir, "sent.ab"), "./a b/3\n./1\n");
    let undo = at(pasted(&lines, Host::Sender, &[Step::Undo]));
    assert!(bash(&format!("{functions}{undo}"), &[]).0, "{undo}");
    let left = fs::read_dir(dir).expect("a folder").flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    let files = left.iter().filter(|name| name.to_string_lossy().starts_with("tusker-files"));
    assert_eq!(files.count(), 0, "{left:?}");
    assert!(!dir.join("tusker-sender.conf").exists());
}

/// rsync is here; where not, one line says so, or the test fails where that is not allowed.
fn has_rsync(test: &str) -> bool {
    if process::Command::new("rsync").arg("--version").output().is_ok() {
        return true;
    }
    assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here");
    eprintln!("skipped: {test}: needs rsync, which `make setup-rsync` installs");
    false
}

/// Both hosts are this one: the server listens on a free port of the loopback, everything
/// lies in one folder, and everybody is who runs the test.
#[test]
fn rsync_moves_every_file_with_what_is_printed() {
    if !has_rsync("rsync moves every file with what is printed") {
        return;
    }
    for today in ["cubic-linux", "3xcubic-linux"] {
        let temp = tempfile::tempdir().expect("a folder");
        let dir = temp.path();
        fs::create_dir_all(dir.join("out/a b")).expect("a folder");
        fs::create_dir(dir.join("in")).expect("a folder");
        let files = ["a b/4", "a b/\u{e4} *", "2 ", "-1", ".hidden"];
        for (n, name) in files.iter().enumerate() {
            fs::write(dir.join("out").join(name), vec![b'x'; n * 70_000]).expect("a file");
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let at = |text: String| -> String {
            let root = dir.display();
            let text =
                PLACES.iter().fold(text, |text, place| text.replace(place, &format!("{root}/")));
            text.replace("=/data/", &format!("={root}/"))
                .replace("SENDER=192.0.2.1", "SENDER=127.0.0.1")
                .replace("RECEIVER=192.0.2.2", &format!("RECEIVER=127.0.0.1:{port}"))
                .replace(
                    "PASSWORD=fill-in",
                    &format!("PASSWORD=$(cut -d : -f 2 {root}/tusker-rsync.secret)"),
                )
                .replace("'uid = root' 'gid = root'", "\"uid = $(id -u)\" \"gid = $(id -g)\"")
                .replace(
                    "rsync --daemon",
                    &format!("rsync --daemon --address=127.0.0.1 --port={port}"),
                )
        };
        let lines = row(&words(today));
        let functions =
            format!("cd {}; sysctl() {{ :; }}; iperf3() {{ :; }}; tc() {{ :; }}\n", dir.display());
        let receiver = at(pasted(&lines, Host::Receiver, &ALL[..3]));
        let sender = at(pasted(&lines, Host::Sender, &ALL[..3]));
        // the password, which stays when the lines are pasted again
        let paste = || {
            let (done, said) = bash(&format!("{functions}{receiver}"), &[]);
            assert!(done && said.is_empty(), "{said}\n{receiver}");
            read(dir, "tusker-rsync.secret")
        };
        let secret = paste();
        let password = secret.trim_end().strip_prefix("tusker:").expect("the name of the user");
        assert!(password.len() == 32 && password.chars().all(|c| c.is_ascii_hexdigit()));
        // the server is there when it has written its number and takes connections
        let pid = dir.join("tusker-rsyncd.pid");
        for _ in 0..1_000 {
            let there = fs::read_to_string(&pid).is_ok_and(|pid| pid.ends_with('\n'));
            if there && TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            sleep(Duration::from_millis(10));
        }
        assert_eq!(paste(), secret);
        // twice, as after a break
        let (done, said) = bash(&format!("{functions}{sender}{sender}"), &[]);
        assert!(done && said.is_empty(), "{today}: {said}\n{sender}");
        // one file was cut: the start of it is there, and still that of a cut one
        let cut = dir.join("in").join(files[4]);
        fs::write(&cut, vec![b'x'; 1_000]).expect("a file");
        assert!(sender.contains("`-a --append-verify` instead of `-aW --inplace`"));
        let again = sender.replace("-aW --inplace", "-a --append-verify");
        let (done, said) = bash(&format!("{functions}{again}"), &[]);
        let undo = at(pasted(&lines, Host::Receiver, &[Step::Undo]));
        let undo = bash(&format!("{functions}{undo}"), &[]);
        assert!(done && said.is_empty(), "{today}: {said}\n{sender}");
        for (n, name) in files.iter().enumerate() {
            let got = fs::read(dir.join("in").join(name)).unwrap_or_default();
            assert_eq!(got.len(), n * 70_000, "{today}: {name}");
        }
        assert!(undo.0, "{}", undo.1);
        assert!(!dir.join("tusker-rsyncd.conf").exists());
        assert!(!dir.join("tusker-rsync.secret").exists());
    }
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The kernel spreads packets by `fq`: at the rate of a law that has one, and in front of a short
/// buffer at twice a connection's share of the 10 Gbit/s at most.
#[test]
fn packets_are_paced_where_the_law_or_a_short_buffer_asks_for_it() {
    let fq = |today: &str, buffer| {
        let words = Words { size: "200TB", rate: "10gbit", rtt: "160ms", buffer, ..words(today) };
        let lines = asked(&words, None);
        let text = pasted(&lines, Host::Sender, &ALL);
        let line = text.lines().find(|line| line.contains("root fq")).map(str::trim);
        assert_eq!(line.is_some(), text.contains("tc qdisc del dev"), "{text}");
        line.map(str::to_owned)
    };
    assert_eq!(fq("cubic-linux", "1bdp"), None);
    assert_eq!(fq("bbr1", "1bdp").as_deref(), Some("root fq"));
    assert_eq!(fq("cubic-linux", "0.1bdp").as_deref(), Some("root fq maxrate 10000000000bit"));
    assert_eq!(fq("8xcubic-linux", "0.1bdp").as_deref(), Some("root fq maxrate 2500000000bit"));
}
