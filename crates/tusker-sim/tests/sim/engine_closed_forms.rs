//! Whole simulations compared with arithmetic: every expected value is worked out in the
//! test, by hand or from the formula of the named source.

use tusker_plan::convergence::Steps;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_plan::{fairness, run};

use crate::support::{assert_near, simulate, window};

/// Segments per second that arrived, duplicates included.
fn arrival_rate(plan: &Plan, flow: &run::Flow) -> f64 {
    flow.arrived as f64 / window(plan)
}

/// One SACK flow of 1500-byte packets that is limited only by random loss: its mean window,
/// as arrivals per RTT. RTT 100 ms at 10 Gbit/s.
fn window_at_loss(cc: &str, loss: f64, begin: u32, seconds: u32) -> f64 {
    window_of_packets(cc, loss, begin, seconds, 1)
}

/// The same in segments, `each` of which are simulated as one packet, with `loss` per packet.
fn window_of_packets(cc: &str, loss: f64, begin: u32, seconds: u32, each: u32) -> f64 {
    let (plan, run) = simulate(&format!(
        "profile = 'ns2'\nduration = '{seconds}s'\nmeasure = {{ from = '{}s' }}\n\
         [tcp]\ninitial_ssthresh = {begin}\ninitial_window = 2\nsegments_per_packet = {each}\n\
         [dumbbell]\nrate = '10Gbit'\ndelay = '48ms'\nqueue = 'unlimited'\nloss = {loss}\n\
         reverse = {{ queue = 'unlimited', loss = 0.0 }}\n\
         access = {{ rate = '10Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = '{cc}'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n",
        seconds / 10,
    ));
    let flow = &run.flows[0];
    println!("p = {loss}: {} arrived, {} timeouts", flow.arrived, flow.timeouts);
    arrival_rate(&plan, flow) * 0.1 * f64::from(each)
}

/// Mathis, Semke, Mahdavi and Ott 1997, section 2: a window that grows by one
/// per RTT and is halved once per 1/p packets runs from W/2 to W, and sends
/// 3/8 W^2 packets in between: W = sqrt(8/(3p)), mean 3/4 W = sqrt(3/2)/sqrt(p).
/// With losses at random the same paper has 1.31 instead of 1.22.
#[test]
fn reno_keeps_the_window_of_mathis() {
    for (loss, seconds) in [(1e-2, 20_000), (1e-3, 10_000), (1e-4, 5_000)] {
        let mathis = f64::sqrt(1.5 / loss);
        let w = window_at_loss("reno", loss, mathis as u32, seconds);
        assert_near(w, mathis, 0.10, &format!("Reno's window at p = {loss}"));
    }
}

/// RFC 3649, section 5: w = 0.12/p^0.835 from p = 1e-3 on. Losses are random here, so the
/// mean is only accurate to 15 %; without chance the law itself is checked to 2 %, also at
/// p = 1e-6 (closed_forms.rs of tusker-core).
#[test]
#[expect(clippy::disallowed_methods, reason = "an expected value, compared within 15 %")]
fn hstcp_keeps_the_window_of_its_response_function() {
    for (loss, seconds) in [(1e-3, 6_000), (1e-4, 2_500), (1e-5, 1_200)] {
        let expected = 0.12 / f64::powf(loss, 0.835);
        let w = window_at_loss("hstcp", loss, expected as u32, seconds);
        assert_near(w, expected, 0.15, &format!("HSTCP's window at p = {loss}"));
    }
}

/// A law has the window of its response function in segments, whatever a packet stands for: a
/// packet of n segments is lost if one of them is, with 1 - (1 - p)^n. Counting packets, Reno
/// would have a quarter of Mathis' packets, so half of the segments.
#[test]
#[expect(clippy::disallowed_methods, reason = "expected values, compared within 10 and 15 %")]
fn a_law_counts_segments_whatever_a_packet_stands_for() {
    let of_packets = |loss: f64, each: i32| 1.0 - (1.0 - loss).powi(each);
    let reno = f64::sqrt(1.5 / 1e-4);
    let w = window_of_packets("reno", of_packets(1e-4, 4), reno as u32, 5_000, 4);
    assert_near(w, reno, 0.10, "Reno's window at p = 1e-4, 4 segments per packet");
    let hstcp = 0.12 / f64::powf(1e-5, 0.835);
    let w = window_of_packets("hstcp", of_packets(1e-5, 8), hstcp as u32, 2_400, 8);
    assert_near(w, hstcp, 0.15, "HSTCP's window at p = 1e-5, 8 segments per packet");
}

