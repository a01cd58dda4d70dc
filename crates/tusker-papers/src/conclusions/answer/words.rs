//! An answer in one line that can be quoted.

use super::{Answer, InRuns, Outcome};
use crate::claims::{Need, Verdict};
use crate::expr::number;
use crate::paper::Paper;
use crate::reproduction::Printed;
use crate::rows::BASE;

/// Seeds that are told one by one if they differ; of more, only the range.
const ONE_BY_ONE: usize = 4;

/// Seeds from which means have an interval that says something.
const ENOUGH: usize = 3;

/// Readings on which it depends that are named; more are only counted.
const NAMED: usize = 3;

impl Answer {
    /// `holds: 9 of 9 comparisons; two seeds, no interval; 1 of 21 other readings that could
    /// change it was tried: partly (background-1500: fairness(7@50) > fairness(4@50) fails)`.
    pub(super) fn sentence(&self, paper: &Paper) -> String {
        let verdict = self.reasoned(paper);
        if self.all.of == 0 {
            return verdict;
        }
        let seeds = self.of_seeds().into_iter().chain(self.of_recorded_seeds());
        let readings = std::iter::once(self.of_readings(paper)).chain(self.of_base());
        let experiments = self
            .of_experiments(paper)
            .map(|(word, verdicts)| format!("{word} against the text: {verdicts}"));
        let parts = std::iter::once(verdict).chain(seeds).chain(readings).chain(experiments);
        parts.collect::<Vec<_>>().join("; ")
    }

    /// The verdict, with what it depends on and why.
    pub fn reasoned(&self, paper: &Paper) -> String {
        let verdict = self.verdict(paper);
        match self.depends_on.len() {
            0 => verdict,
            some => {
                let named = self.depends_on[..some.min(NAMED)].join(" and ");
                let more = match some.saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("depends on {named}{more}; {} it {verdict}", self.judged_in())
            }
        }
    }

    /// `holds, 3 of 3`, `depends on the reading newreno; in the base it holds, 3 of 3`: the first
    /// line of an answer, whose reasons are in [`facts`](Self::facts).
    pub fn in_short(&self) -> String {
        let InRuns { held, of, missing, .. } = self.all;
        let all = of + missing;
        let verdict = match (self.all.word(), of) {
            (_, 0) => "not judged".to_owned(),
            ("incomplete", _) => format!("incomplete, {of} of {all} comparisons were run"),
            (word, _) => format!("{word}, {held} of {all}"),
        };
        match self.depends_on.as_slice() {
            [] if self.reading == BASE => verdict,
            [] => format!("{verdict}, {}", self.judged_in()),
            [one, more @ ..] => {
                let name = one.split(" (").next().unwrap_or_default();
                let more = match more.len() {
                    0 => String::new(),
                    some => format!(" and {some} more"),
                };
                format!("depends on {name}{more}; {} it {verdict}", self.judged_in())
            }
        }
    }

    /// What the verdict rests on, a name and a text each: the paper's own numbers, the runs that
    /// judge it, on what it depends, and what other readings and experiments say.
    pub fn facts(&self, paper: &Paper) -> Vec<(String, String)> {
        let printed = match &self.paper {
            InRuns { verdict: Verdict::Open, .. } => {
                "the paper prints none of these numbers".to_owned()
            }
            InRuns { verdict, held, of, .. } => {
                let why = self.paper_reason.as_ref().filter(|_| verdict.falls_short());
                let why = why.map_or(String::new(), |why| format!(": {why}"));
                format!("{}, {held} of {of} {}{why}", verdict.text(), comparisons(*of))
            }
        };
        let mut facts = vec![("in the paper".to_owned(), printed)];
        let own = std::iter::once(self.verdict(paper));
        if self.all.of == 0 {
            facts.push((self.judged_in(), own.collect()));
            return facts;
        }
        let own = own.map(|told| told.replacen(": ", ", ", 1));
        let own = own.chain(self.of_seeds()).chain(self.of_recorded_seeds());
        facts.push((self.judged_in(), own.collect::<Vec<_>>().join("; ")));
        facts.extend(self.of_base().map(|told| {
            ("in the base".to_owned(), told.trim_start_matches("in the base: ").to_owned())
        }));
        facts.extend(self.depends_on.iter().map(|one| ("depends on".to_owned(), one.clone())));
        facts.push(("readings".to_owned(), self.of_readings(paper)));
        facts.extend(self.of_experiments(paper).map(|(_, verdicts)| {
            ("experiments".to_owned(), format!("against the text: {verdicts}"))
        }));
        facts
    }

    /// Where it is judged.
    fn judged_in(&self) -> String {
        match self.reading.as_str() {
            BASE => "in the base".to_owned(),
            name => format!("under {name}"),
        }
    }

