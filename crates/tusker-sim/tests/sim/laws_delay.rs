//! Delay-based laws on a simulated dumbbell, compared with the promises of their papers and
//! with arithmetic: segments kept in the queue, utilisations, who yields to whom.

use tusker_plan::plan::Plan;
use tusker_plan::run::{self, Run};

use crate::support::{assert_near, simulate, window};

/// 100 Mbit/s with packets of 1500 bytes, 8333 a second; 24 ms there and back and
/// 0.15 ms in transmission. What is in the queue is counted with the packet in
/// transmission, which a delay law does not see as waiting.
fn dumbbell(seconds: u32, queue: &str, flows: &str) -> (Plan, Run) {
    simulate(&format!(
        "profile = 'ns2'\nduration = '{seconds}s'\nmeasure = {{ from = '{}s' }}\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '10ms'\nqueue = '{queue}'\n\
         reverse = {{ queue = 'unlimited' }}\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n{flows}",
        seconds / 2,
    ))
}

fn flow(name: &str, count: u32, cc: &str) -> String {
    format!(
        "[[flows]]\nname = '{name}'\ncount = {count}\ncc = {cc}\nrecovery = 'sack'\n\
         host_queue = 'unlimited'\n"
    )
}

fn utilisation((plan, run): &(Plan, Run)) -> f64 {
    run.links[0].busy.secs() / window(plan)
}

/// A flow's share of the bottleneck, from segments that arrived.
fn share(plan: &Plan, flow: &run::Flow) -> f64 {
    flow.arrived as f64 / window(plan) * 12_000.0 / 100e6
}

/// Brakmo and Peterson, section 3: between alpha and beta segments of each flow wait, and
/// the path is full.
#[test]
fn vegas_holds_between_alpha_and_beta() {
    for (count, alpha, beta) in [(1, 1.0, 3.0), (1, 20.0, 25.0), (4, 2.0, 4.0)] {
        let cc = format!("{{ name = 'vegas', alpha = {alpha}, beta = {beta} }}");
        let simulated = dumbbell(40, "1000pkt", &flow("v", count, &cc));
        let waiting = simulated.1.links[0].queue_mean - 1.0;
        let (low, high) = (f64::from(count) * alpha, f64::from(count) * beta);
        println!("{count} flows, {low} to {high}: {waiting}");
        assert!((low..=high).contains(&waiting), "{waiting} wait, not {low} to {high}");
        assert_near(utilisation(&simulated), 1.0, 0.001, "utilisation");
        assert!(simulated.1.flows.iter().all(|f| f.episodes == 0), "Vegas loses nothing");
    }
}

/// A path of D = 833.3 + 1.3 packets (100 ms and transmissions) with a buffer of D/5 and
/// one flow of `cc`: how much of it is used.
fn small_buffer(cc: &str) -> f64 {
    utilisation(&simulate(&format!(
        "profile = 'ns2'\nduration = '800s'\nmeasure = {{ from = '200s' }}\n\
         [dumbbell]\nrate = '100Mbit'\ndelay = '48ms'\nqueue = '167pkt'\n\
         reverse = {{ queue = 'unlimited' }}\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n{}",
        flow("f", 1, cc),
    )))
}

/// Reno runs from 0.6 D to 1.2 D, one more per RTT. Below D the RTT is T: 0.4 D
/// rounds of 0.8 D packets, 0.32 D^2. Above the wire is busy: 0.2 D rounds of 1.1 D
/// packets, 0.22 D^2 in 0.22 D T. Together 0.54 in the time of 0.62: 0.871.
///
/// Illinois backs off by beta(dm) = 1/2 likewise, but climbs the 0.4 D = 334 packets
/// at alpha = 10, after theta = 5 round trips at 0.3: 5 + 33.2 rounds of 0.8 D, where
/// the 5 are of 0.6 D. Above D, alpha falls like k1/(k2 + da): 1/alpha is a straight
/// line from 1/10 to 1/0.3, 1.717 on average: 167 packets take 286.7 round trips of
/// 1.1 T and a little more, for more of them are spent where the queue is long:
/// the mean of da, weighted with 1/alpha, is (0.1/2 + 3.233/3)/1.717 = 0.657 of dm, so
/// 1.131 T. Lost are 5 * 0.4 D + 33.2 * 0.2 D = 8.6 D T of (38.2 + 324.3) D T: 0.976.
#[test]
fn illinois_fills_a_path_that_reno_does_not() {
    assert_near(small_buffer("'reno'"), 0.54 / 0.62, 0.01, "Reno");
    let lost = 5.0 * 0.4 + 33.2 * 0.2;
    let expected = 1.0 - lost / (38.2 + 286.7 * 1.131);
    assert_near(small_buffer("'illinois'"), expected, 0.01, "Illinois");
}

