//! The measures, each defined once: name, unit, definition. The fields of
//! `summary.json`, its schema, the columns of `--format csv` and the means over
//! replicates are all generated from these lists.
//!
//! Units are suffixes of the names: `_bps` bits per second, `_s` seconds, `_pkt`
//! packets; without a suffix it is a share of 1 or a count. Everything covers the
//! plan's measuring window unless stated otherwise. A null is a value that does not
//! exist: no RTT without an ACK, no completion time without a sized flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{Estimate, Sample};

/// A struct with a field per measure, generic over the type of a value: a
/// [`Sample`] in one replicate, an estimate over all of them.
macro_rules! measures {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $line:literal])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct $name<V = Option<Estimate>> { $($(#[doc = $line])* pub $field: V,)* }

        impl $name {
            /// Every measure by name, and its definition in one line.
            pub const ABOUT: &'static [(&'static str, &'static str)] =
                &[$((stringify!($field), concat!($($line),*))),*];
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
        throughput_bps,
        /// Payload bits that arrived for the first time per second.
        goodput_bps,
        /// Bits of background traffic that arrived per second.
        background_bps,
        /// Share of the bottlenecks' capacity that was used by anything on the wire:
        /// headers, ACKs and background included. With several bottlenecks, this is the sum
        /// of what they carried divided by the sum of their capacities.
        utilisation,
        /// Share of the bottlenecks' rate that became goodput of the flows that cross them,
        /// counted where it arrives. Null if more arrived than the bottlenecks carried in
        /// the window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation,
        /// Jain's index, (sum x)^2 / (n sum x^2), over all flows, where x is a
        /// flow's throughput divided by its max-min fair rate.
        jain,
        /// Jain's index over application flows: parallel connections count as one flow,
        /// in throughput and in fair rates.
        applications_jain,
        /// Convergence time, over the whole run: from the start of the last flow to the end of
        /// the earliest time step from which rates stayed fair. Flows with a `size` or `app` are
        /// ignored. Null if rates never converged, for fewer than two flows or more than a
        /// thousand, or if the last flow started less than ten steps before the end. Over
        /// replicates, this is the median of those that converged, without an interval: `converged`
        /// says what share did.
        convergence_s,
        /// 1 if rates became fair after the last flow started and stayed so, else 0. Over
        /// replicates, this is the share of replicates that have a `convergence_s`, without
        /// an interval.
        converged,
        /// RTT fairness: the k of goodput ~ RTT^-k among flows of one congestion control
        /// whose shortest round trips differ by at least 10 %. 0 if round trips make no
        /// difference, 1 if a flow with twice the round trip has half the goodput.
        rtt_exponent,
        /// Packets dropped at the bottlenecks' queues, per packet offered to
        /// them.
        loss_rate,
        /// Packets lost on the bottlenecks' wires, after their queues, per packet
        /// that entered the wire.
        wire_loss_rate,
        /// Packets marked (ECN) at the bottlenecks, per packet offered to their queues.
        mark_rate,
        /// Retransmitted segments of all flows.
        retransmissions,
        /// Retransmission timeouts.
        timeouts,
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes,
    }
}

measures! {
    /// One flow group.
    Group {
        /// Bits of the group's data packets that arrived at the receivers per
        /// second, counted on the wire, duplicates included.
        throughput_bps,
        /// Payload bits that arrived for the first time per second.
        goodput_bps,
        /// The group's throughput divided by the sum of its flows' max-min
        /// fair rates.
        fair_share,
        /// Jain's index within the group, on throughputs divided by max-min
        /// fair rates.
        jain,
        /// The group's throughput divided by the sum of its application flows'
        /// max-min fair rates: parallel connections count as one.
        applications_fair_share,
        /// Jain's index within the group over application flows.
        applications_jain,
        /// Data packets of the group that were dropped anywhere, in a queue or on a wire,
        /// per data packet that was dropped or arrived.
        loss_rate,
        /// Data packets that arrived at the receivers marked (ECN), duplicates included.
        marked,
        /// Data packets sent, retransmissions included.
        sent,
        /// Retransmissions among the data packets sent.
        retransmissions,
        /// Retransmission timeouts.
        timeouts,
        /// Congestion episodes: fast retransmits and responses to ECN.
        episodes,
        /// Episodes and timeouts whose reduction of the window was undone because segments
        /// were only late, not lost. Unknown on the testbed.
        undone,
        /// Times that flows of a congestion control with two modes (gHSTCP) changed their
        /// mode while their window was below their bandwidth-delay product (max-min fair
        /// rate times shortest round trip, in segments). A change of mode by a
        /// retransmission is not counted.
        switches_below_bdp,
        /// Times that flows of a congestion control with two modes (gHSTCP) changed their
        /// mode while their window was at least their bandwidth-delay product, see
        /// `switches_below_bdp`.
        switches_above_bdp,
        /// Of the decisions between two modes (gHSTCP: HSTCP mode and Reno mode) that flows
        /// made with a window below their bandwidth-delay product, the share that chose Reno
        /// mode, see `switches_below_bdp`.
        reno_mode_below_bdp,
        /// Of the decisions between two modes (gHSTCP: HSTCP mode and Reno mode) that flows
        /// made with a window of at least their bandwidth-delay product, the share that chose
        /// Reno mode, see `switches_below_bdp`.
        reno_mode_above_bdp,
        /// Mean of all RTT samples of the group.
        rtt_mean_s,
        /// 5 % quantile of all RTT samples of the group, within 2 %.
        rtt_p5_s,
        /// Median of all RTT samples of the group, within 2 %.
        rtt_p50_s,
        /// 95 % quantile of all RTT samples of the group, within 2 %.
        rtt_p95_s,
        /// 99 % quantile of all RTT samples of the group, within 2 %.
        rtt_p99_s,
        /// The smallest RTT sample, over the whole run.
        rtt_min_s,
        /// Mean queueing delay: RTT samples of the group less the shortest round trip of their
        /// flow's path, which is propagation and transmission both ways. Jitter, delayed ACKs
        /// and the time that hosts take count, too.
        queueing_delay_mean_s,
        /// Median of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s,
        /// 95 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s,
        /// 99 % quantile of the queueing delays of the group, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s,
        /// Share of the group's sized application flows that finished, over the
        /// whole run.
        completed,
        /// Time from the start of an application flow to the last acknowledgment on the
        /// last of its connections; mean over those that finished, over the whole run.
        completion_mean_s,
        /// Median of the completion times of application flows.
        completion_p50_s,
        /// 95 % quantile of the completion times of application flows.
        completion_p95_s,
        /// Completion time of the slowest application flow.
        completion_max_s,
    }
}

measures! {
    /// One direction of one link.
    Link {
        /// Bits per second on the wire.
        carried_bps,
        /// Bits on the wire as a share of what the link could carry.
        utilisation,
        /// Share of the link's rate that became goodput of the flows whose data cross it,
        /// counted where it arrives. Null if more arrived than the link carried in the
        /// window: what was in flight when the window began is then too large for a
        /// meaningful share.
        goodput_utilisation,
        /// The share of the link's capacity that was not used: at a fixed rate, the share
        /// of the time in which there was nothing to send.
        idle,
        /// Packets dropped at the queue (because it was full, or earlier by the queue policy),
        /// per packet offered.
        loss_rate,
        /// Packets lost on the wire, per packet that entered it.
        wire_loss_rate,
        /// Packets marked (ECN), per packet offered to the queue.
        mark_rate,
        /// Packets offered to the queue.
        offered,
        /// Packets dropped because the queue was full.
        overflowed,
        /// Packets among `overflowed` that arrived in the very nanosecond in which another
        /// packet left. They were dropped only because the queue handled the arrival before
        /// the departure. With policies that act when packets leave, only about half of
        /// such packets are counted.
        tied,
        /// Packets among `overflowed` whose time from arrival to the next departure equals,
        /// to the nanosecond, one of the last two distinct values at earlier drops. If a
        /// transmission takes N nanoseconds, this happens by chance to two of N drops. If
        /// there are many such drops, a fixed rhythm decides which flow loses packets.
        in_step,
        /// Packets dropped by the queue policy.
        dropped_early,
        /// Packets lost on the wire.
        lost,
        /// Packets marked (ECN).
        marked,
        /// Packets in the queue, the one in transmission included, averaged
        /// over time.
        queue_mean_pkt,
        /// 5 % quantile of the packets in the queue over time, within 2 %.
        queue_p5_pkt,
        /// Median of the packets in the queue over time, within 2 %.
        queue_p50_pkt,
        /// 95 % quantile of the packets in the queue over time, within 2 %.
        queue_p95_pkt,
        /// 99 % quantile of the packets in the queue over time, within 2 %.
        queue_p99_pkt,
        /// Mean queueing delay at the link: the time from a packet's arrival to the beginning
        /// of its transmission, over all packets that were not dropped.
        queueing_delay_mean_s,
        /// Median of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p50_s,
        /// 95 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p95_s,
        /// 99 % quantile of the queueing delays at the link, within 1 %, see
        /// `queueing_delay_mean_s`.
        queueing_delay_p99_s,
        /// Loss episodes: two drops in a row belong to the same episode if the time between
        /// them is at most the longest round trip, without queues, of the flows through the
        /// link.
        loss_episodes,
        /// Mean share of the flows through the link that lost a packet in a
        /// loss episode; 1 is full synchronisation.
        synchronisation,
    }
}

measures! {
    /// One background source.
    Background {
        /// Bits per second that arrived, counted on the wire.
        throughput_bps,
        /// Packets dropped per packet sent, over the whole run.
        loss_rate,
    }
}

measures! {
    /// Connections that come and go: transfers, or web pages. Those that began
    /// in the measuring window; they may end after it.
    Transfers {
        /// Transfers or pages that began.
        begun,
        /// Share of the transfers or pages that were complete when the experiment ended.
        /// All times are of the complete ones.
        completed,
        /// Mean payload of the transfers or pages that are complete.
        size_mean_bytes,
        /// Objects (connections) that had to wait because all allowed connections were in
        /// use.
        waited,
        /// Mean time from the request, including the handshake of the connection, to the
        /// arrival of the last byte: flow completion time, or response time of a page.
        time_mean_s,
        /// Median of the times of transfers or pages, see `time_mean_s`.
        time_p50_s,
        /// 95 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p95_s,
        /// 99 % quantile of the times of transfers or pages, see `time_mean_s`.
        time_p99_s,
        /// Time of the slowest transfer or page.
        time_max_s,
        /// Mean slowdown of transfers. The slowdown is the time of a transfer divided by
        /// the ideal time on an empty path without slow start: the handshake, the
        /// propagation, and the transmission of everything at the slowest link. If the rate
        /// of a link changes, the ideal time uses the rates that the links had during the
        /// transfer. Not for pages.
        slowdown_mean,
        /// Median of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p50,
        /// 95 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p95,
        /// 99 % quantile of the slowdowns of transfers, see `slowdown_mean`.
        slowdown_p99,
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
        goodput_alone_bps,
        /// The group's goodput beside a second group of equal size with the same congestion
        /// control, mean over both groups, bit/s.
        goodput_own_bps,
        /// Harm to the group's goodput: (alone - beside) / alone.
        harm_goodput,
        /// Harm to the group's goodput by a second group of equal size with the same
        /// congestion control, mean over both groups: (alone - own) / alone.
        harm_goodput_own,
        /// The group's mean RTT if it is alone on the path, seconds.
        rtt_alone_s,
        /// The group's mean RTT beside a second group of equal size with the same
        /// congestion control, mean over both groups, seconds.
        rtt_own_s,
        /// Harm to the group's mean RTT: (beside - alone) / beside.
        harm_rtt,
        /// Harm to the group's mean RTT by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own.
        harm_rtt_own,
        /// The group's loss rate if it is alone on the path.
        loss_alone,
        /// The group's loss rate beside a second group of equal size with the same
        /// congestion control, mean over both groups.
        loss_own,
        /// Harm to the group's loss rate: (beside - alone) / beside; null if nothing is
        /// lost alone (any loss would be a harm of 1) or beside the other group.
        harm_loss,
        /// Harm to the group's loss rate by a second group of equal size with the same
        /// congestion control, mean over both groups: (own - alone) / own; null if nothing
        /// is lost alone or beside that group.
        harm_loss_own,
    }
}
