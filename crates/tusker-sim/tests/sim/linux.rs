//! The profile `linux` beside Linux itself: what Linux 6.18.44 showed across the testbed on the
//! same scenarios (`tusker testbed`), from public reports of problems. All seeds are 1.

use crate::support::{assert_near, simulate};
use tusker_plan::run::Run;

/// The value of a flow at a time, in a trace with this interval in ms.
fn at(run: &Run, quantity: &str, ms: u64, interval: u64) -> f64 {
    let of = run.trace.series.iter().find(|s| s.quantity == quantity);
    let of = of.unwrap_or_else(|| panic!("no {quantity}"));
    of.values[(ms / interval) as usize]
}

/// The rate falls from 20 to 2 Mbit/s at 10 s, behind a queue that holds all of the window:
/// the RTT climbs from 0.17 to 1.66 s within 2 s. Linux's SRTT follows within a few ACKs.
#[test]
fn srtt_follows_the_path() {
    let (_, run) = simulate(
        "profile = 'linux'\nduration = '12.5s'\ntrace = { interval = '100ms', links = [] }\n\
         [dumbbell]\nrate = [{ at = '0s', rate = '20Mbit' }, { at = '10s', rate = '2Mbit' }]\n\
         delay = '28ms'\nqueue = '1000pkt'\naccess = { rate = '1Gbit', delay = '1ms' }\n\
         [[flows]]\nname = 'f'\ncc = 'cubic'\ntcp = { receive_buffer = '400kB' }\n",
    );
    for (ms, linux) in [(10_500, 0.488), (11_000, 0.941), (11_500, 1.391), (12_000, 1.655)] {
        let ours = at(&run, "srtt", ms, 100);
        assert!((ours / linux - 1.0).abs() < 0.02, "{ms} ms: {ours} s, Linux {linux} s");
    }
}

/// ACKs over a slow return path, whose queue delays them by 0.3 s and more: SACK restarts the
/// timer, so a loss ends in no timeout. Linux at 100 kbit/s: 9.02 Mbit/s, 140 retransmissions,
/// no timeout; at 200 kbit/s 9.44 Mbit/s and no timeout.
#[test]
fn a_slow_return_path_causes_no_timeouts() {
    for (back, linux) in [("100kbit", 9.02), ("200kbit", 9.44)] {
        let (plan, run) = simulate(&format!(
            "profile = 'linux'\nduration = '60s'\nmeasure = {{ from = '10s' }}\n\
             [dumbbell]\nrate = '10Mbit'\ndelay = '9ms'\nqueue = '100pkt'\n\
             access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
             reverse = {{ rate = '{back}', queue = '100pkt' }}\n\
             [[flows]]\nname = 'f'\ncc = 'cubic-linux'\n"
        ));
        let flow = &run.flows[0];
        let payload = plan.flows[0].tcp.payload().get() as f64;
        let mbits = flow.delivered as f64 * payload * 8.0 / 50e6;
        assert!((mbits / linux - 1.0).abs() < 0.01, "{back}: {mbits} Mbit/s, Linux {linux}");
        assert_eq!(flow.timeouts, 0, "{back}");
        if back == "100kbit" {
            let again = flow.retransmitted;
            assert!(again.abs_diff(140) <= 14, "{again} retransmissions, Linux 140");
        }
    }
}

/// 150 kB (104 segments) every 3 s. Reno's slow start goes to twice what was outstanding: 114
/// in Linux. `HyStart` ends CUBIC's when it fires, also after the last segment of a burst was
/// sent: at 75 in Linux, and it stays there.
#[test]
fn bursts_of_an_application_keep_their_window() {
    let burst = |cc: &str| {
        simulate(&format!(
            "profile = 'linux'\nduration = '14s'\ntrace = {{ interval = '100ms', links = [] }}\n\
             [dumbbell]\nrate = '20Mbit'\ndelay = '19ms'\nqueue = '200pkt'\n\
             access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
             [[flows]]\nname = 'f'\ncc = '{cc}'\napp = {{ every = '3s', write = '150kB' }}\n"
        ))
        .1
    };
    assert_eq!(at(&burst("reno"), "cwnd", 400, 100), 114.0);
    let cubic = burst("cubic-linux");
    for ms in [400, 3_400, 6_400, 12_400] {
        let ssthresh = at(&cubic, "ssthresh", ms, 100);
        assert!((ssthresh - 75.0).abs() <= 1.0, "{ms} ms: ssthresh {ssthresh}");
    }
}