/// Wei et al., section 3: in equilibrium w (1 - baseRTT/RTT) = alpha, so alpha segments of
/// each flow wait; none is lost, and flows that started together have equal shares.
#[test]
fn fast_keeps_alpha_segments_queued() {
    for (count, alpha) in [(1, 50), (3, 50), (1, 200)] {
        rests_at("fast", count, alpha, "");
    }
    rests_at("eefast", 3, 50, "");
}

/// As in ns-2, a window grows by whole segments: it stops when half of the way to its
/// target is less than one, up to two segments below alpha; and what was in the network is
/// also a whole number, up to one less.
#[test]
fn fast_of_ns2_rests_within_three_segments_below_alpha() {
    for (count, alpha) in [(1, 50), (1, 200), (3, 50)] {
        let cc = format!("{{ name = 'fast', alpha = {alpha}, ns2 = true }}");
        let simulated = dumbbell(40, "2000pkt", &flow("f", count, &cc));
        let waiting = simulated.1.links[0].queue_mean - 1.0;
        let most = f64::from(count * alpha);
        let least = f64::from(count * (alpha - 3));
        assert!(least <= waiting && waiting <= most, "{count} flows of {alpha} queue {waiting}");
        assert_near(utilisation(&simulated), 1.0, 0.001, "utilisation");
        assert_eq!(simulated.1.flows.iter().map(|f| f.episodes).sum::<u64>(), 0);
    }
}

/// The same for HCC (section 3.2), within I_max/2 = alpha/4 a round trip.
#[test]
fn hcc_keeps_alpha_segments_queued() {
    for (count, alpha) in [(1, 100), (3, 100), (1, 300)] {
        rests_at("hcc", count, alpha, "");
        rests_at("hcc", count, alpha, ", period = 2");
    }
}

fn rests_at(law: &str, count: u32, alpha: u32, more: &str) {
    let cc = format!("{{ name = '{law}', alpha = {alpha}{more} }}");
    let simulated = dumbbell(40, "2000pkt", &flow("f", count, &cc));
    let (plan, run) = &simulated;
    let waiting = run.links[0].queue_mean - 1.0;
    let expected = f64::from(count * alpha);
    assert_near(waiting, expected, 0.02, &format!("{count} flows of {cc} queue"));
    assert_near(utilisation(&simulated), 1.0, 0.001, "utilisation");
    for f in &run.flows {
        assert_eq!(f.episodes, 0, "nothing is lost");
        assert_near(share(plan, f), 1.0 / f64::from(count), 0.02, "share");
    }
}

/// The first flow queues alpha segments: q1 = alpha/C. The second takes them for a
/// part of the path and rests where x2 (q - q1) = alpha, the first where x1 q = alpha.
/// With q = k alpha/C and x1 + x2 = C: 1/k + 1/(k - 1) = 1, k = (3 + sqrt 5)/2, and the
/// first has 1/k = 0.382 of the path (Tan, Yuan, Zukerman 2005, on FAST's fairness).
/// Where both know the path, half.
#[test]
fn later_fast_flows_need_to_know_the_path() {
    // propagation 24 ms, 1500 bytes in 12 + 120 + 12 us, 40 in 0.32 + 3.2 + 0.32 us
    let golden = 2.0 / (3.0 + f64::sqrt(5.0));
    for (base, first) in [("0", golden), ("0.02414784", 0.5)] {
        let cc = format!("{{ name = 'fast', alpha = 50, base_rtt = {base} }}");
        let flows = flow("f", 2, &cc) + "start = { first = '0s', every = '10s' }\n";
        let (plan, run) = dumbbell(60, "2000pkt", &flows);
        assert_near(share(&plan, &run.flows[0]), first, 0.03, "share of the first");
        assert_near(share(&plan, &run.flows[1]), 1.0 - first, 0.03, "share of the second");
    }
}

