//! Readings under which the verdict on a claim is different.

use tusker_record::stats::half_width;

use super::super::kind;
use super::readings::{OfReading, by_reading};
use super::words::with_seeds;
use super::{Answer, Found, InRuns, Outcome, distinct};
use crate::claims::Verdict;
use crate::paper::Paper;
use crate::rows::BASE;

/// From so many seeds on it is known by how much seeds alone change a difference.
const SEEDS: usize = 3;

impl Answer {
    /// `the reading newreno (does not hold: fairness(7@50) > fairness(4@50) fails)`, for each
    /// reading under which a claim that holds does not, or the other way round.
    pub(super) fn other_verdicts(&self, paper: &Paper) -> Vec<String> {
        if !matches!(self.all.verdict, Verdict::Holds | Verdict::DoesNotHold) {
            return Vec::new();
        }
        let known = self.readings.iter().chain(&self.recorded).filter(|own| !own.experiment);
        let known = known.filter(|own| own.reading != self.reading && own.verdict != Verdict::Open);
        by_reading(known).iter().filter_map(|own| self.other_verdict(paper, own)).collect()
    }

    /// Its seeds together if their verdict is another one; else the first of its runs with
    /// another verdict, and how many they are.
    fn other_verdict(&self, paper: &Paper, own: &OfReading<'_>) -> Option<String> {
        // what another seed changes is no effect of the reading
        let judged = [self.all.verdict].into_iter();
        let other = |run: &&InRuns| {
            let mut same = judged.clone().chain([self.with_seeds_of(run)]);
            same.all(|verdict| kind(run.verdict) != kind(verdict))
        };
        let whole = own.whole();
        let runs = whole.map_or_else(|| own.runs.clone(), |whole| vec![whole]);
        let others: Vec<&InRuns> = runs.iter().copied().filter(other).collect();
        let first = others.first()?;
        if others.iter().all(|run| self.without_phase(paper, run).is_some()) {
            return None;
        }
        let seeds = match own.runs.len() {
            _ if whole.is_some() => format!(" {}", with_seeds(&first.seeds)),
            1 => String::new(),
            all => format!(" with {} of {all} seeds", others.len()),
        };
        let tried =
            others.iter().any(|run| self.readings.iter().any(|own| std::ptr::eq(own, *run)));
        let recorded = if tried { "" } else { ", recorded" };
        let why = self.against(first).filter(|_| first.verdict != Verdict::Holds);
        let why = why.map_or(String::new(), |why| {
            let phase = self.in_step_of(if whole.is_some() { &own.runs } else { &others });
            let freed = match phase.is_empty() {
                true => String::new(),
                false => self.freed_in_parts(paper, first),
            };
            let chance = self.by_chance(own.runs.len(), first);
            format!(": {why}{chance}{phase}{}{freed}", self.in_parts(first))
        });
        Some(format!("{}{recorded} ({}{seeds}{why})", named(own.name), first.verdict.text()))
    }

    /// `, by 0.002; single seeds of the base lie within ±0.099 of their mean`, if a reading was
    /// run with one seed, and nothing fails under it by more than seeds alone change.
    fn by_chance(&self, runs: usize, own: &InRuns) -> String {
        if runs != 1 || own.seeds.len() != 1 || self.seeds.len() < SEEDS {
            return String::new();
        }
        let fails = |(at, found): (usize, &Found)| {
            let signs = &self.comparisons[at].signs;
            let of = |run: &InRuns| run.found[at].margin(signs);
            let base = self.seeds.iter().filter_map(of).collect::<Vec<_>>();
            // 95 % of single seeds, not of their mean
            let varies = half_width(&base)? * (base.len() as f64).sqrt();
            Some((-found.margin(signs)?, varies))
        };
        let all = own.found.iter().enumerate();
        let all = all.filter(|(_, found)| found.outcome == Outcome::Fails).map(fails);
        let Some(all) = all.collect::<Option<Vec<(f64, f64)>>>() else { return String::new() };
        match all.first() {
            Some((by, varies)) if all.iter().all(|(by, varies)| by < varies) => format!(
                ", by {}; single seeds of {} lie within ±{} of their mean",
                in_two_digits(*by),
                named(&self.reading),
                in_two_digits(*varies)
            ),
            _ => String::new(),
        }
    }

