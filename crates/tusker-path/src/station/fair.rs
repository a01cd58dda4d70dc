//! The queues of flows: deficit round robin, as in RFC 8290 with new ones first, or as in SFQ
//! without; each queue has its own copy of the policy.

use std::collections::VecDeque;

use tusker_core::queue::{Aqm, Backlog, Departing, FlowQueues, Full, Meta, Policy, Verdict};
use tusker_core::{Bytes, Rng, Time};

use super::Held;
use crate::gate;
use crate::memory::rooms;

/// All queues of a link.
#[derive(Debug)]
pub(super) struct Fair<T> {
    plan: FlowQueues,
    /// The initial state of each queue.
    policy: Policy,
    /// Where the queue with each number is stored, once it has been used.
    slots: Vec<Option<u32>>,
    queues: Vec<Flow<T>>,
    /// Section 4.2: "the list of new queues ... the list of old queues".
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// How often a queue has changed.
    changes: u64,
}

#[derive(Debug)]
struct Flow<T> {
    packets: VecDeque<Held<T>>,
    bytes: u64,
    credits: i64,
    policy: Policy,
    /// Whether it is in one of the lists.
    active: bool,
    /// When it last left them.
    left: Option<Time>,
    /// The number of its last change.
    changed: u64,
}

/// The policy's decision about the next packet.
pub(super) enum Turn<T> {
    /// It is sent.
    Send(Held<T>),
    /// It is dropped; try the next one.
    Drop(Held<T>),
    /// Nothing may leave before then: ask again then.
    Wait(Time),
}

impl<T> Turn<T> {
    /// A policy's verdict on a packet: whether it is to be marked; `None` drops it.
    pub(super) fn new(held: Held<T>, said: Option<bool>) -> Self {
        match said {
            Some(mark) => Self::Send(Held { marked: held.marked || mark, ..held }),
            None => Self::Drop(held),
        }
    }
}

impl<T> Fair<T> {
    pub(super) fn new(plan: FlowQueues, policy: Policy) -> Self {
        let slots = vec![None; plan.count as usize];
        Self {
            plan,
            policy,
            slots,
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            changes: 0,
        }
    }

    /// Bytes that it takes, and how many it takes at most when so many more packets
    /// have come: all to one queue, the longest.
    pub(super) fn memory(&self, more: usize) -> (u64, u64) {
        let (taken, soon) = rooms(self.queues.iter().map(|flow| &flow.packets), more);
        let others = self.queues.capacity() * size_of::<Flow<T>>() + self.slots.capacity() * 8;
        (taken + others as u64, soon + others as u64)
    }

    /// Where the queue of a flow is stored.
    pub(super) fn slot(&mut self, flow: u64) -> u32 {
        let Self { plan, policy, slots, queues, .. } = self;
        *slots[plan.queue_of(flow) as usize].get_or_insert_with(|| {
            queues.push(Flow {
                packets: VecDeque::new(),
                bytes: 0,
                credits: plan.initial_quantum.get() as i64,
                policy: policy.clone(),
                active: false,
                left: None,
                changed: 0,
            });
            (queues.len() - 1) as u32
        })
    }

    /// The verdict of its queue's policy on an arriving packet.
    pub(super) fn judge(&mut self, slot: u32, p: &Meta, now: Time, rng: &mut Rng) -> Verdict {
        let queue = &mut self.queues[slot as usize];
        let waiting = queue.waiting();
        queue.policy.on_arrival(p, &waiting, now, rng)
    }

    /// Whether the flow's own queue has no room for a packet, or may not become another one.
    pub(super) fn is_full(&self, slot: u32) -> bool {
        let queue = &self.queues[slot as usize];
        let others = self.new.len() + self.old.len();
        queue.packets.len() >= self.plan.flow_limit as usize
            || !queue.active && others >= self.plan.active as usize
    }