/// Section 4.4 of the HCC paper, with a queue that stands on the way back.
///
/// From 5 s on a Reno flow of 400 segments goes round there, with the ACKs of x segments
/// a second: its round trip is 400 * 120 us/(1 - x 3.2 us), of which 24.15 ms are the
/// empty path. FAST has x Q = alpha with that queue in Q: at x = 4082, Q = 48.64 - 24.15
/// = 24.49 ms and x Q = 100: 0.49 of the path, and nothing waits before it.
#[test]
fn fast_gives_way_to_a_queue_on_the_way_back() {
    let flows = flow("f", 1, "{ name = 'fast', alpha = 100 }")
        + &flow("back", 1, "'reno'")
        + "direction = 'reverse'\nstart = '5s'\ntcp.receive_buffer = '584000B'\n";
    let (plan, run) = dumbbell(60, "2000pkt", &flows);
    assert_near(share(&plan, &run.flows[0]), 4_082.0 / 8_333.0, 0.02, "FAST");
}

/// The same section: a second of 110 Mbit/s leaves more than 100 ms of queue on the way
/// back, and 96.5 with the ACKs keep it there. EEFAST and HCC fill the path with alpha
/// segments waiting on the way forward, as if there were none.
#[test]
fn eefast_does_not_mind_the_way_back() {
    for law in ["eefast", "hcc"] {
        let flows = flow("f", 1, &format!("{{ name = '{law}', alpha = 100 }}"))
            + "[[background]]\nname = 'burst'\ndirection = 'reverse'\nrate = '110Mbit'\n\
               packet = '1000B'\nstart = '5s'\nstop = '6s'\n\
               [[background]]\nname = 'rest'\ndirection = 'reverse'\nrate = '96.5Mbit'\n\
               packet = '1000B'\nstart = '6s'\n";
        let (plan, run) = dumbbell(60, "2000pkt", &flows);
        let back = run.links[1].queue_mean;
        println!("{back} packets on the way back");
        assert!(back > 700.0, "{back} packets on the way back");
        assert_near(share(&plan, &run.flows[0]), 1.0, 0.01, law);
        assert_near(run.links[0].queue_mean - 1.0, 100.0, 0.05, "waiting");
    }
}

/// A buffer of D = 201 packets, which slow start fills: d_max. Alone, TCP-LP halves
/// at 0.15 of it: from 1.15 D to 0.575 D, 3 round trips there, then one more each. Below
/// D it loses 0.425 D of 0.425/2 D on the average, in 3 rounds 0.425 D: 19.4 D of
/// (0.425 + 0.15 * 1.075) D + 3 = 120.8 D T. Beside Reno it has next to nothing.
#[test]
fn lp_takes_what_reno_leaves() {
    let d: f64 = 201.0;
    let alone = dumbbell(120, "201pkt", &flow("lp", 1, "'lp'"));
    let lost = (0.425 * d * 0.425 / 2.0 + 3.0 * 0.425) * d;
    let expected = 1.0 - lost / (((0.425 + 0.15 * 1.075) * d + 3.0) * d);
    assert_near(utilisation(&alone), expected, 0.03, "TCP-LP alone");

    let both = flow("lp", 1, "'lp'") + &flow("reno", 1, "'reno'");
    let (plan, run) = dumbbell(120, "201pkt", &both);
    let shares = [share(&plan, &run.flows[0]), share(&plan, &run.flows[1])];
    println!("TCP-LP and Reno: {shares:?}");
    assert!(shares[0] < 0.05, "TCP-LP has {}", shares[0]);
    assert!(shares[1] > 0.93, "Reno has {}", shares[1]);
}

