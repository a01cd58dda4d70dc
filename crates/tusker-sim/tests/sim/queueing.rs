//! Queueing delays compared with arithmetic: 1,500 bytes take 1 ms at 12 Mbit/s.

use tusker_plan::run::Delays;

use crate::support::{assert_near, simulate};

const MS: f64 = 1e6;

/// Quantiles to the 1 % that they are known to.
fn assert_quantiles(delays: &Delays, expected: [f64; 3], tolerance: f64, what: &str) {
    for (q, expected) in [0.5, 0.95, 0.99].into_iter().zip(expected) {
        let own = delays.quantile(q).expect("packets passed");
        assert_near(own, expected * MS, tolerance, &format!("{what}, {q}"));
    }
}

/// A window of W segments circulates at one per millisecond, so a round takes W ms. Without a
/// queue it takes 100 ms of propagation, 1 ms for the segment and 40 x 8 / 12e6 s = 0.026667 ms
/// for its ACK: the rest is queueing delay, of each segment, and all of it at one link. A
/// queue of 3 ms on a path of 100 ms is 3 % of the round trip.
#[test]
fn what_a_window_has_too_much_is_queueing_delay() {
    for segments in [104.0, 150.0, 102.0] {
        let (_, run) = simulate(&format!(
            "profile = 'ns2'\nduration = '60s'\nmeasure = {{ from = '30s' }}\nnodes = ['A', 'B']\n\
             [tcp]\nreceive_buffer = '{}B'\ndelayed_ack = false\n\
             [[links]]\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '50ms'\nqueue = '1000pkt'\n\
             [[flows]]\nname = 'f'\nfrom = 'A'\nto = 'B'\ncc = 'reno'\n",
            segments * 1460.0
        ));
        let expected = segments - 101.0 - 40.0 * 8.0 / 12e3;
        for (delays, what) in [(&run.flows[0].queueing, "flow"), (&run.links[0].queueing, "link")] {
            let what = format!("{what}, {segments} segments");
            assert_near(delays.mean().unwrap(), expected * MS, 1e-4, &what);
            assert_quantiles(delays, [expected; 3], 0.01, &what);
        }
    }
}

/// Twice as much as the link carries: the queue of 100 packets, of which one is being sent, is
/// full. What is accepted finds 98 whole packets before it, and the rest of the one being
/// sent, which is at least the half that has gone by until the next arrival.
#[test]
fn what_is_accepted_by_a_full_queue_waits_for_all_of_it() {
    let (_, run) = simulate(
        "profile = 'ns2'\nduration = '20s'\nmeasure = { from = '10s' }\nnodes = ['A', 'B']\n\
         [[links]]\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '1ms'\nqueue = '100pkt'\n\
         [[background]]\nname = 'b'\nfrom = 'A'\nto = 'B'\nrate = '24Mbit'\npacket = '1500B'\n",
    );
    let link = &run.links[0];
    let mean = link.queueing.mean().unwrap();
    assert!((98.0 * MS..=99.0 * MS).contains(&mean), "{mean}");
    assert_eq!(link.queueing.count(), 10_000);
    assert_quantiles(&link.queueing, [98.5; 3], 0.015, "full queue");
}

/// M/D/1 at a load of 0.8 (Kleinrock, Queueing Systems 1, section 5.7): the mean wait is
/// 0.8 / (2 (1 - 0.8)) = 2 transmissions, and P(W <= x) =
/// 0.2 sum over k = 0..floor(x) of (-0.8 (x - k))^k exp(0.8 (x - k)) / k!
/// (Erlang 1909), which is 0.5, 0.95 and 0.99 at 1.2759, 6.6203 and 10.3559.
#[test]
fn poisson_arrivals_wait_as_in_an_m_d_1_queue() {
    let (_, run) = simulate(
        "profile = 'ns2'\nduration = '2000s'\nmeasure = { from = '10s' }\nnodes = ['A', 'B']\n\
         [[links]]\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '1ms'\nqueue = '10000pkt'\n\
         [[arrivals]]\nname = 'a'\nfrom = 'A'\nto = 'B'\ncc = 'reno'\nrate = 800\nsize = '1460B'\n\
         connections = 200\nhandshake = false\n",
    );
    let queueing = &run.links[0].queueing;
    assert_near(queueing.count() as f64, 800.0 * 1990.0, 5e-3, "arrivals");
    // 1.6 million waits, of which neighbours are alike over some dozens
    assert_near(queueing.mean().unwrap(), 2.0 * MS, 0.03, "mean wait");
    assert_quantiles(queueing, [1.2759, 6.6203, 10.3559], 0.03, "wait");
}

/// A policy that decides at departure keeps its packets elsewhere. CoDel's target is far
/// above the queue of 3 ms here, so that it does nothing.
#[test]
fn a_queue_that_keeps_its_packets_measures_the_same() {
    let waits = |policy: &str| {
        let (_, run) = simulate(&format!(
            "profile = 'ns2'\nduration = '20s'\nmeasure = {{ from = '10s' }}\nnodes = ['A', 'B']\n\
             [tcp]\nreceive_buffer = '{}B'\n\
             [[links]]\nfrom = 'A'\nto = 'B'\nrate = '12Mbit'\ndelay = '50ms'\n\
             queue = {{ limit = '1000pkt', {policy} }}\n\
             [[flows]]\nname = 'f'\nfrom = 'A'\nto = 'B'\ncc = 'reno'\n",
            104.0 * 1460.0
        ));
        run.links[0].queueing.clone()
    };
    let (droptail, codel) =
        (waits("policy = 'droptail'"), waits("policy = 'codel', target = '90ms'"));
    assert_near(codel.mean().unwrap(), droptail.mean().unwrap(), 1e-3, "mean wait");
    assert_near(codel.count() as f64, droptail.count() as f64, 1e-3, "packets");
}

/// A sample of a queue costs as much as a packet, and results report only queues that several
/// share and those of bottlenecks, which are the slowest links of their routes.
#[test]
fn only_queues_that_results_report_are_sampled() {
    let sampled = |access: &str, more: &str| -> Vec<bool> {
        let (_, run) = simulate(&format!(
            "profile = 'ns2'\nduration = '2s'\n[dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\nqueue = '20pkt'\n\
             access = {{ rate = '{access}', delay = '1ms', queue = '20pkt' }}\n\
             [[flows]]\nname = 'f'\ncc = 'reno'\nhost_queue = '20pkt'\n{more}\n"
        ));
        run.links.iter().map(|link| link.queue.count() > 0).collect()
    };
    // there and back: the bottleneck, the sender's host, the receiver's
    let bottleneck = [true, false, false, false, false, false];
    assert_eq!(sampled("100Mbit", ""), bottleneck);
    // as slow as the bottleneck, on the way there
    assert_eq!(sampled("10Mbit", ""), [true, false, true, false, false, true]);
    // two flows share the bottleneck, and their ACKs the way back
    let shared = sampled("10Mbit", "count = 2");
    assert_eq!(shared[..2], [true, true]);
    assert!(shared[2..].iter().all(|&sampled| !sampled), "{shared:?}");
}
