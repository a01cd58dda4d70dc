//! Properties that hold in every scenario.

use std::fmt::Write;
use std::time::Duration as WallTime;

use crate::engine_support::tcp::{law, needs};
use crate::engine_support::{Choices, scenario};
use crate::support::{parse, run_ahead};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tusker_core::{Bytes, Duration};
use tusker_plan::plan::{Limit, Plan, Recovery, Trace};
use tusker_plan::run::{self, BATCHES, Run};
use tusker_sim::Engine;

/// Random choices, the same every time: a failure is shrunk and printed with the scenario
/// and the seed. `PROPTEST_CASES` sets a larger number of cases.
pub fn for_any(name: &str, cases: u32, test: impl Fn(&[u16], u64)) {
    let asked = std::env::var_os("PROPTEST_CASES").map(|_| Config::default().cases);
    let cases = asked.unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut seed = [0; 32];
    seed[..name.len().min(32)].copy_from_slice(&name.as_bytes()[..name.len().min(32)]);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let any = (prop::collection::vec(any::<u16>(), 0..900), 1..1_000_u64);
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner
        .run(&any, |(numbers, seed)| {
            test(&numbers, seed);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// Everything in a run except how it was computed, as text, including NaN.
fn bytes(mut run: Run) -> String {
    run.wall = WallTime::ZERO;
    run.events = 0;
    let mut text = String::new();
    let trace = std::mem::take(&mut run.trace);
    for flow in &run.flows {
        writeln!(text, "{flow:?}").expect("a string");
    }
    for link in &run.links {
        writeln!(text, "{link:?}").expect("a string");
    }
    for source in &run.background {
        writeln!(text, "{source:?}").expect("a string");
    }
    for transfer in run.traffic.iter().flat_map(|traffic| &traffic.transfers) {
        writeln!(text, "{transfer:?}").expect("a string");
    }
    writeln!(text, "{:?}", trace.times).expect("a string");
    for series in &trace.series {
        writeln!(text, "{series:?}").expect("a string");
    }
    text
}

pub fn assert_same(a: Run, b: Run, what: &str, seed: u64, text: &str) {
    let (a, b) = (bytes(a), bytes(b));
    if a != b {
        let differ = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        let (a, b) = differ.unwrap_or(("as many lines", "not"));
        panic!("{what}, seed {seed}:\n{a}\n{b}\nin\n{text}");
    }
}

fn brief(flow: &run::Flow) -> String {
    let run::Flow { start, finished, episodes, timeouts, total, .. } = flow;
    let (sent, again) = (flow.sent, flow.retransmitted);
    format!(
        "{total:?}, from {start:?} to {finished:?}, min RTT {:?}; in the window {sent} sent, \
         {again} again, {episodes} episodes, {timeouts} timeouts",
        flow.min_rtt
    )
}

fn is_conserved(t: &run::Totals) -> bool {
    t.sent == t.arrived + t.dropped + t.in_flight && t.delivered <= t.arrived
}

#[test]
fn every_packet_is_somewhere_at_every_step() {
    for_any("conservation", 150, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        let room = room(&plan);
        let mut engine = Engine::new(&plan, seed, seed % 2 == 0);
        let mut before = run::Totals::default();
        let (mut steps, mut time) = (0_u64, engine.now());
        while engine.step() {
            steps += 1;
            assert!(engine.now() >= time, "back in time, seed {seed}, in\n{text}");
            time = engine.now();
            if steps.is_multiple_of(89) {
                let totals = engine.totals();
                assert!(is_conserved(&totals), "{totals:?}, seed {seed}, in\n{text}");
                assert!(totals.sent >= before.sent && totals.arrived >= before.arrived);
                assert!(totals.in_flight <= room, "{totals:?} > {room}, seed {seed}, in\n{text}");
                before = totals;
            }
        }
        assert!(is_conserved(&engine.totals()), "at the end, seed {seed}, in\n{text}");
    });
}

/// How many data packets the plan's links hold: in their queues and on their wires. An
/// unlimited queue has no bound.
fn room(plan: &Plan) -> u64 {
    let smallest = |f: &tusker_plan::plan::Flow| match f.application {
        Some(_) => f.tcp.packet.get(),
        None => f.tcp.header.get(),
    };
    let sizes = plan.flows.iter().map(smallest);
    let sizes = sizes.chain(plan.background.iter().map(|b| b.packet.get()));
    let smallest = sizes.min().unwrap_or(1);
    let mut room = 0_u64;
    for link in &plan.links {
        let queue = match link.queue.limit {
            Limit::Packets(n) | Limit::Backpressure(n) => n,
            Limit::Bytes(n) => n / smallest + 1,
            Limit::Unlimited => return u64::MAX,
        };
        // packets under way are those sent within delay and jitter
        let fastest = match link.rates() {
            Some(rates) => rates.values().map(|rate| rate.bits_per_sec()).max().unwrap_or_default(),
            // at most 5 opportunities a millisecond here
            None => 6 * 1504 * 8 * 1000,
        };
        let on_the_wire = fastest as f64 * link.longest_delay().secs();
        let at_once = 6 * 1504 / smallest;
        room += queue + (on_the_wire / (8 * smallest) as f64) as u64 + 2 + at_once;
    }
    room
}

#[test]
fn same_seed_same_bytes_and_working_ahead_changes_nothing() {
    for_any("determinism", 150, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        let once = run_ahead(&plan, seed, true);
        assert_same(once.clone(), run_ahead(&plan, seed, true), "two runs differ", seed, &text);
        assert_same(once, run_ahead(&plan, seed, false), "fused and not differ", seed, &text);
    });
}

/// Packets that jitter holds up arrive at the same moment, so delayed ACKs of several flows
/// are due at the same moment, at one link. Some of them depend on a packet that arrives
/// later and was computed before.
#[test]
fn delayed_acks_that_are_due_at_once_enter_a_link_in_one_order() {
    let text = "profile = 'ns2'\nduration = '200ms'\nnodes = ['A', 'B']\n\
        [[links]]\nfrom = 'A'\nto = 'B'\nrate = '100Mbit'\ndelay = '10ms'\n\
        queue = 'unlimited'\nreverse = { rate = '1Mbit' }\n\
        jitter = { distribution = 'exponential', mean = '4ms', reorder = false }\n\
        [[flows]]\nname = 'four'\ncount = 4\ncc = 'reno'\nfrom = 'A'\nto = 'B'\n\
        tcp.delayed_ack = '1ms'\n";
    let plan = parse(text);
    for seed in 1..=20 {
        let (ahead, by_the_clock) = (run_ahead(&plan, seed, true), run_ahead(&plan, seed, false));
        assert_same(ahead, by_the_clock, "ahead and by the clock differ", seed, text);
    }
}

#[test]
fn looking_changes_nothing() {
    for_any("traces", 100, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let mut plan = parse(&text);
        plan.trace.interval = None;
        let mut unwatched = run_ahead(&plan, seed, true);
        plan.trace = Trace {
            interval: Some(Duration::from_millis(3)),
            flows: true,
            links: (0..plan.links.len()).collect(),
        };
        let mut watched = run_ahead(&plan, seed, true);
        // a link that is not observed need not keep its queue
        for (a, b) in unwatched.links.iter_mut().zip(&mut watched.links) {
            if a.queue.count() == 0 {
                (a.queue_mean, b.queue_mean) = (0.0, 0.0);
                b.queue = run::Histogram::default();
            }
        }
        let (a, b) = (unwatched, watched);
        let (a, b) =
            (Run { trace: run::Trace::default(), ..a }, Run { trace: run::Trace::default(), ..b });
        assert_same(a, b, "watched and not differ", seed, &text);
    });
}

