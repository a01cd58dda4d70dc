//! Congestion controls that communicate with routers, on a dumbbell: the promises of their
//! papers. Expected values are worked out in each test.

use crate::support::{simulate, window};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

/// One queue at the bottleneck, and for each flow: its congestion control, the delay of its
/// access links, its start. A base RTT is twice the delays.
struct Dumbbell {
    rate: &'static str,
    delay: &'static str,
    /// Rate of the access links.
    access: &'static str,
    queue: &'static str,
    tcp: &'static str,
    flows: &'static [(&'static str, &'static str, &'static str)],
    from: u32,
    to: u32,
}

impl Dumbbell {
    fn simulate(&self) -> (Plan, Run) {
        let Self { rate, delay, access, queue, tcp, flows, from, to } = self;
        let mut text = format!(
            "profile = 'ns2'\nduration = '{to}s'\nmeasure = {{ from = '{from}s' }}\n\
             [tcp]\ninitial_window = 2\n{tcp}\n\
             [dumbbell]\nrate = '{rate}'\ndelay = '{delay}'\nqueue = {{ {queue} }}\n\
             reverse = {{ queue = 'unlimited' }}\n\
             access = {{ rate = '{access}', queue = 'unlimited' }}\n"
        );
        for (i, (cc, delay, start)) in flows.iter().enumerate() {
            text += &format!(
                "[[flows]]\nname = 'f{i}'\ncc = '{cc}'\nrecovery = 'sack'\nstart = '{start}'\n\
                 access = {{ delay = '{delay}' }}\nhost_queue = 'unlimited'\n"
            );
        }
        simulate(&text)
    }
}

fn utilisation(plan: &Plan, run: &Run) -> f64 {
    run.links[0].busy.secs() / window(plan)
}

/// Each flow's share of the bottleneck.
fn shares(run: &Run) -> Vec<f64> {
    let all: u64 = run.flows.iter().map(|f| f.delivered).sum();
    run.flows.iter().map(|f| f.delivered as f64 / all as f64).collect()
}

fn dropped(run: &Run) -> u64 {
    run.flows.iter().map(|f| f.total.dropped).sum()
}

/// A queue length that at most one sample in a thousand exceeds, including the packet in
/// transmission.
fn longest(run: &Run) -> f64 {
    run.links[0].queue.quantile(0.999).expect("it was sampled")
}

fn in_band(value: f64, band: std::ops::RangeInclusive<f64>, what: &str) {
    println!("{what}: {value:.4} in {band:?}");
    assert!(band.contains(&value), "{what}: {value} is not in {band:?}");
}

/// 100 Mbit/s, 20 ms: 8333 packets per second, 167 in flight, of which a seventh
/// is 24.
const DATACENTRE: Dumbbell = Dumbbell {
    rate: "100Mbit",
    delay: "8ms",
    access: "1Gbit",
    queue: "policy = 'step', k = 40, limit = '1000pkt', ecn = true",
    tcp: "",
    flows: &[("dctcp", "1ms", "0s")],
    from: 10,
    to: 40,
};

/// RFC 8257, section 4.1 and Alizadeh et al. 2010, section 3.4: K > C RTT/7 keeps
/// the link busy. The queue's peak is K + N: N flows go on for a round trip before
/// they hear of marks. It swings by A = 1/2 sqrt(2 N (C RTT + K)) = 10 packets
/// (equation 8), as far as alpha is constant; with g = 1/16 it moves within a tooth,
/// so that some cuts are larger: by twice that at most.
#[test]
fn dctcp_keeps_the_queue_near_k_and_the_link_busy() {
    let (plan, run) = DATACENTRE.simulate();
    assert_eq!(dropped(&run), 0);
    in_band(utilisation(&plan, &run), 0.9999..=1.0, "utilisation");
    // one in transmission, 40 that may wait, one more per round trip
    in_band(longest(&run), 42.0..=44.0, "longest queue");
    let least = run.links[0].queue.quantile(0.01).expect("it was sampled");
    in_band(longest(&run) - least, 10.0..=20.0, "swing of the queue");
}

