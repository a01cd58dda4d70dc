//! Numbers computed by hand from RFC 8033, section 4.2.

extern crate std;
use super::*;
use crate::table::given;
use crate::units::Rate;

const MS: u64 = 1_000_000;

fn pie(values: &[(&str, f64)]) -> Pie {
    let rate = Rate::from_bits_per_sec(12_000_000);
    Pie::new(given(values), &Link { rate, mean_packet: Bytes::new(1500) })
}

/// This many packets of 1500 B wait.
fn waiting(packets: u32) -> Backlog {
    Backlog { packets, bytes: Bytes::new(1500 * u64::from(packets)), idle_since: None }
}

fn leave(policy: &mut Pie, now: u64, waited: u64, behind: u32) {
    let (now, arrived) = (Time::from_nanos(now), Time::from_nanos(now - waited));
    let p = Departing { size: Bytes::new(1500), can_mark: false, arrived, l4s: None };
    let verdict = policy.on_departure(&p, &waiting(behind), now, &mut Rng::named(1, "test"));
    assert_eq!(verdict, Verdict::Pass);
}

/// An update after a packet that has waited for this many ms.
fn update(policy: &mut Pie, ms: u64) -> f64 {
    leave(policy, 1000 * MS, ms * MS, 10);
    policy.on_poll(policy.poll_at(), &waiting(10));
    policy.vars.drop_prob
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want, "got {got}, want {want}");
}

#[test]
fn small_probabilities_move_in_small_steps() {
    let mut policy = pie(&[("timestamps", 1.0)]);
    // 0.125 (0.020 - 0.015) + 1.25 (0.020 - 0) = 0.025625, from 0: / 2048
    close(update(&mut policy, 20), 0.025_625 / 2048.0); // 1.25e-5
    // 0.000625 + 0, from below 1e-4: / 128
    close(update(&mut policy, 20), 0.025_625 / 2048.0 + 0.000_625 / 128.0);
    for (drop_prob, divisor) in [
        (5e-7, 2048.0),
        (5e-6, 512.0),
        (5e-5, 128.0),
        (5e-4, 32.0),
        (5e-3, 8.0),
        (0.05, 2.0),
        (0.5, 1.0),
    ] {
        policy.vars.drop_prob = drop_prob;
        close(update(&mut policy, 20), drop_prob + 0.000_625 / divisor);
    }
}

#[test]
fn a_falling_delay_lowers_the_probability() {
    let mut policy = pie(&[("timestamps", 1.0)]);
    policy.vars.drop_prob = 0.3;
    // 0.125 (0.100 - 0.015) + 1.25 (0.100) = 0.010625 + 0.125
    close(update(&mut policy, 100), 0.435_625);
    // 0.125 (0.060 - 0.015) - 1.25 x 0.040 = 0.005625 - 0.05
    close(update(&mut policy, 60), 0.391_25);
    policy.vars.drop_prob = 1e-3;
    // 0.125 (0 - 0.015) - 1.25 x 0.060 = -0.076875, / 8: below zero
    assert_eq!(update(&mut policy, 0), 0.0);
}

#[test]
fn without_delay_the_probability_decays() {
    let mut policy = pie(&[("timestamps", 1.0), ("alpha", 0.0)]);
    policy.vars.drop_prob = 0.5;
    close(update(&mut policy, 0), 0.49);
    close(update(&mut policy, 0), 0.5 * 0.98 * 0.98);
}

#[test]
fn a_step_can_be_capped() {
    let mut policy = pie(&[("timestamps", 1.0), ("cap", 1.0)]);
    policy.vars.drop_prob = 0.2;
    // 0.135625 without the cap
    close(update(&mut policy, 100), 0.22);
    policy.vars.drop_prob = 0.05;
    // below 0.1 there is no cap: 0.125 (0.185) + 1.25 (0.1) = 0.148125, / 2
    close(update(&mut policy, 200), 0.05 + 0.074_062_5);
}

#[test]
fn updates_come_every_15_ms() {
    let mut policy = pie(&[]);
    for i in 1..=10 {
        assert_eq!(policy.poll_at(), Time::from_nanos(i * 15 * MS));
        policy.on_poll(Time::from_nanos(1_000 * MS), &waiting(0));
    }
}

#[test]
fn the_rate_is_that_of_the_link() {
    // 12 Mbit/s: 1 ms a packet. 16,384 bytes take 10.9227 ms; the eleventh
    // departure after the one that starts the clock ends a measurement
    let mut policy = pie(&[]);
    for ms in 0..=10 {
        leave(&mut policy, (1000 + ms) * MS, MS, 100);
    }
    assert_eq!(policy.vars.avg_dq_time, 0.0);
    leave(&mut policy, 1011 * MS, MS, 100);
    let dq_time = 0.011 * 16_384.0 / 16_500.0;
    close(policy.vars.avg_dq_time, dq_time);
    // a link that is twice as slow: 3/4 of the old, 1/4 of the new
    for i in 1..=11 {
        leave(&mut policy, (1011 + 2 * i) * MS, MS, 100);
    }
    close(policy.vars.avg_dq_time, 0.75 * dq_time + 0.25 * 2.0 * dq_time);
    // 40 packets wait: 40 x 1.25 ms
    policy.on_poll(policy.poll_at(), &waiting(40));
    close(policy.vars.qdelay_old, 0.05);
}

