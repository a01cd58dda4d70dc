//! `tusker shell`: programs experience the path, and leave nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::testbed::can_make_hosts;
use super::{err, flat, out, rejected, run, tusker};

/// 2 (1 + 18 + 1) = 40 ms there and back.
const PATH: &str = "profile = 'linux'\nduration = '8s'\n[dumbbell]\nrate = '10Mbit'\n\
    delay = '18ms'\nqueue = '2bdp'\naccess = { rate = '100Mbit', delay = '1ms' }\n\
    [[flows]]\nname = 'a'\ncc = 'reno'\ncount = 2\n";

const ROLE: &str = "TUSKER_TEST_ROLE";

/// Says of a process whose it is, and of all that it starts.
const MARK: &str = "TUSKER_TEST_MARK";

fn folder(name: &str) -> TempDir {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join(format!("{name}.toml")), PATH).unwrap();
    temp
}

/// This program as a server or a client.
fn role(name: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("{ROLE}={name} {} --exact shell::plays_its_role --nocapture", program.display())
}

/// No test of its own: what the others run inside.
#[test]
fn plays_its_role() {
    match std::env::var(ROLE).as_deref() {
        Ok("echo") => {
            // for both families, unless this kernel has no IPv6
            let socket = UdpSocket::bind("[::]:7000").or_else(|_| UdpSocket::bind("0.0.0.0:7000"));
            let (socket, mut bytes) = (socket.unwrap(), [0; 100]);
            while let Ok((length, from)) = socket.recv_from(&mut bytes) {
                socket.send_to(&bytes[..length], from).unwrap();
            }
        }
        Ok(asks @ ("ask" | "asks" | "asks6")) => {
            let six = asks == "asks6";
            let socket = UdpSocket::bind(if six { "[::]:0" } else { "0.0.0.0:0" }).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            // by name
            socket.connect(if six { "peer6:7000" } else { "peer:7000" }).unwrap();
            let times = (0..if asks == "ask" { 1 } else { 5 }).map(|_| {
                let begin = Instant::now();
                socket.send(&[0; 100]).unwrap();
                socket.recv(&mut [0; 100]).unwrap();
                begin.elapsed().as_micros()
            });
            // this machine may be busy
            println!("\nround trip {} us", times.min().unwrap());
        }
        Ok("reach") => {
            let address = std::env::var("TUSKER_REACH").unwrap();
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(b"hello").unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            socket.connect(&address).unwrap();
            let begin = Instant::now();
            socket.send(&[0; 100]).unwrap();
            socket.recv(&mut [0; 100]).unwrap();
            println!("\nround trip {} us", begin.elapsed().as_micros());
            println!("\nat {address} said {text}");
        }
        _ => {}
    }
}

#[test]
fn a_client_meets_the_path_to_a_server() {
    if !can_make_hosts("a client meets the path to a server") {
        return;
    }
    let temp = folder("path");
    let ask = format!("echo $TUSKER_HOST $TUSKER_PEER; {}; exit 7", role("ask"));
    let server = role("echo");
    let done =
        run(temp.path(), &["shell", "path.toml", "--serve", &server, "--", "sh", "-c", &ask]);
    assert_eq!(done.status.code(), Some(7), "{}", err(&done));
    let text = out(&done);
    // two routers are before the hosts
    assert!(text.starts_with("a.0.src 10.0.0.4\n"), "{text}");
    let round = round_trip(&text);
    // 40 ms; 128 B at 10 Mbit/s and twice at 100 Mbit/s, there and back: 0.25 ms
    assert!(round >= 40_245, "{round} us");
    let told = err(&done);
    assert!(told.contains("a.0.dst  10.0.0.4  peer"), "{told}");
    // whatever else hosts say, 128 B went both ways
    assert!(told.contains("R1->R2: 1 packets, 0.000128 MB"), "{told}");
    assert!(told.contains("R2->R1: 1 packets, 0.000128 MB"), "{told}");
    assert!(
        told.contains("emulator: ") && told.contains(" % of the time (emulator CPU "),
        "{told}"
    );
}

