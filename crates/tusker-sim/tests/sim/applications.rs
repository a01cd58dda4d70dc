//! Applications that do not always have data to send, and spurious losses, over whole paths.
//! All seeds are 1.

use crate::support::simulate;
use tusker_core::congestion::ALL;
use tusker_core::params::{Need, Sheet};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

/// 100 Mbit/s and 60 ms, and a group of one flow.
fn over_a_dumbbell(wire: &str, flow: &str) -> (Plan, Run) {
    let rate = if wire.starts_with('[') { wire } else { "'100Mbit'" };
    let wire = if wire.starts_with('[') { "" } else { wire };
    simulate(&format!(
        "profile = 'linux'\nduration = '30s'\nmeasure = {{ from = '10s' }}\n\
         trace = {{ interval = '100ms', links = [] }}\n\
         [dumbbell]\nrate = {rate}\ndelay = '28ms'\nqueue = '1bdp'\n\
         access = {{ rate = '1Gbit', delay = '0.5ms' }}\nreverse = {{ jitter = '0ms' }}\n{wire}\n\
         [[flows]]\nname = 'a'\n{flow}\n"
    ))
}

/// Segments of 1448 bytes that arrived within the 20 s that are measured.
fn segments(text: &str) -> u64 {
    over_a_dumbbell("", text).1.flows[0].arrived
}

/// 20 Mbit/s of payload for 20 s are 50 MB, 34,530.4 segments; with pauses half of the
/// time, half of that; 100 kB are 70 segments, twenty times a second.
#[test]
fn a_connection_carries_what_its_application_writes() {
    let steady = segments("cc = 'cubic'\napp = { rate = '20Mbit' }");
    assert!(steady.abs_diff(34_530) <= 1, "{steady}");
    let paused = segments("cc = 'cubic'\napp = { rate = '20Mbit', on = '1s', off = '1s' }");
    // an on period starts with a write: up to one more for each
    assert!(paused.abs_diff(17_265) <= 11, "{paused}");
    assert_eq!(segments("cc = 'reno'\napp = { write = '100kB', every = '50ms' }"), 20 * 20 * 70);
}

/// The last value that a flow showed.
fn last(run: &Run, quantity: &str) -> f64 {
    let of = run.trace.series.iter().find(|s| s.quantity == quantity);
    *of.and_then(|s| s.values.last()).unwrap_or_else(|| panic!("no {quantity}"))
}

/// Draft-cardwell-iccrg-bbr-congestion-control, section 4.1.1.3 and 4.3.2.2: samples
/// that the application limits do not show that the pipe is full: Startup (0) goes on.
#[test]
fn what_an_application_limits_says_nothing_of_the_path() {
    let (_, run) = over_a_dumbbell("", "cc = 'bbr1'\napp = { rate = '10Mbit' }");
    assert_eq!(last(&run, "state"), 0.0);
    let (_, run) = over_a_dumbbell("", "cc = 'bbr1'");
    assert!(last(&run, "state") > 0.0);
}

/// RFC 5681, section 3.1, and RFC 7661: a sender that does not use its window does not grow
/// it. 20 Mbit/s are 104 segments per round trip of 60 ms; slow start ends at twice that.
#[test]
fn an_unused_window_does_not_grow() {
    for cc in ["reno", "cubic", "hstcp"] {
        let (_, run) = over_a_dumbbell("", &format!("cc = '{cc}'\napp = {{ rate = '20Mbit' }}"));
        let cwnd = last(&run, "cwnd");
        println!("{cc}: {cwnd}");
        assert!((104.0..=212.0).contains(&cwnd), "{cc}: {cwnd}");
    }
}

/// Packets overtake each other by up to 4 ms, which is dozens of them; nothing is lost by
/// that, so a full link is to be expected. Three duplicates turn each late packet into a
/// loss (RFC 6675).
#[test]
fn a_path_that_reorders_costs_little_if_it_is_undone() {
    let wire = "jitter = { distribution = 'uniform', max = '4ms', reorder = true }";
    let mbits = |undo: bool| {
        let flow = format!("cc = 'cubic'\nrecovery = 'sack'\ntcp.undo = {undo}");
        over_a_dumbbell(wire, &flow).1.flows[0].arrived as f64 * 0.012 / 20.0
    };
    let (without, with) = (mbits(false), mbits(true));
    println!("{without} {with}");
    assert!(without < 10.0, "{without}");
    // not all of it: if one repair follows another, it cannot be known
    assert!(with > 75.0, "{with}");
}