#[test]
fn a_short_queue_gives_no_measurement() {
    let mut policy = pie(&[]);
    for ms in 0..1000 {
        leave(&mut policy, (1000 + ms) * MS, MS, 10); // 15,000 B, below 16,384
    }
    assert_eq!(policy.vars.avg_dq_time, 0.0);
}

#[test]
fn timestamps_need_no_rate() {
    let mut policy = pie(&[("timestamps", 1.0)]);
    leave(&mut policy, 1000 * MS, 7 * MS, 3);
    policy.on_poll(policy.poll_at(), &waiting(3));
    close(policy.vars.qdelay_old, 0.007);
    // the last packet of a queue leaves none behind
    leave(&mut policy, 1001 * MS, 7 * MS, 0);
    policy.on_poll(policy.poll_at(), &waiting(0));
    assert_eq!(policy.vars.qdelay_old, 0.0);
}

fn arrive(policy: &mut Pie, packets: u32, rng: &mut Rng) -> Verdict {
    let p = Meta { size: Bytes::new(1500), ecn_capable: false, dscp: 0 };
    policy.on_arrival(&p, &waiting(packets), Time::ZERO, rng)
}

/// Past its burst, delay above the reference, with this probability.
fn congested(values: &[(&str, f64)], drop_prob: f64) -> Pie {
    let mut policy = pie(values);
    policy.vars.burst_allowance = Duration::ZERO;
    (policy.vars.drop_prob, policy.vars.qdelay_old) = (drop_prob, 0.02);
    policy
}

#[test]
fn a_burst_passes() {
    let mut policy = pie(&[("timestamps", 1.0)]);
    let mut rng = Rng::named(1, "test");
    policy.vars.drop_prob = 1.0;
    // 150 ms are ten updates
    for _ in 0..9 {
        update(&mut policy, 100);
        assert_eq!(arrive(&mut policy, 100, &mut rng), Verdict::Pass);
    }
    update(&mut policy, 100);
    assert_eq!(policy.vars.burst_allowance, Duration::ZERO);
    assert_eq!(arrive(&mut policy, 100, &mut rng), Verdict::Drop);
    // calm again: half of 15 ms twice, and a probability of zero
    policy.vars.drop_prob = 0.0;
    update(&mut policy, 7);
    assert_eq!(policy.vars.burst_allowance, Duration::ZERO, "the delay before was 100 ms");
    policy.vars.drop_prob = 0.0;
    update(&mut policy, 6);
    assert_eq!(policy.vars.burst_allowance, Duration::from_millis(150));
}

#[test]
fn a_link_is_never_starved() {
    let mut rng = Rng::named(1, "test");
    // at most two packets wait
    assert_eq!(arrive(&mut congested(&[], 1.0), 2, &mut rng), Verdict::Pass);
    assert_eq!(arrive(&mut congested(&[], 1.0), 3, &mut rng), Verdict::Drop);
    // a delay below half the reference, unless the probability is 0.2 or more
    let mut policy = congested(&[], 0.199);
    policy.vars.qdelay_old = 0.007;
    for _ in 0..1000 {
        assert_eq!(arrive(&mut policy, 100, &mut rng), Verdict::Pass);
    }
}

#[test]
fn packets_are_dropped_with_the_probability() {
    // 100,000 draws: standard deviation sqrt(0.05 x 0.95 / 1e5) = 0.0007
    let (mut policy, mut rng) = (congested(&[], 0.05), Rng::named(1, "test"));
    let drops = (0..100_000).filter(|_| arrive(&mut policy, 100, &mut rng) != Verdict::Pass);
    let share = drops.count() as f64 / 1e5;
    assert!((share - 0.05).abs() < 0.003, "{share}");
}

#[test]
fn above_mark_ecnth_marks_become_drops() {
    let mut rng = Rng::named(1, "test");
    let mut verdict = |drop_prob| loop {
        match arrive(&mut congested(&[], drop_prob), 100, &mut rng) {
            Verdict::Pass => {}
            other => break other,
        }
    };
    assert_eq!(verdict(0.099), Verdict::Signal);
    assert_eq!(verdict(0.1), Verdict::Drop);
}

#[test]
fn drops_can_be_evened_out() {
    let (mut policy, mut rng) = (congested(&[("derandomize", 1.0)], 0.05), Rng::named(1, "test"));
    let mut gap = 0;
    for _ in 0..10_000 {
        gap += 1;
        if arrive(&mut policy, 100, &mut rng) != Verdict::Pass {
            // 0.85 / 0.05 = 17 packets at least, 8.5 / 0.05 = 170 at most (one
            // more where the sum falls short by a last bit)
            assert!((17..=171).contains(&gap), "{gap}");
            gap = 0;
        }
    }
}
