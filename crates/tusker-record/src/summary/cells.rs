//! The measures of a group and of the total as the cells of a row, for both
//! terminals and pages.

use super::{GroupSummary, Summary, TransferSummary, Transfers};
use crate::table::{NONE, Unit};

/// Heads of the columns: the group's name, then [`group_cells`].
pub const GROUP_HEAD: [&str; 17] = [
    "group",
    "flows",
    "cc",
    "throughput",
    "goodput",
    "share of fair rate",
    "Jain",
    "share of fair rate per application",
    "Jain per application",
    "loss",
    "retransmitted",
    "timeouts",
    "RTT p50",
    "RTT p95",
    "completed",
    "completion",
    "p95",
];

/// All cells except the name.
pub fn group_cells(group: &GroupSummary) -> [String; 16] {
    let m = &group.measured;
    let several = |unless: u32, text: String| {
        if group.flows > unless { text } else { NONE.to_owned() }
    };
    // parallel connections appear twice: each one, and all together
    let parallel = group.applications > 0 && group.applications < group.flows;
    let apart = |text: String| if parallel { text } else { NONE.to_owned() };
    [
        match group.applications {
            0 => format!("up to {}", group.flows),
            n if parallel => format!("{n} x {}", group.flows / n),
            n => n.to_string(),
        },
        group.cc.join(", "),
        Unit::Rate.estimate(m.throughput_bps),
        Unit::Rate.estimate(m.goodput_bps),
        Unit::Index.estimate(m.fair_share),
        several(1, Unit::Index.estimate(m.jain)),
        apart(Unit::Index.estimate(m.applications_fair_share)),
        apart(several(group.flows / group.applications.max(1), {
            Unit::Index.estimate(m.applications_jain)
        })),
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

/// All groups together, in the same columns where that makes sense.
pub fn total_cells(summary: &Summary) -> [String; 11] {
    let total = &summary.total;
    let lasting = || summary.groups.iter().filter(|group| group.applications > 0);
    let parallel = lasting().any(|group| group.applications < group.flows);
    let per_application = match parallel {
        true => Unit::Index.estimate(total.applications_jain),
        false => String::new(),
    };
    [
        lasting().map(|group| group.flows).sum::<u32>().to_string(),
        String::new(),
        Unit::Rate.estimate(total.throughput_bps),
        Unit::Rate.estimate(total.goodput_bps),
        String::new(),
        Unit::Index.estimate(total.jain),
        String::new(),
        per_application,
        String::new(),
        Unit::Count.estimate(total.retransmissions),
        Unit::Count.estimate(total.timeouts),
    ]
}

/// Heads of [`transfer_rows`].
pub const TRANSFER_HEAD: [&str; 14] = [
    "transfers",
    "kind",
    "begun",
    "completed",
    "mean size",
    "mean time",
    "p50",
    "p95",
    "p99",
    "slowest",
    "slowdown",
    "p50",
    "p95",
    "p99",
];

/// Transfers and pages: a row per group, then one per class of sizes if there
/// are several.
pub fn transfer_rows(summary: &Summary) -> Vec<[String; 14]> {
    let mut rows = Vec::new();
    for transfers in &summary.transfers {
        let kind = match transfers.kind.as_str() {
            "web" => "pages",
            _ => "flows",
        };
        rows.push(transfer_cells(transfers.name.clone(), kind, &transfers.measured));
        if transfers.classes.len() < 2 {
            continue;
        }
        for class in &transfers.classes {
            let size = match class.below_bytes {
                Some(below) => format!("below {}", bytes(below)),
                None => format!("from {}", bytes(class.from_bytes)),
            };
            rows.push(transfer_cells(format!("{} {size}", transfers.name), "", &class.measured));
        }
    }
    rows
}

fn transfer_cells(name: String, kind: &str, m: &Transfers) -> [String; 14] {
    [
        name,
        kind.to_owned(),
        Unit::Count.estimate(m.begun),
        Unit::Percent.estimate(m.completed),
        m.size_mean_bytes.map_or(NONE.to_owned(), |size| bytes(size.mean)),
        Unit::Time.estimate(m.time_mean_s),
        Unit::Time.estimate(m.time_p50_s),
        Unit::Time.estimate(m.time_p95_s),
        Unit::Time.estimate(m.time_p99_s),
        Unit::Time.estimate(m.time_max_s),
        Unit::Count.estimate(m.slowdown_mean),
        Unit::Count.estimate(m.slowdown_p50),
        Unit::Count.estimate(m.slowdown_p95),
        Unit::Count.estimate(m.slowdown_p99),
    ]
}

fn bytes(bytes: f64) -> String {
    let (scale, unit) = match bytes {
        b if b >= 999.5e6 => (1e9, "GB"),
        b if b >= 999.5e3 => (1e6, "MB"),
        b if b >= 999.5 => (1e3, "kB"),
        _ => (1.0, "B"),
    };
    format!("{} {unit}", Unit::Count.text(bytes / scale))
}

/// A warning if nothing arrived in the measuring window, so that all measures are
/// empty.
pub fn nothing_note(summary: &Summary) -> Option<String> {
    let window = &summary.window;
    let nothing = summary.total.throughput_bps.is_some_and(|bits| bits.mean == 0.0);
    // background alone is measured on its own
    let has_flows = !summary.groups.is_empty() || !summary.transfers.is_empty();
    (nothing && has_flows).then(|| {
        format!(
            "nothing reached a receiver in the measuring window, {} s to {} s: it \
            takes more than a round trip until something can be measured; make \
            `duration` longer, or let the window begin after the flows start",
            window.from_s, window.to_s
        )
    })
}

/// A warning if transfers had to wait because the scenario allows too few
/// connections at a time, not because of the network.
pub fn waiting_note(summary: &Summary) -> Option<String> {
    let waited = |t: &&TransferSummary| t.measured.waited.is_some_and(|w| w.mean > 0.0);
    let tell = |t: &TransferSummary| {
        format!("{} of `{}`", Unit::Count.estimate(t.measured.waited), t.name)
    };
    let all: Vec<String> = summary.transfers.iter().filter(waited).map(tell).collect();
    (!all.is_empty()).then(|| {
        format!(
            "{}: connections that had to wait because all allowed ones were in \
            use; the wait is part of their times. Raise `connections` to avoid \
            it",
            all.join(", ")
        )
    })
}
