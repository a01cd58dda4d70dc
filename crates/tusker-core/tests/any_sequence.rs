//! Whatever happens to a connection, its controller keeps its promises.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

use tusker_core::congestion::{
    ALL, Ack, Algorithm, Congestion, Controller, LossSample, Options, RateSample, Rtt, Signal,
    SlowStart, Timeout,
};
use tusker_core::{Bytes, Duration, Params, Time};

const SEED: u64 = 20_260_101;

/// Laws that may lower the window at an ACK, or move it in recovery.
const FREE: &[&str] = &[
    "vegas", "fast", "eefast", "compound", "hcc", "lp", "udt", "bbr1", "bbr3", "copa", "ledbat++",
    "xcp", "vcp",
];

/// What a transport may tell a controller, in any order that it promises.
#[derive(Clone, Debug)]
enum Event {
    Acks {
        count: u8,
        credit: f64,
        rtt: Option<(u64, i64)>,
        /// One-way delays by a clock of its own, with their slope.
        forward: Option<(u64, i64)>,
        round: bool,
        limited: bool,
        more: More,
    },
    Congestion {
        signal: Signal,
        flight: u32,
    },
    Recovered,
    Timeout {
        flight: u32,
    },
}

/// What only some algorithms need.
#[derive(Clone, Copy, Debug)]
struct More {
    /// Found lost by the first of them.
    lost: u32,
    marked: u32,
    rate: Option<RateSample>,
    feedback: Option<f64>,
}

fn more() -> impl Strategy<Value = More> {
    let lost = prop_oneof![4 => Just(0), 1 => 1..20_u32, 1 => any::<u32>()];
    // codes of load, and changes of the window
    let codes = prop_oneof![Just(1.0), Just(2.0), Just(3.0)];
    let feedback = prop::option::of(prop_oneof![codes, -1e3..1e3_f64, Just(0.0), -1e12..1e12_f64]);
    (lost, any::<u32>(), rates(), feedback).prop_map(|(lost, marked, rate, feedback)| More {
        lost,
        marked,
        rate,
        feedback,
    })
}

/// The sender's and the receiver's clock are apart by anything, and drift.
fn forward() -> impl Strategy<Value = Option<(u64, i64)>> {
    let at = prop_oneof![
        0..10_000_000_000_u64,
        // the receiver's is behind: below zero
        (0..10_000_000_000_u64).prop_map(u64::wrapping_neg),
        any::<u64>(),
    ];
    prop::option::weighted(0.8, (at, prop_oneof![Just(0), -1_000_000..1_000_000_i64]))
}

fn events() -> impl Strategy<Value = Event> {
    let credit = prop_oneof![4 => Just(1.0), 1 => Just(0.0), 1 => 0.0..64.0_f64, 1 => Just(1e6)];
    let rtt = prop::option::weighted(
        0.8,
        // constant, rising or falling round trips of 1 us to 10 s
        (1_000..10_000_000_000_u64, prop_oneof![Just(0), -1_000_000..1_000_000_i64]),
    );
    let limited = prop::bool::weighted(0.9);
    let acks = (any::<u8>(), credit, rtt, forward(), any::<bool>(), limited, more()).prop_map(
        |(count, credit, rtt, forward, round, limited, more)| Event::Acks {
            count,
            credit,
            rtt,
            forward,
            round,
            limited,
            more,
        },
    );
    let signal = prop_oneof![Just(Signal::Loss), Just(Signal::Mark)];
    let flight = || prop_oneof![Just(0), 1..50_u32, any::<u32>()];
    prop_oneof![
        8 => acks,
        2 => (signal, flight()).prop_map(|(signal, flight)| Event::Congestion { signal, flight }),
        2 => Just(Event::Recovered),
        1 => flight().prop_map(|flight| Event::Timeout { flight }),
    ]
}

/// Rate samples: `prior_delivered` is how far that was behind, `total_delivered`
/// is for the player to say.
fn rates() -> impl Strategy<Value = Option<RateSample>> {
    let few = || prop_oneof![1..100_u32, any::<u32>()];
    let sample = (few(), 1..10_000_000_000_u64, few(), few(), any::<bool>(), 0..1_000_000_u64);
    prop::option::weighted(
        0.8,
        sample.prop_map(|(delivered, interval, tx_in_flight, lost, app_limited, apart)| {
            RateSample {
                delivered,
                interval: Duration::from_nanos(interval),
                prior_delivered: u64::from(delivered),
                total_delivered: 0,
                tx_in_flight,
                lost,
                app_limited,
                dispersion: (apart % 2 == 1).then_some(Duration::from_nanos(apart)),
            }
        }),
    )
}

fn options() -> impl Strategy<Value = Options> {
    let slow_start = prop_oneof![
        Just(SlowStart::Standard),
        (2.0..1e4_f64).prop_map(|max_ssthresh| SlowStart::Limited { max_ssthresh }),
        Just(SlowStart::HyStartPlusPlus),
    ];
    let ssthresh = prop_oneof![Just(f64::INFINITY), 0.0..1e5_f64];
    let max = prop_oneof![Just(f64::INFINITY), 1.0..1e6_f64];
    let pacing = prop::option::of(Just(Bytes::new(1500)));
    (1.0..2e5_f64, ssthresh, max, slow_start, any::<bool>(), pacing).prop_map(
        |(initial_window, initial_ssthresh, max_window, slow_start, whole_ssthresh, pacing)| {
            Options {
                initial_window,
                initial_ssthresh,
                max_window,
                slow_start,
                whole_ssthresh,
                pacing,
            }
        },
    )
}

