//! Drops at a full queue that are decided by a fixed rhythm of arrivals and
//! departures.
//!
//! If all times are multiples of one another, the packets of a flow always arrive the same time
//! before the next departure, and the same flow always gets the room that the last departure
//! left (Floyd and Jacobson: On Traffic Phase Effects in Packet-Switched Gateways, 1992). Such
//! drops repeatedly miss the next departure by the same time, to the nanosecond. If times vary,
//! this happens by chance to about two drops in n, where n is the number of nanoseconds that a
//! transmission takes: two such times are remembered.

use tusker_core::Duration;

use crate::meter::Counters;

/// By how much the last drops missed the next departure: the last two distinct
/// times, because two flows may take turns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lockstep {
    last: Option<Duration>,
    other: Option<Duration>,
}

impl Lockstep {
    /// Counts a drop that comes `missed` before the next departure. Returns whether
    /// it came at the very tick of the departure, so that there would have been
    /// room a moment later.
    pub(crate) fn dropped(&mut self, missed: Duration, room: bool, counters: &mut Counters) {
        evicted(missed, room, counters);
        let missed = Some(missed);
        if missed == self.last {
            counters.in_step += 1;
            return;
        }
        counters.in_step += u64::from(missed == self.other);
        self.other = self.last;
        self.last = missed;
    }
}

/// Counts a drop of a packet that was waiting, to make room for another. No rhythm says
/// which: a fair queue takes it from its fattest flow, and several at once, which all miss
/// the next departure by the same time.
pub(crate) fn evicted(missed: Duration, room: bool, counters: &mut Counters) {
    counters.overflowed += 1;
    counters.tied += u64::from(missed == Duration::ZERO && room);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(missed: impl IntoIterator<Item = u64>) -> Counters {
        let (mut lockstep, mut counters) = (Lockstep::default(), Counters::default());
        for ns in missed {
            lockstep.dropped(Duration::from_nanos(ns), true, &mut counters);
        }
        counters
    }

    #[test]
    fn what_comes_back_is_in_step() {
        let of = |missed: &[u64]| count(missed.iter().copied()).in_step;
        assert_eq!(of(&[5, 5, 5, 5]), 3);
        // two flows take turns: all but the first of each
        assert_eq!(of(&[5, 9, 5, 9, 5]), 3);
        // of three none
        assert_eq!(of(&[5, 9, 7, 5, 9, 7]), 0);
        // a third in between pushes out the older one
        assert_eq!(of(&[5, 9, 7, 9, 5]), 1);
        let ties = count([0, 3, 0]);
        assert_eq!((ties.overflowed, ties.tied, ties.in_step), (3, 2, 1));
    }

    #[test]
    fn chance_is_seldom_in_step() {
        // any of 1,200 ns alike: two of 1,200 for each of 100,000 drops, 167, whose
        // standard deviation is 13
        let mut rng = tusker_core::Rng::named(5, "lockstep");
        let by_chance = count((0..100_000).map(|_| rng.range(0.0, 1_200.0) as u64)).in_step;
        assert!(by_chance.abs_diff(167) < 52, "{by_chance}");
    }
}
