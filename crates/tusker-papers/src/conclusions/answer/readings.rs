//! What the readings say about a claim, in one line. A reading counts once, no matter how many
//! seeds it was run with; several seeds are judged together, like those of the base.

use std::collections::BTreeSet;

use super::words::with_seeds;
use super::{Answer, InRuns};
use crate::claims::Verdict;
use crate::paper::Paper;
use crate::rows::BASE;

/// Readings with the verdict of the base that are named; more are only counted.
const NAMED: usize = 3;

/// The runs of one reading, one for each seed.
pub(super) struct OfReading<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its runs.
    pub runs: Vec<&'a InRuns>,
    /// Several of its seeds together.
    together: Option<&'a InRuns>,
}

/// These runs by their reading, in the order of the first ones.
pub(super) fn by_reading<'a>(all: impl Iterator<Item = &'a InRuns>) -> Vec<OfReading<'a>> {
    let mut found: Vec<OfReading<'a>> = Vec::new();
    for own in all {
        let at = found.iter().position(|known| known.name == own.reading);
        let at = at.unwrap_or_else(|| {
            found.push(OfReading { name: &own.reading, runs: Vec::new(), together: None });
            found.len() - 1
        });
        match own.seeds.len() {
            0 | 1 => found[at].runs.push(own),
            _ => found[at].together = Some(own),
        }
    }
    found
}