/// What the paper recommends for 10 Gbit/s, K = 65 (section 3.5): 100 us are 83.3 packets, a
/// seventh is 12. One flow swings by 1/2 sqrt(2 (83.3 + 65)) = 8.6 packets, two by
/// 1/2 sqrt(4 (83.3 + 65)) = 12.2, or by twice that, below K + N and one in transmission.
/// Above 64 packets two lengths share a class of the histogram.
#[test]
fn dctcp_keeps_the_queue_near_65_at_10_gbit() {
    let one = Dumbbell {
        rate: "10Gbit",
        delay: "45us",
        access: "100Gbit",
        queue: "policy = 'step', k = 65, limit = '1000pkt', ecn = true",
        flows: &[("dctcp", "5us", "0s")],
        from: 1,
        to: 2,
        ..DATACENTRE
    };
    let two = Dumbbell { flows: &[("dctcp", "5us", "0s"), ("dctcp", "5us", "7us")], ..one };
    for (of, n, swing) in [(one, 1.0, 8.6), (two, 2.0, 12.2)] {
        let (plan, run) = of.simulate();
        assert_eq!(dropped(&run), 0);
        in_band(utilisation(&plan, &run), 0.9999..=1.0, "utilisation");
        in_band(longest(&run), 65.0 + n..=68.0 + n, "longest queue");
        let least = run.links[0].queue.quantile(0.01).expect("it was sampled");
        in_band(longest(&run) - least, swing..=2.0 * swing, "swing of the queue");
    }
}

/// The same link with a mark that halves: W runs from 104 to 208 packets, one more
/// per round, where 167 keep the link busy. 63 rounds below that send 135.5 each on
/// average, 41 above it 187.5 each in the time that these take: use is
/// 63 * 135.5 + 41 * 187.5 = 16,224 of 63 * 167 + 41 * 187.5 = 18,209, 0.891.
#[test]
fn halving_at_every_mark_leaves_the_link_idle() {
    let reno = Dumbbell { flows: &[("reno", "1ms", "0s")], tcp: "ecn = true", ..DATACENTRE };
    let (plan, run) = reno.simulate();
    in_band(utilisation(&plan, &run), 0.87..=0.91, "utilisation");
}

#[test]
fn dctcp_flows_share() {
    let two = Dumbbell { flows: &[("dctcp", "1ms", "0s"), ("dctcp", "1ms", "1s")], ..DATACENTRE };
    let (plan, run) = two.simulate();
    assert_eq!(dropped(&run), 0);
    in_band(utilisation(&plan, &run), 0.9999..=1.0, "utilisation");
    for share in shares(&run) {
        in_band(share, 0.47..=0.53, "share of a half");
    }
    in_band(longest(&run), 42.0..=46.0, "longest queue");
}

const XCP: Dumbbell = Dumbbell {
    rate: "50Mbit",
    delay: "48ms",
    access: "1Gbit",
    queue: "policy = 'xcp', limit = '1000pkt'",
    tcp: "",
    flows: &[("xcp", "1ms", "0s"), ("xcp", "26ms", "0s")],
    from: 40,
    to: 100,
};

/// Katabi 2002, section 5: fair shares whatever the round trip (here 100 and 200 ms), an
/// almost empty queue and no drops at full use. With Reno the ratio of the shares would be
/// between 1 to 4 and 1 to 2.
#[test]
fn xcp_is_fair_over_round_trips_with_an_empty_queue() {
    let (plan, run) = XCP.simulate();
    assert_eq!(dropped(&run), 0);
    in_band(utilisation(&plan, &run), 0.99..=1.0, "utilisation");
    for share in shares(&run) {
        in_band(share, 0.49..=0.51, "share of a half");
    }
    // 417 packets are in flight over the shorter way; a hundredth of them waits
    in_band(longest(&run), 0.0..=6.0, "longest queue");
}

/// Section 3.5: each interval gives away alpha = 0.4 of what is spare, so that
/// 0.6^n of the link is left after n round trips of 100 ms: 1 % after nine. The
/// first round trip is spent on measuring one, the second on hearing of the first
/// price.
#[test]
fn xcp_fills_a_link_within_a_dozen_round_trips() {
    let start = Dumbbell { flows: &[("xcp", "1ms", "0s")], from: 1, to: 3, ..XCP };
    let (plan, run) = start.simulate();
    in_band(utilisation(&plan, &run), 0.97..=1.0, "utilisation from 1 s to 3 s");
    assert_eq!(dropped(&run), 0);
}