    /// The verdict on the runs that judge it, and where it fails.
    fn verdict(&self, paper: &Paper) -> String {
        if self.all.of == 0 {
            return "not judged: every comparison needs rows that were not run".to_owned();
        }
        match self.all.verdict {
            Verdict::Open => self.so_far(),
            Verdict::DoesNotHold => self.where_it_fails(paper).unwrap_or_else(|| self.counted()),
            _ => self.counted(),
        }
    }

    /// `holds: 9 of 9 comparisons`.
    fn counted(&self) -> String {
        let own = &self.all;
        let InRuns { verdict, held, chance, of, missing, .. } = own;
        let mut text = format!("{}: {held} of {of} {}", verdict.text(), comparisons(*of));
        text += self.of_chosen();
        if *chance > 0 {
            text += &format!(", {chance} within chance{}", self.by_means());
        }
        if *missing > 0 {
            text += &format!(", {missing} not run, which cannot change this");
        }
        // else "undecided" could be read as if it might still hold in full
        let fail = of - held - chance;
        if *verdict == Verdict::Undecided && fail > 0 {
            let verb = if fail == 1 { "does" } else { "do" };
            text += &format!(", {fail} {verb} not hold");
            if self.need == Need::All.text() {
                text += " (so not all hold; chance decides whether at least half do)";
            }
        }
        text
    }

