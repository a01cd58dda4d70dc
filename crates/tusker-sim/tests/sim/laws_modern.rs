//! Algorithms that model the path, measure delay or set a rate, on a dumbbell: the promises
//! of their papers and drafts, worked out by hand next to each test.

use std::fmt::Write;
use std::time::Duration as WallTime;

use crate::support::{self, SEED, parse, run_ahead, window};
use tusker_plan::plan::Plan;
use tusker_plan::run::{Flow, Run};

/// 50 Mbit/s and 40 ms: 166.7 packets of 1500 bytes, one per 240 us.
const BDP: f64 = 50e6 * 0.04 / 12_000.0;

fn simulate(text: &str) -> (Plan, Run) {
    let (plan, run) = support::simulate(text);
    for (flow, planned) in run.flows.iter().zip(&plan.flows) {
        println!(
            "{} {}: {:.2} Mbit/s, {} of {} again, {} episodes",
            planned.name,
            planned.cc.name(),
            mbits(&plan, flow),
            flow.retransmitted,
            flow.sent,
            flow.episodes
        );
    }
    println!("busy {:.4}, queue {:.2}", busy(&plan, &run), run.links[0].queue_mean);
    (plan, run)
}

fn mbits(plan: &Plan, flow: &Flow) -> f64 {
    flow.arrived as f64 * 0.012 / window(plan)
}

fn busy(plan: &Plan, run: &Run) -> f64 {
    run.links[0].busy.secs() / window(plan)
}

/// Flows of one kind over the dumbbell of [`BDP`]; `more` is added to their group. Hosts
/// act at once and segments leave one by one, because the hand calculations here assume no
/// noise and no bursts.
fn dumbbell(seconds: (u32, u32), queue: &str, loss: f64, cc: &str, more: &str) -> String {
    let (from, to) = seconds;
    format!(
        "profile = 'linux'\nhost_time = '0s'\nduration = '{to}s'\ntcp.segmentation = false\n\
         measure = {{ from = '{from}s' }}\n\
         [dumbbell]\nrate = '50Mbit'\ndelay = '18ms'\nqueue = '{queue}'\nloss = {loss}\n\
         reverse = {{ queue = 'unlimited', loss = 0.0 }}\n\
         access = {{ rate = '1Gbit', delay = '1ms', queue = 'unlimited' }}\n\
         [[flows]]\nname = 'f'\ncc = '{cc}'\n{more}\n"
    )
}

/// Cardwell et al. 2016, figure 8: BBR does not take a loss for congestion and sends at the
/// rate of the path. Reno keeps sqrt(1.5/p) = 12 segments (Mathis et al. 1997), 3.7 Mbit/s.
#[test]
fn bbr_fills_a_lossy_path_with_a_small_buffer() {
    let run = |cc| {
        let (plan, run) = simulate(&dumbbell((5, 30), "17pkt", 0.01, cc, ""));
        busy(&plan, &run)
    };
    let (reno, bbr1, bbr3) = (run("reno"), run("bbr1"), run("bbr3"));
    assert!(reno < 2.0 * f64::sqrt(1.5 / 0.01) / BDP, "{reno}");
    assert!(bbr1 > 0.95, "{bbr1}");
    // Draft, section 5.3.3.5.3: each round trip with a loss of 1 % costs BBRv3 1 %,
    // and pacing 1 % below bw as much again, for up to 63 round trips: on average
    // (1 - 0.98^63)/(63 * 0.02) = 0.57 is left at least
    assert!(bbr3 > 0.57, "{bbr3}");
}

/// A flow alone queues 1/4 BDP in one of eight phases and drains it in the next:
/// 1/32 BDP on average, and never more than 1/4.
#[test]
fn one_bbr_flow_keeps_the_queue_short() {
    for cc in ["bbr1", "bbr3"] {
        let (plan, run) = simulate(&dumbbell((10, 40), "1000pkt", 0.0, cc, ""));
        assert!(busy(&plan, &run) > 0.95);
        assert!(run.links[0].queue_mean < BDP / 8.0);
        assert_eq!(run.flows[0].retransmitted, 0);
    }
}

