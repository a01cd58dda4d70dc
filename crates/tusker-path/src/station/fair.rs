//! The queues of FQ-CoDel (RFC 8290): deficit round robin over flows, new ones
//! first, each with its own CoDel.

use std::collections::VecDeque;

use tusker_core::queue::{Aqm, Backlog, Departing, FlowQueues, Policy};
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
}

#[derive(Debug)]
struct Flow<T> {
    packets: VecDeque<Held<T>>,
    bytes: u64,
    credits: i64,
    policy: Policy,
    /// Whether it is in one of the lists.
    active: bool,
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
        Self { plan, policy, slots, queues: Vec::new(), new: VecDeque::new(), old: VecDeque::new() }
    }

    /// Bytes that it takes, and how many it takes at most when so many more packets
    /// have come: all to one queue, the longest.
    pub(super) fn memory(&self, more: usize) -> (u64, u64) {
        let (taken, soon) = rooms(self.queues.iter().map(|flow| &flow.packets), more);
        let others = self.queues.capacity() * size_of::<Flow<T>>() + self.slots.capacity() * 8;
        (taken + others as u64, soon + others as u64)
    }

    /// Section 4.1: to the end of its flow's queue.
    pub(super) fn push(&mut self, flow: u64, held: Held<T>) {
        let Self { plan, policy, slots, queues, .. } = self;
        let slot = *slots[plan.queue_of(flow) as usize].get_or_insert_with(|| {
            let (packets, policy) = (VecDeque::new(), policy.clone());
            queues.push(Flow { packets, bytes: 0, credits: 0, policy, active: false });
            (queues.len() - 1) as u32
        });
        let queue = &mut queues[slot as usize];
        queue.bytes += u64::from(held.size);
        queue.packets.push_back(held);
        if !queue.active {
            // section 4.1.2: "it is added to the end of the list of new queues,
            // and its credits are initiated to the configured quantum"
            queue.active = true;
            queue.credits = plan.quantum.get() as i64;
            self.new.push_back(slot);
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
                    queue.active = false;
                }
                continue;
            };
            queue.bytes -= u64::from(held.size);
            let behind = Backlog {
                packets: queue.packets.len() as u32,
                bytes: Bytes::new(queue.bytes),
                idle_since: None,
            };
            let said = gate::leaves(&mut queue.policy, rng, now, &held.departing(None), &behind);
            let turn = Turn::new(held, said);
            if let Turn::Send(held) = &turn {
                queue.credits -= i64::from(held.size);
            }
            return Some(turn);
        }
    }

    /// Section 4.1.3: drops half of the packets of the queue with the most
    /// bytes, from its head.
    pub(super) fn drop_from_fattest(&mut self, mut drop: impl FnMut(Held<T>)) {
        // the first if several are equal
        let fattest = self.queues.iter_mut().rev().max_by_key(|queue| queue.bytes);
        let Some(queue) = fattest else { return };
        let half = queue.packets.len().div_ceil(2).min(self.plan.drop_batch);
        for held in queue.packets.drain(..half) {
            queue.bytes -= u64::from(held.size);
            drop(held);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held<T>> {
        self.queues.iter().flat_map(|queue| &queue.packets)
    }

    pub(super) fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let mut dropping = 0.0;
        for queue in &self.queues {
            queue.policy.inspect(&mut |name, value| {
                dropping += if name == "dropping" { value } else { 0.0 };
            });
        }
        see("new_queues", self.new.len() as f64);
        see("old_queues", self.old.len() as f64);
        see("dropping", dropping);
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
        let spec = Spec::with(Kind::FqCodel, values.iter().copied()).expect("in range");
        let rate = Rate::from_bits_per_sec(12_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1500) };
        let policy = Policy::new(&spec, &link);
        Fair::new(policy.flow_queues().expect("a queue for every flow"), policy)
    }

    /// A packet that carries the number of its flow.
    fn arrive(fair: &mut Fair<u64>, flow: u64, size: u32) {
        let arrived = Time::ZERO;
        fair.push(flow, Held { item: flow, size, arrived, can_mark: false, marked: false });
    }

    /// The flows whose packets leave at `ms`, in order.
    fn leave(fair: &mut Fair<u64>, times: usize) -> Vec<u64> {
        let mut rng = Rng::named(1, "fair");
        let next = |_| match fair.turn(Time::from_nanos(1_000_000), &mut rng) {
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
        fair.drop_from_fattest(|held| gone.push((held.item, held.size)));
        assert_eq!(gone, [(2, 1500)]);
        gone.clear();
        fair.drop_from_fattest(|held| gone.push((held.item, held.size)));
        assert_eq!(gone, [(1, 100), (1, 101), (1, 102), (1, 103), (1, 104)]);
        for _ in 0..200 {
            arrive(&mut fair, 3, 1000);
        }
        let mut dropped = 0;
        fair.drop_from_fattest(|_| dropped += 1);
        assert_eq!(dropped, 64, "at most");
    }
}
