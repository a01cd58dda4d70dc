//! Readings under which the verdict on a claim is another one.

use super::super::kind;
use super::{Answer, InRuns, Outcome, distinct};
use crate::claims::Verdict;

impl Answer {
    /// `the reading newreno (does not hold: not fairness(7@50) > fairness(4@50))`, for each
    /// reading under which a claim that holds does not, or the other way round.
    pub(super) fn other_verdicts(&self) -> Vec<String> {
        if !matches!(self.all.verdict, Verdict::Holds | Verdict::DoesNotHold) {
            return Vec::new();
        }
        let beside = self.recorded.iter().filter(|own| own.reading != self.reading);
        let all =
            self.readings.iter().map(|own| (own, "")).chain(beside.map(|o| (o, ", recorded")));
        let mut found: Vec<String> = Vec::new();
        for (own, recorded) in all {
            if own.verdict == Verdict::Open || kind(own.verdict) == kind(self.with_seeds_of(own)) {
                continue;
            }
            let why = self.against(own).filter(|_| own.verdict != Verdict::Holds);
            let why = why.map_or(String::new(), |why| format!(": {why}{}", self.in_step(own)));
            let told = format!("{}{recorded} ({}{why})", named(own), own.verdict.text());
            if !found.iter().any(|known| known.starts_with(&named(own))) {
                found.push(told);
            }
        }
        found
    }

    /// `; phase effects decide 4@50`, if they decide rows of comparisons that do not hold.
    fn in_step(&self, own: &InRuns) -> String {
        let fails = self.comparisons.iter().zip(&own.found);
        let fails = fails.filter(|(_, found)| found.outcome == Outcome::Fails);
        let rows = distinct(fails.flat_map(|(one, _)| one.rows.iter().cloned()));
        let decided = |row: &String| own.mark(row).is_some_and(|mark| !mark.in_step.is_empty());
        let rows: Vec<String> = rows.into_iter().filter(decided).collect();
        if rows.is_empty() {
            String::new()
        } else {
            format!("; phase effects decide {}", rows.join(", "))
        }
    }

    /// Whether its verdict is another one under this reading.
    pub(super) fn depends(&self, own: &InRuns) -> bool {
        let begin = [" (", ", "].map(|after| named(own) + after);
        self.depends_on.iter().any(|known| begin.iter().any(|begin| known.starts_with(begin)))
    }

    /// The verdict without a reading, with its seed if there are such runs: what another seed
    /// changes is no effect of the reading.
    fn with_seeds_of(&self, own: &InRuns) -> Verdict {
        let beside = self.recorded.iter().filter(|known| known.reading == self.reading);
        let mut all = self.seeds.iter().chain([&self.all]).chain(beside);
        all.find(|known| known.seeds == own.seeds).unwrap_or(&self.all).verdict
    }
}

fn named(own: &InRuns) -> String {
    match own.reading.as_str() {
        crate::rows::BASE => "the base".to_owned(),
        name => format!("the reading {name}"),
    }
}
