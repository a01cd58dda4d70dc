//! A plan on real sockets, from hosts to a run.

use std::ops::ControlFlow;

use crate::support::rights;
use crate::valid::{plan, valid};
use tusker_plan::executor::Job;
use tusker_testbed::{How, can, execute};

const PATH: &str = "profile = 'linux'\nduration = '8s'\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '40ms'\nqueue = { policy = 'droptail', limit = '2bdp' }\n\
    access = { rate = '1Gbit', delay = '0ms' }\n";

#[test]
fn a_flow_fills_its_link() {
    if !rights("a flow fills its link") {
        return;
    }
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'cubic'\n"));
    let (run, audit) = valid(&plan);
    let window = plan.measure_to.since(plan.measure_from).secs();
    // packets of 1500 B at 10 Mbit/s; a queue of two bandwidth-delay products
    // keeps the link busy while a window of 0.7 of it grows again
    let most = 10e6 / 12_000.0 * window;
    let delivered = run.flows[0].delivered as f64;
    assert!(delivered <= most + 1.0, "{delivered} of {most} segments");
    assert!(delivered >= 0.95 * most, "{delivered} of {most} segments");
    assert!(audit.packets as f64 >= delivered, "{audit:?}");
    // one thread, which also waits awake
    assert!(audit.cpu.is_some_and(|cpu| cpu > 0.0 && cpu < 1.05), "{audit:?}");
    // 2 * 40 ms of propagation, and 1500 B at 10 Mbit/s and twice at 1 Gbit/s: 81.224 ms;
    // the kernel adds what it takes to answer
    let rtt = run.flows[0].min_rtt.expect("there were samples").secs();
    assert!((0.0812..0.0862).contains(&rtt), "{rtt} s");
    let total = run.flows[0].total;
    assert_eq!(total.sent, total.arrived + total.dropped + total.in_flight);
}

/// 64 KiB hold 45 segments of 1448 B, and 81.224 ms pass from a segment to its ACK: 554
/// segments per second, two thirds of what the link carries.
#[test]
fn a_buffer_holds_so_much_payload() {
    if !rights("a buffer holds so much payload") {
        return;
    }
    let buffer = "tcp = { send_buffer = '64KiB' }\n";
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n{buffer}"));
    let (run, _) = valid(&plan);
    let window = plan.measure_to.since(plan.measure_from).secs();
    let most = 45.0 / 0.081_224 * window;
    let delivered = run.flows[0].delivered as f64;
    assert!((0.95 * most..=most + 45.0).contains(&delivered), "{delivered} of {most}");
}

/// 4 Mbit/s of payload are 345.3 segments of 1448 B per second, on for half of the time; in
/// the 4 s that are measured (an on period, a pause, ...) 690.6, and one more for each
/// write that a period begins with.
#[test]
fn an_application_writes_at_its_rate() {
    if !rights("an application writes at its rate") {
        return;
    }
    let app = "app = { rate = '4Mbit', on = '500ms', off = '500ms' }\n";
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'cubic'\n{app}"));
    let (run, _) = valid(&plan);
    let delivered = run.flows[0].delivered as f64;
    // what is delivered at the ends of the window comes 81 ms after it was written
    assert!((660.0..=725.0).contains(&delivered), "{delivered}");
}

#[test]
fn flows_share_a_queue_that_marks_nothing_and_drops() {
    if !rights("flows share a queue that marks nothing and drops") {
        return;
    }
    let plan = plan(&format!(
        "{}[[flows]]\nname = 'a'\ncc = 'reno'\ncount = 4\n",
        PATH.replace("droptail', limit = '2bdp'", "codel', limit = '1000pkt'")
    ));
    let (run, _) = valid(&plan);
    let window = plan.measure_to.since(plan.measure_from).secs();
    let delivered: u64 = run.flows.iter().map(|flow| flow.delivered).sum();
    let most = 10e6 / 12_000.0 * window;
    assert!((0.9 * most..=most + 4.0).contains(&(delivered as f64)), "{delivered} of {most}");
    // CoDel drops before the queue is full, and keeps it short
    let bottleneck = plan.links.iter().position(|link| link.name == "R1->R2").unwrap();
    let link = &run.links[bottleneck];
    assert!(link.dropped_early > 0, "{link:?}");
    assert_eq!(link.overflowed, 0, "{link:?}");
    assert_eq!(run.flows.iter().filter(|flow| flow.delivered > 0).count(), 4);
}

