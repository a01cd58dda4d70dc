//! A completely specified scenario: every default filled in, every name resolved to
//! an index, every route known. This is all that executors get.

mod app;
mod host_time;
mod traffic;

pub use app::{App, Gap};
pub use host_time::HostTime;
pub use traffic::{Demand, Distribution, Traffic, Web};

use std::sync::Arc;

use tusker_core::congestion::{self, SlowStart};
use tusker_core::params::Need;
use tusker_core::wire::{self, Loss, Spread};
use tusker_core::{Bytes, Duration, Rate, Time, queue};
pub use tusker_path::{Limit, Outages, Step, Varying};
use tusker_path::{Setup, Wire, nanobits};

use crate::streams;

/// A whole experiment, ready to be executed with any seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Node names.
    pub nodes: Vec<String>,
    /// Links, one per direction.
    pub links: Vec<Link>,
    /// Names of the flow groups.
    pub groups: Vec<String>,
    /// TCP flows: first those that exist all the time, then the slots of
    /// connections that come and go.
    pub flows: Vec<Flow>,
    /// Names of the application flows, in the order of their first connections.
    pub applications: Vec<String>,
    /// Connections that come and go, in the order of their slots.
    pub traffic: Vec<Traffic>,
    /// Traffic without congestion control.
    pub background: Vec<Background>,
    /// When the experiment ends.
    pub end: Time,
    /// The measuring window begins here ...
    pub measure_from: Time,
    /// ... and ends here.
    pub measure_to: Time,
    /// How long hosts take before they act.
    pub host_time: HostTime,
    /// What to record over time.
    pub trace: Trace,
}

impl Plan {
    /// Number of flows that exist all the time; slots come after them.
    pub fn lasting(&self) -> usize {
        self.traffic.first().map_or(self.flows.len(), |traffic| traffic.slots.start)
    }

    /// The nodes at both ends of a route: where its packets come from, and where they go.
    pub fn ends(&self, route: &[usize]) -> (usize, usize) {
        let from = route.first().map_or(0, |&link| self.links[link].from);
        (from, route.last().map_or(0, |&link| self.links[link].to))
    }

    /// For each link, whether its results are given by batch: at links that the data of several
    /// flows or background sources crosses, or if there are none, at all.
    pub fn batched(&self) -> Vec<bool> {
        let routes = self.flows.iter().flat_map(Flow::routes);
        let mut crossing = vec![0_u32; self.links.len()];
        for &link in routes.chain(self.background.iter().map(|source| &source.route)).flatten() {
            crossing[link] += 1;
        }
        let changes = self.flows.iter().any(|flow| !flow.reroutes.is_empty());
        // connections that come and go on one link are not several, nor are routes of one flow
        let all = !self.traffic.is_empty() || changes || crossing.iter().all(|&all| all < 2);
        crossing.into_iter().map(|crossing| all || crossing > 1).collect()
    }

    /// The latest end that an executor can represent: it packs a time and the
    /// number of an event into one 64-bit word. Years for tens of flows, hours for
    /// tens of thousands.
    pub fn horizon(&self) -> Time {
        let others = self.background.len() + self.traffic.len() + 1;
        let mut sources = self.links.len() + 2 * self.flows.len() + others;
        // links served by events, endpoints waiting for the next packet, hosts
        // waiting to act
        sources += self.links.iter().filter(|link| link.queue.acts_at_departure()).count();
        let rerouted = self.flows.iter().filter(|flow| !flow.reroutes.is_empty());
        sources += rerouted.map(|flow| 4 + 2 * flow.reroutes.len()).sum::<usize>();
        if self.links.iter().any(Link::reorders) {
            sources += 2 * self.flows.len() + self.background.len();
        }
        let bits = sources.max(64).next_power_of_two().trailing_zeros();
        Time::from_nanos((u64::MAX >> bits) - 1)
    }
}

/// One direction of a link: a queue, a wire, a delay.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name, unique in the plan: `R1->R2`.
    pub name: String,
    /// Index of the node that sends into it.
    pub from: usize,
    /// Index of the node at its end.
    pub to: usize,
    /// Rate of the wire. If it changes: the nominal rate, on which the policy and
    /// the queue's limit are based. That is the first of several steps, or the mean
    /// of a trace.
    pub rate: Rate,
    /// How the rate changes.
    pub pace: Pace,
    /// When it is down; not with a trace.
    pub outages: Option<Outages>,
    /// Propagation delay.
    pub delay: Varying<Duration>,
    /// The queue before the wire; the links of many hosts share it.
    pub queue: Arc<Queue>,
    /// How packets are lost on the wire.
    pub loss: Varying<Loss>,
    /// How packets are delayed in addition to the propagation delay.
    pub jitter: Varying<Option<Spread>>,
    /// Whether packets may overtake each other, if the delay falls or with jitter.
    pub reorder: bool,
}