/// RFC 3649, section 5: up to 38 segments HSTCP is Reno. At p = 0.05 the mean window is
/// 5.5, and no window comes near 38.
#[test]
fn hstcp_is_reno_up_to_38_segments() {
    let reno = window_at_loss("reno", 0.05, 5, 2_000);
    assert_eq!(reno, window_at_loss("hstcp", 0.05, 5, 2_000));
}

/// 20 Mbit/s and 100 ms, 166.67 packets of 1500 bytes in flight at full rate
/// (the queue not counted), one Reno flow with SACK.
fn sawtooth(buffer: u32) -> (Plan, Run) {
    simulate(&format!(
        "profile = 'ns2'\nduration = '600s'\nmeasure = {{ from = '100s' }}\n\
         [dumbbell]\nrate = '20Mbit'\ndelay = '48ms'\nqueue = '{buffer}pkt'\n\
         reverse = {{ queue = 'unlimited' }}\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n"
    ))
}

/// A window that falls to half of D + B keeps the wire busy if that is D, the
/// bandwidth-delay product, or more: B = b/(1 - b) D, that is D for b = 1/2.
#[test]
fn a_buffer_of_one_bdp_keeps_reno_at_full_rate() {
    let (plan, run) = sawtooth(168);
    assert!(run.flows[0].episodes > 5, "{} episodes", run.flows[0].episodes);
    assert_near(run.links[0].busy.secs() / window(&plan), 1.0, 0.005, "utilisation");
}

/// With B = D/2 the window runs from 3/4 D to 3/2 D, one more per RTT. Below D
/// the RTT is T: D/4 rounds, 7/8 D packets each, 7/32 D^2 in D/4 T. Above, the
/// wire is busy: D/2 rounds, 5/4 D packets each, 5/8 D^2 in 5/8 D T. Together
/// 27/32 D^2 packets in 7/8 D T, where D^2 7/8 would fit: 27/28 = 0.9643.
#[test]
fn half_a_bdp_of_buffer_costs_a_twenty_eighth() {
    let (plan, run) = sawtooth(83);
    assert!(run.flows[0].episodes > 5, "{} episodes", run.flows[0].episodes);
    assert_near(run.links[0].busy.secs() / window(&plan), 27.0 / 28.0, 0.01, "utilisation");
}

/// One flow over 100 Mbit/s, 10 ms, with access links of 1 Gbit/s, 1 ms.
fn unloaded(flow: &str, queue: &str) -> (Plan, Run) {
    simulate(&format!(
        "profile = 'ns2'\nduration = '20s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '{queue}'\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n{flow}\n"
    ))
}

/// Propagation 2 (1 + 10 + 1) ms; 1500 bytes take 12 + 120 + 12 us, the 40
/// bytes of the ACK 0.32 + 3.2 + 0.32 us.
const RTT: f64 = 24_000_000.0 + 144_000.0 + 3_840.0;

#[test]
fn an_empty_path_takes_its_propagation_and_transmissions() {
    let (_, run) = unloaded("size = '1460B'", "1000pkt");
    assert_eq!(run.flows[0].min_rtt.expect("one sample").nanos() as f64, RTT);
    let finished = run.flows[0].finished.expect("one segment");
    assert_eq!(finished.since(run.flows[0].start).nanos() as f64, RTT);
}

