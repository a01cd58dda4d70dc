//! CoDel: Controlled Delay.
//!
//! Nichols, Jacobson, McGregor and Iyengar, RFC 8289. CoDel looks at how long each packet has
//! waited when it leaves. If the shortest wait within `interval` is above `target`, there is a
//! standing queue, and packets are dropped (or marked) at an increasing rate until the wait is
//! short again:
//!
//! ```text
//!            wait < target, or at most one packet's bytes wait
//!        .----------------------------------------------------.
//!        v                                                    |
//!   not dropping --- wait >= target for interval ---> dropping: at drop_next
//!                    drop, drop_next <- now +         drop, count <- count + 1,
//!                    interval / sqrt(count)           drop_next += interval / sqrt(count)
//! ```
//!
//! The pseudo-code of section 5 takes packets from the queue itself. Here the code that holds
//! the packets does so, and asks CoDel about each one; `After` remembers where in the
//! pseudo-code the last packet was dropped.

use super::fq::above_ce_threshold;
use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Bytes, Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "codel",
    title: "CoDel (Controlled Delay)",
    family: Family::WaitingTime,
    source: "RFC 8289, sections 3 to 5",
    equations: "\
when a packet leaves after a wait of s, and B bytes wait behind it:
s < target or B <= maxpacket:            leave the dropping state
neither has been true for interval:      ok to drop
enter dropping: drop; count <- delta if delta > 1 and now - drop_next < 16 interval, else 1,
                delta = count - count at the last entry; drop_next <- now + interval / sqrt(count)
while dropping and now >= drop_next: drop; count <- count + 1;
                drop_next <- drop_next + interval / sqrt(count)
a drop is a mark, and the packet is sent, if the queue has ecn on and the packet is ECN-capable
ce_threshold > 0: what is sent and can be marked is, if s > ce_threshold",
    differs: "\
- The pseudo-code only drops. Here a mark replaces a drop, and the marked packet \
is the one that is sent, so there is at most one mark per departure \
(a_mark_takes_the_place_of_a_drop).
- maxpacket is the largest packet that has left so far; the RFC uses the \
interface's MTU (one_packet_behind_is_no_standing_queue).
- ce_threshold is Linux's (include/net/codel_impl.h, from memory); there it marks even if the \
queue has ecn off, which a scenario may not ask for (ce_threshold_marks_what_it_can).
- target and interval are parameters; the RFC recommends the defaults and a target of \
0.05 to 0.1 times interval.",
    needs: &[Need::Departures],
    params: CodelParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct CodelParams {
    /// acceptable waiting time of a standing queue
    target: Duration = 0.005 "s" in 1e-6..=3600.0,
    /// time for which waits must stay above target before a drop; should be a long round-trip time
    interval: Duration = 0.1 "s" in 1e-5..=3600.0,
    /// waiting time above which every ECN-capable packet is marked (Linux); 0 for none
    ce_threshold: Duration = 0.0 "s" in 0.0..=3600.0,
} }

/// Controlled Delay; see `tusker explain codel`.
#[derive(Clone, Debug)]
pub struct Codel {
    params: CodelParams,
    vars: Vars,
    stats: Stats,
}

/// The variable state, with the RFC's names.
#[derive(Clone, Copy, Debug)]
struct Vars {
    /// The largest packet that has left so far.
    maxpacket: Bytes,
    /// When it will be ok to drop if the wait stays above target until then.
    first_above_time: Option<Time>,
    /// When the next drop is due.
    drop_next: Time,
    /// Drops since dropping began.
    count: u32,
    /// `count` when dropping began.
    lastcount: u32,
    dropping: bool,
    /// Where the pseudo-code continues with the packet after a dropped one.
    after: Option<After>,
    /// How long the last packet had waited.
    sojourn: Duration,
}

/// The drop just made, if the next packet is fetched at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// The drop with which dropping began: the next packet is sent.
    Entry,
    /// A drop that was due: the next packet may end the dropping state, or be
    /// dropped as well.
    Drop,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    signals: u64,
}