#[test]
fn books_are_balanced() {
    for_any("books", 150, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        let run = run_ahead(&plan, seed, true);
        let window = plan.measure_to.since(plan.measure_from);
        for (flow, planned) in run.flows.iter().zip(&plan.flows) {
            let about = || format!("{}: {}, seed {seed}, in\n{text}", planned.name, brief(flow));
            assert!(is_conserved(&flow.total), "{}", about());
            assert_eq!(flow.delivered, flow.batches.iter().sum::<u64>(), "{}", about());
            assert!(flow.delivered <= flow.arrived, "{}", about());
            assert!(flow.arrived <= flow.total.arrived, "{}", about());
            assert!(flow.sent <= flow.total.sent && flow.retransmitted <= flow.sent, "{}", about());
            assert!(flow.dropped <= flow.total.dropped, "{}", about());
            // an RTT is at least what the wires take for the packet and its ACK
            if let Some(rtt) = flow.min_rtt {
                assert!(rtt.nanos() >= base_rtt(&plan, planned), "{}", about());
            }
            assert!(planned.application.is_some() || flow.finished.is_none(), "{}", about());
            if let Some(size) = planned.size {
                let segments = size.get().div_ceil(planned.tcp.payload().get());
                assert!(flow.total.delivered <= segments, "{}", about());
                let done = flow.finished.is_some();
                assert!(!done || flow.total.delivered == segments, "{}", about());
            }
        }
        for traffic in run.traffic.iter().flat_map(|traffic| &traffic.transfers) {
            let about = || format!("{traffic:?}, seed {seed}, in\n{text}");
            assert!(traffic.begin <= plan.end && traffic.end.is_none_or(|end| end <= plan.end));
            assert!(traffic.end.is_none_or(|end| end > traffic.begin), "{}", about());
            assert!(traffic.bytes >= 1 && traffic.waited <= traffic.objects, "{}", about());
        }
        for (source, planned) in run.background.iter().zip(&plan.background) {
            let about = || format!("{}: {source:?}, seed {seed}, in\n{text}", planned.name);
            assert!(is_conserved(&source.total), "{}", about());
            assert_eq!(source.arrived_bytes, source.arrived * planned.packet.get(), "{}", about());
        }
        let data = plan.flows.iter().flat_map(|flow| flow.routes().flatten());
        let data = data.chain(plan.background.iter().flat_map(|source| &source.route));
        let data: Vec<usize> = data.copied().collect();
        for (l, (link, planned)) in run.links.iter().zip(&plan.links).enumerate() {
            let about = || format!("{}: {link:?}, seed {seed}, in\n{text}", planned.name);
            let batches = link.busy_batches.as_deref().map_or(&[][..], |batches| batches);
            let sum: u64 = batches.iter().map(|b| b.nanos()).sum();
            let shared = data.iter().filter(|&&crossed| crossed == l).count() > 1;
            if shared || !batches.is_empty() {
                assert_eq!(link.busy.nanos(), sum, "{}", about());
            }
            if planned.is_steady() {
                assert!(link.busy <= window, "{}", about());
                // a batch may be a nanosecond longer than another
                let longest = window.nanos() / BATCHES as u64 + 1;
                assert!(batches.iter().all(|b| b.nanos() <= longest), "{}", about());
            } else {
                // no more than the wire could carry, except for fractions of nanoseconds
                let could = planned.capacity(plan.measure_from, plan.measure_to);
                let carried = link.busy.secs() * planned.rate.bits_per_sec() as f64;
                assert!(
                    carried <= could * (1.0 + 1e-6) + 100.0,
                    "{carried} > {could}, {}",
                    about()
                );
            }
            assert_eq!(link.offered, link.sent + link.overflowed + link.dropped_early);
            assert!(link.lost + link.marked <= 2 * link.sent, "{}", about());
            let losses = link.losses.expect("it tells them apart");
            assert!((0.0..=1.0).contains(&losses.synchronisation), "{}", about());
            let limit = match planned.queue.limit {
                Limit::Packets(n) => n as f64,
                _ => f64::INFINITY,
            };
            assert!(link.queue_mean <= limit, "{}", about());
            // the middle of a bucket 1/32 wide
            let most = link.queue.quantile(1.0).unwrap_or(0.0);
            assert!(most <= limit * (1.0 + 1.0 / 32.0), "{}", about());
            let lossy = planned.loss.values().any(|loss| loss.mean() > 0.0);
            assert!(lossy || link.lost == 0, "{}", about());
        }
    });
}

