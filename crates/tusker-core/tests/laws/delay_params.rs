//! Every parameter of the delay-based laws has an effect: on one path, with all
//! others at their defaults, its smallest or its largest value changes the course
//! of the window.

use tusker_core::congestion::{
    Ack, Algorithm, Congestion, Controller, Options, RateSample, Rtt, Signal, Spec, Timeout,
};
use tusker_core::{Duration, Rng, Time};

const LAWS: &[&str] =
    &["ghstcp-refined", "vegas", "fast", "eefast", "illinois", "compound", "hcc", "lp"];

const SEED: u64 = 11;

/// Segments in the empty path, one per 100 us.
const BDP: f64 = 300.0;

/// The window after each round trip on a path with room for 600 segments, then for
/// 60; with a little noise, and a timeout at last.
fn course(spec: &Spec) -> Vec<f64> {
    let options = Options { initial_window: 10.0, ..Options::default() };
    let mut law = Algorithm::new(spec, &options);
    let mut rng = Rng::named(SEED, "delay_params");
    let mut now = Time::from_nanos(1_000_000_000);
    let mut course = Vec::new();
    for round in 0..400 {
        let buffer = if round < 120 { 600.0 } else { 60.0 };
        // and an occasional loss that is not due to a queue
        let mut lost = round % 90 == 80;
        for i in 0..(law.cwnd() as u32).clamp(1, 2_000) {
            let queue = (law.cwnd() - BDP).clamp(0.0, buffer) + rng.range(0.0, 3.0);
            lost |= law.cwnd() - BDP > buffer;
            let forward = Duration::from_secs(0.015 + queue * 1e-4);
            let rtt = Duration::from_secs(0.015 + rng.range(0.0, 1e-3)) + forward;
            now += Duration::from_nanos(100_000);
            law.on_ack(&Ack {
                now,
                // an occasional delayed ACK, for laws that count packets
                acked: if i % 8 == 5 { 2 } else { 1 },
                credit: 1.0,
                in_flight: law.cwnd() as u32,
                rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: Some(forward) }),
                departed: Time::from_nanos(now.nanos() - rtt.nanos()),
                round_start: i == 0,
                cwnd_limited: true,
                // an occasional packet pair, for laws that use them
                rate: Some(RateSample {
                    dispersion: (i % 16 == 1).then_some(Duration::from_nanos(100_000)),
                    ..RateSample::default()
                }),
                ..Ack::default()
            });
        }
        if round == 350 {
            law.on_timeout(&Timeout { now, flight: u32::MAX, in_flight: 0, first: true });
        } else if lost {
            let flight = u32::MAX;
            law.on_congestion(&Congestion { now, signal: Signal::Loss, flight });
            law.on_recovered(now);
        }
        course.push(law.cwnd());
    }
    course
}

#[test]
fn every_parameter_acts() {
    let mut idle = Vec::new();
    for name in LAWS {
        let spec = |given| Spec::named(name, given).expect("known and in range");
        let defaults = spec(None);
        let usual = course(&defaults);
        for param in defaults.sheet().params {
            let acts = |value: f64| course(&spec(Some((param.name, value)))) != usual;
            if !acts(param.min) && !acts(param.max) {
                idle.push(format!("{name}: {} does nothing", param.name));
            }
        }
    }
    assert!(idle.is_empty(), "{}; seed {SEED}", idle.join("\n"));
}
