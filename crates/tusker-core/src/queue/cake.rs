//! CAKE: a shaper, a queue for every flow and a share for every host, and COBALT.
//!
//! Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE" (LANMAN 2018). This file has
//! everything that can be decided without packets: which queues a flow may use, how much each
//! queue may send in a turn, how fast packets may leave, and COBALT (`cobalt.rs`). The code
//! that holds the packets keeps the queues (`tusker_path::Station`).
//!
//! ```text
//!             1024 queues in sets of 8; the one of a flow      shaper: no packet before
//!   flow ---> is the one that is its own, or a free one  ----> the last one's time at
//!             of the set; each under its own COBALT            `bandwidth` has passed
//! ```

use super::cobalt::{Cobalt, Fixed};
use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "cake",
    title: "CAKE (Common Applications Kept Enhanced)",
    family: Family::FlowQueues,
    source: "Hoeiland-Joergensen, Taht, Morton: Piece of CAKE, LANMAN 2018 (from memory); Linux's sch_cake.c",
    equations: "\
a flow's hash selects a set of 8 of the 1024 queues: the flow uses the queue that it already
     has, else a free one, else it shares the first
full: drop the first packet of the queue with the most bytes;  BLUE's p of that queue rises
to send, not before the shaper's time:  take a queue that was empty before, else the next in turn
  its deficit <= 0: deficit <- deficit + quantum/load;  to the end of the turns;  take another
     load = the busy queues of its source or of its destination, whichever are more
  COBALT lets a packet go: deficit <- deficit - length;  shaper's time <- time + length/bandwidth
length: size + overhead, at least mpu;  with atm 53 B for each 48 B or part of them,
     with ptm a byte more for each 64 B or part of them
quantum: what bandwidth carries in 1/4096 s, within 300 B and 1514 B; 1514 B without a shaper
COBALT, CoDel: a packet that waited longer than target (and than 4 packets take at bandwidth) is
     signalled at drop_next;  then count <- count + 1, drop_next <- drop_next + interval/sqrt(count)
     otherwise at drop_next: count <- count - 1, and drop_next moves in the same way
COBALT, BLUE: p <- p + p_inc when full, p - p_dec when found empty at its turn, at most once in
     target;  a packet is dropped with probability p
target: as given, or rtt/20 for 0, but at least the time of 1.5 packets at bandwidth
interval: rtt plus what this adds to target, at least 2 target
CoDel marks ECN-capable packets instead of dropping them, BLUE always drops
the last packet of a queue is never dropped",
    differs: "\
- There is one class of traffic (besteffort), because no packet here carries a DSCP; \
Linux has three by default. There is no ACK filter, because queues do not read ACKs, and \
no ingress mode, autorate, nat, wash or fwmark.
- A source is the node from which a flow's packets come, a destination the one to which \
they go. In a dumbbell or parking lot each flow has hosts of its own, which its parallel \
connections share. Linux finds hosts in a table of 1024 by a hash; here no two hosts are \
taken for one.
- The hash of a flow is fixed, not drawn at start.
- 1/sqrt(count) is exact; Linux's value is 0.06 % smaller at count 2 \
(the_inverse_root_is_exact_and_linuxs_nearly_so).
- Linux clears the CoDel variables of a new queue. So if the first two packets in a row \
have waited above target, the second is signalled at once, not an interval later; this \
code does the same (the_first_signal_comes_at_once_as_in_linux). With wait_first = true \
an interval passes first, as the comments in Linux's code and CoDel say \
(or_an_interval_later_as_codel_has_it).
- Turns of quantum/load are rounded up or down by chance so that their mean is exact; \
Linux's mean is smaller, by 1.6 % if a host has 1024 queues and by far less if it has \
few.
- Linux limits the memory of the packets, to 4 MiB or to four times rtt at bandwidth; \
here the limit of the queue applies.
- The shaper's times are whole nanoseconds; the fraction that is left is carried over to \
the next packet.
- If all packets are in a single queue, CAKE behaves like COBALT \
(with_a_single_queue_it_is_cobalt).",
    needs: &[Need::Departures, Need::Marking],
    params: CakeParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct CakeParams {
    /// highest rate at which packets may leave; 0 for no shaper
    bandwidth: f64 = 0.0 "bit/s" in 0.0..=1e12,
    /// bytes that the shaper adds to each packet
    overhead: f64 = 0.0 "B" in -64.0..=256.0,
    /// smallest number of bytes that the shaper counts for a packet
    mpu: f64 = 0.0 "B" in 0.0..=256.0,
    /// the shaper counts whole cells of ATM, 53 B for each 48 B
    atm: bool = false,
    /// the shaper counts a byte more for each 64 B, as on PTM
    ptm: bool = false,
    /// time for which waits must stay above target before a drop; should be a long round-trip time
    rtt: Duration = 0.1 "s" in 1e-6..=1000.0,
    /// waiting time that is acceptable as a standing queue; 0 for a twentieth of rtt
    target: Duration = 0.0 "s" in 0.0..=1000.0,
    /// each flow has its own queue
    by_flow: bool = true,
    /// sources get equal shares, however many flows they have
    by_source: bool = true,
    /// destinations get equal shares, however many flows they have
    by_destination: bool = true,
    /// increase of BLUE's drop probability when the queue is full
    p_inc: f64 = 0.00390625 in 0.0..=1.0,
    /// decrease of BLUE's drop probability when the queue is found empty
    p_dec: f64 = 0.000244140625 in 0.0..=1.0,
    /// wait an interval before the first signal of a queue; Linux does not
    wait_first: bool = false,
} }

