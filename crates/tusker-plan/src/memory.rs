//! The expected memory of a run of a plan, in one place: for estimates before a
//! run, and for executors that enforce a limit.
//!
//! The estimate covers what is certain: each flow and link, the packets that a path and its
//! queues hold, background traffic above the rate of a link without a limit, objects requested
//! faster than they are sent, and values recorded over time. How far a window grows without any
//! limit is not known in advance.

use tusker_core::congestion::Controller;
use tusker_core::params::Need;
use tusker_core::queue::{Aqm, Policy};
use tusker_core::wire::Loss;
use tusker_core::{Duration, Time};

use crate::budget::Memory;
use crate::convergence::{self, Steps};
use crate::fairness;
use crate::plan::{Demand, Flow, Limit, Link, Plan, Recovery, Start, Trace, Web};

// The numbers below are of the largest resident set, release build, x86-64. They
// were measured without storing results; tests compare their sum with what the
// engine counts.

/// The program, which took 9 to 13 MB, and what a run may need until it is checked
/// for the first time.
const BASE: u64 = 16_000_000;
/// A flow with both ends, its statistics and its names: 100,000 that send 15 kB
/// each over one link took 477 MB.
const FLOW: u64 = 5_400;
/// A link with its queue, its meter and room for its first packets: 8,000 flows that send 15 kB
/// each, with an access link at each end, which are 32,000 links, took 97 MB in all.
const LINK: u64 = 1_100;
/// In addition, one whose results are given by batch.
const BATCHED: u64 = 800;
/// In addition, one that decides about packets by more than a limit in packets.
const DECIDES: u64 = 700;
/// The queues of an FQ-CoDel, in addition: 2,000 such links took 28 MB more than
/// with `CoDel`.
const FAIR: u64 = 15_000;
/// Those of a CAKE: a table of 4 kB, and so much for the first queue.
const CAKE: u64 = 6_000;
/// A background source.
const SOURCE: u64 = 2_000;
/// What a long-lived flow needs in addition: its RTT samples, and room at its ends.
/// If those 100,000 flows never end, they take 239 MB more. 6,000 flows of CUBIC with large
/// windows took 187.8 to 189.0 MB in all; with 3,000 instead of 3,500, 188.9 MB were expected.
/// In addition its queueing delays: 128 bytes for each power of two among them, 16 from 15 us
/// to 1 s, and their places.
const LASTING: u64 = 3_500 + 16 * 128 + 400;
/// The same for one with delivery-rate samples: 377 MB more with BBR.
const SAMPLING: u64 = 4_000;
/// What each segment adds to that.
const SEGMENT: u64 = 48;
/// A packet that waits or is in flight: the packet (48, in a long ring 5), its departure time at
/// each queue (8, in a buffer with up to four times the room), what its receiver knows about it.
/// 833,000 of ten flows with the profile `ns2` took 80 MB before long rings were packed.
const PACKET: u64 = 120;
/// What SACK knows about segments in addition, in ranges at both ends and in blocks
/// in flight: 208,000, of which half were lost, took 42 MB.
const SACK: u64 = 120;
/// The same for RACK-TLP, with 8 bytes per segment in a list that may have room for twice as
/// much, and that never shrinks. 167,000 of ten flows took 50 MB in all.
const RACK: u64 = 160;
/// The same for delivery-rate samples: 333,000 took 179 MB in total.
const SAMPLE: u64 = 240;
/// A packet whose sender keeps no state: its departure time, in a list with room
/// for more that is copied as it grows. 1,670,000 took 45 MB.
const PLAIN: u64 = 48;
/// The minimum for a link with packets in flight: 32 of 48 bytes, or 8 of thousands of links.
const CHUNK: u64 = 32 * 48;
const SMALL_CHUNK: u64 = 8 * 48;
/// The minimum number of packets or ACKs in flight of a long-lived flow.
const FEWEST: f64 = 2.0;
/// The counts of a flow in a step, three numbers, with spare room.
const STEP: u64 = 48;
/// A transfer that has begun, with spare room.
const TRANSFER: u64 = 112;
/// A waiting object, with spare room.
const OBJECT: u64 = 48;