/// The round trip of a datagram, in microseconds.
fn round_trip(text: &str) -> u64 {
    let round = text.lines().find_map(|line| line.strip_prefix("round trip ")).expect("an answer");
    round.strip_suffix(" us").unwrap().parse().unwrap()
}

#[test]
fn a_path_needs_no_file() {
    let temp = TempDir::new().unwrap();
    // 1504 B per ms there are 12 Mbit/s, and back half of that
    fs::write(temp.path().join("up"), "1\n").unwrap();
    fs::write(temp.path().join("down"), "2\n").unwrap();
    let path = ["shell", "--rtt", "40ms", "--queue", "codel", "--loss", "0.01"];
    let printed =
        run(temp.path(), &[&path[..], &["--rate", "10mbit", "--print-scenario"]].concat());
    fs::write(temp.path().join("same.toml"), out(&printed)).unwrap();
    let both = "loss = 0.01\nreverse = { loss = 0.01 }";
    assert!(out(&printed).contains(both), "{}", out(&printed));
    let checked = run(temp.path(), "check same.toml");
    assert_eq!(checked.status.code(), Some(0), "{}", err(&checked));
    for (args, words) in [
        (&["--rate", "1mbit"][..], "--rtt"),
        (&["--rtt", "1ms", "--trace", "up", "down", "--rate", "1mbit"], "cannot be used with"),
        (&["--rtt", "1ms", "--trace", "none", "down", "--", "true"], "--trace: cannot read"),
        (&["--rtt", "1ms", "--buffer", "1pk", "--", "true"], "--buffer: "),
        (&["path.toml", "--rtt", "1ms"], "cannot be used with"),
    ] {
        rejected(&run(temp.path(), &[&["shell"], args].concat()), &[words]);
    }
    if !can_make_hosts("a path needs no file") {
        return;
    }
    let (server, client) = (role("echo"), role("ask"));
    let ask = ["--serve", &server, "--", "sh", "-c", &client];
    let done = run(temp.path(), &[&path[..5], &["--rate", "10mbit"], &ask].concat());
    // 40 ms; 128 B at 10 Mbit/s and twice at 100 Mbit/s, there and back: 0.25 ms
    assert!(round_trip(&out(&done)) >= 40_245, "{} {}", out(&done), err(&done));
    let done = run(temp.path(), &[&path[..3], &["--trace", "up", "down"], &ask].concat());
    assert!(round_trip(&out(&done)) >= 40_000, "{} {}", out(&done), err(&done));
}

#[test]
fn a_server_of_this_machine_is_reached_across_the_path() {
    let temp = TempDir::new().unwrap();
    for (reach, words) in [("192.0.2.1:80", "loopback"), ("0", "loopback"), ("x", "--reach x")] {
        if !can_make_hosts("only servers of this machine are reached") {
            break;
        }
        let shell = ["shell", "--rtt", "1ms", "-q", "--reach", reach, "--", "true"];
        rejected(&run(temp.path(), &shell), &[words]);
    }
    if !can_make_hosts("a server of this machine is reached across the path") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = UdpSocket::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        let mut bytes = [0; 100];
        while let Ok((length, from)) = socket.recv_from(&mut bytes) {
            socket.send_to(&bytes[..length], from).unwrap();
        }
    });
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut text = String::new();
            // until the client closes its direction
            stream.read_to_string(&mut text).unwrap();
            stream.write_all(text.to_uppercase().as_bytes()).unwrap();
        }
    });
    let client = role("reach");
    let reach = port.to_string();
    let shell = ["shell", "--rtt", "40ms", "-q", "--reach", &reach, "--", "sh", "-c", &client];
    let done = run(temp.path(), &shell);
    let (text, at) = (out(&done), format!("at 10.0.0.4:{port} "));
    // one round trip to open, one for the answer
    assert!(text.contains(&at) && text.contains(" said HELLO"), "{text} {}", err(&done));
    assert!(round_trip(&text) >= 40_000, "{text}");
}

