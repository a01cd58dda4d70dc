//! An answer in one line that can be quoted.

use std::collections::BTreeSet;

use super::{Answer, InRuns, Outcome};
use crate::claims::{Need, Verdict};
use crate::expr::number;
use crate::paper::Paper;
use crate::rows::BASE;

/// Seeds that are told one by one if they differ; of more, only the range.
const ONE_BY_ONE: usize = 4;

/// Readings with the verdict of the base that are named; more are only counted.
const NAMED: usize = 3;

impl Answer {
    /// `holds: 9 of 9 comparisons; two seeds, no interval; 1 of 21 other readings that could
    /// change it was tried: partly (background-1500: not fairness(7@50) > fairness(4@50))`.
    pub(super) fn sentence(&self, paper: &Paper) -> String {
        if self.all.of == 0 {
            return "not judged: every comparison needs rows that were not run".to_owned();
        }
        let text = match self.all.verdict {
            Verdict::Open => self.so_far(),
            Verdict::DoesNotHold => self.where_it_fails(paper).unwrap_or_else(|| self.counted()),
            _ => self.counted(),
        };
        let text = match self.depends_on.len() {
            0 => text,
            some => {
                let named = self.depends_on[..some.min(NAMED)].join(" and ");
                let more = match some.saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let within = match self.reading.as_str() {
                    BASE => "in the base".to_owned(),
                    name => format!("under {name}"),
                };
                format!("depends on {named}{more}; {within} it {text}")
            }
        };
        text + &self.of_seeds() + &self.of_readings()
    }