/// Two flows hold each other's maximum up, until the window of two BDP ends it: one
/// BDP waits in the queue, however deep it is. Every 10 s both leave four
/// segments in flight for 200 ms and what round trips it takes.
#[test]
fn two_bbr1_flows_queue_one_bdp_and_probe_every_ten_seconds() {
    let text = dumbbell((10, 60), "2000pkt", 0.0, "bbr1", "count = 2");
    let text = format!("trace = {{ interval = '10ms' }}\n{text}");
    let (plan, run) = simulate(&text);
    assert!(busy(&plan, &run) > 0.95);
    let queue = run.links[0].queue_mean;
    // three segments of each flow come on top of the two BDP
    assert!((0.5 * BDP..1.1 * BDP + 6.0).contains(&queue), "{queue}");
    let shares: Vec<f64> = run.flows.iter().map(|f| mbits(&plan, f)).collect();
    assert!(shares.iter().all(|share| (15.0..35.0).contains(share)), "{shares:?}");

    let state = run.trace.series.iter().find(|s| s.subject == "f.0" && s.quantity == "state");
    let probing: Vec<bool> = state.expect("shown").values.iter().map(|&v| v == 3.0).collect();
    let changes = |to: bool| {
        let seconds = |i: usize| run.trace.times[i + 1].secs();
        let found = probing.windows(2).enumerate().filter(move |(_, w)| w[0] != to && w[1] == to);
        found.map(|(i, _)| seconds(i)).collect::<Vec<f64>>()
    };
    let (begins, ends) = (changes(true), changes(false));
    println!("{begins:?} {ends:?}");
    assert!(begins.len() >= 4, "{begins:?}");
    for pair in begins.windows(2) {
        // 10 s behind the end of the last one, which took 0.2 s and up to 4 RTT
        let apart = pair[1] - pair[0];
        assert!((10.0..10.0 + 0.2 + 4.0 * 0.09).contains(&apart), "{begins:?}");
    }
    for (begin, end) in begins.iter().zip(&ends) {
        assert!((0.2..0.2 + 4.0 * 0.09).contains(&(end - begin)), "{begin} to {end}");
    }
}

/// Section 5.3.3.4 of the draft: UP ends when 2 % are lost, and what was in flight
/// then is the bound from there on; BBRv1 sends 5/4 for a round trip, whatever
/// the buffer of a tenth of a BDP makes of it.
#[test]
fn bbr3_loses_less_than_bbr1_in_a_small_buffer() {
    let run = |cc| {
        let (plan, run) = simulate(&dumbbell((10, 60), "17pkt", 0.0, cc, ""));
        let flow = &run.flows[0];
        (flow.retransmitted as f64 / flow.sent as f64, busy(&plan, &run))
    };
    let (bbr1, bbr3) = (run("bbr1"), run("bbr3"));
    assert!(bbr3.0 < 0.5 * bbr1.0, "{bbr3:?} {bbr1:?}");
    assert!(bbr3.0 < 0.02, "{bbr3:?}");
    // it leaves 0.15 of what fits to others
    assert!(bbr1.1 > 0.95 && bbr3.1 > 0.85, "{bbr1:?} {bbr3:?}");
}

/// A link whose rate changes at 20 s, sampled every 10 ms: a value that a BBRv3 flow on it
/// shows, as (seconds, value).
fn bbr3_over(rates: [&str; 2], queue: &str, name: &str) -> Vec<(f64, f64)> {
    let [before, after] = rates;
    let rate = format!("[{{ at = '0s', rate = '{before}' }}, {{ at = '20s', rate = '{after}' }}]");
    let text = dumbbell((1, 40), queue, 0.0, "bbr3", "").replace("'50Mbit'", &rate);
    let (_, run) = simulate(&format!("trace = {{ interval = '10ms' }}\n{text}"));
    let found = run.trace.series.iter().find(|s| s.subject == "f.0" && s.quantity == name);
    let values = found.expect("shown").values.iter().copied();
    run.trace.times.iter().map(|at| at.secs()).zip(values).collect()
}

