//! Answers for programs: as JSON, and as CSV with a line for each comparison in each set of
//! runs.

use std::fmt::Write;

use super::{Answer, Compare, Found, InRuns};

impl Answer {
    /// All of them as JSON text: a list.
    ///
    /// # Panics
    /// Never: they are plain data.
    pub fn json(all: &[Self]) -> String {
        serde_json::to_string_pretty(all).expect("plain data") + "\n"
    }

    /// The JSON Schema of such a list.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Vec<Self>);
        serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
    }

    /// A line for each comparison and seed of each reading, and for the paper's own numbers.
    /// Of a chain `a > b > c` each neighbouring pair has a line of its own. `variant` is what
    /// varies between the rows of a case.
    pub fn csv(all: &[Self], variant: &str) -> String {
        let mut text = format!(
            "claim,test,comparison,rows,{variant},reading,seed,replicates,left,left_ci95,right,\
             right_ci95,difference,difference_ci95,result\n"
        );
        for answer in all {
            let alone = if answer.seeds.is_empty() { &[][..] } else { &answer.seeds };
            let runs = std::iter::once(&answer.paper).chain(alone);
            let runs = runs.chain(std::iter::once(&answer.all)).chain(&answer.readings);
            for runs in runs {
                for (one, found) in answer.comparisons.iter().zip(&runs.found) {
                    lines(&mut text, &answer.id, one, runs, found);
                }
            }
        }
        text
    }
}

fn lines(text: &mut String, id: &str, one: &Compare, runs: &InRuns, found: &Found) {
    let seeds: Vec<String> = runs.seeds.iter().map(u64::to_string).collect();
    let replicates = if runs.seeds.is_empty() { 0 } else { runs.means_of.max(runs.seeds.len()) };
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for pair in 0..one.signs.len() {
        let term = |place: usize| found.terms.get(place);
        let (left, right) = (term(pair), term(pair + 1));
        let difference = found.differences.get(pair);
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{replicates},{},{},{},{},{},{},{}",
            cell(id),
            cell(&one.test),
            cell(&one.text),
            one.rows.join(" "),
            one.at.as_deref().unwrap_or_default(),
            cell(&runs.reading),
            seeds.join(" "),
            number(left.map(|own| own.value)),
            number(left.and_then(|own| own.ci95)),
            number(right.map(|own| own.value)),
            number(right.and_then(|own| own.ci95)),
            number(difference.map(|own| own.value)),
            number(difference.and_then(|own| own.ci95)),
            found.outcome.text(),
        );
    }
}

/// A cell; in quotes if it has a comma or a quote.
pub(crate) fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
