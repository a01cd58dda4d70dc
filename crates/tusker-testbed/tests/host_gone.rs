//! Whatever ends, and in whatever way, no namespace, device, thread or connection remains. This
//! is the only test in the file, because it counts what the whole process has.
#![cfg(target_os = "linux")]

mod support;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::{Pair, rights};
use tusker_testbed::{Connection, Options};

/// Tells a process that it is the one to be killed.
const CHILD: &str = "TUSKER_TESTBED_TO_BE_KILLED";

const NAME: &str = "nothing_is_left_behind";

/// The namespaces that some thread of the machine is in or some process keeps open.
fn namespaces() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let list = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
    for process in list(Path::new("/proc")) {
        for thread in list(&process.join("task")) {
            found.extend(fs::read_link(thread.join("ns/net")));
        }
        let files = list(&process.join("fd")).flat_map(fs::read_link);
        found.extend(files.filter(|file| file.to_string_lossy().starts_with("net:[")));
    }
    found
}

/// Whether any of `those` still exists after a while.
fn any_left(those: &BTreeSet<PathBuf>) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let left = namespaces().intersection(those).next().is_some();
        if !left || Instant::now() > end {
            return left;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The devices of this thread's namespace.
fn devices() -> BTreeSet<String> {
    let table = fs::read_to_string("/proc/net/dev").expect("a table of devices");
    let names = table.lines().filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}

fn count(path: &str) -> usize {
    fs::read_dir(path).expect("readable").count()
}

/// Two hosts and a connection that is sending.
fn busy() -> (Connection, Pair) {
    let pair = Pair::new();
    let mut connection =
        Connection::open(&pair.left, &pair.right, &Options::default()).expect("open");
    connection.start(None).expect("started");
    while connection.received() == 0 {
        connection.wait(Duration::from_millis(1)).expect("in order");
    }
    (connection, pair)
}

fn own(pair: &Pair) -> BTreeSet<PathBuf> {
    let namespace = || fs::read_link("/proc/thread-self/ns/net").expect("a namespace");
    [&pair.left, &pair.right].map(|host| host.run(namespace).expect("entered")).into()
}

#[test]
fn nothing_is_left_behind() {
    if !rights(NAME) {
        return;
    }
    if env::var_os(CHILD).is_some() {
        let (_connection, pair) = busy();
        for namespace in own(&pair) {
            println!("here {}", namespace.display());
        }
        println!("ready");
        thread::sleep(Duration::from_secs(60));
        return;
    }

    let (files, threads, before) = (count("/proc/self/fd"), count("/proc/self/task"), devices());
    let (connection, pair) = busy();
    let made = own(&pair);
    assert_eq!(made.len(), 2);
    assert!(made.is_subset(&namespaces()), "they are seen while they are there");
    assert_eq!(devices(), before, "their devices are theirs alone");
    // in either order
    drop(pair);
    drop(connection);
    assert!(!any_left(&made), "dropped, and still there");
    // a thread that was joined may be listed for a moment
    let end = Instant::now() + Duration::from_secs(5);
    while count("/proc/self/task") > threads && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!((count("/proc/self/fd"), count("/proc/self/task")), (files, threads));

    let mut child = Command::new(env::current_exe().expect("a path"))
        .args(["--exact", NAME, "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program runs again");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let mut made = BTreeSet::new();
    loop {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).expect("text"), 0, "it ended by itself");
        if line.trim_end().ends_with("ready") {
            break;
        }
        made.extend(line.trim_end().split_once("here ").map(|(_, path)| PathBuf::from(path)));
    }
    assert_eq!(made.len(), 2);
    assert!(made.is_subset(&namespaces()), "they are seen while they are there");
    // SIGKILL
    child.kill().expect("it runs");
    child.wait().expect("it is gone");
    lines.read_to_end(&mut Vec::new()).expect("nobody else has its output");
    assert!(!any_left(&made), "killed, and still there");
    assert_eq!(devices(), before);
}