#[test]
fn a_server_may_take_its_time() {
    if !can_make_hosts("a server may take its time") {
        return;
    }
    let temp = TempDir::new().unwrap();
    let server = format!("sleep 1; {}", role("echo"));
    let shell = |wait: &str| {
        let shell =
            ["shell", "--rtt", "1ms", "--serve-wait", wait, "--serve", &server, "--", "true"];
        err(&run(temp.path(), &shell))
    };
    assert!(shell("100ms").contains("note: nothing listens at peer after 100ms (--serve-wait)"));
    assert!(!shell("60s").contains("nothing listens"));
}

#[test]
fn a_session_leaves_a_page_lines_and_packets() {
    if !can_make_hosts("a session leaves a page, lines and packets") {
        return;
    }
    let temp = TempDir::new().unwrap();
    let (server, client) = (role("echo"), format!("{}; sleep 1.5", role("asks")));
    let shell = ["shell", "--rate", "10mbit", "--rtt", "40ms", "--serve", &server, "--out", "kept"];
    let wanted = ["--pcap", "R1->R2", "--record", "arrivals.csv", "--", "sh", "-c", &client];
    let done = run(temp.path(), &[&shell[..], &wanted].concat());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let read = |name: &str| fs::read_to_string(temp.path().join(name)).unwrap();
    let summary: Value = serde_json::from_str(&read("kept/summary.json")).unwrap();
    let link = &summary["links"][0];
    // five datagrams of 128 B each way
    assert_eq!((&link["link"], &link["packets"]), (&json!("R1->R2"), &json!(5)), "{summary}");
    assert_eq!(summary["links"][1]["bytes"], json!(640));
    let lines = read("kept/links.csv");
    let rows: Vec<Vec<&str>> = lines.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "time_s,link,throughput_bps,delay_s,queue_pkt,dropped,marked");
    assert!(rows[1][1] == "R1->R2" && rows[2][1] == "R2->R1", "{lines}");
    // 128 B at 10 Mbit/s take 102.4 us, and the lines cover all that was carried
    assert_eq!(rows[1][3], "0.000102");
    assert!(read("kept/report.html").contains("delay in queue and transmission"));
    assert!(read("kept/graph.svg").starts_with("<svg"));
    assert!(run(temp.path(), "check kept/scenario.toml").status.success());
    assert!(fs::metadata(temp.path().join("kept/captures/R1-R2.pcapng")).unwrap().len() > 5 * 40);
    assert_eq!(read("arrivals.csv").matches(",128,,false,passed").count(), 5);
    let again = "shell --rtt 1ms --out kept -- true";
    rejected(&run(temp.path(), again), &["kept is not empty"]);
}

#[test]
fn a_program_meets_the_flows_of_a_scenario() {
    if !can_make_hosts("a program meets the flows of a scenario") {
        return;
    }
    let temp = folder("flows");
    let server = role("echo");
    let goodput = |wait: &str| {
        let client = format!("sleep {wait}; {}", role("ask"));
        let shell = ["shell", "flows.toml", "--set", "flows.0.count=1", "--with-flows"];
        let ask = ["--serve", &server, "--set", "flows.0.start=0s", "--", "sh", "-c", &client];
        let done = run(temp.path(), &[&shell[..], &ask].concat());
        let told = err(&done);
        let line =
            told.lines().find_map(|line| line.strip_prefix("a.0: goodput ").map(str::to_owned));
        let line = line.unwrap_or_else(|| panic!("{told}"));
        let mbit: f64 = line.strip_suffix(" Mbit/s").unwrap_or("0").parse().unwrap();
        (mbit, round_trip(&out(&done)))
    };
    let (mbit, round) = goodput("3");
    // a flow alone fills 10 Mbit/s: 1448 of 1500 B are payload. Its queue of up to 2 BDP is
    // before the datagram, too: of the 40 ms that it takes without, it is longer by some
    assert!((6.0..9.66).contains(&mbit), "{mbit} Mbit/s");
    assert!(round > 45_000, "{round} us");
}

