//! Which source is next: a tournament over the times of all sources.
//!
//! The sources of a simulation are its links and timers, tens or hundreds, not
//! the packets in flight. Each has one time. Setting a time costs one
//! comparison per level of the tree; the addresses of all opponents on the way
//! up are known at once, so the comparisons are all that is waited for.
//!
//! Equal times are ordered by a hash of the time and the source, not by the
//! number of the source: no flow wins every tie, and the order depends on the
//! model alone, not on how the engine came there.

use tusker_core::Time;

/// A source and its time.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Time,
    source: u32,
}

impl Entry {
    #[inline]
    fn is_before(self, other: Self) -> bool {
        if self.at == other.at { self.wins_tie(other) } else { self.at < other.at }
    }

    #[cold]
    fn wins_tie(self, other: Self) -> bool {
        (self.lot(), self.source) < (other.lot(), other.source)
    }

    /// Fibonacci hashing of time and source.
    fn lot(self) -> u64 {
        (self.at.nanos() ^ u64::from(self.source) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
    }
}

/// Times of a fixed number of sources.
#[derive(Debug)]
pub struct Agenda {
    /// `tree[1]` is the winner; the sources are the last `leaves` entries.
    tree: Vec<Entry>,
    leaves: usize,
}

impl Agenda {
    /// An agenda on which nothing is set.
    pub fn new(sources: usize) -> Self {
        let leaves = sources.max(2).next_power_of_two();
        Self { tree: vec![Entry { at: Time::NEVER, source: 0 }; 2 * leaves], leaves }
    }

    /// When the next source is due, and which; `Time::NEVER` if none is.
    #[inline]
    pub fn next(&self) -> (Time, usize) {
        (self.tree[1].at, self.tree[1].source as usize)
    }

    /// When this source is due.
    #[inline]
    pub fn at(&self, source: usize) -> Time {
        self.tree[self.leaves + source].at
    }

    /// Sets the time of a source; `Time::NEVER` takes it off.
    #[inline]
    pub fn set(&mut self, source: usize, at: Time) {
        let mut winner = Entry { at, source: source as u32 };
        let mut node = self.leaves + source;
        let tree = &mut self.tree[..];
        tree[node] = winner;
        while node > 1 {
            let opponent = tree[node ^ 1];
            winner = if opponent.is_before(winner) { opponent } else { winner };
            node /= 2;
            tree[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Rng;

    #[test]
    fn gives_the_earliest_of_all() {
        let mut rng = Rng::named(3, "agenda");
        let mut agenda = Agenda::new(37);
        let mut model = [u64::MAX; 37];
        for _ in 0..10_000 {
            let source = rng.range(0.0, 37.0) as usize;
            let at = rng.range(0.0, 1e6) as u64;
            agenda.set(source, Time::from_nanos(at));
            model[source] = at;
            let (earliest, winner) = agenda.next();
            assert_eq!(Some(&earliest.nanos()), model.iter().min());
            assert_eq!(model[winner], earliest.nanos());
        }
    }

    #[test]
    fn no_source_wins_every_tie() {
        let mut wins = [0; 2];
        for ns in 0..1000 {
            let mut agenda = Agenda::new(2);
            agenda.set(0, Time::from_nanos(ns));
            agenda.set(1, Time::from_nanos(ns));
            wins[agenda.next().1] += 1;
        }
        assert!(wins.iter().all(|&n| n > 300), "{wins:?}");
    }

    #[test]
    fn an_empty_agenda_is_never_due() {
        let mut agenda = Agenda::new(5);
        assert_eq!(agenda.next().0, Time::NEVER);
        agenda.set(4, Time::ZERO);
        assert_eq!(agenda.next(), (Time::ZERO, 4));
        agenda.set(4, Time::NEVER);
        assert_eq!(agenda.next().0, Time::NEVER);
    }
}
