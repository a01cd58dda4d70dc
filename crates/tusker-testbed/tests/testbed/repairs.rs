//! Loss episodes and timeouts as seen on the wire, compared with the kernel's counters.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::rights;
use tusker_plan::observe::address;
use tusker_plan::plan::Plan;
use tusker_plan::run;
use tusker_scenario::Scenario;
use tusker_testbed::pump::Pump;
use tusker_testbed::{Connection, Host, Options, ledger};

/// Counters of the kernel for one host: `TcpExt` of /proc/net/netstat.
fn counted(host: &Host) -> BTreeMap<String, u64> {
    let read = || fs::read_to_string("/proc/thread-self/net/netstat").expect("it is there");
    let text = host.run(read).expect("the host is there");
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("TcpExt: "));
    let names = lines.next().expect("names").split_whitespace();
    let values = lines.next().expect("values").split_whitespace();
    names.zip(values).map(|(name, value)| (name.to_owned(), value.parse().unwrap_or(0))).collect()
}

/// One flow for most of the plan's time: what the wire shows, and what the kernel counts.
fn both(plan: &Plan) -> (run::Flow, BTreeMap<String, u64>) {
    let flow = &plan.flows[0];
    let from = plan.links[flow.route[0]].from;
    let to = plan.links[*flow.route.last().expect("it has a way")].to;
    let make = |node: usize| Host::new(&plan.nodes[node], address(node), 1500).expect("a host");
    let ((sender, one), (receiver, other)) = (make(from), make(to));
    let devices = vec![(vec![from], one), (vec![to], other)];
    let pump = Pump::new(plan, 1, 1500, devices, None).expect("devices are there");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let emulator = scope.spawn(|| pump.run(false, |_, _| stop.load(Ordering::Relaxed)));
        let options =
            Options { law: "reno".to_owned(), port: ledger::port(0), ..Options::default() };
        let connection = Connection::begin(&sender, &receiver, &options, None).expect("opens");
        let end = plan.end.nanos();
        thread::sleep(Duration::from_nanos(end));
        let counted = counted(&sender);
        drop(connection);
        stop.store(true, Ordering::Relaxed);
        let seen = emulator.join().expect("it works").expect("devices are there");
        let book = seen.books.into_iter().next().expect("one flow");
        (book.finish(tusker_core::Time::ZERO), counted)
    })
}

/// A path of 10 Mbit/s and 40 ms that loses packets.
fn lossy(loss: &str) -> Plan {
    let text = format!(
        "profile = 'linux'\nduration = '8s'\nmeasure = {{ from = '0s' }}\n\
         [dumbbell]\nrate = '10Mbit'\ndelay = '20ms'\n\
         queue = {{ policy = 'droptail', limit = '4bdp' }}\nloss = {loss}\n\
         access = {{ rate = '1Gbit', delay = '0ms' }}\n[[flows]]\nname = 'a'\ncc = 'reno'\n"
    );
    Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan()).expect("it is right")
}

/// `TCPSackRecovery` counts each fast recovery that starts, `TCPLossProbeRecovery` each
/// loss repaired by a probe, `TCPTimeouts` each expiry of the timer; the kernel counts
/// these independently of us. One episode may be under way when it is read.
fn those_on_the_wire_are_those_that_the_kernel_counts(loss: &str) {
    let (flow, kernel) = both(&lossy(loss));
    let of = |name: &str| kernel.get(name).copied().unwrap_or(0);
    let episodes = of("TCPSackRecovery") + of("TCPLossProbeRecovery");
    let timeouts = of("TCPTimeouts");
    println!(
        "loss {loss}: {} and {} seen, {episodes} and {timeouts} counted",
        flow.episodes, flow.timeouts
    );
    assert!(episodes >= 8, "{episodes} episodes");
    assert!(flow.episodes.abs_diff(episodes) <= 1, "{} seen, {episodes}", flow.episodes);
    assert!(flow.timeouts.abs_diff(timeouts) <= 1, "{} seen, {timeouts}", flow.timeouts);
}

#[test]
fn episodes_on_the_wire_are_those_that_the_kernel_counts() {
    if rights("episodes on the wire are those that the kernel counts") {
        those_on_the_wire_are_those_that_the_kernel_counts("0.005");
    }
}

#[test]
fn so_are_many_of_them_and_timeouts() {
    if rights("many episodes on the wire, and timeouts, are those that the kernel counts") {
        those_on_the_wire_are_those_that_the_kernel_counts("0.03");
    }
}
