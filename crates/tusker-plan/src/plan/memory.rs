//! How much memory a run of a plan is expected to take: in one place, for
//! whoever wants to know it before, and for executors that hold themselves to it.
//!
//! What is expected is what surely comes: each flow and link, the packets that a
//! path and its queues hold, what background traffic sends beyond the rate of a
//! link without a limit, objects that are asked for faster than they are sent,
//! values over time. How far a window grows where nothing limits it is not known
//! before.

use tusker_core::congestion::Controller;
use tusker_core::queue::Aqm;
use tusker_core::{Duration, Time};

use super::{Demand, Flow, Limit, Link, Plan, Trace, Web};
use crate::budget::Memory;

/// A flow with both ends, its statistics and its names. 20,000 of them with their
/// 80,000 links took 340 MB, this and the next say 380.
const FLOW: u64 = 9_000;
/// The program, and what a run may need until it is looked at for the first time.
const BASE: u64 = 16_000_000;
/// A link with its queue and its meter.
const LINK: u64 = 2_500;
/// A background source.
const SOURCE: u64 = 2_000;
/// A packet that waits or is under way: itself, its departures, what its sender
/// knows of it, and the room that is free in between.
const PACKET: u64 = 160;
/// A transfer that began, with the room for more.
const TRANSFER: u64 = 112;
/// An object that waits, with the room for more.
const OBJECT: u64 = 48;

impl Plan {
    /// What one run is expected to take.
    pub fn memory(&self) -> Memory {
        let count = |things: usize, each: u64| things as u64 * each;
        let mut memory = Memory {
            setup: BASE
                + count(self.flows.len(), FLOW)
                + count(self.links.len(), LINK)
                + count(self.background.len(), SOURCE),
            trace: self.traced().saturating_mul(size_of::<f64>() as u64),
            ..Memory::default()
        };
        memory.packets = bytes(self.packets(), PACKET);
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

    /// Values that are recorded over time, with their times.
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
            // the queue; FQ-CoDel tells three values that are not the policy's
            let mut values = 0;
            link.queue.policy(link.rate).inspect(&mut |_, _| values += 1);
            columns += 1 + values.max(3);
        }
        match self.trace.interval {
            Some(_) => self.trace.rows(self.end).saturating_mul(columns),
            None => 0,
        }
    }

    /// Packets under way and in queues, at the fullest.
    fn packets(&self) -> f64 {
        let mut inside = vec![0.0_f64; self.links.len()];
        for flow in &self.flows {
            let size = flow.tcp.packet.get() as f64 * 8.0;
            let rtt = self.round_trip(flow).secs();
            for &l in &flow.route {
                // what the path and as much again hold is what a window needs
                let link = &self.links[l];
                let full = link.rate.bits_per_sec() as f64 * (link.delay.secs() + rtt) / size;
                inside[l] = inside[l].max(full.min(holds(link, size, rtt)));
            }
        }
        let mut packets: f64 = self.shared(&inside);
        // all at once, before anything is acknowledged
        let windows = self.flows[..self.lasting()].iter().map(|flow| {
            let size = flow.tcp.packet.get() as f64 * 8.0;
            let sized = flow.size.map_or(f64::INFINITY, |size| {
                size.get().div_ceil(flow.tcp.payload().get().max(1)) as f64
            });
            let first = holds(&self.links[flow.route[0]], size, 0.0);
            f64::from(flow.tcp.initial_window).min(sized).min(first)
        });
        packets = packets.max(windows.sum());
        packets + self.excess()
    }

    /// Packets that windows keep in the links: not more than the windows of all
    /// flows that the slowest link of each allows.
    fn shared(&self, inside: &[f64]) -> f64 {
        let slowest = |flow: &Flow| {
            let links = flow.route.iter().copied();
            links.min_by_key(|&l| self.links[l].rate).unwrap_or_default()
        };
        let mut used = vec![false; self.links.len()];
        self.flows.iter().for_each(|flow| used[slowest(flow)] = true);
        inside.iter().zip(used).filter(|(_, used)| *used).map(|(packets, _)| packets).sum()
    }

    /// Packets that background traffic sends beyond the rate of a link and that no
    /// limit drops.
    fn excess(&self) -> f64 {
        let mut offered = vec![0.0; self.links.len()];
        let mut sizes = vec![0.0_f64; self.links.len()];
        for source in &self.background {
            // what the links before let through
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

    /// Objects that wait at most: those that are asked for while others are sent.
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
        links.map(|&l| self.links[l].delay).fold(Duration::ZERO, |sum, delay| sum + delay)
    }
}

impl Trace {
    /// How many rows are recorded until the end of an experiment.
    pub fn rows(&self, end: Time) -> u64 {
        self.interval.map_or(0, |interval| end.nanos() / interval.nanos().max(1) + 1)
    }
}

/// What a link can hold of packets of so many bits: on the wire, and in its queue.
fn holds(link: &Link, size: f64, rtt: f64) -> f64 {
    link.rate.bits_per_sec() as f64 * (link.delay.secs() + rtt) / size + limit(link, size)
}

/// A queue's limit in packets of so many bits.
fn limit(link: &Link, size: f64) -> f64 {
    match link.queue.limit {
        Limit::Packets(n) | Limit::Backpressure(n) => n as f64,
        Limit::Bytes(n) => n as f64 * 8.0 / size,
        Limit::Unlimited => f64::INFINITY,
    }
}

fn bytes(things: f64, each: u64) -> u64 {
    // what is too much for the number is too much for any machine
    (things * each as f64) as u64
}