/// Tan et al., section 3: dwnd climbs from half at some win^0.75/8 = 13 a round trip
/// and gives way where gamma = 30 segments wait, so that only the climb, 0.4 D = 334
/// packets in 23 round trips of 0.8 D, and what gamma leaves unused are lost: 2.3 % at
/// most of the 200 round trips or more between two losses.
#[test]
fn compound_fills_a_path_that_reno_does_not() {
    let used = small_buffer("'compound'");
    println!("Compound: {used}");
    assert!(used > 0.975, "Compound uses {used}");
}

/// Fig. 9 of the HCC paper: with a buffer for alpha segments there is no loss; with one
/// too small the loss-reference rules, until the window is past it (Fig. 4b).
#[test]
fn hcc_changes_to_the_loss_reference_and_back() {
    // the mode after each change, and when
    let modes = |queue: &str| {
        let text = flow("f", 1, "{ name = 'hcc', alpha = 100 }")
            + "[[background]]\nname = 'b'\nrate = '40Mbit'\nstop = '25s'\n\
               [trace]\ninterval = '20ms'\nlinks = []\n";
        let simulated = dumbbell(60, queue, &text);
        let trace = &simulated.1.trace;
        let mode = trace.series.iter().find(|s| s.quantity == "mode").expect("HCC shows it");
        let mut modes: Vec<(u8, f64)> = Vec::new();
        for (&mode, time) in mode.values.iter().zip(&trace.times) {
            if modes.last().is_none_or(|&(last, _)| f64::from(last) != mode) {
                modes.push((mode as u8, time.secs()));
            }
        }
        println!("{queue}: {modes:?}");
        (modes, utilisation(&simulated))
    };
    const STARTUP: u8 = 0;
    const DELAY: u8 = 1;
    const LOSS: u8 = 2;
    let (roomy, used) = modes("600pkt");
    let roomy: Vec<u8> = roomy.into_iter().map(|(mode, _)| mode).collect();
    assert_eq!(roomy, [STARTUP, DELAY]);
    assert!(used > 0.999, "{used} with room");

    // the loss-reference holds as long as the path does; when 40 Mbit/s become free at
    // 25 s the window passes it, and finds the new one
    let (small, used) = modes("60pkt");
    assert_eq!([small[0].0, small[1].0, small[2].0], [STARTUP, DELAY, LOSS]);
    let passed = |&(mode, at): &(u8, f64)| mode == DELAY && (25.0..30.0).contains(&at);
    assert!(small.iter().any(passed), "{small:?}");
    assert_eq!(small.last().expect("some").0, LOSS);
    // Reno between 0.65 D and 1.3 D would use (0.35 * 0.825 + 0.3 * 1.15)/(0.35 + 0.345)
    assert!(used > (0.35 * 0.825 + 0.345) / 0.695, "{used} without room");
}

/// Section 3.1 of the testbed paper: 200 Mbit/s, 44 ms, BDP 733 packets; here with 30 %
/// of bursty traffic and losses that keep the window far below the rest. The trend
/// takes the bursts for congestion; the refined thresholds take them for noise.
#[test]
fn ghstcp_refined_does_not_switch_below_the_bdp() {
    let switches = |cc: &str, burst: u32| {
        let (_, run) = simulate(&format!(
            "profile = 'ns2'\nduration = '120s'\n\
             trace = {{ interval = '44ms', links = [] }}\n\
             [dumbbell]\nrate = '200Mbit'\ndelay = '20ms'\nqueue = '137pkt'\nloss = 1e-4\n\
             reverse = {{ queue = 'unlimited', loss = 0.0 }}\n\
             access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
             [[background]]\nname = 'b'\ncount = 12\nrate = '10Mbit'\non = '{burst}ms'\n\
             off = '{burst}ms'\n{}",
            flow("f", 1, cc)
        ));
        let series = |name| run.trace.series.iter().find(|s| s.quantity == name).expect("shown");
        let (mode, cwnd) = (series("mode"), series("cwnd"));
        let below = |i: usize| cwnd.values[i] < 0.5 * 733.0;
        let changed = |&i: &usize| mode.values[i] != mode.values[i - 1];
        (1..mode.values.len()).filter(|&i| below(i) && below(i - 1)).filter(changed).count()
    };
    // bursts shorter than a round trip: noise
    for burst in [1, 5] {
        let (original, refined) =
            (switches("'ghstcp'", burst), switches("'ghstcp-refined'", burst));
        println!("{burst} ms: switches: {original} original, {refined} refined");
        assert!(original > 100, "the trend switches {original} times");
        assert!(refined < original / 10, "the thresholds let {refined} of {original} through");
    }
}

