//! Controllers keep their promises whatever happens to a connection.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

use crate::law_model::{Event, More, play};
use tusker_core::congestion::{Kind, Options, RateSample, Signal, SlowStart, Spec};
use tusker_core::spec::Kind as _;
use tusker_core::{Bytes, Duration, Params};

const SEED: u64 = 20_260_101;

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

/// The sender's and the receiver's clocks differ arbitrarily, and drift.
fn forward() -> impl Strategy<Value = Option<(u64, i64)>> {
    let at = prop_oneof![
        0..10_000_000_000_u64,
        // the receiver's clock is behind: negative
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
    // from a microsecond to a day
    let nanos = prop_oneof![1_000..10_000_000_000_u64, Just(86_400_000_000_000)];
    let idle = (nanos, prop::option::of(0.0..=1.0_f64))
        .prop_map(|(nanos, kept)| Event::Idle { nanos, kept });
    prop_oneof![
        8 => acks,
        2 => (signal, flight()).prop_map(|(signal, flight)| Event::Congestion { signal, flight }),
        2 => Just(Event::Recovered),
        1 => flight().prop_map(|flight| Event::Timeout { flight }),
        1 => Just(Event::Undo),
        1 => idle,
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

/// A position within its range for each parameter that an algorithm may have.
fn places() -> impl Strategy<Value = Option<[f64; Params::CAPACITY]>> {
    let place = prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0_f64];
    prop::option::of(prop::array::uniform16(place))
}

/// Names the law if the test fails.
struct Told(&'static str);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{} with seed {SEED}", self.0);
        }
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
        for &kind in Kind::ALL {
            let params = kind.sheet().params;
            let given = params.iter().zip(places.iter().flatten()).map(|(param, place)| {
                (param.name, (param.min + place * (param.max - param.min)).min(param.max))
            });
            let spec = Spec::with(kind, given).expect("inside their ranges");
            let _told = Told(spec.name());
            play(&spec, &options, &events);
        }
    }
}
