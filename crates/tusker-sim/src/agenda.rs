//! Which source acts next: a tournament over the times of all sources.
//!
//! The sources of a simulation are its links and timers, tens or hundreds of them, not the
//! packets in flight. Each has one time. Setting a time costs one comparison per level of
//! the tree. The addresses of all opponents on the way up are known at once, so only the
//! comparisons take time.
//!
//! Time and source form one number: the time in the upper bits, the source in the lower.
//! Equal times are ordered by the number of the source, ascending or descending depending
//! on a hash of the time, so that no flow wins every tie. The order depends only on the
//! model, not on the path that the engine took.

use tusker_core::Time;

/// Times of a fixed number of sources.
#[derive(Debug)]
pub struct Agenda {
    /// The winner.
    first: u64,
    /// The times of two sources, which need no tree: most agendas are those of senders, and
    /// there may be thousands.
    two: [u64; 2],
    /// The winner is `tree[1]`, and the sources are the last `leaves` entries; empty for two.
    tree: Vec<u64>,
    leaves: usize,
    /// Number of bits of the source; the rest belong to the time.
    bits: u32,
    /// The latest time that fits next to the source.
    latest: u64,
}

/// Later than every time.
const NEVER: u64 = u64::MAX;

impl Agenda {
    /// An agenda with no times set.
    pub fn new(sources: usize) -> Self {
        let leaves = match sources {
            0..=2 => 2,
            3..=16 => 16,
            more => more.next_power_of_two(),
        };
        let bits = leaves.trailing_zeros();
        let tree = if leaves > 2 { vec![NEVER; 2 * leaves] } else { Vec::new() };
        Self { first: NEVER, two: [NEVER; 2], tree, leaves, bits, latest: NEVER >> bits }
    }

    /// When the next source is due, and which one. If none is, the time is
    /// [`Self::latest`].
    #[inline]
    pub fn next(&self) -> (Time, usize) {
        let ns = self.first >> self.bits;
        (Time::from_nanos(ns), (self.first ^ lots(ns)) as usize & (self.leaves - 1))
    }

    /// When this source is due; [`Self::latest`] if it is not.
    #[inline]
    pub fn at(&self, source: usize) -> Time {
        let key = match self.tree.is_empty() {
            true => self.two[source & 1],
            false => self.tree[self.leaves + source],
        };
        Time::from_nanos(key >> self.bits)
    }

    /// Anything at this time or later never happens.
    pub fn latest(&self) -> Time {
        Time::from_nanos(self.latest)
    }

    /// With two sources, when the other one is due; `None` if there are more.
    #[inline(always)]
    pub fn other_of_two(&self, source: usize) -> Option<Time> {
        let at = || Time::from_nanos(self.two[source & 1 ^ 1] >> self.bits);
        self.tree.is_empty().then(at)
    }

    /// Sets the time of a source; `Time::NEVER` removes it.
    #[inline(always)]
    pub fn set(&mut self, source: usize, at: Time) {
        let ns = at.nanos().min(self.latest);
        let lot = (source as u64 ^ lots(ns)) & (self.leaves as u64 - 1);
        let key = ns << self.bits | lot;
        let node = self.leaves + source;
        // trees of the usual sizes, known to the compiler, need no loop
        self.first = match self.tree.len() {
            0 => {
                self.two[source & 1] = key;
                self.two[0].min(self.two[1])
            }
            _ => match self.tree.as_mut_slice().try_into() {
                Ok(tree) => replay::<32>(tree, node, key),
                Err(_) => climb(&mut self.tree, node, key),
            },
        };
    }
}

/// Sources in order of time.
pub trait Order {
    /// See [`Agenda::next`].
    fn next(&self) -> (Time, usize);
    /// See [`Agenda::set`].
    fn set(&mut self, source: usize, at: Time);
}

impl Order for Agenda {
    fn next(&self) -> (Time, usize) {
        self.next()
    }