#[test]
fn shells_within_shells_are_in_series() {
    if !can_make_hosts("shells within shells are in series") {
        return;
    }
    let temp = TempDir::new().unwrap();
    let program = env!("CARGO_BIN_EXE_tusker");
    let server = role("echo");
    let delays = ["40ms", "20ms", "10ms"];
    let six = Path::new("/proc/net/if_inet6").exists();
    for (depth, least) in [(1, 40_000), (2, 60_000), (3, 70_000)] {
        let mut args = vec!["shell", "--rtt", delays[0], "-q", "--serve", &server, "--"];
        for delay in &delays[1..depth] {
            args.extend([program, "shell", "-q", "--rtt", delay, "--"]);
        }
        for asks in ["asks", "asks6"].into_iter().take(1 + usize::from(six)) {
            let client = role(asks);
            let done = run(temp.path(), &[&args[..], &["sh", "-c", &client]].concat());
            let round = round_trip(&out(&done));
            assert!((least..least + 10_000).contains(&round), "{depth} {asks}: {round} us");
        }
    }
    // two at the same time do not disturb each other, and a server within is outside of them
    let (client, inner) = (role("asks"), format!("{program} shell -q --rtt 10ms -- sh -c"));
    let both = format!("{inner} '{client}' & {inner} '{client}'; wait");
    let both =
        run(temp.path(), &["shell", "--rtt", "40ms", "--serve", &server, "--", "sh", "-c", &both]);
    assert_eq!(out(&both).matches("round trip 5").count(), 2, "{} {}", out(&both), err(&both));
}

#[test]
fn others_join_and_watch_until_it_ends() {
    if !can_make_hosts("others join and watch until it ends") {
        return;
    }
    let temp = folder("joined");
    let mut shell = tusker(temp.path())
        .args(["shell", "joined.toml", "--flow", "a.1", "--", "sh", "-c", "echo ready; read x"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let number = shell.id().to_string();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    for (args, host) in [(&[][..], "a.1.dst"), (&["--host", "a.0.src"][..], "a.0.src")] {
        let say = ["--", "sh", "-c", "echo $TUSKER_HOST; exit 3"];
        let args = [&["shell", "--join", &number][..], args, &say].concat();
        let joined = run(temp.path(), &args);
        assert_eq!((joined.status.code(), out(&joined)), (Some(3), format!("{host}\n")));
    }
    rejected(
        &run(temp.path(), &["shell", "--join", &number, "--host", "R1"]),
        &["the shell has no host R1"],
    );

    let piped = |args: &[&str]| {
        let mut command = tusker(temp.path());
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut watch = piped(&["shell", "--watch", "joined"]);
    let mut joined = piped(&["shell", "--join", &number, "--", "sh", "-c", "echo in; sleep 600"]);
    let mut line = String::new();
    BufReader::new(joined.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "in\n");
    let mut lines = BufReader::new(watch.stdout.take().unwrap());
    line.clear();
    lines.read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split("  ").collect();
    assert_eq!(
        words[1..],
        ["R1->R2", "0 bit/s", "queue 0 pkt", "delay -", "dropped 0", "marked 0\n"],
        "{line}"
    );
    // what it reads ends, and so do all
    drop(shell.stdin.take());
    assert_eq!(shell.wait().unwrap().code(), Some(1));
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    assert_eq!(joined.wait().unwrap().code(), Some(1));
}

/// Processes with this mark.
fn marked(mark: &str) -> Vec<PathBuf> {
    let wanted = format!("{MARK}={mark}");
    let list = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    list.filter(|process| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes())
    })
    .collect()
}

/// The network namespaces that these processes are in or hold open.
fn namespaces(processes: impl Iterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let list = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    for process in processes {
        for thread in list(process.join("task")) {
            found.extend(fs::read_link(thread.path().join("ns/net")));
        }
        let files = list(process.join("fd")).flat_map(|entry| fs::read_link(entry.path()));
        found.extend(files.filter(|file| file.to_string_lossy().starts_with("net:[")));
    }
    found
}

fn all_processes() -> impl Iterator<Item = PathBuf> {
    fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path())
}

