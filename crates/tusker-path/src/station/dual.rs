//! The two queues of a coupled policy (RFC 9332), and their scheduler.
//!
//! The scheduler is a weighted round robin, as in Linux's `sch_dualpi2.c`: while both queues
//! hold packets, each byte that leaves one of them is credit for the other, in proportion to
//! the other's weight, and the sign of the credit says which is next. If one is empty, the
//! other one sends, and the credit does not change.

use std::collections::VecDeque;

use tusker_core::queue::{Heads, TwoQueues};

use super::Held;
use crate::memory::room;

/// Both queues of a link.
#[derive(Debug)]
pub(super) struct Dual<T> {
    plan: TwoQueues,
    /// The initial credit: one packet.
    begin: f64,
    /// Bytes that the L4S queue owes the classic one; if negative, the other way
    /// round.
    credit: f64,
    l4s: VecDeque<Held<T>>,
    classic: VecDeque<Held<T>>,
}

/// The next packet.
#[derive(Debug)]
pub(super) struct Next<T> {
    pub held: Held<T>,
    /// If it is from the L4S queue: the number of packets behind it there.
    pub l4s: Option<u32>,
    /// The credit if it is sent.
    credit: f64,
}

impl<T> Dual<T> {
    pub fn new(plan: TwoQueues) -> Self {
        let begin = plan.packet.get() as f64 * (2.0 * plan.classic_share - 1.0);
        Self { plan, begin, credit: begin, l4s: VecDeque::new(), classic: VecDeque::new() }
    }

    /// Bytes that it takes, and how many it takes at most when so many more packets
    /// have come, all to the longer queue.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let of = |queue: &VecDeque<Held<T>>, more: usize| {
            room(queue.len() + more, queue.capacity(), size_of::<Held<T>>())
        };
        let (one, other) = (of(&self.l4s, more), of(&self.classic, more));
        let taken = of(&self.l4s, 0).0 + of(&self.classic, 0).0;
        let grows = (one.1.saturating_sub(one.0)).max(other.1.saturating_sub(other.0));
        (taken, taken + grows)
    }

    /// Appends a packet to its queue.
    pub fn push(&mut self, held: Held<T>, is_l4s: bool) {
        let queue = if is_l4s { &mut self.l4s } else { &mut self.classic };
        queue.push_back(held);
    }

    /// The next packet; `None` if both queues are empty.
    pub fn next(&mut self) -> Option<Next<T>> {
        let (l4s, classic) = (!self.l4s.is_empty(), !self.classic.is_empty());
        let TwoQueues { classic_share, .. } = self.plan;
        let (queue, weight) = match (l4s, classic) {
            (false, false) => {
                self.credit = self.begin;
                return None;
            }
            (true, false) => (&mut self.l4s, 0.0),
            (false, true) => (&mut self.classic, 0.0),
            (true, true) if self.credit <= 0.0 => (&mut self.l4s, classic_share),
            (true, true) => (&mut self.classic, classic_share - 1.0),
        };
        let held = queue.pop_front()?;
        let credit = self.credit + weight * f64::from(held.size);
        let is_l4s = weight > 0.0 || !classic;
        Some(Next { l4s: is_l4s.then_some(self.l4s.len() as u32), held, credit })
    }

    /// The next packet is sent; dropping it would not change the credit.
    pub fn sent(&mut self, credit: f64) {
        self.credit = credit;
    }

    /// When the packets at the heads arrived.
    pub fn heads(&self) -> Heads {
        let head = |queue: &VecDeque<Held<T>>| queue.front().map(|held| held.arrived);
        Heads { l4s: head(&self.l4s), classic: head(&self.classic) }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Held<T>> {
        self.l4s.iter().chain(&self.classic)
    }
}

impl<T> Next<T> {
    pub fn credit(&self) -> f64 {
        self.credit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::{Bytes, Time};

    impl<T> Dual<T> {
        fn arrive(&mut self, item: T, size: u32, is_l4s: bool) {
            let arrived = Time::ZERO;
            self.push(Held { item, size, flow: 0, arrived, can_mark: true, marked: false }, is_l4s);
        }
    }

    fn dual(classic_share: f64) -> Dual<char> {
        Dual::new(TwoQueues { classic_share, packet: Bytes::new(1500) })
    }

    /// This many L4S packets and as many others, all present from the start.
    fn leave(dual: &mut Dual<char>, count: usize) -> String {
        let next = |_| {
            let next = dual.next()?;
            dual.sent(next.credit());
            Some(next.held.item)
        };
        (0..count).map_while(next).collect()
    }

    /// Linux, 10 %: the credit begins at 1500 (0.1 - 0.9) = -1200 and grows by 150 for
    /// each packet of L4S; above zero one packet of C takes 1350 off. -1200 + 9 * 150 is
    /// the first above zero; from 150 - 1350 = -1200 on it is the same again.
    #[test]
    fn the_classic_queue_has_its_share() {
        let mut dual = dual(0.1);
        for _ in 0..40 {
            dual.arrive('l', 1500, true);
            dual.arrive('c', 1500, false);
        }
        assert_eq!(leave(&mut dual, 20), "lllllllllclllllllllc");
    }

    #[test]
    fn turns_are_counted_in_bytes() {
        let mut dual = dual(0.5);
        for _ in 0..12 {
            dual.arrive('l', 500, true);
            dual.arrive('c', 1500, false);
        }
        // from 0: 250, then -500, -250, 0, 250: three of 500 B for one of 1500 B
        assert_eq!(leave(&mut dual, 9), "lclllclll");
    }

    #[test]
    fn who_is_alone_sends_and_owes_nothing() {
        let mut dual = dual(0.1);
        for _ in 0..20 {
            dual.arrive('c', 1500, false);
        }
        assert_eq!(leave(&mut dual, 10), "cccccccccc");
        dual.arrive('l', 1500, true);
        assert_eq!(leave(&mut dual, 2), "lc", "L first, as at the beginning");
        let next = dual.next().expect("nine more");
        assert_eq!((next.held.item, next.l4s), ('c', None));
    }

    #[test]
    fn a_packet_that_is_dropped_costs_no_turn() {
        let mut dual = dual(0.1);
        for _ in 0..20 {
            dual.arrive('l', 1500, true);
            dual.arrive('c', 1500, false);
        }
        assert_eq!(dual.next().map(|next| next.l4s), Some(Some(19)), "dropped");
        assert_eq!(leave(&mut dual, 10), "lllllllllc");
    }
}
