//! A flow at its sender: the sender, its host, and its counters.

mod connections;

use tusker_core::congestion::Modes;
use tusker_core::queue::Header;
use tusker_core::{Bytes, Duration, Time};
use tusker_path::Schedule;
use tusker_plan::fairness;
use tusker_plan::plan::{self, Limit, Plan};
use tusker_plan::run::{self, BATCHES};
use tusker_plan::sources::App;

pub(crate) use self::connections::Slot;
use crate::measure::Cuts;
use crate::net::{End, Net, hears_routers};
use crate::packet::flag;
use crate::round_trips::RoundTrips;
use crate::tcp::{Counters, Job, Sender};

/// The sending side of one flow.
#[derive(Debug)]
pub(crate) struct FlowState {
    pub(crate) sender: Sender,
    pub(crate) start: Time,
    pub(crate) finished: Option<Time>,
    pub(crate) size: u16,
    /// ECN flags of its packets: ECT(0) or ECT(1), if any.
    pub(crate) ecn: u8,
    /// There is more to do than sending segments.
    careful: bool,
    /// ACKs in order take the short way.
    short: bool,
    /// Segments carry headers for routers.
    hears_routers: bool,
    /// The host's own queue, if senders wait for room in it: link, packets.
    gate: Option<(usize, usize)>,
    /// When there is room again.
    gate_at: Time,
    /// It does not always have data to send.
    sized: bool,
    pub(crate) round_trips: RoundTrips,
    pub(crate) cuts: Cuts<(Counters, Option<Modes>)>,
    /// Connections follow one another.
    pub(crate) slot: Option<Box<Slot>>,
    /// Supplies it with data at intervals.
    app: Option<Box<App>>,
    payload: Bytes,
}

impl FlowState {
    /// Its counters are copied where the window begins and ends. Without `short` no ACK takes a
    /// short way.
    pub(crate) fn new(
        plan: &Plan,
        flow: &plan::Flow,
        seed: u64,
        window: &Schedule,
        short: bool,
    ) -> Self {
        let payload = flow.tcp.payload().get();
        let lasting = flow.application.map(|a| plan.applications[a].as_str());
        let job = Job {
            segments: match (lasting, flow.size) {
                // nothing has been requested in a slot yet
                (None, _) => 0,
                (_, Some(bytes)) => bytes.get().div_ceil(payload),
                (_, None) => u64::MAX,
            },
            stop: flow.stop.unwrap_or(Time::NEVER),
        };
        let first = flow.route[0];
        let gate = match plan.links[first].queue.limit {
            Limit::Backpressure(packets) => Some((first, packets as usize)),
            _ => None,
        };
        // parallel connections start together
        let start = flow.start.time(seed, lasting.unwrap_or(&flow.name));
        let app = App::new(flow, start, seed).map(Box::new);
        let sender = Sender::new(flow.controller(), flow.tcp, job).with_short_ways(short);
        Self {
            sender: if app.is_some() { sender.for_application() } else { sender },
            start,
            finished: lasting.is_none().then_some(Time::ZERO),
            size: flow.tcp.packet.get() as u16,
            ecn: ect(flow.tcp.ecn),
            careful: hears_routers(flow) || app.is_some(),
            short,
            hears_routers: hears_routers(flow),
            gate,
            gate_at: Time::NEVER,
            sized: flow.size.is_some() || flow.app.is_some(),
            round_trips: RoundTrips::new(Duration::from_secs(fairness::base_rtt(plan, flow))),
            cuts: Cuts::new(window.boundaries().clone()),
            slot: None,
            app,
            payload: flow.tcp.payload(),
        }
    }

    /// See [`Net::warm_up`].
    #[inline(always)]
    pub(crate) fn warm(&self) -> u64 {
        self.sender.warm()
            ^ self.cuts.next().nanos()
            ^ self.round_trips.warm()
            ^ u64::from(self.size)
    }

    /// Sends what the sender may send and its host accepts.
    #[inline(always)]
    pub(crate) fn pump(&mut self, net: &mut Net, flow: usize, now: Time) {
        let mut sent = 0;
        if self.careful {
            self.write(now);
        }
        loop {
            if self.gate.is_some() && !self.has_room(net, now) {
                break;
            }
            let Some(segment) = self.sender.next_segment(now) else { break };
            sent += 1;
            if self.careful
                && let Some(header) = self.header()
            {
                net.send_with(flow, segment, now, self.size, self.ecn, header);
                continue;
            }
            net.send(flow, segment, now, self.size, self.ecn);
        }
        if sent > 1 {
            net.work.add(sent - 1);
        }
        let due = self.sender.timer().min(self.gate_at);
        net.processes.advance_timer(flow, due);
        if self.careful {
            self.tell(net, flow, now);
        }
    }

    /// Whether there is nothing else to do at an ACK than sending segments, and short ways are
    /// taken.
    pub(crate) fn only_sends(&self) -> bool {
        self.short && !self.careful && self.gate.is_none()
    }

    /// If the timer that fires now was postponed and would change nothing: when it is due. Most
    /// are, and with thousands of flows the rest of the state is not in the cache.
    pub(crate) fn postponed_timer(&self, now: Time) -> Option<Time> {
        (self.only_sends() && self.sender.sleeps(now)).then(|| self.sender.timer())
    }

