//! Links and routes that change, against hand arithmetic.

use crate::support::{parse, run_ahead};
use tusker_plan::run::Run;

/// Runs with and without computing ahead must be the same.
fn run(text: &str) -> Run {
    let plan = parse(text);
    let (ahead, by_the_clock) = (run_ahead(&plan, 1, true), run_ahead(&plan, 1, false));
    let seen = |run: &Run| format!("{:?} {:?} {:?}", run.flows, run.background, run.links);
    assert_eq!(seen(&ahead), seen(&by_the_clock), "{text}");
    ahead
}

/// A packet of 1500 B every 10 ms over a link of 12 Mbit/s, where it takes 1 ms: what arrives
/// in this window of milliseconds, what was dropped in it, and the mean queue.
fn datagrams(link: &str, from: u64, to: u64) -> (u64, u64) {
    let run = run(&format!(
        "profile = 'ns2'\nduration = '10s'\nmeasure = {{ from = '{from}ms', to = '{to}ms' }}\n\
         [dumbbell]\nrate = '12Mbit'\nqueue = 'unlimited'\n{link}\n\
         [[background]]\nname = 'u'\nrate = '1.2Mbit'\n"
    ));
    (run.background[0].arrived, run.links[0].dropped_early)
}

#[test]
fn a_delay_that_rises_leaves_a_gap() {
    // what leaves before 5 s arrives by 5.01 s, what leaves later after 5.11 s
    let steps = "delay = [{ at = '0s', delay = '10ms' }, { at = '5s', delay = '110ms' }]";
    assert_eq!(datagrams(steps, 5_012, 5_110).0, 0);
    assert_eq!(datagrams(steps, 5_111, 6_111).0, 100);
    // every 2 s: at 7 s it rises again
    let pattern = "delay = { every = '2s', steps = [{ at = '0s', delay = '10ms' }, \
                   { at = '1s', delay = '110ms' }] }";
    assert_eq!(datagrams(pattern, 7_012, 7_110).0, 0);
    assert_eq!(datagrams(pattern, 5_012, 5_110).0, 0);
}

#[test]
fn a_delay_that_falls_lets_packets_overtake_only_if_it_may() {
    // 101 ms before 5 s, 1 ms after it: in 80 ms arrive 8 or 9 of those under way, and as many
    // that may overtake them; if not, these come with the last of those under way
    let steps = "steps = [{ at = '0s', delay = '100ms' }, { at = '5s', delay = '0s' }]";
    let arrived =
        |reorder| datagrams(&format!("delay = {{ {steps}, reorder = {reorder} }}"), 5_002, 5_085).0;
    assert!((8..=9).contains(&arrived(false)), "{}", arrived(false));
    assert!((16..=18).contains(&arrived(true)), "{}", arrived(true));
}

#[test]
fn an_outage_keeps_or_drops_what_waits() {
    let delay = "delay = '10ms'";
    let down = |waiting: &str| {
        format!("{delay}\ndown = {{ at = '5s', for = '1s', waiting = '{waiting}' }}")
    };
    // 100 packets come within the second and arrive from 6.011 to 6.11 s, with ten others
    assert_eq!(datagrams(&down("keep"), 5_012, 6_010).0, 0);
    let later = datagrams(&down("keep"), 6_010, 6_122);
    assert!((109..=112).contains(&later.0) && later.1 == 0, "{later:?}");
    let (arrived, dropped) = datagrams(&down("drop"), 4_000, 8_000);
    assert!((99..=101).contains(&dropped), "{dropped}");
    assert!((299..=301).contains(&arrived), "{arrived}");
    // a rate of zero is the same as an outage that keeps
    let zero = "rate = [{ at = '0s', rate = '12Mbit' }, { at = '5s', rate = '0bit' }, \
                { at = '6s', rate = '12Mbit' }]";
    let text = format!("{delay}\n{zero}");
    let run = run(&format!(
        "profile = 'ns2'\nduration = '10s'\nmeasure = {{ from = '6010ms', to = '6122ms' }}\n\
         [dumbbell]\nqueue = 'unlimited'\n{text}\n\
         [[background]]\nname = 'u'\nrate = '1.2Mbit'\n"
    ));
    assert_eq!(run.background[0].arrived, later.0);
}

/// One segment at a time: a round trip takes 1 ms for the segment, 40 B / 12 Mbit/s =
/// 26.667 us for its ACK, and the propagation delay twice.
#[test]
fn a_flow_takes_the_route_of_its_time() {
    let text = |changes: &str| {
        format!(
            "profile = 'ns2'\nduration = '10s'\nmeasure = {{ from = '0s' }}\nnodes = ['A', 'B']\n\
             [[links]]\nname = 'short'\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '10ms'\n\
             queue = '9pkt'\n[[links]]\nname = 'long'\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\n\
             delay = '40ms'\nqueue = '9pkt'\n[[flows]]\nname = 'a'\nfrom = 'A'\nto = 'B'\n\
             cc = 'reno'\ntcp.receive_buffer = '1460B'\ntcp.packet = '1500B'\n{changes}"
        )
    };
    let delivered = |changes: &str| run(&text(changes)).flows[0].delivered as f64;
    let near = |found: f64, expected: f64| assert!((found - expected).abs() <= 2.0, "{found}");
    let (short, long) = (21.026_667, 81.026_667);
    near(delivered(""), 10_000.0 / short);
    near(delivered("route = [{ at = '0s', via = ['long'] }]"), 10_000.0 / long);
    let both = "route = [{ at = '0s', via = [] }, { at = '4s', via = ['long'] }]";
    near(delivered(both), 4_000.0 / short + 6_000.0 / long);
    // ACKs on the short way
    let back = "route = [{ at = '0s', via = ['long'], back = ['short.reverse'] }]";
    near(delivered(back), 10_000.0 / 51.026_667);
    let host_time = format!("host_time = '10us'\n{}", text(both));
    assert!(run(&host_time).flows[0].delivered > 250);
}

#[test]
fn packets_in_flight_stay_on_their_route() {
    let text = "profile = 'linux'\nduration = '6s'\nmeasure = { from = '0s' }\nnodes = ['A', 'B']\n\
        [[links]]\nname = 'short'\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '10ms'\n\
        queue = 'unlimited'\n[[links]]\nname = 'long'\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\n\
        delay = '100ms'\nqueue = 'unlimited'\n[[flows]]\nname = 'a'\nfrom = 'A'\nto = 'B'\n\
        cc = 'reno'\ntcp.receive_buffer = '438000B'\n\
        route = [{ at = '0s', via = ['long'] }, { at = '3s', via = ['short'] }]";
    let run = run(text);
    // nothing is lost, but the sender takes packets that were overtaken for lost
    let flow = &run.flows[0];
    assert_eq!((flow.total.dropped, run.links[0].dropped_early), (0, 0));
    assert!(flow.retransmitted > 0, "{flow:?}");
}