/// How the rate of a wire changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// It is constant.
    Fixed,
    /// It changes at given times; the first rate is above zero.
    Steps(Varying<Rate>),
    /// Opportunities to send, from a file.
    Trace {
        /// Name of the file.
        name: String,
        /// See [`wire::opportunities`].
        opportunities: Arc<[u32]>,
    },
}

impl Link {
    /// Whether what it can carry in a second never changes.
    pub fn is_steady(&self) -> bool {
        self.pace == Pace::Fixed && self.outages.is_none()
    }

    /// Its rates, unless it has a trace.
    pub fn rates(&self) -> Option<Varying<Rate>> {
        match &self.pace {
            Pace::Fixed => Some(self.rate.into()),
            Pace::Steps(rates) => Some(rates.clone()),
            Pace::Trace { .. } => None,
        }
    }

    /// Bits that the wire can carry between two times: an opportunity of a trace at
    /// the first time counts, one at the second does not.
    pub fn capacity(&self, from: Time, to: Time) -> f64 {
        match &self.pace {
            Pace::Fixed if self.outages.is_none() => {
                self.rate.bits_per_sec() as f64 * to.since(from).secs()
            }
            Pace::Trace { opportunities, .. } => {
                let count = |time| wire::opportunities_before(opportunities, time);
                ((count(to) - count(from)) * wire::OPPORTUNITY.get() * 8) as f64
            }
            Pace::Fixed | Pace::Steps(_) => {
                let rates = self.rates().unwrap_or_else(|| self.rate.into());
                nanobits(&rates, self.outages.as_ref(), from, to) as f64 * 1e-9
            }
        }
    }

    /// Its propagation delay; the shortest if it changes.
    pub fn propagation(&self) -> Duration {
        self.delay.values().min().unwrap_or_default()
    }

    /// The longest time that a packet takes behind the wire.
    pub fn longest_delay(&self) -> Duration {
        let jitter = self.jitter.values().flatten().map(Spread::most).max().unwrap_or_default();
        self.delay.values().max().unwrap_or_default() + jitter
    }

    /// The mean of its loss between two times.
    pub fn mean_loss(&self, from: Time, to: Time) -> f64 {
        self.loss.mean(from, to, |loss| loss.mean())
    }

    /// The shortest time from when a packet is offered to when it is at the other
    /// end.
    pub fn shortest(&self, size: Bytes) -> Duration {
        let fastest = self.rates().and_then(|rates| rates.values().max());
        fastest.map_or(Duration::ZERO, |rate| rate.time_for(size)) + self.propagation()
    }

    /// What an executor makes the link from, with its random streams. The backlog and the
    /// waits of packets are counted.
    pub fn setup(&self, seed: u64) -> Setup {
        Setup {
            wire: match (&self.pace, self.rates()) {
                (Pace::Trace { opportunities, .. }, _) => {
                    Wire::trace(opportunities.clone(), self.rate)
                }
                (_, Some(rates)) if !self.is_steady() => {
                    Wire::steps(rates, self.outages.clone(), self.rate)
                }
                _ => Wire::fixed(self.rate),
            },
            delay: self.delay.clone(),
            limit: self.queue.limit,
            policy: self.queue.policy(self.rate),
            ecn: self.queue.ecn,
            loss: self.loss.clone(),
            jitter: self.jitter.clone(),
            reorder: self.reorders(),
            policy_rng: streams::policy(seed, &self.name),
            loss_rng: streams::loss(seed, &self.name),
            jitter_rng: streams::jitter(seed, &self.name),
            observed: true,
            sampled: true,
            waits: true,
        }
    }

    /// Whether packets may overtake each other here.
    pub fn reorders(&self) -> bool {
        let jitter = self.jitter.values().any(|jitter| jitter.is_some());
        self.reorder && (jitter || !self.delay.is_fixed())
    }
}

/// A queue: its limit and the policy that decides below the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// The policy with its parameters.
    pub policy: queue::Spec,
    /// Packets with thresholds of their own, if the policy has such classes.
    pub classes: Vec<queue::Class>,
    /// Its limit, which includes the packet in transmission.
    pub limit: Limit,
    /// Mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Mean packet size given to the policy.
    pub mean_packet: Bytes,
}