impl SetUp for Codel {
    type Params = CodelParams;

    fn new(params: CodelParams, _: &Link) -> Self {
        Self {
            params,
            vars: Vars {
                maxpacket: Bytes::ZERO,
                first_above_time: None,
                drop_next: Time::ZERO,
                count: 0,
                lastcount: 0,
                dropping: false,
                after: None,
                sojourn: Duration::ZERO,
            },
            stats: Stats::default(),
        }
    }

    fn check(params: &CodelParams) -> Result<(), &'static str> {
        if params.target > params.interval {
            return Err("target must not be longer than interval; RFC 8289 recommends a \
                        twentieth of it");
        }
        Ok(())
    }
}

impl Codel {
    /// `dodequeue` of the RFC, without the packet: is it ok to drop it?
    fn ok_to_drop(&mut self, p: &Departing, q: &Backlog, now: Time) -> bool {
        let Self { params, vars, .. } = self;
        vars.maxpacket = vars.maxpacket.max(p.size);
        vars.sojourn = now.since(p.arrived);
        // "went below - stay below for at least INTERVAL"
        if vars.sojourn < params.target || q.bytes <= vars.maxpacket {
            vars.first_above_time = None;
            return false;
        }
        match vars.first_above_time {
            None => {
                vars.first_above_time = Some(now + params.interval);
                false
            }
            Some(at) => now >= at,
        }
    }

    /// Section 3.3: drops come at intervals in inverse proportion to the square
    /// root of their number.
    fn control_law(&self, from: Time) -> Time {
        let gap = self.params.interval.nanos() as f64 / libm::sqrt(f64::from(self.vars.count));
        from + Duration::from_nanos(libm::round(gap) as u64)
    }

    fn enter(&mut self, now: Time) {
        let vars = &mut self.vars;
        vars.dropping = true;
        // "If min went above TARGET close to when it last went below, assume
        // that the drop rate that controlled the queue on the last cycle is a
        // good starting point to control it now."
        let delta = vars.count - vars.lastcount;
        let soon = now.since(vars.drop_next) < self.params.interval * 16;
        vars.count = if delta > 1 && soon { delta } else { 1 };
        vars.lastcount = vars.count;
        self.vars.drop_next = self.control_law(now);
    }

    /// `deque` of the RFC: what happens to this packet.
    fn control(&mut self, p: &Departing, q: &Backlog, now: Time) -> Verdict {
        let ok_to_drop = self.ok_to_drop(p, q, now);
        match self.vars.after.take() {
            Some(After::Entry) => return Verdict::Pass,
            Some(After::Drop) if ok_to_drop => {
                self.vars.drop_next = self.control_law(self.vars.drop_next);
            }
            None if !self.vars.dropping => {
                if !ok_to_drop {
                    return Verdict::Pass;
                }
                self.enter(now);
                return self.signal(p, After::Entry);
            }
            _ => {}
        }
        if !ok_to_drop {
            // "sojourn time below TARGET - leave drop state"
            self.vars.dropping = false;
            return Verdict::Pass;
        }
        if now < self.vars.drop_next {
            return Verdict::Pass;
        }
        self.vars.count = self.vars.count.saturating_add(1);
        if p.can_mark {
            self.vars.drop_next = self.control_law(self.vars.drop_next);
        }
        self.signal(p, After::Drop)
    }

    fn signal(&mut self, p: &Departing, after: After) -> Verdict {
        self.stats.signals += 1;
        self.vars.after = (!p.can_mark).then_some(after);
        Verdict::Signal
    }
}

