//! What makes a summary doubtful, in sentences.

use super::{Summary, TransferSummary};
use crate::table::Unit;

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