/// What of this is there after a while.
fn left(mark: &str, made: &BTreeSet<PathBuf>) -> Option<String> {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let (processes, there) = (marked(mark), namespaces(all_processes()));
        let namespaces: Vec<_> = made.intersection(&there).collect();
        if processes.is_empty() && namespaces.is_empty() {
            return None;
        }
        if Instant::now() > end {
            return Some(format!("{processes:?} {namespaces:?}"));
        }
        sleep(Duration::from_millis(5));
    }
}

/// SIGKILL, after a look at what it has made by then: it is stopped meanwhile.
fn killed(mut child: Child) -> BTreeSet<PathBuf> {
    let number = child.id().to_string();
    let stopped = Command::new("kill").args(["-STOP", &number]).status().unwrap();
    assert!(stopped.success());
    let own = namespaces([PathBuf::from("/proc/self")].into_iter());
    let made = namespaces([PathBuf::from(format!("/proc/{number}"))].into_iter());
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    made.difference(&own).cloned().collect()
}

#[test]
fn nothing_stays_of_what_is_killed_at_any_moment() {
    if !can_make_hosts("nothing stays of what is killed at any moment") {
        return;
    }
    let temp = folder("killed");
    let mut chance = 7_u64;
    let mut most = 0;
    for moment in 0..20 {
        let mark = format!("{}-{moment}", std::process::id());
        // one child leaves its session, as servers do
        let command = ["sh", "-c", "setsid sleep 600 & echo ready; sleep 600"];
        let mut child = tusker(temp.path());
        // both that make hosts, by turns
        match moment % 2 {
            0 => child.args(["shell", "killed.toml", "-q", "--"]).args(command),
            _ => child.args(["testbed", "killed.toml", "-q"]),
        };
        let child = child.env(MARK, &mark).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        // some are killed while hosts are made
        // Knuth's generator; its upper bits are the good ones
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let wait = (chance >> 33) % 400;
        sleep(Duration::from_millis(wait));
        if moment % 10 == 0 {
            // this one is at work
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        }
        let made = killed(child);
        most = most.max(made.len());
        assert_eq!(left(&mark, &made), None, "moment {moment}, after {wait} ms");
    }
    // 4 hosts were there at some of these moments
    assert_eq!(most, 4);
}

/// What a machine has of devices, mounts and sockets with a program's number in their name, and
/// what a folder has of files.
fn state(dir: &Path, number: u32) -> Vec<String> {
    let lines = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let names = |dir: &Path| -> Vec<String> {
        let all = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut all: Vec<_> = all.map(|entry| entry.path().display().to_string()).collect();
        all.sort();
        all
    };
    let number = number.to_string();
    let sockets = lines("/proc/net/unix");
    // the name is the last column; an address of the kernel may contain any number
    let names_of = sockets.lines().filter_map(|line| line.split_whitespace().nth(7));
    let sockets = names_of.filter(|name| {
        name.contains("tusker") && name.split(|c: char| !c.is_ascii_digit()).any(|n| n == number)
    });
    let mounts = lines("/proc/self/mounts");
    let all = [names(Path::new("/sys/class/net")), names(dir), names(&dir.join("tmp"))].concat();
    let owned = sockets.chain(mounts.lines()).map(str::to_owned);
    all.into_iter().chain(owned).collect()
}

