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

/// Times of a fixed number of sources, each as its key.
#[derive(Debug)]
pub enum Agenda {
    /// Two sources need no tree: most agendas are those of senders, and there may be thousands.
    Two([u64; 2]),
    /// The earliest is `tree[1]`, and the sources are the second half.
    Tree(Box<[u64]>),
}

/// Later than every time.
const NEVER: u64 = u64::MAX;

/// Entries of a large tree: what belongs to its sources does not fit into the cache.
const LARGE: usize = 2048;

/// The number of bits of the source in the keys of a tree; the rest belong to the time.
#[inline(always)]
fn bits(tree: &[u64]) -> u32 {
    tree.len().trailing_zeros() - 1
}

/// The key of a source at a time.
#[inline(always)]
fn key(source: usize, at: Time, bits: u32) -> u64 {
    let ns = at.nanos().min(NEVER >> bits);
    let lot = (source as u64 ^ lots(ns)) & ((1 << bits) - 1);
    ns << bits | lot
}

/// The time and the source of a key.
#[inline(always)]
fn decode(key: u64, bits: u32) -> (Time, usize) {
    let ns = key >> bits;
    (Time::from_nanos(ns), ((key ^ lots(ns)) & ((1 << bits) - 1)) as usize)
}

impl Agenda {
    /// An agenda with no times set.
    pub fn new(sources: usize) -> Self {
        match sources {
            0..=2 => Self::Two([NEVER; 2]),
            3..=16 => Self::Tree([NEVER; 32].into()),
            more => Self::Tree(vec![NEVER; 2 * more.next_power_of_two()].into()),
        }
    }

    /// When the next source is due, and which one. If none is, the time is
    /// the latest that fits next to the source.
    #[inline]
    pub fn next(&self) -> (Time, usize) {
        match self {
            Self::Two([a, b]) => decode(*a.min(b), 1),
            Self::Tree(tree) => decode(tree[1], bits(tree)),
        }
    }

    /// When this source is due; if it is not, the latest time.
    #[inline]
    pub fn at(&self, source: usize) -> Time {
        let key = match self {
            Self::Two(two) => two[source & 1] >> 1,
            Self::Tree(tree) => tree[tree.len() / 2 + source] >> bits(tree),
        };
        Time::from_nanos(key)
    }

    /// Anything at this time or later never happens.
    #[cfg(test)]
    pub fn latest(&self) -> Time {
        Time::from_nanos(match self {
            Self::Two(_) => NEVER >> 1,
            Self::Tree(tree) => NEVER >> bits(tree),
        })
    }

    /// With two sources, when the other one is due; `None` if there are more.
    #[inline(always)]
    pub fn other_of_two(&self, source: usize) -> Option<Time> {
        match self {
            Self::Two(two) => Some(Time::from_nanos(two[source & 1 ^ 1] >> 1)),
            Self::Tree(_) => None,
        }
    }

    /// Sets the time of a source; `Time::NEVER` removes it.
    #[inline(always)]
    pub fn set(&mut self, source: usize, at: Time) {
        match self {
            Self::Two(two) => two[source & 1] = key(source, at, 1),
            // trees of the usual size, known to the compiler, need no loop
            Self::Tree(tree) => match (&mut **tree).try_into() {
                Ok(tree) => replay::<32>(tree, source, key(source, at, 4)),
                Err(_) => climb(tree, source, key(source, at, bits(tree))),
            },
        }
    }

    /// Whether there are so many sources that what belongs to them does not fit into the cache.
    #[inline]
    pub fn is_large(&self) -> bool {
        matches!(self, Self::Tree(tree) if tree.len() >= LARGE)
    }

    /// Calls `see` with the sources that are due before `until`, in no order.
    pub fn due_before(&self, until: Time, mut see: impl FnMut(usize)) {
        let Self::Tree(tree) = self else { return };
        let limit = until.nanos().min(NEVER >> bits(tree)) << bits(tree);
        let mut node = 1;
        loop {
            if tree[node] < limit {
                if node < tree.len() / 2 {
                    node *= 2;
                    continue;
                }
                see(node - tree.len() / 2);
            }
            // the next one that is not below this one
            node += 1;
            node >>= node.trailing_zeros();
            if node == 1 {
                return;
            }
        }
    }
}

/// Sources in order of time.
pub trait Order {
    /// See [`Agenda::next`].
    fn next(&self) -> (Time, usize);
    /// A source and its time as one number.
    fn key(&self, source: usize, at: Time) -> u64;
    /// See [`Agenda::set`]; the time is given as the [`key`](Self::key) of the source.
    fn set(&mut self, source: usize, key: u64);
}

impl Order for Agenda {
    fn next(&self) -> (Time, usize) {
        self.next()
    }

    fn key(&self, source: usize, at: Time) -> u64 {
        match self {
            Self::Two(_) => key(source, at, 1),
            Self::Tree(tree) => key(source, at, bits(tree)),
        }
    }

    fn set(&mut self, source: usize, key: u64) {
        match self {
            Self::Two(two) => two[source & 1] = key,
            Self::Tree(tree) => climb(tree, source, key),
        }
    }
}

/// An agenda whose tree has `N` entries, for a loop in which the compiler should know that.
pub struct Tree<'a, const N: usize>(&'a mut [u64; N]);

impl Agenda {
    /// The agenda, if its tree has this many entries.
    pub fn sized<const N: usize>(&mut self) -> Option<Tree<'_, N>> {
        match self {
            Self::Two(_) => None,
            Self::Tree(tree) => (&mut **tree).try_into().ok().map(Tree),
        }
    }
}

impl<const N: usize> Order for Tree<'_, N> {
    #[inline(always)]
    fn next(&self) -> (Time, usize) {
        decode(self.0[1], (N / 2).ilog2())
    }

    #[inline(always)]
    fn key(&self, source: usize, at: Time) -> u64 {
        key(source, at, (N / 2).ilog2())
    }

    #[inline(always)]
    fn set(&mut self, source: usize, key: u64) {
        replay(self.0, source, key);
    }
}

/// Sets the key of a source in a tree of `N` entries.
#[inline(always)]
fn replay<const N: usize>(tree: &mut [u64; N], source: usize, key: u64) {
    let mut node = N / 2 + source;
    let mut winner = key;
    tree[node % N] = winner;
    for _ in 1..N.ilog2() {
        winner = winner.min(tree[(node ^ 1) % N]);
        node /= 2;
        tree[node % N] = winner;
    }
}

/// The same in a large tree. Entries above one that keeps its winner stay as they are.
#[inline(never)]
fn climb(tree: &mut [u64], source: usize, key: u64) {
    let mut node = tree.len() / 2 + source;
    let mut winner = key;
    tree[node] = winner;
    while node > 1 {
        winner = winner.min(tree[node ^ 1]);
        node /= 2;
        if tree[node] == winner {
            return;
        }
        tree[node] = winner;
    }
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
            let until = Time::from_nanos(rng.range(0.0, 1e6) as u64);
            let mut due = Vec::new();
            agenda.due_before(until, |source| due.push(source));
            let before = |&source: &usize| Time::from_nanos(model[source]) < until;
            assert!(sources < 3 || due.into_iter().eq((0..sources).filter(before)));
            let again = model[winner];
            let sized = agenda.sized::<32>().map(|mut sized| {
                sized.set(winner, sized.key(winner, Time::from_nanos(again)));
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
