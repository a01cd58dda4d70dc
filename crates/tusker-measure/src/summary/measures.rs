//! The measures, each defined once: name, quantity (which decides its unit and its range),
//! heading, definition. The fields of `summary.json`, its schema, the columns of `--format csv`
//! and the means over replicates are all generated from these lists.
//!
//! Units are suffixes of the names: `_bps` bits per second, `_s` seconds, `_pkt`
//! packets; without a suffix it is a share of 1 or a count. Everything covers the
//! plan's measuring window unless stated otherwise. A null is a value that does not
//! exist: no RTT without an ACK, no completion time without a sized flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harm::Better;
use crate::stats::{Estimate, Over, Sample, half_width, mean, median};
use crate::table::Unit;

/// What a measure is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bits per second.
    Rate,
    /// Seconds.
    Time,
    /// A number of packets.
    Packets,
    /// A number of segments.
    Segments,
    /// A number of bytes.
    Bytes,
    /// How many.
    Count,
    /// A share of 1 that may be small.
    Probability,
    /// A share of 1, in per cent.
    Percent,
    /// The share of runs in which something was so, in per cent.
    Runs,
    /// A share of 1, as a number.
    Share,
    /// A share of a fair rate, which may be above 1.
    FairShare,
    /// The share of what one has alone that is lost; negative if one gains.
    Harm,
    /// Jain's index.
    Index,
    /// An exponent.
    Exponent,
    /// How many times longer than the shortest.
    Slowdown,
}

/// The range of a measure. No measure is ever -0, infinite or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// From 0 to 1.
    Share,
    /// Above 0, at most 1.
    Index,
    /// At least 1.
    Ratio,
    /// At least 0.
    Amount,
    /// Anything.
    Number,
}

impl Quantity {
    /// The unit in words.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rate => "bit/s",
            Self::Time => "s",
            Self::Packets => "packets",
            Self::Segments => "segments",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::Index => "index, 1/n to 1",
            Self::Exponent => "number",
            Self::Slowdown => "ratio",
            Self::Probability
            | Self::Percent
            | Self::Runs
            | Self::Share
            | Self::FairShare
            | Self::Harm => "share",
        }
    }

    /// How tables and figures show it.
    pub fn shown(self) -> Unit {
        match self {
            Self::Rate => Unit::Rate,
            Self::Time => Unit::Time,
            Self::Probability => Unit::Probability,
            Self::Percent | Self::Runs => Unit::Percent,
            Self::Bytes => Unit::Bytes,
            Self::Share | Self::FairShare | Self::Harm | Self::Index | Self::Exponent => {
                Unit::Index
            }
            Self::Packets | Self::Segments | Self::Count | Self::Slowdown => Unit::Count,
        }
    }

    /// What it can be in any run.
    pub fn range(self) -> Range {
        match self {
            Self::Probability | Self::Percent | Self::Runs | Self::Share => Range::Share,
            Self::Index => Range::Index,
            Self::Slowdown => Range::Ratio,
            Self::Exponent | Self::Harm => Range::Number,
            Self::Rate
            | Self::Time
            | Self::Packets
            | Self::Segments
            | Self::Bytes
            | Self::Count
            | Self::FairShare => Range::Amount,
        }
    }
}

/// A measure: everything that is to be known of it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name: its key in JSON, CSV, data sets and conditions.
    pub name: &'static str,
    /// What it is a number of: its unit and its range.
    pub quantity: Quantity,
    /// What columns call it.
    pub heading: &'static str,
    /// What axes and sentences call it.
    pub title: &'static str,
    /// Definition.
    pub about: &'static str,
    /// Whether more or less of it is better, if either is.
    pub better: Option<Better>,
    /// Its column in the tables of one or several experiments, if they have one: where there is
    /// not enough room, those of the highest rank are left out first.
    pub rank: Option<usize>,
    /// It has a column only where it is above 0 somewhere.
    pub is_rare: bool,
    /// The same rank in the table of a sweep, which has figures of such a measure.
    pub sweep_rank: Option<usize>,
    /// Replicates without a value are left out, and the rest is told by its median.
    pub is_median: bool,
    /// It comes from bins, and is known within so many per cent.
    pub within: Option<u8>,
    /// What is counted, where readers cannot know.
    pub counts: Option<&'static str>,
}