    fn set(&mut self, source: usize, at: Time) {
        self.set(source, at);
    }
}

/// An agenda whose tree has `N` entries, for a loop in which the compiler should know that.
pub struct Tree<'a, const N: usize> {
    first: &'a mut u64,
    tree: &'a mut [u64; N],
}

impl Agenda {
    /// The agenda, if its tree has this many entries.
    pub fn sized<const N: usize>(&mut self) -> Option<Tree<'_, N>> {
        let tree = self.tree.as_mut_slice().try_into().ok()?;
        Some(Tree { first: &mut self.first, tree })
    }
}

impl<const N: usize> Order for Tree<'_, N> {
    #[inline(always)]
    fn next(&self) -> (Time, usize) {
        let ns = *self.first >> (N / 2).ilog2();
        (Time::from_nanos(ns), (*self.first ^ lots(ns)) as usize & (N / 2 - 1))
    }

    #[inline(always)]
    fn set(&mut self, source: usize, at: Time) {
        let bits = (N / 2).ilog2();
        let ns = at.nanos().min(NEVER >> bits);
        let lot = (source as u64 ^ lots(ns)) & (N as u64 / 2 - 1);
        *self.first = replay(self.tree, N / 2 + source, ns << bits | lot);
    }
}

/// Puts a key into a leaf of a tree of `N` entries; returns the winner.
#[inline(always)]
fn replay<const N: usize>(tree: &mut [u64; N], mut node: usize, key: u64) -> u64 {
    let mut winner = key;
    tree[node % N] = winner;
    for _ in 1..N.ilog2() {
        winner = winner.min(tree[(node ^ 1) % N]);
        node /= 2;
        tree[node % N] = winner;
    }
    winner
}

/// The same for a large tree. Entries above one that keeps its winner stay as they are.
#[inline(never)]
fn climb(tree: &mut [u64], mut node: usize, key: u64) -> u64 {
    let mut winner = key;
    tree[node] = winner;
    while node > 1 {
        winner = winner.min(tree[node ^ 1]);
        node /= 2;
        if tree[node] == winner {
            return tree[1];
        }
        tree[node] = winner;
    }
    winner
}

/// Whether equal times are currently ordered by ascending or descending number: either all
/// bits of the source are inverted, or none. Only the order of the numbers matters, not how
/// many other sources there are.
#[inline]
fn lots(ns: u64) -> u64 {
    // the highest bit of a Fibonacci hash
    (ns.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Rng;

    #[test]
    fn gives_the_earliest_of_all() {
        let mut rng = Rng::named(3, "agenda");
        for sources in [1, 2, 3, 5, 10, 20, 37, 300] {
            gives_the_earliest(sources, &mut rng);
        }
    }

    fn gives_the_earliest(sources: usize, rng: &mut Rng) {
        let mut agenda = Agenda::new(sources);
        let mut model = vec![agenda.latest().nanos(); sources];
        for _ in 0..5_000 {
            let source = rng.range(0.0, sources as f64) as usize;
            let at = rng.range(0.0, 1e6) as u64;
            agenda.set(source, Time::from_nanos(at));
            model[source] = at;
            let (earliest, winner) = agenda.next();
            assert_eq!(Some(&earliest.nanos()), model.iter().min());
            assert_eq!(model[winner], earliest.nanos());
            let again = model[winner];
            let sized = agenda.sized::<32>().map(|mut sized| {
                sized.set(winner, Time::from_nanos(again));
                Order::next(&sized)
            });
            assert!(sized.is_none_or(|next| next == (earliest, winner)));
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
        assert_eq!(agenda.next().0, agenda.latest());
        agenda.set(4, Time::ZERO);
        assert_eq!(agenda.next(), (Time::ZERO, 4));
        agenda.set(4, Time::NEVER);
        assert_eq!(agenda.next().0, agenda.latest());
    }
}