impl Queue {
    /// The policy, set up for a link of this rate.
    pub fn policy(&self, rate: Rate) -> queue::Policy {
        let link = queue::Link { rate, mean_packet: self.mean_packet };
        let mut policy = queue::Policy::new(&self.policy, &link);
        policy.classify(&self.classes);
        policy
    }

    /// What its token bucket lets pass in the long term, in bit/s; infinite without one.
    pub fn token_rate(&self) -> f64 {
        let bucket = self.policy.value("burst").and(self.policy.value("rate"));
        bucket.filter(|&rate| rate > 0.0).unwrap_or(f64::INFINITY)
    }

    /// Whether its policy decides at departure, so that it must store its packets.
    pub fn acts_at_departure(&self) -> bool {
        self.policy.needs(Need::Departures)
    }
}

/// One TCP connection with data in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name, unique in the plan: `S1.0`.
    pub name: String,
    /// Index of its group.
    pub group: usize,
    /// Index of its application flow; parallel connections share one. `None` for
    /// the slots of connections that come and go.
    pub application: Option<usize>,
    /// Indices of the links from sender to receiver, in order.
    pub route: Vec<usize>,
    /// Indices of the links from receiver to sender, in order.
    pub reverse: Vec<usize>,
    /// The routes that it changes to, in the order of time.
    pub reroutes: Vec<Reroute>,
    /// Congestion control with its parameters.
    pub cc: congestion::Spec,
    /// Everything else about the endpoint.
    pub tcp: Tcp,
    /// When it starts.
    pub start: Start,
    /// When it stops sending new data.
    pub stop: Option<Time>,
    /// How much payload it sends; unlimited if `None`.
    pub size: Option<Bytes>,
    /// The application that gives it data to send; if `None` there is always more
    /// data.
    pub app: Option<Box<App>>,
}

/// Another route of a flow. Packets that are under way stay on theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reroute {
    /// What leaves the sender from this time on, and every ACK from then on, takes it.
    pub at: Time,
    /// From sender to receiver.
    pub route: Vec<usize>,
    /// From receiver to sender.
    pub reverse: Vec<usize>,
}

impl Flow {
    /// All routes of its data.
    pub fn routes(&self) -> impl Iterator<Item = &Vec<usize>> + Clone {
        std::iter::once(&self.route).chain(self.reroutes.iter().map(|other| &other.route))
    }

    /// All routes of its ACKs.
    pub fn reverses(&self) -> impl Iterator<Item = &Vec<usize>> + Clone {
        std::iter::once(&self.reverse).chain(self.reroutes.iter().map(|other| &other.reverse))
    }

    /// The congestion control, set up for this flow.
    pub fn controller(&self) -> congestion::Algorithm {
        self.controller_from(self.tcp.initial_window)
    }

    /// The same with another initial window, in segments.
    pub fn controller_from(&self, initial_window: u32) -> congestion::Algorithm {
        let options = congestion::Options {
            initial_window: f64::from(initial_window),
            initial_ssthresh: self.tcp.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            max_window: f64::INFINITY,
            slow_start: self.tcp.slow_start,
            whole_ssthresh: self.tcp.ns2_details,
            pacing: self.tcp.pacing.then(|| self.tcp.segment()),
        };
        congestion::Algorithm::new(&self.cc, &options)
    }
}

/// When something starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this time.
    At(Time),
    /// At a time drawn uniformly from this range, for each seed separately.
    Uniform(Time, Time),
}

impl Start {
    /// The time, or one drawn for this seed and name: the same for all executors.
    pub fn time(self, seed: u64, name: &str) -> Time {
        match self {
            Self::At(at) => at,
            Self::Uniform(from, to) => {
                let mut rng = streams::start(seed, name);
                Time::from_nanos(rng.range(from.nanos() as f64, to.nanos() as f64) as u64)
            }
        }
    }
}

/// How losses are detected and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// RFC 5681 fast retransmit and fast recovery; the first ACK of new data
    /// ends recovery.
    Reno,
    /// RFC 6582: a partial ACK retransmits the next hole.
    NewReno,
    /// RFC 2018 and 6675.
    Sack,
    /// RFC 8985: losses are detected by time, with tail loss probes.
    RackTlp,
}

/// What a congestion window counts (RFC 3465).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Every ACK of new data counts one, however much it acknowledges.
    Acks,
    /// Every segment acknowledged counts one, up to this many per ACK in slow
    /// start (L of RFC 3465).
    Segments(u32),
    /// Every segment acknowledged counts one in slow start, and every ACK one in
    /// congestion avoidance, as in Linux's HighSpeed TCP.
    SegmentsThenAcks,
}