/// draft-ietf-ccwg-bbr-06, appendix, "Exiting STARTUP on Bandwidth Plateau": what it
/// takes for the rate is within 2 % of it: 50 Mbit/s are 4,167 segments per second.
#[test]
fn bbr3_knows_the_rate_when_startup_ends() {
    let seen = |name| bbr3_over(["50Mbit", "50Mbit"], "1000pkt", name);
    let drain = seen("state").into_iter().find(|&(_, state)| state == 1.0).expect("Drain").0;
    let (_, max_bw) = seen("max_bw").into_iter().find(|&(at, _)| at >= drain).expect("shown");
    println!("Drain at {drain} s, max_bw {max_bw}");
    assert!((max_bw * 12_000.0 / 50e6 - 1.0).abs() < 0.02, "{max_bw}");
}

/// The same, "Increasing Bandwidth 10x": a probe begins after 3 s at most, REFILL takes
/// a round trip, UP grows by 0.99 * 1.25 per round trip: ln 10/ln 1.2375 = 10.8; one
/// more for what is measured. 13 of 40 ms, with two for the ends of rounds: 3.6 s.
#[test]
fn bbr3_finds_ten_times_the_rate() {
    let max_bw = bbr3_over(["5Mbit", "50Mbit"], "1000pkt", "max_bw");
    let there = |&(at, bw): &(f64, f64)| at > 20.0 && bw * 12_000.0 > 0.98 * 50e6;
    let (at, _) = max_bw.into_iter().find(there).expect("it gets there");
    println!("{at} s");
    assert!(at < 20.0 + 3.0 + 15.0 * 0.04, "{at}");
}

/// The same, "Decreasing Bandwidth 10x": 231 in flight are twice what fits into the queue
/// of 100 packets and the path of 17, so in at least two round trips it reduces what it
/// sends by 0.3 each. This happens within 3 s, the time to the next probe, plus three round
/// trips of 40 ms and a full queue, 240 ms. `max_bw` is forgotten after two probes; each
/// starts 3 s after the one before, plus eight round trips with REFILL, UP and the round
/// after it.
#[test]
fn bbr3_adapts_to_a_tenth_of_the_rate() {
    let seen = |name| bbr3_over(["50Mbit", "5Mbit"], "100pkt", name);
    let after = |series: Vec<(f64, f64)>, wanted: f64| {
        let there = |&(at, bw): &(f64, f64)| at > 20.0 && bw * 12_000.0 < wanted;
        series.into_iter().find(there).expect("it gets there").0 - 20.0
    };
    let max_bw = seen("max_bw");
    let last = max_bw.last().expect("shown").1 * 12_000.0;
    let (short, long) = (after(seen("bw"), 0.5 * 50e6), after(max_bw, 1.02 * 5e6));
    println!("a half after {short} s, max_bw after {long} s, at the end {last}");
    assert!(short < 3.0 + 3.0 * 0.28, "{short}");
    assert!(long < 2.0 * (3.0 + 8.0 * 0.28), "{long}");
    assert!((last / 5e6 - 1.0).abs() < 0.02, "{last}");
}

/// Arun and Balakrishnan 2018, section 3.1: the queue of each flow swings between
/// nothing and 2.5/delta packets, up and down evenly: 1.25/delta on average, 2.5
/// packets where delta is 0.5. One more is in transmission. Flows have equal shares:
/// Jain's index of two that are 10 % above and below is 0.99. With
/// the RTT of the newest segment of an ACK four flows turn competitive (docs/law-checks.md): here
/// it is that of the oldest.
#[test]
fn copa_queues_one_over_delta_per_flow() {
    for (count, delta) in [(1, 0.5), (2, 0.5), (4, 0.5), (2, 0.1)] {
        let more = format!(
            "cc = {{ name = 'copa', delta = {delta} }}\ncount = {count}\n\
             start = {{ first = '0s', every = '1s' }}\ntcp.linux_details = false"
        );
        let text = dumbbell((20, 60), "2000pkt", 0.0, "copa", &more).replace("cc = 'copa'\n", "");
        let (plan, run) = simulate(&text);
        assert!(busy(&plan, &run) > 0.95);
        let waiting = run.links[0].queue_mean - busy(&plan, &run);
        let each = waiting / f64::from(count);
        assert!((each * delta / 1.25 - 1.0).abs() < 0.15, "{count} x {delta}: {each}");
        // Jain's index
        let rates: Vec<f64> = run.flows.iter().map(|f| mbits(&plan, f)).collect();
        let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|r| r * r).sum::<f64>());
        let jain = sum * sum / (f64::from(count) * squares);
        assert!(jain > 0.99, "{rates:?}");
    }
}

