//! An evaluation as CSV: a row for each comparison.

use tusker_lab::suite::{Comparison, Criterion, Evaluation};
use tusker_measure::csv::{quoted, written};
use tusker_measure::stats::Estimate;

const HEAD: &str = "experiment,section,measure,rival,varied,better,mean,ci95,against_mean,\
                    against_ci95,verdict,few_episodes\n";

/// The rows, with heads in the first line.
pub fn csv(evaluation: &Evaluation) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), written);
    let both = |value: Option<Estimate>| {
        [number(value.map(|own| own.mean)), number(value.and_then(|own| own.ci95))]
    };
    let row = |(of, own): (&Criterion, &Comparison)| {
        let text = |text: &Option<String>| quoted(text.as_deref().unwrap_or_default());
        let ([mean, half], [its, its_half]) = (both(own.value), both(own.against));
        let better = format!("{:?}", own.better).to_lowercase();
        let verdict = own.verdict.map_or("", |verdict| verdict.words()).replace(' ', "_");
        let cells = [
            quoted(&of.name),
            quoted(&of.section),
            quoted(&own.measure),
            text(&own.rival),
            text(&own.varied),
            better,
            mean,
            half,
            its,
            its_half,
            verdict,
            own.few_episodes.to_string(),
        ];
        cells.join(",") + "\n"
    };
    HEAD.to_owned() + &evaluation.comparisons().map(row).collect::<String>()
}