    /// ` (by the means over the seeds, 1 does not hold)`, if seeds disagree on comparisons whose
    /// interval excludes zero.
    fn by_means(&self) -> String {
        if self.all.seeds.len() < ENOUGH {
            return String::new();
        }
        let clear = |own: &Printed| own.ci95.is_some_and(|half| half < own.value.abs());
        let pairs = self.comparisons.iter().zip(&self.all.found);
        let such = pairs.filter(|(_, found)| {
            found.outcome == Outcome::Chance && found.differences.iter().all(clear)
        });
        let so: Vec<bool> = such.filter_map(|(one, found)| found.is_so(&one.signs)).collect();
        let holds = so.iter().filter(|is| **is).count();
        let told = [(holds, "hold", "holds"), (so.len() - holds, "do not hold", "does not hold")];
        let told = told
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, many, one)| format!("{count} {}", if *count == 1 { one } else { many }));
        let told: Vec<String> = told.collect();
        match told.as_slice() {
            [] => String::new(),
            all => format!(" (by the means over the seeds, {})", joined(all)),
        }
    }

    /// `incomplete: holds in the one comparison that was run; 2 were not run`.
    fn so_far(&self) -> String {
        let InRuns { held, chance, of, missing, .. } = &self.all;
        let fail = of - held - chance;
        let was = if *of == 1 { "was" } else { "were" };
        let count = match of {
            1 => "the one".to_owned(),
            2 => "both".to_owned(),
            some => format!("all {some}"),
        };
        let of_all = format!("{count} {} that {was} run", comparisons(*of));
        let chosen = self.of_chosen();
        let told = match () {
            () if held == of => format!("holds in {of_all}"),
            () if fail == *of => format!("does not hold in {of_all}"),
            () if chance == of => format!("within chance in {of_all}"),
            () => {
                let each = [(*held, "hold"), (*chance, "within chance"), (fail, "do not hold")];
                let each =
                    each.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
                let each = each.collect::<Vec<_>>().join(", ");
                format!("of {of} comparisons that were run {each}")
            }
        };
        let lacking = if *missing == 1 { "was" } else { "were" };
        format!("incomplete: {told}{chosen}; {missing} {lacking} not run")
    }

    fn of_chosen(&self) -> &'static str {
        if self.left_out > 0 { " of the chosen rows" } else { "" }
    }

    /// `does not hold: fails at 50 ms (0.6 against 0.7); holds at 25 and 100 ms`, of a test of
    /// the user's own that has a comparison for each.
    fn where_it_fails(&self, paper: &Paper) -> Option<String> {
        let every = self.need == Need::Every.text() && self.comparisons.len() > 1;
        let variant = &paper.cases.variant;
        let at: Option<Vec<&String>> = self.comparisons.iter().map(|one| one.at.as_ref()).collect();
        let at = at.filter(|_| every)?;
        let unit = match at.iter().all(|name| name.parse::<f64>().is_ok()) {
            true => format!(" {}", variant.unit),
            false => String::new(),
        };
        let such = |outcome: Outcome| {
            at.iter().zip(&self.all.found).filter(move |(_, found)| found.outcome == outcome)
        };
        let fails: Vec<String> = such(Outcome::Fails)
            .map(|(at, found)| {
                let terms: Vec<String> = found.terms.iter().map(|own| number(own.value)).collect();
                format!("at {} ({})", format!("{at}{unit}").trim(), terms.join(" against "))
            })
            .collect();
        let everywhere = match fails.len() == at.len() && self.left_out == 0 {
            true => format!(" at any of the {} {}s", at.len(), variant.name),
            false => String::new(),
        };
        let mut text = format!("does not hold{everywhere}: fails {}", joined(&fails));
        for (outcome, word) in [
            (Outcome::Chance, "within chance"),
            (Outcome::Holds, "holds"),
            (Outcome::Missing, "not run"),
        ] {
            let names: Vec<String> = such(outcome).map(|(at, _)| (*at).clone()).collect();
            if !names.is_empty() {
                text += format!("; {word} at {}{unit}", joined(&names)).trim_end();
            }
        }
        Some(text)
    }

    /// What it rests on: seeds.
    fn of_seeds(&self) -> Vec<String> {
        let named = |seeds: &[u64]| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let each = match self.seeds.as_slice() {
            [] if self.all.means_of > 1 => {
                return vec![format!("means of {} seeds", self.all.means_of)];
            }
            [] => return vec![format!("one seed ({})", named(&self.all.seeds))],
            each => each,
        };
        let count = |one: &InRuns| (one.held, one.of);
        let same = each.iter().all(|one| count(one) == count(&each[0]));
        let count_of = |one: &InRuns| {
            let not = self.against(one);
            let not = not.map_or(String::new(), |not| format!(" ({not})"));
            format!("{} of {}{not}", one.held, one.of)
        };
        let all = named(&self.all.seeds);
        let few = each.len() == 2;
        let mut told: Vec<String> =
            few.then(|| "two seeds, no interval".to_owned()).into_iter().collect();
        match () {
            () if same && each[0].held == each[0].of && few => {}
            () if same && (each[0].held == each[0].of || each.len() > ONE_BY_ONE) => {
                told.push(format!("with seeds {all}: {} of {} each", each[0].held, each[0].of));
            }
            () if each.len() <= ONE_BY_ONE => {
                let each = each.iter();
                told.extend(
                    each.map(|one| format!("with seed {}: {}", named(&one.seeds), count_of(one))),
                );
            }
            () => {
                let held = || each.iter().map(|one| one.held);
                let (least, most) = (held().min().unwrap_or(0), held().max().unwrap_or(0));
                told.push(format!("with seeds {all}: {least} to {most} of {}", each[0].of));
            }
        }
        told
    }

    /// What more recorded seeds of the same reading say, which judge nothing: `recorded with
    /// seeds 1, 2 and 3: undecided`.
    fn of_recorded_seeds(&self) -> Option<String> {
        let count = |own: &InRuns| own.seeds.len().max(own.means_of);
        let own = self.recorded.iter().filter(|own| own.reading == self.reading);
        let most = own.filter(|own| own.of > 0).max_by_key(|own| count(own))?;
        // fewer seeds than these runs have say little, unless they say something else
        let more = count(most) > count(&self.all).max(1);
        if !more && most.verdict == self.all.verdict {
            return None;
        }
        let seeds = match most.means_of {
            2.. => format!("as means of {} seeds", most.means_of),
            _ => with_seeds(&most.seeds),
        };
        Some(format!("recorded {seeds}: {}, {} of {}", most.word(), most.held, most.of))
    }

    /// The first comparison that does not hold, and how many more: `a > b and 2 more fail`.
    pub fn against(&self, runs: &InRuns) -> Option<String> {
        let such = |outcome: Outcome| {
            let found = self.comparisons.iter().zip(&runs.found);
            let texts = found.filter(|(_, found)| found.outcome == outcome);
            texts.map(|(one, _)| one.text.as_str()).collect::<Vec<&str>>()
        };
        let (fails, chance) = (such(Outcome::Fails), such(Outcome::Chance));
        let (all, words) = match fails.is_empty() {
            true => (chance, ["is within chance", "are within chance"]),
            false => (fails, ["fails", "fail"]),
        };
        let first = all.first()?;
        Some(match all.len() - 1 {
            0 => format!("{first} {}", words[0]),
            more => format!("{first} and {more} more {}", words[1]),
        })
    }

    /// Every comparison that does not hold, or that is within chance.
    pub fn all_against(&self, runs: &InRuns) -> Vec<(&str, Outcome)> {
        let found = self.comparisons.iter().zip(&runs.found);
        let wanted = found.filter(|(_, f)| matches!(f.outcome, Outcome::Fails | Outcome::Chance));
        wanted.map(|(one, found)| (one.text.as_str(), found.outcome)).collect()
    }

    /// How many comparisons hold at a variant, and how many have their values; `None` for
    /// those between variants.
    pub fn held_at(&self, runs: &InRuns, at: Option<&str>) -> (usize, usize) {
        let own = self.comparisons.iter().zip(&runs.found);
        let own =
            own.filter(|(one, found)| one.at.as_deref() == at && found.outcome != Outcome::Missing);
        own.fold((0, 0), |(held, of), (_, found)| {
            (held + usize::from(found.outcome == Outcome::Holds), of + 1)
        })
    }
}

fn comparisons(count: usize) -> &'static str {
    if count == 1 { "comparison" } else { "comparisons" }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn joined(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

/// `with seed 1`, `with seeds 2, 3 and 4`.
pub(super) fn with_seeds(seeds: &[u64]) -> String {
    let named: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let plural = if seeds.len() == 1 { "" } else { "s" };
    format!("with seed{plural} {}", joined(&named))
}