impl Entry {
    const fn new(
        name: &'static str,
        quantity: Quantity,
        heading: &'static str,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            quantity,
            heading,
            title: heading,
            about,
            better: None,
            rank: None,
            is_rare: false,
            sweep_rank: None,
            is_median: false,
            within: None,
            counts: None,
        }
    }

    const fn title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    const fn more(self) -> Self {
        Self { better: Some(Better::More), ..self }
    }

    const fn less(self) -> Self {
        Self { better: Some(Better::Less), ..self }
    }

    const fn column(self, rank: usize) -> Self {
        Self { rank: Some(rank), ..self }
    }

    const fn rare(self, rank: usize) -> Self {
        Self { rank: Some(rank), is_rare: true, ..self }
    }

    const fn sweep(self, rank: usize) -> Self {
        Self { sweep_rank: Some(rank), ..self }
    }

    const fn median(self) -> Self {
        Self { is_median: true, ..self }
    }

    const fn within(self, percent: u8) -> Self {
        Self { within: Some(percent), ..self }
    }

    const fn counts(self, what: &'static str) -> Self {
        Self { counts: Some(what), ..self }
    }

    /// What stands behind its values in tables, after the unit.
    pub fn suffix(&self) -> &'static str {
        if self.name.ends_with("_pkt") { " pkt" } else { "" }
    }

    /// The value over replicates that have these, and half of its 95 % interval. Student's
    /// interval is not for what is 0 or 1 in each run: 3 runs of 4 would be 0.75 +- 0.80. Nor is
    /// a mean for times of which some never ended.
    pub fn over(&self, values: &[f64]) -> Option<(f64, Option<f64>)> {
        match self.is_median {
            true => Some((median(values)?, None)),
            false if values.is_empty() => None,
            false if self.quantity == Quantity::Runs => Some((mean(values), None)),
            false => Some((mean(values), half_width(values))),
        }
    }

    fn estimate(&self, replicates: &[&Sample]) -> Option<Estimate> {
        let own = Estimate::of(replicates.iter().copied())?;
        if own.over == Over::Batches {
            return Some(own);
        }
        let values: Vec<f64> = replicates.iter().filter_map(|sample| sample.value).collect();
        self.over(&values).map(|(mean, ci95)| Estimate { mean, ci95, ..own })
    }
}

/// All measures, by what they are of.
pub const MEASURES: [&[Entry]; 6] = [
    Total::ENTRIES,
    Group::ENTRIES,
    Harm::ENTRIES,
    Transfers::ENTRIES,
    Link::ENTRIES,
    Background::ENTRIES,
];

/// The entry of a measure by its address ([`MeasureRef`](super::MeasureRef)), or by its name alone.
pub fn entry(address: &str) -> Option<&'static Entry> {
    let (kind, name) = match address.rsplit_once('.') {
        Some((owner, name)) => (owner.split('.').next().unwrap_or_default(), name),
        None => ("", address),
    };
    let lists: &[&[Entry]] = match kind {
        "groups" => &[Group::ENTRIES, Harm::ENTRIES],
        "transfers" => &[Transfers::ENTRIES],
        "links" | "bottleneck" => &[Link::ENTRIES],
        "background" => &[Background::ENTRIES],
        _ => &MEASURES,
    };
    lists.iter().copied().flatten().find(|entry| entry.name == name)
}

/// How tables and figures show a measure: by its name or its address.
pub fn unit(address: &str) -> Unit {
    entry(address).map_or(Unit::Count, |entry| entry.quantity.shown())
}

