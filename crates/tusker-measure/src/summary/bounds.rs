//! Which measures bound which, in any run: used by `physics.rs`.

/// Pairs of measures of the same group, link or total of which the first may not
/// exceed the second.
pub(super) const ORDER: [(&str, &str); 28] = [
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
    ("queueing_delay_p50_s", "queueing_delay_p95_s"),
    ("queueing_delay_p95_s", "queueing_delay_p99_s"),
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
