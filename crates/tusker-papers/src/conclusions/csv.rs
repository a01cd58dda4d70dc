//! Answers as CSV, with a line for each comparison under each reading.

use std::fmt::Write;

use tusker_lab::suite::claims::{Compared, Judgement};
use tusker_measure::condition::Value;

use super::Answer;

impl Answer {
    /// A line for each comparison under each reading, over its seeds, and for the paper's own
    /// numbers. Of a chain `a > b > c` each neighbouring pair has a line of its own.
    pub fn csv(all: &[Self]) -> String {
        let mut text = "claim,comparison,reading,seeds,left,left_ci95,right,right_ci95,difference,\
                        difference_ci95,verdict\n"
            .to_owned();
        for answer in all {
            lines(&mut text, &answer.id, "paper", "", &answer.paper);
            for own in &answer.readings {
                let seeds: Vec<String> =
                    own.runs.iter().filter_map(|run| Some(run.seed?.to_string())).collect();
                lines(&mut text, &answer.id, &own.reading, &seeds.join(" "), &own.judged);
            }
        }
        text
    }
}

fn lines(text: &mut String, id: &str, reading: &str, seeds: &str, judged: &Judgement) {
    for Compared { test, verdict, terms, differences, .. } in &judged.comparisons {
        let pairs = differences.len().max(1);
        for at in 0..pairs {
            let _ = writeln!(
                text,
                "{},{},{},{seeds},{},{},{},{}",
                cell(id),
                cell(test),
                cell(reading),
                numbers(terms.get(at)),
                numbers(terms.get(at + 1)),
                numbers(differences.get(at)),
                verdict.text()
            );
        }
    }
}

fn numbers(value: Option<&Value>) -> String {
    let ci95 = value.and_then(|own| own.ci95).map_or(String::new(), |half| half.to_string());
    let value = value.map_or(String::new(), |own| own.value.to_string());
    format!("{value},{ci95}")
}

/// A cell; in quotes if it has a comma or a quote.
pub(crate) fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