    /// The time at which each queue's policy wanted to be polled has come.
    pub(super) fn poll(&mut self, at: Time) {
        // also for the queues that are still to come
        self.policy.on_poll(at, &Backlog::EMPTY);
        let plan = self.policy.flow_queues().unwrap_or(self.plan);
        if plan.perturbations != self.plan.perturbations {
            self.plan = plan;
            self.rehash();
        }
        for queue in &mut self.queues {
            let waiting = queue.waiting();
            queue.policy.on_poll(at, &waiting);
        }
    }

    /// All packets go to the queues of a new hash, those of each queue in their order
    /// (`sfq_rehash` of Linux).
    #[cold]
    fn rehash(&mut self) {
        self.slots.fill(None);
        self.new.clear();
        self.old.clear();
        for queue in std::mem::take(&mut self.queues) {
            for held in queue.packets {
                let slot = self.slot(held.flow);
                self.push(slot, held);
            }
        }
    }

    /// Section 4.1: to the end of its flow's queue.
    pub(super) fn push(&mut self, slot: u32, held: Held<T>) {
        let Self { plan, queues, .. } = self;
        let queue = &mut queues[slot as usize];
        let now = held.arrived;
        self.changes += 1;
        queue.changed = self.changes;
        queue.bytes += u64::from(held.size);
        queue.packets.push_back(held);
        if !queue.active {
            // section 4.1.2: "it is added to the end of the list of new queues,
            // and its credits are initiated to the configured quantum"
            queue.active = true;
            let quantum = plan.quantum.get() as i64;
            match (plan.refill_delay, queue.left) {
                (None, _) => queue.credits = plan.initial_quantum.get() as i64,
                (Some(delay), Some(left)) if now.since(left) > delay => {
                    queue.credits = queue.credits.max(quantum);
                }
                (Some(_), _) => {}
            }
            if plan.new_first { &mut self.new } else { &mut self.old }.push_back(slot);
        }
    }

    /// Section 4.2: the next packet at `now`; `None` if all queues are empty.
    pub(super) fn turn(&mut self, now: Time, rng: &mut Rng) -> Option<Turn<T>> {
        let quantum = self.plan.quantum.get() as i64;
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let slot = *list.front()?;
            let queue = &mut self.queues[slot as usize];
            if queue.credits <= 0 {
                queue.credits += quantum;
                list.pop_front();
                self.old.push_back(slot);
                continue;
            }
            let Some(held) = queue.packets.pop_front() else {
                queue.policy.on_empty(now);
                list.pop_front();
                if is_new {
                    self.old.push_back(slot);
                } else {
                    (queue.active, queue.left) = (false, Some(now));
                }
                continue;
            };
            queue.bytes -= u64::from(held.size);
            self.changes += 1;
            queue.changed = self.changes;
            if queue.packets.is_empty() && !self.plan.new_first {
                list.pop_front();
                (queue.active, queue.left) = (false, Some(now));
            }
            let behind = queue.waiting();
            let said = gate::leaves(&mut queue.policy, rng, now, &held.departing(None), &behind);
            let turn = Turn::new(held, said);
            if let Turn::Send(held) = &turn {
                queue.credits -= i64::from(held.size);
            }
            return Some(turn);
        }
    }

    /// Drops packets to make room: section 4.1.3, or as SFQ does.
    pub(super) fn make_room(&mut self, mut drop: impl FnMut(Held<T>)) {
        match self.plan.full {
            Full::Fattest(batch) => self.drop_from_fattest(batch, &mut drop),
            Full::Longest => self.drop_from_longest(&mut drop),
            Full::Arriving => {}
        }
    }

    /// Whether a packet that finds no room is dropped, and not one that waits.
    pub(super) fn drops_arriving(&self) -> bool {
        self.plan.full == Full::Arriving
    }

    /// Half of the packets of the queue with the most bytes, from its head.
    fn drop_from_fattest(&mut self, batch: usize, drop: &mut impl FnMut(Held<T>)) {
        // the first if several are equal
        let fattest = self.queues.iter_mut().rev().max_by_key(|queue| queue.bytes);
        let Some(queue) = fattest else { return };
        let half = queue.packets.len().div_ceil(2).min(batch);
        for held in queue.packets.drain(..half) {
            queue.bytes -= u64::from(held.size);
            drop(held);
        }
    }

    /// The last packet of the longest queue; of equals that which changed last, but if all have
    /// one packet, the one whose turn it is.
    fn drop_from_longest(&mut self, drop: &mut impl FnMut(Held<T>)) {
        let length = |slot: &u32| {
            let queue = &self.queues[*slot as usize];
            (queue.packets.len(), queue.changed)
        };
        let Some(mut slot) = self.old.iter().copied().max_by_key(length) else { return };
        if length(&slot).0 == 1 {
            let Some(first) = self.old.pop_front() else { return };
            slot = first;
        }
        let queue = &mut self.queues[slot as usize];
        let Some(held) = queue.packets.pop_back() else { return };
        queue.active = !queue.packets.is_empty();
        queue.bytes -= u64::from(held.size);
        self.changes += 1;
        queue.changed = self.changes;
        drop(held);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held<T>> {
        self.queues.iter().flat_map(|queue| &queue.packets)
    }

    /// How many queues are new and old, how many of their policies are dropping, and the largest
    /// drop probability, as far as the policy has these.
    pub(super) fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("new_queues", self.new.len() as f64);
        see("old_queues", self.old.len() as f64);
        self.policy.inspect(&mut |name, _| {
            let values = self.queues.iter().map(|queue| queue.value(name));
            match name {
                "dropping" => see(name, values.sum()),
                "drop_prob" => see(name, values.fold(0.0, f64::max)),
                _ => {}
            }
        });
    }
}

