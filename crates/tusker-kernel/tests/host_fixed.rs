//! The fixed-point arithmetic of `bpf/fixed.h`, compared over its ranges with exact integers
//! and the platform's mathematical functions.

use tusker_core::Rng;
use tusker_kernel::host::fixed;

const SEED: u64 = 11;

/// Numbers of every magnitude.
fn any(rng: &mut Rng) -> u64 {
    let bits = rng.range(0.0, 65.0) as u32;
    let all = (rng.unit() * 2_f64.powi(32)) as u64 | ((rng.unit() * 2_f64.powi(32)) as u64) << 32;
    if bits == 0 { 0 } else { all >> (64 - bits) }
}

const EDGES: [u64; 9] = [0, 1, 2, 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, u64::MAX - 1, u64::MAX];

#[test]
fn products_and_quotients_are_exact() {
    let mut rng = Rng::named(SEED, "muldiv");
    let check = |a: u64, b: u64, c: u64, n: u32| {
        let p = u128::from(a) * u128::from(b);
        let nearest =
            (c > 0).then(|| p / u128::from(c) + u128::from(2 * (p % u128::from(c)) >= c.into()));
        let held = |q: u128| u64::try_from(q).unwrap_or(u64::MAX);
        assert_eq!(fixed::muldiv(a, b, c), nearest.map_or(u64::MAX, held), "{a} {b} {c}");
        let down = if c > 0 { held(p / u128::from(c)) } else { u64::MAX };
        assert_eq!(fixed::wide_div(p, c), down, "{p} / {c}");
        let shifted = (p >> n) + (p >> (n - 1) & 1);
        assert_eq!(fixed::mul_shift(a, b, n), held(shifted), "{a} {b} >> {n}");
    };
    for a in EDGES {
        for b in EDGES {
            for c in EDGES {
                check(a, b, c, 24);
            }
        }
    }
    for _ in 0..200_000 {
        let n = 1 + rng.range(0.0, 63.0) as u32;
        check(any(&mut rng), any(&mut rng), any(&mut rng), n);
    }
}

#[test]
fn shifts_are_exact() {
    let mut rng = Rng::named(SEED, "shift");
    for _ in 0..20_000 {
        let a = u128::from(any(&mut rng)) << 64 | u128::from(any(&mut rng));
        let (left, right) = (rng.range(0.0, 128.0) as u32, rng.range(0.0, 128.0) as u32);
        assert_eq!(fixed::wide_shift(a, left, right), (a << left) >> right, "{a} {left} {right}");
    }
}

#[test]
fn the_highest_bit_is_found() {
    assert_eq!(fixed::log2_floor(0), 0);
    for i in 0..64 {
        assert_eq!(fixed::log2_floor(1 << i), i);
        assert_eq!(fixed::log2_floor(u64::MAX >> (63 - i)), i);
    }
}

#[test]
fn ln_is_off_by_less_than_a_part_in_2_to_the_30() {
    let mut rng = Rng::named(SEED, "ln");
    let (mut worst, mut at) = (0.0, 0);
    let few = (1..5_000).chain((0..64).flat_map(|i| [1 << i, u64::MAX >> i]));
    let many = (0..200_000).map(|_| any(&mut rng).max(1));
    for x in few.chain(many) {
        let error = (fixed::ln(x) as f64 / 2_f64.powi(32) - (x as f64).ln()).abs();
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    assert!(worst < 2_f64.powi(-30), "{worst:e} at {at}, seed {SEED}");
}

#[test]
fn exp_is_off_by_less_than_a_part_in_2_to_the_28() {
    let mut rng = Rng::named(SEED, "exp");
    let one = 2_f64.powi(32);
    let mut worst = (0.0_f64, 0.0);
    for _ in 0..200_000 {
        let x = (rng.range(-22.0, 22.0) * one).round();
        let exact = (x / one).exp() * one;
        let error = ((fixed::exp(x as i64) as f64 - exact).abs() - 1.0) / exact;
        worst = if error > worst.0 { (error, x / one) } else { worst };
    }
    assert!(worst.0 < 2_f64.powi(-28), "{worst:?}, seed {SEED}");
    assert_eq!(fixed::exp(0), 1 << 32);
    assert_eq!(fixed::exp((22.0 * one) as i64), u64::MAX);
    assert_eq!(fixed::exp((-22.1 * one) as i64), 0);
    assert_eq!((fixed::exp(i64::MIN), fixed::exp(i64::MAX)), (0, u64::MAX));
}

#[test]
fn roots_are_off_by_less_than_a_part_in_2_to_the_58() {
    let mut rng = Rng::named(SEED, "root");
    assert_eq!(fixed::root(0), (0, 62));
    for i in 0..100_000_u32 {
        let wide = u128::from(any(&mut rng)) << 64 | u128::from(any(&mut rng));
        let a = match i {
            // squares and their neighbours
            0..1_000 => u128::from(i + 1).pow(2),
            1_000..1_126 => 1 << (i - 1_000),
            1_126..1_252 => u128::MAX >> (i - 1_126 + 2),
            _ => wide >> 2,
        };
        if a == 0 {
            continue;
        }
        // a 4^half between r^2 (1 - 2^-57) and r^2 (1 + 2^-57)
        let (root, half) = fixed::root(a);
        assert!(root >> 62 == 1, "{a}");
        let (square, a) = (u128::from(root).pow(2), a << (2 * half));
        assert!(square.abs_diff(a) < square >> 57, "{a}, seed {SEED}");
    }
}
