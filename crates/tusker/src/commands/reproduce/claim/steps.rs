//! Commands to try next, after an answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tusker_papers::conclusions::{InRuns, Outcome};
use tusker_papers::rows::{BASE, Taken};

use super::super::{Job, readings, sources};
use super::Told;
use crate::next;

/// Seeds from which there is an interval.
const ENOUGH: usize = 3;

/// Commands, and what each is good for.
pub(super) fn all(told: &Told<'_>, job: &Job<'_>) -> Vec<(String, String)> {
    let args = told.args;
    let seeds = told.answers().map(|a| a.all.seeds.len().max(a.all.means_of)).min().unwrap_or(0);
    let mut untried: Vec<&String> = told.answers().flat_map(|a| &a.untried).collect();
    untried.sort_unstable();
    untried.dedup();
    let mut steps = Vec::new();
    let base = command(told);
    let run = with_folder(told, &base);
    let rows = told.rows();
    let cost = |of: &[(Taken<'_>, u32)]| job.cost_of(&rows, of).brief(job.at_once());
    let taken = |names: &[String]| told.paper.take(names, &args.sets).ok();
    let judged = if args.compare_readings { Vec::new() } else { args.readings.clone() };
    let judged: Vec<String> = judged.iter().flat_map(|name| readings::parts(name)).collect();
    if seeds < ENOUGH && !args.conclusions {
        let seed = args.how.seed.map(|seed| format!("seed={seed}"));
        let sets = args.sets.iter().cloned().chain(seed).collect::<Vec<_>>();
        let first = told.paper.take(&judged, &sets).ok();
        let cost = first.map(|taken| format!(": {}", cost(&[(taken, ENOUGH as u32)])));
        let what = format!("three seeds, and with them intervals{}", cost.unwrap_or_default());
        let seed = args.how.seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
        steps.push((format!("{run}{seed} --replicates {ENOUGH}"), what));
    }
    for (name, seed) in decisive(told).into_iter().filter(|_| args.readings.is_empty()) {
        let cost = taken(&readings::parts(&name)).map(|own| cost(&[(own, ENOUGH as u32)]));
        let cost = cost.map_or(String::new(), |cost| format!(": {cost}"));
        let what = format!("three more seeds of {name}, on which a verdict depends{cost}");
        let more = format!("--reading {name} --seed {seed} --replicates {ENOUGH}");
        steps.push((format!("{run} {more}"), what));
    }
    if args.readings.is_empty() || !args.compare_readings {
        let run = with_folder(told, &command_under(told, &[]));
        for (name, seeds) in without_phase(told) {
            let what = "hosts take a random time, so that round numbers decide nothing";
            // several seeds are compared with the base that is known, one with the base beside it
            let several =
                seeds.first().zip(seeds.last()).filter(|(first, _)| **first > 1 || seeds.len() > 1);
            let more = several.map(|(first, last)| {
                (format!("--seed {first} --replicates {}", last - first + 1), last - first + 1)
            });
            let cost = taken(&readings::parts(&name)).map(|own| {
                let base = taken(&[]).filter(|_| more.is_none()).map(|base| (base, 1));
                let count = more.as_ref().map_or(1, |(_, count)| *count as u32);
                cost(&base.into_iter().chain([(own, count)]).collect::<Vec<_>>())
            });
            let what = format!("{what}{}", cost.map_or(String::new(), |cost| format!(": {cost}")));
            steps.push(match more {
                Some((more, _)) => (format!("{run} --reading {name} {more}"), what),
                None => (format!("{run} --compare-readings --reading {name}"), what),
            });
        }
    }
    if !untried.is_empty() {
        let what = match untried.len() {
            1 => "the reading that was not tried".to_owned(),
            some => format!("the {some} readings that were not tried"),
        };
        if args.readings.is_empty() || args.compare_readings {
            let cost_under = |names: &mut dyn Iterator<Item = &String>| {
                let each = names.map(|name| vec![name.clone()]);
                let each = std::iter::once(Vec::new()).chain(each).filter_map(|own| taken(&own));
                job.cost_of(&rows, &each.map(|taken| (taken, 1)).collect::<Vec<_>>())
            };
            let own = cost_under(&mut untried.iter().copied());
            let every = told.paper.readings.iter().map(|reading| &reading.name);
            let every = job.not_replaced_silently(&rows, every.cloned().collect());
            // without names, those that are known would be run again
            let named = match own == cost_under(&mut every.iter()) {
                true => String::new(),
                false => {
                    let names: Vec<&str> = untried.iter().map(|name| name.as_str()).collect();
                    format!(" --reading {}", names.join(","))
                }
            };
            let cost = own.brief(job.at_once());
            steps.push((format!("{run} --compare-readings{named}"), format!("{what}: {cost}")));
        }
    }
    for seed in seeds_in_part(told) {
        let sets = [args.sets.clone(), vec![format!("seed={seed}")]].concat();
        let cost = told.paper.take(&[], &sets).ok().map(|taken| cost(&[(taken, 1)]));
        let cost = cost.map_or(String::new(), |cost| format!(": {cost}"));
        let what = format!("the other rows of seed {seed}, so that it counts{cost}");
        steps.push((format!("{run} --seed {seed}"), what));
    }
    if !steps.is_empty() || args.recorded.is_none() {
        // a page has what is judged in the base, and every reading beside it
        steps.extend(one_page(told, job, &command_under(told, &[])));
    }
    if let Some(cases) = some_cases(told) {
        let what = "these cases alone: other comparisons do not hold".to_owned();
        steps.push((format!("{run} --case {cases}"), what));
    }
    if let Some(path) = args.recorded.as_ref().filter(|_| args.out.is_none()) {
        let own = format!("{base} --recorded {} --out page", next::path(path));
        steps.retain(|(command, _)| *command != own);
        steps.insert(0, (own, "a page of this, to send".to_owned()));
    }
    steps
}

/// Seeds of the base with which only some of the rows were run.
fn seeds_in_part(told: &Told<'_>) -> BTreeSet<u64> {
    let part = told.answers().flat_map(|answer| &answer.in_part);
    part.filter(|own| own.reading == BASE).flat_map(|own| &own.seeds).copied().collect()
}

/// The command for a page of what is recorded and of one's own runs; none if it is this one.
fn one_page(told: &Told<'_>, job: &Job<'_>, base: &str) -> Option<(String, String)> {
    let args = told.args;
    let mut places = match &args.recorded {
        Some(path) => sources::sources(path),
        None if super::recorded_too(args) && told.paper.full_csv.is_some() => {
            // a paper of one's own has its record beside it
            let own = PathBuf::from(&args.paper);
            vec![if own.is_dir() { own } else { PathBuf::from("papers") }]
        }
        None => return None,
    };
    if places.contains(&job.folder) && args.out.is_some() {
        return None;
    }
    if !places.contains(&job.folder) && own_place(told).is_none() {
        places.push(job.folder.clone());
    }
    let places: Vec<String> = places.iter().map(|place| next::path(place)).collect();
    let title = args.claim.title.as_ref();
    let title = title.map(|title| next::command(&["--title".to_owned(), title.clone()]));
    let title = title.map_or(String::new(), |title| format!(" {title}"));
    let page = format!("{base} --recorded {} --out page{title}", places.join(","));
    let what = match args.recorded {
        Some(_) => "then one page of the recorded results and yours",
        None => "one page of the recorded results and yours",
    };
    Some((page, what.to_owned()))
}

/// The readings under which a verdict is another one than in the base, known with fewer than
/// three seeds; each with the first seed after those.
fn decisive(told: &Told<'_>) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for answer in told.answers().filter(|answer| !answer.depends_on.is_empty()) {
        let all = || answer.readings.iter().chain(&answer.recorded).filter(|own| !own.experiment);
        for own in all().filter(|own| own.reading != BASE && own.reading != answer.reading) {
            // several seeds together come after each by itself
            let seeds: BTreeSet<u64> = all()
                .filter(|other| other.reading == own.reading)
                .flat_map(|other| other.seeds.iter().copied())
                .collect();
            if own.verdict != answer.all.verdict && seeds.len() < ENOUGH {
                let next = seeds.last().map_or(1, |last| last + 1);
                found.insert(own.reading.clone(), next);
            }
        }
    }
    found
}

/// The readings under which phase effects decide rows, each with random times of hosts, which
/// end phase effects, and the seeds with which that is not known yet.
fn without_phase(told: &Told<'_>) -> BTreeMap<String, BTreeSet<u64>> {
    let Some(random) = told.paper.random_hosts() else { return BTreeMap::new() };
    let mut names: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for answer in told.answers() {
        let judged = || answer.seeds.iter().chain([&answer.all]);
        let whole = || judged().chain(&answer.readings).chain(&answer.recorded);
        // phase effects are also known of runs that have only some of the rows
        let all = || whole().chain(&answer.parts);
        let of = |runs: &mut dyn Iterator<Item = &InRuns>, name: &str| -> BTreeSet<u64> {
            let own = runs.filter(|own| own.reading == name);
            own.flat_map(|own| own.seeds.iter().copied()).collect()
        };
        for own in all() {
            // rows of comparisons that hold anyway decide nothing
            let short = answer.comparisons.iter().zip(&own.found);
            let mut short = short.filter(|(_, found)| found.outcome != Outcome::Holds);
            let in_step = |row: &String| own.mark(row).is_some_and(|m| !m.in_step.is_empty());
            let decided = short.any(|(one, _)| one.rows.iter().any(in_step));
            let has_it = readings::parts(&own.reading).iter().any(|part| part == random);
            let counts = sources::only_counts(told.paper, &own.reading);
            if own.reading == BASE || own.experiment || !decided || has_it || counts {
                continue;
            }
            let name = format!("{}+{}", own.reading, random);
            let known = of(&mut whole(), &name);
            let mut seeds = of(&mut all(), &own.reading);
            seeds.retain(|seed| !known.contains(seed));
            if !seeds.is_empty() {
                names.entry(name).or_default().extend(seeds);
            }
        }
    }
    names
}

/// The cases between which every comparison holds, if others do not and compare other cases;
/// those of the first of these comparisons alone, if all together have one that fails.
fn some_cases(told: &Told<'_>) -> Option<String> {
    if !told.args.cases.is_empty() {
        return None;
    }
    let all = || told.answers().flat_map(|one| one.comparisons.iter().zip(&one.all.found));
    let falls_short = |cases: &[String]| {
        all().any(|(one, found)| {
            let among = one.cases.iter().all(|case| cases.contains(case));
            among && found.outcome != Outcome::Holds
        })
    };
    if all().all(|(_, found)| found.outcome == Outcome::Holds) {
        return None;
    }
    let hold = all().filter(|(one, _)| one.at.is_some() && !falls_short(&one.cases));
    let hold: Vec<&[String]> = hold.map(|(one, _)| one.cases.as_slice()).collect();
    let mut every: Vec<String> = Vec::new();
    for case in hold.iter().copied().flatten() {
        if !every.contains(case) {
            every.push(case.clone());
        }
    }
    let cases = if falls_short(&every) { hold.first()?.to_vec() } else { every };
    (!cases.is_empty()).then(|| cases.join(","))
}

/// Of the places of `--recorded`, the last one that has runs of one's own.
fn own_place(told: &Told<'_>) -> Option<PathBuf> {
    let places = sources::sources(told.args.recorded.as_ref()?);
    places.into_iter().rev().find(|place| sources::is_own(place, &told.paper.about.key))
}

impl Told<'_> {
    /// What others type to get this answer: the runs of one's own, if there are such beside
    /// what was recorded, and then the question, with the names of folders alone.
    pub(super) fn repeated_by(&self) -> Vec<String> {
        // each of the own runs names its reading itself
        let base = command_under(self, &[]);
        let own: Vec<_> = self.origins.iter().filter(|one| one.own).collect();
        let mut all: Vec<String> = own.iter().flat_map(|one| one.commands(&base)).collect();
        let words = self.command.iter().map(|word| self.for_others(word));
        all.push(tusker_report::results::command(&words.collect::<Vec<_>>()));
        all
    }

    /// A command or a word of it without folders that say nothing to others: that of the page,
    /// and those that lead to one's own runs.
    pub(super) fn for_others(&self, word: &str) -> String {
        let own = self.origins.iter().filter(|one| one.own);
        let text = own.fold(word.to_owned(), |text, one| text.replace(&one.place, one.name()));
        let out = self.args.out.as_deref().filter(|out| out.is_absolute());
        let name = out.and_then(|out| Some((out.to_str()?, out.file_name()?.to_str()?)));
        name.map_or(text.clone(), |(out, name)| text.replace(out, name))
    }
}