impl<T> Flow<T> {
    fn waiting(&self) -> Backlog {
        Backlog {
            packets: self.packets.len() as u32,
            bytes: Bytes::new(self.bytes),
            idle_since: None,
        }
    }

    fn value(&self, wanted: &str) -> f64 {
        let mut found = 0.0;
        self.policy.inspect(&mut |name, value| {
            if name == wanted {
                found = value;
            }
        });
        found
    }
}

impl<T> Held<T> {
    pub(super) fn departing(&self, l4s: Option<u32>) -> Departing {
        let size = Bytes::new(u64::from(self.size));
        Departing { size, can_mark: self.can_mark, arrived: self.arrived, l4s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Rate;
    use tusker_core::queue::{Kind, Link, Policy, Spec};

    fn fair(values: &[(&str, f64)]) -> Fair<u64> {
        fair_of(Kind::FqCodel, values)
    }

    fn fair_of(kind: Kind, values: &[(&str, f64)]) -> Fair<u64> {
        let spec = Spec::with(kind, values.iter().copied()).expect("in range");
        let rate = Rate::from_bits_per_sec(12_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1500) };
        let policy = Policy::new(&spec, &link);
        Fair::new(policy.flow_queues().expect("a queue for every flow"), policy)
    }

    /// A packet that carries the number of its flow.
    fn arrive(fair: &mut Fair<u64>, flow: u64, size: u32) {
        arrive_at(fair, 0, flow, size);
    }

    fn arrive_at(fair: &mut Fair<u64>, ms: u64, flow: u64, size: u32) {
        let arrived = Time::from_nanos(ms * 1_000_000);
        let slot = fair.slot(flow);
        fair.push(slot, Held { item: flow, size, flow, arrived, can_mark: false, marked: false });
    }

    /// The flows whose packets leave at 1 ms, in order.
    fn leave(fair: &mut Fair<u64>, times: usize) -> Vec<u64> {
        leave_at(fair, 1, times)
    }

    fn leave_at(fair: &mut Fair<u64>, ms: u64, times: usize) -> Vec<u64> {
        let mut rng = Rng::named(1, "fair");
        let next = |_| match fair.turn(Time::from_nanos(ms * 1_000_000), &mut rng) {
            Some(Turn::Send(held)) => Some(held.item),
            Some(_) => panic!("nothing has waited for long"),
            None => None,
        };
        (0..times).map_while(next).collect()
    }

    #[test]
    fn equal_packets_take_turns() {
        let mut fair = fair(&[]);
        for flow in [1, 1, 1, 2, 2, 2, 3] {
            arrive(&mut fair, flow, 1500);
        }
        // each new queue has a quantum of 1500: one packet each; then as old ones
        assert_eq!(leave(&mut fair, 9), [1, 2, 3, 1, 2, 1, 2]);
    }

    #[test]
    fn turns_are_counted_in_bytes() {
        let mut fair = fair(&[]);
        for _ in 0..12 {
            arrive(&mut fair, 1, 500);
        }
        for _ in 0..4 {
            arrive(&mut fair, 2, 1500);
        }
        // 1500 credits: three packets of 500, or one of 1500
        assert_eq!(leave(&mut fair, 8), [1, 1, 1, 2, 1, 1, 1, 2]);
    }

    #[test]
    fn what_a_turn_overdraws_is_paid_back() {
        let mut fair = fair(&[("quantum", 300.0)]);
        for _ in 0..3 {
            arrive(&mut fair, 1, 1500);
            arrive(&mut fair, 2, 300);
        }
        arrive(&mut fair, 2, 300);
        arrive(&mut fair, 2, 300);
        // flow 1: 300 - 1500 = -1200; it has credits again after five more rounds
        // (-900, -600, -300, 0, 300), in each of which flow 2 sends one
        assert_eq!(leave(&mut fair, 8), [1, 2, 2, 2, 2, 2, 1, 1]);
    }

    #[test]
    fn a_new_queue_goes_first_but_only_once() {
        let mut fair = fair(&[]);
        for flow in [1, 1, 1, 2, 2, 2, 4, 4, 4] {
            arrive(&mut fair, flow, 1500);
        }
        assert_eq!(leave(&mut fair, 4), [1, 2, 4, 1]);
        arrive(&mut fair, 3, 100);
        assert_eq!(leave(&mut fair, 1), [3], "a thin flow does not wait for the fat ones");
        // when found empty it moves behind the old queues 1, 2, 4; then 1, whose
        // credits are spent, moves behind it
        assert_eq!(leave(&mut fair, 1), [2]);
        arrive(&mut fair, 3, 100);
        assert_eq!(leave(&mut fair, 3), [4, 3, 1], "what comes before its turn is not new again");
    }

    #[test]
    fn the_fattest_queue_loses_half_at_its_head() {
        let mut fair = fair(&[]);
        for number in 0..9 {
            arrive(&mut fair, 1, 100 + number);
        }
        arrive(&mut fair, 2, 1500);
        // 9 packets with 936 bytes against one with 1500: bytes count
        let mut gone = Vec::new();
        fair.make_room(|held| gone.push((held.item, held.size)));
        assert_eq!(gone, [(2, 1500)]);
        gone.clear();
        fair.make_room(|held| gone.push((held.item, held.size)));
        assert_eq!(gone, [(1, 100), (1, 101), (1, 102), (1, 103), (1, 104)]);
        for _ in 0..200 {
            arrive(&mut fair, 3, 1000);
        }
        let mut dropped = 0;
        fair.make_room(|_| dropped += 1);
        assert_eq!(dropped, 64, "at most");
    }

    /// tc-fq(8) with packets of 1500 bytes: ten at first, then two in a turn.
    #[test]
    fn fq_gives_ten_packets_first_and_two_in_a_turn() {
        let mut fair = fair_of(Kind::Fq, &[]);
        (0..13).for_each(|_| arrive(&mut fair, 1, 1500));
        (0..3).for_each(|_| arrive(&mut fair, 2, 1500));
        let order = [[1; 10].as_slice(), &[2; 3], &[1; 3]].concat();
        assert_eq!(leave(&mut fair, 20), order);
        // flow 1: 15,000 - 10 x 1500 + 3000 - 2 x 1500 + 3000 - 1500 = 1500 credits remain
        // within 40 ms of its last packet, so it sends one packet before its next turn
        for flow in [1, 1, 1, 3, 3] {
            arrive_at(&mut fair, 41, flow, 1500);
        }
        assert_eq!(leave_at(&mut fair, 41, 9), [1, 3, 3, 1, 1]);
        // 0 + 3000 - 3000 = 0 remain; after more than 40 ms it has a quantum again
        for flow in [1, 1, 1, 4] {
            arrive_at(&mut fair, 82, flow, 1500);
        }
        assert_eq!(leave_at(&mut fair, 82, 9), [1, 1, 4, 1]);
    }

    #[test]
    fn a_queue_holds_as_many_packets_as_its_flow_may_have() {
        let mut fair = fair_of(Kind::Fq, &[("flow_limit", 2.0)]);
        (0..2).for_each(|_| arrive(&mut fair, 1, 1500));
        let [one, two] = [1, 2].map(|flow| fair.slot(flow));
        assert!(fair.is_full(one) && !fair.is_full(two));
        let mut fair = fair_of(Kind::Sfq, &[("flows", 1.0)]);
        arrive(&mut fair, 1, 1500);
        let [one, two] = [1, 2].map(|flow| fair.slot(flow));
        assert!(!fair.is_full(one) && fair.is_full(two), "one queue may hold packets");
    }

    #[test]
    fn sfq_takes_turns_without_regard_to_what_is_new() {
        let mut fair = fair_of(Kind::Sfq, &[]);
        for flow in [1, 1, 1, 2, 2, 2] {
            arrive(&mut fair, flow, 1500);
        }
        assert_eq!(leave(&mut fair, 1), [1]);
        arrive(&mut fair, 3, 1500);
        assert_eq!(leave(&mut fair, 9), [2, 3, 1, 2, 1, 2]);
    }

    #[test]
    fn sfq_drops_the_last_packet_of_the_longest_queue() {
        let mut fair = fair_of(Kind::Sfq, &[]);
        for (flow, size) in [(1, 101), (1, 102), (2, 201), (2, 202), (3, 301)] {
            arrive(&mut fair, flow, size);
        }
        let mut gone = Vec::new();
        // two queues have two packets, of which the second changed last; then each has one, and
        // it is the first one's turn
        (0..4).for_each(|_| fair.make_room(|held| gone.push(held.size)));
        assert_eq!(gone, [202, 102, 101, 201]);
        assert_eq!(leave(&mut fair, 9), [3]);
        fair.make_room(|_| panic!("nothing is left"));
    }

    /// One queue of two flows becomes two that take turns, each with its packets in order; what
    /// arrives later goes behind them.
    #[test]
    fn a_new_hash_keeps_the_order_of_each_flow() {
        let mut fair = fair_of(Kind::Sfq, &[("divisor", 2.0), ("perturb", 1.0)]);
        let together = |fair: &Fair<u64>| fair.plan.queue_of(1) == fair.plan.queue_of(2);
        let mut at = 0;
        let mut perturb = |fair: &mut Fair<u64>, wanted: bool| {
            while together(fair) != wanted {
                at += 1;
                fair.poll(Time::from_nanos(at * 1_000_000_000));
            }
        };
        perturb(&mut fair, true);
        for (n, size) in [1500, 1400, 1300].into_iter().enumerate() {
            for flow in [1, 2] {
                let arrived = Time::from_nanos(n as u64);
                let slot = fair.slot(flow);
                let held = Held {
                    item: flow * 10 + n as u64,
                    size,
                    flow,
                    arrived,
                    can_mark: false,
                    marked: false,
                };
                fair.push(slot, held);
            }
        }
        perturb(&mut fair, false);
        let items = leave_at(&mut fair, 900_000, 6);
        let of = |flow| items.iter().filter(|item| **item / 10 == flow).collect::<Vec<_>>();
        assert_eq!(of(1), [&10, &11, &12]);
        assert_eq!(of(2), [&20, &21, &22]);
        // one queue of FIFO order would be 10 20 11 21 ..: with two it is that, too; their
        // number shows
        assert_eq!(fair.queues.len(), 2);
    }
}