#[test]
fn parallel_connections_begin_together() {
    if !rights("parallel connections begin together") {
        return;
    }
    let path = PATH.replace("8s", "3s");
    let plan = plan(&format!(
        "{path}[[flows]]\nname = 'a'\ncc = 'reno'\nparallel = 3\n\
         start = {{ uniform = ['0s', '2s'] }}\n"
    ));
    let (run, _) = valid(&plan);
    let starts: Vec<f64> = run.flows.iter().map(|flow| flow.start.nanos() as f64 * 1e-9).collect();
    // at the very time that is drawn for all of them
    assert!(starts[0] > 0.0 && starts.iter().all(|start| *start == starts[0]), "{starts:?}");
}

#[test]
fn no_connection_waits_for_another_to_open() {
    if !rights("no connection waits for another to open") {
        return;
    }
    let path = PATH.replace("40ms", "400ms").replace("8s", "4s");
    let plan = plan(&format!("{path}[[flows]]\nname = 'a'\ncc = 'reno'\ncount = 8\n"));
    let (run, _) = valid(&plan);
    // a round trip to open and a half for the first data: 1.2 s; one after the other the
    // last would open after 6.4 s
    let silent = run.flows.iter().filter(|flow| flow.total.arrived == 0).count();
    assert_eq!(silent, 0);
}