impl<'a> OfReading<'a> {
    /// All its seeds together, if there are several and all were judged together.
    pub fn whole(&self) -> Option<&'a InRuns> {
        let has = |run: &&InRuns| {
            self.together.is_some_and(|own| run.seeds.iter().all(|seed| own.seeds.contains(seed)))
        };
        self.together.filter(|_| self.runs.iter().all(has))
    }

    /// What is told of it: all seeds together, or the first run.
    fn shown(&self) -> &'a InRuns {
        self.whole().unwrap_or_else(|| self.runs[0])
    }

    /// Its verdict: over its seeds, or else if it is the same with every one.
    fn verdict(&self) -> Option<Verdict> {
        if let Some(own) = self.whole() {
            return Some(own.verdict);
        }
        let first = self.runs[0].verdict;
        self.runs.iter().all(|own| own.verdict == first).then_some(first)
    }

    /// `holds`, or `holds with seed 1, partly with seeds 2 and 3`.
    fn told(&self) -> String {
        if let Some(verdict) = self.verdict() {
            return verdict.text().to_owned();
        }
        let each = VERDICTS.iter().filter_map(|verdict| {
            let such = self.runs.iter().filter(|own| own.verdict == *verdict);
            let seeds: Vec<u64> = such.flat_map(|own| own.seeds.iter().copied()).collect();
            (!seeds.is_empty()).then(|| format!("{} {}", verdict.text(), with_seeds(&seeds)))
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

/// In the order in which they are told.
const VERDICTS: [Verdict; 5] =
    [Verdict::Holds, Verdict::Partly, Verdict::Undecided, Verdict::DoesNotHold, Verdict::Open];

impl Answer {
    /// What it rests on: readings. Those that fall short are named.
    pub(super) fn of_readings(&self, paper: &Paper) -> String {
        let others =
            |own: &&InRuns| own.reading != self.reading && own.reading != BASE && !own.experiment;
        let own = by_reading(self.readings.iter().filter(others));
        let beside = self.recorded.iter().filter(others);
        let beside =
            by_reading(beside.filter(|known| !own.iter().any(|own| own.name == known.reading)));
        let (tried, recorded) = (own.len(), beside.len());
        let all = tried + recorded + self.untried.len();
        let mut told = match (tried, all) {
            (_, 0) => "no other reading changes its rows".to_owned(),
            (0, 1) => "the other reading that could change it was not tried".to_owned(),
            (0, _) => format!("none of {all} other readings that could change it was tried"),
            (1, 1) => "the other reading that could change it was tried".to_owned(),
            (1, _) => format!("1 of {all} other readings that could change it was tried"),
            (some, _) if some == all => {
                format!("all {all} other readings that could change it were tried")
            }
            (some, _) => {
                format!("{some} of {all} other readings that could change it were tried")
            }
        };
        if tried > 0 {
            told += &format!(": {}", self.verdicts_of(paper, &own));
        }
        if recorded > 0 {
            let count = match (all, recorded) {
                (1, _) => "it is".to_owned(),
                (_, 1) => "1 is".to_owned(),
                (_, some) => format!("{some} are"),
            };
            let sign = if tried > 0 { ";" } else { "," };
            told += &format!("{sign} {count} recorded: {}", self.verdicts_of(paper, &beside));
        }
        told
    }

    /// What experiments show, on which no verdict depends: `an experiment` or `experiments`, and
    /// their verdicts.
    pub(super) fn of_experiments(&self, paper: &Paper) -> Option<(&'static str, String)> {
        let all = self.readings.iter().chain(&self.recorded);
        let all = by_reading(all.filter(|own| own.experiment && own.reading != self.reading));
        match all.len() {
            0 => None,
            1 => Some(("an experiment", self.verdicts_of(paper, &all))),
            _ => Some(("experiments", self.verdicts_of(paper, &all))),
        }
    }

    /// What the base says, if another reading is judged.
    pub(super) fn of_base(&self) -> Option<String> {
        let base = |own: &&InRuns| self.reading != BASE && own.reading == BASE;
        let mut own = by_reading(self.readings.iter().filter(base));
        if own.is_empty() {
            own = by_reading(self.recorded.iter().filter(base));
        }
        own.first().map(|own| format!("in the base: {}", own.told()))
    }

    /// `holds under 3; does not hold (newreno: a > b fails)`.
    fn verdicts_of(&self, paper: &Paper, all: &[OfReading<'_>]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for verdict in VERDICTS {
            let such: Vec<&OfReading<'_>> =
                all.iter().filter(|own| own.verdict() == Some(verdict)).collect();
            if such.is_empty() {
                continue;
            }
            let word = verdict.text();
            let under = match such.len() == all.len() || such.len() == 1 {
                true => word.to_owned(),
                false => format!("{word} under {}", such.len()),
            };
            // a verdict that the base has too needs no reason
            let why = match verdict == self.all.verdict && such.len() > 1 {
                true => {
                    let seeds: BTreeSet<Option<String>> =
                        such.iter().map(|own| self.other_seeds(own)).collect();
                    let seed = match seeds.into_iter().collect::<Vec<_>>().as_slice() {
                        [Some(one)] => Some(format!("all {one}")),
                        _ => None,
                    };
                    // many names are left out, another seed never
                    let names: Vec<&str> = such.iter().map(|own| own.name).collect();
                    let names = (names.len() <= NAMED).then(|| names.join(", "));
                    let told: Vec<String> = names.into_iter().chain(seed).collect();
                    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
                }
                false => {
                    let each = such.iter().map(|own| self.told_of(paper, own, verdict));
                    format!(" ({})", each.collect::<Vec<_>>().join("; "))
                }
            };
            parts.push(under + &why);
        }
        let differ = all.iter().filter(|own| own.verdict().is_none());
        parts.extend(differ.map(|own| format!("{}: {}", own.name, own.told())));
        parts.join("; ")
    }

    /// `newreno with seed 2: a > b fails`.
    fn told_of(&self, paper: &Paper, own: &OfReading<'_>, verdict: Verdict) -> String {
        let not = self.against(own.shown()).filter(|_| verdict != Verdict::Holds);
        // what the verdict depends on is told with its reason already
        let not = not.filter(|_| !self.depends(own.name));
        let seeds = self.other_seeds(own).map_or(String::new(), |seeds| format!(" {seeds}"));
        if let Some(ended) = self.without_phase(paper, own.shown()).filter(|_| not.is_some()) {
            let (name, verdict) = (&ended.reading, ended.verdict.text());
            return format!("{}{seeds}: phase effects; without these, {name} {verdict}", own.name);
        }
        let not = not.map_or(String::new(), |not| format!(": {not}"));
        format!("{}{seeds}{not}", own.name)
    }

    /// `with seed 2`, if these are not the seeds of what is judged.
    fn other_seeds(&self, own: &OfReading<'_>) -> Option<String> {
        let seeds: Vec<u64> = own.runs.iter().flat_map(|run| run.seeds.iter().copied()).collect();
        let other = seeds.iter().any(|seed| !self.all.seeds.contains(seed));
        other.then(|| with_seeds(&seeds))
    }
}
