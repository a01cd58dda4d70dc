//! Whatever a path does to packets, everything arrives, once and in order.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tusker_core::congestion::{ALL, SlowStart};
use tusker_core::{Bytes, Duration, Params, Rng, Time};
use tusker_plan::plan::{Counting, Ecn, Recovery, Tcp};
use tusker_sim::tcp::Job;

use crate::bench::Connection;
use crate::path::{Fate, Path, Travels, default_law};

/// A connection, and a path that misbehaves until `calm`.
#[derive(Clone, Debug)]
struct Case {
    law: usize,
    tcp: Tcp,
    segments: u64,
    seed: u64,
    loss: f64,
    ack_loss: f64,
    duplicates: f64,
    marks: f64,
    /// One-way delay and how much it may grow, in ms.
    delay: u64,
    jitter: u64,
    calm: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let tcp = (
        (0..4_usize, any::<[bool; 13]>(), 0..3_u64, 1..12_u32),
        (prop::option::of(2..40_u32), 0..3_usize, 0..4_u32, 0..3_usize),
    );
    let path = (0.0..0.4, 0.0..0.4, 0.0..0.2, 0.0..0.3, 1..120_u64, 0..80_u64, 1..8000_u64);
    (0..ALL.len(), tcp, 1..250_u64, any::<u64>(), path).prop_map(
        |(law, tcp, segments, seed, path)| {
            let ((recovery, flags, delayed, window), (ssthresh, slow_start, counting, buffer)) =
                tcp;
            let [
                prr,
                limited_transmit,
                impatient,
                ns2,
                forget,
                timestamps,
                ecn,
                pacing,
                fast,
                undo,
                frto,
                linux,
                segmentation,
            ] = flags;
            let recovery =
                [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::RackTlp][recovery];
            let sack = matches!(recovery, Recovery::Sack | Recovery::RackTlp);
            let sheet = SlowStart::ALL[slow_start];
            let tcp = Tcp {
                recovery,
                prr: prr && sack,
                limited_transmit,
                impatient,
                ns2_details: ns2,
                linux_details: linux,
                segmentation,
                forget_sack_on_timeout: forget,
                undo,
                frto,
                delayed_ack: (delayed > 0).then(|| Duration::from_millis(40 * delayed)),
                initial_window: window,
                initial_ssthresh: ssthresh,
                slow_start: SlowStart::new(sheet.name, &Params::defaults(sheet.params))
                    .expect("known"),
                counting: if counting == 0 { Counting::Acks } else { Counting::Segments(counting) },
                timestamps,
                ecn: if !ecn {
                    Ecn::Off
                } else if fast {
                    Ecn::Accurate
                } else {
                    Ecn::Classic
                },
                pacing,
                min_rto: Duration::from_millis(if fast { 10 } else { 200 }),
                send_buffer: (buffer == 1).then(|| Bytes::new(1460 * 3)),
                receive_buffer: (buffer == 2).then(|| Bytes::new(1460 * 9)),
                ..Connection::default_tcp()
            };
            let (loss, ack_loss, duplicates, marks, delay, jitter, calm) = path;
            Case {
                law,
                tcp,
                segments,
                seed,
                loss,
                ack_loss,
                duplicates,
                marks,
                delay,
                jitter,
                calm,
            }
        },
    )
}

#[test]
fn everything_arrives_once_and_in_order() {
    // the seed is fixed: a failure repeats, and its case is printed
    let config = Config { cases: 6_000, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[42; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    if let Err(error) = runner.run(&cases(), |case| check(&case)) {
        panic!("seed [42; 32]: {error}");
    }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let job = Job { segments: case.segments, stop: Time::NEVER };
    let mut path = Path::new(default_law(ALL[case.law].name, &case.tcp), case.tcp, job);
    let mut rng = Rng::named(case.seed, "path");
    let calm = Time::ZERO + Duration::from_millis(case.calm);
    let ms = Duration::from_millis;
    let sent = Cell::new(0);
    let mut fate = |what: &Travels| {
        let (data, now) = match what {
            Travels::Data(data) => (true, data.at),
            Travels::Ack(ack) => (false, ack.at),
        };
        sent.set(sent.get() + u64::from(data));
        if now >= calm {
            return Fate { arrives: vec![ms(case.delay)], marked: false };
        }
        let (loss, copies) = (
            if data { case.loss } else { case.ack_loss },
            1 + u32::from(rng.range(0.0, 1.0) < case.duplicates),
        );
        let mut arrives = Vec::new();
        for _ in 0..copies {
            if rng.range(0.0, 1.0) >= loss {
                arrives.push(ms(case.delay + rng.range(0.0, case.jitter as f64 + 1.0) as u64));
            }
        }
        Fate { arrives, marked: rng.range(0.0, 1.0) < case.marks }
    };
    path.pump(&mut fate);
    while !path.sender.is_finished() {
        prop_assert!(path.events < 60_000, "a livelock: {:?}", path.sender);
        let goes_on = path.step(&mut fate);
        prop_assert!(goes_on, "nothing happens any more: {:?}", path.sender);
        let (sender, counters) = (&path.sender, path.sender.counters());
        let (cwnd, ssthresh) = (sender.cc().cwnd(), sender.cc().ssthresh());
        prop_assert!(cwnd.is_finite() && cwnd >= 1.0 && ssthresh >= 2.0, "{cwnd} {ssthresh}");
        prop_assert!(counters.retransmitted <= counters.sent);
        prop_assert!(sender.flight() <= case.segments);
        prop_assert!(sender.flight() == 0 || sender.timer() < Time::NEVER, "no timer runs");
        prop_assert!(path.delivered <= case.segments);
    }
    prop_assert_eq!(path.delivered, case.segments, "each segment was delivered once");
    prop_assert_eq!(path.sender.flight(), 0);
    prop_assert_eq!(path.sender.counters().sent, sent.get());
    prop_assert_eq!(sent.get() - path.sender.counters().retransmitted, case.segments);
    // packets still under way change nothing
    while path.events < 70_000 && path.step(&mut fate) {}
    prop_assert!(path.next() == Time::NEVER, "it does not come to rest: {:?}", path.sender);
    prop_assert_eq!(path.delivered, case.segments);
    Ok(())
}
