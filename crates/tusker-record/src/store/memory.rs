//! How much memory storing a run takes, beside the run itself.

use tusker_plan::budget::Memory;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

/// A value over time becomes a row of a table with its time, labels and keys, and
/// that a part of a file; the run still has the value.
const VALUE: u64 = 130;

/// A transfer, the same.
const TRANSFER: u64 = 300;

/// What storing a run of this plan is expected to take.
pub fn memory(plan: &Plan) -> Memory {
    let begun = plan.traffic.iter().map(|traffic| traffic.expected(plan.end.secs())).sum::<f64>();
    let transfers = begun * TRANSFER as f64;
    Memory {
        trace: plan.traced().saturating_mul(VALUE),
        transfers: transfers as u64,
        ..Memory::default()
    }
}

/// What a run and storing it take, as far as that depends on the run.
pub fn memory_of(run: &Run) -> Memory {
    let values: usize = run.trace.series.iter().map(|series| series.values.len()).sum();
    let begun: usize = run.traffic.iter().map(|traffic| traffic.transfers.len()).sum();
    let (value, transfer) = (size_of::<f64>(), size_of::<tusker_plan::run::Transfer>());
    Memory {
        trace: values as u64 * (VALUE + value as u64),
        transfers: begun as u64 * (TRANSFER + transfer as u64),
        ..Memory::default()
    }
}