impl Plan {
    /// What one run is expected to take.
    pub fn memory(&self) -> Memory {
        let steps = Steps::of(self).map_or(0, |steps| steps.count as u64);
        let mut memory = Memory {
            setup: self.setup()
                + self.flows.iter().map(|flow| self.counted(flow)).sum::<u64>()
                + steps * STEP * convergence::counted(self).count() as u64,
            trace: self.traced().saturating_mul(size_of::<f64>() as u64),
            ..Memory::default()
        };
        memory.packets = self.packets();
        for traffic in &self.traffic {
            let secs = self.end.secs();
            memory.transfers = memory
                .transfers
                .saturating_add(bytes(traffic.expected(secs), TRANSFER))
                .saturating_add(match &traffic.demand {
                    Demand::Arrivals { .. } => 0,
                    Demand::Web(web) => {
                        bytes(self.waiting(web, &self.flows[traffic.slots.start], secs), OBJECT)
                    }
                });
        }
        memory
    }

    /// Bytes that flows, links and sources take from the start, including the
    /// program.
    pub fn setup(&self) -> u64 {
        let count = |things: usize, each: u64| things as u64 * each;
        let with = |has: fn(&Policy) -> bool| {
            self.links.iter().filter(|link| has(&link.queue.policy(link.rate))).count()
        };
        let fair = with(|policy| policy.flow_queues().is_some());
        let cake = with(|policy| policy.cake_queues().is_some());
        BASE + count(self.flows.len(), FLOW)
            + count(self.links.len(), LINK)
            + count(self.batched().into_iter().filter(|batched| *batched).count(), BATCHED)
            + count(self.links.iter().filter(|link| decides(link)).count(), DECIDES)
            + count(fair, FAIR)
            + count(cake, CAKE)
            + count(self.background.len(), SOURCE)
    }

    /// What accumulates about a flow.
    fn counted(&self, flow: &Flow) -> u64 {
        let most = if samples(flow) { LASTING + SAMPLING } else { LASTING };
        flow.size.map_or(most, |size| segments(flow, size.get()).saturating_mul(SEGMENT).min(most))
    }

    /// Values recorded over time, with their times.
    pub fn traced(&self) -> u64 {
        let mut columns = 1;
        if self.trace.flows {
            for flow in &self.flows[..self.lasting()] {
                // cwnd, ssthresh, srtt, flight, delivered
                columns += 5;
                flow.controller().inspect(&mut |_, _| columns += 1);
            }
        }
        for &link in &self.trace.links {
            let link = &self.links[link];
            // the queue; queues for each flow show three values besides the policy's, CAKE five
            columns += 1;
            let policy = link.queue.policy(link.rate);
            let fair = policy.flow_queues().is_some();
            match policy.cake_queues() {
                Some(_) => columns += 5,
                None if fair => columns += 3,
                None => policy.inspect(&mut |_, _| columns += 1),
            }
        }
        match self.trace.interval {
            Some(_) => self.trace.rows(self.end).saturating_mul(columns),
            None => 0,
        }
    }

    /// Largest number of bytes that packets in flight and in queues take.
    fn packets(&self) -> u64 {
        let all = self.shared().max(self.together());
        let lasting = self.flows[..self.lasting()].iter().filter(|flow| flow.size.is_none());
        let apart = all + FEWEST * lasting.count() as f64;
        let mut used = vec![false; self.links.len()];
        let routes = self.flows.iter().flat_map(|flow| flow.routes().chain(flow.reverses()));
        let routes = routes.flatten();
        routes.for_each(|&l| used[l] = true);
        let used = used.into_iter().filter(|used| *used).count() as f64;
        let known = |flow: &Flow| {
            let recovery = match flow.tcp.recovery {
                Recovery::Reno | Recovery::NewReno => 0,
                Recovery::Sack => SACK,
                Recovery::RackTlp => RACK,
            };
            PACKET + recovery + if samples(flow) { SAMPLE } else { 0 }
        };
        let each = self.flows.iter().map(known).max().unwrap_or(PACKET);
        bytes(all, each)
            .saturating_add(bytes(apart.min(used), if used < 2e3 { CHUNK } else { SMALL_CHUNK }))
            .saturating_add(bytes(self.excess(), PLAIN))
    }

