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

use crate::stats::{Estimate, Sample};
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
            Self::Probability | Self::Percent | Self::Share | Self::FairShare | Self::Harm => {
                "share"
            }
        }
    }

    /// How tables and figures show it.
    pub fn shown(self) -> Unit {
        match self {
            Self::Rate => Unit::Rate,
            Self::Time => Unit::Time,
            Self::Probability => Unit::Probability,
            Self::Percent => Unit::Percent,
            Self::Share | Self::FairShare | Self::Harm | Self::Index => Unit::Index,
            Self::Packets
            | Self::Segments
            | Self::Bytes
            | Self::Count
            | Self::Exponent
            | Self::Slowdown => Unit::Count,
        }
    }

    /// What it can be in any run.
    pub fn range(self) -> Range {
        match self {
            Self::Probability | Self::Percent | Self::Share => Range::Share,
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
    /// Name.
    pub name: &'static str,
    /// What it is a number of.
    pub quantity: Quantity,
    /// What columns and axes call it.
    pub heading: &'static str,
    /// Definition.
    pub about: &'static str,
}

/// The entry of a measure by its name or its address ([`MeasureRef`](super::MeasureRef)). A name
/// stands for the same quantity wherever it occurs.
pub fn entry(address: &str) -> Option<&'static Entry> {
    let name = address.rsplit('.').next().unwrap_or(address);
    let lists = [Total::ENTRIES, Group::ENTRIES, Harm::ENTRIES, Transfers::ENTRIES, Link::ENTRIES];
    let mut all = lists.into_iter().chain([Background::ENTRIES]).flatten();
    all.find(|entry| entry.name == name)
}

/// How tables and figures show a measure: by its name or its address.
pub fn unit(address: &str) -> Unit {
    entry(address).map_or(Unit::Count, |entry| entry.quantity.shown())
}

/// A struct with a field per measure, generic over the type of a value: a
/// [`Sample`] in one replicate, an estimate over all of them.
macro_rules! measures {
    ($(#[$doc:meta])* $name:ident {
        $($(#[doc = $line:literal])* $field:ident: $quantity:ident $heading:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct $name<V = Option<Estimate>> { $($(#[doc = $line])* pub $field: V,)* }

        impl $name {
            /// Every measure, in the order of its definition.
            pub const ENTRIES: &'static [Entry] = &[$(Entry {
                name: stringify!($field),
                quantity: Quantity::$quantity,
                heading: $heading,
                about: concat!($($line),*),
            }),*];
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
                $name { $($field: Estimate::of(replicates.iter().map(|r| &r.$field)),)* }
            }
        }
    };
}

measures! {
    /// Everything together.
    Total {
        /// Bits of all data packets that arrived at the receivers per second,
        /// counted on the wire, duplicates included.
        throughput_bps: Rate "throughput",
        /// Payload bits that arrived for the first time per second.
        goodput_bps: Rate "goodput",
        /// Bits of background traffic that arrived per second.
        background_bps: Rate "background",
        /// Share of the bottlenecks' capacity that was used by anything on the wire:
        /// headers, ACKs and background included. With several bottlenecks, this is the sum
        /// of what they carried divided by the sum of their capacities.
        utilisation: Percent "utilisation",
        /// Share of the bottlenecks' rate that became goodput of the flows that cross them,
        /// counted where it arrives. Null if more arrived than the bottlenecks carried in
        /// the window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation: Percent "goodput",
        /// Jain's index, (sum x)^2 / (n sum x^2), over all flows, where x is a
        /// flow's throughput divided by its max-min fair rate.
        jain: Index "Jain",
        /// Jain's index over application flows: parallel connections count as one flow,
        /// in throughput and in fair rates.
        applications_jain: Index "Jain per application",
        /// Convergence time, over the whole run: from the start of the last flow to the end of
        /// the earliest time step from which rates stayed fair. Flows with a `size` or `app` are
        /// ignored. Null if rates never converged, for fewer than two flows or more than a
        /// thousand, or if the last flow started less than ten steps before the end. Over
        /// replicates, this is the median of those that converged, without an interval: `converged`
        /// says what share did.
        convergence_s: Time "convergence",
        /// 1 if rates became fair after the last flow started and stayed so, else 0. Over
        /// replicates, this is the share of replicates that have a `convergence_s`, without
        /// an interval.
        converged: Percent "converged",
        /// RTT fairness: the k of goodput ~ RTT^-k among flows of one congestion control
        /// whose shortest round trips differ by at least 10 %. 0 if round trips make no
        /// difference, 1 if a flow with twice the round trip has half the goodput.
        rtt_exponent: Exponent "RTT exponent",
        /// Packets dropped at the bottlenecks' queues, per packet offered to
        /// them.
        loss_rate: Probability "loss",
        /// Packets lost on the bottlenecks' wires, after their queues, per packet
        /// that entered the wire.
        wire_loss_rate: Probability "lost on the wire",
        /// Packets marked (ECN) at the bottlenecks, per packet offered to their queues.
        mark_rate: Probability "marked",
        /// Retransmitted segments of all flows.
        retransmissions: Segments "retransmitted",
        /// Retransmission timeouts.
        timeouts: Count "timeouts",
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes: Count "episodes",
    }
}