/// What happens to a window that the application does not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterIdle {
    /// It is kept.
    #[default]
    Keep,
    /// RFC 5681, section 4.1: if nothing was sent for longer than the
    /// retransmission timeout, it is reduced to at most the initial window.
    Restart,
    /// RFC 2861, as in Linux: it is halved for every timeout without sending, and
    /// moves halfway down to what was used otherwise.
    Halve,
}

/// Explicit congestion notification, and how the receiver reports marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Packets cannot be marked.
    #[default]
    Off,
    /// RFC 3168: ECE from the first mark until the sender has reduced its window.
    Classic,
    /// AccECN (RFC 9768): the receiver counts marked packets and reports the count.
    Accurate,
    /// The same with ECT(1) packets: L4S (RFC 9331).
    L4s,
}

impl Ecn {
    /// Whether packets can be marked.
    #[inline]
    pub fn is_on(self) -> bool {
        self != Self::Off
    }

    /// Whether the echo counts marks.
    #[inline]
    pub fn is_accurate(self) -> bool {
        matches!(self, Self::Accurate | Self::L4s)
    }
}

/// How a host merges the segments of a connection that arrive in order (generic receive offload),
/// so that they are acknowledged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gro {
    /// At most so many.
    pub segments: u32,
    /// The first waits at most so long: that of the interrupt.
    pub wait: Duration,
}

/// A TCP endpoint, without its congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tcp {
    /// Loss recovery.
    pub recovery: Recovery,
    /// Proportional rate reduction (RFC 9937) instead of an immediate cut;
    /// needs SACK or RACK.
    pub prr: bool,
    /// Send new data on the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// RFC 6582, section 4: restart the retransmission timer only at the first
    /// partial ACK ("impatient") instead of at each.
    pub impatient: bool,
    /// Do as ns-2.35's agents do where they differ from the RFCs in recovery,
    /// growth and timers.
    pub ns2_details: bool,
    /// Do as Linux does where it differs from the RFCs in RTT samples, timers, ACKs and
    /// the use of windows; needs RACK.
    pub linux_details: bool,
    /// Send bursts as Linux's segmentation does.
    pub segmentation: bool,
    /// Forget SACK information after a timeout (RFC 2018, section 8).
    pub forget_sack_on_timeout: bool,
    /// How many segments from SND.UNA on the sender's scoreboard covers: what SACK
    /// reports beyond them is ignored; none is no limit.
    pub scoreboard: Option<u32>,
    /// The most segments that an ACK or a timer releases; none is no limit.
    pub max_burst: Option<u32>,
    /// Undo spurious recoveries, detected by timestamps (RFC 3522) or by the
    /// receiver's reports of duplicates (RFC 3708).
    pub undo: bool,
    /// After a timeout send new data to find out whether it was spurious (RFC
    /// 5682).
    pub frto: bool,
    /// What happens to a window that the application did not use.
    pub after_idle: AfterIdle,
    /// Delay ACKs (RFC 1122, 5681): at most this long and one segment.
    pub delayed_ack: Option<Duration>,
    /// The receiver's host merges segments before TCP sees them (GRO).
    pub gro: Option<Gro>,
    /// Segments before the first ACK (RFC 6928 allows 10).
    pub initial_window: u32,
    /// Slow-start threshold at the start, in segments; `None` is infinite.
    pub initial_ssthresh: Option<u32>,
    /// Below ssthresh.
    pub slow_start: SlowStart,
    /// What the window counts.
    pub counting: Counting,
    /// RFC 7323 timestamps: an RTT sample per ACK, a forward one-way delay,
    /// 12 bytes in every header.
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Ecn,
    /// Pace segments.
    pub pacing: bool,
    /// The DSCP of its data packets (RFC 2474), 0 to 63; that of ACKs is 0.
    pub dscp: u8,
    /// RTO before the first sample (RFC 6298: 1 s).
    pub initial_rto: Duration,
    /// Lower bound of the RTO.
    pub min_rto: Duration,
    /// Upper bound of the RTO.
    pub max_rto: Duration,
    /// Clock granularity G of RFC 6298.
    pub granularity: Duration,
    /// Segments that a packet stands for: 1, or more to simulate a fast path in fewer steps.
    pub segments_per_packet: u32,
    /// A full data packet on the wire, headers and all.
    pub packet: Bytes,
    /// Its headers: `packet - header` is payload.
    pub header: Bytes,
    /// An ACK on the wire, without SACK blocks.
    pub ack: Bytes,
    /// Whether an ACK grows by its SACK option (2 + 8 bytes per block, padded).
    pub sack_bytes: bool,
    /// Payload that the sender may have outstanding; `None`: no limit.
    pub send_buffer: Option<Bytes>,
    /// Payload that the receiver holds out of order; `None`: no limit.
    pub receive_buffer: Option<Bytes>,
    /// Memory up to which the receiver enlarges its buffer, as Linux does (`tcp_rmem`); `None`:
    /// it does not, and `receive_buffer` decides.
    pub rmem: Option<Bytes>,
}