    /// Packets that windows keep in the network: what the path of a flow and the
    /// queue of its most loaded link hold. Several flows share that.
    fn shared(&self) -> f64 {
        let mut inside = vec![Inside::default(); self.links.len()];
        let loads = self.loads();
        for (f, flow) in self.flows.iter().enumerate() {
            let load = |l: &&usize| loads[**l];
            // the first of those that are equal
            let Some(&l) = flow.route.iter().rev().max_by(|a, b| load(a).total_cmp(&load(b)))
            else {
                continue;
            };
            let size = flow.tcp.packet.get() as f64 * 8.0;
            let link = &self.links[l];
            let rate = link.rate.bits_per_sec() as f64 / size;
            let rtt = self.round_trip(flow).secs();
            let path = rate * rtt;
            // if nothing limits the queue: the same amount again, which a window
            // needs
            let room = path + if limit(link, size).is_finite() { limit(link, size) } else { path };
            // windows grow by what arrives
            let most = room.min(rate * self.end.secs() + f64::from(flow.tcp.initial_window));
            let own = if f < self.lasting() { window(flow) } else { f64::INFINITY };
            let inside = &mut inside[l];
            inside.most = inside.most.max(most);
            inside.own += own;
            inside.at_a_time += own * at_a_time(flow, rtt);
            inside.asked += own / (rate * spread(flow));
        }
        inside.iter().map(Inside::packets).sum()
    }

    /// For each link the share of its rate that is requested, at fair rates.
    fn loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.links.len()];
        let mut add = |route: &[usize], rate: f64| route.iter().for_each(|&l| loads[l] += rate);
        for (flow, rate) in self.flows.iter().zip(fairness::max_min(self)) {
            add(&flow.route, rate);
        }
        for traffic in &self.traffic {
            let each = traffic.mean_rate / traffic.slots.len().max(1) as f64;
            self.flows[traffic.slots.clone()].iter().for_each(|slot| add(&slot.route, each));
        }
        self.background.iter().for_each(|source| add(&source.route, source.mean_rate()));
        let links = self.links.iter().zip(loads);
        // values that differ by a rounding error count as equal
        links.map(|(link, load)| (load / fairness::mean_rate(self, link)) as f32 as f64).collect()
    }

    /// Packets that flows starting within a round trip of each other send before
    /// anything is acknowledged.
    fn together(&self) -> f64 {
        let windows = self.flows[..self.lasting()].iter().map(|flow| {
            let size = flow.tcp.packet.get() as f64 * 8.0;
            let first = holds(&self.links[flow.route[0]], size);
            let share = (2.0 * self.round_trip(flow).secs() / spread(flow)).min(1.0);
            share * f64::from(flow.tcp.initial_window).min(window(flow)).min(first)
        });
        windows.sum()
    }

    /// Packets of background traffic above the rate of a link that no limit drops.
    fn excess(&self) -> f64 {
        let mut offered = vec![0.0; self.links.len()];
        let mut sizes = vec![0.0_f64; self.links.len()];
        for source in &self.background {
            // what the earlier links let through
            let mut rate = source.mean_rate();
            for &l in &source.route {
                offered[l] += rate;
                sizes[l] = source.packet.get() as f64 * 8.0;
                rate = rate.min(self.links[l].rate.bits_per_sec() as f64);
            }
        }
        let links = self.links.iter().zip(offered).zip(sizes);
        let beyond = links.map(|((link, offered), size)| {
            let rate = link.rate.bits_per_sec() as f64;
            let waits = (offered - rate).max(0.0) * self.end.secs() / size.max(1.0);
            waits.min(limit(link, size))
        });
        beyond.sum()
    }

    /// The most waiting objects: those requested while others are sent.
    fn waiting(&self, web: &Web, slot: &Flow, secs: f64) -> f64 {
        let slowest = slot.route.iter().map(|&l| self.links[l].rate.bits_per_sec()).min();
        let rate = slowest.unwrap_or(1).max(1) as f64;
        let sent = web.object_size.mean() * 8.0 / rate;
        // a connection opens with one round trip, and the object takes another
        let each = sent.max(2.0 * self.round_trip(slot).secs() / web.connections.max(1) as f64);
        let gap = web.object_interval.mean();
        let asked = match gap > 0.0 {
            true => web.objects.mean().min(secs / gap),
            false => web.objects.mean(),
        };
        web.sessions as f64 * asked * (1.0 - gap / each).max(0.0)
    }

    fn round_trip(&self, flow: &Flow) -> Duration {
        let links = flow.route.iter().chain(&flow.reverse);
        links.map(|&l| self.links[l].propagation()).fold(Duration::ZERO, |sum, delay| sum + delay)
    }
}