/// Several routers: the smallest word counts, and the second one, of 20 Mbit/s,
/// holds the long flow. Of the 40 that this leaves at the first router the short one
/// does not get all (Low, Andrew and Wydrowski, Understanding XCP, 2005): half of what
/// is shuffled is meant for the long flow, which may not take it. Where the short one,
/// s of y = 20 + s, is given what it loses, with phi = 0.4 (60 - y) and h = 0.1 y - phi:
/// (h + phi)/2 = h s/y, that is 0.05 y = (0.1 y - 0.4 (60 - y)) s/y: s = 36.76.
#[test]
fn the_narrowest_router_decides() {
    let text = "profile = 'ns2'\nduration = '60s'\nmeasure = { from = '30s' }\n\
        [parking-lot]\nhops = [{ rate = '60Mbit' }, { rate = '20Mbit' }]\nrate = '60Mbit'\n\
        delay = '20ms'\nqueue = { policy = 'xcp', limit = '1000pkt' }\n\
        reverse = { queue = 'unlimited' }\n\
        access = { rate = '1Gbit', delay = '1ms', queue = 'unlimited' }\n\
        [[flows]]\nname = 'long'\ncc = 'xcp'\nrecovery = 'sack'\n\
        [[flows]]\nname = 'short'\ncc = 'xcp'\nrecovery = 'sack'\nfrom = 'R1'\nto = 'R2'\n";
    let (plan, run) = simulate(text);
    assert_eq!(dropped(&run), 0);
    let mbit = |i: usize| run.flows[i].delivered as f64 * 12e3 / window(&plan) / 1e6;
    in_band(mbit(0), 19.9..=20.0, "long");
    in_band(mbit(1), 36.4..=37.1, "short");
}

/// If no router answers, the flow is Reno: it fills the buffer and loses packets.
#[test]
fn xcp_and_vcp_are_reno_where_no_router_speaks() {
    let plain = |flows| {
        let queue = "limit = '100pkt'";
        Dumbbell { queue, delay: "38ms", flows, from: 40, to: 100, ..XCP }.simulate().1
    };
    let reno = plain(&[("reno", "1ms", "0s")]);
    assert!(dropped(&reno) > 0);
    for run in [plain(&[("xcp", "1ms", "0s")]), plain(&[("vcp", "1ms", "0s")])] {
        assert_eq!(run.flows[0].total, reno.flows[0].total);
        assert_eq!(run.flows[0].batches, reno.flows[0].batches);
    }
}

const VCP: Dumbbell = Dumbbell {
    rate: "50Mbit",
    delay: "38ms",
    access: "1Gbit",
    queue: "policy = 'vcp', limit = '1000pkt'",
    tcp: "",
    flows: &[("vcp", "1ms", "0s")],
    from: 40,
    to: 100,
};

/// Xia et al. 2005: high use, low queue, no loss. A flow alone runs from beta gamma =
/// 0.875 * 0.98 of the link to gamma: 0.92 on average. The paper's simulations use
/// the link to 93 % and more; one flow adds too little to be cut late.
#[test]
fn vcp_uses_the_link_with_an_empty_queue_and_no_loss() {
    let (plan, run) = VCP.simulate();
    assert_eq!(dropped(&run), 0);
    in_band(utilisation(&plan, &run), 0.90..=0.94, "utilisation");
    in_band(longest(&run), 0.0..=4.0, "longest queue");
}

/// The growth is scaled so that rates, not windows, grow equally (section 3.5): round trips
/// of 80 and 160 ms reach the same share; slowly, as the paper says.
#[test]
fn vcp_comes_to_be_fair_over_round_trips() {
    let flows = &[("vcp", "1ms", "0s"), ("vcp", "21ms", "0s")];
    let (plan, run) = Dumbbell { flows, from: 240, to: 300, ..VCP }.simulate();
    assert_eq!(dropped(&run), 0);
    in_band(utilisation(&plan, &run), 0.90..=0.94, "utilisation");
    for share in shares(&run) {
        in_band(share, 0.48..=0.52, "share of a half");
    }
}
