//! The trend that gHSTCP computes in C, where its sums are largest: Z is compared with a
//! calculation in exact integers.

use tusker_core::congestion::{Ack, Controller, Options, Rtt, Spec};
use tusker_core::{Duration, Rng, Time};
use tusker_kernel::host::HostLaw;

const SEED: u64 = 309;

/// Z of these pairs of microseconds, in two passes over exact integers.
fn exact_z(pairs: &[(u64, u64)]) -> f64 {
    let n = pairs.len() as i128;
    let sum = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
        pairs.iter().map(|&(d, t)| f(d.into(), t.into())).sum()
    };
    let (sd, st) = (sum(&|d, _| d), sum(&|_, t| t));
    // N times deviations below 2^58, the sums of their products below 2^127: in parts
    let dev = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs
            .iter()
            .map(|&(d, t)| f((n * i128::from(d) - sd) as f64, (n * i128::from(t) - st) as f64))
            .sum()
    };
    let (dd, tt, dt) = (dev(&|d, _| d * d), dev(&|_, t| t * t), dev(&|d, t| d * t));
    let r = dt / (dd.sqrt() * tt.sqrt());
    0.5 * ((1.0 + r) / (1.0 - r)).ln() * ((n - 3) as f64).sqrt()
}

/// The Z that the law in C shows after a window of these pairs.
fn z_in_c(pairs: &[(u64, u64)]) -> f64 {
    let spec = Spec::named("ghstcp", []).expect("defaults fit together");
    let options =
        Options { initial_window: pairs.len() as f64, initial_ssthresh: 2.0, ..Options::default() };
    let law = HostLaw::named("ghstcp").expect("it is in C");
    let mut law = law.controller(&spec, &options).expect("defaults are known");
    for &(d, t) in pairs {
        let rtt = Duration::from_nanos(1_000 * t);
        law.on_ack(&Ack {
            now: Time::from_nanos(1_000 * (d + t)),
            departed: Time::from_nanos(1_000 * d),
            rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: None }),
            // almost no growth, so that the window stays the same
            credit: 1e-9,
            cwnd_limited: true,
            ..Ack::default()
        });
    }
    let mut z = f64::NAN;
    law.inspect(&mut |name, value| {
        if name == "z" {
            z = value;
        }
    });
    z
}

#[test]
fn a_window_of_2_to_the_20_over_100_s_loses_nothing() {
    const N: u64 = 1 << 20;
    let mut rng = Rng::named(SEED, "trend");
    // ten years after the clock's start, arbitrary round trips below a minute, which rise
    // by this much from the first to the last
    for rise in [0.0_f64, 1e4, 1e5, 3e5, -2e5, 3e7] {
        let pairs: Vec<_> = (0..N)
            .map(|i| {
                let t = rng.range(1.0, 3e7) + rise.abs() + rise * i as f64 / N as f64;
                (315_576_000_000_000 + 95 * i + (95.0 * rng.unit()) as u64, t as u64)
            })
            .collect();
        let (exact, c) = (exact_z(&pairs), z_in_c(&pairs));
        // ln is off by 2^-30 at most, twice, times sqrt(2^20)/2: 1e-6; z has 24 places
        assert!((c - exact).abs() < 2e-6, "{c} instead of {exact}, rise {rise}, seed {SEED}");
    }
}

#[test]
fn small_windows_are_exact_too() {
    let mut rng = Rng::named(SEED, "small");
    for n in 4..400 {
        let pairs: Vec<_> = (0..n)
            .map(|i| (1_000_000 + 1_000 * i, 100_000 + 3 * i + (rng.unit() * 500.0) as u64))
            .collect();
        let (exact, c) = (exact_z(&pairs), z_in_c(&pairs));
        assert!((c - exact).abs() < 2e-7, "{c} instead of {exact}, {n} pairs, seed {SEED}");
    }
}

/// r = 1 - 2^-53 at most, as in Rust: Z = 1/2 ln(2/2^-53) sqrt(5 - 3) = 26.47.
#[test]
fn a_straight_line_is_finite() {
    let line = |slope: i64| -> Vec<(u64, u64)> {
        (0..5).map(|i| (1_000 + i, (1_000 + slope * i as i64).cast_unsigned())).collect()
    };
    assert!((z_in_c(&line(2)) - 26.47).abs() < 0.005);
    assert!((z_in_c(&line(-2)) + 26.47).abs() < 0.005);
    assert_eq!(z_in_c(&line(0)), 0.0);
}