measures! {
    /// One flow group.
    Group {
        /// Bits of the group's data packets that arrived at the receivers per
        /// second, counted on the wire, duplicates included.
        throughput_bps: Rate "throughput",
        /// Payload bits that arrived for the first time per second.
        goodput_bps: Rate "goodput",
        /// The group's throughput divided by the sum of its flows' max-min
        /// fair rates.
        fair_share: FairShare "share of fair rate",
        /// Jain's index within the group, on throughputs divided by max-min
        /// fair rates.
        jain: Index "Jain",
        /// The group's throughput divided by the sum of its application flows'
        /// max-min fair rates: parallel connections count as one.
        applications_fair_share: FairShare "share of fair rate per application",
        /// Jain's index within the group over application flows.
        applications_jain: Index "Jain per application",
        /// Data packets of the group that were dropped anywhere, in a queue or on a wire,
        /// per data packet that was dropped or arrived.
        loss_rate: Probability "loss",
        /// Data packets that arrived at the receivers marked (ECN), duplicates included.
        marked: Packets "marked",
        /// Data packets sent, retransmissions included.
        sent: Packets "sent",
        /// Retransmissions among the data packets sent.
        retransmissions: Segments "retransmitted",
        /// Retransmission timeouts.
        timeouts: Count "timeouts",
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes: Count "episodes",
        /// Episodes and timeouts whose reduction of the window was undone because segments
        /// were only late, not lost. Unknown on the testbed.
        undone: Count "undone",
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
        rtt_mean_s: Time "mean RTT",
        /// 5 % quantile of all RTT samples of the group, within 2 %.
        rtt_p5_s: Time "RTT p5",
        /// Median of all RTT samples of the group, within 2 %.
        rtt_p50_s: Time "RTT p50",
        /// 95 % quantile of all RTT samples of the group, within 2 %.
        rtt_p95_s: Time "RTT p95",
        /// 99 % quantile of all RTT samples of the group, within 2 %.
        rtt_p99_s: Time "RTT p99",
        /// The smallest RTT sample, over the whole run.
        rtt_min_s: Time "smallest RTT",
        /// Mean queueing delay: RTT samples of the group less the shortest round trip of their
        /// flow's path, which is propagation and transmission both ways. Jitter, delayed ACKs
        /// and the time that hosts take count, too.
        queueing_delay_mean_s: Time "queueing delay",
        /// Median of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s: Time "queueing delay",
        /// 95 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s: Time "queueing delay",
        /// 99 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s: Time "queueing delay",
        /// Share of the group's sized application flows that finished, over the
        /// whole run.
        completed: Percent "completed",
        /// Time from the start of an application flow to the last acknowledgment on the
        /// last of its connections; mean over those that finished, over the whole run.
        completion_mean_s: Time "completion",
        /// Median of the completion times of application flows.
        completion_p50_s: Time "completion p50",
        /// 95 % quantile of the completion times of application flows.
        completion_p95_s: Time "completion p95",
        /// Completion time of the slowest application flow.
        completion_max_s: Time "slowest completion",
    }
}

measures! {
    /// One direction of one link.
    Link {
        /// Bits per second on the wire.
        carried_bps: Rate "carried",
        /// Bits on the wire as a share of what the link could carry.
        utilisation: Percent "utilisation",
        /// Share of the link's rate that became goodput of the flows whose data cross it,
        /// counted where it arrives. Null if more arrived than the link carried in the
        /// window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation: Percent "goodput",
        /// The share of the link's capacity that was not used: at a fixed rate, the share
        /// of the time in which there was nothing to send.
        idle: Percent "idle",
        /// Packets dropped at the queue (because it was full, or earlier by the queue policy),
        /// per packet offered.
        loss_rate: Probability "lost in the queue",
        /// Packets lost on the wire, per packet that entered it.
        wire_loss_rate: Probability "lost on the wire",
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
        tied: Packets "ties",
        /// Packets among `overflowed` whose time from arrival to the next departure equals,
        /// to the nanosecond, one of the last two distinct values at earlier drops. If a
        /// transmission takes N nanoseconds, this happens by chance to two of N drops. If
        /// there are many such drops, a fixed rhythm decides which flow loses packets.
        in_step: Packets "in step",
        /// Packets dropped by the queue policy, or by an outage.
        dropped_early: Packets "dropped early",
        /// Packets lost on the wire.
        lost: Packets "lost",
        /// Packets marked (ECN).
        marked: Packets "marked",
        /// Packets in the queue, the one in transmission included, averaged
        /// over time.
        queue_mean_pkt: Packets "mean queue",
        /// 5 % quantile of the packets in the queue over time, within 2 %.
        queue_p5_pkt: Packets "queue p5",
        /// Median of the packets in the queue over time, within 2 %.
        queue_p50_pkt: Packets "queue p50",
        /// 95 % quantile of the packets in the queue over time, within 2 %.
        queue_p95_pkt: Packets "queue p95",
        /// 99 % quantile of the packets in the queue over time, within 2 %.
        queue_p99_pkt: Packets "queue p99",
        /// Mean queueing delay at the link: the time from a packet's arrival to the beginning
        /// of its transmission, over all packets that were not dropped.
        queueing_delay_mean_s: Time "queueing delay",
        /// Median of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s: Time "queueing delay",
        /// 95 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s: Time "queueing delay",
        /// 99 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s: Time "queueing delay",
        /// Loss episodes: two drops in a row belong to the same episode if the time between
        /// them is at most the longest round trip, without queues, of the flows through the
        /// link.
        loss_episodes: Count "loss episodes",
        /// Mean share of the flows through the link that lost a packet in a
        /// loss episode; 1 is full synchronisation.
        synchronisation: Share "synchronisation",
    }
}

