//! How well a real-time executor kept time, which decides whether its numbers can
//! be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_plan::audit::{self, Limits};

use super::Summary;
use crate::table::{NONE, Unit};

/// One replicate, as reported by the testbed. Everything covers the measuring
/// window unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// Number of the replicate.
    pub replicate: u32,
    /// Its seed.
    pub seed: u64,
    /// Whether it was within all limits; if not, its numbers are not reliable.
    pub valid: bool,
    /// The limits it exceeded, one sentence each.
    pub faults: Vec<String>,
    /// Packets delivered.
    pub packets: u64,
    /// Mean of how late packets left, seconds; null if there were none.
    pub late_mean_s: Option<f64>,
    /// 99th percentile of how late packets left.
    pub late_p99_s: Option<f64>,
    /// How late the latest packet left.
    pub late_max_s: Option<f64>,
    /// Share of time in which the emulator did not get the processor when it should
    /// have, for longer than `limits.away_at_once_s` at a time.
    pub away: f64,
    /// The longest absence from the processor, seconds, even if it is shorter than
    /// `limits.away_at_once_s`.
    pub longest_away_s: f64,
    /// Share of the time in which the emulator was busy.
    pub busy: f64,
    /// Share of one processor that the emulator used, also while it waited awake for a packet
    /// to be due; null if unknown.
    pub cpu: Option<f64>,
    /// Packets for which a host's device had no room.
    pub refused: u64,
    /// Packets that were not complete packets between hosts of the scenario, over the whole
    /// run.
    pub foreign: u64,
    /// Whether the emulator had real-time scheduling.
    pub real_time: bool,
    /// The limits within which it is valid.
    pub limits: AuditLimits,
}

/// The limits within which a replicate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditLimits {
    /// The largest allowed 99th percentile of how late packets left, seconds.
    pub late_p99_s: f64,
    /// Shorter absences of the emulator do not count, seconds.
    pub away_at_once_s: f64,
    /// The largest share of the time that absences longer than `away_at_once_s` may take.
    pub away: f64,
    /// The largest share of the time in which the emulator may be busy.
    pub busy: f64,
    /// The largest share of the packets that may find a device full.
    pub refused: f64,
}

impl Audit {
    pub(super) fn of(replicate: u32, seed: u64, audit: &audit::Audit, limits: &Limits) -> Self {
        let faults = audit.faults(limits);
        let late = |time: tusker_core::Duration| (audit.packets > 0).then(|| time.secs());
        Self {
            replicate,
            seed,
            valid: faults.is_empty(),
            faults,
            packets: audit.packets,
            late_mean_s: late(audit.mean),
            late_p99_s: late(audit.p99),
            late_max_s: late(audit.max),
            away: audit.away,
            longest_away_s: audit.longest_away.secs(),
            busy: audit.busy,
            cpu: audit.cpu,
            refused: audit.refused,
            foreign: audit.foreign,
            real_time: audit.real_time,
            limits: AuditLimits {
                late_p99_s: limits.p99.secs(),
                away_at_once_s: limits.short.secs(),
                away: limits.away,
                busy: limits.busy,
                refused: limits.refused,
            },
        }
    }
}

/// Heads of [`audit_rows`].
pub const AUDIT_HEAD: [&str; 12] = [
    "replicate",
    "run is",
    "packets",
    "mean lateness",
    "99 % within",
    "latest packet",
    "away",
    "longest away",
    "busy",
    "emulator CPU",
    "refused",
    "real time",
];

/// What these heads mean.
pub const AUDIT_NOTE: &str = "Lateness: how long after its time a packet left the emulator (the \
    thread that carries all packets). Away: share of time in which the emulator did not get the \
    processor when it should have. Busy: share of time in which it worked. Emulator CPU: share of a \
    processor that it used, also while it waited awake for a packet to be due. Refused: packets for \
    which a host had no room. Real time: whether it had real-time scheduling.";

/// How well each replicate kept time, one row each.
pub fn audit_rows(summary: &Summary) -> Vec<[String; 12]> {
    let late = |value: Option<f64>| value.map_or(NONE.to_owned(), |s| Unit::Time.text(s));
    let row = |audit: &Audit| {
        [
            format!("seed {}", audit.seed),
            if audit.valid { "valid" } else { "invalid" }.to_owned(),
            Unit::Count.text(audit.packets as f64),
            late(audit.late_mean_s),
            late(audit.late_p99_s),
            late(audit.late_max_s),
            Unit::Percent.text(audit.away),
            Unit::Time.text(audit.longest_away_s),
            Unit::Percent.text(audit.busy),
            audit.cpu.map_or(NONE.to_owned(), |cpu| Unit::Percent.text(cpu)),
            Unit::Count.text(audit.refused as f64),
            if audit.real_time { "yes" } else { "no" }.to_owned(),
        ]
    };
    summary.audits.iter().map(row).collect()
}

/// A warning if replicates are invalid: which, and why.
pub fn invalid_note(summary: &Summary) -> Option<String> {
    let invalid: Vec<String> = summary
        .audits
        .iter()
        .filter(|audit| !audit.valid)
        .map(|audit| format!("seed {} ({})", audit.seed, audit.faults.join("; ")))
        .collect();
    let (bad, all) = (invalid.len(), summary.seeds.len());
    (bad > 0).then(|| match all {
        1 => format!("invalid run, do not trust its numbers: {}", invalid[0]),
        _ => format!(
            "invalid runs, do not trust these numbers: {bad} of {all} replicates are invalid, {}",
            invalid.join(", ")
        ),
    })
}