#[test]
fn segments_are_as_long_as_the_plan_says() {
    if !rights("segments are as long as the plan says") {
        return;
    }
    let path = PATH.replace("8s", "3s");
    let plan = plan(&format!(
        "{path}[[flows]]\nname = 'a'\ncc = 'reno'\n\
         [[flows]]\nname = 'b'\ncc = 'reno'\ntcp = {{ packet = '600B' }}\n"
    ));
    let (run, _) = valid(&plan);
    // were they longer, more payload would arrive than a full segment's for each
    for flow in &run.flows {
        let (arrived, delivered) = (flow.total.arrived as f64, flow.total.delivered as f64);
        assert!(arrived > 100.0 && delivered <= arrived, "{delivered} of {arrived}");
        assert!(delivered >= 0.9 * arrived, "{delivered} of {arrived}");
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let with = |more: &str| plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n{more}"));
    assert_eq!(can(&with("")), Ok(()));
    let udp = "[[background]]\nname = 'u'\nfrom = 'R1'\nto = 'R2'\nrate = '1Mbit'\npacket = ";
    assert_eq!(can(&with(&format!("{udp}'28B'\n"))), Ok(()));
    let refusal = can(&with(&format!("{udp}'27B'\n"))).unwrap_err();
    assert!(refusal.what.contains("headers of IP and UDP"), "{refusal:?}");
    let coming = "[[arrivals]]\nname = 'b'\ncc = 'reno'\nrate = 1\nsize = '1kB'\nconnections = ";
    assert_eq!(can(&with(&format!("{coming}999\n"))), Ok(()));
    let refusal = can(&with(&format!("{coming}1000\n"))).unwrap_err();
    assert!(
        refusal.what.contains("1 flows and up to 1000 simultaneous connections"),
        "{refusal:?}"
    );
    let fast = |rate: &str, gro: &str| {
        let path = PATH.replace("10Mbit", rate).replace("1Gbit", "100Gbit");
        can(&plan(&format!("{path}[[flows]]\nname = 'a'\ncc = 'reno'\n{gro}")))
    };
    let merges = "tcp.gro = true\n";
    assert_eq!([fast("1500Mbit", ""), fast("2500Mbit", merges)], [Ok(()), Ok(())]);
    let refusal = fast("2500Mbit", "").unwrap_err();
    assert!(refusal.what.contains("can carry 1500"), "{refusal:?}");
    assert!(refusal.help.contains("tcp.gro=true"), "{refusal:?}");
    let refusal = fast("10Gbit", merges).unwrap_err();
    assert!(refusal.what.contains("10000 Mbit/s"), "{refusal:?}");
    assert!(!refusal.help.contains("tcp.gro"), "{refusal:?}");
    let many = "[[flows]]\nname = 'b'\ncc = 'reno'\nparallel = 1001\n";
    let refusal = can(&with(many)).unwrap_err();
    assert!(refusal.what.contains("1002 flows"), "{refusal:?}");
    let long =
        plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\ntcp = {{ packet = '40000B' }}\n"));
    let refusal = can(&long).unwrap_err();
    assert!(refusal.what.contains("40000 B"), "{refusal:?}");
}

/// Packets do not say which flow's route they take: only their hosts do.
#[test]
fn flows_of_the_same_hosts_that_take_different_routes_are_refused() {
    let graph = |more: &str, second: &str| {
        plan(&format!(
            "profile = 'linux'\nduration = '8s'\nnodes = ['A', 'B']\n\
             [[links]]\nname = 'short'\nfrom = 'A'\nto = 'B'\nrate = '10Mbit'\ndelay = '5ms'\n\
             queue = '50pkt'\n\
             [[links]]\nname = 'long'\nfrom = 'A'\nto = 'B'\nrate = '10Mbit'\ndelay = '9ms'\n\
             queue = '50pkt'\n\
             [[flows]]\nname = 'a'\ncc = 'reno'\nfrom = 'A'\nto = 'B'\n{more}\n\
             route = [{{ at = '0s', via = ['short'] }}, {{ at = '4s', via = ['long'] }}]\n\
             [[flows]]\nname = 'b'\ncc = 'reno'\nfrom = 'A'\nto = 'B'\n{more}\n{second}\n"
        ))
    };
    let same = "route = [{ at = '0s', via = ['short'] }, { at = '4s', via = ['long'] }]";
    let later = "route = [{ at = '0s', via = ['short'] }, { at = '5s', via = ['long'] }]";
    assert_eq!(can(&graph("", same)), Ok(()));
    for other in ["", later] {
        let refusal = can(&graph("", other)).unwrap_err();
        assert!(
            refusal.what.contains("a.0 and another flow between the same hosts"),
            "{refusal:?}"
        );
        assert!(refusal.help.contains("access links"), "{refusal:?}");
        // with hosts of their own they may
        assert_eq!(can(&graph("access = { rate = '1Gbit' }", other)), Ok(()));
    }
}

/// At 100 Mbit/s a segment of 1500 B comes every 120 us: nine arrive within a millisecond, and are
/// acknowledged as one. Bursts and the clock of timestamps, of a millisecond, end some merges
/// earlier. Without merging, an ACK is for two segments at most (RFC 5681, section 4.2).
#[test]
fn merged_segments_are_acknowledged_as_one() {
    if !rights("merged segments are acknowledged as one") {
        return;
    }
    let per_ack = |gro: &str| {
        let plan = plan(&format!(
            "profile = 'linux'\nduration = '4s'\n[dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\n\
             queue = '1bdp'\naccess = {{ rate = '1Gbit', delay = '0ms' }}\n\
             [[flows]]\nname = 'a'\ncc = 'cubic'\n{gro}"
        ));
        // also if it is invalid: merges depend on calculated times only
        let go_on = &mut |_| ControlFlow::Continue(());
        let done = execute(Job::new(&plan, 1, go_on), How::default());
        let run = done.expect("this machine can").expect("nobody breaks off").run;
        let link = |name| plan.links.iter().position(|link| link.name == name).expect("a link");
        let [data, acks] = ["R1->R2", "R2->R1"].map(|name| run.links[link(name)].sent);
        assert!(data > 8_000, "{data} segments in 2 s");
        data as f64 / acks as f64
    };
    let single = per_ack("");
    assert!((1.5..2.1).contains(&single), "{single}");
    let merged = per_ack("tcp.gro = { segments = 45, wait = '1ms' }\n");
    assert!((4.0..=10.0).contains(&merged), "{merged}");
}
