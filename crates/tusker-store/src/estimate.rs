//! How much disk space results will take.

use super::Format;
use tusker_measure::csv::quoted;
use tusker_plan::plan::Plan;

/// Approximate size in bytes of the results of this many replicates.
pub fn estimate(plan: &Plan, replicates: u32, format: Format) -> u64 {
    // measured: a row of flows or links takes under 300 bytes in Parquet with
    // its JSON; a traced value 8 bytes, its time and labels next to nothing. CSV
    // repeats the names in every row, and has up to 20 digits per number
    const ROW: u64 = 1_500;
    let name = longest_name(plan);
    let (value, transfer, distribution) = match format {
        Format::Parquet => (12, 100, 16_384),
        // replicate, seed, time, quantity, value; of a bucket two ends
        Format::Csv => (60 + name, 180 + name, BUCKETS * subjects(plan) * (80 + name)),
    };
    const QUANTITIES: u64 = 8;
    let rows = (plan.lasting() + plan.links.len() + plan.background.len()) as u64;
    let traced = plan.trace.interval.map_or(0, |interval| {
        let steps = plan.end.nanos() / interval.nanos().max(1);
        let flows = if plan.trace.flows { plan.flows.len() } else { 0 };
        steps.saturating_mul((flows + plan.trace.links.len()) as u64 * QUANTITIES)
    });
    let gone: u64 = plan.traffic.iter().map(|t| t.expected(plan.end.secs()) as u64).sum();
    let each = gone
        .saturating_mul(transfer)
        .saturating_add(rows * ROW + distribution)
        .saturating_add(traced.saturating_mul(value));
    // the trace that is made for the report, and the report
    const REPORT: u64 = 4_000_000;
    u64::from(replicates).saturating_mul(each).saturating_add(REPORT)
}

/// Usual maximum number of buckets of a distribution: seven powers of two.
const BUCKETS: u64 = 7 * 32;

/// Groups, and about as many links, have a distribution.
fn subjects(plan: &Plan) -> u64 {
    (plan.groups.len() + plan.traffic.len() + plan.links.len().min(8)) as u64
}

/// Length in bytes of the longest name of a flow or link, as written in CSV.
fn longest_name(plan: &Plan) -> u64 {
    let flows = plan.flows.iter().map(|flow| &flow.name);
    let names = flows.chain(plan.links.iter().map(|link| &link.name)).chain(&plan.groups);
    names.map(|name| quoted(name).len() as u64).max().unwrap_or(0)
}