/// Hosts that take up to 100 us change nothing of that, in the default mode: it is only 0.4
/// packets of 240 us. The test for other flows is more sensitive: a queue of 0 to 20 packets
/// is nearly empty below 2, and four flows keep that much at its lowest (docs/law-checks.md).
#[test]
fn noise_does_not_change_the_queue_of_copa() {
    let more = "cc = { name = 'copa', competitive = 0 }\ncount = 4\n\
                start = { first = '0s', every = '1s' }";
    let text = dumbbell((20, 60), "2000pkt", 0.0, "copa", more)
        .replace("cc = 'copa'\n", "")
        .replace("host_time = '0s'", "host_time = '100us'");
    let (plan, run) = simulate(&text);
    let each = (run.links[0].queue_mean - busy(&plan, &run)) / 4.0;
    assert!((each / 2.5 - 1.0).abs() < 0.15, "{each}");
}

/// Section 2.2: against Reno, which never lets the queue empty, Copa would be left
/// with little; its competitive mode takes part.
#[test]
fn copa_competes_with_reno() {
    let share = |competitive: u32| {
        let more = format!(
            "cc = {{ name = 'copa', competitive = {competitive} }}\n\
             [[flows]]\nname = 'r'\ncc = 'reno'"
        );
        let text = dumbbell((20, 120), "170pkt", 0.0, "copa", &more).replace("cc = 'copa'\n", "");
        let (plan, run) = simulate(&text);
        mbits(&plan, &run.flows[0]) / 50.0
    };
    let (alone, competing) = (share(0), share(1));
    assert!(alone < 0.2, "{alone}");
    assert!(competing > 0.25, "{competing}");
}

/// 60 ms are 250 packets of 240 us. Above them the window falls by w (delay/60 ms - 1)
/// per round trip and below it grows by GAIN, so that the delay stays there, but for
/// the slowdowns: a tenth of the time at most (draft, section 4.4).
#[test]
fn ledbat_pp_keeps_its_target_and_pauses() {
    let (plan, run) = simulate(&dumbbell((40, 160), "1000pkt", 0.0, "ledbat++", ""));
    let queue = run.links[0].queue_mean;
    assert!((0.85 * 250.0..1.05 * 250.0).contains(&queue), "{queue}");
    assert!(busy(&plan, &run) >= 0.9);
    assert_eq!(run.flows[0].retransmitted, 0);
}

/// Reno fills 1000 packets, 240 ms, and halves to 83 more than fit on the wire:
/// the delay is above 60 ms most of the time.
#[test]
fn ledbat_pp_gives_way_to_reno() {
    let more = "[[flows]]\nname = 'r'\ncc = 'reno'";
    let (plan, run) = simulate(&dumbbell((40, 160), "1000pkt", 0.0, "ledbat++", more));
    let share = mbits(&plan, &run.flows[0]) / 50.0;
    assert!(share < 0.05, "{share}");
    assert!(mbits(&plan, &run.flows[1]) > 45.0);
}