/// Propagation and transmission of a data packet and of its ACK without
/// blocks, rounded down at each link, in nanoseconds.
fn base_rtt(plan: &Plan, flow: &tusker_plan::plan::Flow) -> u64 {
    let along = |route: &[usize], bytes: u64| -> u64 {
        let links = route.iter().map(|&link| &plan.links[link]);
        links.map(|l| l.shortest(Bytes::new(bytes)).nanos()).sum()
    };
    let data = if flow.application.is_some() { flow.tcp.packet } else { flow.tcp.header };
    let there = flow.routes().map(|route| along(route, data.get())).min();
    let back = flow.reverses().map(|route| along(route, flow.tcp.ack.get())).min();
    there.unwrap_or_default() + back.unwrap_or_default()
}

#[test]
fn a_transfer_ends_whatever_is_lost() {
    for_any("transfers", 200, |numbers, seed| {
        let mut choices = Choices::new(numbers);
        let (text, loss) = transfer(&mut choices);
        let plan = parse(&text);
        let run = run_ahead(&plan, seed, true);
        for (flow, planned) in run.flows.iter().zip(&plan.flows) {
            let about = || format!("{}: {}, seed {seed}, in\n{text}", planned.name, brief(flow));
            let segments = planned.size.expect("sized").get().div_ceil(planned.tcp.payload().get());
            assert!(flow.finished.is_some(), "not finished: {}", about());
            assert_eq!(flow.total.delivered, segments, "{}", about());
            // nothing more comes after the end
            assert_eq!(flow.total.in_flight, 0, "{}", about());
            if loss == 0 {
                // a tail loss probe may go out when others' packets double the RTT
                let probes = planned.tcp.recovery == Recovery::RackTlp;
                let sent = flow.total.sent;
                assert!(sent == segments || probes, "sent again: {}", about());
                assert_eq!(flow.total.dropped, 0, "{}", about());
            }
        }
    });
}

