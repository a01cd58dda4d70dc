//! The possible range of each measure, for any run: used by `physics.rs`.

/// The range of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
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

use Range::{Amount, Index, Number, Ratio, Share};

/// The range of each measure by its name. No measure is ever -0, infinite or NaN.
pub(super) const RANGES: [(&str, Range); 61] = [
    ("throughput_bps", Amount),
    ("goodput_bps", Amount),
    ("background_bps", Amount),
    ("carried_bps", Amount),
    ("utilisation", Share),
    ("goodput_utilisation", Share),
    ("idle", Share),
    ("loss_rate", Share),
    ("wire_loss_rate", Share),
    ("synchronisation", Share),
    ("jain", Index),
    ("applications_jain", Index),
    ("convergence_s", Amount),
    ("converged", Share),
    ("rtt_exponent", Number),
    ("fair_share", Amount),
    ("applications_fair_share", Amount),
    ("sent", Amount),
    ("retransmissions", Amount),
    ("timeouts", Amount),
    ("episodes", Amount),
    ("switches_below_bdp", Amount),
    ("switches_above_bdp", Amount),
    ("reno_mode_below_bdp", Share),
    ("reno_mode_above_bdp", Share),
    ("rtt_mean_s", Amount),
    ("rtt_p5_s", Amount),
    ("rtt_p50_s", Amount),
    ("rtt_p95_s", Amount),
    ("rtt_p99_s", Amount),
    ("rtt_min_s", Amount),
    ("completed", Share),
    ("completion_mean_s", Amount),
    ("completion_p50_s", Amount),
    ("completion_p95_s", Amount),
    ("completion_max_s", Amount),
    ("offered", Amount),
    ("overflowed", Amount),
    ("tied", Amount),
    ("in_step", Amount),
    ("dropped_early", Amount),
    ("lost", Amount),
    ("marked", Amount),
    ("queue_mean_pkt", Amount),
    ("queue_p5_pkt", Amount),
    ("queue_p50_pkt", Amount),
    ("queue_p95_pkt", Amount),
    ("queue_p99_pkt", Amount),
    ("loss_episodes", Amount),
    ("begun", Amount),
    ("size_mean_bytes", Amount),
    ("waited", Amount),
    ("time_mean_s", Amount),
    ("time_p50_s", Amount),
    ("time_p95_s", Amount),
    ("time_p99_s", Amount),
    ("time_max_s", Amount),
    ("slowdown_mean", Ratio),
    ("slowdown_p50", Ratio),
    ("slowdown_p95", Ratio),
    ("slowdown_p99", Ratio),
];

/// Pairs of measures of the same group, link or total of which the first may not
/// exceed the second.
pub(super) const ORDER: [(&str, &str); 26] = [
    ("goodput_bps", "throughput_bps"),
    ("goodput_utilisation", "utilisation"),
    ("retransmissions", "sent"),
    ("overflowed", "offered"),
    ("tied", "overflowed"),
    ("in_step", "overflowed"),
    ("dropped_early", "offered"),
    ("lost", "offered"),
    ("marked", "offered"),
    ("rtt_min_s", "rtt_mean_s"),
    ("rtt_min_s", "rtt_p5_s"),
    ("rtt_p5_s", "rtt_p50_s"),
    ("rtt_p50_s", "rtt_p95_s"),
    ("rtt_p95_s", "rtt_p99_s"),
    ("queue_p5_pkt", "queue_p50_pkt"),
    ("queue_p50_pkt", "queue_p95_pkt"),
    ("queue_p95_pkt", "queue_p99_pkt"),
    ("completion_p50_s", "completion_p95_s"),
    ("completion_p95_s", "completion_max_s"),
    ("completion_mean_s", "completion_max_s"),
    ("time_mean_s", "time_max_s"),
    ("time_p50_s", "time_p95_s"),
    ("time_p95_s", "time_p99_s"),
    ("time_p99_s", "time_max_s"),
    ("slowdown_p50", "slowdown_p95"),
    ("slowdown_p95", "slowdown_p99"),
];
