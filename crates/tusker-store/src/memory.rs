//! How much memory storing a run takes, in addition to the run itself.

use tusker_plan::budget::Memory;
use tusker_plan::plan::Plan;
use tusker_plan::run::{Run, Transfer};

/// Tables are built and written in parts of at most this many rows.
const PART: u64 = super::tables::NARROW as u64;

/// A value over time while it is written: the rows of a part with where they come
/// from (24), its columns (40), and what becomes of them in the file. A part of a
/// million took 69 MB.
const VALUE: u64 = 75;

/// A transfer, the same: 300,000 took 23 MB.
const TRANSFER: u64 = 110;

/// What the measures of a flow take until all are written: 61 MB of 100,000.
const FLOW: u64 = 700;

/// The same of a link: 167 MB of 400,000.
const LINK: u64 = 500;

/// Expected memory for storing a run of this plan.
pub fn memory(plan: &Plan) -> Memory {
    let begun = plan.traffic.iter().map(|traffic| traffic.expected(plan.end.secs())).sum::<f64>();
    Memory {
        setup: measures(plan),
        trace: plan.traced().min(PART) * VALUE,
        transfers: (begun as u64).min(PART) * TRANSFER,
        ..Memory::default()
    }
}

/// Memory for a run of this plan and for storing it, as far as it depends on the
/// run.
pub fn memory_of(plan: &Plan, run: &Run) -> Memory {
    let values: usize = run.trace.series.iter().map(|series| series.values.len()).sum();
    let begun: usize = run.traffic.iter().map(|traffic| traffic.transfers.len()).sum();
    let part = |rows: usize| (rows as u64).min(PART);
    Memory {
        setup: plan.setup() + measures(plan),
        trace: (values * size_of::<f64>()) as u64 + part(values) * VALUE,
        transfers: (begun * size_of::<Transfer>()) as u64 + part(begun) * TRANSFER,
        ..Memory::default()
    }
}

fn measures(plan: &Plan) -> u64 {
    plan.flows.len() as u64 * FLOW + plan.links.len() as u64 * LINK
}