/// Sized flows with days to complete: if a queue of one packet drops every second packet
/// and only the timer, backed off to its maximum, repairs it, that is what it takes, and
/// idle time costs nothing. Without loss, queues are large and the RTO is never shorter
/// than the longest queue.
fn transfer(choices: &mut Choices) -> (String, u16) {
    let loss = choices.below(2) * choices.range(1, 2_000);
    let (queue, rto) = if loss == 0 {
        ("unlimited", "30s")
    } else {
        (choices.one(&["3pkt", "20pkt", "1pkt", "unlimited"]), "200ms")
    };
    let profile = choices.one(&["ns2", "linux"]);
    let mut text = format!("profile = \"{profile}\"\nduration = \"1000000s\"\n[dumbbell]\n");
    let (rate, delay) = (choices.range(1, 100), choices.range(1, 60));
    let (back, acks) = (choices.below(2) * choices.below(2_000), choices.flag());
    let back = if loss == 0 || !acks { 0 } else { back };
    write!(
        text,
        "rate = \"{rate}Mbit\"\ndelay = \"{delay}ms\"\nqueue = \"{queue}\"\n\
         loss = 0.{loss:04}\nreverse = {{ queue = \"unlimited\", loss = 0.{back:04} }}\n\
         access = {{ rate = \"1Gbit\", delay = \"1ms\", queue = \"unlimited\" }}\n"
    )
    .expect("a string");
    for group in 0..choices.range(1, 2) {
        let cc = law(choices).name;
        let recovery = choices.one(&["reno", "newreno", "sack", "rack"]);
        let host = choices.one(&["unlimited", "backpressure"]);
        let size = u32::from(choices.range(1, 40_000)) * 10;
        let selective = matches!(recovery, "sack" | "rack");
        let (prr, forget) = (selective && choices.flag(), choices.flag());
        let (stamps, pacing, limited) = (choices.flag(), choices.flag(), choices.flag());
        let (stamps, pacing) = (stamps || needs(cc, "timestamps"), pacing || needs(cc, "pacing"));
        let delayed = choices.one(&["false", "\"40ms\""]);
        let window = choices.range(1, 10);
        let buffer = choices.one(&["unlimited", "1500B", "20kB"]);
        write!(
            text,
            "[[flows]]\nname = \"g{group}\"\ncount = {}\ncc = \"{cc}\"\nrecovery = \"{recovery}\"\n\
             size = \"{size}B\"\nhost_queue = \"{host}\"\n[flows.tcp]\nprr = {prr}\n\
             forget_sack_on_timeout = {forget}\ntimestamps = {stamps}\npacing = {pacing}\n\
             limited_transmit = {limited}\ndelayed_ack = {delayed}\ninitial_window = {window}\n\
             receive_buffer = \"{buffer}\"\nrto = {{ initial = \"{rto}\", min = \"{rto}\" }}\n",
            choices.range(1, 3),
        )
        .expect("a string");
    }
    (text, loss)
}