/// The command with the folder where one's own runs are, if it was named: those that are
/// there are not run again.
fn with_folder(told: &Told<'_>, base: &str) -> String {
    let named = told.args.out.clone().filter(|_| told.args.recorded.is_none());
    match named.or_else(|| own_place(told)) {
        Some(folder) => format!("{base} --out {}", next::path(&folder)),
        None => base.to_owned(),
    }
}

/// The command that asks the same and runs the rows, without a folder.
fn command(told: &Told<'_>) -> String {
    let judged = if told.args.compare_readings { &[][..] } else { &told.args.readings };
    command_under(told, judged)
}

/// The same under these readings.
fn command_under(told: &Told<'_>, readings: &[String]) -> String {
    let args = told.args;
    let mut words = vec!["tusker".to_owned(), "reproduce".to_owned(), args.paper.clone()];
    let mut add = |flag: &str, names: &[String]| {
        if !names.is_empty() {
            words.extend([flag.to_owned(), names.join(",")]);
        }
    };
    for asked in &args.claim.asked {
        add("--claim", std::slice::from_ref(asked));
    }
    add("--table", &args.tables);
    add("--case", &args.cases);
    add("--at", &args.at);
    add("--reading", readings);
    for set in &args.sets {
        add("--set", std::slice::from_ref(set));
    }
    if args.quick {
        words.push("--quick".to_owned());
    }
    next::command(&words)
}