measures! {
    /// One background source.
    Background {
        /// Bits per second that arrived, counted on the wire.
        throughput_bps: Rate "throughput",
        /// Packets dropped per packet sent, over the whole run.
        loss_rate: Probability "loss",
    }
}

measures! {
    /// Connections that come and go: transfers, or web pages. Those that began
    /// in the measuring window; they may end after it.
    Transfers {
        /// Transfers or pages that began.
        begun: Count "begun",
        /// Share of the transfers or pages that were complete when the experiment ended.
        /// All times are of the complete ones.
        completed: Percent "completed",
        /// Mean payload of the transfers or pages that are complete.
        size_mean_bytes: Bytes "mean size",
        /// Objects (connections) that had to wait because all allowed connections were in
        /// use.
        waited: Count "waited",
        /// Mean time from the request, including the handshake of the connection, to the
        /// arrival of the last byte: flow completion time, or response time of a page.
        time_mean_s: Time "mean time",
        /// Median of the times of transfers or pages, see `time_mean_s`.
        time_p50_s: Time "time p50",
        /// 95 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p95_s: Time "time p95",
        /// 99 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p99_s: Time "time p99",
        /// Time of the slowest transfer or page.
        time_max_s: Time "slowest",
        /// Mean slowdown of transfers. The slowdown is the time of a transfer divided by
        /// the ideal time on an empty path without slow start: the handshake, the
        /// propagation, and the transmission of everything at the slowest link. If the rate
        /// of a link changes, the ideal time uses the rates that the links had during the
        /// transfer. Not for pages.
        slowdown_mean: Slowdown "slowdown",
        /// Median of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p50: Slowdown "slowdown p50",
        /// 95 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p95: Slowdown "slowdown p95",
        /// 99 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p99: Slowdown "slowdown p99",
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
        goodput_alone_bps: Rate "goodput alone",
        /// The group's goodput beside a second group of equal size with the same congestion
        /// control, mean over both groups, bit/s.
        goodput_own_bps: Rate "goodput beside its own",
        /// Harm to the group's goodput: (alone - beside) / alone.
        harm_goodput: Harm "harm goodput",
        /// Harm to the group's goodput by a second group of equal size with the same
        /// congestion control, mean over both groups: (alone - own) / alone.
        harm_goodput_own: Harm "harm goodput own",
        /// The group's mean RTT if it is alone on the path, seconds.
        rtt_alone_s: Time "RTT alone",
        /// The group's mean RTT beside a second group of equal size with the same
        /// congestion control, mean over both groups, seconds.
        rtt_own_s: Time "RTT beside its own",
        /// Harm to the group's mean RTT: (beside - alone) / beside.
        harm_rtt: Harm "harm rtt",
        /// Harm to the group's mean RTT by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own.
        harm_rtt_own: Harm "harm rtt own",
        /// The group's loss rate if it is alone on the path.
        loss_alone: Probability "loss alone",
        /// The group's loss rate beside a second group of equal size with the same
        /// congestion control, mean over both groups.
        loss_own: Probability "loss beside its own",
        /// Harm to the group's loss rate: (beside - alone) / beside; null if nothing is
        /// lost alone (any loss would be a harm of 1) or beside the other group.
        harm_loss: Harm "harm loss",
        /// Harm to the group's loss rate by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own; null if nothing
        /// is lost alone or beside that group.
        harm_loss_own: Harm "harm loss own",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_quantity_wherever_it_occurs() {
        let lists = [Total::ENTRIES, Group::ENTRIES, Harm::ENTRIES, Transfers::ENTRIES];
        for own in lists.into_iter().chain([Link::ENTRIES, Background::ENTRIES]).flatten() {
            let first = entry(own.name).expect("it is there");
            assert_eq!(first.quantity, own.quantity, "{}", own.name);
            // the unit is a part of the name
            let ends = |end: &str| own.name.ends_with(end);
            let named = [("_bps", "bit/s"), ("_s", "s"), ("_pkt", "packets"), ("_bytes", "bytes")];
            for (end, unit) in named {
                assert!(!ends(end) || own.quantity.unit() == unit, "{}", own.name);
            }
        }
        assert!(entry("links.R1->R2.loss_rate").is_some());
        assert!(entry("links.R1->R2.cwnd").is_none());
    }
}
