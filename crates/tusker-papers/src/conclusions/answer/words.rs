//! An answer in one line that can be quoted.

use super::{Answer, InRuns, Outcome};
use crate::claims::Verdict;
use std::collections::BTreeSet;

/// Seeds that are told one by one if they differ; of more, only the range.
const ONE_BY_ONE: usize = 4;

/// Readings with the verdict of the base that are named; more are only counted.
const NAMED: usize = 3;

impl Answer {
    /// `holds: 9 of 9 comparisons; two seeds, no interval; 1 of 21 other readings that could
    /// change it was tried: partly (background-1500: not fairness(7@50) > fairness(4@50))`.
    pub(super) fn sentence(&self) -> String {
        if self.all.verdict == Verdict::Open {
            return "not judged: every comparison needs rows that were not run".to_owned();
        }
        let InRuns { verdict, held, chance, of, missing, .. } = &self.all;
        let word = if *of == 1 { "comparison" } else { "comparisons" };
        let mut text = format!("{}: {held} of {of} {word}", verdict.text());
        if self.left_out > 0 {
            text += " of the chosen rows";
        }
        if *chance > 0 {
            text += &format!(", {chance} within chance");
        }
        if *missing > 0 {
            text += &format!(", {missing} not run");
        }
        text + &self.of_seeds() + &self.of_readings()
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
        let mut names: Vec<&str> = self.readings.iter().map(|own| own.reading.as_str()).collect();
        names.dedup();
        let (tried, all) = (names.len(), names.len() + self.untried.len());
        let others = match (tried, all) {
            (_, 0) => return "; no other reading changes its rows".to_owned(),
            (0, 1) => return "; the other reading that could change it was not tried".to_owned(),
            (0, _) => {
                return format!("; none of {all} other readings that could change it was tried");
            }
            (1, 1) => "the other reading that could change it was tried".to_owned(),
            (1, _) => format!("1 of {all} other readings that could change it was tried"),
            (some, _) if some == all => {
                format!("all {all} other readings that could change it were tried")
            }
            (some, _) => format!("{some} of {all} other readings that could change it were tried"),
        };
        let mut parts: Vec<String> = Vec::new();
        for verdict in [
            Verdict::Holds,
            Verdict::Partly,
            Verdict::Undecided,
            Verdict::DoesNotHold,
            Verdict::Open,
        ] {
            let such = || self.readings.iter().filter(|own| own.verdict == verdict);
            let count = such().count();
            if count == 0 {
                continue;
            }
            let word = verdict.text();
            let all = if count == self.readings.len() || count == 1 {
                word.to_owned()
            } else {
                format!("{word} under {count}")
            };
            // a verdict that the base has too needs no reason
            let another_seed = |own: &InRuns| {
                let other = own.seeds.iter().any(|seed| !self.all.seeds.contains(seed));
                own.seeds.first().copied().filter(|_| other)
            };
            let told = |own: &InRuns| {
                let not = self.against(own).filter(|_| verdict != Verdict::Holds);
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
                    let seeds: BTreeSet<Option<u64>> = such().map(another_seed).collect();
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
            parts.push(all + &why);
        }
        format!("; {others}: {}", parts.join("; "))
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