impl Tcp {
    /// The simplest TCP, of RFC 5681 and RFC 6298: whoever needs another one says where it
    /// differs.
    pub const PLAIN: Self = Self {
        recovery: Recovery::Reno,
        prr: false,
        segments_per_packet: 1,
        limited_transmit: false,
        impatient: false,
        ns2_details: false,
        linux_details: false,
        segmentation: false,
        forget_sack_on_timeout: false,
        scoreboard: None,
        max_burst: None,
        undo: false,
        frto: false,
        after_idle: AfterIdle::Keep,
        delayed_ack: None,
        gro: None,
        initial_window: 1,
        initial_ssthresh: None,
        slow_start: SlowStart::Standard,
        counting: Counting::Acks,
        timestamps: false,
        ecn: Ecn::Off,
        pacing: false,
        dscp: 0,
        initial_rto: Duration::from_millis(1000),
        min_rto: Duration::from_millis(1000),
        max_rto: Duration::from_millis(60_000),
        granularity: Duration::from_millis(1),
        packet: Bytes::new(1500),
        header: Bytes::new(40),
        ack: Bytes::new(40),
        sack_bytes: false,
        send_buffer: None,
        receive_buffer: None,
        rmem: None,
    };

    /// Payload of a full segment.
    pub fn payload(&self) -> Bytes {
        self.packet - self.header
    }

    /// Payload of the largest window that the buffers allow, if they limit it. Of a buffer that
    /// Linux enlarges, half is for payload (`tcp_adv_win_scale` 1).
    pub fn largest_window(&self) -> Option<Bytes> {
        let tuned = self.rmem.map(|bytes| Bytes::new(bytes.get() / 2));
        [self.send_buffer, self.receive_buffer, tuned].into_iter().flatten().min()
    }

    /// A segment of a full packet, with its share of the headers.
    pub fn segment(&self) -> Bytes {
        Bytes::new(self.packet.get() / u64::from(self.segments_per_packet.max(1)))
    }
}

/// UDP without congestion control.
#[derive(Clone, Debug, PartialEq)]
pub struct Background {
    /// Name, unique in the plan.
    pub name: String,
    /// Indices of the links from source to sink.
    pub route: Vec<usize>,
    /// Rate while on, counted on the wire.
    pub rate: Rate,
    /// A packet on the wire.
    pub packet: Bytes,
    /// The DSCP of its packets (RFC 2474), 0 to 63.
    pub dscp: u8,
    /// When packets leave.
    pub pattern: Pattern,
    /// When it starts.
    pub start: Start,
    /// When it stops.
    pub stop: Option<Time>,
}

/// The sending pattern of a background source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// Constant rate; each gap varies by up to this fraction either way.
    Constant {
        /// 0 for none, under 1.
        jitter: f64,
    },
    /// Exponential on and off periods with these means.
    OnOff {
        /// Mean length of an on period.
        on: Duration,
        /// Mean length of an off period.
        off: Duration,
    },
    /// The same, given by its share: exponential on periods with mean `share` times
    /// `period`, and off periods with the rest as mean. It starts in the steady
    /// state, on with probability `share`; 0 is never, 1 is always.
    Vbr {
        /// From 0 to 1.
        share: f64,
        /// Mean length of an on and an off period together.
        period: Duration,
    },
}

impl Background {
    /// Long-term rate in bits per second on the wire.
    pub fn mean_rate(&self) -> f64 {
        let share = match self.pattern {
            Pattern::Constant { .. } => 1.0,
            Pattern::OnOff { on, off } => on.secs() / (on.secs() + off.secs()),
            Pattern::Vbr { share, .. } => share,
        };
        self.rate.bits_per_sec() as f64 * share
    }
}

/// What to record over time, and how often.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Time between two records; nothing is recorded if `None`, and a run in pieces may be
    /// inspected ([`Paused::inspect`](crate::executor::Paused::inspect)).
    pub interval: Option<Duration>,
    /// Whether to record cwnd, ssthresh, RTT and the controller's internal values
    /// of each flow.
    pub flows: bool,
    /// Indices of the links whose queue and policy are recorded.
    pub links: Vec<usize>,
}