/// Two segments, then four, eight, sixteen: thirty in four rounds. Each ACK
/// releases two segments, so those of a round follow each other at the
/// bottleneck's 120 us: the last ACK of the fourth round comes 15 behind its
/// first.
#[test]
fn slow_start_doubles_every_round_trip() {
    let (_, run) = unloaded("size = '43800B'\ntcp.initial_window = 2", "1000pkt");
    let took = run.flows[0].finished.expect("done").since(run.flows[0].start);
    assert_eq!(took.nanos() as f64, 4.0 * RTT + 15.0 * 120_000.0);
    // one more segment needs one more round, and is alone in it
    let (_, run) = unloaded("size = '43801B'\ntcp.initial_window = 2", "1000pkt");
    let took = run.flows[0].finished.expect("done").since(run.flows[0].start);
    assert_eq!(took.nanos() as f64, 5.0 * RTT);
}

/// Little's law: a window of W segments circulates at one per 120 us, so a round takes W
/// 120 us, and the excess over the RTT of an empty path is spent waiting. The queue, with
/// the packet in transmission, then holds W - (RTT - 120 us)/120 us.
#[test]
fn what_a_window_has_too_much_waits_in_the_queue() {
    for segments in [250.0, 300.0, 500.0] {
        let buffer = format!("[flows.tcp]\nreceive_buffer = '{}B'", segments * 1460.0);
        let (plan, run) = unloaded(&buffer, "1000pkt");
        let expected = segments - (RTT - 120_000.0) / 120_000.0;
        assert_near(run.links[0].queue_mean, expected, 1e-4, "mean queue");
        assert_near(run.links[0].busy.secs() / window(&plan), 1.0, 1e-6, "utilisation");
    }
}

/// 8 and 7 Mbit/s into 10 Mbit/s: a third is too much.
#[test]
fn an_overloaded_link_drops_what_is_too_much() {
    let (plan, run) = simulate(
        "profile = 'ns2'\nduration = '100s'\nnodes = ['A', 'B']\n\
         [[links]]\nfrom = 'A'\nto = 'B'\nrate = '10Mbit'\ndelay = '1ms'\nqueue = '20pkt'\n\
         [[background]]\nname = 'a'\nfrom = 'A'\nto = 'B'\nrate = '8Mbit'\n\
         [[background]]\nname = 'b'\nfrom = 'A'\nto = 'B'\nrate = '7Mbit'\njitter = 0.3\n",
    );
    let link = &run.links[0];
    let loss = link.overflowed as f64 / link.offered as f64;
    assert_near(loss, 1.0 - 10.0 / 15.0, 2e-3, "loss rate");
    assert_near(link.busy.secs() / window(&plan), 1.0, 1e-6, "utilisation");
}

/// 40 sources of 1 Mbit/s, on 100 ms of 250 ms: 16 Mbit/s. In 500 s each has
/// 2000 periods; on and off times with a deviation as large as their mean let
/// the share of one source vary by sqrt(2/2000) (1 - 0.4) = 1.9 %, that of all
/// by 0.3 %.
#[test]
fn on_off_sources_send_their_mean() {
    let (plan, run) = simulate(
        "profile = 'ns2'\nduration = '510s'\nmeasure = { from = '10s' }\nnodes = ['A', 'B']\n\
         [[links]]\nfrom = 'A'\nto = 'B'\nrate = '100Mbit'\ndelay = '1ms'\nqueue = 'unlimited'\n\
         [[background]]\nname = 'u'\ncount = 40\nfrom = 'A'\nto = 'B'\nrate = '1Mbit'\n\
         packet = '250B'\non = '100ms'\noff = '150ms'\n",
    );
    let bytes: u64 = run.background.iter().map(|b| b.arrived_bytes).sum();
    assert_near(bytes as f64 * 8.0 / window(&plan), 16e6, 0.01, "mean rate");
}