/// UDP takes 900 of 1000 Mbit/s for 20 s. Then 10^9 * 1.5e-6/1500 = 1 segment per SYN
/// of 10 ms is added as long as more than 100 Mbit/s are free: 100 segments/s each
/// 10 ms, so that 90 % of 83,333 segments/s are reached (75,000 - 8,333)/10,000 = 6.7 s
/// later at most (Gu and Grossman 2007, section 3.3: 7.5 s from nothing), whatever the
/// round trip. From there on it is a tenth of that. Reno gains a segment per 100 ms.
#[test]
fn udt_takes_what_is_free_whatever_the_round_trip() {
    let path = |cc| {
        simulate(&format!(
            "profile = 'linux'\nduration = '30s'\nmeasure = {{ from = '20s', to = '27s' }}\n\
             trace = {{ interval = '1s' }}\n\
             [dumbbell]\nrate = '1Gbit'\ndelay = '48ms'\nqueue = '0.1bdp'\n\
             reverse = {{ queue = 'unlimited' }}\n\
             access = {{ rate = '10Gbit', delay = '1ms', queue = 'unlimited' }}\n\
             [[flows]]\nname = 'f'\ncc = '{cc}'\n\
             [[background]]\nname = 'u'\nrate = '900Mbit'\nstop = '20s'\n"
        ))
    };
    let (plan, udt) = path("udt");
    let series = |name| {
        let found = udt.trace.series.iter().find(|s| s.subject == "f.0" && s.quantity == name);
        &found.expect("shown").values
    };
    // what pairs tell: segments of 12,000 bit at 1 Gbit/s
    let capacity = series("capacity");
    assert!((capacity[25] - 1e9 / 12_000.0).abs() < 1.0, "{capacity:?}");
    let rate = series("rate");
    assert!((rate[24] - rate[22] - 20_000.0).abs() <= 100.0, "{rate:?}");
    assert!(rate[27] >= 75_000.0, "{rate:?}");
    assert!((rate[30] - rate[28] - 2_000.0).abs() <= 10.0, "{rate:?}");
    let (_, reno) = path("reno");
    assert!(mbits(&plan, &reno.flows[0]) < 0.5 * mbits(&plan, &udt.flows[0]));
}

/// Behind a receive buffer nothing is lost, so slow start does not end. The buffer alone is
/// the limit: 100 segments per round trip, which is 40 ms and, for a segment on three wires,
/// 240 us and twice 12 us.
#[test]
fn udt_uses_all_of_a_receive_buffer() {
    let text = dumbbell((5, 10), "unlimited", 0.0, "udt", "tcp.receive_buffer = '144800B'");
    let (plan, run) = simulate(&text);
    let found = mbits(&plan, &run.flows[0]);
    let most = 100.0 * 0.012 / 0.040_264;
    assert!((0.98 * most..=most).contains(&found), "{found} of {most}");
}

/// 240 us apart (or nearly that), segments of 12 us do not meet at the host; those
/// of UDT's trains do. So from the first segment on: ten of the initial window take
/// a millisecond and more.
#[test]
fn paced_segments_leave_one_by_one() {
    for (cc, most) in [("bbr1", 1), ("bbr3", 1), ("copa", 1), ("udt", 4)] {
        let seconds = if cc == "udt" { (10, 20) } else { (0, 20) };
        let mut plan = parse(&dumbbell(seconds, "170pkt", 0.001, cc, ""));
        let access = plan.links.iter().position(|link| link.name.starts_with("f.0.src->"));
        let access = access.expect("the host's link");
        plan.trace.links.push(access);
        let most_seen = support::run(&plan, SEED).links[access].queue.quantile(1.0);
        assert!(most_seen.is_some_and(|seen| seen <= f64::from(most)), "{cc}: {most_seen:?}");
    }
}

/// Computing ahead of the clock changes nothing, byte for byte.
#[test]
fn working_ahead_changes_nothing() {
    for cc in ["udt", "bbr1", "bbr3", "copa", "ledbat++", "swift", "vivace", "c4", "scream"] {
        for (queue, loss) in [("30pkt", 0.002), ("400pkt", 0.0)] {
            let more = "count = 2\nstart = { uniform = ['0s', '300ms'] }\n\
                        [[flows]]\nname = 'r'\ncc = 'reno'\n\
                        [[background]]\nname = 'u'\nrate = '5Mbit'\njitter = 0.4";
            let plan = parse(&dumbbell((1, 12), queue, loss, cc, more));
            let bytes = |ahead| {
                let mut run = run_ahead(&plan, SEED, ahead);
                (run.wall, run.events) = (WallTime::ZERO, 0);
                let mut text = String::new();
                write!(text, "{run:?}").expect("a string");
                text
            };
            assert!(bytes(true) == bytes(false), "{cc}, {queue}, seed {SEED}");
        }
    }
}