/// Transfers of 1 and of 11 segments over 20 ms: no ACK waits for a second segment, as 40 ms
/// would show.
#[test]
fn the_first_acks_are_quick() {
    for size in ["1448B", "15928B"] {
        let (_, run) = simulate(&format!(
            "profile = 'linux'\nduration = '2s'\n\
             [dumbbell]\nrate = '100Mbit'\ndelay = '9ms'\nqueue = '100pkt'\n\
             access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
             [[flows]]\nname = 'f'\ncc = 'cubic-linux'\nsize = '{size}'\n"
        ));
        let last = run.flows[0].finished.expect("it is short").nanos();
        // 20 ms and 11 segments of 0.12 ms; the eleventh goes in the second round trip
        let trips = if size == "1448B" { 1 } else { 2 };
        let (least, most) = (trips * 20_000_000, trips * 20_000_000 + 2_000_000);
        assert!((least..most).contains(&last), "{size}: {last} ns");
    }
}

/// Stock hosts, 100 ms apart. In Linux 6.1 in virtual time (bench/linux) 2172 segments are in
/// flight when the receiver limits the flow, and 1901 when the sender does (`gso=45`).
#[test]
fn stock_buffers_limit_a_flow() {
    let flight = |hosts: &str| {
        let (_, run) = simulate(&format!(
            "profile = 'linux'\nduration = '4s'\ntrace = {{ interval = '100ms', links = [] }}\n\
             {hosts}\n[dumbbell]\nrate = '600Mbit'\ndelay = '49ms'\nqueue = '20000pkt'\n\
             access = {{ rate = '10Gbit', delay = '0.5ms' }}\n\
             [[flows]]\nname = 'f'\ncc = 'reno'\n"
        ));
        assert_eq!(run.flows[0].retransmitted, 0);
        at(&run, "flight", 3_000, 100)
    };
    for (hosts, linux) in [("tcp.rmem = '6MiB'", 2172.0), ("hosts = 'stock-linux'", 1901.0)] {
        let ours = flight(hosts);
        assert!((ours / linux - 1.0).abs() < 0.02, "{hosts}: {ours}, Linux {linux}");
    }
    // a buffer of a given size is not enlarged
    let given = flight("hosts = 'stock-linux'\ntcp.receive_buffer = '1448000B'");
    assert!((given - 1000.0).abs() <= 2.0, "{given}");
}

/// Four flows of Reno behind `fq` and `sfq`. Linux 6.1 in virtual time (`machine.sh run 1
/// ms=60000 rate=50mbit delay=40ms laws=reno,reno,reno,reno queue=fq,limit,660`): goodput,
/// recoveries and mean window of a flow from 20 s on. What limits is the queue of each flow.
#[test]
fn queues_of_flows_do_as_in_linux() {
    for (policy, linux, recoveries, window) in
        [("fq", 47.815, 21.0, 110.34), ("sfq", 47.816, 16.0, 130.85)]
    {
        let (plan, run) = simulate(&format!(
            "profile = 'linux'\nhost_time = '0s'\nduration = '60s'\nmeasure = {{ from = '20s' }}\n\
             nodes = ['sender', 'router', 'receiver']\n\
             tcp = {{ segmentation = false, packet = '1514B', header = '66B', ack = '66B' }}\n\
             trace = {{ interval = '100ms', links = [] }}\n\
             links = [\n\
             {{ from = 'sender', to = 'router', rate = '10Gbit', delay = '0ms',\n\
                queue = 'backpressure', reverse = {{ delay = '40ms', queue = 'unlimited' }} }},\n\
             {{ from = 'router', to = 'receiver', rate = '50Mbit', delay = '0ms',\n\
                queue = {{ policy = '{policy}', limit = '660pkt' }},\n\
                reverse = {{ rate = '10Gbit', queue = 'unlimited' }} }},\n\
             ]\n\
             [[flows]]\nname = 'f'\ncount = 4\ncc = 'reno'\nfrom = 'sender'\nto = 'receiver'\n\
             start = {{ first = '0s', every = '500ms' }}\n"
        ));
        let payload = plan.flows[0].tcp.payload().get() as f64;
        let delivered: u64 = run.flows.iter().map(|flow| flow.delivered).sum();
        assert_near(delivered as f64 * payload * 8.0 / 40e6, linux, 0.02, policy);
        let windows = run.trace.series.iter().filter(|series| series.quantity == "cwnd");
        let windows: Vec<f64> = windows.flat_map(|series| &series.values[200..]).copied().collect();
        let mean = windows.iter().sum::<f64>() / windows.len() as f64;
        assert_near(mean, window, 0.05, policy);
        let episodes: u64 = run.flows.iter().map(|flow| flow.episodes).sum();
        let apart = (episodes as f64 - recoveries).abs();
        assert!(apart <= (0.1 * recoveries).max(1.0), "{policy}: {episodes}, Linux {recoveries}");
    }
}
