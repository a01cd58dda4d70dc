//! A group's and the total's measures as the cells of a row: what a terminal
//! and a page show alike.

use super::{GroupSummary, Summary};
use crate::table::{NONE, Unit};

/// Heads of the columns: the group's name, then [`group_cells`].
pub const GROUP_HEAD: [&str; 15] = [
    "group",
    "flows",
    "cc",
    "throughput",
    "goodput",
    "of fair",
    "Jain",
    "loss",
    "retransmitted",
    "timeouts",
    "RTT p50",
    "RTT p95",
    "completed",
    "completion",
    "p95",
];

/// All but the name.
pub fn group_cells(group: &GroupSummary) -> [String; 14] {
    let m = &group.measured;
    [
        group.flows.to_string(),
        group.cc.join(", "),
        Unit::Rate.estimate(m.throughput_bps),
        Unit::Rate.estimate(m.goodput_bps),
        Unit::Index.estimate(m.fair_share),
        if group.flows > 1 { Unit::Index.estimate(m.jain) } else { NONE.to_owned() },
        Unit::Probability.estimate(m.loss_rate),
        Unit::Count.estimate(m.retransmissions),
        Unit::Count.estimate(m.timeouts),
        Unit::Time.estimate(m.rtt_p50_s),
        Unit::Time.estimate(m.rtt_p95_s),
        Unit::Percent.estimate(m.completed),
        Unit::Time.estimate(m.completion_mean_s),
        Unit::Time.estimate(m.completion_p95_s),
    ]
}

/// All groups together, in the same columns as far as that makes sense.
pub fn total_cells(summary: &Summary) -> [String; 9] {
    let total = &summary.total;
    [
        summary.groups.iter().map(|group| group.flows).sum::<u32>().to_string(),
        String::new(),
        Unit::Rate.estimate(total.throughput_bps),
        Unit::Rate.estimate(total.goodput_bps),
        String::new(),
        Unit::Index.estimate(total.jain),
        String::new(),
        Unit::Count.estimate(total.retransmissions),
        Unit::Count.estimate(total.timeouts),
    ]
}