impl Trace {
    /// Number of rows recorded until the end of an experiment.
    pub fn rows(&self, end: Time) -> u64 {
        self.interval.map_or(0, |interval| end.nanos() / interval.nanos().max(1) + 1)
    }
}

/// Packets for which a link is the most loaded one.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    /// The size to which it lets windows grow.
    most: f64,
    /// What its flows have to send, all at once.
    own: f64,
    /// The same, each weighted with its shortest duration.
    at_a_time: f64,
    /// The share of its rate that they request while they start.
    asked: f64,
}

impl Inside {
    fn packets(&self) -> f64 {
        // when it is nearly full, flows pile up
        let own = if self.asked < 0.8 { self.at_a_time } else { self.own };
        self.most.min(own)
    }
}

/// Whether a limit in packets is not all that decides what happens to a packet.
fn decides(link: &Link) -> bool {
    let nothing = link.loss.values().all(|loss| loss == Loss::NONE)
        && link.jitter.values().all(|jitter| jitter.is_none());
    let policy = link.queue.policy(link.rate);
    !(nothing && link.is_steady() && link.delay.is_fixed())
        || matches!(link.queue.limit, Limit::Bytes(_))
        || !matches!(policy, Policy::DropTail(_))
}

/// Seconds within which a flow starts, at least a nanosecond.
fn spread(flow: &Flow) -> f64 {
    match flow.start {
        Start::At(_) => 1e-9,
        Start::Uniform(from, to) => to.since(from).secs().max(1e-9),
    }
}

/// The fraction of the starting period for which a flow of known size exists: a few
/// round trips, twice as long as without a queue.
fn at_a_time(flow: &Flow, rtt: f64) -> f64 {
    let Some(size) = flow.size else { return 1.0 };
    let doublings = segments(flow, size.get()) as f64 / f64::from(flow.tcp.initial_window.max(1));
    let rounds = 2.0 + doublings.max(1.0).log2();
    (2.0 * rounds * rtt / spread(flow)).min(1.0)
}

/// Whether its controller gets delivery-rate samples.
fn samples(flow: &Flow) -> bool {
    flow.controller().needs(Need::RateSamples)
}

/// Converts bytes of payload to segments.
fn segments(flow: &Flow, bytes: u64) -> u64 {
    bytes.div_ceil(flow.tcp.payload().get().max(1))
}

/// The largest window that a flow and its buffers allow.
fn window(flow: &Flow) -> f64 {
    let limits = flow
        .tcp
        .largest_window()
        .into_iter()
        .chain(flow.size)
        .map(|bytes| segments(flow, bytes.get()));
    limits.min().map_or(f64::INFINITY, |segments| segments as f64)
}

/// How many packets of this many bits a link can hold: on the wire, and in its
/// queue.
fn holds(link: &Link, size: f64) -> f64 {
    link.rate.bits_per_sec() as f64 * link.longest_delay().secs() / size + limit(link, size)
}

/// A queue's limit in packets of this many bits.
fn limit(link: &Link, size: f64) -> f64 {
    match link.queue.limit {
        Limit::Packets(n) | Limit::Backpressure(n) => n as f64,
        Limit::Bytes(n) => n as f64 * 8.0 / size,
        Limit::Unlimited => f64::INFINITY,
    }
}

fn bytes(things: f64, each: u64) -> u64 {
    // what overflows the number is too much for any machine
    (things * each as f64) as u64
}
