//! The runs that an answer rests on or shows, and what they are called.

use tusker_papers::conclusions::{Answer, InRuns};

/// The seeds of runs: `1`, `1, 2, 3`, `mean of 3`.
pub(super) fn seeds(runs: &InRuns) -> String {
    let named: Vec<String> = runs.seeds.iter().map(u64::to_string).collect();
    match runs.means_of {
        0 | 1 => named.join(", "),
        many => format!("mean of {many}"),
    }
}

/// All runs that are known, one below the other.
pub(super) fn runs(answer: &Answer) -> Vec<&InRuns> {
    let own = answer.seeds.iter().chain(std::iter::once(&answer.all));
    let all = own.chain(&answer.readings).chain(&answer.recorded).chain(&answer.parts);
    all.filter(|runs| runs.of > 0).collect()
}

/// The reading of runs, and whether they come with the program.
pub(super) fn reading(answer: &Answer, runs: &InRuns) -> String {
    let recorded = answer.recorded.iter().any(|own| std::ptr::eq(own, runs));
    let recorded = if recorded { " (recorded)" } else { "" };
    let experiment = if runs.experiment { " (experiment)" } else { "" };
    format!("{}{recorded}{experiment}", runs.reading)
}