    /// `holds: 9 of 9 comparisons`.
    fn counted(&self) -> String {
        let own = &self.all;
        let InRuns { verdict, held, chance, of, missing, .. } = own;
        let mut text = format!("{}: {held} of {of} {}", verdict.text(), comparisons(*of));
        text += self.of_chosen();
        if *chance > 0 {
            text += &format!(", {chance} within chance");
        }
        if *missing > 0 {
            text += &format!(", {missing} not run, which cannot change this");
        }
        // else "undecided" could be read as if it might still hold in full
        let fail = of - held - chance;
        if *verdict == Verdict::Undecided && fail > 0 {
            let verb = if fail == 1 { "does" } else { "do" };
            text += &format!(
                ", {fail} {verb} not hold (so not all hold; chance decides whether at least half do)"
            );
        }
        text
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

    /// `does not hold at all 3 delays: fails at 50 ms (0.6 against 0.7); holds at 25 and 100 ms`,
    /// of a test of the user's own that has a comparison for each.
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
        let chosen = if self.left_out > 0 { "chosen " } else { "" };
        let fails_all = self.all.held + self.all.chance + self.all.missing == 0;
        let any = if fails_all { "any of the" } else { "all" };
        let mut text = format!(
            "does not hold at {any} {} {chosen}{}s: fails {}",
            at.len(),
            variant.name,
            joined(&fails)
        );
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
    fn of_seeds(&self) -> String {
        let named = |seeds: &[u64]| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        match self.seeds.as_slice() {
            [] if self.all.means_of > 1 => format!("; means of {} seeds", self.all.means_of),
            [] => format!("; one seed ({})", named(&self.all.seeds)),
            each => {
                let count = |one: &InRuns| (one.held, one.of);
                let same = each.iter().all(|one| count(one) == count(&each[0]));
                let count_of = |one: &InRuns| {
                    let not = self.against(one);
                    let not = not.map_or(String::new(), |not| format!(" ({not})"));
                    format!("{} of {}{not}", one.held, one.of)
                };
                let all = named(&self.all.seeds);
                let few = if each.len() == 2 { "; two seeds, no interval" } else { "" };
                let told = match () {
                    () if same && each[0].held == each[0].of && !few.is_empty() => String::new(),
                    () if same && each[0].held == each[0].of => {
                        format!("; with seeds {all}: {} of {} each", each[0].held, each[0].of)
                    }
                    () if same && each.len() > ONE_BY_ONE => {
                        format!("; with seeds {all}: {} of {} each", each[0].held, each[0].of)
                    }
                    () if each.len() <= ONE_BY_ONE => each
                        .iter()
                        .map(|one| format!("; with seed {}: {}", named(&one.seeds), count_of(one)))
                        .collect(),
                    () => {
                        let held = || each.iter().map(|one| one.held);
                        let (least, most) = (held().min().unwrap_or(0), held().max().unwrap_or(0));
                        format!("; with seeds {all}: {least} to {most} of {}", each[0].of)
                    }
                };
                few.to_owned() + &told
            }
        }
    }

    /// What it rests on: readings. Those that fall short are named.
    fn of_readings(&self) -> String {
        let own: Vec<&InRuns> = self.readings.iter().collect();
        let names: BTreeSet<&str> = own.iter().map(|own| own.reading.as_str()).collect();
        let beside = self.recorded.iter().filter(|known| {
            known.reading != self.reading && !names.contains(known.reading.as_str())
        });
        let beside: Vec<&InRuns> = beside.collect();
        let more: BTreeSet<&str> = beside.iter().map(|own| own.reading.as_str()).collect();
        let (tried, recorded) = (names.len(), more.len());
        let all = tried + recorded + self.untried.len();
        let mut told = match (tried, all) {
            (_, 0) => return "; no other reading changes its rows".to_owned(),
            (0, 1) => "; the other reading that could change it was not tried".to_owned(),
            (0, _) => format!("; none of {all} other readings that could change it was tried"),
            (1, 1) => "; the other reading that could change it was tried".to_owned(),
            (1, _) => format!("; 1 of {all} other readings that could change it was tried"),
            (some, _) if some == all => {
                format!("; all {all} other readings that could change it were tried")
            }
            (some, _) => {
                format!("; {some} of {all} other readings that could change it were tried")
            }
        };
        if tried > 0 {
            told += &format!(": {}", self.verdicts_of(&own));
        }
        if recorded > 0 {
            let count = match (all, recorded) {
                (1, _) => "it is".to_owned(),
                (_, 1) => "1 is".to_owned(),
                (_, some) => format!("{some} are"),
            };
            let sign = if tried > 0 { ";" } else { "," };
            told += &format!("{sign} {count} recorded: {}", self.verdicts_of(&beside));
        }
        told
    }

    /// `holds under 3; does not hold (newreno: not a > b)`.
    fn verdicts_of(&self, all: &[&InRuns]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for verdict in [
            Verdict::Holds,
            Verdict::Partly,
            Verdict::Undecided,
            Verdict::DoesNotHold,
            Verdict::Open,
        ] {
            let such = || all.iter().filter(|own| own.verdict == verdict);
            let count = such().count();
            if count == 0 {
                continue;
            }
            let word = verdict.text();
            let under = match count == all.len() || count == 1 {
                true => word.to_owned(),
                false => format!("{word} under {count}"),
            };
            // a verdict that the base has too needs no reason
            let another_seed = |own: &InRuns| {
                let other = own.seeds.iter().any(|seed| !self.all.seeds.contains(seed));
                own.seeds.first().copied().filter(|_| other)
            };
            let told = |own: &&InRuns| {
                let not = self.against(own).filter(|_| verdict != Verdict::Holds);
                // what the verdict depends on is told with its reason already
                let not = not.filter(|_| !self.depends(own));
                let seed = another_seed(own);
                let name = own.reading.clone();
                let name = seed.map_or(name.clone(), |seed| format!("{name} with seed {seed}"));
                not.map_or_else(|| name.clone(), |not| format!("{name}: {not}"))
            };
            let same = verdict == self.all.verdict;
            let mut such_names: Vec<&str> = such().map(|own| own.reading.as_str()).collect();
            such_names.dedup();
            let why = match same && count > 1 {
                true => {
                    let seeds: BTreeSet<Option<u64>> =
                        such().map(|own| another_seed(own)).collect();
                    let seed = match seeds.into_iter().collect::<Vec<_>>().as_slice() {
                        [Some(one)] => Some(format!("all with seed {one}")),
                        _ => None,
                    };
                    // many names are left out, another seed never
                    let names = (such_names.len() <= NAMED).then(|| such_names.join(", "));
                    let told: Vec<String> = names.into_iter().chain(seed).collect();
                    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
                }
                false => format!(" ({})", such().map(told).collect::<Vec<_>>().join("; ")),
            };
            parts.push(under + &why);
        }
        parts.join("; ")
    }

    /// The first comparison that does not hold, and how many more: `not a > b and 2 more`.
    pub fn against(&self, runs: &InRuns) -> Option<String> {
        let such = |outcome: Outcome| {
            let found = self.comparisons.iter().zip(&runs.found);
            let texts = found.filter(|(_, found)| found.outcome == outcome);
            texts.map(|(one, _)| one.text.as_str()).collect::<Vec<&str>>()
        };
        let (fails, chance) = (such(Outcome::Fails), such(Outcome::Chance));
        let (word, all) =
            if fails.is_empty() { ("within chance:", chance) } else { ("not", fails) };
        let first = all.first()?;
        let more = match all.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!("{word} {first}{more}"))
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
fn joined(all: &[String]) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}
