//! Laws against closed forms: one loss in every 1/p segments, round trips of equal
//! length, no network. This tests the law alone.

use tusker_core::congestion::{
    ALL, Ack, Algorithm, Congestion, Controller, Options, Rtt, Signal, Spec,
};
use tusker_core::{Duration, Time};

/// Average window of a law that loses every `period`-th segment.
///
/// With a round trip of one, acknowledging a segment takes 1/w of it, so that
/// the average over time is segments divided by the sum of 1/w.
fn average_window(name: &str, start: f64, period: u32, cycles: u32) -> f64 {
    let spec = Spec::named(name, []).expect("in the registry");
    let options = Options { initial_window: start, initial_ssthresh: 2.0, ..Options::default() };
    let mut law = Algorithm::new(&spec, &options);
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
            // after the first half of the cycles the starting point no longer
            // matters
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
        let expected = 0.12 * libm::pow(f64::from(period), 0.835);
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
fn below_38_segments_hstcp_and_its_kin_are_reno() {
    // at p = 1/500 the sawtooth peaks at 4/3 sqrt(1.5 * 500) = 36.5 segments
    let reno = average_window("reno", 20.0, 500, 20);
    for name in ["hstcp", "ghstcp", "ghstcp-refined"] {
        assert_eq!(average_window(name, 20.0, 500, 20), reno, "{name}");
    }
}

#[test]
fn scalable_keeps_the_window_of_its_response_function() {
    // Kelly 2003: from (1-b)W to W in bW/a ACKs, which are 1/p segments: W = a/(b p).
    // The window grows by a w per round trip, so that the climb takes
    // ln(1/(1-b))/a round trips, and its mean is 1/p over that:
    // a/(p ln(8/7)) = 0.01/0.1335314 1/p = 0.0748888/p.
    for period in [1_000, 10_000, 100_000] {
        let (expected, begin) = (0.074_888_8 * f64::from(period), 0.07 * f64::from(period));
        near(average_window("scalable", begin, period, 20), expected, 0.001);
    }
}

/// Average window of a law that has just lost at `w_max` and loses every
/// `period`-th segment, with round trips of `rtt` seconds.
fn average_window_after_loss(name: &str, w_max: f64, period: u32, cycles: u32, rtt: f64) -> f64 {
    // the models have a single W_max
    let sheet = ALL.iter().find(|sheet| sheet.name == name).expect("in the registry");
    let known = sheet.params.iter().find(|param| param.name == "fast_convergence");
    let spec = Spec::named(name, known.map(|param| (param.name, 0.0))).expect("in range");
    let options = Options { initial_window: w_max, initial_ssthresh: 2.0, ..Options::default() };
    let mut law = Algorithm::new(&spec, &options);
    let took = Duration::from_secs(rtt);
    let (mut segments, mut time, mut clock) = (0.0, 0.0, 1.0);
    for cycle in 0..cycles {
        let now = Time::from_nanos((clock * 1e9) as u64);
        law.on_congestion(&Congestion { now, signal: Signal::Loss, flight: u32::MAX });
        law.on_recovered(now);
        for _ in 0..period {
            let step = 1.0 / law.cwnd();
            if cycle >= cycles / 2 {
                segments += 1.0;
                time += step;
            }
            clock += step * rtt;
            law.on_ack(&Ack {
                now: Time::from_nanos((clock * 1e9) as u64),
                acked: 1,
                credit: 1.0,
                rtt: Some(Rtt { latest: took, smoothed: took, min: took, forward: None }),
                cwnd_limited: true,
                ..Ack::default()
            });
        }
    }
    segments / time
}

#[test]
fn bic_climbs_by_s_max_and_then_searches() {
    // Xu et al. 2004, section III, from a loss at W = 10,000: 8,750 to 9,936 by 32 per
    // round trip, 37.0625 of them at a mean of 9,343; then half of the way that is
    // left per round trip, per ACK a little: e^(-t/2) of 64, until that is 2 s_min =
    // 0.02: t = 2 ln(3,200) = 16.1418, at a mean of 10,000 - 128/16.1418 = 9,992.07.
    // Together 346,275 + 161,290 segments in 53.204 round trips: if a loss comes once
    // in 507,565 segments, the mean window is 9,540.0.
    near(average_window_after_loss("bic", 10_000.0, 507_565, 20, 0.1), 9_540.0, 0.003);
}

#[test]
fn cubic_keeps_the_window_of_its_response_function() {
    // RFC 9438, section 5.1: if a loss comes whenever w is back at W_max, K seconds
    // after the last, w is W_max - C K^3/4 on average, with C K^3 = (1 - beta) W_max:
    // W_max (3 + beta)/4; and 1/p segments are K/RTT times that. So
    //   W^4 = C (3 + beta)/(4 (1 - beta)) (RTT/p)^3, W the average.
    // beta = 0.7, C = 0.4: (0.4 * 3.7/1.2)^(1/4) = 1.0538; the RFC prints 1.054.
    // beta = 0.8 (cubic2005, b = 0.2): (0.4 * 3.8/0.8)^(1/4) = 1.1741.
    // The curve is flat at W_max, so a flow that started elsewhere would take very
    // long to get there; it starts with a loss at W_max.
    for (name, factor, mean) in [("cubic", 1.0538, 3.7 / 4.0), ("cubic2005", 1.1741, 3.8 / 4.0)] {
        for (period, rtt) in [(100_000, 0.1), (1_000_000, 0.05), (1_000_000, 0.1)] {
            let expected = factor * libm::pow(rtt * f64::from(period), 0.75);
            let got = average_window_after_loss(name, expected / mean, period, 20, rtt);
            near(got, expected, 0.02);
        }
    }
}

#[test]
fn cubic_of_linux_keeps_the_window_of_the_response_function() {
    // The same with 717/1024 and 41/1024: (0.40039 * 3.70020/1.19922)^(1/4) = 1.0543.
    for (period, rtt) in [(100_000, 0.1), (200_000, 0.05)] {
        let expected = 1.0543 * libm::pow(rtt * f64::from(period), 0.75);
        let begin = expected * 4.0 / 3.7002;
        near(average_window_after_loss("cubic-linux", begin, period, 20, rtt), expected, 0.02);
    }
}

#[test]
fn cubic_keeps_at_least_renos_window() {
    // RFC 9438, section 5.1: where losses are frequent or round trips short, CUBIC
    // grows like Reno with 0.529 and 0.7 instead of 1 and 1/2: its mean window is
    // sqrt(alpha (1 + beta)/(2 (1 - beta)))/sqrt(p) = sqrt(1.5/p), Reno's.
    for (name, rtt) in [("cubic", 0.01), ("cubic2005", 0.01)] {
        for period in [1_000, 10_000] {
            let expected = (1.5 * f64::from(period)).sqrt();
            near(average_window_after_loss(name, expected, period, 40, rtt), expected, 0.03);
        }
    }
}

#[test]
fn hybla_keeps_the_rate_of_reno_at_25_ms() {
    // Caini and Firrincieli 2004: the window is rho times that of Reno with a round trip
    // of RTT0, so that rates are equal: rho sqrt(1.5/p). As in Reno's case growth
    // per ACK gains a little less than rho^2 per round trip.
    for (rtt, rho) in [(0.025, 1.0), (0.1, 4.0), (0.6, 24.0)] {
        let expected = rho * (1.5 * 100_000.0_f64).sqrt();
        near(average_window_after_loss("hybla", expected, 100_000, 60, rtt), expected, 0.01);
    }
}

/// DCTCP's mean estimate over a link that marks all segments of a round whose
/// window is above `w_star`, and no others; what a round's marks say is heard in
/// the next one.
fn dctcp_alpha(w_star: f64) -> f64 {
    let options =
        Options { initial_window: w_star / 2.0, initial_ssthresh: 2.0, ..Options::default() };
    // section 3.4, equation 15: alpha must outlast a tooth, g < 1.386/sqrt(2 W*), that
    // is 0.031 for a W* of 1000; far below that it is constant
    let spec = Spec::named("dctcp", [("g", 1.0 / 256.0)]).expect("in range");
    let mut law = Algorithm::new(&spec, &options);
    let now = Time::ZERO + Duration::from_millis(1);
    let alpha = |law: &Algorithm| {
        let mut alpha = 0.0;
        law.inspect(&mut |_, value| alpha = value);
        alpha
    };
    let (mut sent, mut marked, mut sum) = (law.cwnd() as u32, false, 0.0);
    const ROUNDS: u32 = 40_000;
    for round in 0..ROUNDS {
        if marked {
            law.on_congestion(&Congestion { now, signal: Signal::Mark, flight: u32::MAX });
        }
        for i in 0..sent {
            law.on_ack(&Ack {
                now,
                acked: 1,
                credit: 1.0,
                marked: u32::from(marked),
                round_start: i + 1 == sent,
                cwnd_limited: true,
                ..Ack::default()
            });
        }
        law.on_recovered(now);
        (sent, marked) = (law.cwnd() as u32, law.cwnd() > w_star);
        // after the first half the starting point no longer matters
        sum += if round >= ROUNDS / 2 { alpha(&law) } else { 0.0 };
    }
    sum / f64::from(ROUNDS / 2)
}

#[test]
fn dctcp_estimates_what_its_sawtooth_marks() {
    // Alizadeh et al. 2010, section 3.3, equation 6: of a tooth from
    // (W* + 1)(1 - alpha/2) to W* + 1, which grows by one per round, the last round
    // is marked: alpha^2 (1 - alpha/4) = (2 W* + 1)/(W* + 1)^2, about 2/W*. Here a
    // tooth has one round more, in which the marks are heard: alpha is less by
    // alpha/2, 5 % for a W* of 200.
    for w_star in [200.0, 500.0, 1_000.0_f64] {
        let right = (2.0 * w_star + 1.0) / ((w_star + 1.0) * (w_star + 1.0));
        let mut alpha = right.sqrt();
        for _ in 0..50 {
            alpha = (right / (1.0 - alpha / 4.0)).sqrt();
        }
        near(dctcp_alpha(w_star), alpha, 0.10);
    }
}
