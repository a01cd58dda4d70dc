//! A plan as CSV.

use std::fmt::Write;

use super::PlanSummary;

impl PlanSummary {
    /// One line per row, in the order of the ranking.
    pub fn to_csv(&self) -> String {
        let mut text = String::from(
            "rank,cc,streams,socket_buffer_bytes,basis,took_s,took_low_s,took_high_s,\
             extrapolated,goodput_bps,goodput_ci95_bps,others_bps,others_ci95_bps,harm,harm_ci95,\
             retransmitted,rtt_s,start_s,simulated_s,runs,episodes,estimate_bps,estimate_harm,speedup,\
             recommended\n",
        );
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for (n, row) in self.rows.iter().enumerate() {
            let law = match row.law.contains([',', '"']) {
                true => format!("\"{}\"", row.law.replace('"', "\"\"")),
                false => row.law.clone(),
            };
            let basis = serde_json::to_value(row.basis).unwrap_or_default();
            let cells = [
                (n + 1).to_string(),
                law,
                row.streams.to_string(),
                row.socket_buffer_bytes.to_string(),
                basis.as_str().unwrap_or_default().to_owned(),
                number(row.took_s),
                number(row.took_low_s),
                number(row.took_high_s),
                row.extrapolated.to_string(),
                number(row.goodput.map(|rate| rate.mean_bps)),
                number(row.goodput.and_then(|rate| rate.ci95_bps)),
                number(row.others.map(|rate| rate.mean_bps)),
                number(row.others.and_then(|rate| rate.ci95_bps)),
                number(row.harm),
                number(row.harm_ci95),
                number(row.retransmitted),
                number(row.rtt_s),
                number(row.start_s),
                row.simulated_s.to_string(),
                row.runs.to_string(),
                row.episodes.to_string(),
                number(row.estimate_bps),
                number(row.estimate_harm),
                number(row.speedup),
                (self.recommended == Some(n as u32 + 1)).to_string(),
            ];
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }
}