/// The link stands still from 12 s to 13.2 s.
const STALL: &str = "[{at='0s',rate='100Mbit'},{at='12s',rate='1kbit'},\
    {at='13.2s',rate='100Mbit'}]";

/// A link that stands still for 1.2 s of 20 s can carry 94 Mbit/s. Everything outstanding
/// times out and none of it is lost. (As in Linux, each ACK that trickles in meanwhile would
/// lengthen the RTO, and nothing would time out.)
#[test]
fn a_path_that_stands_still_costs_no_window_if_it_is_undone() {
    for (recovery, undo, frto, stamps) in [
        ("sack", true, false, true),
        ("rack", true, false, true),
        ("sack", false, true, false),
        ("rack", false, true, false),
    ] {
        let flow = format!(
            "cc = 'cubic'\nrecovery = '{recovery}'\ntcp.initial_ssthresh = 400\n\
             tcp.linux_details = false\ntcp.undo = {undo}\ntcp.frto = {frto}\ntcp.timestamps = {stamps}"
        );
        let flow = &over_a_dumbbell(STALL, &flow).1.flows[0];
        let mbits = flow.arrived as f64 * 0.012 / 20.0;
        println!("{recovery} {mbits} {} {:?}", flow.retransmitted, flow.undone);
        assert!(flow.undone >= Some(1), "{recovery}: {:?}", flow.undone);
        assert!(flow.timeouts > 0 && (93.5..=94.1).contains(&mbits), "{recovery}: {mbits}");
        // those sent before the first ACK showed it, and losses of the first overshoot
        assert!(flow.retransmitted < 30, "{recovery}: {}", flow.retransmitted);
    }
    let flow = "cc = 'cubic'\nrecovery = 'sack'\ntcp.undo = false\ntcp.frto = false";
    let flow = over_a_dumbbell(STALL, flow).1;
    let flow = &flow.flows[0];
    println!("{}", flow.arrived as f64 * 0.012 / 20.0);
    assert!(flow.retransmitted > 300, "all of a window: {}", flow.retransmitted);
    assert_eq!(flow.undone, Some(0));
}

/// After that each law has its old window, up to what its buffers let it use. Swift
/// responds to the long delay itself, by algorithm 1 of its paper: half of the window for a
/// round trip far above its target.
#[test]
fn every_law_comes_back() {
    let routers = |sheet: &&Sheet| sheet.needs.contains(&Need::RouterFeedback);
    for sheet in ALL.iter().filter(|sheet| !routers(sheet)) {
        let slower = STALL.replace("100Mbit", "20Mbit");
        // 150 segments: neither buffers nor the queue of 100 behind 100 lose any
        let flow = format!("cc = '{}'\ntcp.receive_buffer = '217200B'", sheet.name);
        let (_, run) = over_a_dumbbell(&slower, &flow);
        let cwnd = run.trace.series.iter().find(|s| s.quantity == "cwnd").expect("traced");
        // a row every 100 ms
        let (before, after) = (cwnd.values[119], &cwnd.values[132..=137]);
        let after = after.iter().copied().fold(0.0, f64::max);
        println!("{} {before} {after}", sheet.name);
        let least = if sheet.name == "swift" { 0.25 } else { 0.9 };
        assert!(after >= least * before.min(150.0), "{}: {before} {after}", sheet.name);
    }
}

/// Drafts of BBR, "Restarting From Idle": the flow keeps its model and paces at the rate of
/// the path. 5 MB in segments of 1448 bytes are 3454; at 100 Mbit/s they take 0.414 s, at 1 %
/// less 0.419, and the last one 30 ms more. With ProbeRTT, due after 10 and 5 s, nothing or
/// half would be sent for 200 ms of it.
#[test]
fn bbr_comes_back_from_idle_at_the_rate_of_the_path() {
    for cc in ["bbr1", "bbr3"] {
        let (_, run) = simulate(&format!(
            "profile = 'linux'\nduration = '13s'\nmeasure = {{ from = '12s', to = '12.5s' }}\n\
             [dumbbell]\nrate = '100Mbit'\ndelay = '28ms'\nqueue = '1bdp'\n\
             access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
             [[flows]]\nname = 'a'\ncc = '{cc}'\napp = {{ write = '5MB', every = '12s' }}\n"
        ));
        let arrived = run.flows[0].arrived;
        println!("{cc}: {arrived}");
        assert!(arrived == 3_454, "{cc}: {arrived}");
    }
}
