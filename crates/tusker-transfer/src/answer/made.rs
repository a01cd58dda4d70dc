//! Rows and plans for tests.

use super::{Basis, PlanPath, PlanRate, PlanRow, PlanSummary};

/// A row without others.
pub fn row(law: &str, basis: Basis, took_s: f64, runs: u32) -> PlanRow {
    PlanRow {
        law: law.to_owned(),
        streams: 1,
        socket_buffer_bytes: 1_000,
        socket_buffer_enough: true,
        basis,
        took_s: Some(took_s),
        extrapolated: true,
        goodput: Some(PlanRate { mean_bps: 100.0, ci95_bps: Some(4.0) }),
        simulated_s: 10.0,
        runs,
        ..PlanRow::default()
    }
}

/// A plan of them.
pub fn plan(rows: Vec<PlanRow>, complete: bool) -> PlanSummary {
    let buffer = "1bdp".to_owned();
    PlanSummary {
        build: "b".to_owned(),
        size_bytes: 1,
        path: PlanPath { rate_bps: 1_000, rtt_s: 0.1, buffer, ..PlanPath::default() },
        least_s: 1.0,
        row_packets: 2e8,
        until: 0.05,
        complete,
        rows,
        ..PlanSummary::default()
    }
}
