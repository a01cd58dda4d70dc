//! What a law's connection goes through in bad conditions: all packets are lost for a while,
//! all are late for a while, or the application pauses. Each test checks with the counters of
//! `status --json` that the kernel called the law in question.

use std::thread::{scope, sleep};
use std::time::Duration;

use crate::support::flow::Flow;
use crate::support::law::{Loaded, status};
use crate::support::laws;
use crate::support::net::{Bottleneck, Host, Net};
use crate::support::rights::rights;
use crate::support::until;

const BOTTLENECK: Bottleneck = Bottleneck { rate: 100e6, queue: 250_000 };

/// Room for everything: nothing is lost here.
const DEEP: Bottleneck = Bottleneck { rate: 100e6, queue: 2_000_000 };

/// A kilobyte per second: nothing gets through, for as long as a test needs it.
const FROZEN: Bottleneck = Bottleneck { rate: 8e3, queue: 2_000_000 };

/// One of the counters of `status --json`.
fn count(loaded: &Loaded, key: &str) -> u64 {
    let status = status(&loaded.name).expect("it is loaded");
    status[key].as_u64().expect("a count")
}

/// The same for each law, at once.
fn with_each_law(work: impl Fn(&str) + Sync) {
    scope(|scope| {
        for law in laws() {
            let work = &work;
            scope.spawn(move || work(law));
        }
    });
}

fn comes_back_from_an_outage(law: &str) {
    let loaded = Loaded::new(law);
    let net = Net::new(BOTTLENECK);
    let mut flow = Flow::across(&net, &loaded.name);
    flow.send(500_000);
    flow.arrived();
    assert_eq!(count(&loaded, "timeouts"), 0, "{law}");
    net.lose_everything(true);
    flow.send(100_000);
    // RFC 6298: each timeout doubles the time to the next
    until("the timer fires twice", || (flow.number("backoff") >= 2).then_some(()));
    assert_eq!(flow.number("cwnd"), 1, "{law}: RFC 5681, section 3.1: the loss window");
    net.lose_everything(false);
    flow.send(5_000_000);
    flow.arrived();
    // a window that is already in recovery is not cut again
    let cuts = count(&loaded, "timeouts") + count(&loaded, "shrinks");
    assert!(cuts >= 1, "{law}: {:?}", status(&loaded.name));
    assert!(count(&loaded, "states") >= 2, "{law}: into recovery and out of it");
    assert!(flow.number("cwnd") > 1, "{law}");
}

#[test]
fn laws_come_back_from_an_outage() {
    if !rights("laws come back from an outage") {
        return;
    }
    with_each_law(comes_back_from_an_outage);
}

/// Segments: the window and the slow-start threshold.
fn window(flow: &Flow) -> [u64; 2] {
    let info = flow.info();
    let number = |key: &str| info.get(key).map(|value| value.parse().expect("a number"));
    [number("cwnd").expect("every connection has one"), number("ssthresh").unwrap_or(u64::MAX)]
}

/// All segments of a window are late, not lost: the timer fires, and the ACKs of the
/// originals show that this was spurious (RFC 5682). The window is restored.
fn takes_back_what_was_for_nothing(law: &str) {
    let loaded = Loaded::new(law);
    let net = Net::new(DEEP);
    let mut flow = Flow::across(&net, &loaded.name);
    flow.send(500_000);
    flow.arrived();
    net.change(FROZEN);
    flow.send(100_000);
    let before = window(&flow);
    until("the timer fires", || (flow.number("backoff") >= 1).then_some(()));
    net.change(DEEP);
    flow.arrived();
    let after = window(&flow);
    assert_eq!(count(&loaded, "timeouts"), 1, "{law}");
    assert!(count(&loaded, "undone") >= 1, "{law}");
    // a law with its own slow start may have moved on
    assert!(after[0] >= before[0] && after[1] >= before[1], "{law}: {before:?} {after:?}");
}

#[test]
fn laws_take_back_what_was_for_nothing() {
    if !rights("laws undo spurious reductions") {
        return;
    }
    with_each_law(takes_back_what_was_for_nothing);
}

/// RFC 5681, section 4.1: after more than a retransmission timeout without sending, no
/// more than the initial window (10 segments here, RFC 6928) leaves at once.
fn begins_anew_after_a_pause(law: &str) {
    let loaded = Loaded::new(law);
    let net = Net::new(DEEP);
    let mut flow = Flow::across(&net, &loaded.name);
    flow.send(1_000_000);
    flow.arrived();
    let before = flow.number("cwnd");
    assert!(before > 20, "{law}: a window of {before}");
    // the kernel halves the window once per timeout, which is 0.2 s on an idle machine
    let timeout =
        Duration::from_millis(flow.info()["rto"].parse::<f64>().expect("ms").ceil() as u64);
    sleep(timeout * (before as f64 / 10.0).log2().ceil() as u32 + timeout);
    flow.send(1);
    assert_eq!(flow.number("cwnd"), 10, "{law}, after {before}");
    flow.send(1_000_000);
    flow.arrived();
    assert!(flow.number("cwnd") > 20, "{law}: {:?}", flow.info());
}

#[test]
fn laws_begin_anew_after_a_pause() {
    if !rights("laws start again after a pause") {
        return;
    }
    with_each_law(begins_anew_after_a_pause);
}

/// The threshold and the window after a timeout by which 69 segments of 100 kB were sent
/// again; none if the kernel took the timeout back and restored both.
fn after_a_timeout() -> Option<[u64; 2]> {
    let loaded = Loaded::new("westwood");
    let net = Net::new(DEEP);
    // the large window is kept, however long a command of this test takes
    net.set(Host::Sender, "net.ipv4.tcp_slow_start_after_idle=0");
    let mut flow = Flow::across(&net, &loaded.name);
    flow.send(500_000);
    flow.arrived();
    // fills half of the window: the kernel records that the window is not the limit
    assert!(flow.number("cwnd") > 2 * 69);
    net.lose_everything(true);
    flow.send(100_000);
    until("the timer fires", || (flow.number("backoff") >= 1).then_some(()));
    net.lose_everything(false);
    flow.arrived();
    let after = window(&flow);
    println!("{:?}, {:?}", flow.info(), status(&loaded.name));
    // without a threshold, as before the timeout, it was taken back as well
    let stands = count(&loaded, "undone") == 0 && after[1] != u64::MAX;
    stands.then_some([after[1], after[0]])
}

/// While segments wait to be retransmitted, the window holds them back, whatever the
/// connection did before. Westwood+ knows here that the empty path holds few segments: less
/// than two if hosts take 0.2 ms for a round trip at 100 Mbit/s, and four if they take 0.5.
/// So it starts with 1, and grows by one segment per round trip from there on. The 69
/// segments of 100 kB take 1 + 2 + 3 + ... + 11 of these round trips; with a threshold of 4,
/// 1 + 2 + 4 + 5 + ... + 11, and 6 more in one of 12.
#[test]
fn windows_grow_while_lost_segments_are_sent_again() {
    if !rights("windows grow while lost segments are sent again") {
        return;
    }
    let found = (0..3).find_map(|_| after_a_timeout());
    let [ssthresh, cwnd] = found.expect("one timeout of three stands");
    assert!((2..=4).contains(&ssthresh), "a threshold of {ssthresh}");
    assert!((8..=12).contains(&cwnd), "a window of {cwnd}, from {ssthresh} on");
}