/// 128 and the number of the signal; 7 is the command's own.
#[test]
fn nothing_stays_after_the_end_or_a_signal() {
    if !can_make_hosts("nothing stays after the end or a signal") {
        return;
    }
    let temp = folder("ended");
    fs::create_dir(temp.path().join("tmp")).unwrap();
    for (signal, code) in [(None, 7), (Some("TERM"), 143), (Some("HUP"), 129)] {
        let mark = format!("{}-{code}", std::process::id());
        let script = "setsid sleep 600 & echo ready; read _; exit 7";
        let words = ["shell", "ended.toml", "-q", "--", "sh", "-c", script];
        let mut command = tusker(temp.path());
        command.args(words).env(MARK, &mark).env("TMPDIR", temp.path().join("tmp"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let before = state(temp.path(), 0);
        let mut child = command.spawn().unwrap();
        let number = child.id();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        let own = namespaces([PathBuf::from("/proc/self")].into_iter());
        let made = namespaces([PathBuf::from(format!("/proc/{number}"))].into_iter());
        let made: BTreeSet<PathBuf> = made.difference(&own).cloned().collect();
        assert!(!made.is_empty(), "it has hosts");
        match signal {
            None => drop(child.stdin.take()),
            Some(signal) => {
                let sent = Command::new("kill").args(["-s", signal, &number.to_string()]).status();
                assert!(sent.unwrap().success());
            }
        }
        let status = child.wait().unwrap();
        let ended = status.code().or_else(|| Some(128 + status.signal()?));
        assert_eq!(ended, Some(code), "{signal:?}");
        assert_eq!(left(&mark, &made), None, "{signal:?}");
        assert_eq!(state(temp.path(), number), before, "{signal:?}");
    }
}

#[test]
fn it_needs_no_root() {
    const TEST: &str = "it needs no root";
    if !can_make_hosts(TEST) {
        return;
    }
    let temp = folder("user");
    fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = temp.path().join("tusker");
    fs::copy(env!("CARGO_BIN_EXE_tusker"), &program).unwrap();
    // as on machines where all users may have the device
    let script = "mount -t tmpfs none /mnt && mknod -m 666 /mnt/tun c 10 200 && \
        mount --bind /mnt/tun /dev/net/tun && \
        exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"";
    let as_nobody = |args: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script, "sh"]).arg(&program).args(args);
        command.current_dir(temp.path()).env("NO_COLOR", "1").output().expect("util-linux is here")
    };
    let inside = ["--", "sh", "-c", "cat /proc/self/uid_map; grep -c 'peer$' /etc/hosts"];
    let done = as_nobody(&[&["shell", "user.toml"][..], &inside].concat());
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let text = out(&done);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words, ["0", "65534", "1", "1"], "root inside is nobody outside");
    assert!(err(&done).contains("; without real-time scheduling"), "{}", err(&done));
    assert!(err(&done).contains("in a user namespace"), "{}", err(&done));

    let checked = as_nobody(&["check", "user.toml", "--plane", "testbed"]);
    assert!(err(&checked).contains("would run in a user namespace"), "{}", err(&checked));
    let checked = run(temp.path(), "check user.toml --plane testbed");
    assert!(err(&checked).contains("the testbed would run as root"), "{}", err(&checked));
    rejected(
        &as_nobody(&["testbed", "user.toml", "--set", "flows.0.cc=hcc"]),
        &["only root may load it"],
    );
    let mut shell = tusker(temp.path());
    shell.args(["shell", "user.toml", "-q", "--", "sh", "-c", "echo ready; read x"]);
    let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    for how in ["--join", "--watch"] {
        let refused = as_nobody(&["shell", how, &shell.id().to_string()]);
        assert!(out(&refused).is_empty(), "{how} shows root's to nobody");
        let told = flat(&err(&refused));
        assert!(how == "--watch" || told.contains("root's shells are for root"), "{told}");
    }
    drop(shell.stdin.take());
    assert!(shell.wait().is_ok());
    // the run itself may be called invalid, on a busy machine
    let measured =
        as_nobody(&["testbed", "user.toml", "--set", "duration=2s", "--no-save", "--explain"]);
    let text = out(&measured);
    assert!(text.contains("\nuser: measured from 1 s to 2 s"), "{}", err(&measured));
    let mut lines = text.lines().skip_while(|line| !line.ends_with("real time"));
    lines.next().expect("the table of the emulator");
    assert!(lines.next().is_some_and(|line| line.ends_with(" no")), "{text}");
}