impl Aqm for Codel {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        match self.control(p, q, now) {
            Verdict::Pass => above_ce_threshold(self.params.ce_threshold, p, now),
            signal => signal,
        }
    }

    /// "queue is empty - we can't be above TARGET"
    fn on_empty(&mut self, _: Time) {
        self.vars.first_above_time = None;
        if self.vars.after.take() != Some(After::Entry) {
            self.vars.dropping = false;
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("sojourn", self.vars.sojourn.secs());
        see("count", f64::from(self.vars.count));
        see("dropping", f64::from(u8::from(self.vars.dropping)));
        see("signals", self.stats.signals as f64);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::table::given;
    use crate::units::Rate;
    use std::vec::Vec;

    const MS: u64 = 1_000_000;

    fn codel(values: &[(&str, f64)]) -> Codel {
        let rate = Rate::from_bits_per_sec(10_000_000);
        Codel::new(given(values), &Link { rate, mean_packet: Bytes::new(1000) })
    }

    /// A packet of 1000 B leaves after this wait, with this much behind it.
    fn leave(policy: &mut Codel, now: u64, waited: u64, behind: u32, can_mark: bool) -> Verdict {
        let arrived = Time::from_nanos(now - waited);
        let p = Departing { size: Bytes::new(1000), can_mark, arrived, l4s: None };
        let bytes = Bytes::new(1000 * u64::from(behind));
        let q = Backlog { packets: behind, bytes, idle_since: None };
        policy.on_departure(&p, &q, Time::from_nanos(now), &mut Rng::named(1, "test"))
    }

    #[test]
    fn ce_threshold_marks_what_it_can() {
        let mut policy = codel(&[("ce_threshold", 0.001)]);
        // neither wait is above the target of 5 ms: CoDel itself does nothing
        assert_eq!(leave(&mut policy, 10 * MS, MS, 9, true), Verdict::Pass);
        assert_eq!(leave(&mut policy, 10 * MS, MS + 1, 9, true), Verdict::Signal);
        assert_eq!(leave(&mut policy, 10 * MS, 4 * MS, 9, false), Verdict::Pass);
        // and it drops what it would have dropped without: first after 100 ms above the target
        let mut without = codel(&[]);
        for ms in 20..1000 {
            let both =
                [&mut policy, &mut without].map(|codel| leave(codel, ms * MS, 20 * MS, 9, false));
            assert_eq!(both[0], both[1], "{ms} ms");
        }
    }

    /// A link that sends a packet per ms from a queue in which everything has
    /// waited for 20 ms: the times of the drops, in ms.
    fn drops(policy: &mut Codel, from_ms: u64, to_ms: u64) -> Vec<u64> {
        let mut drops = Vec::new();
        for ms in from_ms..to_ms {
            while leave(policy, ms * MS, 20 * MS, 100, false) == Verdict::Signal {
                drops.push(ms);
            }
        }
        drops
    }

    #[test]
    fn the_first_drop_comes_after_an_interval_above_target() {
        let mut policy = codel(&[]);
        // above from 1000 ms on: first_above_time is 1100 ms
        assert_eq!(drops(&mut policy, 1000, 1100), []);
        assert_eq!(drops(&mut policy, 1100, 1101), [1100]);
        assert!(policy.vars.dropping);
    }

    #[test]
    fn drops_come_at_interval_over_the_square_root_of_count() {
        let mut policy = codel(&[]);
        // entry at 1100, drop_next = 1100 + 100/sqrt(1) = 1200. There count is 2,
        // drop_next 1200 + 70.71 = 1270.71: the first departure from there on is
        // at 1271. Then + 100/sqrt(3) = 57.74: 1328.45, + 50: 1378.45,
        // + 44.72: 1423.17, + 40.82: 1463.99, + 37.80: 1501.79
        let want = [1100, 1200, 1271, 1329, 1379, 1424, 1464, 1502];
        assert_eq!(drops(&mut policy, 1000, 1510), want);
    }

    #[test]
    fn a_wait_below_target_ends_the_dropping() {
        let mut policy = codel(&[]);
        drops(&mut policy, 1000, 1150);
        assert!(policy.vars.dropping);
        assert_eq!(leave(&mut policy, 1150 * MS, 5 * MS - 1, 100, false), Verdict::Pass);
        assert!(!policy.vars.dropping);
        // again a whole interval above target is needed
        assert_eq!(drops(&mut policy, 1151, 1251), []);
        assert_eq!(drops(&mut policy, 1251, 1252), [1251]);
    }

    #[test]
    fn the_next_cycle_starts_where_the_last_one_was() {
        let mut policy = codel(&[]);
        // drops at 1100, 1200, 1271, 1329: count 4, lastcount 1, drop_next 1378.45
        assert_eq!(drops(&mut policy, 1000, 1340).len(), 4);
        leave(&mut policy, 1340 * MS, 0, 100, false);
        // entry at 1341 + 100: count 4 - 1 = 3, drop_next 1441 + 57.74 = 1498.74,
        // then count 4, + 50: 1548.74
        assert_eq!(drops(&mut policy, 1341, 1549), [1441, 1499]);
        assert_eq!(drops(&mut policy, 1549, 1550), [1549]);
    }

    #[test]
    fn long_after_a_cycle_count_is_one_again() {
        let mut policy = codel(&[]);
        assert_eq!(drops(&mut policy, 1000, 1340).len(), 4);
        leave(&mut policy, 1340 * MS, 0, 100, false);
        // drop_next was 1378.45; 16 intervals later is 2978.45
        assert_eq!(drops(&mut policy, 2900, 3101), [3000, 3100]);
    }

    #[test]
    fn a_late_drop_is_made_up_for_at_once() {
        let mut policy = codel(&[]);
        drops(&mut policy, 1000, 1101);
        // nothing leaves until 1300: the drops of 1200 and 1270.71 are both due,
        // the next is at 1328.45
        assert_eq!(drops(&mut policy, 1300, 1301), [1300, 1300]);
        assert_eq!(drops(&mut policy, 1301, 1330), [1329]);
    }

    #[test]
    fn the_packet_behind_the_first_drop_is_sent_whatever_it_waited() {
        let mut policy = codel(&[]);
        assert_eq!(drops(&mut policy, 1000, 1100), []);
        assert_eq!(leave(&mut policy, 1100 * MS, 20 * MS, 100, false), Verdict::Signal);
        assert_eq!(leave(&mut policy, 1100 * MS, 1, 100, false), Verdict::Pass);
        assert!(policy.vars.dropping, "the pseudo-code looks at the next departure");
        assert_eq!(leave(&mut policy, 1101 * MS, 1, 100, false), Verdict::Pass);
        assert!(!policy.vars.dropping);
    }

    #[test]
    fn one_packet_behind_is_no_standing_queue() {
        let mut policy = codel(&[]);
        for ms in 1000..2000 {
            // 1000 bytes behind, maxpacket is 1000: at or below
            assert_eq!(leave(&mut policy, ms * MS, 500 * MS, 1, false), Verdict::Pass);
        }
        leave(&mut policy, 2000 * MS, 500 * MS, 2, false);
        assert_eq!(leave(&mut policy, 2100 * MS, 500 * MS, 2, false), Verdict::Signal);
    }

    #[test]
    fn an_empty_queue_is_below_target() {
        let mut policy = codel(&[]);
        drops(&mut policy, 1000, 1101);
        policy.on_empty(Time::from_nanos(1102 * MS));
        assert!(!policy.vars.dropping);
        assert_eq!(drops(&mut policy, 1110, 1210), []);
        assert_eq!(drops(&mut policy, 1210, 1211), [1210]);
    }

    #[test]
    fn a_mark_takes_the_place_of_a_drop() {
        let mut policy = codel(&[]);
        let marks: Vec<u64> = (1000..1510)
            .filter(|ms| leave(&mut policy, ms * MS, 20 * MS, 100, true) == Verdict::Signal)
            .collect();
        // the times of the drops, each packet asked about once
        assert_eq!(marks, [1100, 1200, 1271, 1329, 1379, 1424, 1464, 1502]);
    }

    #[test]
    fn a_target_above_the_interval_is_refused() {
        assert_eq!(Codel::check(&given(&[])), Ok(()));
        assert!(Codel::check(&given(&[("target", 0.2)])).is_err());
    }
}