    /// The application writes what is due.
    #[inline(never)]
    fn write(&mut self, now: Time) {
        let Some(app) = &mut self.app else { return };
        while app.next() <= now {
            let segments = app.write().div_ceil(self.payload.get().max(1));
            self.sender.write(segments, now);
        }
    }

    /// The sender is observed from now on.
    pub(crate) fn observe(&mut self) {
        self.careful = true;
        self.sender.take_lost();
    }

    #[cold]
    #[inline(never)]
    fn tell(&mut self, net: &mut Net, flow: usize, now: Time) {
        if let Some(app) = &self.app {
            self.sender.settle_usage(now);
            net.processes.advance_timer(flow, app.next());
        }
        if let Some(senders) = &mut net.senders {
            senders.look(flow, &mut self.sender, self.payload, now);
        }
    }

    #[inline(never)]
    fn header(&self) -> Option<Header> {
        if !self.hears_routers {
            return None;
        }
        self.sender.cc().router_assisted().map(|cc| cc.header(self.sender.srtt()))
    }

    #[inline(always)]
    fn has_room(&mut self, net: &mut Net, now: Time) -> bool {
        let Some((link, room)) = self.gate else { return true };
        let at = net.hops[link].room_at(now, room);
        self.gate_at = if at > now { at } else { Time::NEVER };
        at <= now
    }

    /// `window` has the boundaries of batches, `steps` those of steps, if steps are
    /// counted.
    pub(crate) fn finish(
        self,
        end: End,
        waiting: u64,
        window: &[Time],
        steps: &[Time],
    ) -> run::Flow {
        let (total, modes) = totals(&self.sender);
        let marks = self.cuts.finish(&(total, modes));
        let ((from, modes_from), (to, modes_to)) = (marks[0], marks[1]);
        // a slot starts again with each connection
        let lasting = self.slot.is_none();
        let modes = modes_to.zip(modes_from).filter(|_| lasting);
        let modes = modes.map(|(to, from)| to.since(&from));
        // connections that come and go are not counted in steps
        let steps = if lasting && !self.sized { steps } else { &[] };
        let [arrivals, steps] = end.cuts.finish_at(&end.arrivals, [window, steps]);
        let steps = steps.windows(2).map(|two| two[1].delivered - two[0].delivered);
        let batches = std::array::from_fn(|i| arrivals[i + 1].delivered - arrivals[i].delivered);
        let (rtt, queueing) = self.round_trips.finish();
        let min_rtt = self.sender.min_rtt();
        let (finished, min_rtt) = match &self.slot {
            // over all its connections; no single one is the flow
            Some(slot) => (None, slot.min_rtt.into_iter().chain(min_rtt).min()),
            None => (self.finished, min_rtt),
        };
        run::Flow {
            start: self.start,
            finished,
            arrived: arrivals[BATCHES].arrived - arrivals[0].arrived,
            opened: u64::from(arrivals[BATCHES].opened - arrivals[0].opened),
            delivered: arrivals[BATCHES].delivered - arrivals[0].delivered,
            batches,
            steps: steps.collect(),
            sent: to.sent - from.sent,
            retransmitted: to.retransmitted - from.retransmitted,
            episodes: to.episodes - from.episodes,
            timeouts: to.timeouts - from.timeouts,
            undone: Some(to.undone - from.undone),
            marked: u64::from(arrivals[BATCHES].marked.wrapping_sub(arrivals[0].marked)),
            reordered: Some(u64::from(
                arrivals[BATCHES].reordered.wrapping_sub(arrivals[0].reordered),
            )),
            extent: arrivals[BATCHES].extent - arrivals[0].extent,
            // no single connection in a slot is the flow
            modes,
            dropped: end.dropped,
            rtt,
            queueing,
            min_rtt,
            total: run::Totals {
                sent: total.sent,
                arrived: end.arrivals.arrived,
                dropped: end.dropped_total,
                in_flight: waiting + end.late,
                delivered: end.arrivals.delivered,
            },
        }
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.sender.cc().cwnd()
    }
}

/// The flags that mark a flow's packets as ECN-capable, with their codepoint.
pub(crate) fn ect(ecn: plan::Ecn) -> u8 {
    match ecn {
        plan::Ecn::Off => 0,
        plan::Ecn::Classic | plan::Ecn::Accurate => flag::ECT,
        plan::Ecn::L4s => flag::ECT | flag::ECT1,
    }
}

/// A sender's counters.
pub(crate) fn totals(sender: &Sender) -> (Counters, Option<Modes>) {
    (*sender.counters(), sender.cc().modes())
}

/// Laws with modes choose between them by the bandwidth-delay product of their flow.
pub(crate) fn watch(plan: &Plan, flows: &mut [FlowState]) {
    if flows.iter().all(|flow| flow.sender.cc().modes().is_none()) {
        return;
    }
    for ((state, flow), fair) in flows.iter_mut().zip(&plan.flows).zip(fairness::max_min(plan)) {
        state.sender.watch(fairness::bdp(plan, flow, fair));
    }
}
