//! `iperf3` as the client: the goodput that it reports, compared with the wire.

mod rights;

use std::env;
use std::fs;
use std::io::{Write as _, stderr};
use std::ops::ControlFlow;
use std::process::{self, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rights::rights;
use tusker_core::Time;
use tusker_plan::executor::Job;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_testbed::{Client, How, Limits, Measured, can_with, execute};

fn iperf3() -> How {
    How { client: Client::Iperf3, ..How::default() }
}

const PATH: &str = "profile = 'linux'\nduration = '7s'\nmeasure = { from = '2s' }\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\nqueue = { policy = 'droptail', limit = '2bdp' }\n\
    access = { rate = '1Gbit', delay = '0ms' }\n";

fn plan(text: &str) -> Plan {
    Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).expect("it is right")
}

/// Whether the program is installed.
fn installed(test: &str) -> bool {
    let there = Command::new("iperf3").arg("--version").output().is_ok();
    if !there {
        assert!(env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped: no iperf3");
        writeln!(stderr(), "skipped: {test}: needs iperf3").expect("stderr is open");
    }
    there
}

#[test]
fn iperf3_and_the_wire_agree() {
    const TEST: &str = "iperf3 and the wire agree";
    if !rights(TEST) || !installed(TEST) {
        return;
    }
    let plan = plan(&format!(
        "{PATH}[[flows]]\nname = 'a'\ncc = 'cubic'\nparallel = 2\n\
         [[flows]]\nname = 'b'\ncc = 'reno'\nstart = '1s'\n\
         tcp = {{ packet = '1000B', send_buffer = '64KiB', receive_buffer = '64KiB' }}\n"
    ));
    let mut tries = 0;
    let Measured { run, iperf3, .. } = loop {
        let done = execute(Job::new(&plan, 1, &mut |_| ControlFlow::Continue(())), iperf3());
        let done = done.expect("this machine can").expect("nobody breaks off");
        let faults = done.audit.faults(&Limits::of(&plan));
        if faults.is_empty() {
            break done;
        }
        tries += 1;
        assert!(tries < 3, "three invalid runs: {}", faults.join("; "));
    };
    assert_eq!(iperf3.len(), 3);
    let window = plan.measure_to.since(plan.measure_from).secs();
    let (mut all, mut theirs) = (0.0, 0.0);
    for ((flow, said), planned) in run.flows.iter().zip(&iperf3).zip(&plan.flows) {
        let payload = planned.tcp.payload().get() as f64;
        all += flow.delivered as f64 * payload * 8.0 / window;
        theirs += said.goodput;
        // 37 bytes that name the connection come before the counted data, and data in
        // flight at the end is missing: at most the path and its queue, three times 25 kB,
        // and what arrives within 60 ms before it is read
        let wire = flow.total.delivered as f64 * payload;
        let unread = wire - said.bytes as f64;
        assert!((-2_000.0..150e3).contains(&unread), "{said:?}, {wire} on the wire");
    }
    // at either end of the window up to 75 kB have arrived out of order, which iperf3 reads
    // later than the wire counts them; 2 % of 5 s are 119 kB
    assert!((theirs / all - 1.0).abs() < 0.02, "{theirs} said, {all} on the wire");
    assert!(all > 0.9 * 10e6 * 0.94, "{all} bit/s");
}

#[test]
fn a_flow_that_stops_is_refused() {
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\nstop = '3500ms'\n"));
    assert_eq!(can_with(&plan, Client::Ours), Ok(()));
    let refusal = can_with(&plan, Client::Iperf3).unwrap_err();
    assert!(refusal.what.contains("whole seconds"), "{refusal:?}");
}

/// Tells a process that it is the one to be killed.
const CHILD: &str = "TUSKER_TESTBED_IPERF3_TO_BE_KILLED";

/// Running processes of iperf3 whose parent is this one.
fn children_of(parent: u32) -> Vec<u32> {
    let numbers = fs::read_dir("/proc").expect("it is there").flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|&process| stat(process).is_some_and(|(from, _)| from == parent)).collect()
}

/// Parent and state of a process of iperf3.
fn stat(process: u32) -> Option<(u32, char)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let rest = text.split_once("(iperf3) ")?.1;
    let mut words = rest.split_whitespace();
    let state = words.next()?.chars().next()?;
    Some((words.next()?.parse().ok()?, state))
}

#[test]
fn its_processes_end_with_the_run() {
    const TEST: &str = "its_processes_end_with_the_run";
    if !rights(TEST) || !installed(TEST) {
        return;
    }
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n"));
    if env::var_os(CHILD).is_some() {
        let _ = execute(Job::new(&plan, 1, &mut |_| ControlFlow::Continue(())), iperf3());
        return;
    }
    // the run is interrupted
    let mut there = 0;
    let progress = &mut |now: Time| {
        there = there.max(children_of(process::id()).len());
        if now.nanos() > 500_000_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let done = execute(Job::new(&plan, 1, progress), iperf3());
    assert!(done.expect("this machine can").is_none());
    assert!(there >= 2, "{there} processes");
    // and the process is killed
    let mut child = Command::new(env::current_exe().expect("a path"))
        .args(["--exact", TEST])
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("this program runs again");
    let end = Instant::now() + Duration::from_secs(20);
    let mut made = Vec::new();
    while made.len() < 2 {
        assert!(Instant::now() < end, "{made:?}");
        made = children_of(child.id());
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it runs");
    child.wait().expect("it is gone");
    // the process that inherits them may take a while to notice their end
    let runs = |process: &&u32| stat(**process).is_some_and(|(_, state)| !"ZX".contains(state));
    while made.iter().any(|process| runs(&process)) {
        assert!(Instant::now() < end, "killed, and still there");
        sleep(Duration::from_millis(5));
    }
}