/// 10.5 Mbit/s into 10 Mbit/s with enough room: RED has to drop the excess, 1 - 10/10.5 =
/// 1/21. Gaps between drops are 1/(2 p_b) on average (Floyd and Jacobson 1993, section 7,
/// method 2), so p_b = 1/42, and the average queue settles where p_b has this value: 20 +
/// (80 - 20) (1/42)/0.1 = 34.29 packets waiting, one more in transmission.
#[test]
fn red_settles_where_it_drops_what_is_too_much() {
    let (_, run) = simulate(
        "profile = 'ns2'\nduration = '400s'\nmeasure = { from = '100s' }\nnodes = ['A', 'B']\n\
         [[links]]\nfrom = 'A'\nto = 'B'\nrate = '10Mbit'\ndelay = '1ms'\n\
         queue = { policy = 'red', limit = '1000pkt', min_th = 20, max_th = 80, max_p = 0.1, \
         w_q = 0.01, wait = 0 }\n\
         [[background]]\nname = 'a'\nfrom = 'A'\nto = 'B'\nrate = '10.5Mbit'\n",
    );
    let link = &run.links[0];
    assert_eq!(link.overflowed, 0);
    assert_near(link.dropped_early as f64 / link.offered as f64, 1.0 / 21.0, 0.01, "drop rate");
    let expected = 20.0 + 60.0 * (1.0 / 42.0) / 0.1 + 1.0;
    assert_near(link.queue_mean, expected, 0.03, "mean queue");
}

/// One flow can have 20 Mbit/s, the other takes the rest of 100: max-min. The
/// first one's window is its own 20 Mbit/s x 104 ms = 173.3 packets and a few
/// more, so that it fills its access link without filling the shared queue.
#[test]
fn a_flow_behind_a_slow_link_leaves_the_rest() {
    let (plan, run) = simulate(
        "profile = 'ns2'\nduration = '300s'\nmeasure = { from = '100s' }\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '50ms'\nqueue = '1bdp'\n\
         reverse = { queue = 'unlimited' }\n\
         [[flows]]\nname = 'slow'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         access = { rate = '20Mbit', delay = '1ms', queue = 'unlimited' }\n\
         [[flows]]\nname = 'fast'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         access = { rate = '1Gbit', delay = '1ms', queue = 'unlimited' }\n",
    );
    let fair = fairness::max_min(&plan);
    assert_eq!(fair, [20e6, 80e6]);
    let rates: Vec<f64> = run.flows.iter().map(|f| arrival_rate(&plan, f) * 12_000.0).collect();
    println!("{rates:?}");
    let shares: Vec<f64> = rates.iter().zip(&fair).map(|(rate, fair)| rate / fair).collect();
    assert_near(shares.iter().zip(&fair).map(|(s, f)| s * f).sum(), 100e6, 0.01, "together");
    assert!(shares.iter().all(|s| (0.75..1.1).contains(s)), "{shares:?}");
}

/// Two flows, each alone behind a link of 10 Mbit/s that it keeps full: in a step of
/// length L come 10^7 L / 12000 packets of 1500 bytes, none before a flow starts.
#[test]
fn steps_count_what_arrives_in_them() {
    let (plan, run) = simulate(
        "profile = 'ns2'\nduration = '20s'\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '5ms'\nqueue = 'unlimited'\n\
         access = { rate = '10Mbit', delay = '1ms', queue = 'unlimited' }\n\
         [[flows]]\nname = 'a'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         [[flows]]\nname = 'b'\ncc = 'reno'\nrecovery = 'sack'\nhost_queue = 'unlimited'\n\
         start = '10s'\n",
    );
    let steps = Steps::of(&plan).expect("two flows without an end");
    let full = 1e7 * steps.length.secs() / 12_000.0;
    for (flow, start) in run.flows.iter().zip([0.0, 10.0]) {
        assert_eq!(flow.steps.len(), steps.count);
        for (i, &count) in flow.steps.iter().enumerate() {
            let [begin, end] = [i, i + 1].map(|step| steps.begin(step).nanos() as f64 / 1e9);
            // a second is enough to fill 14 ms
            match () {
                () if end <= start => assert_eq!(count, 0, "before the start"),
                () if begin < start + 1.0 => {}
                () => {
                    assert!((count as f64 - full).abs() <= 1.0, "{count} in step {i}, not {full}");
                }
            }
        }
        let rest = flow.total.delivered - flow.steps.iter().sum::<u64>();
        assert!(rest as f64 <= full + 1.0, "{rest} after the last step");
    }
}
