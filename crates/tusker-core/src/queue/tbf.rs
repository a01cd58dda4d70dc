//! Token bucket filter: a shaper, whose queue sends at most at a rate.
//!
//! As Linux's `tbf`: packets wait in a FIFO for the tokens of one bucket, or of two.

use super::policer::rate_or_link;
use super::token_bucket::{TokenBucket, TokenBuckets};
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Bytes, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "tbf",
    title: "Token bucket filter (shaper)",
    family: Family::TokenBucket,
    source: "tc-tbf(8); Linux, net/sched/sch_tbf.c (commit 038a5008b2f3)",
    equations: "\
T tokens, at first burst bytes; with a peakrate also P, at first mtu bytes
T <- min(burst, T + rate dt);  P <- min(mtu, P + peakrate dt)
a packet that is larger than burst or mtu is dropped when it arrives
the first packet leaves as soon as size <= T and size <= P:  T <- T - size;  P <- P - size",
    differs: "\
- limit is the queue's limit and counts the packet in transmission, as for any policy here.
- A burst of 0 is what the rate carries in 4 ms, at least one packet: what a kernel with \
HZ = 250 needs. In Linux it has no default (the_default_burst_is_a_tick).
- There is no packet that costs more tokens than it has bytes (mpu, overhead, linklayer).",
    needs: &[Need::Departures],
    params: TbfParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct TbfParams {
    /// what may leave in the long term; 0 for the rate of the link
    rate: f64 = 0.0 "bit/s" in 0.0..=1e13,
    /// bytes that may leave at once; 0 for what the rate carries in 4 ms, at least one packet
    burst: f64 = 0.0 "B" in 0.0..=1e12,
    /// rate at which a burst leaves; 0 for that of the link
    peakrate: f64 = 0.0 "bit/s" in 0.0..=1e13,
    /// bytes that may leave at once in spite of peakrate; 0 for one packet
    mtu: f64 = 0.0 "B" in 0.0..=1e12,
} }

/// A token bucket filter; see `tusker explain tbf`.
#[derive(Clone, Debug)]
pub struct Tbf {
    buckets: TokenBuckets,
}

impl SetUp for Tbf {
    type Params = TbfParams;

    fn new(params: TbfParams, link: &Link) -> Self {
        let rate = rate_or_link(params.rate, link);
        let packet = link.mean_packet;
        let or = |bytes: f64, default: Bytes| match bytes as u64 {
            0 => default,
            bytes => Bytes::new(bytes),
        };
        let tick = Bytes::new(rate.bits_per_sec() / 2000);
        let mean = TokenBucket::new(rate, or(params.burst, tick.max(packet)));
        let peak = (params.peakrate >= 1.0).then(|| {
            let peak = Rate::from_bits_per_sec(params.peakrate as u64);
            TokenBucket::new(peak, or(params.mtu, packet))
        });
        Self { buckets: TokenBuckets { mean, peak } }
    }

    fn check(params: &TbfParams) -> Result<(), &'static str> {
        if params.peakrate > 0.0 && params.peakrate <= params.rate {
            return Err("peakrate must be above rate; leave it out if bursts may leave at the \
                        rate of the link");
        }
        Ok(())
    }
}

impl Aqm for Tbf {
    fn on_arrival(&mut self, p: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        if p.size > self.buckets.largest() { Verdict::Drop } else { Verdict::Pass }
    }

    fn token_buckets(&self) -> Option<TokenBuckets> {
        Some(self.buckets)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::table::given;

    const LINK: Link =
        Link { rate: Rate::from_bits_per_sec(1_000_000_000), mean_packet: Bytes::new(1500) };

    #[test]
    fn the_default_burst_is_a_tick() {
        let largest = |rate| Tbf::new(given(&[("rate", rate)]), &LINK).buckets.largest();
        // tc-tbf(8): "For 10mbit/s on Intel [HZ = 100], you need at least 10kbyte buffer";
        // with HZ = 250 12.5 kB would be 25 Mbit/s x 4 ms
        assert_eq!(largest(25e6), Bytes::new(12_500));
        assert_eq!(largest(1e6), Bytes::new(1500));
        assert_eq!(largest(0.0), Bytes::new(500_000));
    }

    #[test]
    fn what_is_larger_than_a_bucket_is_dropped() {
        let verdict = |values: &[(&str, f64)]| {
            let p = Meta { size: Bytes::new(1500), ecn_capable: false, dscp: 0 };
            let rng = &mut Rng::named(1, "test");
            Tbf::new(given(values), &LINK).on_arrival(&p, &Backlog::EMPTY, Time::ZERO, rng)
        };
        assert_eq!(verdict(&[("rate", 1e6), ("burst", 1500.0)]), Verdict::Pass);
        assert_eq!(verdict(&[("rate", 1e6), ("burst", 1499.0)]), Verdict::Drop);
        let peak = [("rate", 1e6), ("burst", 9000.0), ("peakrate", 2e6), ("mtu", 1499.0)];
        assert_eq!(verdict(&peak), Verdict::Drop);
    }

    #[test]
    fn a_peakrate_below_the_rate_is_refused() {
        assert!(Tbf::check(&given(&[("rate", 2e6), ("peakrate", 2e6)])).is_err());
        assert!(Tbf::check(&given(&[("rate", 2e6), ("peakrate", 3e6)])).is_ok());
        assert!(Tbf::check(&given(&[("rate", 2e6)])).is_ok());
    }
}