    /// `; it fails with 3 of 3 more seeds, of which only some rows were run`: what other runs of
    /// the same reading, with too few rows for a verdict, say of the first comparison that does
    /// not hold.
    fn in_parts(&self, own: &InRuns) -> String {
        let known = self.outcomes_in_parts(own, &own.reading);
        let fails = known.iter().filter(|outcome| **outcome == Outcome::Fails).count();
        match known.len() {
            0 => String::new(),
            1 if fails == 1 => {
                "; it fails with the other seed of which only some rows were run".into()
            }
            1 => "; it holds with the other seed of which only some rows were run".into(),
            all => {
                format!(
                    "; it fails with {fails} of {all} other seeds of which only some rows were run"
                )
            }
        }
    }

    /// `; without phase effects (newreno+host-time-10us, only some rows) a > b holds with 3 of 3
    /// seeds`: what such runs of only some rows say of the first comparison that does not hold.
    fn freed_in_parts(&self, paper: &Paper, own: &InRuns) -> String {
        let Some(random) = paper.random_hosts() else { return String::new() };
        let name = format!("{}+{random}", own.reading);
        let known = self.outcomes_in_parts(own, &name);
        let holds = known.iter().filter(|outcome| **outcome == Outcome::Holds).count();
        let Some(text) = self.first_short(own).map(|at| &self.comparisons[at].text) else {
            return String::new();
        };
        match known.len() {
            0 => String::new(),
            all => {
                let seeds = if all == 1 { "seed" } else { "seeds" };
                format!(
                    "; without phase effects ({name}, only some rows) {text} holds with {holds} of \
                     {all} {seeds}"
                )
            }
        }
    }

    /// The place of the first comparison that fails in these runs, or else is within chance.
    fn first_short(&self, own: &InRuns) -> Option<usize> {
        let first = |outcome| own.found.iter().position(|found| found.outcome == outcome);
        first(Outcome::Fails).or_else(|| first(Outcome::Chance))
    }

    /// How the first comparison that fails in these runs, or else is within chance, came out in
    /// those of a reading that have only some rows.
    fn outcomes_in_parts(&self, own: &InRuns, reading: &str) -> Vec<Outcome> {
        let at = self.first_short(own);
        let parts = self.parts.iter().filter(|part| part.reading == reading);
        let of = |part: &InRuns| Some(part.found.get(at?)?.outcome);
        parts.filter_map(of).filter(|outcome| *outcome != Outcome::Missing).collect()
    }

    /// The same of the first of several runs in which they decide any, with the seeds of all such
    /// runs if the first is none of these: what was recorded earlier may not know of them.
    fn in_step_of(&self, runs: &[&InRuns]) -> String {
        let decided = || runs.iter().filter(|run| !self.in_step(run).is_empty());
        let Some(first) = decided().next() else { return String::new() };
        let rows = self.in_step(first);
        if std::ptr::eq(*first, runs[0]) {
            return rows;
        }
        let seeds: Vec<u64> = decided().flat_map(|run| run.seeds.iter().copied()).collect();
        format!("{rows} {}", with_seeds(&seeds))
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

    /// If phase effects decide every comparison that keeps these runs from holding: runs of the
    /// same reading with random times of hosts, which end phase effects, with the same seeds
    /// and the verdict that the base has.
    pub(super) fn without_phase(&self, paper: &Paper, own: &InRuns) -> Option<&InRuns> {
        let ended = format!("{}+{}", own.reading, paper.random_hosts()?);
        let is_in_step = |row: &String| own.mark(row).is_some_and(|mark| !mark.in_step.is_empty());
        let short = self.comparisons.iter().zip(&own.found);
        let mut short = short.filter(|(_, found)| found.outcome != Outcome::Holds).peekable();
        short.peek()?;
        if !short.all(|(one, _)| one.rows.iter().any(is_in_step)) {
            return None;
        }
        let free = |run: &&InRuns| {
            let free = run.rows.iter().all(|mark| mark.phase_known && mark.in_step.is_empty());
            run.reading == ended
                && run.seeds == own.seeds
                && free
                && !run.rows.is_empty()
                && kind(run.verdict) == kind(self.with_seeds_of(own))
        };
        self.readings.iter().chain(&self.recorded).find(free)
    }

    /// Whether its verdict is another one under this reading.
    pub(super) fn depends(&self, reading: &str) -> bool {
        let begin = [" (", ", "].map(|after| named(reading) + after);
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

fn named(reading: &str) -> String {
    match reading {
        BASE => "the base".to_owned(),
        name => format!("the reading {name}"),
    }
}

/// A number above zero with two significant digits and no exponent.
fn in_two_digits(value: f64) -> String {
    let decimals = (1 - value.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}
