//! Laws against closed forms: one loss in every 1/p segments, round trips of
//! equal length, no network. What is left is the law.

use tusker_core::congestion::{ALL, Ack, Algorithm, Congestion, Controller, Options, Signal};
use tusker_core::{Duration, Params, Time};

/// Average window of a law that loses every `period`-th segment.
///
/// With a round trip of one, acknowledging a segment takes 1/w of it, so that
/// the average over time is segments divided by the sum of 1/w.
fn average_window(name: &str, start: f64, period: u32, cycles: u32) -> f64 {
    let sheet = ALL.iter().find(|s| s.name == name).expect("in the registry");
    let options = Options { initial_window: start, initial_ssthresh: 2.0, ..Options::default() };
    let mut law = Algorithm::new(name, &Params::defaults(sheet.params), &options).unwrap();
    let now = Time::ZERO + Duration::from_millis(1);
    let ack = Ack {
        now,
        acked: 1,
        credit: 1.0,
        in_flight: 0,
        rtt: None,
        departed: Time::ZERO,
        round_start: false,
        cwnd_limited: true,
        ..Ack::default()
    };
    let (mut segments, mut time) = (0.0, 0.0);
    for cycle in 0..cycles {
        for _ in 0..period {
            // the first half of the cycles forgets where the law started
            if cycle >= cycles / 2 {
                segments += 1.0;
                time += 1.0 / law.cwnd();
            }
            law.on_ack(&ack);
        }
        law.on_congestion(&Congestion { now, signal: Signal::Loss, flight: u32::MAX });
        law.on_recovered(now);
    }
    segments / time
}

#[track_caller]
fn near(got: f64, expected: f64, relative: f64) {
    let error = got / expected - 1.0;
    assert!(error.abs() < relative, "{got:.2} instead of {expected:.2}: {:+.2} %", 100.0 * error);
}

#[test]
fn reno_keeps_the_window_of_the_sawtooth() {
    // A sawtooth between W/2 and W sends 3/8 W^2 = 1/p segments at an average of
    // 3/4 W: w = sqrt(1.5/p). Growth per ACK gains a little less than a segment
    // per round trip, 1 - 1/(2w): at 100 segments half a per cent of the slope
    // and a quarter of the window.
    for period in [10_000, 100_000, 1_000_000] {
        let expected = (1.5 * f64::from(period)).sqrt();
        near(average_window("reno", expected, period, 30), expected, 0.0025);
    }
}

#[test]
fn hstcp_keeps_the_window_of_its_response_function() {
    // RFC 3649, section 5: W = 0.12/P^0.835. The RFC balances a and b at the
    // average window; over a tooth both change, and 0.12, 0.835 and 0.078 are
    // rounded: 2 % covers both. Where P is 1e-3, W is w_low and half the tooth is
    // Reno.
    for (period, cycles) in [(10_000, 60), (100_000, 60), (1_000_000, 40)] {
        let expected = 0.12 * f64::from(period).powf(0.835);
        near(average_window("hstcp", expected, period, cycles), expected, 0.02);
    }
}

#[test]
fn ghstcp_without_a_trend_is_hstcp() {
    for period in [1_000, 100_000] {
        let hstcp = average_window("hstcp", 100.0, period, 20);
        assert_eq!(average_window("ghstcp", 100.0, period, 20), hstcp);
    }
}

#[test]
fn below_38_segments_these_are_reno() {
    // at p = 1/500 the sawtooth peaks at 4/3 sqrt(1.5 * 500) = 36.5 segments
    let reno = average_window("reno", 20.0, 500, 20);
    for name in ["hstcp", "ghstcp"] {
        assert_eq!(average_window(name, 20.0, 500, 20), reno, "{name}");
    }
}
