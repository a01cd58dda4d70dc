//! Policer: drops what exceeds a rate, and queues nothing for it.
//!
//! A token bucket as in Linux (`tc ... action police rate R burst B conform-exceed drop`), with
//! the default burst that a vendor recommends:
//!
//! ```text
//! T <- min(burst, T + rate (now - last));  pass and T <- T - size if T >= size, else drop
//! ```

use super::token_bucket::TokenBucket;
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Bytes, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "policer",
    title: "Policer (token bucket that drops)",
    family: Family::TokenBucket,
    source: "tc-police(8), rate and burst; arithmetic of Linux's act_police.c (from memory); \
             default burst: Juniper, Determining Proper Burst Size for Traffic Policers \
             (quoted, not read): interface rate x 5 ms",
    equations: "\
T tokens, at first burst bytes
at arrival: T <- min(burst, T + rate (now - last));  last <- now
            drop if size > T, whether ECN-capable or not;  else T <- T - size, and the packet
            is queued for the link if there is room",
    differs: "\
- There are no peakrate, no packet rates, and nothing but a drop for what exceeds.
- A packet that the full queue behind the policer drops has taken its tokens, as in Linux \
(tokens_are_taken_at_arrival).
- A scenario whose burst is smaller than a packet is refused; Linux drops all such packets \
(what_is_larger_than_the_burst_never_passes).",
    needs: &[],
    params: PolicerParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct PolicerParams {
    /// what may pass in the long term; 0 for the rate of the link
    rate: f64 = 0.0 "bit/s" in 0.0..=1e13,
    /// bytes that may pass at once; 0 for what the link carries in 5 ms, at least 10 packets
    burst: f64 = 0.0 "B" in 0.0..=1e12,
} }

/// The rate of a bucket; zero stands for that of the link.
pub(super) fn rate_or_link(rate: f64, link: &Link) -> Rate {
    match rate as u64 {
        0 => link.rate,
        bits => Rate::from_bits_per_sec(bits),
    }
}

/// Drops what exceeds a rate; see `tusker explain policer`.
#[derive(Clone, Debug)]
pub struct Policer {
    bucket: TokenBucket,
    exceeded: u64,
}

impl SetUp for Policer {
    type Params = PolicerParams;

    fn new(params: PolicerParams, link: &Link) -> Self {
        let burst = match params.burst as u64 {
            0 => (link.rate.bits_per_sec() / 1600).max(10 * link.mean_packet.get()),
            bytes => bytes,
        };
        let rate = rate_or_link(params.rate, link);
        Self { bucket: TokenBucket::new(rate, Bytes::new(burst)), exceeded: 0 }
    }
}

impl Aqm for Policer {
    fn on_arrival(&mut self, p: &Meta, _: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        if self.bucket.take(now, p.size) {
            return Verdict::Pass;
        }
        self.exceeded += 1;
        Verdict::Drop
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("tokens", self.bucket.tokens());
        see("exceeded", self.exceeded as f64);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::table::given;
    use std::vec::Vec;

    const LINK: Link =
        Link { rate: Rate::from_bits_per_sec(1_000_000_000), mean_packet: Bytes::new(1500) };

    fn arrive(policer: &mut Policer, us: u64, size: u64) -> Verdict {
        let p = Meta { size: Bytes::new(size), ecn_capable: true, dscp: 0 };
        let now = Time::from_nanos(us * 1000);
        policer.on_arrival(&p, &Backlog::EMPTY, now, &mut Rng::named(1, "test"))
    }

    #[test]
    fn the_nth_packet_passes_if_rate_and_burst_have_brought_its_tokens() {
        // 8 Mbit/s are 1000 bytes a millisecond; a packet of 1000 bytes every half: the bucket
        // loses 1000 and gains 500. Packets 0 to 6 find 4000, 3500 .. 1000 bytes in it, packet 7
        // finds 500, packet 8 1000, packet 9 500, ..
        let mut policer = Policer::new(given(&[("rate", 8e6), ("burst", 4000.0)]), &LINK);
        let dropped: Vec<u64> =
            (0..14).filter(|n| arrive(&mut policer, n * 500, 1000) == Verdict::Drop).collect();
        assert_eq!(dropped, [7, 9, 11, 13]);
    }

    #[test]
    fn a_dropped_packet_takes_no_tokens() {
        let mut policer = Policer::new(given(&[("rate", 8e6), ("burst", 1500.0)]), &LINK);
        assert_eq!(arrive(&mut policer, 0, 1000), Verdict::Pass);
        assert_eq!(arrive(&mut policer, 0, 1000), Verdict::Drop, "500 are left");
        assert_eq!(arrive(&mut policer, 0, 500), Verdict::Pass);
    }

    #[test]
    fn tokens_are_taken_at_arrival() {
        let mut policer = Policer::new(given(&[("rate", 8e6), ("burst", 1500.0)]), &LINK);
        assert_eq!(arrive(&mut policer, 0, 1500), Verdict::Pass);
        policer.on_overflow();
        assert_eq!(arrive(&mut policer, 0, 1), Verdict::Drop);
    }

    #[test]
    fn what_is_larger_than_the_burst_never_passes() {
        let mut policer = Policer::new(given(&[("burst", 1499.0)]), &LINK);
        assert_eq!(arrive(&mut policer, 1_000_000, 1500), Verdict::Drop);
    }

    #[test]
    fn the_default_burst_is_five_milliseconds_of_the_link() {
        let burst = |link: &Link| Policer::new(PolicerParams::default(), link).bucket.largest();
        // Gigabit Ethernet: 625,000 bytes; Juniper's table. At 1 Mbit/s they were 625
        assert_eq!(burst(&LINK), Bytes::new(625_000));
        let slow = Link { rate: Rate::from_bits_per_sec(1_000_000), ..LINK };
        assert_eq!(burst(&slow), Bytes::new(15_000));
    }
}
