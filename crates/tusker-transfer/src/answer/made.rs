//! Rows and plans for tests.

use super::{Basis, EstimateFrom, PlanPath, PlanRate, PlanRow, PlanSummary, Settings};

/// A row without others.
pub fn row(law: &str, basis: Basis, took_s: f64, runs: u32) -> PlanRow {
    let rate = PlanRate { mean_bps: 100.0, ci95_bps: Some(4.0) };
    PlanRow {
        law: law.to_owned(),
        streams: 1,
        socket_buffer_bytes: 1_000,
        socket_buffer_enough: true,
        basis,
        took_s: Some(took_s),
        took_low_s: None,
        took_high_s: None,
        speedup: None,
        extrapolated: true,
        goodput: Some(rate),
        seen_bps: None,
        others: None,
        harm: None,
        harm_ci95: None,
        retransmitted: None,
        rtt_s: None,
        start_s: None,
        simulated_s: 10.0,
        runs,
        episodes: 0,
        estimate_bps: None,
        estimate_harm: None,
        estimate_load: None,
        short_buffer: false,
        estimate_from: EstimateFrom::Nothing,
        note: None,
        packets: 0.0,
        spent: None,
        needs_packets: None,
        settings: Settings::default(),
        commands: Vec::new(),
    }
}

/// A plan of them.
pub fn plan(rows: Vec<PlanRow>, complete: bool) -> PlanSummary {
    let path = PlanPath {
        rate_bps: 1_000,
        rtt_s: 0.1,
        loss: 0.0,
        buffer: "1bdp".to_owned(),
        packet_bytes: 1_500,
        segments_per_packet: 1,
        with: Vec::new(),
    };
    PlanSummary {
        format: 1,
        tusker: String::new(),
        build: "b".to_owned(),
        command: Vec::new(),
        size_bytes: 1,
        path,
        buffer_assumed: false,
        least_s: 1.0,
        deadline_s: None,
        max_harm: None,
        today: None,
        asked_for: None,
        recommended: None,
        row_packets: 2e8,
        earlier: Vec::new(),
        alone: None,
        alone_start_s: None,
        alone_unsure: false,
        until: 0.05,
        complete,
        facts: Vec::new(),
        rows,
    }
}