/// Linearised around the equilibrium, dw/dt of alpha D/Qf is -D0/alpha, where D0 is the
/// number of segments on the empty path: half the distance per round trip is stable for D0
/// < 3 alpha. At alpha = 50, D0 = 201, the window oscillates in steps of I_max/2 = 12.5, a
/// few of them while the delay still reflects the previous round trip; a pause between two
/// changes damps this. In both cases alpha segments wait on average.
#[test]
fn hcc_swings_where_alpha_is_small() {
    let swing = |period: u32| {
        let cc = format!("{{ name = 'hcc', alpha = 50, period = {period} }}");
        let text = flow("f", 1, &cc) + "[trace]\ninterval = '7ms'\nlinks = []\n";
        let (_, run) = dumbbell(40, "2000pkt", &text);
        assert_near(run.links[0].queue_mean - 1.0, 50.0, 0.03, "waiting");
        let cwnd = run.trace.series.iter().find(|s| s.quantity == "cwnd").expect("shown");
        let later = &cwnd.values[cwnd.values.len() / 2..];
        let (low, high) = later.iter().fold((f64::MAX, 0.0_f64), |(l, h), &w| (l.min(w), h.max(w)));
        println!("period {period}: {low} to {high}");
        high - low
    };
    let (one, two) = (swing(1), swing(2));
    assert!((12.5..50.0).contains(&one), "{one} up and down");
    assert!(two < 12.5, "{two} up and down with a rest in between");
}

/// The dumbbell above at `mbit`, with room for 100 ms in the queue, and HCC flows with
/// tau = 16 ms. Propagation one way: 12 ms.
fn finds_alpha(mbit: u32, count: u32, more: &str, start: &str) -> (Plan, Run) {
    let cc = format!("{{ name = 'hcc', tau = 0.016{more} }}");
    simulate(&format!(
        "profile = 'ns2'\nduration = '20s'\nmeasure = {{ from = '12s' }}\n\
         [dumbbell]\nrate = '{mbit}Mbit'\ndelay = '10ms'\nqueue = '{}pkt'\n\
         reverse = {{ queue = 'unlimited' }}\n\
         access = {{ rate = '{}Mbit', delay = '1ms', queue = 'unlimited' }}\n{}{start}",
        mbit * 100_000 / 12_000,
        mbit * 10,
        flow("f", count, &cc),
    ))
}

/// tau C packets of 12,000 bits wait at every rate, found by the flow itself: 16 ms of
/// the link. The tolerance is what HCC swings by around its alpha.
#[test]
fn hcc_finds_the_alpha_of_its_link() {
    for mbit in [100, 1_000, 10_000] {
        let simulated = finds_alpha(mbit, 1, "", "");
        let expected = 0.016 * f64::from(mbit) * 1e6 / 12_000.0;
        let waiting = simulated.1.links[0].queue_mean - 1.0;
        assert_near(waiting, expected, 0.03, &format!("{mbit} Mbit/s queue"));
        assert_near(utilisation(&simulated), 1.0, 0.001, "utilisation");
        assert_eq!(simulated.1.flows[0].episodes, 0, "nothing is lost");
    }
}

/// The second flow finds the capacity of the bottleneck, not its own share of it: both have
/// the same alpha, 133.3 segments at 100 Mbit/s, hence half of the path each and twice tau
/// C in the queue. As in the paper, they know the empty path.
#[test]
fn hcc_flows_that_find_alpha_become_equal() {
    let start = "start = { first = '0s', every = '5s' }\n";
    let (plan, run) = finds_alpha(100, 2, ", base_forward = 0.012132", start);
    for f in &run.flows {
        assert_near(share(&plan, f), 0.5, 0.03, "share");
    }
    assert_near(run.links[0].queue_mean - 1.0, 2.0 * 133.3, 0.03, "waiting");
}
