use super::*;
use crate::table::given;
use crate::units::{Bytes, Rate};

/// RED on 2.5 Gbit/s with these parameters.
fn red(values: &[(&str, f64)]) -> Red {
    let rate = Rate::from_bits_per_sec(2_500_000_000);
    Red::new(given(values), &Link { rate, mean_packet: Bytes::new(1500) })
}

/// RED whose average is the queue itself, thresholds 4 and 12.
fn sharp(max_p: f64, gentle: f64, wait: f64) -> Red {
    red(&[
        ("min_th", 4.0),
        ("max_th", 12.0),
        ("w_q", 1.0),
        ("max_p", max_p),
        ("gentle", gentle),
        ("wait", wait),
    ])
}

/// One arrival at a busy link with this many packets waiting.
fn arrive(red: &mut Red, packets: u32, rng: &mut Rng) -> Verdict {
    let p = Meta { size: Bytes::new(1500), ecn_capable: true, dscp: 0 };
    let bytes = Bytes::new(1500 * u64::from(packets));
    red.on_arrival(&p, &Backlog { packets, bytes, idle_since: None }, Time::ZERO, rng)
}

/// How often each gap between two signals occurs in this many arrivals, with the
/// average at 8 of 4..12: p_b = max_p / 2.
fn gaps(mut red: Red, arrivals: u32) -> [u32; 32] {
    let mut rng = Rng::named(1, "gaps");
    let mut seen = [0; 32];
    let mut gap = 0;
    let mut first = true;
    for _ in 0..arrivals {
        gap += 1;
        if arrive(&mut red, 8, &mut rng) == Verdict::Signal {
            if !first {
                seen[gap] += 1;
            }
            first = false;
            gap = 0;
        }
    }
    seen
}

/// Each of the gaps `from..=to` occurs equally often and no other occurs.
fn assert_uniform(seen: &[u32; 32], from: usize, to: usize) {
    let n: u32 = seen.iter().sum();
    let cells = (to - from + 1) as f64;
    let want = f64::from(n) / cells;
    // five standard errors of a cell of a multinomial
    let tolerance = 5.0 * libm::sqrt(want * (1.0 - 1.0 / cells));
    assert!(n > 5_000, "{n} gaps");
    for (gap, &times) in seen.iter().enumerate() {
        if (from..=to).contains(&gap) {
            assert!((f64::from(times) - want).abs() < tolerance, "gap {gap}: {times}, want {want}");
        } else {
            assert_eq!(times, 0, "gap {gap}");
        }
    }
}

#[test]
fn gaps_without_waiting_are_uniform() {
    // p = 0.25 / 2 = 1/8: the counts 1..7 have p/(1 - count p) = 1/7, 1/6, .. 1/1,
    // so that each gap of 1..7 has probability 1/7: mean 4 = 1/(2p)
    assert_uniform(&gaps(sharp(0.25, 0.0, 0.0), 40_000), 1, 7);
}

#[test]
fn gaps_with_waiting_are_uniform() {
    // p = 1/8: counts below 8 never, then 8..15 with 1/8, 1/7, .. 1/1:
    // each gap of 8..15 has probability 1/8: mean 11.5 = 3/(2p) - 1/2
    assert_uniform(&gaps(sharp(0.25, 0.0, 1.0), 100_000), 8, 15);
}

#[test]
fn the_first_arrival_above_min_th_passes() {
    // p = 1 from min_th on, except for the first: max_p = 1 at 11 of 4..12 is p_b =
    // 7/8; count 1 on the first, 2 on the second: 2 x 7/8 > 1, certain
    let mut rng = Rng::named(1, "first");
    let mut red = sharp(1.0, 0.0, 0.0);
    for _ in 0..3 {
        assert_eq!(arrive(&mut red, 3, &mut rng), Verdict::Pass);
        assert_eq!(arrive(&mut red, 11, &mut rng), Verdict::Pass);
        assert_eq!(arrive(&mut red, 11, &mut rng), Verdict::Signal);
    }
}

#[test]
fn a_signal_resets_the_count() {
    // p_b = 1/8 with wait: certain at count 15, silent below 8
    let mut rng = Rng::named(1, "reset");
    let mut red = sharp(0.25, 0.0, 1.0);
    while arrive(&mut red, 8, &mut rng) != Verdict::Signal {}
    assert_eq!(red.vars.count, 0);
    for _ in 1..8 {
        assert_eq!(arrive(&mut red, 8, &mut rng), Verdict::Pass);
    }
    assert_eq!(red.vars.count, 7);
}

#[test]
fn a_full_buffer_resets_the_count() {
    let mut rng = Rng::named(1, "overflow");
    let mut red = sharp(0.25, 0.0, 1.0);
    for _ in 0..7 {
        assert_eq!(arrive(&mut red, 8, &mut rng), Verdict::Pass);
    }
    red.on_overflow();
    for _ in 0..7 {
        assert_eq!(arrive(&mut red, 8, &mut rng), Verdict::Pass);
    }
    assert_eq!(red.vars.count, 7);
}

#[test]
fn gentle_is_off_unless_asked_for() {
    let mut rng = Rng::named(1, "forced");
    let mut red = red(&[("min_th", 4.0), ("max_th", 12.0), ("w_q", 1.0)]);
    assert_eq!(arrive(&mut red, 12, &mut rng), Verdict::Drop);
    assert_eq!(arrive(&mut red, 11, &mut rng), Verdict::Pass);
}

#[test]
fn forced_drops_are_not_marks() {
    // `arrive` sends ECN-capable packets
    let mut rng = Rng::named(1, "forced");
    let mut gentle = sharp(0.1, 1.0, 0.0);
    assert_eq!(arrive(&mut gentle, 24, &mut rng), Verdict::Drop);
    assert_eq!(gentle.vars.count, 0);
    // 23 of 12..24: p_b = 0.1 + 0.9 x 11/12 = 0.925; the first passes, then count 2 is certain
    assert_eq!(arrive(&mut gentle, 23, &mut rng), Verdict::Pass);
    assert_eq!(arrive(&mut gentle, 23, &mut rng), Verdict::Signal);
    assert_eq!(gentle.stats, Stats { arrivals: 3, early: 1, forced: 1 });
}

#[test]
fn one_waiting_packet_is_never_signalled() {
    // the average stays far above max_th: 0.998 x 1000
    let mut rng = Rng::named(1, "one");
    let mut red = red(&[("w_q", 0.002)]);
    red.vars.avg = 1000.0;
    assert_eq!(arrive(&mut red, 1, &mut rng), Verdict::Pass);
    assert_eq!(arrive(&mut red, 2, &mut rng), Verdict::Drop);
}

#[test]
fn average_of_a_standing_queue_takes_its_time() {
    // avg_n = q (1 - (1 - w_q)^n): n = 500, w_q = 0.002, q = 100:
    // 0.998^500 = exp(500 x ln 0.998) = exp(-1.0010013) = 0.3675112; 63.24888
    let mut rng = Rng::named(1, "standing");
    let mut red = red(&[("min_th", 5000.0)]);
    for _ in 0..500 {
        arrive(&mut red, 100, &mut rng);
    }
    assert!((red.avg() - 63.248_88).abs() < 1e-4, "avg {}", red.avg());
}

#[test]
fn thresholds_in_the_wrong_order_are_named() {
    let check = |max_th| Red::check(&RedParams { max_th, ..RedParams::default() });
    assert_eq!(check(0.0), Ok(()));
    assert!(check(5.0).is_err_and(|why| why.contains("larger than min_th")));
    assert_eq!(check(5.5), Ok(()));
}