/// A struct with a field per measure, generic over the type of a value: a
/// [`Sample`] in one replicate, an estimate over all of them.
macro_rules! measures {
    ($(#[$doc:meta])* $name:ident {
        $($(#[doc = $line:literal])*
        $field:ident: $quantity:ident $heading:literal $(.$set:ident($($to:expr)?))*,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct $name<V = Option<Estimate>> {
            $($(#[doc = $line])* #[serde(default)] #[schemars(!default)] pub $field: V,)*
        }

        impl $name {
            /// Every measure, in the order of its definition.
            pub const ENTRIES: &'static [Entry] = {
                // one copy of these texts, wherever the constant is used
                static ENTRIES: [Entry; [$(stringify!($field)),*].len()] = [$(
                    Entry::new(
                        stringify!($field),
                        Quantity::$quantity,
                        $heading,
                        concat!($($line),*),
                    )
                    $(.$set($($to)?))*
                ),*];
                &ENTRIES
            };

            /// The entry of a measure.
            ///
            /// # Panics
            /// If there is none of this name.
            pub fn entry(name: &str) -> &'static Entry {
                let found = Self::ENTRIES.iter().find(|own| own.name == name);
                found.unwrap_or_else(|| panic!("there is no measure {name}"))
            }

            /// The value of a measure.
            pub fn named(&self, name: &str) -> Option<Estimate> {
                *self.iter().find(|(own, _)| *own == name)?.1
            }
        }

        impl<V> $name<V> {
            /// Every measure by name, in the order of its definition.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, &V)> {
                [$((stringify!($field), &self.$field)),*].into_iter()
            }
        }

        impl $name<Sample> {
            /// The estimates from these replicates.
            pub(super) fn over(replicates: &[&Self]) -> $name {
                let mut entries = <$name>::ENTRIES.iter();
                let mut estimate = |samples: Vec<&Sample>| entries.next()?.estimate(&samples);
                $name { $($field: estimate(replicates.iter().map(|r| &r.$field).collect()),)* }
            }
        }
    };
}

measures! {
    /// Everything together.
    Total {
        /// Bits of all data packets that arrived at the receivers per second,
        /// counted on the wire, duplicates included.
        throughput_bps: Rate "throughput".more().counts("whole packets, with headers"),
        /// Payload bits that arrived for the first time per second.
        goodput_bps: Rate "goodput".more().sweep(2).counts("payload"),
        /// Bits of background traffic that arrived per second.
        background_bps: Rate "background",
        /// Share of the bottlenecks' capacity that was used by anything on the wire:
        /// headers, ACKs and background included. With several bottlenecks, this is the sum
        /// of what they carried divided by the sum of their capacities.
        utilisation: Percent "utilisation".more().sweep(0).counts("whole packets, with headers"),
        /// Share of the bottlenecks' rate that became goodput of the flows that cross them,
        /// counted where it arrives. Null if more arrived than the bottlenecks carried in
        /// the window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation: Percent "goodput".more(),
        /// Jain's index, (sum x)^2 / (n sum x^2), over all flows, where x is a
        /// flow's throughput divided by its max-min fair rate.
        jain: Index "Jain".title("Jain's index").more().column(3).sweep(1),
        /// Jain's index over application flows: parallel connections count as one flow,
        /// in throughput and in fair rates.
        applications_jain: Index "Jain per application".title("Jain's index per application").more().column(6),
        /// Convergence time, over the whole run: from the start of the last flow to the end of
        /// the earliest time step from which rates stayed fair. Flows with a `size` or `app` are
        /// ignored. Null if rates never converged, for fewer than two flows or more than a
        /// thousand, or if the last flow started less than ten steps before the end. Over
        /// replicates, this is the median of those that converged, without an interval: `converged`
        /// says what share did.
        convergence_s: Time "convergence".title("time to converge").less().median(),
        /// 1 if rates became fair after the last flow started and stayed so, else 0. Over
        /// replicates, this is the share of replicates that have a `convergence_s`, without
        /// an interval.
        converged: Runs "converged".title("runs that converge").more(),
        /// RTT fairness: the k of goodput ~ RTT^-k among flows of one congestion control
        /// whose shortest round trips differ by at least 10 %. 0 if round trips make no
        /// difference, 1 if a flow with twice the round trip has half the goodput.
        rtt_exponent: Exponent "RTT exponent",
        /// Packets dropped at the bottlenecks' queues, per packet offered to
        /// them.
        loss_rate: Probability "loss".less().column(1).sweep(0),
        /// Packets lost on the bottlenecks' wires, after their queues, per packet
        /// that entered the wire.
        wire_loss_rate: Probability "lost on the wire".less().rare(0),
        /// Packets marked (ECN) at the bottlenecks, per packet offered to their queues.
        mark_rate: Probability "marked".rare(0),
        /// Retransmitted segments of all flows.
        retransmissions: Segments "retransmitted".less().column(7),
        /// Retransmission timeouts.
        timeouts: Count "timeouts".less().column(10),
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes: Count "episodes",
    }
}

measures! {
    /// One flow group.
    Group {
        /// Bits of the group's data packets that arrived at the receivers per
        /// second, counted on the wire, duplicates included.
        throughput_bps: Rate "throughput".more().column(0).counts("whole packets, with headers"),
        /// Payload bits that arrived for the first time per second.
        goodput_bps: Rate "goodput".more().column(6).counts("payload"),
        /// The group's throughput divided by the sum of its flows' max-min
        /// fair rates.
        fair_share: FairShare "share of fair rate".column(0),
        /// Jain's index within the group, on throughputs divided by max-min
        /// fair rates.
        jain: Index "Jain".title("Jain's index").more().column(2),
        /// The group's throughput divided by the sum of its application flows'
        /// max-min fair rates: parallel connections count as one.
        applications_fair_share: FairShare "share of fair rate per application".column(5),
        /// Jain's index within the group over application flows.
        applications_jain: Index "Jain per application".title("Jain's index per application").more().column(3),
        /// Data packets of the group that were dropped anywhere, in a queue or on a wire,
        /// per data packet that was dropped or arrived.
        loss_rate: Probability "loss".less().column(0),
        /// Data packets that arrived at the receivers marked (ECN), duplicates included.
        marked: Packets "marked".rare(10),
        /// Data packets sent, retransmissions included.
        sent: Packets "sent",
        /// Retransmissions among the data packets sent.
        retransmissions: Segments "retransmitted".less().column(8),
        /// Retransmission timeouts.
        timeouts: Count "timeouts".less().column(9),
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes: Count "episodes",
        /// Episodes and timeouts whose reduction of the window was undone because segments
        /// were only late, not lost. Unknown on the testbed.
        undone: Count "undone".rare(11),
        /// Data packets that arrived after one that left later, per data packet that arrived
        /// (the reordered ratio of RFC 4737); retransmissions do not count as reordered.
        /// Unknown on the testbed.
        reordered_ratio: Probability "reordered".rare(12),
        /// Mean reordering extent of these packets (RFC 4737, section 4.2.1): how many arrivals
        /// before it the first packet came that left later.
        reordering_extent: Packets "reordering extent",
        /// Times that flows of a congestion control with two modes (gHSTCP) changed their
        /// mode while their window was below their bandwidth-delay product (max-min fair
        /// rate times shortest round trip, in segments). A change of mode by a
        /// retransmission is not counted.
        switches_below_bdp: Count "switches below bdp",
        /// Times that flows of a congestion control with two modes (gHSTCP) changed their
        /// mode while their window was at least their bandwidth-delay product, see
        /// `switches_below_bdp`.
        switches_above_bdp: Count "switches above bdp",
        /// Of the decisions between two modes (gHSTCP: HSTCP mode and Reno mode) that flows
        /// made with a window below their bandwidth-delay product, the share that chose Reno
        /// mode, see `switches_below_bdp`.
        reno_mode_below_bdp: Percent "reno mode below bdp",
        /// Of the decisions between two modes (gHSTCP: HSTCP mode and Reno mode) that flows
        /// made with a window of at least their bandwidth-delay product, the share that chose
        /// Reno mode, see `switches_below_bdp`.
        reno_mode_above_bdp: Percent "reno mode above bdp",
        /// Mean of all RTT samples of the group.
        rtt_mean_s: Time "mean RTT".less(),
        /// 5 % quantile of all RTT samples of the group, within 2 %.
        rtt_p5_s: Time "RTT p5".less().within(2),
        /// Median of all RTT samples of the group, within 2 %.
        rtt_p50_s: Time "RTT p50".less().within(2),
        /// 95 % quantile of all RTT samples of the group, within 2 %.
        rtt_p95_s: Time "RTT p95".less().within(2),
        /// 99 % quantile of all RTT samples of the group, within 2 %.
        rtt_p99_s: Time "RTT p99".less().within(2),
        /// The smallest RTT sample, over the whole run.
        rtt_min_s: Time "smallest RTT".less(),
        /// Mean queueing delay: RTT samples of the group less the shortest round trip of their
        /// flow's path, which is propagation and transmission both ways. Jitter, delayed ACKs
        /// and the time that hosts take count, too.
        queueing_delay_mean_s: Time "queueing delay".less().column(0),
        /// Median of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s: Time "delay p50".less().within(1),
        /// 95 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s: Time "delay p95".less().column(4).within(1),
        /// 99 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s: Time "delay p99".less().within(1),
        /// Share of the group's sized application flows that finished, over the
        /// whole run.
        completed: Percent "completed".more().column(0),
        /// Time from the start of an application flow to the last acknowledgment on the
        /// last of its connections; mean over those that finished, over the whole run.
        completion_mean_s: Time "completion".less().column(0),
        /// Median of the completion times of application flows.
        completion_p50_s: Time "completion p50".less(),
        /// 95 % quantile of the completion times of application flows.
        completion_p95_s: Time "completion p95".less().column(7),
        /// Completion time of the slowest application flow.
        completion_max_s: Time "slowest completion".less(),
    }
}

measures! {
    /// One direction of one link.
    Link {
        /// Bits per second on the wire.
        carried_bps: Rate "carried".more(),
        /// Bits on the wire as a share of what the link could carry.
        utilisation: Percent "utilisation".more().column(0).counts("whole packets, with headers"),
        /// Share of the link's rate that became goodput of the flows whose data cross it,
        /// counted where it arrives. Null if more arrived than the link carried in the
        /// window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation: Percent "goodput".more().column(8),
        /// The share of the link's capacity that was not used: at a fixed rate, the share
        /// of the time in which there was nothing to send.
        idle: Percent "idle".less().column(7),
        /// Packets dropped at the queue (because it was full, or earlier by the queue policy),
        /// per packet offered.
        loss_rate: Probability "loss".less().column(0),
        /// Packets lost on the wire, per packet that entered it.
        wire_loss_rate: Probability "lost on the wire".less().rare(0),
        /// Packets marked (ECN), per packet offered to the queue.
        mark_rate: Probability "marked",
        /// Packets offered to the queue.
        offered: Packets "offered",
        /// Packets dropped because the queue was full.
        overflowed: Packets "overflowed",
        /// Packets among `overflowed` that arrived in the very nanosecond in which another
        /// packet left. They were dropped only because the queue handled the arrival before
        /// the departure. With policies that act when packets leave, only about half of
        /// such packets are counted.
        tied: Packets "ties".rare(3),
        /// Packets among `overflowed` whose time from arrival to the next departure equals,
        /// to the nanosecond, one of the last two distinct values at earlier drops. If a
        /// transmission takes N nanoseconds, this happens by chance to two of N drops. If
        /// there are many such drops, a fixed rhythm decides which flow loses packets.
        in_step: Packets "in step".rare(3),
        /// Packets dropped by the queue policy, or by an outage.
        dropped_early: Packets "dropped early",
        /// Packets lost on the wire.
        lost: Packets "lost",
        /// Packets marked (ECN).
        marked: Packets "marked".rare(0),
        /// Packets in the queue, the one in transmission included, averaged
        /// over time.
        queue_mean_pkt: Packets "mean queue".less().column(2),
        /// 5 % quantile of the packets in the queue over time, within 2 %.
        queue_p5_pkt: Packets "queue p5".less().column(10).within(2),
        /// Median of the packets in the queue over time, within 2 %.
        queue_p50_pkt: Packets "queue p50".less().column(11).within(2),
        /// 95 % quantile of the packets in the queue over time, within 2 %.
        queue_p95_pkt: Packets "queue p95".less().column(11).within(2),
        /// 99 % quantile of the packets in the queue over time, within 2 %.
        queue_p99_pkt: Packets "queue p99".less().column(11).within(2),
        /// Mean queueing delay at the link: the time from a packet's arrival to the beginning
        /// of its transmission, over all packets that were not dropped.
        queueing_delay_mean_s: Time "queueing delay".less().column(0).sweep(0),
        /// Median of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s: Time "delay p50".less().column(6).within(1),
        /// 95 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s: Time "delay p95".less().column(1).sweep(3).within(1),
        /// 99 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s: Time "delay p99".less().column(9).within(1),
        /// Loss episodes: two drops in a row belong to the same episode if the time between
        /// them is at most the longest round trip, without queues, of the flows through the
        /// link.
        loss_episodes: Count "loss episodes",
        /// Mean share of the flows through the link that lost a packet in a
        /// loss episode; 1 is full synchronisation.
        synchronisation: Share "synchronisation".less().column(5),
    }
}

measures! {
    /// One background source.
    Background {
        /// Bits per second that arrived, counted on the wire.
        throughput_bps: Rate "throughput",
        /// Packets dropped per packet sent, over the whole run.
        loss_rate: Probability "loss".less(),
    }
}

measures! {
    /// Connections that come and go: transfers, or web pages. Those that began
    /// in the measuring window; they may end after it.
    Transfers {
        /// Transfers or pages that began.
        begun: Count "begun".column(3),
        /// Share of the transfers or pages that were complete when the experiment ended.
        /// All times are of the complete ones.
        completed: Percent "completed".more().column(0),
        /// Mean payload of the transfers or pages that are complete.
        size_mean_bytes: Bytes "mean size".column(4),
        /// Objects (connections) that had to wait because all allowed connections were in
        /// use.
        waited: Count "waited".less(),
        /// Mean time from the request, including the handshake of the connection, to the
        /// arrival of the last byte: flow completion time, or response time of a page.
        time_mean_s: Time "mean time".less().column(0).sweep(0),
        /// Median of the times of transfers or pages, see `time_mean_s`.
        time_p50_s: Time "time p50".less().column(2),
        /// 95 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p95_s: Time "time p95".less().column(1),
        /// 99 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p99_s: Time "time p99".less().column(5),
        /// Time of the slowest transfer or page.
        time_max_s: Time "slowest".less().column(6),
        /// Mean slowdown of transfers. The slowdown is the time of a transfer divided by
        /// the ideal time on an empty path without slow start: the handshake, the
        /// propagation, and the transmission of everything at the slowest link. If the rate
        /// of a link changes, the ideal time uses the rates that the links had during the
        /// transfer. Not for pages.
        slowdown_mean: Slowdown "slowdown".less().column(0).sweep(3),
        /// Median of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p50: Slowdown "slowdown p50".less().column(2),
        /// 95 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p95: Slowdown "slowdown p95".less().column(1),
        /// 99 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p99: Slowdown "slowdown p99".less().column(5),
    }
}

measures! {
    /// What a group loses by another that shares its path. Each harm is 0 if there is
    /// none, 1 if all is lost, and negative if the other one helped ([`crate::harm`]).
    ///
    /// What `own` is beside each is the same by as many flows of the group's own law, the
    /// mean over both groups, which are the same but for chance: RFC 9743 asks whether a new
    /// law does more harm than those that are there.
    Harm {
        /// The group's goodput if it is alone on the path, bit/s.
        goodput_alone_bps: Rate "goodput alone".more(),
        /// The group's goodput beside a second group of equal size with the same congestion
        /// control, mean over both groups, bit/s.
        goodput_own_bps: Rate "goodput beside its own".more(),
        /// Harm to the group's goodput: (alone - beside) / alone.
        harm_goodput: Harm "harm".title("harm to goodput").less(),
        /// Harm to the group's goodput by a second group of equal size with the same
        /// congestion control, mean over both groups: (alone - own) / alone.
        harm_goodput_own: Harm "harm by its own".title("harm to goodput by its own").less(),
        /// The group's mean RTT if it is alone on the path, seconds.
        rtt_alone_s: Time "RTT alone".less(),
        /// The group's mean RTT beside a second group of equal size with the same
        /// congestion control, mean over both groups, seconds.
        rtt_own_s: Time "RTT beside its own".less(),
        /// Harm to the group's mean RTT: (beside - alone) / beside.
        harm_rtt: Harm "RTT harm".title("harm to RTT").less(),
        /// Harm to the group's mean RTT by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own.
        harm_rtt_own: Harm "RTT harm by its own".title("harm to RTT by its own").less(),
        /// The group's loss rate if it is alone on the path.
        loss_alone: Probability "loss alone".less(),
        /// The group's loss rate beside a second group of equal size with the same
        /// congestion control, mean over both groups.
        loss_own: Probability "loss beside its own".less(),
        /// Harm to the group's loss rate: (beside - alone) / beside; null if nothing is
        /// lost alone (any loss would be a harm of 1) or beside the other group.
        harm_loss: Harm "loss harm".title("harm by loss").less(),
        /// Harm to the group's loss rate by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own; null if nothing
        /// is lost alone or beside that group.
        harm_loss_own: Harm "loss harm by its own".title("harm by loss by its own").less(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What every entry must have, so that a new measure is this entry and nothing else: JSON, CSV,
    /// data sets, tables, figures and documents are made from it.
    #[test]
    fn every_measure_is_complete() {
        for list in MEASURES {
            let mut heads = BTreeSet::new();
            for own in list {
                let name = own.name;
                // the unit is a part of the name
                let named =
                    [("_bps", "bit/s"), ("_s", "s"), ("_pkt", "packets"), ("_bytes", "bytes")];
                for (end, unit) in named {
                    assert!(!name.ends_with(end) || own.quantity.unit() == unit, "{name}");
                }
                let about = own.about.trim_start();
                assert!(about.starts_with(|c: char| c.is_uppercase() || c.is_numeric()), "{name}");
                assert!(about.len() > 20 && !own.heading.is_empty(), "{name}");
                assert!(own.title.len() >= own.heading.len() || own.title == own.heading, "{name}");
                // columns of one table have heads of their own
                assert!(own.rank.is_none() || heads.insert(own.heading), "{name}");
                // no name stands for two quantities
                let first = entry(name).expect("it is there");
                assert_eq!(first.quantity, own.quantity, "{name}");
                // what is computed from bins says so in its definition
                let said = (1..10).find(|percent| about.contains(&format!("within {percent} %")));
                assert_eq!(own.within, said, "{name}");
                // losses and delays are never better the more there is of them
                let bad = ["loss", "queue", "rtt", "harm", "time"];
                let bad = bad.iter().any(|word| name.starts_with(word));
                assert!(!bad || own.better != Some(Better::More), "{name}");
            }
        }
        assert_eq!(entry("links.R1->R2.queueing_delay_mean_s").unwrap().sweep_rank, Some(0));
        assert_eq!(entry("groups.S1.queueing_delay_mean_s").unwrap().sweep_rank, None);
        assert!(entry("links.R1->R2.cwnd").is_none() && entry("links.R1->R2.jain").is_none());
    }

    /// By hand: the middle of 1, 2 and 9 is 2; 1, 0, 1, 1 are 3 of 4.
    #[test]
    fn shares_of_runs_and_medians_have_no_interval() {
        let of = |name: &str, values: &[f64]| entry(name).unwrap().over(values);
        assert_eq!(of("convergence_s", &[9.0, 1.0, 2.0]), Some((2.0, None)));
        assert_eq!(of("converged", &[1.0, 0.0, 1.0, 1.0]), Some((0.75, None)));
        assert_eq!(of("converged", &[]), None);
        // t(0.975, 1) s / sqrt 2 = 12.706 x 0.7071 x 2 / 1.4142
        let (mean, half) = of("jain", &[1.0, 3.0]).unwrap();
        assert!(mean == 2.0 && (half.unwrap() - 12.706).abs() < 1e-3, "{half:?}");
    }
}