/// Common Applications Kept Enhanced; see `tusker explain cake`.
#[derive(Clone, Debug)]
pub struct Cake {
    /// With the COBALT of all, as long as nobody keeps queues.
    queues: CakeQueues,
    /// When the last packet arrived.
    arrived: Time,
}

/// The queues of CAKE, and how they share a link.
#[derive(Clone, Copy, Debug)]
pub struct CakeQueues {
    /// What a queue may send in a turn if its hosts have no other.
    pub quantum: u32,
    /// How fast packets may leave.
    pub shaper: Option<Rate>,
    /// How long the shaper takes them for.
    pub framing: Framing,
    /// Whose shares are alike.
    pub isolation: Isolation,
    /// What each queue is under.
    pub cobalt: Cobalt,
}

/// How many bytes a packet is on the wire that the shaper stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    overhead: i32,
    least: i32,
    cells: Cells,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    None,
    Atm,
    Ptm,
}

/// Who has a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isolation {
    flow: bool,
    source: bool,
    destination: bool,
}

impl Framing {
    /// The length that counts of a packet of this size, in bytes.
    pub fn length(&self, size: u32) -> u32 {
        let bytes = (size as i32).saturating_add(self.overhead).max(self.least) as u32;
        match self.cells {
            Cells::None => bytes,
            Cells::Atm => bytes.div_ceil(48) * 53,
            Cells::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

impl Isolation {
    /// The number for which a queue is looked up: packets of one number share it.
    pub fn key(&self, flow: u64, source: u32, destination: u32) -> u64 {
        match (self.flow, self.source, self.destination) {
            (true, ..) => mix(flow),
            (_, source_counts, destination_counts) => {
                let one = if source_counts { mix(1 << 32 | u64::from(source)) } else { 0 };
                let other = if destination_counts { mix(u64::from(destination)) } else { 0 };
                one ^ other
            }
        }
    }

    /// Flows of one source share what it has.
    pub fn by_source(&self) -> bool {
        self.flow && self.source
    }

    /// Flows of one destination share what it has.
    pub fn by_destination(&self) -> bool {
        self.flow && self.destination
    }
}

/// The finaliser of SplitMix64: every bit of the number reaches every bit.
fn mix(number: u64) -> u64 {
    let mut hash = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Linux: a packet of Ethernet, the least that is worth a turn, and turns a second.
const QUANTUM: u64 = 1514;
const LEAST_QUANTUM: u64 = 300;
const TURNS: u64 = 4096;

impl SetUp for Cake {
    type Params = CakeParams;

    fn new(params: CakeParams, link: &Link) -> Self {
        let CakeParams { by_flow, by_source, by_destination, .. } = params;
        let rate = Rate::from_bits_per_sec(params.bandwidth as u64);
        let shaper = (rate.bits_per_sec() > 0).then_some(rate);
        let cells = match (params.atm, params.ptm) {
            (true, _) => Cells::Atm,
            (_, true) => Cells::Ptm,
            _ => Cells::None,
        };
        let cobalt = Cobalt::new(fixed(&params, shaper, link), params.wait_first);
        let quantum = shaper.map_or(QUANTUM, |rate| {
            (rate.bits_per_sec() / 8 / TURNS).clamp(LEAST_QUANTUM, QUANTUM)
        });
        let queues = CakeQueues {
            quantum: quantum as u32,
            shaper,
            framing: Framing { overhead: params.overhead as i32, least: params.mpu as i32, cells },
            isolation: Isolation { flow: by_flow, source: by_source, destination: by_destination },
            cobalt,
        };
        Self { queues, arrived: Time::ZERO }
    }

    fn check(params: &CakeParams) -> Result<(), &'static str> {
        let whole = |value| value == libm::trunc(value);
        if ![params.bandwidth, params.overhead, params.mpu].into_iter().all(whole) {
            return Err("bandwidth, overhead and mpu must be whole numbers");
        }
        if (1.0..512.0).contains(&params.bandwidth) {
            return Err("bandwidth must be at least 512 bit/s, or 0 for no shaper");
        }
        if params.atm && params.ptm {
            return Err("atm and ptm cannot both be true: a link has one of them, or neither");
        }
        if params.target > params.rtt {
            return Err("target must not be longer than rtt; 0 makes it a twentieth of it");
        }
        Ok(())
    }
}

/// Linux's `cake_set_rate`: at a low rate a packet alone takes long.
fn fixed(params: &CakeParams, shaper: Option<Rate>, link: &Link) -> Fixed {
    let wanted = match params.target.nanos() {
        0 => Duration::from_nanos((params.rtt.nanos() / 20).max(1)),
        _ => params.target,
    };
    let mtu_time = shaper.map_or(Duration::ZERO, |rate| rate.time_for(link.mean_packet));
    let target = Duration::from_nanos(mtu_time.nanos() * 3 / 2).max(wanted);
    let interval = (params.rtt + target - wanted).max(target * 2);
    Fixed { target, interval, mtu_time, p_inc: params.p_inc, p_dec: params.p_dec }
}

/// As COBALT: what each queue is under.
impl Aqm for Cake {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        self.arrived = now;
        Verdict::Pass
    }

    fn on_overflow(&mut self) {
        self.queues.cobalt.overflows(self.arrived);
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.queues.cobalt.leaves(p, q.packets == 0, now, rng)
    }

    fn on_empty(&mut self, now: Time) {
        self.queues.cobalt.is_empty(now);
    }

    fn cake_queues(&self) -> Option<CakeQueues> {
        Some(self.queues)
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("count", f64::from(self.queues.cobalt.count()));
        see("dropping", f64::from(u8::from(self.queues.cobalt.is_dropping())));
        see("drop_prob", self.queues.cobalt.p_drop());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::given;
    use crate::units::Bytes;

    const MS: u64 = 1_000_000;
    const LINK: Link =
        Link { rate: Rate::from_bits_per_sec(10_000_000), mean_packet: Bytes::new(1500) };

    fn cake(values: &[(&str, f64)]) -> Cake {
        Cake::new(given(values), &LINK)
    }

    /// Target and interval in nanoseconds.
    fn times(values: &[(&str, f64)]) -> (u64, u64) {
        let params: CakeParams = given(values);
        let shaper = match params.bandwidth as u64 {
            0 => None,
            rate => Some(Rate::from_bits_per_sec(rate)),
        };
        let fixed = fixed(&params, shaper, &LINK);
        (fixed.target.nanos(), fixed.interval.nanos())
    }

    #[test]
    fn target_and_interval_follow_rtt_and_bandwidth() {
        assert_eq!(times(&[]), (5 * MS, 100 * MS));
        assert_eq!(times(&[("rtt", 0.01)]), (MS / 2, 10 * MS));
        assert_eq!(times(&[("target", 0.01)]), (10 * MS, 100 * MS));
        // 1500 B at 1 Mbit/s: 12 ms, 1.5 of them 18, 13 more than 5
        assert_eq!(times(&[("bandwidth", 1e6)]), (18 * MS, 113 * MS));
        // at 64 kbit/s: 187.5 ms, 281.25; 376.25 is less than twice that
        assert_eq!(times(&[("bandwidth", 64e3)]), (281_250_000, 562_500_000));
        // 1.2 ms at 10 Mbit/s: 1.8 is less than 5
        assert_eq!(times(&[("bandwidth", 1e7)]), (5 * MS, 100 * MS));
    }

    #[test]
    fn a_slow_shaper_takes_shorter_turns() {
        let quantum = |rate| cake(&[("bandwidth", rate)]).queues.quantum;
        // bytes a second over 4096: 12,500,000 is 3051, 2,500,000 is 610, 125,000 is 30
        assert_eq!([0.0, 1e8, 2e7, 1e6].map(quantum), [1514, 1514, 610, 300]);
        assert_eq!(cake(&[]).queues.shaper, None);
    }

    #[test]
    fn lengths_are_those_of_the_link_behind() {
        let length = |values: &[(&str, f64)], size| cake(values).queues.framing.length(size);
        assert_eq!(length(&[], 1500), 1500);
        assert_eq!(length(&[("overhead", 44.0), ("mpu", 84.0)], 1500), 1544);
        assert_eq!(length(&[("overhead", 18.0), ("mpu", 84.0)], 40), 84);
        assert_eq!(length(&[("overhead", -64.0)], 40), 0);
        // 1544/48 = 32.2: 33 cells of 53 B; 1522/64 = 23.8: 24 B more
        assert_eq!(length(&[("overhead", 44.0), ("atm", 1.0)], 1500), 33 * 53);
        assert_eq!(length(&[("overhead", 22.0), ("ptm", 1.0)], 1500), 1522 + 24);
        assert_eq!(length(&[("atm", 1.0)], 48), 53);
    }

    #[test]
    fn who_shares_a_queue_is_a_matter_of_what_is_told_apart() {
        let key = |values: &[(&str, f64)], flow, from, to| {
            cake(values).queues.isolation.key(flow, from, to)
        };
        let by_hosts = [("by_flow", 0.0)];
        assert_ne!(key(&[], 1, 7, 8), key(&[], 2, 7, 8));
        assert_eq!(key(&by_hosts, 1, 7, 8), key(&by_hosts, 2, 7, 8));
        assert_ne!(key(&by_hosts, 1, 7, 8), key(&by_hosts, 1, 8, 7));
        assert_ne!(key(&by_hosts, 1, 7, 7), key(&by_hosts, 1, 8, 8));
        let by_source = [("by_flow", 0.0), ("by_destination", 0.0)];
        assert_eq!(key(&by_source, 1, 7, 8), key(&by_source, 1, 7, 9));
        assert_ne!(key(&by_source, 1, 7, 8), key(&by_source, 1, 6, 8));
        let by_destination = [("by_flow", 0.0), ("by_source", 0.0)];
        assert_eq!(key(&by_destination, 1, 7, 8), key(&by_destination, 1, 6, 8));
        let blind = [("by_flow", 0.0), ("by_source", 0.0), ("by_destination", 0.0)];
        assert_eq!(key(&blind, 1, 7, 8), key(&blind, 2, 5, 6));
    }

    #[test]
    fn with_a_single_queue_it_is_cobalt() {
        let (mut cake, mut alone) = (cake(&[]), cake(&[]).queues.cobalt);
        let (mut rng, mut other) = (Rng::named(1, "test"), Rng::named(1, "test"));
        let q = Backlog { packets: 9, bytes: Bytes::new(9000), idle_since: None };
        let p = |arrived| Departing { size: Bytes::new(1000), can_mark: false, arrived, l4s: None };
        for ms in 1000..3000_u64 {
            let now = Time::from_nanos(ms * 1_000_000);
            if ms % 50 == 0 {
                let size = Bytes::new(1000);
                cake.on_arrival(&Meta { size, ecn_capable: false, dscp: 0 }, &q, now, &mut rng);
                cake.on_overflow();
                alone.overflows(now);
            }
            let p = p(Time::from_nanos((ms - 20) * 1_000_000));
            let verdict = cake.on_departure(&p, &q, now, &mut rng);
            assert_eq!(verdict, alone.leaves(&p, false, now, &mut other), "{ms} ms");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        assert_eq!(Cake::check(&given(&[])), Ok(()));
        for wrong in [
            &[("bandwidth", 1.5)][..],
            &[("bandwidth", 100.0)],
            &[("mpu", 0.5)],
            &[("atm", 1.0), ("ptm", 1.0)],
            &[("target", 0.2)],
        ] {
            assert!(Cake::check(&given(wrong)).is_err(), "{wrong:?}");
        }
    }
}
