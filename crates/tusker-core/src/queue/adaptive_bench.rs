//! Drives Adaptive RED and gARED in their tests: thresholds 10 and 30, so that the band is
//! 18..22; the average is the queue.

extern crate std;

use std::vec::Vec;

use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::rng::Rng;
use crate::table::given;
use crate::units::{Bytes, Rate, Time};

/// The policy with these values.
pub(super) fn policy<P: SetUp>(values: &[(&str, f64)]) -> P {
    let base = [("min_th", 10.0), ("w_q", 1.0)];
    let values: Vec<_> = base.iter().chain(values).copied().collect();
    let rate = Rate::from_bits_per_sec(2_500_000_000);
    P::new(given(&values), &Link { rate, mean_packet: Bytes::new(1500) })
}

pub(super) fn max_p(policy: &impl Aqm) -> f64 {
    let mut found = None;
    policy.inspect(&mut |name, value| {
        if name == "max_p" {
            found = Some(value);
        }
    });
    found.expect("it shows max_p")
}

/// A packet arrives at a queue of this length.
pub(super) fn arrive(policy: &mut impl Aqm, packets: u32) -> Verdict {
    arrive_at(policy, Time::ZERO, packets)
}

fn arrive_at(policy: &mut impl Aqm, now: Time, packets: u32) -> Verdict {
    let p = Meta { size: Bytes::new(1500), ecn_capable: false, dscp: 0 };
    let bytes = Bytes::new(1500 * u64::from(packets));
    let q = Backlog { packets, bytes, idle_since: None };
    policy.on_arrival(&p, &q, now, &mut Rng::named(1, "test"))
}

/// `max_p` after an arrival at this millisecond.
pub(super) fn max_p_at(policy: &mut impl Aqm, ms: u64, packets: u32) -> f64 {
    arrive_at(policy, Time::from_nanos(ms * 1_000_000), packets);
    max_p(policy)
}

/// `max_p` after a tick that finds this average.
pub(super) fn tick(policy: &mut impl Aqm, packets: u32) -> f64 {
    arrive(policy, packets);
    policy.on_poll(policy.poll_at(), &Backlog::EMPTY);
    max_p(policy)
}

/// Equal up to rounding.
#[track_caller]
pub(super) fn close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-12 * want, "got {got}, want {want}");
}