#[test]
fn mistakes_are_told() {
    let temp = folder("wrong");
    let known: &[(&[&str], &str)] = &[
        (&["shell", "wrong.toml", "--host", "a.0.srk"], "did you mean a.0.src?"),
        (&["shell", "wrong.toml", "--host", "R1"], "the scenario has no host R1"),
        (&["shell", "wrong.toml", "--flow", "b"], "the scenario has no flow b"),
        (&["shell"], "SCENARIO.toml"),
        (&["shell", "-"], "name a file, or a command"),
    ];
    for (args, words) in known {
        rejected(&run(temp.path(), args), &[words]);
    }
    for how in ["--join", "--watch"] {
        let refused = run(temp.path(), &["shell", how, "nobody's"]);
        assert_eq!(refused.status.code(), Some(2), "{how}: {}", err(&refused));
        // a shell of another test may be running
        let none = ["no `tusker shell` is running here", "there is no running shell nobody's"];
        assert!(none.iter().any(|none| err(&refused).contains(none)), "{}", err(&refused));
    }
    if !can_make_hosts("programs that cannot be started are told") {
        return;
    }
    // the exit codes of programs that cannot be started are those of shells
    for (args, code, words) in [
        (&["--", "no-such-program"][..], 127, "cannot start no-such-program"),
        (&["--", "./wrong.toml"][..], 126, "cannot start ./wrong.toml"),
        (&["--serve", "exit 4", "--", "true"][..], 2, "with exit code 4: exit 4"),
    ] {
        let refused = run(temp.path(), &[&["shell", "wrong.toml", "-q"][..], args].concat());
        assert_eq!(refused.status.code(), Some(code), "{}", err(&refused));
        assert!(err(&refused).contains(words), "{}", err(&refused));
    }
}

#[test]
fn each_set_of_parameters_is_a_law_of_its_own() {
    let test = "each_set_of_parameters_is_a_law_of_its_own";
    if !can_make_hosts(test) {
        return;
    }
    let kernel = tusker(Path::new(".")).get_program().to_owned();
    if !PathBuf::from(kernel).with_file_name("tusker-kernel").exists() {
        assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here");
        eprintln!("skipped: {test}: needs tusker-kernel, which `make kernel` builds");
        return;
    }
    let temp = folder("laws");
    let flow = |name: &str, cc: &str| format!("[[flows]]\nname = '{name}'\ncc = {cc}\n");
    let flows = [
        flow("b", "'ghstcp'"),
        flow("c", "{ name = 'ghstcp', z = 2 }"),
        flow("d", "{ name = 'ghstcp', z = 2 }"),
        flow("e", "'ghstcp-refined'"),
    ];
    fs::write(temp.path().join("laws.toml"), format!("{PATH}{}", flows.concat())).unwrap();
    let available = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let shell = run(temp.path(), &["shell", "laws.toml", "--", "cat", available]);
    let text = out(&shell);
    // the law, the process that loaded it, a number
    let parts =
        |law: &str| law.strip_prefix("ghstc_")?.split_once('_').map(|(of, _)| of.to_owned());
    let mut of: BTreeMap<String, usize> = BTreeMap::new();
    text.split_whitespace()
        .filter_map(parts)
        .for_each(|process| *of.entry(process).or_default() += 1);
    // two and the refined one, each once; other processes may have theirs
    let ours = of.iter().find(|(_, laws)| **laws == 3);
    let (process, _) = ours.unwrap_or_else(|| panic!("{text} {}", err(&shell)));
    // and they are gone
    let after = fs::read_to_string(available).unwrap();
    assert!(!after.contains(&format!("ghstc_{process}")), "{after}");
}