/// A place in its range for each parameter that an algorithm may have.
fn places() -> impl Strategy<Value = Option<[f64; Params::CAPACITY]>> {
    let place = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64];
    prop::option::of(prop::array::uniform16(place))
}

fn names(law: &Algorithm) -> Vec<&'static str> {
    let mut names = Vec::new();
    law.inspect(&mut |name, value| {
        assert!(value.is_finite(), "{name} is {value}");
        names.push(name);
    });
    names
}

fn check(law: &Algorithm, options: &Options, shown: &[&str]) {
    let (cwnd, ssthresh) = (law.cwnd(), law.ssthresh());
    assert!(cwnd.is_finite(), "cwnd is {cwnd}");
    assert!(cwnd >= 1.0, "cwnd is {cwnd}");
    assert!(cwnd <= options.max_window, "cwnd is {cwnd}");
    assert!(ssthresh >= 2.0, "ssthresh is {ssthresh}");
    assert_eq!(names(law), shown);
    if let Some(rate) = law.pacing_rate() {
        assert!(rate.bits_per_sec() > 0);
    }
}

/// A transport that keeps its promises: one congestion per episode, the first
/// expiry of the timer told apart from those that follow it.
fn play(name: &str, params: &Params, options: &Options, events: &[Event]) {
    let mut law = Algorithm::new(name, params, options).expect("from the registry");
    let shown = names(&law);
    check(&law, options, &shown);
    let (mut now, mut recovering, mut expired) = (Time::from_nanos(1 << 40), false, false);
    let mut delivered = 0_u64;
    for event in events {
        match *event {
            Event::Acks { count, credit, rtt, forward, round, limited, more } => {
                for i in 0..count {
                    let before = law.cwnd();
                    now += Duration::from_nanos(1_000);
                    let latest = rtt.map(|(base, slope)| {
                        Duration::from_nanos(
                            base.saturating_add_signed(slope * i64::from(i)).max(1),
                        )
                    });
                    delivered += credit as u64;
                    let lost = if i == 0 { more.lost } else { 0 };
                    let rate = more.rate.map(|rate| RateSample {
                        prior_delivered: delivered.saturating_sub(rate.prior_delivered),
                        total_delivered: delivered,
                        ..rate
                    });
                    let worst_loss = (lost > 0).then_some(LossSample {
                        tx_in_flight: rate.map_or(1, |rate| rate.tx_in_flight),
                        lost,
                        app_limited: false,
                    });
                    law.on_ack(&Ack {
                        lost,
                        worst_loss,
                        rate,
                        now,
                        acked: credit as u32,
                        credit,
                        in_flight: law.cwnd() as u32,
                        rtt: latest.map(|latest| Rtt {
                            latest,
                            smoothed: latest,
                            min: latest,
                            // none in between, as where an ACK echoes none
                            forward: forward.filter(|_| i % 7 != 3).map(|(at, slope)| {
                                let moved = slope.wrapping_mul(i64::from(i));
                                Duration::from_nanos(at.wrapping_add_signed(moved))
                            }),
                        }),
                        departed: Time::from_nanos(now.nanos() - latest.map_or(0, |l| l.nanos())),
                        round_start: round && i == 0,
                        cwnd_limited: limited,
                        marked: more.marked.min(credit as u32),
                        feedback: more.feedback,
                    });
                    let after = law.cwnd();
                    if FREE.contains(&name) {
                        // may answer to delay with less, and to no loss
                    } else if recovering || !limited || credit == 0.0 {
                        assert_eq!(after, before, "this ACK must not move the window");
                    } else {
                        assert!(after >= before, "an ACK took from the window");
                    }
                    check(&law, options, &shown);
                }
                expired &= count == 0 || credit == 0.0;
            }
            Event::Congestion { .. } if recovering => {}
            Event::Congestion { signal, flight } => {
                let before = law.cwnd();
                law.on_congestion(&Congestion { now, signal, flight });
                assert!(law.cwnd() <= before, "congestion added to the window");
                recovering = true;
            }
            Event::Recovered if recovering => {
                law.on_recovered(now);
                recovering = false;
            }
            Event::Recovered => {}
            Event::Timeout { flight } => {
                let before = law.ssthresh();
                law.on_timeout(&Timeout { now, flight, first: !expired });
                assert_eq!(law.cwnd(), 1.0, "the loss window is one segment");
                if expired {
                    assert_eq!(law.ssthresh(), before, "a repeated timeout holds ssthresh");
                }
                (recovering, expired) = (false, true);
            }
        }
        check(&law, options, &shown);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_keeps_the_window_legal(
        options in options(),
        places in places(),
        events in prop::collection::vec(events(), 1..60),
    ) {
        for sheet in ALL {
            let mut params = Params::defaults(sheet.params);
            for (param, place) in sheet.params.iter().zip(places.iter().flatten()) {
                let value = param.min + place * (param.max - param.min);
                params.set(param.name, value.min(param.max)).expect("inside its range");
            }
            println!("{} with seed {SEED}", sheet.name);
            play(sheet.name, &params, &options, &events);
        }
    }
}
